import ArgumentParser
import PropertyLists

/// What `find --where` asks of a value.
indirect enum Condition: Sendable {
  case all([Condition])
  case any([Condition])
  case not(Condition)
  case comparison(Field, Operator, Literal)
  case pattern(Field, ConditionPattern)

  /// Something about a value, or about one in it.
  struct Field: Sendable {
    enum Name: String, CaseIterable, Sendable {
      case kind, key, value, path, count, size
    }

    let name: Name
    /// The way to the value, from the one that is looked at.
    let path: PropertyListKeyPath
  }

  enum Operator: String, Sendable {
    case equal = "="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  /// What a field is compared with.
  enum Literal: Sendable {
    case value(PropertyList)
    /// The name of a kind.
    case kind(PropertyList.Kind)
    /// The way from the root to a value.
    case path(PropertyListKeyPath)
  }
}

/// What a text has to match.
enum ConditionPattern: Sendable {
  /// A text with `*`, `?` and `[a-z]`.
  case text(String)
  /// A path in whose components they stand.
  case path(PathPattern)
}

extension Condition {
  /// An expression on the command line.
  static func argument(_ text: String) throws -> Condition {
    do throws(ConditionError) {
      return try ConditionParser.parse(text)
    } catch {
      throw ValidationError("at column \(error.column): \(error.message)")
    }
  }

  /// What the help says of expressions.
  static let help = """
    An expression of --where compares a field with a literal: =, !=, <, <=, > or >=; or ~ (or like), which takes a \
    pattern. and, or, not and parentheses join comparisons; not binds first, then and.

      key     the key of the value; an element of an array has none
      kind    \(KindName.allValueStrings.joined(separator: ", "))
      value   the value itself
      count   how many elements or entries a container has
      size    how many bytes data has, or a string in UTF-8
      path    the path of the value, from the root

    A path after value, kind, count or size leads to a value inside: value.NSAppTransportSecurity.NSAllowsLocalNetworking, \
    count.items.-1. Literals are true, false, null, numbers, dates such as 2026-11-21 or 2026-11-21T08:00:00Z, and \
    strings; what looks like one of the others is a string between quotation marks, '41' or "41". Numbers are compared \
    by what they are worth, dates by time, strings and data byte by byte. Values of different kinds are never equal, and \
    none is less than the other; what is not there is equal to nothing.
    """
}
