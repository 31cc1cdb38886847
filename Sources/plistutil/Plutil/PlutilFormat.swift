import PropertyLists

/// The output formats of files and values.
enum PlutilFormat: Hashable, Sendable {
  case file(FormatName)
  case swift, objectiveC
  /// The text of a scalar, the keys of a dictionary, or the number of elements of an array.
  case raw
  /// The name of the type.
  case type
  /// The format of the input.
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

  /// True if the output is printed by default, because it cannot replace a file.
  var isForStandardOutput: Bool { self == .raw || self == .type }

  /// The file extension for generated source code, so that the code does not replace the property list; nil for other
  /// formats.
  var fileExtension: String? {
    switch self {
    case .swift: "swift"
    case .objectiveC: "m"
    default: nil
    }
  }
}

extension PropertyList.Kind {
  /// The name of the kind in Apple's tool. UIDs and nulls have no names in Apple's tool, so this tool's names are used
  /// for them.
  var plutilName: String {
    switch self {
    case .boolean: "bool"
    case .real: "float"
    default: rawValue
    }
  }
}
