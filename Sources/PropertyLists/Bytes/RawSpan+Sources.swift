/// The bytes of arrays and of text.
///
/// Sound: bytes have no padding, which is what makes `Span.bytes` unsafe in general.
extension [UInt8] {
  @inline(__always)
  package var rawBytes: RawSpan {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(span.bytes, borrowing: self) }
  }
}

extension UTF8Span {
  @inline(__always)
  package var rawBytes: RawSpan {
    @_lifetime(copy self)
    get { unsafe _overrideLifetime(span.bytes, copying: self) }
  }
}
