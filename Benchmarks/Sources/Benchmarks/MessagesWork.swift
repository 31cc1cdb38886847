import Foundation
import KeyedArchiving
import PropertyLists
import Typedstreams

/// Decoding of message bodies: text, parts, links, attachments.
enum MessagesWork {
  static let name = "decode the bodies of messages"

  /// Returns a body in the form of Messages' archives. There are five kinds: a short text, a long one, one with an
  /// attachment, one with a link and its data detector's result, one with a mention and styles. The number makes each
  /// body unique.
  private static func body(_ number: Int) throws -> Data {
    typealias Attributes = Archived.AttributedString.Attributes
    let part: Attributes = ["__kIMMessagePartAttributeName": .integer(0)]
    func run(_ text: String, _ attributes: Attributes = [:]) -> (String, Attributes) {
      (text, part.merging(attributes) { $1 })
    }
    let pieces: [(String, Attributes)] =
      switch number % 5 {
      case 0: [run("On my way, \(number) minutes 😀")]
      case 1: [run(String(repeating: "It is a long story, and it goes on (\(number)). ", count: 8))]
      case 2:
        [
          run(
            "\u{FFFC}",
            [
              "__kIMFileTransferGUIDAttributeName": .string("at_0_2E5F12C3-E649-48AA-954D-\(100_000 + number)"),
              "__kIMFilenameAttributeName": .string("Picture \(number).png"),
              "__kIMInlineMediaWidthAttributeName": .real(952), "__kIMInlineMediaHeightAttributeName": .real(1139.5),
            ]), run("This is what it looks like"),
        ]
      case 3:
        [
          run("See "),
          run(
            "https://example.org/\(number)",
            [
              "__kIMLinkAttributeName": .url(URL(string: "https://example.org/\(number)")!),
              "__kIMDataDetectedAttributeName": .data(Data(repeating: 7, count: 560)),
            ]),
        ]
      default:
        [
          run("Ask "), run("Zoë", ["__kIMMentionConfirmedMention": .string("+1555867\(number % 10_000)")]), run(", "),
          run("not", ["__kIMTextBoldAttributeName": .integer(1), "__kIMTextItalicAttributeName": .integer(1)]),
          run(" me"),
        ]
      }
    let runs = pieces.map { Archived.AttributedString.Run(length: $0.0.utf16.count, attributes: $0.1) }
    var builder = TypedstreamBuilder()
    try builder.beginGroup("@")
    try builder.append(.object(Archived.AttributedString(pieces.map(\.0).joined(), runs: runs)))
    return try builder.finish().data()
  }

  /// Decodes `count` bodies in this process.
  static func measure(_ implementation: Implementation, count: Int) throws -> Measurement? {
    // Only some bodies are in memory at a time, like the rows of a query.
    let bodies = try (0..<min(count, 1_000)).map(body)
    switch implementation {
    case .ours:
      return try Measurement.measure {
        var length = 0
        for number in 0..<count {
          let body = try MessageBody(bodies[number % bodies.count])
          length += body.text.utf8.count + body.runs.count
        }
        keep(length)
        return 0
      }
    case .python:
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("bodies-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: file) }
      try PropertyList.array(bodies.map { .data($0) }).write(to: file, format: .binary)
      return try Measurement.inPython(
        "for number in range(\(count)): typedstream.unarchive_from_data(bodies[number % len(bodies)])",
        setup: "import plistlib, typedstream\nbodies = plistlib.load(open('\(file.path)', 'rb'))")
    default: return nil
    }
  }

  /// Prints the table: the time for one body, and the memory for all of them.
  static func printTable(of implementations: [Implementation], counts: [Int]) throws {
    print("| \(name) | " + counts.map { "\($0) bodies" }.joined(separator: " | ") + " |")
    print("|---|" + counts.map { _ in "---|" }.joined())
    for implementation in implementations {
      var row = "| \(implementation == .python ? "python-typedstream" : implementation.name) |"
      for count in counts {
        guard let measurement = try Measurement.inProcess([name, implementation.rawValue, "\(count)"]) else {
          row += " – |"
          continue
        }
        row += " \(time(measurement.seconds / Double(count))) each, \(megabytes(measurement.peakMemory)) |"
      }
      print(row)
    }
  }
}
