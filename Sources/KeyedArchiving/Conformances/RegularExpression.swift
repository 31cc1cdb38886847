@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSRegularExpression`: a pattern and options. This structure cannot match text.
  ///
  /// ```swift
  /// let word = Archived.RegularExpression(pattern: "[a-z]+", options: 1)  // 1: ignores case
  /// ```
  public struct RegularExpression: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSRegularExpression")

    /// The pattern, in the syntax of ICU.
    public var pattern: String
    /// The options, as a value of Apple's option set (`NSRegularExpression.h`).
    public var options: UInt

    /// Creates a regular expression. The pattern is not checked.
    public init(pattern: String, options: UInt = 0) {
      self.pattern = pattern
      self.options = options
    }

    public init(coder: KeyedUnarchiver) throws {
      // GNUstep writes the keys without `NS`.
      let isApples = coder.containsRaw("NSPattern")
      pattern = try coder.decode(String.self, forRawKey: isApples ? "NSPattern" : "pattern")
      options = try coder.decode(UInt.self, forRawKey: isApples ? "NSOptions" : "options")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(pattern, forRawKey: "NSPattern")
      try coder.encode(rawKey: "NSOptions") { _ in .integer(options) }
    }
  }
}
