extension Archived {
  /// `NSByteCountFormatter`: the settings for formatting byte counts. Only values that differ from the defaults are
  /// archived.
  ///
  /// ```swift
  /// var formatter = Archived.ByteCountFormatter()
  /// formatter.includesUnit = false  // archived as NSNoUnit
  /// ```
  public struct ByteCountFormatter: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSByteCountFormatter", ancestors: ["NSFormatter", "NSObject"])

    /// The units, as a value of Apple's option set (`NSByteCountFormatter.h`); 0 for the default units of the platform.
    public var allowedUnits = 0
    /// The number of bytes in a kilobyte, as a value of Apple's `NSByteCountFormatterCountStyle`; 0 for the style of
    /// file sizes.
    public var countStyle = 0
    /// The position of the text in a sentence, as a value of Apple's `NSFormattingContext` (`NSFormatter.h`); 0 if it
    /// is unknown.
    public var formattingContext = 0
    /// True if the fraction is padded with zeros.
    public var zeroPadsFractionDigits = false
    /// True if the text includes the exact number of bytes.
    public var includesActualByteCount = false
    /// True if the text may have a word such as `Zero` instead of a number.
    public var allowsNonnumericFormatting = true
    /// True if the text includes the unit.
    public var includesUnit = true
    /// True if the text includes the number.
    public var includesCount = true
    /// True if larger numbers have more digits.
    public var isAdaptive = true

    /// Creates a formatter with the default settings.
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

    /// The archived key of each Boolean property, and the value of the property if the key has the value true.
    private static var flags: [(String, WritableKeyPath<ByteCountFormatter, Bool>, Bool)] {
      [
        ("NSZeroPad", \.zeroPadsFractionDigits, true), ("NSActual", \.includesActualByteCount, true),
        ("NSNoNonnumeric", \.allowsNonnumericFormatting, false), ("NSNoUnit", \.includesUnit, false),
        ("NSNoCount", \.includesCount, false), ("NSNoAdaptive", \.isAdaptive, false),
      ]
    }
  }
}
