import FoundationEssentials
import PropertyLists

/// A constant of Objective-C, and the header that declares it.
struct ObjectiveCLiteral: TextForm {
  let indent = 4
  let sortsKeys = false
  let separator = ""
  let terminator = ",\n"
  let lineEnd = ""

  /// The source file.
  ///
  /// - Parameters:
  ///   - path: the file that the value comes from, whose name the constant gets.
  ///   - header: the header that is imported; nil for none.
  static func source(
    of value: PropertyList, from path: String, header: String?
  ) throws(PropertyListError) -> Data {
    var source = Data((header.map { "#import \"\($0)\"\n\n" } ?? "").utf8)
    source.append(contentsOf: "\(try declaration(of: value, from: path)) = ".utf8)
    return source + (try ObjectiveCLiteral().text(of: value)) + Data(";\n".utf8)
  }

  static func header(of value: PropertyList, from path: String) throws(PropertyListError) -> Data {
    Data(
      "#import <Foundation/Foundation.h>\n\n\(try declaration(of: value, from: path, isExternal: true));\n".utf8)
  }

  /// Most generated constants are nobody else's, so their symbols stay inside the program.
  private static func declaration(
    of value: PropertyList, from path: String, isExternal: Bool = false
  ) throws(PropertyListError) -> String {
    let type =
      switch value.kind {
      case .string: "NSString"
      case .integer, .real, .boolean: "NSNumber"
      case .array: "NSArray"
      case .dictionary: "NSDictionary"
      case .date, .data, .uid, .null: throw unrepresentable
      }
    let name = SourceName(path)
    return """
      /// Generated from \(name.file)
      __attribute__((visibility("hidden")))
      \(isExternal ? "extern " : "")\(type) * const \(name.constant)
      """
  }

  private static let unrepresentable = PropertyListError(
    .notRepresentable, "Input contains an object that cannot be represented in Obj-C literal syntax")

  func opening(_ container: PropertyList) -> String { container.kind == .array ? "@[\n" : "@{\n" }
  func closing(_ container: PropertyList, isRoot: Bool) -> String { container.kind == .array ? "]" : "}" }
  func entry(key: String) -> String { "\(Self.quoted(key)) : " }
  func entry(index: Int) -> String { "" }

  func scalar(_ value: PropertyList) throws(PropertyListError) -> String {
    switch value {
    case .string(let text): Self.quoted(text)
    case .boolean(let value): value ? "@YES" : "@NO"
    // The greatest number of a signed literal, and one below the smallest, have no literal of their own.
    case .integer(let value):
      Int64(exactly: value) == nil ? "@\(value)ULL" : value == .init(Int64.min) ? "@(LLONG_MIN)" : "@\(value)"
    case .real, .float: Self.literal(value.real ?? 0)
    case .date, .data, .uid, .null, .array, .dictionary: throw Self.unrepresentable
    }
  }

  private static func literal(_ value: Double) -> String {
    if value.isNaN { return "@(NAN)" }
    if value.isInfinite { return value < 0 ? "@(-INFINITY)" : "@(INFINITY)" }
    return "@\(FixedPoint.text(value))"
  }

  private static func quoted(_ text: String) -> String {
    var literal = "@\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      case "\u{0}"..<" ", "\u{7F}":
        // Three digits, so that a digit that follows is not one of them.
        let digits = String(scalar.value, radix: 8)
        literal += "\\\(String(repeating: "0", count: 3 - digits.utf8.count))\(digits)"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}
