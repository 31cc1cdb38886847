// Sets in square brackets.
extension PatternParser {
  /// Reads the set after an opening square bracket, including the closing bracket.
  mutating func bracketed() throws(ManagedPredicateError) -> ScalarSet {
    try descend()
    defer { depth -= 1 }
    if peek() == ":", let named = namedSet() { return named }
    let isInverse = take("^")
    var operands: [ScalarSet] = []
    var union: [ScalarSet] = []
    var isFirst = true
    while true {
      guard let scalar = peek() else { throw failure("expected \"]\"") }
      if scalar == "]", !isFirst {
        next += 1
        break
      }
      isFirst = false
      if scalar == "&", peek(1) == "&" {
        next += 2
        operands.append(.union(union))
        union = []
      } else if scalar == "-", peek(1) == "-" || peek(1) == "[" {
        next += peek(1) == "-" ? 2 : 1
        operands.append(.union(union))
        let rest = try difference()
        operands.append(.inverse(rest))
        union = []
        guard take("]") else { throw failure("\"--\" must be the last part of a set") }
        return folded(.intersection(operands), isInverse: isInverse)
      } else {
        union.append(try member())
      }
    }
    operands.append(.union(union))
    return folded(operands.count == 1 ? operands[0] : .intersection(operands), isInverse: isInverse)
  }

  /// Returns the set of a bracket expression such as `[^a]`, with both cases of its members if case is ignored. The
  /// cases are added before the set is inverted, so that `[^a]` does not match `A`.
  private func folded(_ set: ScalarSet, isInverse: Bool) -> ScalarSet {
    let folded = flags.ignoresCase ? ScalarSet.foldingCase(set) : set
    return isInverse ? .inverse(folded) : folded
  }

  /// Reads the members to subtract from a set, up to the closing bracket.
  private mutating func difference() throws(ManagedPredicateError) -> ScalarSet {
    var members: [ScalarSet] = []
    while let scalar = peek(), scalar != "]" { members.append(try member()) }
    return .union(members)
  }

  private mutating func member() throws(ManagedPredicateError) -> ScalarSet {
    guard let scalar = peek() else { throw failure("expected \"]\"") }
    if scalar == "[" {
      next += 1
      return try bracketed()
    }
    if scalar == "\\" {
      next += 1
      if let set = try escapedSet() { return set }
    }
    let low = scalar == "\\" ? try setScalar() : scalar.value
    if scalar != "\\" { next += 1 }
    guard peek() == "-", let end = peek(1), end != "]", end != "[", end != "-" else { return .ranges([low...low]) }
    next += 1
    let high: UInt32
    if end == "\\" {
      next += 1
      high = try setScalar()
    } else {
      high = end.value
      next += 1
    }
    guard low <= high else { throw failure("the range ends before it begins") }
    return .ranges([low...high])
  }

  private mutating func setScalar() throws(ManagedPredicateError) -> UInt32 {
    if peek() == "b" {
      next += 1
      return 8
    }
    return try escapedScalar()
  }

  /// Reads `[:alpha:]`, after the first bracket. Returns nil for anything else.
  private mutating func namedSet() -> ScalarSet? {
    var name = ""
    var index = 1
    while let scalar = peek(index), scalar != ":", index < 40 {
      name.unicodeScalars.append(scalar)
      index += 1
    }
    guard peek(index) == ":", peek(index + 1) == "]" else { return nil }
    guard let set = ScalarSet(property: name) else { return nil }
    next += index + 2
    return set
  }
}
