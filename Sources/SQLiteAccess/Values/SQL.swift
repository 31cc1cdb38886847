/// A statement with the values of its parameters.
///
/// A value in an interpolation never becomes part of the text. It becomes a parameter, so it cannot change the meaning
/// of the statement:
///
/// ```swift
/// let title = "Robert'); DROP TABLE note; --"
/// try database.run("INSERT INTO note (title) VALUES (\(title))")   // INSERT INTO note (title) VALUES (?)
/// ```
public struct SQL: Hashable, Sendable {
  /// The text of the statement, with a question mark for each interpolated value.
  public private(set) var text: String
  /// The values for the parameters, in order.
  public private(set) var values: [SQLiteValue]

  /// Creates a statement from a text that the program has composed, and values for its parameters.
  ///
  /// ```swift
  /// let sql = SQL(text: "SELECT * FROM note WHERE key IN (?, ?)", values: ["a", "b"])
  /// ```
  ///
  /// - Parameters:
  ///   - text: The text. It must not contain values from outside of the program.
  ///   - values: A value for each parameter; empty to bind values later.
  public init(text: String, values: [SQLiteValue] = []) {
    self.text = text
    self.values = values
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Creates a statement without values.
  public init(stringLiteral value: String) { self.init(text: value) }

  /// Creates a statement from the parts of an interpolation.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// The parts of an interpolation.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = SQL(text: "")

    /// Creates an interpolation without parts.
    public init(literalCapacity: Int, interpolationCount: Int) { sql.text.reserveCapacity(literalCapacity) }

    /// Appends text of the statement.
    public mutating func appendLiteral(_ literal: String) { sql.text += literal }

    /// Appends a parameter with a value.
    public mutating func appendInterpolation(_ value: some SQLiteConvertible) {
      sql.text += "?"
      sql.values.append(value.sqliteValue)
    }

    // Without this method, the compiler warns that the interpolation uses the description of an optional value.
    /// Appends a parameter with a value, or with NULL if it is nil.
    public mutating func appendInterpolation(_ value: (some SQLiteConvertible)?) {
      sql.text += "?"
      sql.values.append(value.sqliteValue)
    }

    /// Appends parameters with the values of a list, separated by commas: `WHERE key IN (\(list: keys))`.
    public mutating func appendInterpolation(list values: some Sequence<some SQLiteConvertible>) {
      let values = values.map(\.sqliteValue)
      sql.text += values.map { _ in "?" }.joined(separator: ", ")
      sql.values += values
    }

    /// Appends the name of a table or a column, in quotation marks.
    public mutating func appendInterpolation(name: String) { sql.text += name.sqlName }

    /// Appends a part of a statement with its values.
    public mutating func appendInterpolation(_ part: SQL) {
      sql.text += part.text
      sql.values += part.values
    }
  }
}
