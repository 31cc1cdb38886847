import FoundationEssentials
import Predicates
import PropertyLists

/// Translates an expression of `find --where` into a predicate:
///
///     expression  = conjunction { "or" conjunction }
///     conjunction = negation { "and" negation }
///     negation    = { "not" } ( comparison | "(" expression ")" )
///     comparison  = field ( "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" ) literal
///                 | field ( "~" | "like" ) pattern
///                 | a comparison of predicates, with fields instead of keys
///     field       = "key" | "path" | ( "value" | "kind" | "count" | "size" ) { "." component }
///
/// Comparisons of the first two forms, and all fields, become placeholders in the text of a predicate. Everything else
/// is copied unchanged.
struct ConditionTranslator {
  private var lexer: ConditionLexer
  /// The text of the predicate.
  private var text = ""
  private var arguments: [any PredicateArgument] = []
  /// The fields that placeholders in the text represent. All other arguments of the text are constants.
  private var fields: [ConditionField] = []
  /// The tokens that became the text. `offset` is the offset in bytes of the token's part of the text. With these, an
  /// error in the predicate is reported at a column of the expression.
  private var pieces: [(offset: Int, token: ConditionToken)] = []
  /// The brackets that are not closed yet. `isCall` is true if they contain arguments or a list instead of conditions.
  private var brackets: [(token: ConditionToken, isCall: Bool)] = []
  /// A `not` that has not been appended yet. Two `not` words cancel each other out.
  private var not: ConditionToken?

  /// The greatest depth of nested parentheses.
  private static let greatestDepth = 100

  static func condition(_ text: String) throws(ConditionError) -> Condition {
    var translator = ConditionTranslator(lexer: ConditionLexer(text))
    try translator.translate()
    do {
      let predicate = try ManagedPredicate(format: translator.text, arguments: translator.arguments)
      return try Condition(predicate, translator.fields)
    } catch {
      throw translator.error(error)
    }
  }

  private init(lexer: ConditionLexer) { self.lexer = lexer }

  /// Converts an error of the predicate to an error of the expression.
  private func error(_ error: ManagedPredicateError) -> ConditionError {
    let piece = error.position.flatMap { position in pieces.last { $0.offset <= position.utf8Offset } }
    guard let token = piece?.token else { return ConditionError(message: error.message, column: nil) }
    return ConditionError(
      message: error.message.replacing("\"%@\"", with: token.text.quotedForPeople), column: token.column)
  }

