/// A word, a literal or a symbol in the text of a predicate.
struct PredicateToken {
  enum Kind: Equatable {
    /// A key, the name of a function, or a reserved word: see ``PredicateWord``.
    case identifier(String)
    /// The name of a function with colons: `name:` or `name:name:`.
    case selector(String)
    /// `#name` or `#"name"`: a key, even if it is spelled like a reserved word.
    case escapedKey(String)
    /// A collection operator, such as `@count`.
    case collectionOperator(String)
    /// A variable: `$NAME`.
    case variable(String)
    case string(String)
    /// The text of a number: digits, also with a point or an exponent, or hexadecimal digits after `0x`.
    case number(String)
    case symbol(PredicateSymbol)
    /// A placeholder such as `%@`, `%K` or `%d`, by its letter.
    case argument(UInt8)
    case end
  }

  let kind: Kind
  /// The offset of the token's first byte in the text.
  let offset: Int

  /// The reserved word that this identifier is; case is ignored. Nil for other identifiers and other kinds of tokens.
  var word: PredicateWord? {
    guard case .identifier(let name) = kind else { return nil }
    return PredicateWord(name)
  }
}

enum PredicateSymbol: String {
  case open = "("
  case close = ")"
  case openBracket = "["
  case closeBracket = "]"
  case openBrace = "{"
  case closeBrace = "}"
  case comma = ","
  case dot = "."
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case and = "&&"
  case or = "||"
  case not = "!"
  case assign = ":="
  case plus = "+"
  case minus = "-"
  case times = "*"
  case divide = "/"
  case power = "**"
  case bitAnd = "&"
  case bitOr = "|"
  case bitExclusiveOr = "^"
}

/// The reserved words of the format. Case is ignored (Predicate Programming Guide, "Reserved Words").
package enum PredicateWord: String, CaseIterable {
  case and = "AND"
  case or = "OR"
  case `in` = "IN"
  case not = "NOT"
  case all = "ALL"
  case any = "ANY"
  case someOf = "SOME"
  case noneOf = "NONE"
  case like = "LIKE"
  case caseInsensitive = "CASEINSENSITIVE"
  case ci = "CI"
  case matches = "MATCHES"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case between = "BETWEEN"
  case null = "NULL"
  case `nil` = "NIL"
  case `self` = "SELF"
  case `true` = "TRUE"
  case yes = "YES"
  case `false` = "FALSE"
  case no = "NO"
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"
  case anyKey = "ANYKEY"
  case subquery = "SUBQUERY"
  case fetch = "FETCH"
  case cast = "CAST"
  case truePredicate = "TRUEPREDICATE"
  case falsePredicate = "FALSEPREDICATE"
  case conformsTo = "UTI-CONFORMS-TO"
  case typeEquals = "UTI-EQUALS"
  // These operators are not in the list of reserved words of the Predicate Programming Guide.
  case union = "UNION"
  case intersect = "INTERSECT"
  case minus = "MINUS"

  private static let longest = 15
  private static let byText: [String: PredicateWord] = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  package init?(_ name: String) {
    guard name.utf8.count <= Self.longest, let word = Self.byText[name.uppercased()] else { return nil }
    self = word
  }
}
