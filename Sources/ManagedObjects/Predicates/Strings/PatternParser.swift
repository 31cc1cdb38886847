/// The tree of a regular expression.
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

/// Reads a regular expression in ICU's syntax.
struct PatternParser {
  private let scalars: [UInt32]
  private var next = 0
  private var depth = 0
  private var flags: Flags

  private struct Flags {
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
    guard next == scalars.count else { throw failure("a bracket is closed that is not open") }
    return tree
  }
}

extension PatternParser {
  private static let greatestDepth = 100
  /// Beyond this a pattern would be too large anyway.
  private static let greatestCount = 100_000

  private func failure(_ message: String) -> ManagedPredicateError {
    ManagedPredicateError(.pattern, "the regular expression is wrong at scalar \(next): \(message)")
  }

  private func unsupported(_ what: String) -> ManagedPredicateError {
    ManagedPredicateError(.pattern, "\(what) in a regular expression (scalar \(next)), which is not supported")
  }

  private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    next + distance < scalars.count ? Unicode.Scalar(scalars[next + distance]) : nil
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == scalar else { return false }
    next += 1
    return true
  }

  private mutating func descend() throws(ManagedPredicateError) {
    depth += 1
    guard depth <= Self.greatestDepth else { throw failure("brackets are nested more than \(Self.greatestDepth) deep") }
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

  /// The text between `\Q` and `\E`.
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

  private func literal(_ scalar: UInt32) -> PatternTree { .scalar(scalar, ignoringCase: flags.ignoresCase) }

  private func set(_ set: ScalarSet) -> PatternTree { .set(flags.ignoresCase ? .foldingCase(set) : set) }

  /// One element; nil for what only changes flags.
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
      // The bracket that closes it.
      next -= 1
    default: return atom
    }
    next += 1
    if peek() == "+" { throw unsupported("a possessive quantifier") }
    // Which of several matches is found makes no difference for the whole string.
    _ = take("?")
    return .repeated(atom, least: least, most: most)
  }

  /// What is in `{2,5}`, with the bracket that closes it.
  private mutating func counts() throws(ManagedPredicateError) -> (Int, Int?) {
    guard let least = try number() else { throw failure("no number after \"{\"") }
    var most: Int? = least
    if take(",") { most = try number() }
    guard take("}") else { throw failure("no \"}\" after a number of repetitions") }
    if let most, most < least { throw failure("at most \(most) repetitions, but at least \(least)") }
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

  /// What is behind an opening bracket.
  private mutating func group() throws(ManagedPredicateError) -> PatternTree? {
    let outer = flags
    if take("?") {
      switch peek() {
      case ":": next += 1
      case "#":
        skip(to: ")")
        guard take(")") else { throw failure("a comment without an end") }
        return nil
      case ">": throw unsupported("an atomic group")
      case "=", "!": throw unsupported("looking ahead")
      case "<":
        if peek(1) == "=" || peek(1) == "!" { throw unsupported("looking behind") }
        skip(to: ">")
        guard take(">") else { throw failure("the name of a group without an end") }
      default:
        try setFlags()
        // From here to the end of the group around.
        if take(")") { return nil }
        guard take(":") else { throw failure("no \":\" or \")\" after flags") }
      }
    }
    let tree = try alternatives()
    flags = outer
    guard take(")") else { throw failure("a bracket that is not closed") }
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
      default: throw failure("no flag is called \"\(scalar)\"")
      }
      next += 1
    }
  }

  /// What is behind a backslash outside of square brackets.
  private mutating func escape() throws(ManagedPredicateError) -> PatternTree {
    guard let scalar = peek() else { throw failure("a backslash at the end") }
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

  /// `\d` and the like; nil if the backslash means something else.
  private mutating func escapedSet() throws(ManagedPredicateError) -> ScalarSet? {
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
    guard let name = try braced() ?? peek().map(String.init) else { throw failure("\"\\p\" without a property") }
    if scalars[next - 1] != UInt32(UInt8(ascii: "}")) { next += 1 }
    let isInverse = name.hasPrefix("^")
    guard let set = ScalarSet(property: isInverse ? String(name.dropFirst()) : name) else {
      throw unsupported("the property \"\(name.prefix(40))\"")
    }
    return isInverse ? .inverse(set) : set
  }

  /// The text in curly brackets, if one opens here.
  private mutating func braced() throws(ManagedPredicateError) -> String? {
    guard take("{") else { return nil }
    var text = ""
    while let scalar = peek(), scalar != "}" {
      text.unicodeScalars.append(scalar)
      next += 1
    }
    guard take("}") else { throw failure("a curly bracket that is not closed") }
    return text
  }

  private mutating func escapedScalar() throws(ManagedPredicateError) -> UInt32 {
    guard let scalar = peek() else { throw failure("a backslash at the end") }
    next += 1
    switch scalar {
    case "n": return 10
    case "r": return 13
    case "t": return 9
    case "f": return 12
    case "a": return 7
    case "e": return 27
    case "c":
      guard let control = peek() else { throw failure("\"\\c\" at the end") }
      next += 1
      return control.value & 0x1F
    case "0": return try digits(3, radix: 8)
    case "u": return try surrogates(digits(4, exactly: true))
    case "U": return try digits(8, exactly: true)
    case "x":
      if let text = try braced() { return try value(text, radix: 16) }
      return try digits(2, exactly: true)
    case "N": throw unsupported("a scalar by name")
    default:
      if (65...90).contains(scalar.value) || (97...122).contains(scalar.value) {
        throw failure("\"\\\(scalar)\" means nothing")
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
    guard !exactly || text.utf8.count == count else { throw failure("\(count) digits are due") }
    return try value(text, radix: radix)
  }

  private func value(_ text: String, radix: Int) throws(ManagedPredicateError) -> UInt32 {
    guard let value = UInt32(text, radix: radix), value <= 0x10FFFF else { throw failure("no Unicode scalar") }
    return value
  }

  /// Two escapes of half a scalar each are one.
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

// Sets in square brackets.
extension PatternParser {
  /// What is behind an opening square bracket, and the one that closes it.
  private mutating func bracketed() throws(ManagedPredicateError) -> ScalarSet {
    try descend()
    defer { depth -= 1 }
    if peek() == ":", let named = namedSet() { return named }
    let isInverse = take("^")
    var operands: [ScalarSet] = []
    var union: [ScalarSet] = []
    var isFirst = true
    while true {
      guard let scalar = peek() else { throw failure("a square bracket that is not closed") }
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
        guard take("]") else { throw failure("\"--\" is not the last part of the set") }
        return folded(.intersection(operands), isInverse: isInverse)
      } else {
        union.append(try member())
      }
    }
    operands.append(.union(union))
    return folded(operands.count == 1 ? operands[0] : .intersection(operands), isInverse: isInverse)
  }

  /// Case is folded before a set is turned into its inverse.
  private func folded(_ set: ScalarSet, isInverse: Bool) -> ScalarSet {
    let folded = flags.ignoresCase ? ScalarSet.foldingCase(set) : set
    return isInverse ? .inverse(folded) : folded
  }

  /// What is taken away from a set: all up to the bracket that closes it.
  private mutating func difference() throws(ManagedPredicateError) -> ScalarSet {
    var members: [ScalarSet] = []
    while let scalar = peek(), scalar != "]" { members.append(try member()) }
    return .union(members)
  }

  private mutating func member() throws(ManagedPredicateError) -> ScalarSet {
    guard let scalar = peek() else { throw failure("a square bracket that is not closed") }
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
    guard low <= high else { throw failure("a range that ends before it begins") }
    return .ranges([low...high])
  }

  private mutating func setScalar() throws(ManagedPredicateError) -> UInt32 {
    if peek() == "b" {
      next += 1
      return 8
    }
    return try escapedScalar()
  }

  /// `[:alpha:]`, behind the first bracket; nil if it is something else.
  private mutating func namedSet() -> ScalarSet? {
    var name = ""
    var index = 1
    while let scalar = peek(index), scalar != ":", index < 40 {
      name.unicodeScalars.append(scalar)
      index += 1
    }
    guard peek(index) == ":", peek(index + 1) == "]" else { return nil }
    let isInverse = name.hasPrefix("^")
    guard let set = ScalarSet(property: isInverse ? String(name.dropFirst()) : name) else { return nil }
    next += index + 2
    return isInverse ? .inverse(set) : set
  }
}
