import FoundationEssentials
import PropertyLists

/// Generates Swift source for a property list: a file with one constant.
struct SwiftLiteral: TextForm {
  let indent = 4
  let sortsKeys = false
  let terminator = ",\n"

  /// Returns the source file. The value comes from the file at `path`, and the constant is named after this file.
  static func source(of value: PropertyList, from path: String) throws(PlutilError) -> Data {
    let name = SourceName(path)
    var source = Data("/// Generated from \(name.file)\nlet \(name.constant)".utf8)
    if let type = typeToSay(of: value) { source.append(contentsOf: " : \(type)".utf8) }
    source.append(contentsOf: " = ".utf8)
    return source + (try SwiftLiteral().text(of: value)) + Data("\n".utf8)
  }

  func opening(_ container: PropertyList) -> String { container.dictionary?.isEmpty == true ? "[:\n" : "[\n" }

  func closing(_ container: PropertyList, isRoot: Bool) -> String {
    // The type of the outermost container is written after the name of the constant instead.
    guard !isRoot, let type = Self.typeToSay(of: container) else { return "]" }
    return "] as \(type)"
  }

  func entry(key: String) -> String { "\(Self.quoted(key)) : " }

  /// Returns the type of a container if Swift cannot infer it, because the container is empty, contains other
  /// containers, or has elements of different kinds. Returns nil otherwise.
  private static func typeToSay(of container: PropertyList) -> String? {
    switch container {
    case .array(let elements): areScalarsOfOneKind(elements) ? nil : "[Any]"
    case .dictionary(let entries): areScalarsOfOneKind(entries.values.elements) ? nil : "[String : Any]"
    default: nil
    }
  }

  private static func areScalarsOfOneKind(_ values: [PropertyList]) -> Bool {
    guard let kind = values.first?.kind, kind != .array, kind != .dictionary else { return false }
    return values.allSatisfy { $0.kind == kind }
  }

  func scalar(_ value: PropertyList) throws(PlutilError) -> String {
    switch value {
    case .string(let text): Self.quoted(text)
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): Int64(exactly: value) == nil ? "UInt64(\(value))" : value.description
    case .real, .float: Self.literal(value.real ?? 0)
    case .data(let bytes): "Data([\(bytes.map(Self.hexadecimal).joined(separator: ","))])"
    case .date(let date):
      "Date(timeIntervalSinceReferenceDate: \(Self.literal(date.timeIntervalSinceReferenceDate, \.description)))"
    case .uid, .null, .array, .dictionary:
      throw PlutilError("Input contains an object that cannot be represented in Swift literal syntax")
    }
  }

  private static func literal(_ value: Double, _ digits: (Double) -> String = FixedPoint.text) -> String {
    if value.isNaN { return "Double.nan" }
    if value.isInfinite { return value < 0 ? "-Double.infinity" : "Double.infinity" }
    return digits(value)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    "0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
  }

  private static func quoted(_ text: String) -> String {
    text.sourceLiteral(opening: "\"") { scalar, previous in
      scalar.isHidden(after: previous) ? "\\u{\(String(scalar.value, radix: 16))}" : nil
    }
  }
}
