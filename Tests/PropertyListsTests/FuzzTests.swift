import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

/// Damages files of every format, and checks the properties of all property lists on those that can still be read.
@Suite("Properties of every readable file, however damaged") struct FuzzTests {
  /// The number of damaged inputs. `PLIST_MUTATIONS=100000` selects the long form; `PLIST_SEED` selects other inputs.
  static let mutations =
    ProcessInfo.processInfo.environment["PLIST_MUTATIONS"].flatMap { Int($0) } ?? LongForm.size(2400, or: 80)
  static let seed = ProcessInfo.processInfo.environment["PLIST_SEED"].flatMap { UInt64($0) } ?? 1

  @Test(arguments: PropertyListFormat.allCases)
  func `reading, writing, editing, paths, differences and merges agree`(_ format: PropertyListFormat) throws {
    let originals = try DefectContractTests.originals(format)
    var random = SeededGenerator(seed: Self.seed)
    var former: PropertyList = ["a": [1, 2, ["b": "c"]], "d": 1.5]
    var count = 0
    for _ in 0..<Self.mutations / 4 {
      var bytes = originals.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        if format == .binary || Int.random(in: 0..<4, using: &random) == 0 {
          bytes.damage(using: &random)
        } else {
          bytes.damageText(using: &random)
        }
      }
      if format != .binary, Int.random(in: 0..<3, using: &random) == 0 {
        bytes = Self.encoded(bytes, format, using: &random)
        if .random(using: &random) { bytes.damage(using: &random) }
      }
      let options = PropertyListReadingOptions(
        recognizesUIDDictionaries: .random(using: &random),
        duplicateKeys: .random(using: &random) ? .reject : .keepLast,
        restoresCoercedValues: .random(using: &random))
      guard let document = try? PropertyListDocument(Data(bytes), format: format, options: options),
        let value = try? PropertyList(document.root),
        // Shared references can expand greatly.
        let size = try? value.data(format: .json, options: .exact).count, size < 100_000
      else { continue }
      count += 1
      let checks = FuzzChecks(document: document, value: value, input: Data(bytes))
      let duration = try ThreadClock.measure {
        do {
          try checks.writing()
          try checks.editing(other: former, using: &random)
          try checks.paths(using: &random)
          try checks.differences(from: former)
          try checks.merges(former)
        } catch let failure as FuzzFailure {
          Issue.record(
            """
            \(failure.what)
            \(format.rawValue), \(options.recognizesUIDDictionaries), \(options.duplicateKeys), \
            \(options.restoresCoercedValues): \(Data(bytes).base64EncodedString())
            """)
        }
      }
      if duration > ThreadClock.referenceSecond * 10 {
        Issue.record("\(duration) for \(Data(bytes).base64EncodedString())")
      }
      former = value
    }
    #expect(count > Self.mutations / 40, "too little of it can be read")
  }
}

extension FuzzTests {
  /// The text in another encoding, or with other line ends.
  private static func encoded(
    _ bytes: [UInt8], _ format: PropertyListFormat, using random: inout SeededGenerator
  ) -> [UInt8] {
    guard let text = String(validating: bytes, as: UTF8.self), !text.contains("encoding=") else { return bytes }
    func encode(_ encoding: String.Encoding, _ mark: [UInt8]) -> [UInt8] {
      mark + (text.data(using: encoding).map { Array($0) } ?? bytes)
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return encode(.utf16LittleEndian, [0xFF, 0xFE])
    case 1: return encode(.utf16BigEndian, [0xFE, 0xFF])
    case 2: return encode(.utf16LittleEndian, [])
    case 3: return encode(.utf32LittleEndian, [0xFF, 0xFE, 0, 0])
    case 4: return encode(.utf32BigEndian, [0, 0, 0xFE, 0xFF])
    case 5: return [0xEF, 0xBB, 0xBF] + bytes
    case 6: return Array(text.replacing("\n", with: "\r\n").utf8)
    case 7: return Array(text.replacing("\n", with: "\r").utf8)
    default:
      guard format == .xml, !text.hasPrefix("<?") else { return bytes }
      let names: [(String, String.Encoding)] = [
        ("ISO-8859-1", .isoLatin1), ("windows-1252", .windowsCP1252), ("ascii", .ascii), ("UTF-8", .utf8),
        ("Shift_JIS", .shiftJIS), ("EUC-JP", .japaneseEUC), ("ISO-2022-JP", .iso2022JP),
      ]
      guard let (name, encoding) = names.randomElement(using: &random) else { return bytes }
      let declared = "<?xml version=\"1.0\" encoding=\"\(name)\"?>\n\(text)"
      return declared.data(using: encoding).map { Array($0) } ?? bytes
    }
  }
}

