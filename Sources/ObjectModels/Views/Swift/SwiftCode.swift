internal import FoundationEssentials
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// A writer of values as Swift code, which records the modules that the code needs.
struct SwiftCode {
  let names: SwiftNames
  /// True if declarations contain types of Foundation.
  private(set) var declaresFoundationTypes = false
  /// True if values contain types of Foundation.
  private(set) var usesFoundation = false
  /// True if values contain property lists other than strings.
  private(set) var usesPropertyLists = false

  init(names: SwiftNames) { self.names = names }

  /// Adds the modules that another piece of code needs to those of this one.
  mutating func addModules(of other: SwiftCode) {
    if other.declaresFoundationTypes { declaresFoundationTypes = true }
    if other.usesFoundation { usesFoundation = true }
    if other.usesPropertyLists { usesPropertyLists = true }
  }

  /// Returns the type of a property.
  mutating func declaredType(_ name: String) -> String {
    if SwiftNames.foundationTypes.contains(name) { declaresFoundationTypes = true }
    return names.type(name)
  }

  private mutating func foundation(_ name: String) -> String {
    usesFoundation = true
    return names.type(name)
  }

  /// Returns a string literal.
  func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default:
        if scalar.properties.isGraphemeExtend || String(scalar).printable() != String(scalar) {
          result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  func literal(_ names: [String]) -> String { "[" + names.map { literal($0) }.joined(separator: ", ") + "]" }

  /// Returns an integer literal. Groups the digits of long ones by three.
  func literal(_ value: Int64) -> String {
    let digits = "\(value.magnitude)"
    if digits.count < 7 { return "\(value)" }
    var groups: [Substring] = []
    var rest = digits[...]
    while !rest.isEmpty {
      groups.append(rest.suffix(3))
      rest = rest.dropLast(3)
    }
    return (value < 0 ? "-" : "") + groups.reversed().joined(separator: "_")
  }

  func literal(_ value: Double) -> String { value.isFinite ? "\(value)" : value.isNaN ? ".nan" : infinity(value) }

  private func infinity(_ value: Double) -> String { value < 0 ? "-.infinity" : ".infinity" }

  mutating func literal(_ value: Data) -> String {
    "\(foundation("Data"))(base64Encoded: \"\(value.base64EncodedString())\")!"
  }

  mutating func literal(_ value: Date) -> String {
    let seconds = value.timeIntervalSinceReferenceDate
    let text = Int64(exactly: seconds).map { literal($0) } ?? literal(seconds)
    return "\(foundation("Date"))(timeIntervalSinceReferenceDate: \(text))"
  }

  /// Returns Swift code for a value of an attribute: `5`, `"Milk"`, `UUID(uuidString: "…")!`. Returns nil for null
  /// and for composite values.
  mutating func swiftValue(_ value: AttributeValue) -> String? {
    switch value {
    case .null, .composite: return nil
    case .boolean(let value): return "\(value)"
    case .integer(let value): return literal(value)
    case .decimal(let value):
      if value.isNaN { return ".nan" }
      if let integer = Int64(value.description) { return literal(integer) }
      return "\(foundation("Decimal"))(string: \"\(value.description)\")!"
    case .double(let value): return literal(value)
    case .float(let value): return value.isFinite ? "\(value)" : literal(Double(value))
    case .string(let value): return literal(value)
    case .date(let value): return literal(value)
    case .data(let value): return literal(value)
    case .uuid(let value): return "\(foundation("UUID"))(uuidString: \"\(value.uuidString)\")!"
    case .url(let value): return "\(foundation("URL"))(string: \(literal(value.absoluteString)))!"
    }
  }

  /// Returns Swift code for a value of the type `AttributeValue`: `.integer(5)`.
  mutating func literal(_ value: AttributeValue) -> String {
    let kind: String
    switch value {
    case .null: return ".null"
    case .composite(let values):
      let entries = values.sorted { $0.key.precedes($1.key) }.map { "\(literal($0.key)): \(literal($0.value))" }
      return ".composite([\(entries.isEmpty ? ":" : entries.joined(separator: ", "))])"
    case .boolean: kind = "boolean"
    case .integer: kind = "integer"
    case .decimal: kind = "decimal"
    case .double: kind = "double"
    case .float: kind = "float"
    case .string: kind = "string"
    case .date: kind = "date"
    case .data: kind = "data"
    case .uuid: kind = "uuid"
    case .url: kind = "url"
    }
    return ".\(kind)(\(swiftValue(value) ?? ""))"
  }

  mutating func literal(_ entries: OrderedDictionary<String, PropertyList>) -> String {
    if entries.isEmpty { return "[:]" }
    return "[" + entries.map { "\(literal($0)): \(literal($1))" }.joined(separator: ", ") + "]"
  }

  private mutating func literal(_ value: PropertyList) -> String {
    if case .string(let text) = value { return literal(text) }
    usesPropertyLists = true
    switch value {
    case .string(let text): return literal(text)
    case .integer(let integer): return ".integer(\(integer.int128))"
    case .real(let value): return ".real(\(literal(value)))"
    case .float(let value): return ".float(\(value.isFinite ? "\(value)" : literal(Double(value))))"
    case .boolean(let value): return ".boolean(\(value))"
    case .date(let value): return ".date(\(literal(value)))"
    case .data(let value): return ".data(\(literal(value)))"
    case .array(let elements): return ".array([" + elements.map { literal($0) }.joined(separator: ", ") + "])"
    case .dictionary(let entries): return ".dictionary(\(literal(entries)))"
    case .uid(let uid): return ".uid(.init(\(uid.value)))"
    case .null: return ".null"
    }
  }
}

/// Functions that write predicates and expressions.
extension SwiftCode {
  /// Returns a predicate's text as a literal; nil if the text does not parse to an equal predicate.
  func text(_ predicate: ManagedPredicate) -> String? {
    guard let text = try? predicate.formatText(),
      let parsed = try? ManagedPredicate(format: text, arguments: []), parsed == predicate
    else { return nil }
    return literal(text)
  }

  /// Returns an expression's text as a literal; nil if the text does not parse to an equal expression.
  func text(_ expression: ManagedExpression) -> String? {
    guard let text = try? expression.formatText(),
      let parsed = try? ManagedExpression(format: text, arguments: []), parsed == expression
    else { return nil }
    return literal(text)
  }
}
