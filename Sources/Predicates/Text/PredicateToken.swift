/// A word, a literal or a sign of the text of a predicate.
struct PredicateToken {
  enum Kind: Equatable {
    /// A key, or the name of a function; ``PredicateWord`` if it is one.
    case identifier(String)
    /// `name:` and `name:name:`, which only functions are called.
    case selector(String)
    /// `#name` and `#"name"`: a key, whatever the word means otherwise.
    case escapedKey(String)
    /// `@count` and the like.
    case collectionOperator(String)
    /// `$NAME`.
    case variable(String)
    case string(String)
    /// The digits of a number, with a point or an exponent or `0x`.
    case number(String)
    case symbol(PredicateSymbol)
    /// `%@`, `%K`, `%d`: the letter that says what is due.
    case argument(UInt8)
    case end
  }

  let kind: Kind
  /// The number of bytes before it.
  let offset: Int

  /// The reserved word that this is, if it is one.
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

/// The reserved words of the format, in any case (Predicate Programming Guide, "Reserved Words").
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
  // Not reserved by the guide, but operators of the format.
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
