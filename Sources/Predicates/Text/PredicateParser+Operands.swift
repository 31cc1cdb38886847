internal import FoundationEssentials

// Literals, key paths, functions and brackets.
extension PredicateParser {
  mutating func operand() throws(ManagedPredicateError) -> Part { try followed(first()) }

  /// Reads an operand, without the keys and subscripts after it.
  private mutating func first() throws(ManagedPredicateError) -> Part {
    let offset = token.offset
    func constant(_ value: AttributeValue) throws(ManagedPredicateError) -> Part {
      try part(.expression(.value(value)), at: offset)
    }
    switch token.kind {
    case .string(let text):
      advance()
      return try constant(.string(text))
    case .number(let digits):
      let value = try number(digits, isNegative: false)
      advance()
      return try constant(value)
    case .variable(let name):
      advance()
      return try part(.expression(.variable(name)), at: offset)
    case .argument(let conversion): return try argument(conversion)
    case .escapedKey, .collectionOperator: return try keyPath(of: nil, offset)
    case .selector(let name):
      guard let function = PredicateFunction(text: name) else { throw failure("there is no function \(found)") }
      advance()
      return try self.function(function, offset)
    case .identifier(let name): return try identifier(name, offset)
    case .symbol(.open):
      advance()
      let inner = try bracketed()
      try require(.close)
      return inner
    case .symbol(.openBrace):
      advance()
      let elements = try list(until: .closeBrace)
      return try part(.expression(.aggregate(expressions(elements))), of: elements, at: offset)
    case .symbol, .end: throw failure("expected a value or a condition, found \(found)")
    }
  }

  private mutating func identifier(_ name: String, _ offset: Int) throws(ManagedPredicateError) -> Part {
    let isCall = next(after: .open)
    guard let word = token.word else {
      guard isCall else { return try keyPath(of: nil, offset) }
      switch name.uppercased() {
      case "TERNARY": return try ternary(offset)
      case "FUNCTION": return try method(offset)
      default: break
      }
      guard let function = PredicateFunction(text: name) else { throw failure("there is no function \"\(name)\"") }
      advance()
      return try self.function(function, offset)
    }
    switch word {
    case .subquery: return try subquery(offset)
    case .fetch: return try fetch(offset)
    case .cast:
      advance()
      return try function(.cast, offset)
    case .true, .yes, .false, .no:
      advance()
      return try part(.expression(.value(.boolean(word == .true || word == .yes))), at: offset)
    case .null, .nil:
      advance()
      return try part(.expression(.constant(.null)), at: offset)
    case .self:
      advance()
      return try part(.expression(.evaluatedObject), at: offset)
    case .anyKey:
      advance()
      return try part(.expression(.anyKey), at: offset)
    case .truePredicate, .falsePredicate:
      advance()
      return try part(.predicate(.constant(word == .truePredicate)), at: offset)
    default: throw failure("expected a value or a condition, found \(found); to use it as a key, write \"#\(name)\"")
    }
  }

  /// Reads the keys and subscripts after an operand.
  mutating func followed(_ first: Part) throws(ManagedPredicateError) -> Part {
    var operand = first
    while true {
      if token.kind == .symbol(.dot) {
        advance()
        operand = try keyPath(of: operand, operand.offset)
      } else if token.kind == .symbol(.openBracket) {
        let base = try expression(operand)
        advance()
        let (elementSubscript, index) = try subscripted()
        try require(.closeBracket)
        operand = try part(.expression(.element(elementSubscript, of: base)), of: [operand] + index, at: operand.offset)
      } else {
        return operand
      }
    }
  }

  /// Reads keys joined with dots. They continue the key path of the operand, if there is one.
  private mutating func keyPath(of operand: Part?, _ offset: Int) throws(ManagedPredicateError) -> Part {
    var keys: [String] = []
    var base = ManagedExpression.evaluatedObject
    var height = 0
    var positions = [PredicatePositions(offset: offset)]
    if let operand {
      base = try expression(operand)
      (height, positions) = (operand.height, [operand.positions])
      if case .keyPath(let path, of: let root) = base {
        (keys, base, height) = (path.keys, root, height - 1)
        positions = (0...keys.count).map { operand.positions[$0] }
      }
    }
    repeat {
      let position = PredicatePositions(offset: token.offset)
      switch token.kind {
      case .identifier(let key), .escapedKey(let key), .collectionOperator(let key):
        keys.append(key)
        positions.append(position)
        advance()
      case .argument(UInt8(ascii: "K")):
        guard case .expression(.keyPath(let path, of: _)) = try argument(UInt8(ascii: "K")).content else { break }
        keys += path.keys
        positions += path.keys.map { _ in position }
      default: throw failure("expected a key, found \(found)")
      }
    } while take(.dot)
    guard let path = PredicateKeyPath(keys: keys) else { throw failure("this is not a key path", at: offset) }
    var whole = try part(.expression(.keyPath(path, of: base)), at: offset)
    whole.height = try checked(height + 1, offset)
    whole.positions.parts = positions
    return whole
  }

  private mutating func subscripted() throws(ManagedPredicateError) -> (PredicateSubscript, index: [Part]) {
    let elementSubscript: PredicateSubscript? =
      switch token.word {
      case .first: .first
      case .last: .last
      case .size: .size
      default: nil
      }
    if let elementSubscript {
      advance()
      return (elementSubscript, [])
    }
    let index = try nested()
    return (.index(try expression(index)), [index])
  }

