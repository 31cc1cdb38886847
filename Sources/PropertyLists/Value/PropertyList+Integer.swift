extension PropertyList {
  /// An integer of a property list: every value of `Int64` and of `UInt64`, exactly.
  ///
  /// Read it with the exact initializers of the standard integers, which give nil when the value does not fit:
  ///
  /// ```swift
  /// let port = UInt16(exactly: integer)
  /// ```
  public struct Integer: Hashable, Sendable {
    /// The value modulo 2^64.
    @usableFromInline let bits: UInt64
    @usableFromInline let isNegative: Bool

    /// Every `Int64` is an integer of a property list.
    public init(_ value: Int64) {
      bits = UInt64(bitPattern: value)
      isNegative = value < 0
    }

    /// Every `UInt64` is an integer of a property list.
    public init(_ value: UInt64) {
      bits = value
      isNegative = false
    }

    /// Every `Int` is an integer of a property list.
    public init(_ value: Int) { self.init(Int64(value)) }

    /// Nil if `value` is below `Int64.min` or above `UInt64.max`.
    public init?(exactly value: some BinaryInteger) {
      if let value = Int64(exactly: value) {
        self.init(value)
      } else if let value = UInt64(exactly: value) {
        self.init(value)
      } else {
        return nil
      }
    }

    /// The value, wide enough for all of them.
    @inlinable
    public var int128: Int128 { isNegative ? Int128(Int64(bitPattern: bits)) : Int128(bits) }
  }
}

extension PropertyList.Integer: Comparable {
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.int128 < rhs.int128 }
}

extension PropertyList.Integer: ExpressibleByIntegerLiteral {
  /// - Precondition: the literal is a value of `Int64` or of `UInt64`.
  public init(integerLiteral value: Int128) {
    guard let integer = Self(exactly: value) else {
      preconditionFailure("the integer literal \(value) is outside Int64 and UInt64")
    }
    self = integer
  }
}

extension PropertyList.Integer: CustomStringConvertible {
  /// The decimal digits.
  public var description: String { isNegative ? String(Int64(bitPattern: bits)) : String(bits) }
}

extension BinaryInteger {
  /// The value of a property list's integer; nil if it does not fit.
  @inlinable
  public init?(exactly integer: PropertyList.Integer) {
    if integer.isNegative {
      self.init(exactly: Int64(bitPattern: integer.bits))
    } else {
      self.init(exactly: integer.bits)
    }
  }
}
