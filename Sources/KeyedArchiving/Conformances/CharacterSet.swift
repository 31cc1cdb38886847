public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSCharacterSet`, and `NSMutableCharacterSet` where an archive has one: Unicode scalars, in the form that the
  /// archive has them in.
  ///
  /// The forms are kept apart: the same scalars in two of them are two values.
  public struct CharacterSet: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSCharacterSet", aliases: ["NSMutableCharacterSet"])

    /// How a set says which scalars are in it.
    public enum Form: Hashable, Sendable {
      /// Those of a text.
      case characters(String)
      /// So many from one on.
      case range(first: UInt32, count: UInt32)
      /// One of Apple's own sets, by number, from 1 on (`CFCharacterSetPredefinedSet` of `CFCharacterSet.h`).
      case builtIn(Int)
      /// A bit for each scalar of the first plane, then for each of those further planes that has any its number and
      /// bits.
      case bitmap(Data)
      /// One of Apple's own sets, for readers that know it, and its bitmap for others.
      case builtInWithBitmap(Int, isInverted: Bool, Data)
    }

    /// Which scalars are in it.
    public var form: Form
    /// Whether it is all others instead.
    public var isInverted: Bool

    /// A set of scalars.
    public init(_ form: Form, isInverted: Bool = false) {
      self.form = form
      self.isInverted = isInverted
    }

    /// The scalars of a text; none without one.
    public init(charactersIn text: String) { self.init(.characters(text)) }

    public init(coder: KeyedUnarchiver) throws {
      isInverted = try coder.decodeIfPresent(Bool.self, forRawKey: "NSIsInverted") ?? false
      if let number = try Self.builtIn("NSBuiltinID", coder) {
        form = .builtIn(number)
      } else if let bits = try coder.decodeIfPresent(Int64.self, forRawKey: "NSRange") {
        let first = UInt32(truncatingIfNeeded: bits >> 32)
        let count = UInt32(truncatingIfNeeded: bits)
        form = .range(first: first, count: count)
        try coder.require(Self.isRange(first, count), "a character set of \(count) scalars from \(first) on")
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

    /// 0 is what a set that is none of Apple's may say.
    private static func builtIn(_ key: String, _ coder: KeyedUnarchiver) throws -> Int? {
      guard let number = try coder.decodeIfPresent(Int.self, forRawKey: key), number != 0 else { return nil }
      try coder.require(number > 0, "the built-in character set \(number)")
      return number
    }

    private static func isRange(_ first: UInt32, _ count: UInt32) -> Bool { UInt64(first) + UInt64(count) <= 0x110000 }

    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for a range of more than Unicode has, and for a built-in set
    ///   with a number below 1.
    public func encode(with coder: KeyedArchiver) throws {
      switch form {
      case .characters(let text): try coder.encode(inline: text, forRawKey: "NSString")
      case .range(let first, let count):
        try coder.require(Self.isRange(first, count), "a character set of \(count) scalars from \(first) on")
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
      try coder.require(number > 0, "the built-in character set \(number)")
      try coder.encode(integer: number, forRawKey: key)
    }
  }
}

extension Archived.CharacterSet: MutablyArchived {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }

  /// No scalars.
  public init() { self.init(charactersIn: "") }
}