  private func next(after symbol: PredicateSymbol) -> Bool { following?.kind == .symbol(symbol) }

  /// Reads the elements up to a closing bracket.
  private mutating func list(until end: PredicateSymbol) throws(ManagedPredicateError) -> [Part] {
    var elements: [Part] = []
    if take(end) { return [] }
    repeat {
      let element = try nested()
      _ = try expression(element)
      elements.append(element)
    } while take(.comma)
    try require(end)
    return elements
  }

  private func expressions(_ parts: [Part]) throws(ManagedPredicateError) -> [ManagedExpression] {
    var expressions: [ManagedExpression] = []
    for part in parts { expressions.append(try expression(part)) }
    return expressions
  }

  private mutating func function(_ function: PredicateFunction, _ offset: Int) throws(ManagedPredicateError) -> Part {
    try require(.open)
    let parts = try list(until: .close)
    let arguments = try expressions(parts)
    // `random` is the name of two functions, without and with an argument.
    let function = function == .random && arguments.count == 1 ? .randomBelow : function
    let counts = function.argumentCounts
    guard counts.contains(arguments.count) else {
      throw failure(
        "wrong number of arguments for \(function.rawValue): expected \(counts.lowerBound)"
          + (counts.upperBound == .max ? " or more" : "") + ", found \(arguments.count)",
        at: offset, kind: .argument)
    }
    let call = function == .cast ? ManagedExpression.cast(arguments) : .function(function, arguments)
    return try part(.expression(call), of: parts, at: offset)
  }

  private mutating func ternary(_ offset: Int) throws(ManagedPredicateError) -> Part {
    advance()
    try require(.open)
    let condition = try bracketed()
    let predicate = try predicate(condition)
    try require(.comma)
    let first = try nested()
    let value = try expression(first)
    try require(.comma)
    let second = try nested()
    let other = try expression(second)
    try require(.close)
    return try part(.expression(.conditional(predicate, value, other)), of: [condition, first, second], at: offset)
  }

  private mutating func method(_ offset: Int) throws(ManagedPredicateError) -> Part {
    advance()
    try require(.open)
    let operand = try nested()
    let object = try expression(operand)
    try require(.comma)
    guard case .expression(.constant(.value(.string(let selector)))) = try first().content else {
      throw failure("FUNCTION needs the name of a method in quotes after its operand", at: offset)
    }
    var arguments: [Part] = []
    if take(.comma) { arguments = try list(until: .close) } else { try require(.close) }
    return try part(
      .expression(.method(selector, of: object, arguments: expressions(arguments))), of: [operand] + arguments,
      at: offset)
  }

  private mutating func subquery(_ offset: Int) throws(ManagedPredicateError) -> Part {
    advance()
    try require(.open)
    let collection = try nested()
    let elements = try expression(collection)
    try require(.comma)
    guard case .variable(let name) = token.kind else {
      throw failure("expected the variable of SUBQUERY, found \(found)")
    }
    advance()
    try require(.comma)
    let condition = try bracketed()
    let predicate = try predicate(condition)
    try require(.close)
    return try part(
      .expression(.subquery(elements, variable: name, predicate)), of: [collection, condition], at: offset)
  }

  private mutating func fetch(_ offset: Int) throws(ManagedPredicateError) -> Part {
    advance()
    try require(.open)
    let request = try nested()
    let fetched = try expression(request)
    try require(.comma)
    let context = try nested()
    let contextExpression = try expression(context)
    try require(.comma)
    let flag = token.offset
    let countOnly: Bool
    switch try nested().content {
    case .expression(.constant(.value(.boolean(let value)))): countOnly = value
    case .expression(.constant(.value(.integer(let value)))): countOnly = value != 0
    default: throw failure("FETCH needs TRUE or FALSE as its third argument", at: flag)
    }
    try require(.close)
    return try part(
      .expression(.fetch(request: fetched, context: contextExpression, countOnly: countOnly)), of: [request, context],
      at: offset)
  }

  /// Returns the value of a number: a 64-bit integer, a decimal number if it is larger, or a double if it has a point
  /// or an exponent.
  func number(_ digits: String, isNegative: Bool) throws(ManagedPredicateError) -> AttributeValue {
    let sign = isNegative ? "-" : ""
    let lowercased = digits.lowercased()
    if lowercased.hasPrefix("0x") {
      if let value = Int64(sign + lowercased.dropFirst(2), radix: 16) { return .integer(value) }
      if let value = UInt64(lowercased.dropFirst(2), radix: 16), let decimal = Decimal(string: "\(sign)\(value)") {
        return .decimal(decimal)
      }
      throw failure("the number \(digits) has more than 64 bits")
    }
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
      guard let value = Double(sign + (digits.hasPrefix(".") ? "0" : "") + digits), value.isFinite else {
        throw failure("the number is too large")
      }
      return .double(value)
    }
    if let value = Int64(sign + digits) { return .integer(value) }
    let significant = digits.drop { $0 == "0" }
    guard significant.utf8.count <= 38, let decimal = Decimal(string: sign + significant), !decimal.isNaN else {
      throw failure("the integer has more than 38 digits")
    }
    return .decimal(decimal)
  }
}
