import Foundation
import PropertyLists

/// The shapes of property lists in the growth table. The size is the number of values.
enum GrowthShape: String, CaseIterable {
  case wide = "a wide dictionary"
  case prefixes = "keys with a common prefix"
  case long = "a long array"
  case records = "an array of dictionaries"
  case nested = "containers in containers, 60 levels"
  case distinct = "distinct strings"
  case equal = "equal strings"
  case equalRecords = "equal dictionaries"
  case characters = "a long string"
  case escapes = "a long string of escapes"
  case bytes = "long data"
  case manyData = "many data"
  case dates = "dates"
  case reals = "reals"
  case uids = "UIDs"

  /// Returns the property list of a size. If `isText`, without values that OpenStep and JSON cannot represent.
  func value(_ size: Int, isText: Bool = false) -> PropertyList {
    switch self {
    case .wide: Self.dictionary(size) { ("key \($0)", Self.scalar($0, isText)) }
    case .prefixes:
      Self.dictionary(size) {
        ("com.example.application.settings.windows.frame.\($0)", Self.scalar($0, isText))
      }
    case .long: .array((0..<size).map { Self.scalar($0, isText) })
    case .records:
      .array(
        (0..<(size + 9) / 10).map { number in
          Self.dictionary(9) { ("field\($0)", Self.scalar(number * 9 + $0, isText)) }
        })
    case .nested:
      .array(
        (0..<(size + 59) / 60).map { number in
          (0..<60).reduce(.string("leaf \(number)")) { inner, level in
            level % 2 == 0 ? .array([inner]) : ["level": inner]
          }
        })
    case .distinct: .array((0..<size).map { .string("string \($0 &* 2_654_435_761 % 1_000_003) of \($0)") })
    case .equal: .array((0..<size).map { .string("string \($0 % 3)") })
    case .equalRecords:
      .array(
        (0..<(size + 3) / 4).map { _ in ["name": "equal", "numbers": .array(["1", "2"])] })
    case .characters: .string(String(repeating: "Grüße aus 東京 and elsewhere. ", count: (size + 29) / 30))
    case .escapes: .string(String(repeating: "<&\"\\\t\n😀", count: (size + 6) / 7))
    case .bytes: .data(Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    case .manyData: .array((0..<size).map { .data(Data("data \($0)".utf8)) })
    case .dates: .array((0..<size).map { .date(Date(timeIntervalSinceReferenceDate: Double($0 * 86_413))) })
    case .reals: .array((0..<size).map { .real(Double($0) / 7 * pow(10, Double($0 % 40 - 20))) })
    case .uids: .array((0..<size).map { .uid(PropertyList.UID(UInt32($0))) })
    }
  }

  private static func scalar(_ number: Int, _ isText: Bool) -> PropertyList {
    if isText { return .string(number % 2 == 0 ? "\(number)" : "value \(number), with \"quotes\"") }
    return switch number % 6 {
    case 0: .integer(.init(number * 7919))
    case 1: .string("string \(number)")
    case 2: .boolean(number % 4 == 0)
    case 3: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case 4: .real(Double(number) / 3)
    default: .data(Data("data \(number)".utf8))
    }
  }

  static func dictionary(_ count: Int, _ entry: (Int) -> (String, PropertyList)) -> PropertyList {
    .dictionary(.init(uniqueKeysWithValues: (0..<count).map(entry)))
  }
}

/// The formats and the OpenStep dialects.
enum GrowthFormat: String, CaseIterable {
  case xml, binary, json, openstep, gnustep, strings

  var format: PropertyListFormat {
    switch self {
    case .xml: .xml
    case .binary: .binary
    case .json: .json
    case .openstep, .gnustep, .strings: .openStep
    }
  }

  var options: PropertyListWritingOptions {
    var options = PropertyListWritingOptions()
    switch self {
    case .gnustep: options.openStepDialect = .gnustep
    case .strings: options.openStepDialect = .strings
    default: break
    }
    return options
  }

  /// True if the format has only strings, or only JSON's types.
  var isText: Bool { self == .json || self == .openstep || self == .strings }

  /// The measured shapes, which are those that the format can represent.
  var shapes: [GrowthShape] {
    switch self {
    case .strings: [.wide, .prefixes]
    case .json, .openstep: [.wide, .prefixes, .long, .records, .nested, .equal, .characters, .escapes]
    case .gnustep: [.wide, .records, .nested, .manyData, .dates, .reals]
    case .xml, .binary: GrowthShape.allCases
    }
  }

  /// Returns the bytes of a shape. The root is a container, as OpenStep and JSON require.
  func data(_ shape: GrowthShape, _ size: Int) throws -> Data {
    try data(value(shape, size))
  }

  func data(_ value: PropertyList) throws -> Data { try value.data(format: format, options: options) }

  func value(_ shape: GrowthShape, _ size: Int) -> PropertyList {
    let value = shape.value(size, isText: isText)
    return value.array == nil && value.dictionary == nil ? ["value": value] : value
  }

  /// Writes a file of a shape.
  func write(_ shape: GrowthShape, _ size: Int, to folder: URL, as name: String) throws {
    try data(shape, size).write(to: folder.appendingPathComponent(name))
  }
}
