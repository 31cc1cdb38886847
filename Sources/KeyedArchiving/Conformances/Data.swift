public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// Archived as `NSData`: bytes that are stored directly in the object table. `NSMutableData`, which is stored as an
/// object with `NS.data`, is also read.
extension Data: SecureCoding {
  public static let archivedClass = ArchivedClass("NSData", aliases: ["NSMutableData"], natives: .data)

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(inline: self, forRawKey: "NS.data") }

  public init(coder: KeyedUnarchiver) throws {
    // Coders that are not keyed archivers, such as that of compiled nibs, write `NS.bytes` instead.
    self = try coder.decodeIfPresent(Data.self, forRawKey: "NS.data") ?? coder.decode(Data.self, forRawKey: "NS.bytes")
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Data {
    let object = try coder.resolve(reference.node)
    guard object.kind == .data else { return try coder.value(Data.self, at: reference) }
    return try coder.native(reference.node, object, coder.document.data(of: object))
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    ArchivedReference(node: .uid(try coder.pool.data(self)))
  }
}