  private mutating func translate() throws(ConditionError) {
    // True if a condition must come next.
    var isStart = true
    var last = ""
    while true {
      if lexer.passSpace() { text += " " }
      if isStart, !brackets.contains(where: \.isCall), try passesComparison() {
        isStart = false
        last = ""
        continue
      }
      let token = try lexer.takePiece()
      if token.text.lowercased() == "not" && last != "." || token.text == "!" && lexer.next != "=" {
        not = not == nil ? token : nil
        isStart = true
        last = token.text
        continue
      }
      var isStartNext = false
      switch token.kind {
      case .end:
        if isStart { throw unexpected(token, expected: "a field") }
        if let open = brackets.last(where: { $0.token.kind == .open })?.token {
          throw unexpected(token, expected: #"")" for the "(" at column \#(open.column)"#)
        }
        append("", token)
        return
      case .open:
        let isCall = Self.isFunction(last)
        brackets.append((token, isCall))
        guard brackets.count <= Self.greatestDepth else {
          throw ConditionError(
            message: "parentheses are nested more than \(Self.greatestDepth) deep", column: token.column)
        }
        append("(", token)
        isStartNext = true
      case .close:
        guard brackets.popLast() != nil else { throw unexpected(token, expected: #""and", "or" or the end"#) }
        append(")", token)
      case .word where last != ".": isStartNext = try word(token)
      default:
        switch token.text {
        case "[", "{": brackets.append((token, true))
        case "]", "}": _ = brackets.popLast()
        case "&&", "||": isStartNext = true
        case "%": throw ConditionError(message: #""%" has no meaning here"#, column: token.column)
        case _ where last != "." && (token.text.first == "#" || token.text.first == "@"): throw noField(token)
        default: break
        }
        append(token.text, token)
        if ["=", "<", ">"].contains(token.text) { text += lexer.takeOptions() }
      }
      isStart = isStartNext
      last = token.text
    }
  }

  private mutating func append(_ piece: String, _ token: ConditionToken) {
    if let negation = not {
      not = nil
      append("NOT ", negation)
    }
    pieces.append((text.utf8.count, token))
    text += piece
  }

  /// Appends a placeholder for a field.
  private mutating func append(_ field: ConditionField, _ token: ConditionToken) {
    guard let path = PredicateKeyPath("\(fields.count)") else { return }
    append("%@", token)
    arguments.append(ManagedExpression.keyPath(path))
    fields.append(field)
  }

  /// Translates a word of a predicate. Returns true if a condition must follow.
  private mutating func word(_ token: ConditionToken) throws(ConditionError) -> Bool {
    let isInSubscript = brackets.last?.token.text == "["
    if let name = ConditionField.Name(rawValue: token.text), !(isInSubscript && name == .size), lexer.next != "(" {
      var path = PropertyListKeyPath()
      if name == .kind || name == .count || name == .size {
        path.components = lexer.takeKeys().map { PropertyListKeyPath.Component($0) }
      }
      append(ConditionField(name, path), token)
      return false
    }
    let word = PredicateWord(token.text)
    if word == .self {
      append(ConditionField(.value), token)
      return false
    }
    var ahead = lexer
    _ = ahead.passSpace()
    guard word != nil || ahead.next == "(" else { throw noField(token) }
    append(token.text, token)
    if Self.isOperator(token.text) { text += lexer.takeOptions() }
    return word == .and || word == .or
  }

  /// Returns true if parentheses after a word contain its arguments.
  private static func isFunction(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, ConditionLexer.isName(first) else { return false }
    let word = PredicateWord(text)
    return word == nil || word == .subquery || word == .cast || word == .fetch
  }

  /// Returns true if a text begins with an operator of predicates that is a word, such as `BEGINSWITH`.
  private static func isOperator(_ text: String) -> Bool {
    let word = text.prefix { $0.isLetter || $0 == "-" }.uppercased()
    return PredicateComparator(rawValue: word) != nil || PredicateSetOperation(rawValue: word) != nil
  }

  private func noField(_ token: ConditionToken) -> ConditionError {
    ConditionError(
      message: """
        \(token.text.quotedForPeople) is not a field; the fields are \(ConditionField.Name.list); put strings of a \
        predicate in quotation marks
        """, column: token.column)
  }

  private func unexpected(_ token: ConditionToken, expected: String) -> ConditionError {
    let found = token.kind == .end ? "the end of the expression" : token.text.quotedForPeople
    return ConditionError(message: "expected \(expected), found \(found)", column: token.column)
  }

  /// Translates a comparison of find, or the field before an operator of predicates. Returns false if the next tokens
  /// are in the syntax of predicates.
  private mutating func passesComparison() throws(ConditionError) -> Bool {
    let start = lexer.position
    guard let first = lexer.next, ConditionLexer.isName(first) else { return false }
    let field = try lexer.take()
    let name = ConditionField.Name(rawValue: String(field.text.prefix { $0 != "." }))
    // Indices in brackets and collection operators such as `@count` are in the syntax of predicates.
    let isOfPredicates = !field.text.contains("\"") && (field.text.contains("[") || field.text.contains(".@"))
    guard let name, !isOfPredicates, lexer.next != "(" else {
      lexer.position = start
      return false
    }
    let path = try path(of: name, field)
    let end = lexer.position
    if try passesComparison(name, path, field) { return true }
    guard
      !field.text.unicodeScalars.allSatisfy({ ConditionLexer.isName($0) || $0 == "." })
        || path.components.contains(where: { $0.arrayIndex != nil })
    else {
      lexer.position = start
      return false
    }
    append(ConditionField(name, path), field)
    lexer.position = end
    return true
  }

  /// Translates the rest of a comparison of find. Returns false if it may be a comparison of a predicate instead.
  private mutating func passesComparison(
    _ name: ConditionField.Name, _ path: PropertyListKeyPath, _ field: ConditionToken
  ) throws(ConditionError) -> Bool {
    let sign = try lexer.take()
    let comparator: PredicateComparator?
    switch sign.kind {
    case .comparison(let sign): comparator = sign
    case .match: comparator = nil
    case .word where sign.text.lowercased() == "like": comparator = nil
    case .end, .quoted: throw unexpected(sign, expected: "a comparison operator such as =")
    case .word where Self.isWord(sign) && !Self.isOperator(sign.text):
      throw unexpected(sign, expected: "a comparison operator such as =")
    default: return false
    }
    if let comparator, comparator != .equal, comparator != .notEqual, name == .kind || name == .path {
      throw ConditionError(
        message: "a \(name.rawValue) cannot be less or greater than another; use = or !=", column: sign.column)
    }
    if comparator == nil, name == .count || name == .size {
      _ = lexer.passSpace()
      throw ConditionError(
        message: "a \(name.rawValue) is a number, and cannot match a pattern", column: lexer.position + 1)
    }
    let literal = try lexer.take()
    guard literal.kind == .word || literal.kind == .quoted else {
      if literal.kind == .open, sign.kind != .match { return false }
      throw unexpected(literal, expected: comparator == nil ? "a pattern" : "a literal")
    }
    guard try isWhole(literal, sign) else { return false }
    guard let comparator else {
      try append(name, path, pattern: literal, field)
      return true
    }
    try append(name, path, comparator, literal, field)
    return true
  }

  /// Returns true if the comparison is in the syntax of `find`, and ends after the literal. Returns false if it may be
  /// in the syntax of predicates, where more tokens can follow. Throws an error if it can be neither.
  private func isWhole(_ literal: ConditionToken, _ sign: ConditionToken) throws(ConditionError) -> Bool {
    var ahead = lexer
    _ = ahead.passSpace()
    if literal.kind == .word, literal.text == "{", ahead.next == "'" || ahead.next == "\"" { return false }
    let next = try ahead.take()
    switch next.kind {
    case .end, .close: return true
    case .word where ["and", "or"].contains(next.text.lowercased()): return true
    case .word where next.text.hasPrefix("&&") || next.text.hasPrefix("||"): return true
    default: break
    }
    let isOfPredicate =
      literal.text.hasPrefix("[") || next.kind == .open
      || next.kind == .word && (!Self.isWord(next) || Self.isOperator(next.text))
    guard isOfPredicate, sign.kind != .match else { throw unexpected(next, expected: #""and", "or" or the end"#) }
    return false
  }

  private static func isWord(_ token: ConditionToken) -> Bool {
    token.text.unicodeScalars.first?.properties.isAlphabetic == true
  }

  private func path(
    of name: ConditionField.Name, _ token: ConditionToken
  ) throws(ConditionError) -> PropertyListKeyPath {
    guard token.text.utf8.count > name.rawValue.utf8.count else { return PropertyListKeyPath() }
    guard name != .key, name != .path else {
      throw ConditionError(
        message: "a path cannot follow \(name.rawValue), only value, kind, count or size", column: token.column)
    }
    let column = token.column + name.rawValue.count + 1
    let path = try keyPath(String(token.text.dropFirst(name.rawValue.count + 1)), syntax: .dots, column)
    guard !path.components.isEmpty else {
      throw ConditionError(message: "expected a path after the dot", column: column)
    }
    return path
  }

  private func keyPath(
    _ text: String, syntax: PropertyListKeyPath.Syntax?, _ column: Int
  ) throws(ConditionError) -> PropertyListKeyPath {
    do { return try PropertyListKeyPath(text, syntax: syntax) } catch {
      throw ConditionError(message: error.message, column: column)
    }
  }

  private mutating func append(
    _ name: ConditionField.Name, _ path: PropertyListKeyPath, pattern: ConditionToken, _ field: ConditionToken
  ) throws(ConditionError) {
    var form = ConditionField.Form.matches(pattern.text)
    if name == .path {
      do { form = .matchesPath(try PathPattern(pattern.text)) } catch {
        throw ConditionError(message: error.message, column: pattern.column)
      }
    }
    append(ConditionField(name, path, form), .equal, .boolean(true), field)
  }

  private mutating func append(
    _ name: ConditionField.Name, _ path: PropertyListKeyPath, _ comparator: PredicateComparator,
    _ literal: ConditionToken, _ field: ConditionToken
  ) throws(ConditionError) {
    switch name {
    case .key: append(ConditionField(.key), comparator, .string(literal.text), field)
    case .path:
      let form = ConditionField.Form.isPath(try keyPath(literal.text, syntax: nil, literal.column))
      append(ConditionField(.path, path, form), comparator, .boolean(true), field)
    case .kind:
      guard let kind = KindName(argument: literal.text) else {
        let names = KindName.allValueStrings.joined(separator: ", ")
        throw ConditionError(
          message: "\(literal.text.quotedForPeople) is not a kind of value; the kinds are \(names)",
          column: literal.column)
      }
      append(ConditionField(.kind, path), comparator, .string(kind.name), field)
    case .count, .size:
      guard literal.kind == .word, case .integer(let number)? = try? PropertyList(rawText: literal.text, as: .integer)
      else {
        throw ConditionError(
          message: "\(literal.text.quotedForPeople) is not an integer; a \(name.rawValue) is an integer",
          column: literal.column)
      }
      append(ConditionField(name, path), comparator, AttributeValue(number), field)
    case .value: append(path, comparator, try value(of: literal), field)
    }
  }

  private mutating func append(
    _ path: PropertyListKeyPath, _ comparator: PredicateComparator, _ literal: PropertyList, _ field: ConditionToken
  ) {
    func value(_ form: ConditionField.Form) -> ConditionField { ConditionField(.value, path, form) }
    // Booleans and null have no order: `<=` and `>=` mean equal, and `<` and `>` are false.
    let equality: PredicateComparator? =
      switch comparator {
      case .notEqual: .notEqual
      case .equal, .lessThanOrEqual, .greaterThanOrEqual: .equal
      default: nil
      }
    switch literal {
    case .integer(let number): append(value(.number), comparator, AttributeValue(number), field)
    case .real(let number): append(value(.number), comparator, .double(number), field)
    case .date(let date): append(value(.date), comparator, .date(date), field)
    case .string(let string):
      // Quoted text in the form of a date is also compared with dates.
      let date = Self.date(string)
      if date != nil { append("(", field) }
      append(value(.string), comparator, .string(string), field)
      if case .date(let date)? = date {
        append(comparator == .notEqual ? "AND" : "OR", field)
        append(value(.date), comparator, .date(date), field)
        append(")", field)
      }
    case .boolean(let boolean):
      if let equality {
        append(value(.boolean), equality, .boolean(boolean), field)
      } else {
        append("FALSEPREDICATE", field)
      }
    default:
      if let equality {
        append(ConditionField(.kind, path), equality, .string(KindName(.null).name), field)
      } else {
        append("FALSEPREDICATE", field)
      }
    }
  }

  /// Appends the comparison of a field with a constant. Strings are compared by their scalars, except for kinds, which
  /// are ASCII.
  private mutating func append(
    _ field: ConditionField, _ comparator: PredicateComparator, _ constant: AttributeValue, _ token: ConditionToken
  ) {
    append(field, token)
    let options = if case .string = constant, field.name != .kind { "[n]" } else { "" }
    text += " \(comparator.rawValue)\(options) %@ "
    arguments.append(constant)
  }

  /// Returns the value of a literal.
  private func value(of literal: ConditionToken) throws(ConditionError) -> PropertyList {
    if literal.kind == .quoted { return .string(literal.text) }
    let value = Self.value(of: literal.text)
    guard case .string(let word) = value else { return value }
    // Most likely a date in an unsupported form. As a string, it would silently match no date.
    if Self.beginsAsDate(word) {
      throw ConditionError(
        message: """
          \(word.quotedForPeople) is not a date; write dates as 2027-01-31, 2027-01-31T12:00:00Z or \
          "2027-01-31 12:00:00 +0100", and put other text in quotation marks
          """, column: literal.column)
    }
    if word.wholeMatch(of: /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/) != nil {
      throw ConditionError(
        message: "\(word.quotedForPeople) is not a number that a property list can hold, such as 0.5 or 1e300",
        column: literal.column)
    }
    return value
  }

  /// Returns the value of a literal without quotation marks.
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

  /// Parses a date. A day without a time is the start of that day.
  private static func date(_ text: String) -> PropertyList? {
    DateText.parseISO8601(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      ?? (try? PropertyList(rawText: text, as: .date))
  }

  /// Returns true if a word begins with a year and a hyphen.
  private static func beginsAsDate(_ word: String) -> Bool {
    let bytes = Array(word.utf8.prefix(5))
    return bytes.count == 5 && bytes[4] == UInt8(ascii: "-") && bytes[..<4].allSatisfy { (0x30...0x39).contains($0) }
  }
}

extension String {
  /// The text in quotation marks, for messages.
  fileprivate var quotedForPeople: String { "\"\(printable(limit: 80))\"" }
}
