internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// Archived as `NSString`: text that is stored directly in the object table. `NSMutableString`, which is stored as an
/// object with `NS.string`, is also read.
extension String: SecureCoding {
  public static let archivedClass = ArchivedClass("NSString", aliases: ["NSMutableString"], natives: .string)

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(inline: self, forRawKey: "NS.string") }

  public init(coder: KeyedUnarchiver) throws {
    if let text = try coder.decodeIfPresent(String.self, forRawKey: "NS.string") {
      self = text
      return
    }
    // Coders that are not keyed archivers, such as that of compiled nibs, write `NS.bytes` instead.
    let bytes = try coder.decode(Data.self, forRawKey: "NS.bytes")
    try coder.spend(remaking: bytes.count)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw coder.failure(.invalidContents, "NS.bytes is not valid UTF-8")
    }
    self = text
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> String {
    let object = try coder.resolve(reference.node)
    guard object.kind == .string else { return try coder.value(String.self, at: reference) }
    if coder.isNull(reference.node, object) { throw coder.nothing(insteadOf: String.self) }
    return try coder.native(reference.node, object, coder.document.text(of: object))
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toText: self) }
}

extension KeyedUnarchiver {
  /// The greatest length, in bytes, of strings and data that are decoded again at each reference. Longer ones may be
  /// kept. A reference takes at least one byte in the file, so short strings expand an archive at most 32 times, less
  /// than `ParsingLimits.expansionRatio` allows.
  private static var longNative: Int { 32 }

  /// Subtracts from the budget the bytes of a value, such as a URL, that is created from a long string or data. The
  /// string or data is kept and counts only once, but a new value is created for each object that refers to it.
  func spend(remaking size: Int) throws {
    if size > Self.longNative { try spend(size) }
  }

  /// Returns the text of a string or the bytes of data. Reads them, unless they were kept when they were read before.
  @inline(__always)
  func native<T>(
    _ node: FlatNode, _ object: FlatNode, _ content: @autoclosure () throws(PropertyListError) -> T
  ) throws -> T {
    try weigh(1 + object.length >> 9)
    let isLong = object.length > Self.longNative
    if isLong, let value = table.text(T.self, at: object) { return value }
    try spend(object.length)
    let value = try read(content())
    // An object is kept when it is decoded for the second time. An inline value is kept at once, because the number of
    // its decodings is not counted.
    if isLong, node.kind != .uid || table.noteDecoded(node.uid) { table.keep(value, at: object) }
    return value
  }
}

extension KeyedArchiver {
  /// Archives a string, and returns a reference to it. The string `$null` is archived as an object with a class,
  /// because it would otherwise represent nil.
  @inline(__always)
  func reference(toText text: String) throws -> ArchivedReference {
    if text.utf8.count == 5, text == "$null" { return try reference(toValue: BoxedString(text: text)) }
    return ArchivedReference(node: .uid(try pool.string(text)))
  }
}

/// A string that is archived as an object with a class, instead of directly in the object table.
private struct BoxedString: SecureCoding {
  static let archivedClass = ArchivedClass("NSString")

  let text: String

  init(text: String) { self.text = text }

  init(coder: KeyedUnarchiver) throws { text = try String(coder: coder) }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(inline: text, forRawKey: "NS.string") }
}
