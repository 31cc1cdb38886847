package import FoundationEssentials

extension UUID {
  /// The UUID of the 16 bytes from an offset on. Sound: the standard library checks the bounds of the load, and all
  /// bits are a UUID.
  package init(_ bytes: RawSpan, at offset: Int = 0) {
    self.init(uuid: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: uuid_t.self))
  }

  /// The 16 bytes. Sound: they are copied while they are there.
  package var data: Data { unsafe withUnsafeBytes(of: uuid) { unsafe Data($0) } }
}
