internal import PropertyLists

/// Builds a tree from the tokens of a text, by operator precedence.
///
/// An opening bracket can begin a condition or an expression, and only the text after it shows which of the two.
/// Therefore, the same functions parse both, and each operator checks if its operands are conditions or expressions.
package struct PredicateParser {
  private let text: String
  private let tokens: [PredicateToken]
  private var next = 0
  private let arguments: [any PredicateArgument]
  private var nextArgument = 0
  private var depth = 0
  private let stack = CallStack.current

  package init(_ text: String, arguments: [any PredicateArgument]) throws(ManagedPredicateError) {
    self.text = text
    self.arguments = arguments
    var lexer = PredicateLexer(text)
    tokens = try lexer.run()
  }

  /// A condition or an expression that has been read, with its number of levels.
  struct Part {
    enum Content {
      case predicate(ManagedPredicate)
      case expression(ManagedExpression)
    }
    var content: Content
    var height: Int
    /// The offset of the part's first byte in the text.
    var offset: Int
    var positions: PredicatePositions
  }
}

/// The precedence of operators, lowest first.
private enum Precedence: Int {
  case or = 1
  case and, not, comparison, assignment, combination, bitOr, bitExclusiveOr, bitAnd, sum, product, power, prefix
}

// Errors and their positions.
extension PredicateParser {
  var token: PredicateToken { tokens[next] }
  var following: PredicateToken? { next + 1 < tokens.count ? tokens[next + 1] : nil }

  func failure(_ message: String, at offset: Int? = nil, kind: ManagedPredicateError.Kind = .syntax)
    -> ManagedPredicateError
  {
    ManagedPredicateError(
      kind, message, position: ManagedPredicateError.Position(utf8Offset: offset ?? token.offset, in: text.utf8))
  }

  /// The description of the current token, for error messages.
  var found: String {
    if token.kind == .end { return "the end of the text" }
    let end = next + 1 < tokens.count ? tokens[next + 1].offset : text.utf8.count
    let bytes = text.utf8.dropFirst(token.offset).prefix(end - token.offset)
    let spelled = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(String.init)
    return "\"\(spelled?.prefix(40) ?? "")\""
  }

  mutating func advance() { if next + 1 < tokens.count { next += 1 } }

