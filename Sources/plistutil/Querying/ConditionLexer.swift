import PropertyLists

/// A piece of an expression of `find --where`.
struct ConditionToken {
  enum Kind: Equatable {
    case open, close
    case comparison(Condition.Operator)
    /// `~`.
    case match
    /// Text without quotation marks.
    case word
    /// Text between quotation marks, without them.
    case quoted
    case end
  }

  let kind: Kind
  let text: String
  /// From 1, in Unicode scalars.
  let column: Int
}

/// What is wrong with an expression, and where.
struct ConditionError: Error {
  let message: String
  /// From 1, in Unicode scalars.
  let column: Int
}

/// Divides an expression into tokens.
struct ConditionLexer {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// The next token; at the end of the expression, and from then on, one of kind `end`.
  mutating func next() throws(ConditionError) -> ConditionToken {
    while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
    let column = position + 1
    guard position < scalars.count else { return ConditionToken(kind: .end, text: "", column: column) }
    func token(_ kind: ConditionToken.Kind, _ text: String) -> ConditionToken {
      ConditionToken(kind: kind, text: text, column: column)
    }
    let scalar = scalars[position]
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
      if position < scalars.count, scalars[position] == "=" {
        position += 1
        spelling += "="
      }
      guard let comparison = Condition.Operator(rawValue: spelling == "==" ? "=" : spelling) else {
        throw ConditionError(message: #""!" stands only in "!="; the word is not"#, column: column)
      }
      return token(.comparison(comparison), spelling)
    case "\"", "'":
      let text = try quoted()
      if position < scalars.count, Self.isWord(scalars[position]) {
        throw ConditionError(message: "text directly after a quotation mark", column: position + 1)
      }
      return token(.quoted, text)
    default: return token(.word, try word())
    }
  }

  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.properties.isWhitespace && !["(", ")", "~", "=", "!", "<", ">", "\"", "'"].contains(scalar)
  }

  /// Text up to the quotation mark with which it begins. A backslash before that mark, or before another backslash,
  /// takes the meaning from it.
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

  /// Text without quotation marks, but for those around a component of a path: `value."a b".c`.
  private mutating func word() throws(ConditionError) -> String {
    let start = position
    while position < scalars.count {
      if scalars[position] == "\"", position > start, scalars[position - 1] == "." {
        // The meaning of a backslash is for the path to say.
        let quote = position
        position += 1
        while position < scalars.count, scalars[position] != "\"" {
          position += scalars[position] == "\\" ? 2 : 1
        }
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