struct FuzzFailure: Error {
  let what: String

  init(_ what: String) { self.what = what }
}

/// The checks of a document and its value.
struct FuzzChecks {
  let document: PropertyListDocument
  let value: PropertyList
  let input: Data

  private func require(_ isTrue: @autoclosure () throws -> Bool, _ what: @autoclosure () -> String) throws {
    do {
      if try isTrue() { return }
    } catch let failure as PropertyListError {
      throw FuzzFailure("\(what()): \(failure)")
    }
    throw FuzzFailure(what())
  }

  /// Written data is read as the same value, or writing is refused.
  func writing() throws {
    for format in PropertyListFormat.allCases {
      for coercion in [.refuse, .reversible, .plain] as [PropertyListWritingOptions.Coercion] {
        for dialect in [.openStep, .gnustep, .strings] as [PropertyListWritingOptions.OpenStepDialect] {
          if format != .openStep, dialect != .openStep { continue }
          for isCompact in [false, true] {
            let options = PropertyListWritingOptions(
              fractionalSeconds: .refuse, coercion: coercion, isCompact: isCompact, openStepDialect: dialect)
            try write(format, options)
          }
        }
      }
    }
  }

  private func write(_ format: PropertyListFormat, _ options: PropertyListWritingOptions) throws {
    let written: Data
    do throws(PropertyListError) { written = try value.data(format: format, options: options) } catch {
      let isLimit = error.kind == .limitExceeded || error.kind == .nestedTooDeeply
      try require(isLimit || error.kind == .notRepresentable, "\(format) \(options): \(error)")
      return
    }
    let form = "\(format) \(options.coercion) \(options.openStepDialect)"
    var isSame = true
    do throws(PropertyListError) {
      isSame = try document.root.data(format: format, options: options) == written
    } catch {
      // In text formats, the expansion of shared references includes the levels above them.
      try require(error.kind == .limitExceeded, "\(form): the document is not written: \(error)")
    }
    try require(isSame, "\(form): the document is written otherwise than the value")
    let reading = PropertyListReadingOptions(restoresCoercedValues: options.coercion == .reversible)
    let read: PropertyList
    do throws(PropertyListError) { read = try PropertyList(written, format: format, options: reading) } catch {
      throw FuzzFailure("\(form): not read again: \(error)")
    }
    guard options.coercion != .plain || format == .binary || format == .xml else { return }
    // 4-byte reals become 8-byte reals by default.
    let hasOneWidth = format == .xml || (format != .binary && options.coercion == .refuse)
    let expected = hasOneWidth ? value.asInXML.withOneNaN : value
    try require(
      (hasOneWidth ? read.asInXML.withOneNaN : read) == expected,
      "\(form): read as another value: \(PropertyListDifference(from: expected, to: read))")
  }

  /// An edit gives the requested value.
  func editing(other: PropertyList, using random: inout SeededGenerator) throws {
    let reading = document.options
    // Without these options, a text has no form for a UID.
    guard document.format != .binary, document.format == .json || reading.recognizesUIDDictionaries else { return }
    let isReversible = reading.restoresCoercedValues || document.format == .openStep
    let options = PropertyListWritingOptions(coercion: isReversible ? .reversible : .refuse)
    if document.options.duplicateKeys == .reject {
      try require(try document.data(updatedTo: value, options: options) == input, "an edit of nothing changes bytes")
    }
    for _ in 0..<2 {
      var edited = value
      for _ in 0..<Int.random(in: 1...3, using: &random) { edited.change(to: other, using: &random) }
      do throws(PropertyListError) {
        let data = try document.data(updatedTo: edited, options: options)
        let read = try PropertyList(data, format: document.format, options: reading)
        let isSame =
          isReversible && document.format != .xml
          ? read == edited : read.asInXML.withOneNaN == edited.asInXML.withOneNaN
        if !isSame {
          throw PropertyListError(.malformed, "another value: \(PropertyListDifference(from: edited, to: read))")
        }
      } catch {
        if error.kind == .notRepresentable || error.kind == .limitExceeded || error.kind == .nestedTooDeeply {
          continue
        }
        throw FuzzFailure("an edit, \(PropertyListDifference(from: value, to: edited)): \(error)")
      }
    }
  }

