extension Archived {
  /// `NSByteCountFormatter`: how numbers of bytes are spelled. Only what is not the default is archived.
  public struct ByteCountFormatter: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSByteCountFormatter", ancestors: ["NSFormatter", "NSObject"])

    /// The units, as Apple numbers them (`NSByteCountFormatter.h`); 0 for those that the platform has.
    public var allowedUnits = 0
    /// How large a kilobyte is, as Apple numbers it; 0 as in files.
    public var countStyle = 0
    /// Where in a sentence the number stands, as Apple numbers it (`NSFormatter.h`); 0 for nowhere known.
    public var formattingContext = 0
    /// Whether zeros fill up the fraction.
    public var zeroPadsFractionDigits = false
    /// Whether the bytes are told too.
    public var includesActualByteCount = false
    /// Whether a word may stand for a number, such as `Zero`.
    public var allowsNonnumericFormatting = true
    /// Whether the unit is told.
    public var includesUnit = true
    /// Whether the number is told.
    public var includesCount = true
    /// Whether larger numbers have more digits.
    public var isAdaptive = true

    /// A formatter with the defaults.
    public init() {}

    public init(coder: KeyedUnarchiver) throws {
      for (key, number) in Self.numbers {
        self[keyPath: number] = try coder.decodeIfPresent(Int.self, forRawKey: key) ?? 0
      }
      for (key, isSet, meaning) in Self.flags {
        let flag = try coder.decodeIfPresent(Bool.self, forRawKey: key) ?? false
        self[keyPath: isSet] = flag == meaning
      }
    }

    public func encode(with coder: KeyedArchiver) throws {
      for (key, number) in Self.numbers where self[keyPath: number] != 0 {
        try coder.encode(integer: self[keyPath: number], forRawKey: key)
      }
      for (key, isSet, meaning) in Self.flags where self[keyPath: isSet] == meaning {
        try coder.encode(boolean: true, forRawKey: key)
      }
    }

    private static var numbers: [(String, WritableKeyPath<ByteCountFormatter, Int>)] {
      [("NSUnits", \.allowedUnits), ("NSKBSize", \.countStyle), ("NSFormattingContext", \.formattingContext)]
    }

    /// With what a key that is there, and true, says.
    private static var flags: [(String, WritableKeyPath<ByteCountFormatter, Bool>, Bool)] {
      [
        ("NSZeroPad", \.zeroPadsFractionDigits, true), ("NSActual", \.includesActualByteCount, true),
        ("NSNoNonnumeric", \.allowsNonnumericFormatting, false), ("NSNoUnit", \.includesUnit, false),
        ("NSNoCount", \.includesCount, false), ("NSNoAdaptive", \.isAdaptive, false),
      ]
    }
  }
}
