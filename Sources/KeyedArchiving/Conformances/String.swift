internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// `NSString`: the text itself in the object table. `NSMutableString`, which is read too, is an object with
/// `NS.string`.
extension String: SecureCoding {
  public static let archivedClass = ArchivedClass("NSString", aliases: ["NSMutableString"], natives: .string)

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(inline: self, forRawKey: "NS.string") }

  public init(coder: KeyedUnarchiver) throws {
    if let text = try coder.decodeIfPresent(String.self, forRawKey: "NS.string") {
      self = text
      return
    }
    // From coders that are no keyed archivers.
    let bytes = try coder.decode(Data.self, forRawKey: "NS.bytes")
    try coder.spend(remaking: bytes.count)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw coder.failure(.invalidContents, "NS.bytes holds no UTF-8")
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
  /// Strings and data longer than this many bytes are kept for when they are needed again. A reference takes one byte
  /// at least, so honest archives do not expand by the ratio that `ParsingLimits.expansionRatio` allows.
  private static var longNative: Int { 32 }

  /// Counts the bytes of something long that something else is made of. It is kept, so that it counts once however many
  /// objects share it; but the other thing is made for each of them.
  func spend(remaking size: Int) throws {
    if size > Self.longNative { try spend(size) }
  }

  /// The text of a string or the bytes of data.
  @inline(__always)
  func native<T>(
    _ node: FlatNode, _ object: FlatNode, _ content: @autoclosure () throws(PropertyListError) -> T
  ) throws -> T {
    try weigh(1 + object.length >> 9)
    let isLong = object.length > Self.longNative
    if isLong, let value = table.text(T.self, at: object) { return value }
    try spend(object.length)
    let value = try read(content())
    // Of what stands in an object itself, nobody knows whether it is needed again.
    if isLong, node.kind != .uid || table.noteDecoded(node.uid) { table.keep(value, at: object) }
    return value
  }
}

extension KeyedArchiver {
  /// A reference to a string; to a box of it, if references to the string itself mean nothing.
  @inline(__always)
  func reference(toText text: String) throws -> ArchivedReference {
    if text.utf8.count == 5, text == "$null" { return try reference(toValue: BoxedString(text: text)) }
    return ArchivedReference(node: .uid(try pool.string(text)))
  }
}

/// A string in an object of its own.
private struct BoxedString: SecureCoding {
  static let archivedClass = ArchivedClass("NSString")

  let text: String

  init(text: String) { self.text = text }

  init(coder: KeyedUnarchiver) throws { text = try String(coder: coder) }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(inline: text, forRawKey: "NS.string") }
}
