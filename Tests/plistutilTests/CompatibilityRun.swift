import Foundation
import PropertyLists
import TestSupport
import Testing

/// A command line of another tool, in the form of `Fixtures/compatibility`.
struct CompatibilityRun: Decodable, Hashable, Sendable, CustomTestStringConvertible {
  /// The result. Nil if it is not documented for the original, or not compared.
  struct Expectation: Decodable, Hashable, Sendable {
    var output: Lines?
    var exit: Int32?
    /// Words on standard error, which is empty if there are none.
    var errors: [String]?
    /// The new and changed files; null for a removed one.
    var after: [String: Lines?]?

    /// This result, with the missing values taken from `other`.
    func completed(with other: Expectation) -> Expectation {
      Expectation(
        output: output ?? other.output, exit: exit ?? other.exit, errors: errors ?? other.errors,
        after: after ?? other.after)
    }
  }

  /// The result of a run.
  struct Outcome {
    var output: String
    var errors: String
    var status: Int32
    var after: [String: String?]
  }

  let arguments: [String]
  /// The name under which the program is started, if it is not the name of the tool.
  let name: String?
  /// The existing files: `a.plist`, or `a.plist>b.plist` for a copy with another name.
  let files: [String]
  /// The file for standard input.
  let input: String?
  let environment: [String: String]
  let original: Expectation
  /// The row of the document that describes the difference.
  let row: String?
  /// The difference from the original.
  let here: Expectation?
  /// The row that describes the difference of the Swift toolchain's `plutil`.
  let toolchain: String?
  /// The tool: the name of its file.
  fileprivate(set) var tool = ""

  private enum CodingKeys: String, CodingKey { case run, `as`, files, input, environment, row, here, toolchain }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    arguments = try container.decode([String].self, forKey: .run)
    name = try container.decodeIfPresent(String.self, forKey: .as)
    files = try container.decodeIfPresent([String].self, forKey: .files) ?? []
    input = try container.decodeIfPresent(String.self, forKey: .input)
    environment = try container.decodeIfPresent([String: String].self, forKey: .environment) ?? [:]
    original = try Expectation(from: decoder)
    row = try container.decodeIfPresent(String.self, forKey: .row)
    here = try container.decodeIfPresent(Expectation.self, forKey: .here)
    toolchain = try container.decodeIfPresent(String.self, forKey: .toolchain)
  }

  var testDescription: String { ([name ?? tool] + arguments).joined(separator: " ") }

  /// The tool and its verb: the first option, or the verb of defaults.
  var verb: String { "\(tool) \(arguments.first { tool == "defaults" || $0.hasPrefix("-") } ?? "")" }

  /// The tool and the exit code of the original.
  var exitCode: String { "\(tool) exits with \(original.exit ?? 0)" }

  /// The verb and the difference. The short form of the tests has half of all verbs and differences.
  var features: [String] { [verb, "\(tool), \(row ?? "no difference")"] }
}

extension CompatibilityRun {
  static let tools = ["plutil", "libplist", "defaults"]

  static let all = tools.flatMap { runs(of: $0) }

  static func runs(of tool: String) -> [CompatibilityRun] {
    suites[tool]!.runs.map { run in
      var run = run
      run.tool = tool
      return run
    }
  }

  private static let suites = Dictionary(
    uniqueKeysWithValues: tools.map { tool in
      (tool, try! JSONDecoder().decode(Suite.self, from: Fixtures.data("compatibility/\(tool).json")))
    })

  private struct Suite: Decodable {
    let files: [String: Content]
    let runs: [CompatibilityRun]
  }

  /// Runs a program under the name of the tool, in a folder with the files.
  func outcome(of executable: URL) throws -> Outcome {
    let contents = Self.suites[tool]!.files
    let (folder, links) = (TemporaryFolder(), TemporaryFolder())
    var before: [String: Data] = [:]
    for file in files {
      let names = file.split(separator: ">").map(String.init)
      let url = URL(filePath: folder.path(names[names.count - 1]))
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      before[names[names.count - 1]] = contents[names[0]]!.data
      try contents[names[0]]!.data.write(to: url)
    }
    let link = links.path(name ?? (tool == "libplist" ? "plistutil" : tool))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: executable.path)
    let homes = [
      "XDG_CONFIG_HOME": folder.path("config"), "HOME": folder.path("home"), "XDG_CONFIG_DIRS": folder.path("none"),
    ]
    let program = try Program.run(
      URL(filePath: link), arguments, input: input.map { contents[$0]!.data } ?? Data(),
      environment: homes.merging(environment) { $1 }, in: folder.url)
    var after: [String: String?] = before.mapValues { _ in nil }
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
      guard let data = FileManager.default.contents(atPath: folder.path(name)) else { continue }
      // The name of a file that was set aside contains the time.
      let name = name.replacing(/unreadable-\w+/, with: "unreadable-TIME")
      after[name] = data == before[name] ? nil : .some(Self.text(data))
    }
    return Outcome(
      output: Self.text(program.output), errors: program.errors, status: program.wasKilled ? -1 : program.status,
      after: after)
  }

  /// Text unchanged; a binary property list as XML.
  private static func text(_ data: Data) -> String {
    guard data.starts(with: Data("bplist00".utf8)) else { return String(decoding: data, as: UTF8.self) }
    let xml = try? PropertyList(data).data(format: .xml)
    return "binary: " + String(decoding: xml ?? Data(), as: UTF8.self)
  }
}

/// Text on one or several lines.
struct Lines: Decodable, Hashable, Sendable {
  let text: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    text = try (try? container.decode(String.self)) ?? container.decode([String].self).joined(separator: "\n")
  }
}

/// The contents of a file: text or bytes.
private struct Content: Decodable {
  let data: Data

  private struct Bytes: Decodable {
    let base64: Data
  }

  init(from decoder: any Decoder) throws {
    data = try (try? Bytes(from: decoder).base64) ?? Data(Lines(from: decoder).text.utf8)
  }
}
