public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSCharacterSet`: a set of Unicode scalars. An archive stores it in one of several forms. `NSMutableCharacterSet`
  /// is also read.
  ///
  /// The value keeps the form, and two sets are equal only if they have the same form.
  ///
  /// ```swift
  /// let separators = Archived.CharacterSet(charactersIn: ",;")
  /// let noCapitals = Archived.CharacterSet(.range(first: 0x41, count: 26), isInverted: true)
  /// ```
  public struct CharacterSet: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSCharacterSet", aliases: ["NSMutableCharacterSet"])

    /// The stored form of the scalars.
    public enum Form: Hashable, Sendable {
      /// The scalars of a string.
      case characters(String)
      /// A range of scalars.
      case range(first: UInt32, count: UInt32)
      /// One of Apple's predefined sets, by its number from 1 on (`CFCharacterSetPredefinedSet` of `CFCharacterSet.h`).
      case builtIn(Int)
      /// A bit for each scalar of the first plane. Then, for each further plane that is not empty, the number of the
      /// plane and a bit for each of its scalars.
      case bitmap(Data)
      /// One of Apple's predefined sets, and its bitmap for readers that do not know its number.
      case builtInWithBitmap(Int, isInverted: Bool, Data)
    }

    /// The scalars, in the form of the archive.
    public var form: Form
    /// True if the set contains all scalars except those of ``form``.
    public var isInverted: Bool

    /// Creates a set of scalars.
    public init(_ form: Form, isInverted: Bool = false) {
      self.form = form
      self.isInverted = isInverted
    }

    /// Creates a set with the scalars of a string.
    public init(charactersIn text: String) { self.init(.characters(text)) }

    public init(coder: KeyedUnarchiver) throws {
      isInverted = try coder.decodeIfPresent(Bool.self, forRawKey: "NSIsInverted") ?? false
      if let number = try Self.builtIn("NSBuiltinID", coder) {
        form = .builtIn(number)
      } else if let bits = try coder.decodeIfPresent(Int64.self, forRawKey: "NSRange") {
        let first = UInt32(truncatingIfNeeded: bits >> 32)
        let count = UInt32(truncatingIfNeeded: bits)
        form = .range(first: first, count: count)
        try coder.require(
          Self.isRange(first, count), "a character set of \(count) scalars from \(first) exceeds the range of Unicode")
      } else if let text = try coder.decodeIfPresent(String.self, forRawKey: "NSString")
        ?? coder.decodeIfPresent(String.self, forRawKey: "NSStringObject")
      {
        form = .characters(text)
      } else {
        let bitmap =
          try coder.decodeIfPresent(Data.self, forRawKey: "NSBitmapObject")
          ?? coder.decode(Data.self, forRawKey: "NSBitmap")
        if let number = try Self.builtIn("NSBuiltinID2", coder) {
          let isInverted = try coder.decodeIfPresent(Bool.self, forRawKey: "NSIsInverted2") ?? false
          form = .builtInWithBitmap(number, isInverted: isInverted, bitmap)
        } else {
          form = .bitmap(bitmap)
        }
      }
    }

    /// Returns the number of a predefined set under a key. Returns nil if it is missing, or 0, which means no
    /// predefined set.
    private static func builtIn(_ key: String, _ coder: KeyedUnarchiver) throws -> Int? {
      guard let number = try coder.decodeIfPresent(Int.self, forRawKey: key), number != 0 else { return nil }
      try coder.require(number > 0, "the ID of a built-in character set must be positive, not \(number)")
      return number
    }

    private static func isRange(_ first: UInt32, _ count: UInt32) -> Bool { UInt64(first) + UInt64(count) <= 0x110000 }

    /// Encodes the scalars in the form ``form``.
    ///
    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for a range beyond the end of Unicode, and for a predefined
    ///   set with a number below 1.
    public func encode(with coder: KeyedArchiver) throws {
      switch form {
      case .characters(let text): try coder.encode(inline: text, forRawKey: "NSString")
      case .range(let first, let count):
        try coder.require(
          Self.isRange(first, count), "a character set of \(count) scalars from \(first) exceeds the range of Unicode")
        try coder.encode(integer: Int(first) << 32 | Int(count), forRawKey: "NSRange")
      case .builtIn(let number): try encode(builtIn: number, forRawKey: "NSBuiltinID", with: coder)
      case .bitmap(let bitmap): try coder.encode(inline: bitmap, forRawKey: "NSBitmap")
      case .builtInWithBitmap(let number, let isInverted, let bitmap):
        try encode(builtIn: number, forRawKey: "NSBuiltinID2", with: coder)
        if isInverted { try coder.encode(boolean: true, forRawKey: "NSIsInverted2") }
        try coder.encode(inline: bitmap, forRawKey: "NSBitmap")
      }
      if isInverted { try coder.encode(boolean: true, forRawKey: "NSIsInverted") }
    }

    private func encode(builtIn number: Int, forRawKey key: String, with coder: KeyedArchiver) throws {
      try coder.require(number > 0, "the ID of a built-in character set must be positive, not \(number)")
      try coder.encode(integer: number, forRawKey: key)
    }
  }
}

extension Archived.CharacterSet: MutablyArchived {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }

  /// Creates an empty set.
  public init() { self.init(charactersIn: "") }
}
