import FoundationEssentials
import PropertyLists

/// A generator of Objective-C code for a property list: a source file with a constant, and a header that declares the
/// constant.
struct ObjectiveCLiteral: TextForm {
  let indent = 4
  let sortsKeys = false
  let terminator = ",\n"

  /// Returns the source file, which imports `header` unless it is nil. The constant is named after the file at `path`.
  static func source(of value: PropertyList, from path: String, header: String?) throws(PlutilError) -> Data {
    var source = Data((header.map { "#import \"\($0)\"\n\n" } ?? "").utf8)
    source.append(contentsOf: "\(try declaration(of: value, from: path)) = ".utf8)
    return source + (try ObjectiveCLiteral().text(of: value)) + Data(";\n".utf8)
  }

  static func header(of value: PropertyList, from path: String) throws(PlutilError) -> Data {
    Data("#import <Foundation/Foundation.h>\n\n\(try declaration(of: value, from: path, isExternal: true));\n".utf8)
  }

  /// Returns the declaration. Generated constants have hidden visibility, because most are used only inside one
  /// program.
  private static func declaration(
    of value: PropertyList, from path: String, isExternal: Bool = false
  ) throws(PlutilError) -> String {
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

  private static let unrepresentable = PlutilError(
    "Input contains an object that cannot be represented in Obj-C literal syntax")

  func opening(_ container: PropertyList) -> String { container.kind == .array ? "@[\n" : "@{\n" }
  func entry(key: String) -> String { "\(Self.quoted(key)) : " }

  func scalar(_ value: PropertyList) throws(PlutilError) -> String {
    switch value {
    case .string(let text): Self.quoted(text)
    case .boolean(let value): value ? "@YES" : "@NO"
    // Integers above the maximum of `long long` need a suffix, and its minimum has no literal.
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
    text.sourceLiteral(opening: "@\"") { scalar, _ in
      guard scalar < " " || scalar == "\u{7F}" else { return nil }
      // Always three digits, so that a digit after the escape is not part of it.
      let digits = String(scalar.value, radix: 8)
      return "\\\(String(repeating: "0", count: 3 - digits.utf8.count))\(digits)"
    }
  }
}
