import Predicates

/// A token of an expression of `find --where`.
struct ConditionToken {
  enum Kind: Equatable {
    case open, close
    case comparison(PredicateComparator)
    /// `~`.
    case match
    /// Text without quotation marks.
    case word
    /// Text in quotation marks. In the syntax of predicates, the token's text includes them.
    case quoted
    /// Punctuation or a number in the syntax of predicates.
    case sign
    case end
  }

  let kind: Kind
  let text: String
  /// The column, in Unicode scalars from 1.
  let column: Int
}

/// An error in an expression, and its position.
struct ConditionError: Error {
  let message: String
  /// The column, in Unicode scalars from 1; nil if it is unknown.
  let column: Int?
}

/// Splits an expression into tokens.
struct ConditionLexer {
  private let scalars: [Unicode.Scalar]
  /// The number of scalars before the next token.
  var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// The scalar at the position; nil at the end.
  var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  /// Skips white space. Returns true if there was any.
  mutating func passSpace() -> Bool {
    let start = position
    while next?.properties.isWhitespace == true { position += 1 }
    return position > start
  }

  /// Returns the next token in the syntax of find's comparisons. At the end of the expression, the kind is always
  /// `end`.
  mutating func take() throws(ConditionError) -> ConditionToken {
    _ = passSpace()
    let column = position + 1
    guard let scalar = next else { return ConditionToken(kind: .end, text: "", column: column) }
    func token(_ kind: ConditionToken.Kind, _ text: String) -> ConditionToken {
      ConditionToken(kind: kind, text: text, column: column)
    }
    switch scalar {
    case "(", ")":
      position += 1
      return token(scalar == "(" ? .open : .close, String(scalar))
    case "~":
      position += 1
      return token(.match, "~")
    case "=", "!", "<", ">":
      position += 1
      var spelling = String(scalar)
      if let second = next, ["==", "!=", "<=", ">=", "<>", "=<", "=>"].contains(spelling + String(second)) {
        position += 1
        spelling += String(second)
      }
      let names = ["=": "==", "<>": "!=", "=<": "<=", "=>": ">="]
      guard let comparison = PredicateComparator(rawValue: names[spelling] ?? spelling) else {
        throw ConditionError(message: #""!" is allowed only in "!="; use not"#, column: column)
      }
      return token(.comparison(comparison), spelling)
    case "\"", "'":
      let text = try quoted()
      if let next, Self.isWord(next) {
        throw ConditionError(message: "unexpected text directly after a quotation mark", column: position + 1)
      }
      return token(.quoted, text)
    default: return token(.word, try word())
    }
  }

  /// Returns the next token in the syntax of predicates, with its exact spelling. Each sign of a comparator such as
  /// `<=` is a token.
  mutating func takePiece() throws(ConditionError) -> ConditionToken {
    _ = passSpace()
    let start = position
    guard let scalar = next else { return ConditionToken(kind: .end, text: "", column: start + 1) }
    position += 1
    var kind = ConditionToken.Kind.sign
    switch scalar {
    case "(": kind = .open
    case ")": kind = .close
    case "\"", "'":
      kind = .quoted
      while let inner = next, inner != scalar { position += inner == "\\" ? 2 : 1 }
      guard next != nil else { throw ConditionError(message: "no closing quotation mark", column: start + 1) }
      position += 1
    case "&", "|": if next == scalar { position += 1 }
    case "$", "@", "#": passName()
    case _ where Self.isName(scalar):
      passName()
      guard !("0"..."9").contains(scalar) else { break }
      kind = .word
      // A word may contain a colon, as in functions such as `from:subtract:`, or the hyphen of `UTI-EQUALS`.
      let sign: Unicode.Scalar = spelling(from: start).uppercased() == "UTI" ? "-" : ":"
      if next == sign, position + 1 < scalars.count, scalars[position + 1] != "=" {
        while let scalar = next, Self.isName(scalar) || scalar == sign { position += 1 }
      }
    default: break
    }
    return ConditionToken(kind: kind, text: spelling(from: start), column: start + 1)
  }

  /// Returns the options in brackets that come next, such as `[cd]`; an empty string if none come next.
  mutating func takeOptions() -> String {
    let start = position
    if next == "[" {
      while let scalar = next, scalar != "]" { position += 1 }
      if next != nil { position += 1 }
    }
    return spelling(from: start)
  }

  /// Returns the keys that come next, each after a dot: `.items.name`.
  mutating func takeKeys() -> [String] {
    var keys: [String] = []
    while next == ".", position + 1 < scalars.count, Self.isName(scalars[position + 1]) {
      position += 1
      let start = position
      passName()
      keys.append(spelling(from: start))
    }
    return keys
  }

  private mutating func passName() { while let scalar = next, Self.isName(scalar) { position += 1 } }

  private func spelling(from start: Int) -> String {
    String(String.UnicodeScalarView(scalars[start..<min(position, scalars.count)]))
  }

  /// Returns true if a scalar can be part of a key or number of a predicate.
  static func isName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_": true
    default: !scalar.isASCII && !scalar.properties.isWhitespace
    }
  }

  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.properties.isWhitespace && !["(", ")", "~", "=", "!", "<", ">", "\"", "'"].contains(scalar)
  }

  /// Returns the text up to the closing quotation mark. A backslash before that mark, or before another backslash,
  /// escapes it.
  private mutating func quoted() throws(ConditionError) -> String {
    let start = position
    let quote = scalars[start]
    var text = String.UnicodeScalarView()
    position += 1
    while position < scalars.count, scalars[position] != quote {
      if scalars[position] == "\\", position + 1 < scalars.count,
        scalars[position + 1] == quote || scalars[position + 1] == "\\"
      {
        position += 1
      }
      text.append(scalars[position])
      position += 1
    }
    guard position < scalars.count else {
      throw ConditionError(message: "no closing quotation mark", column: start + 1)
    }
    position += 1
    return String(text)
  }

  /// Reads a word that is not quoted: the text up to white space, a parenthesis, an operator or a quotation mark. After
  /// a dot, a component of a path may be quoted: `value."a b".c`. Its quotation marks are kept.
  private mutating func word() throws(ConditionError) -> String {
    let start = position
    while position < scalars.count {
      if scalars[position] == "\"", position > start, scalars[position - 1] == "." {
        // The parser of the path interprets the backslashes.
        let quote = position
        position += 1
        while position < scalars.count, scalars[position] != "\"" { position += scalars[position] == "\\" ? 2 : 1 }
        guard position < scalars.count else {
          throw ConditionError(message: "no closing quotation mark", column: quote + 1)
        }
        position += 1
      } else if Self.isWord(scalars[position]) {
        position += 1
      } else {
        break
      }
    }
    return String(String.UnicodeScalarView(scalars[start..<position]))
  }
}
