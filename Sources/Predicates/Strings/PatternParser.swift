/// Reads a regular expression in ICU's syntax.
struct PatternParser {
  let scalars: [UInt32]
  var next = 0
  var depth = 0
  var flags: Flags

  struct Flags {
    var ignoresCase: Bool
    var dotMatchesAll = false
    var isMultiline = false
    var allowsComments = false
  }

  init(_ text: String, ignoringCase: Bool) {
    scalars = text.unicodeScalars.map(\.value)
    flags = Flags(ignoresCase: ignoringCase)
  }

  mutating func whole() throws(ManagedPredicateError) -> PatternTree {
    let tree = try alternatives()
    guard next == scalars.count else { throw failure("\")\" has no matching \"(\"") }
    return tree
  }

  private static let greatestDepth = 100
  /// The maximum repetition count. Patterns with larger counts would exceed the size limit anyway.
  private static let greatestCount = 100_000

  func failure(_ message: String) -> ManagedPredicateError {
    ManagedPredicateError(.pattern, "the regular expression is not valid at scalar \(next): \(message)")
  }

  func unsupported(_ what: String) -> ManagedPredicateError {
    ManagedPredicateError(.pattern, "\(what) is not supported in regular expressions (scalar \(next))")
  }

  func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    next + distance < scalars.count ? Unicode.Scalar(scalars[next + distance]) : nil
  }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == scalar else { return false }
    next += 1
    return true
  }

  mutating func descend() throws(ManagedPredicateError) {
    depth += 1
    guard depth <= Self.greatestDepth else { throw failure("groups are nested more than \(Self.greatestDepth) deep") }
  }

  private mutating func alternatives() throws(ManagedPredicateError) -> PatternTree {
    try descend()
    defer { depth -= 1 }
    let outer = flags
    defer { flags = outer }
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .alternatives(branches)
  }

  private mutating func sequence() throws(ManagedPredicateError) -> PatternTree {
    var parts: [PatternTree] = []
    while let scalar = peek(), scalar != "|", scalar != ")" {
      if flags.allowsComments, scalar.properties.isWhitespace || scalar == "#" {
        skipComment()
        continue
      }
      if scalar == "\\", peek(1) == "Q" {
        next += 2
        try quotation(&parts)
        continue
      }
      guard let atom = try atom() else { continue }
      parts.append(try quantified(atom))
    }
    return parts.isEmpty ? .empty : parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func skipComment() {
    if peek() == "#" {
      while let scalar = peek(), !ScalarSet.endsLine(scalar.value) { next += 1 }
    } else {
      next += 1
    }
  }

  /// Reads the text between `\Q` and `\E`.
  private mutating func quotation(_ parts: inout [PatternTree]) throws(ManagedPredicateError) {
    var quoted: [PatternTree] = []
    while let scalar = peek() {
      if scalar == "\\", peek(1) == "E" {
        next += 2
        break
      }
      quoted.append(literal(scalar.value))
      next += 1
    }
    guard let last = quoted.popLast() else { return }
    parts += quoted
    parts.append(try quantified(last))
  }

  func literal(_ scalar: UInt32) -> PatternTree { .scalar(scalar, ignoringCase: flags.ignoresCase) }

  func set(_ set: ScalarSet) -> PatternTree { .set(flags.ignoresCase ? .foldingCase(set) : set) }

  /// Reads one element of a pattern, such as a scalar, a set or a group. Returns nil for a comment or flags, which
  /// match nothing.
  private mutating func atom() throws(ManagedPredicateError) -> PatternTree? {
    guard let scalar = peek() else { return nil }
    next += 1
    switch scalar {
    case "(": return try group()
    case "[": return .set(try bracketed())
    case ".": return flags.dotMatchesAll ? .any : .anyInLine
    case "^": return .assertion(flags.isMultiline ? .lineStart : .start)
    case "$": return .assertion(flags.isMultiline ? .lineEnd : .end)
    case "\\": return try escape()
    case "*", "+", "?", "{": throw failure("\"\(scalar)\" has nothing before it to repeat")
    default: return literal(scalar.value)
    }
  }

  private mutating func quantified(_ atom: PatternTree) throws(ManagedPredicateError) -> PatternTree {
    if flags.allowsComments { while peek()?.properties.isWhitespace == true { next += 1 } }
    let least: Int
    let most: Int?
    switch peek() {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{":
      next += 1
      (least, most) = try counts()
      // Steps back to the closing bracket, because the code below skips one scalar.
      next -= 1
    default: return atom
    }
    next += 1
    if peek() == "+" { throw unsupported("a possessive quantifier") }
    // A lazy quantifier changes which match is found first, but not whether the whole string matches.
    _ = take("?")
    return .repeated(atom, least: least, most: most)
  }

  /// Reads the counts of `{2,5}`, including the closing bracket.
  private mutating func counts() throws(ManagedPredicateError) -> (Int, Int?) {
    guard let least = try number() else { throw failure("expected a number after \"{\"") }
    var most: Int? = least
    if take(",") { most = try number() }
    guard take("}") else { throw failure("expected \"}\" after the number of repetitions") }
    if let most, most < least {
      throw failure("the maximum of \(most) repetitions is less than the minimum of \(least)")
    }
    return (least, most)
  }

  private mutating func number() throws(ManagedPredicateError) -> Int? {
    var value: Int?
    while let digit = peek(), (48...57).contains(digit.value) {
      value = (value ?? 0) * 10 + Int(digit.value) - 48
      guard value ?? 0 <= Self.greatestCount else {
        throw ManagedPredicateError(
          .tooMuchWork, "a regular expression repeats a part more than \(Self.greatestCount) times")
      }
      next += 1
    }
    return value
  }

  /// Reads the group after an opening parenthesis. Returns nil for a comment or flags.
  private mutating func group() throws(ManagedPredicateError) -> PatternTree? {
    let outer = flags
    if take("?") {
      switch peek() {
      case ":": next += 1
      case "#":
        skip(to: ")")
        guard take(")") else { throw failure("expected \")\" after the comment") }
        return nil
      case ">": throw unsupported("an atomic group")
      case "=", "!": throw unsupported("a look-ahead assertion")
      case "<":
        if peek(1) == "=" || peek(1) == "!" { throw unsupported("a look-behind assertion") }
        skip(to: ">")
        guard take(">") else { throw failure("expected \">\" after the name of the group") }
      default:
        try setFlags()
        // The flags apply up to the end of the enclosing group.
        if take(")") { return nil }
        guard take(":") else { throw failure("expected \":\" or \")\" after the flags") }
      }
    }
    let tree = try alternatives()
    flags = outer
    guard take(")") else { throw failure("expected \")\"") }
    return tree
  }

  private mutating func skip(to end: Unicode.Scalar) {
    while let scalar = peek(), scalar != end { next += 1 }
  }

  private mutating func setFlags() throws(ManagedPredicateError) {
    var value = true
    while let scalar = peek(), scalar != ")", scalar != ":" {
      switch scalar {
      case "-": value = false
      case "i": flags.ignoresCase = value
      case "s": flags.dotMatchesAll = value
      case "m": flags.isMultiline = value
      case "x": flags.allowsComments = value
      case "w", "u", "d": break
      default: throw failure("\"\(scalar)\" is not a flag")
      }
      next += 1
    }
  }
}

/// The syntax tree of a regular expression.
indirect enum PatternTree {
  case empty
  case scalar(UInt32, ignoringCase: Bool)
  case set(ScalarSet)
  case anyInLine, any
  case assertion(Pattern.Assertion)
  case sequence([PatternTree])
  case alternatives([PatternTree])
  case repeated(PatternTree, least: Int, most: Int?)
}
