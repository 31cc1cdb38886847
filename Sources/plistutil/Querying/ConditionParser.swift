import FoundationEssentials
import PropertyLists

/// Reads an expression of `find --where`:
///
///     expression  = conjunction { "or" conjunction }
///     conjunction = negation { "and" negation }
///     negation    = { "not" } ( comparison | "(" expression ")" )
///     comparison  = field ( "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" ) literal
///                 | field ( "~" | "like" ) pattern
///     field       = "key" | "path" | ( "value" | "kind" | "count" | "size" ) { "." component }
struct ConditionParser {
  private var lexer: ConditionLexer
  private var token: ConditionToken
  private var depth = 0

  /// How deep parentheses may be nested.
  private static let greatestDepth = 100

  private init(_ text: String) throws(ConditionError) {
    lexer = ConditionLexer(text)
    token = try lexer.next()
  }

  static func parse(_ text: String) throws(ConditionError) -> Condition {
    var parser = try ConditionParser(text)
    let condition = try parser.expression()
    guard parser.token.kind == .end else {
      throw parser.unexpected(due: #""and", "or" or the end"#)
    }
    return condition
  }

  private mutating func advance() throws(ConditionError) { token = try lexer.next() }

  /// Passes a word of the grammar, in capitals or not.
  private mutating func passes(_ word: String) throws(ConditionError) -> Bool {
    guard token.kind == .word, token.text.lowercased() == word else { return false }
    try advance()
    return true
  }

  private mutating func expression() throws(ConditionError) -> Condition {
    var parts = [try conjunction()]
    while try passes("or") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction() throws(ConditionError) -> Condition {
    var parts = [try negation()]
    while try passes("and") { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func negation() throws(ConditionError) -> Condition {
    var isNegated = false
    while try passes("not") { isNegated.toggle() }
    let condition: Condition
    if token.kind == .open {
      depth += 1
      guard depth <= Self.greatestDepth else {
        throw ConditionError(message: "parentheses more than \(Self.greatestDepth) deep", column: token.column)
      }
      let column = token.column
      try advance()
      condition = try expression()
      guard token.kind == .close else {
        throw unexpected(due: #"")" of the "(" at column \#(column)"#)
      }
      try advance()
      depth -= 1
    } else {
      condition = try comparison()
    }
    return isNegated ? .not(condition) : condition
  }

  private mutating func comparison() throws(ConditionError) -> Condition {
    let field = try field()
    let sign = token
    if try passes("like") { return .pattern(field, try pattern(for: field)) }
    switch sign.kind {
    case .match:
      try advance()
      return .pattern(field, try pattern(for: field))
    case .comparison(let comparison):
      try advance()
      let ordered: [Condition.Field.Name] = [.key, .value, .count, .size]
      if comparison != .equal, comparison != .unequal, !ordered.contains(field.name) {
        throw ConditionError(
          message: "a \(field.name.rawValue) is not less or greater than another", column: sign.column)
      }
      return Self.comparison(field, comparison, try literal(for: field))
    default: throw unexpected(due: "a comparison, such as =,")
    }
  }

  /// A text between quotation marks that spells a date is compared with dates, too.
  private static func comparison(
    _ field: Condition.Field, _ comparison: Condition.Operator, _ literal: Condition.Literal
  ) -> Condition {
    let plain = Condition.comparison(field, comparison, literal)
    guard field.name == .value, case .value(.string(let text)) = literal, let date = date(text) else { return plain }
    let both = [plain, .comparison(field, comparison, .value(date))]
    return comparison == .unequal ? .all(both) : .any(both)
  }

  private mutating func field() throws(ConditionError) -> Condition.Field {
    guard token.kind == .word else { throw unexpected(due: "a field") }
    let column = token.column
    let text = token.text
    let name = text.prefix { $0 != "." }
    guard let name = Condition.Field.Name(rawValue: String(name)) else {
      let names = Condition.Field.Name.allCases.map(\.rawValue).joined(separator: ", ")
      throw ConditionError(message: "\(text.quotedForPeople) is no field; the fields are \(names)", column: column)
    }
    var path = PropertyListKeyPath()
    if text.utf8.count > name.rawValue.utf8.count {
      guard name != .key, name != .path else {
        throw ConditionError(
          message: "no path follows \(name.rawValue); it follows value, kind, count or size", column: column)
      }
      path = try keyPath(
        String(text.dropFirst(name.rawValue.count + 1)), syntax: .dots, column + name.rawValue.count + 1)
      guard !path.components.isEmpty else {
        throw ConditionError(message: "a path is due after the dot", column: column + name.rawValue.count + 1)
      }
    }
    try advance()
    return Condition.Field(name: name, path: path)
  }

  private func keyPath(
    _ text: String, syntax: PropertyListKeyPath.Syntax?, _ column: Int
  ) throws(ConditionError) -> PropertyListKeyPath {
    do throws(PropertyListError) {
      return try PropertyListKeyPath(text, syntax: syntax)
    } catch {
      throw ConditionError(message: error.message, column: column)
    }
  }

  /// The text that comes next, whatever it looks like.
  private mutating func text(due: String) throws(ConditionError) -> ConditionToken {
    guard token.kind == .word || token.kind == .quoted else { throw unexpected(due: due) }
    let text = token
    try advance()
    return text
  }

  private mutating func pattern(for field: Condition.Field) throws(ConditionError) -> ConditionPattern {
    guard field.name != .count, field.name != .size else {
      throw ConditionError(
        message: "a \(field.name.rawValue) is a number, and matches no pattern", column: token.column)
    }
    let pattern = try text(due: "a pattern")
    guard field.name == .path else { return .text(pattern.text) }
    do throws(PropertyListError) {
      return .path(try PathPattern(pattern.text))
    } catch {
      throw ConditionError(message: error.message, column: pattern.column)
    }
  }

  private mutating func literal(for field: Condition.Field) throws(ConditionError) -> Condition.Literal {
    let literal = try text(due: "a literal")
    switch field.name {
    case .key: return .value(.string(literal.text))
    case .path: return .path(try keyPath(literal.text, syntax: nil, literal.column))
    case .kind:
      guard let kind = KindName(argument: literal.text) else {
        let names = KindName.allValueStrings.joined(separator: ", ")
        throw ConditionError(
          message: "\(literal.text.quotedForPeople) is no kind; the kinds are \(names)", column: literal.column)
      }
      return .kind(kind.kind)
    case .count, .size:
      guard literal.kind == .word, let number = try? PropertyList(rawText: literal.text, as: .integer) else {
        throw ConditionError(
          message: "\(literal.text.quotedForPeople) is no integer, which a \(field.name.rawValue) is",
          column: literal.column)
      }
      return .value(number)
    case .value:
      if literal.kind == .quoted { return .value(.string(literal.text)) }
      let value = Self.value(of: literal.text)
      // Most likely a date in a form that is none here; as a text it would silently be unlike all dates.
      if case .string(let word) = value, Self.beginsAsDate(word) {
        throw ConditionError(
          message: """
            \(word.quotedForPeople) is no date; dates are spelled 2027-01-31, 2027-01-31T12:00:00Z or \
            "2027-01-31 12:00:00 +0100", and a text stands between quotation marks
            """, column: literal.column)
      }
      if case .string(let word) = value, word.wholeMatch(of: /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/) != nil
      {
        throw ConditionError(
          message: "\(word.quotedForPeople) is no number that a property list holds, such as 0.5 or 1e300",
          column: literal.column)
      }
      return .value(value)
    }
  }

  /// What a word stands for.
  private static func value(of word: String) -> PropertyList {
    switch word {
    case "true": return true
    case "false": return false
    case "null": return .null
    default: break
    }
    let isNumber = word.utf8.first.map { $0 < UInt8(ascii: ":") } == true
    guard isNumber else { return .string(word) }
    for kind in [PropertyList.Kind.integer, .real] {
      if let value = try? PropertyList(rawText: word, as: kind) { return value }
    }
    return date(word) ?? .string(word)
  }

  /// The date that a text spells. A day alone is its beginning.
  private static func date(_ text: String) -> PropertyList? {
    DateText.parseISO8601(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      ?? (try? PropertyList(rawText: text, as: .date))
  }

  /// Whether a word begins with a year and a hyphen.
  private static func beginsAsDate(_ word: String) -> Bool {
    let bytes = Array(word.utf8.prefix(5))
    return bytes.count == 5 && bytes[4] == UInt8(ascii: "-") && bytes[..<4].allSatisfy { (0x30...0x39).contains($0) }
  }

  private func unexpected(due: String) -> ConditionError {
    let found = token.kind == .end ? "the end of the expression" : token.text.quotedForPeople
    return ConditionError(message: "\(found) where \(due) is due", column: token.column)
  }
}

extension String {
  /// Between quotation marks, for messages.
  fileprivate var quotedForPeople: String { "\"\(printable(limit: 80))\"" }
}
