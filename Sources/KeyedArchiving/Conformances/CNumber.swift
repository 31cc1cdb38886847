@_spi(Archives) internal import PropertyLists

extension Archived {
  /// The number types of C. A raw value is the letter of the type in the notation of Objective-C's `@encode`.
  public enum CType: String, Hashable, Sendable, CaseIterable {
    /// `_Bool`.
    case bool = "B"
    /// `signed char`, the type of `BOOL` on Intel Macs.
    case char = "c"
    /// `unsigned char`.
    case unsignedChar = "C"
    /// `short`, of 2 bytes.
    case short = "s"
    /// `unsigned short`, of 2 bytes.
    case unsignedShort = "S"
    /// `int`, of 4 bytes.
    case int = "i"
    /// `unsigned int`, of 4 bytes.
    case unsignedInt = "I"
    /// `long`, of 4 bytes in 32-bit programs and 8 bytes in others. 64-bit compilers usually encode it as ``longLong``.
    case long = "l"
    /// `unsigned long`, with the sizes of ``long``.
    case unsignedLong = "L"
    /// `long long`, of 8 bytes.
    case longLong = "q"
    /// `unsigned long long`, of 8 bytes.
    case unsignedLongLong = "Q"
    /// `float`, of 4 bytes.
    case float = "f"
    /// `double`, of 8 bytes.
    case double = "d"

    /// The size of a number in 64-bit programs, in bytes.
    public var size: Int {
      switch self {
      case .bool, .char, .unsignedChar: 1
      case .short, .unsignedShort: 2
      case .int, .unsignedInt, .float: 4
      case .long, .unsignedLong, .longLong, .unsignedLongLong, .double: 8
      }
    }

    /// Returns true if a number can have this size in bytes, in 32-bit or 64-bit programs.
    func mayHave(size: Int) -> Bool { size == self.size || size == 4 && (self == .long || self == .unsignedLong) }
  }

  /// A C number, with its type.
  public enum CNumber: Hashable, Sendable {
    /// `_Bool`.
    case bool(Bool)
    /// `signed char`.
    case char(Int8)
    /// `unsigned char`.
    case unsignedChar(UInt8)
    /// `short`.
    case short(Int16)
    /// `unsigned short`.
    case unsignedShort(UInt16)
    /// `int`.
    case int(Int32)
    /// `unsigned int`.
    case unsignedInt(UInt32)
    /// `long`.
    case long(Int64)
    /// `unsigned long`.
    case unsignedLong(UInt64)
    /// `long long`.
    case longLong(Int64)
    /// `unsigned long long`.
    case unsignedLongLong(UInt64)
    /// `float`.
    case float(Float)
    /// `double`.
    case double(Double)

    /// The C type of the number.
    public var type: CType {
      switch self {
      case .bool: .bool
      case .char: .char
      case .unsignedChar: .unsignedChar
      case .short: .short
      case .unsignedShort: .unsignedShort
      case .int: .int
      case .unsignedInt: .unsignedInt
      case .long: .long
      case .unsignedLong: .unsignedLong
      case .longLong: .longLong
      case .unsignedLongLong: .unsignedLongLong
      case .float: .float
      case .double: .double
      }
    }

    /// Decodes a number that is stored inline. Throws if the type cannot represent it.
    init(_ type: CType, forRawKey key: String, in coder: KeyedUnarchiver) throws {
      switch type {
      case .bool: self = .bool(try coder.decode(forRawKey: key))
      case .char: self = .char(try coder.decode(forRawKey: key))
      case .unsignedChar: self = .unsignedChar(try coder.decode(forRawKey: key))
      case .short: self = .short(try coder.decode(forRawKey: key))
      case .unsignedShort: self = .unsignedShort(try coder.decode(forRawKey: key))
      case .int: self = .int(try coder.decode(forRawKey: key))
      case .unsignedInt: self = .unsignedInt(try coder.decode(forRawKey: key))
      case .long: self = .long(try coder.decode(forRawKey: key))
      case .unsignedLong: self = .unsignedLong(try coder.decode(forRawKey: key))
      case .longLong: self = .longLong(try coder.decode(forRawKey: key))
      case .unsignedLongLong: self = .unsignedLongLong(try coder.decode(forRawKey: key))
      case .float: self = .float(try coder.decode(forRawKey: key))
      case .double: self = .double(try coder.decode(forRawKey: key))
      }
    }

    func encode(forRawKey key: String, with coder: KeyedArchiver) throws {
      try coder.encode(rawKey: key) { _ in
        switch self {
        case .bool(let value): .boolean(value)
        case .char(let value): .integer(value)
        case .unsignedChar(let value): .integer(value)
        case .short(let value): .integer(value)
        case .unsignedShort(let value): .integer(value)
        case .int(let value): .integer(value)
        case .unsignedInt(let value): .integer(value)
        case .long(let value), .longLong(let value): .integer(value)
        case .unsignedLong(let value), .unsignedLongLong(let value): .integer(value)
        case .float(let value): .float(value)
        case .double(let value): .real(value)
        }
      }
    }
  }
}
