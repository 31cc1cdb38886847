import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Random values and damage") struct RandomTests {
  /// Seeds of generated values.
  static let seeds = 0..<UInt64(LongForm.size(60, or: 6))

  @Test(arguments: seeds) func `generated values survive the binary format`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value = PropertyList.random(depth: 4, forXML: false, using: &random)
    let data = try value.data(format: .binary)
    let document = try PropertyListDocument(data)
    try document.validate()
    #expect(try PropertyList(document.root) == value)
    #expect(try document.root.data(format: .binary) == data)
  }

  @Test(arguments: seeds) func `generated values survive XML`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value = PropertyList.random(depth: 4, forXML: true, using: &random)
    let data = try value.data(format: .xml)
    #expect(try PropertyList(data) == value)
    #expect(try PropertyList.thoroughLane(data) == value)
    #expect(try PropertyListDocument(data).root.data(format: .xml) == data)
  }

  @Test(arguments: seeds) func `generated values survive OpenStep with all types`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value = PropertyList.random(depth: 4, forXML: false, using: &random)
    for dialect in [PropertyListWritingOptions.OpenStepDialect.openStep, .gnustep, .strings] {
      for isCompact in [false, true] {
        let options = PropertyListWritingOptions(coercion: .reversible, isCompact: isCompact, openStepDialect: dialect)
        let wrapped: PropertyList = dialect == .strings ? ["a": value] : value
        let data = try wrapped.data(format: .openStep, options: options)
        let document = try PropertyListDocument(data, format: .openStep)
        #expect(try PropertyList(document.root) == wrapped)
        #expect(try document.root.data(format: .openStep, options: options) == data)
      }
    }
  }

  @Test(arguments: seeds)
  func `Foundation reads the same values from generated OpenStep`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value = PropertyList.random(depth: 4, forXML: false, using: &random).withTextOnly()
    for isCompact in [false, true] {
      let data = try value.data(format: .openStep, options: .init(isCompact: isCompact))
      #expect(try PropertyList(data, format: .openStep) == value)
      #expect(OpenStepComparisonTests.foundation(String(decoding: data, as: UTF8.self)) == value.sorted())
      let wrapped: PropertyList = ["a": value]
      let strings = try wrapped.data(format: .openStep, options: .init(isCompact: isCompact, openStepDialect: .strings))
      #expect(OpenStepComparisonTests.foundation(String(decoding: strings, as: UTF8.self)) == wrapped.sorted())
    }
  }

  /// The number of damaged inputs. The short form always runs; `PLIST_MUTATIONS=100000` selects the long form.
  static let mutations =
    ProcessInfo.processInfo.environment["PLIST_MUTATIONS"].flatMap { Int($0) } ?? LongForm.size(6000, or: 150)

  @Test(arguments: [1, 2] as [UInt64]) func `damaged files never trap, and are read quickly`(_ seed: UInt64) throws {
    var originals: [[UInt8]] = []
    for name in Fixtures.names(in: "binary") + Fixtures.names(in: "xml") + Fixtures.names(in: "hostile") {
      let data = try Fixtures.data(name)
      if data.count < LongForm.size(20_000, or: 4_000), !data.isEmpty { originals.append([UInt8](data)) }
    }
    var random = SeededGenerator(seed: seed)
    let memory = peakMemory
    for _ in 0..<Self.mutations / 2 {
      var bytes = originals.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 1...8, using: &random) { bytes.damage(using: &random) }
      let input = Data(bytes)
      let duration = ThreadClock.measure {
        guard let document = try? PropertyListDocument(input) else { return }
        let isValid = (try? document.validate()) != nil
        let tree = try? PropertyList(document.root)
        if isValid, tree == nil {
          // Values that pass the full check can only expand too far, or have keys that only Swift considers equal.
          let failure = error { () throws(PropertyListError) in _ = try PropertyList(document.root) }
          #expect(failure?.kind == .limitExceeded || failure?.kind == .duplicateKey)
        }
        if let tree, tree.kind != .null { #expect((try? tree.data(format: .binary)) != nil) }
        // A document is written like its tree.
        for format in [.xml, .binary] as [PropertyListFormat] {
          let written = try? document.root.data(format: format)
          if let tree { #expect(written == (try? tree.data(format: format))) }
        }
      }
      // Linear in the size, with a margin.
      let allowed = ThreadClock.referenceSecond * (2 + Double(input.count) / 1000)
      if duration > allowed { Issue.record("\(duration) for \(input.base64EncodedString())") }
    }
    #expect(peakMemory - memory < 1 << 29, "no input of a few kilobytes takes half a gigabyte")
  }
}

extension PropertyList {
  /// The value with text in place of values that OpenStep cannot represent.
  func withTextOnly() -> PropertyList {
    switch self {
    case .string, .data: self
    case .array(let elements): .array(elements.map { $0.withTextOnly() })
    case .dictionary(let entries): .dictionary(entries.mapValues { $0.withTextOnly() })
    default: .string(debugDescription)
    }
  }

  static func random(depth: Int, forXML: Bool, using random: inout SeededGenerator) -> PropertyList {
    switch Int.random(in: 0..<(depth > 0 ? 14 : 11), using: &random) {
    case 0, 1: return .string(randomText(forXML: forXML, using: &random))
    case 2: return .integer(.init(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random)))
    case 3: return .integer(.init(random.next()))
    case 4:
      let value = Double(bitPattern: random.next())
      // XML has no form for the sign and payload of a NaN.
      return .real(forXML && value.isNaN ? .nan : value)
    case 5: return .real(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1000)
    case 6: return .boolean(.random(using: &random))
    case 7:
      let seconds = Double.random(in: -1e11...1e11, using: &random)
      return .date(Date(timeIntervalSinceReferenceDate: forXML ? seconds.rounded() : seconds))
    case 8:
      return .data(
        Data((0..<Int.random(in: 0..<90, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
    case 9: return .uid(.init(UInt32.random(in: .min ... .max, using: &random)))
    case 10:
      return forXML
        ? .boolean(true)
        : .random(using: &random)
          ? .null : .float(Float(bitPattern: UInt32.random(in: 0...0x7F00_0000, using: &random)))
    case 11:
      return .array(
        (0..<Int.random(in: 0..<40, using: &random)).map { _ in
          Self.random(depth: depth - 1, forXML: forXML, using: &random)
        })
    default:
      var entries: OrderedDictionary<String, PropertyList> = [:]
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        entries[randomText(forXML: forXML, using: &random)] = Self.random(
          depth: depth - 1, forXML: forXML, using: &random)
      }
      return .dictionary(entries)
    }
  }

  private static func randomText(forXML: Bool, using random: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0..<24, using: &random) {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: text += ["&", "<", ">", "]]>", "\t", "\n", "\r", "\"", "&amp;"].randomElement(using: &random)!
      case 1: text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: 0xA0...0xD7FF, using: &random))!)
      case 2: text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: 0x10000...0x10FFFF, using: &random))!)
      case 3 where !forXML: text.unicodeScalars.append(Unicode.Scalar(UInt8.random(in: 0..<0x20, using: &random)))
      default: text.unicodeScalars.append(Unicode.Scalar(UInt8.random(in: 0x20..<0x7F, using: &random)))
      }
    }
    return text
  }
}
