public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// `NSData`: bytes that are stored directly in the object table. `NSMutableData`, an object with `NS.data`, is also
/// read.
extension Data: SecureCoding {
  public static let archivedClass = ArchivedClass("NSData", aliases: ["NSMutableData"], natives: .data)

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(inline: self, forRawKey: "NS.data") }

  public init(coder: KeyedUnarchiver) throws {
    // `NS.bytes` is written by coders that are not keyed archivers.
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
