import PropertyLists

/// What a file or a value can be written as.
enum PlutilFormat: Hashable, Sendable {
  case file(FormatName)
  case swift, objectiveC
  /// The bare text of a scalar, the keys of a dictionary, the number of elements of an array.
  case raw
  /// The name of the type.
  case type
  /// What the file is already.
  case unchanged

  init(_ name: String) throws(PlutilError) {
    switch name {
    case "xml1": self = .file(FormatName(.xml))
    case "binary1": self = .file(FormatName(.binary))
    case "json": self = .file(FormatName(.json))
    case "openstep", "openstep1", "openStep": self = .file(FormatName(.openStep))
    case "gnustep": self = .file(FormatName(.openStep, dialect: .gnustep))
    case "strings": self = .file(FormatName(.openStep, dialect: .strings))
    case "swift": self = .swift
    case "objc": self = .objectiveC
    case "raw": self = .raw
    case "type": self = .type
    case "NoConversion": self = .unchanged
    default: throw PlutilError("Unknown format specifier: \(name.printable())")
    }
  }

  /// Whether it is printed if nothing else is said, because it cannot replace a file.
  var isForStandardOutput: Bool { self == .raw || self == .type }

  /// The extension that the files of a language have, so that their text replaces no property list.
  var fileExtension: String? {
    switch self {
    case .swift: "swift"
    case .objectiveC: "m"
    default: nil
    }
  }
}

extension PropertyList.Kind {
  /// What Apple's tool calls it. UIDs and nulls are not in its list.
  var plutilName: String {
    switch self {
    case .boolean: "bool"
    case .real: "float"
    default: rawValue
    }
  }
}
