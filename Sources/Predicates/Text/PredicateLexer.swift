/// Splits the text of a predicate into tokens, in one pass.
struct PredicateLexer {
  private let bytes: [UInt8]
  private var next = 0
  private(set) var tokens: [PredicateToken] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func run() throws(ManagedPredicateError) -> [PredicateToken] {
    while true {
      while let byte = peek(), Self.isSpace(byte) { next += 1 }
      let start = next
      guard let byte = peek() else {
        tokens.append(PredicateToken(kind: .end, offset: start))
        return tokens
      }
      let kind: PredicateToken.Kind =
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): .string(try quoted())
        case UInt8(ascii: "$"): try .variable(name(after: "$"))
        case UInt8(ascii: "@"): try .collectionOperator("@" + name(after: "@"))
        case UInt8(ascii: "#"): try .escapedKey(escapedKey())
        case UInt8(ascii: "%"): try .argument(conversion())
        case _ where Self.isDigit(byte) || byte == Self.dot && peek(1).map(Self.isDigit) == true: .number(number())
        case _ where Self.isNameStart(byte): nameOrSelector()
        default: try symbol()
        }
      tokens.append(PredicateToken(kind: kind, offset: start))
    }
  }

  func failure(at offset: Int, _ message: String) -> ManagedPredicateError {
    ManagedPredicateError(.syntax, message, position: ManagedPredicateError.Position(utf8Offset: offset, in: bytes))
  }

  private static let dot = UInt8(ascii: ".")
  private static let colon = UInt8(ascii: ":")
  private static let backslash = UInt8(ascii: "\\")

  private func peek(_ distance: Int = 0) -> UInt8? { next + distance < bytes.count ? bytes[next + distance] : nil }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  /// True for letters, the underscore, and all bytes outside ASCII.
  static func isNameStart(_ byte: UInt8) -> Bool {
    (65...90).contains(byte) || (97...122).contains(byte) || byte == 95 || byte >= 0x80
  }
  static func isNamePart(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }

  private func text(from start: Int) -> String { String(decoding: bytes[start..<next], as: UTF8.self) }

  private mutating func name(after sign: String) throws(ManagedPredicateError) -> String {
    next += 1
    let start = next
    guard let byte = peek(), Self.isNameStart(byte) else {
      throw failure(at: start - 1, "expected a name after \"\(sign)\"")
    }
    while let byte = peek(), Self.isNamePart(byte) { next += 1 }
    return text(from: start)
  }

  private mutating func escapedKey() throws(ManagedPredicateError) -> String {
    guard peek(1) == UInt8(ascii: "\"") || peek(1) == UInt8(ascii: "'") else { return try name(after: "#") }
    let start = next
    next += 1
    let key = try quoted()
    guard PredicateKeyPath(keys: [key]) != nil else {
      throw failure(at: start, key.isEmpty ? "a key cannot be empty" : "a key cannot contain a dot")
    }
    return key
  }

  private mutating func nameOrSelector() -> PredicateToken.Kind {
    let start = next
    while let byte = peek(), Self.isNamePart(byte) { next += 1 }
    let name = text(from: start)
    if name.utf8.count == 3, name.uppercased() == "UTI" {
      for word in ["-CONFORMS-TO", "-EQUALS"] where matches(word) {
        next += word.utf8.count
        return .identifier(text(from: start))
      }
    }
    guard peek() == Self.colon, peek(1) != UInt8(ascii: "=") else { return .identifier(name) }
    while let byte = peek(), Self.isNamePart(byte) || byte == Self.colon { next += 1 }
    return .selector(text(from: start))
  }

  /// True if `word` comes next in the text, as a whole word. Case is ignored.
  private func matches(_ word: String) -> Bool {
    for (index, byte) in word.utf8.enumerated() {
      guard let other = peek(index), other & ~0x20 == byte & ~0x20 else { return false }
    }
    return peek(word.utf8.count).map { !Self.isNamePart($0) } ?? true
  }

  private mutating func number() -> String {
    let start = next
    if peek() == 48, let mark = peek(1), mark | 0x20 == UInt8(ascii: "x"), peek(2).map(Self.isHexDigit) == true {
      next += 2
      while let byte = peek(), Self.isHexDigit(byte) { next += 1 }
      return text(from: start)
    }
    digits()
    if peek() == Self.dot, let byte = peek(1), Self.isDigit(byte) {
      next += 1
      digits()
    }
    if let mark = peek(), mark | 0x20 == UInt8(ascii: "e") {
      let sign = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-") ? 1 : 0
      if peek(1 + sign).map(Self.isDigit) == true {
        next += 1 + sign
        digits()
      }
    }
    return text(from: start)
  }

  private mutating func digits() { while let byte = peek(), Self.isDigit(byte) { next += 1 } }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }

  /// Reads a string in quotes. `\n`, `\r`, `\t`, `\uXXXX`, an escaped quote and an escaped backslash are escapes. Any
  /// other backslash is kept, so that regular expressions need no extra escaping.
  private mutating func quoted() throws(ManagedPredicateError) -> String {
    let start = next
    let quote = bytes[next]
    next += 1
    var content: [UInt8] = []
    while let byte = peek() {
      next += 1
      if byte == quote { return String(decoding: content, as: UTF8.self) }
      guard byte == Self.backslash, let escaped = peek() else {
        content.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "\""), UInt8(ascii: "'"), Self.backslash: content.append(escaped)
      case UInt8(ascii: "n"): content.append(10)
      case UInt8(ascii: "r"): content.append(13)
      case UInt8(ascii: "t"): content.append(9)
      case UInt8(ascii: "u"):
        guard let scalar = escapedScalar() else {
          content.append(byte)
          continue
        }
        content.append(contentsOf: String(scalar).utf8)
        continue
      default:
        content.append(byte)
        continue
      }
      next += 1
    }
    throw failure(at: start, "the closing quotation mark is missing")
  }

  /// Reads `uXXXX` after a backslash, or a surrogate pair `uXXXX\uXXXX`. Returns nil for anything else.
  private mutating func escapedScalar() -> Unicode.Scalar? {
    guard let first = hexadecimal(at: next + 1) else { return nil }
    if let scalar = Unicode.Scalar(first) {
      next += 5
      return scalar
    }
    guard first < 0xDC00, peek(5) == Self.backslash, peek(6) == UInt8(ascii: "u"),
      let second = hexadecimal(at: next + 7), (0xDC00...0xDFFF).contains(second)
    else { return nil }
    next += 11
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private func hexadecimal(at start: Int) -> UInt32? {
    guard start + 4 <= bytes.count, bytes[start..<start + 4].allSatisfy(Self.isHexDigit) else { return nil }
    return UInt32(String(decoding: bytes[start..<start + 4], as: UTF8.self), radix: 16)
  }

  /// Reads a placeholder: `%@`, `%K`, or a number conversion of `printf` with its length, such as `%ld`, `%llu`,
  /// `%5.2f`. Returns the letter `@`, `K`, `d` or `f`.
  private mutating func conversion() throws(ManagedPredicateError) -> UInt8 {
    let start = next
    next += 1
    if let byte = peek(), byte == UInt8(ascii: "@") || byte == UInt8(ascii: "K") {
      next += 1
      return byte
    }
    while let byte = peek(), Self.isDigit(byte) || byte == Self.dot { next += 1 }
    while let byte = peek(), Array("hlqzjtL".utf8).contains(byte) { next += 1 }
    guard let byte = peek(), Array("dDiuUxXoOcfFeEgGaA".utf8).contains(byte) else {
      throw failure(at: start, "\"%\" needs a conversion, such as %@, %K or %d")
    }
    next += 1
    return Array("fFeEgGaA".utf8).contains(byte) ? UInt8(ascii: "f") : UInt8(ascii: "d")
  }

  private mutating func symbol() throws(ManagedPredicateError) -> PredicateToken.Kind {
    let first = bytes[next]
    var length = 2
    var symbol = peek(1).flatMap { Self.symbol(String(decoding: [first, $0], as: UTF8.self)) }
    if symbol == nil {
      length = 1
      symbol = Self.symbol(String(UnicodeScalar(first)))
    }
    guard let symbol else { throw failure(at: next, "\(Self.spelled(first)) is not valid here") }
    next += length
    return .symbol(symbol)
  }

  private static func symbol(_ text: String) -> PredicateSymbol? {
    switch text {
    case "=": .equal
    case "<>": .notEqual
    case "=<": .lessOrEqual
    case "=>": .greaterOrEqual
    default: PredicateSymbol(rawValue: text)
    }
  }

  private static func spelled(_ byte: UInt8) -> String {
    (33...126).contains(byte) ? "\"\(UnicodeScalar(byte))\"" : "the byte \(byte)"
  }
}