  mutating func take(_ symbol: PredicateSymbol) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    advance()
    return true
  }

  mutating func require(_ symbol: PredicateSymbol) throws(ManagedPredicateError) {
    guard take(symbol) else { throw failure("expected \"\(symbol.rawValue)\", found \(found)") }
  }

  func expression(_ part: Part) throws(ManagedPredicateError) -> ManagedExpression {
    guard case .expression(let expression) = part.content else {
      throw failure("expected a value, found a condition", at: part.offset)
    }
    return expression
  }

  func predicate(_ part: Part) throws(ManagedPredicateError) -> ManagedPredicate {
    guard case .predicate(let predicate) = part.content else {
      throw failure("expected a condition, found a value", at: part.offset)
    }
    return predicate
  }

  func checked(_ height: Int, _ offset: Int) throws(ManagedPredicateError) -> Int {
    guard height <= ManagedPredicate.greatestDepth else {
      throw failure(ManagedPredicateError.nestedTooDeeply.message, at: offset, kind: .nestedTooDeeply)
    }
    return height
  }

  /// Returns a part of the tree. Throws if it has too many levels.
  ///
  /// - Parameters:
  ///   - content: The condition or expression.
  ///   - parts: The parts directly below it.
  ///   - offset: The offset of the part's first byte.
  ///   - sign: The offset of the part's operator; nil if it is the same as `offset`.
  func part(
    _ content: Part.Content, of parts: [Part] = [], at offset: Int, sign: Int? = nil
  ) throws(ManagedPredicateError) -> Part {
    Part(
      content: content, height: try checked((parts.lazy.map(\.height).max() ?? 0) + 1, offset), offset: offset,
      positions: PredicatePositions(offset: sign ?? offset, parts: parts.map(\.positions)))
  }

  package mutating func wholePredicate() throws(ManagedPredicateError) -> (ManagedPredicate, PredicatePositions) {
    let part = try parse(.or)
    try finish()
    return (try predicate(part), part.positions)
  }

  package mutating func wholeExpression() throws(ManagedPredicateError) -> ManagedExpression {
    let part = try parse(.or)
    try finish()
    return try expression(part)
  }

  private func finish() throws(ManagedPredicateError) {
    guard token.kind == .end else { throw failure("expected the end of the text, found \(found)") }
    guard nextArgument == arguments.count else {
      throw failure(
        "the number of placeholders is \(nextArgument), but the number of arguments is \(arguments.count)",
        kind: .argument)
    }
  }

  /// Reads a placeholder, and returns the argument for it as an expression.
  mutating func argument(_ conversion: UInt8) throws(ManagedPredicateError) -> Part {
    let offset = token.offset
    guard nextArgument < arguments.count else {
      throw failure("placeholder \(nextArgument + 1) has no argument", kind: .argument)
    }
    let expression = arguments[nextArgument].predicateExpression
    nextArgument += 1
    switch conversion {
    case UInt8(ascii: "K"):
      guard case .constant(.value(.string(let text))) = expression, let path = PredicateKeyPath(text) else {
        throw failure("argument \(nextArgument) is not a key path", kind: .argument)
      }
      advance()
      return try part(.expression(.keyPath(path)), at: offset)
    case UInt8(ascii: "@"): break
    default:
      guard case .constant(.value(let value)) = expression, value.isNumber else {
        throw failure("argument \(nextArgument) is not a number", kind: .argument)
      }
    }
    let height: Int
    do { height = try expression.height(within: ManagedPredicate.greatestDepth) } catch {
      throw failure(error.message, kind: error.kind)
    }
    advance()
    return Part(
      content: .expression(expression), height: height, offset: offset, positions: PredicatePositions(offset: offset))
  }

  /// Reads the condition or expression in parentheses.
  mutating func bracketed() throws(ManagedPredicateError) -> Part { try parse(.or) }

  /// Reads an expression between commas, or between the brackets after a name.
  mutating func nested() throws(ManagedPredicateError) -> Part { try parse(.assignment) }

  private mutating func parse(_ least: Precedence) throws(ManagedPredicateError) -> Part { try parse(least.rawValue) }

  private mutating func parse(_ least: Int) throws(ManagedPredicateError) -> Part {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 2 * ManagedPredicate.greatestDepth, stack.hasRoom else {
      throw failure(ManagedPredicateError.nestedTooDeeply.message, kind: .nestedTooDeeply)
    }
    var left = try prefixed()
    while let (found, precedence) = infix(), precedence.rawValue >= least {
      switch found {
      case .junction(let isAnd): left = try junction(left, isAnd: isAnd, precedence)
      case .comparison(let comparator): left = try comparison(left, comparator)
      case .arithmetic(let function): left = try arithmetic(left, function, precedence)
      case .combination(let operation): left = try combination(left, operation, precedence)
      case .assignment: left = try assignment(left)
      }
    }
    return left
  }

  private enum Infix {
    case junction(isAnd: Bool)
    case comparison(PredicateComparator)
    case arithmetic(PredicateFunction)
    case combination(PredicateSetOperation)
    case assignment
  }

  /// Returns the current token as an infix operator, with its precedence. Nil if it is not one.
  private func infix() -> (Infix, Precedence)? {
    if case .symbol(let symbol) = token.kind {
      switch symbol {
      case .and: return (.junction(isAnd: true), .and)
      case .or: return (.junction(isAnd: false), .or)
      case .plus: return (.arithmetic(.add), .sum)
      case .minus: return (.arithmetic(.subtract), .sum)
      case .times: return (.arithmetic(.multiply), .product)
      case .divide: return (.arithmetic(.divide), .product)
      case .power: return (.arithmetic(.power), .power)
      case .bitAnd: return (.arithmetic(.bitwiseAnd), .bitAnd)
      case .bitOr: return (.arithmetic(.bitwiseOr), .bitOr)
      case .bitExclusiveOr: return (.arithmetic(.bitwiseExclusiveOr), .bitExclusiveOr)
      case .assign: return (.assignment, .assignment)
      default: return PredicateComparator(rawValue: symbol.rawValue).map { (.comparison($0), .comparison) }
      }
    }
    switch token.word {
    case .and: return (.junction(isAnd: true), .and)
    case .or: return (.junction(isAnd: false), .or)
    case .union: return (.combination(.union), .combination)
    case .intersect: return (.combination(.intersect), .combination)
    case .minus: return (.combination(.minus), .combination)
    case let word?: return PredicateComparator(rawValue: word.rawValue).map { (.comparison($0), .comparison) }
    case nil: return nil
    }
  }

  /// Reads all operands of consecutive `AND` operators, or of consecutive `OR` operators.
  private mutating func junction(
    _ first: Part, isAnd: Bool, _ precedence: Precedence
  ) throws(ManagedPredicateError) -> Part {
    var parts = [first]
    var predicates = [try predicate(first)]
    repeat {
      advance()
      let part = try parse(precedence.rawValue + 1)
      predicates.append(try predicate(part))
      parts.append(part)
    } while infix()?.1 == precedence
    return try part(.predicate(isAnd ? .and(predicates) : .or(predicates)), of: parts, at: first.offset)
  }

  private mutating func comparison(
    _ left: Part, _ comparator: PredicateComparator
  ) throws(ManagedPredicateError) -> Part {
    let leftSide = try expression(left)
    let sign = token.offset
    advance()
    let options = try options()
    let right = try parse(Precedence.comparison.rawValue + 1)
    let predicate = ManagedPredicate.comparing(leftSide, comparator, try expression(right), options: options)
    return try part(.predicate(predicate), of: [left, right], at: left.offset, sign: sign)
  }

  /// Reads options such as `[cd]`.
  private mutating func options() throws(ManagedPredicateError) -> PredicateOptions {
    guard take(.openBracket) else { return [] }
    guard case .identifier(let letters) = token.kind else {
      throw failure("expected options such as \"cd\", found \(found)")
    }
    var options: PredicateOptions = []
    for letter in letters.utf8 {
      switch letter | 0x20 {
      case UInt8(ascii: "c"): options.insert(.caseInsensitive)
      case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
      case UInt8(ascii: "n"): options.insert(.normalized)
      case UInt8(ascii: "l"): options.insert(.localeSensitive)
      default: throw failure("expected the options c, d, n and l, found \(found)")
      }
    }
    advance()
    try require(.closeBracket)
    return options
  }

  private mutating func arithmetic(
    _ left: Part, _ function: PredicateFunction, _ precedence: Precedence
  ) throws(ManagedPredicateError) -> Part {
    let leftSide = try expression(left)
    let sign = token.offset
    advance()
    let right = try parse(precedence.rawValue + 1)
    return try part(
      .expression(.function(function, [leftSide, try expression(right)])), of: [left, right], at: left.offset,
      sign: sign)
  }

  private mutating func combination(
    _ left: Part, _ operation: PredicateSetOperation, _ precedence: Precedence
  ) throws(ManagedPredicateError) -> Part {
    let leftSide = try expression(left)
    let sign = token.offset
    advance()
    let right = try parse(precedence.rawValue + 1)
    return try part(
      .expression(.combination(operation, leftSide, try expression(right))), of: [left, right], at: left.offset,
      sign: sign)
  }

  private mutating func assignment(_ left: Part) throws(ManagedPredicateError) -> Part {
    guard case .expression(.variable(let name)) = left.content else {
      throw failure("expected a variable before \":=\"")
    }
    advance()
    let right = try parse(.assignment)
    return try part(.expression(.assignment(variable: name, try expression(right))), of: [right], at: left.offset)
  }

  /// Reads an operand with the words and signs before it, such as `NOT`, `ANY` or a minus sign.
  private mutating func prefixed() throws(ManagedPredicateError) -> Part {
    let offset = token.offset
    if token.kind == .symbol(.minus) { return try negation() }
    if token.kind == .symbol(.not) || token.word == .not {
      advance()
      let operand = try parse(.not)
      return try part(.predicate(.not(predicate(operand))), of: [operand], at: offset)
    }
    switch token.word {
    case .any, .someOf: return try modified(.any)
    case .all: return try modified(.all)
    case .noneOf:
      let operand = try modified(.any)
      return try part(.predicate(.not(predicate(operand))), of: [operand], at: offset)
    default: return try operand()
    }
  }

  /// Reads a comparison with `ANY` or `ALL`.
  private mutating func modified(_ modifier: PredicateModifier) throws(ManagedPredicateError) -> Part {
    let offset = token.offset
    let word = found
    advance()
    var operand = try parse(.comparison)
    guard case .predicate(.comparison(var comparison)) = operand.content, comparison.modifier == .direct else {
      throw failure("expected a comparison after \(word)", at: offset)
    }
    comparison.modifier = modifier
    operand.content = .predicate(.comparison(comparison))
    operand.offset = offset
    return operand
  }

  private mutating func negation() throws(ManagedPredicateError) -> Part {
    let offset = token.offset
    advance()
    if case .number(let digits) = token.kind {
      let number = try part(.expression(.value(self.number(digits, isNegative: true))), at: offset)
      advance()
      return try followed(number)
    }
    let operand = try parse(.prefix)
    return try part(.expression(.function(.negate, [expression(operand)])), of: [operand], at: offset)
  }
}