  /// A path leads to its value in every spelling.
  func paths(using random: inout SeededGenerator) throws {
    for _ in 0..<4 {
      let (path, found) = value.descendant(using: &random)
      for syntax in PropertyListKeyPath.Syntax.allCases {
        let text = path.text(syntax)
        try require(try PropertyListKeyPath(text, syntax: syntax) == path, "\(text) is another path")
        try require(
          try syntax != .dots || PropertyListKeyPath(text) == path, "\(text) is another path without its syntax")
      }
      try require(try value.value(at: path) == found, "another value at \(path)")
      try require(
        try PropertyList(document.root.descendant(at: path)) == found, "another value of the document at \(path)")
      var copy = value
      try copy.set(found, at: path)
      try require(copy == value, "setting what is there changes it at \(path)")
    }
  }

  /// The difference of two values converts one into the other, back, and as a patch.
  func differences(from former: PropertyList) throws {
    let difference = PropertyListDifference(from: former, to: value)
    try require(try difference.applied(to: former) == value, "the difference \(difference)")
    try require(try difference.inverse.applied(to: value) == former, "the inverse of \(difference)")
    try require(try PropertyListDifference(patch: difference.patch) == difference, "the patch of \(difference)")
    try require(PropertyListDifference(from: value, to: value).isEmpty, "a difference of \(value) and itself")
  }

  func merges(_ former: PropertyList) throws {
    var merged = value
    try? merged.merge(former, conflicts: .takeTheirs)
    var again = merged
    try? again.merge(former, conflicts: .fail)
    try require(again == merged, "merging \(former) into \(value) twice")
    var three = value
    do throws(PropertyListError) {
      try three.merge(value, since: former, conflicts: .fail)
      if three != value { throw PropertyListError(.malformed, "another value") }
    } catch {
      throw FuzzFailure("merging \(value) with itself since \(former): \(error)")
    }
  }
}

extension PropertyList {
  /// A random value inside this one.
  func descendant(using random: inout SeededGenerator) -> (path: PropertyListKeyPath, value: PropertyList) {
    var path = PropertyListKeyPath()
    var value = self
    while Int.random(in: 0..<4, using: &random) > 0 {
      if let elements = value.array, let index = elements.indices.randomElement(using: &random) {
        path.components.append(.index(index))
        value = elements[index]
      } else if let entries = value.dictionary, let key = entries.keys.randomElement(using: &random) {
        path.components.append(.key(key))
        value = entries[key] ?? .null
      } else {
        break
      }
    }
    return (path, value)
  }

  /// XML has no form for the sign and the bits of a NaN.
  var withOneNaN: PropertyList {
    switch self {
    case .real(let value) where value.isNaN: .real(.nan)
    case .array(let elements): .array(elements.map(\.withOneNaN))
    case .dictionary(let entries): .dictionary(entries.mapValues(\.withOneNaN))
    default: self
    }
  }

  /// Makes a random change, often to a part of another value.
  mutating func change(to other: PropertyList, using random: inout SeededGenerator) {
    let (path, value) = descendant(using: &random)
    let new = other.descendant(using: &random).value
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try? set(new, at: path)
    case 1: _ = try? remove(at: path)
    case 2: try? append(new, at: path)
    case 3:
      let keys = ["a", "", "é", "a.b", "/", "\"", "\\", "<", "&", "\n", "CF$UID", "$date", "//", "\u{0}", "=", ";"]
      try? set(new, at: path.appending(.key(keys.randomElement(using: &random) ?? "")))
    default:
      if let elements = value.array {
        try? set(.array(elements.reversed()), at: path)
      } else {
        try? set(.string("\"'\\<>&\n\u{85}\u{1}\u{FFFF}*/]]>--".randomPart(using: &random)), at: path)
      }
    }
  }
}

extension String {
  fileprivate func randomPart(using random: inout SeededGenerator) -> String {
    String(unicodeScalars.filter { _ in .random(using: &random) }.map(Character.init))
  }
}
