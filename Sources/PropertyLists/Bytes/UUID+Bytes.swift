package import FoundationEssentials

extension UUID {
  /// Creates a UUID from the 16 bytes at an offset. Memory-safe: the standard library checks the bounds of the load,
  /// and all bits are valid for a UUID.
  package init(_ bytes: RawSpan, at offset: Int = 0) {
    self.init(uuid: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: uuid_t.self))
  }

  /// The 16 bytes. Memory-safe: they are copied while the UUID exists.
  package var data: Data { unsafe withUnsafeBytes(of: uuid) { unsafe Data($0) } }
}
