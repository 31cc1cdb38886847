public import FoundationEssentials
internal import PropertyLists

/// Archived as an `NSUUID`, with the 16 bytes in `NS.uuidbytes`.
extension UUID: SecureCoding {
  public static let archivedClass = ArchivedClass("NSUUID")

  public func encode(with coder: KeyedArchiver) throws {
    try coder.encode(inline: data, forRawKey: "NS.uuidbytes")
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> UUID {
    try coder.leaf(UUID.self, at: reference)
  }

  public init(coder: KeyedUnarchiver) throws {
    let bytes = try coder.decode(Data.self, forRawKey: "NS.uuidbytes")
    try coder.require(bytes.count == 16, "a UUID must have 16 bytes, not \(bytes.count)")
    self.init(bytes.bytes)
  }
}
