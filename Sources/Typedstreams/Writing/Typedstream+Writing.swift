public import FoundationEssentials

extension Typedstream {
  /// The bytes of the stream, as Apple's archiver would write them: each number as narrow as it can be, shared strings,
  /// classes and objects where they are met first, and references to them everywhere else.
  ///
  /// What Apple's archiver has written comes out the same to the byte.
  ///
  /// - Parameter byteOrder: the order of the bytes of numbers; nil for that of this stream.
  /// - Complexity: O(*n*) in the size of the stream. Depth costs no stack.
  public func data(byteOrder: ByteOrder? = nil) -> Data {
    var writer = TypedstreamWriter(tables, byteOrder ?? self.byteOrder)
    writer.writeStream(systemVersion: systemVersion)
    return writer.finish()
  }
}
