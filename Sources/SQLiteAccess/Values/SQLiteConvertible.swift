public import FoundationEssentials

/// A type whose values can be bound to statements and read from columns.
///
/// Each standard type has one storage class, and other classes are not converted: signed integers and `Bool` (0 and 1)
/// are integers, `Double` is a real number, `String` is a text, `Data` and `[UInt8]` are blobs. Nil is NULL. Your own
/// types convert to one of these:
///
/// ```swift
/// struct Day: SQLiteConvertible {
///   var date: Date
///   init(date: Date) { self.date = date }
///   init?(sqliteValue: SQLiteValue) {
///     guard let seconds = Double(sqliteValue: sqliteValue) else { return nil }
///     date = Date(timeIntervalSince1970: seconds)
///   }
///   var sqliteValue: SQLiteValue { .real(date.timeIntervalSince1970) }
/// }
/// ```
public protocol SQLiteConvertible {
  /// The value that is stored.
  var sqliteValue: SQLiteValue { get }
  /// Creates a value from a stored one; nil if the stored value has another storage class, or is invalid for this type.
  init?(sqliteValue: SQLiteValue)
}

extension SQLiteConvertible {
  /// The type of a column for messages, such as `Int` or `Optional<String>`.
  static var typeName: String { "\(Self.self)" }
}

extension SQLiteValue: SQLiteConvertible {
  /// This value.
  public var sqliteValue: SQLiteValue { self }

  /// Creates a copy of a value.
  public init(sqliteValue: SQLiteValue) { self = sqliteValue }
}

/// The signed integers of up to 64 bits.
extension SQLiteConvertible where Self: FixedWidthInteger & SignedInteger {
  /// The integer.
  public var sqliteValue: SQLiteValue { .integer(Int64(self)) }

  /// Creates an integer; nil if the value is not an integer, or out of range.
  public init?(sqliteValue: SQLiteValue) {
    guard case .integer(let value) = sqliteValue else { return nil }
    self.init(exactly: value)
  }
}

extension Int: SQLiteConvertible {}
extension Int64: SQLiteConvertible {}
extension Int32: SQLiteConvertible {}
extension Int16: SQLiteConvertible {}
extension Int8: SQLiteConvertible {}

extension Bool: SQLiteConvertible {
  /// The integer 1 for true, and 0 for false.
  public var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }

  /// Creates a Boolean value; nil if the value is not the integer 0 or 1.
  public init?(sqliteValue: SQLiteValue) {
    switch sqliteValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
}

extension Double: SQLiteConvertible {
  /// The real number. SQLite stores NaN as NULL.
  public var sqliteValue: SQLiteValue { .real(self) }

  /// Creates a number; nil if the value is not a real number.
  public init?(sqliteValue: SQLiteValue) {
    guard case .real(let value) = sqliteValue else { return nil }
    self = value
  }
}

extension String: SQLiteConvertible {
  /// The text.
  public var sqliteValue: SQLiteValue { .text(self) }

  /// Creates a string; nil if the value is not a text.
  public init?(sqliteValue: SQLiteValue) {
    guard case .text(let value) = sqliteValue else { return nil }
    self = value
  }
}

extension Data: SQLiteConvertible {
  /// The blob.
  public var sqliteValue: SQLiteValue { .blob(self) }

  /// Creates data; nil if the value is not a blob.
  public init?(sqliteValue: SQLiteValue) {
    guard case .blob(let value) = sqliteValue else { return nil }
    self = value
  }
}

extension [UInt8]: SQLiteConvertible {
  /// The blob.
  public var sqliteValue: SQLiteValue { .blob(Data(self)) }

  /// Creates an array of bytes; nil if the value is not a blob.
  public init?(sqliteValue: SQLiteValue) {
    guard case .blob(let value) = sqliteValue else { return nil }
    self = Array(value)
  }
}

extension Optional: SQLiteConvertible where Wrapped: SQLiteConvertible {
  /// The value, or NULL.
  public var sqliteValue: SQLiteValue { map(\.sqliteValue) ?? .null }

  /// Creates an optional, which is nil for NULL. Fails if another value is not valid for the wrapped type.
  public init?(sqliteValue: SQLiteValue) {
    if sqliteValue == .null {
      self = .none
    } else if let value = Wrapped(sqliteValue: sqliteValue) {
      self = .some(value)
    } else {
      return nil
    }
  }
}

/// Enumerations and other types with a raw value.
extension SQLiteConvertible where Self: RawRepresentable, RawValue: SQLiteConvertible {
  /// The raw value.
  public var sqliteValue: SQLiteValue { rawValue.sqliteValue }

  /// Creates a value from a raw value; nil if no value of this type has it.
  public init?(sqliteValue: SQLiteValue) {
    guard let value = RawValue(sqliteValue: sqliteValue) else { return nil }
    self.init(rawValue: value)
  }
}
