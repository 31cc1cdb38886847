import PropertyLists

/// What a file or a value can be written as.
enum PlutilFormat: Hashable, Sendable {
  case file(PropertyListFormat, dialect: PropertyListWritingOptions.OpenStepDialect = .openStep)
  case swift, objectiveC
  /// The bare text of a scalar, the keys of a dictionary, the number of elements of an array.
  case raw
  /// The name of the type.
  case type
  /// What the file is already.
  case unchanged

  init(_ name: String) throws(PlutilError) {
    switch name {
    case "xml1": self = .file(.xml)
    case "binary1": self = .file(.binary)
    case "json": self = .file(.json)
    case "openstep", "openstep1", "openStep": self = .file(.openStep)
    case "gnustep": self = .file(.openStep, dialect: .gnustep)
    case "strings": self = .file(.openStep, dialect: .strings)
    case "swift": self = .swift
    case "objc": self = .objectiveC
    case "raw": self = .raw
    case "type": self = .type
    case "NoConversion": self = .unchanged
    default: throw PlutilError("Unknown format specifier: \(name.printable())")
    }
  }

  /// Whether it is printed if nothing else is said, because it would not do in the place of a file.
  var isForStandardOutput: Bool { self == .raw || self == .type }

  /// The extension that the files of a language have, which is no place for a property list to be lost.
  var fileExtension: String? {
    switch self {
    case .swift: "swift"
    case .objectiveC: "m"
    default: nil
    }
  }
}

/// The names of types.
enum PlutilType: String, CaseIterable, Sendable {
  case boolean = "bool"
  case integer, float, string, date, data, array, dictionary
  /// These two are not in Apple's list, which has no name for them.
  case uid, null

  init(_ kind: PropertyList.Kind) {
    switch kind {
    case .boolean: self = .boolean
    case .integer: self = .integer
    case .real: self = .float
    case .string: self = .string
    case .date: self = .date
    case .data: self = .data
    case .array: self = .array
    case .dictionary: self = .dictionary
    case .uid: self = .uid
    case .null: self = .null
    }
  }
}
