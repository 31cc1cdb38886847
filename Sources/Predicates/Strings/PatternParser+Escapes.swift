// Escapes, which begin with a backslash.
extension PatternParser {
  /// Reads an escape after its backslash, outside of square brackets.
  mutating func escape() throws(ManagedPredicateError) -> PatternTree {
    guard let scalar = peek() else { throw failure("a backslash needs a character after it") }
    switch scalar {
    case "A": return assertion(.start)
    case "Z": return assertion(.end)
    case "z": return assertion(.endOfText)
    case "b": return assertion(.wordBoundary)
    case "B": return assertion(.noWordBoundary)
    case "R":
      next += 1
      let lineBreak: [PatternTree] = [.scalar(13, ignoringCase: false), .scalar(10, ignoringCase: false)]
      return .alternatives([.sequence(lineBreak), .set(.lineEnd)])
    case "1"..."9": throw unsupported("a back reference")
    case "k": throw unsupported("a back reference")
    case "G", "X", "K": throw unsupported("\"\\\(scalar)\"")
    default: break
    }
    if let escaped = try escapedSet() { return set(escaped) }
    return literal(try escapedScalar())
  }

  private mutating func assertion(_ assertion: Pattern.Assertion) -> PatternTree {
    next += 1
    return .assertion(assertion)
  }

  /// Reads a set such as `\d`. Returns nil if the backslash means something else.
  mutating func escapedSet() throws(ManagedPredicateError) -> ScalarSet? {
    let set: ScalarSet
    switch peek() {
    case "d": set = .digit
    case "D": set = .inverse(.digit)
    case "w": set = .word
    case "W": set = .inverse(.word)
    case "s": set = .whitespace
    case "S": set = .inverse(.whitespace)
    case "h": set = .horizontalSpace
    case "H": set = .inverse(.horizontalSpace)
    case "v": set = .lineEnd
    case "V": set = .inverse(.lineEnd)
    case "p", "P":
      let isInverse = peek() == "P"
      next += 1
      let property = try property()
      return isInverse ? .inverse(property) : property
    default: return nil
    }
    next += 1
    return set
  }

  private mutating func property() throws(ManagedPredicateError) -> ScalarSet {
    guard let name = try braced() ?? peek().map(String.init) else { throw failure("\"\\p\" needs a property") }
    if scalars[next - 1] != UInt32(UInt8(ascii: "}")) { next += 1 }
    guard let set = ScalarSet(property: name) else { throw unsupported("the property \"\(name.prefix(40))\"") }
    return set
  }

  /// Reads the text in curly brackets. Returns nil if the next scalar is not an opening bracket.
  private mutating func braced() throws(ManagedPredicateError) -> String? {
    guard take("{") else { return nil }
    var text = ""
    while let scalar = peek(), scalar != "}" {
      text.unicodeScalars.append(scalar)
      next += 1
    }
    guard take("}") else { throw failure("expected \"}\"") }
    return text
  }

  mutating func escapedScalar() throws(ManagedPredicateError) -> UInt32 {
    guard let scalar = peek() else { throw failure("a backslash needs a character after it") }
    next += 1
    switch scalar {
    case "n": return 10
    case "r": return 13
    case "t": return 9
    case "f": return 12
    case "a": return 7
    case "e": return 27
    case "c":
      guard let control = peek() else { throw failure("\"\\c\" needs a character after it") }
      next += 1
      return control.value & 0x1F
    case "0": return try digits(3, radix: 8)
    case "u": return try surrogates(digits(4, exactly: true))
    case "U": return try digits(8, exactly: true)
    case "x":
      if let text = try braced() { return try value(text, radix: 16) }
      return try digits(2, exactly: true)
    case "N": throw unsupported("a named character")
    default:
      if (65...90).contains(scalar.value) || (97...122).contains(scalar.value) {
        throw failure("\"\\\(scalar)\" is not a known escape")
      }
      return scalar.value
    }
  }

  private mutating func digits(_ count: Int, radix: Int = 16, exactly: Bool = false) throws(ManagedPredicateError)
    -> UInt32
  {
    var text = ""
    while text.utf8.count < count, let scalar = peek(), Int(String(scalar), radix: radix) != nil {
      text.unicodeScalars.append(scalar)
      next += 1
    }
    guard !exactly || text.utf8.count == count else { throw failure("expected \(count) digits") }
    return try value(text, radix: radix)
  }

  private func value(_ text: String, radix: Int) throws(ManagedPredicateError) -> UInt32 {
    guard let value = UInt32(text, radix: radix), value <= 0x10FFFF else {
      throw failure("the number is not a Unicode scalar")
    }
    return value
  }

  /// Combines two escapes that are a surrogate pair.
  private mutating func surrogates(_ first: UInt32) throws(ManagedPredicateError) -> UInt32 {
    guard (0xD800...0xDBFF).contains(first), peek() == "\\", peek(1) == "u" else { return first }
    let start = next
    next += 2
    let second = try digits(4, exactly: true)
    guard (0xDC00...0xDFFF).contains(second) else {
      next = start
      return first
    }
    return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
  }
}
