public import FoundationEssentials

/// A value in a database, in one of SQLite's five storage classes.
///
/// ```swift
/// let value: SQLiteValue = try row["size"]
/// if case .integer(let size) = value { print(size) }
/// ```
public enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  /// SQLite stores NaN as NULL.
  case real(Double)
  case text(String)
  case blob(Data)

  /// The storage class with an article, for messages.
  var kind: String {
    switch self {
    case .null: "NULL"
    case .integer: "an integer"
    case .real: "a real number"
    case .text: "a text"
    case .blob: "a blob"
    }
  }
}

extension SQLiteValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral
{
  /// Creates NULL.
  public init(nilLiteral: ()) { self = .null }

  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a real number.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// Creates a text.
  public init(stringLiteral value: String) { self = .text(value) }
}
