public import FoundationEssentials

/// `NSUUID`: the 16 bytes as `NS.uuidbytes`.
extension UUID: SecureCoding {
  public static let archivedClass = ArchivedClass("NSUUID")

  public func encode(with coder: KeyedArchiver) throws {
    let b = uuid
    let bytes = Data([b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15])
    try coder.encode(inline: bytes, forRawKey: "NS.uuidbytes")
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> UUID {
    try coder.leaf(UUID.self, at: reference)
  }

  public init(coder: KeyedUnarchiver) throws {
    let bytes = try coder.decode(Data.self, forRawKey: "NS.uuidbytes")
    try coder.require(bytes.count == 16, "a UUID of \(bytes.count) bytes")
    let b = [UInt8](bytes)
    self.init(
      uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]))
  }
}
