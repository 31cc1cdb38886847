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

extension [UInt8] {
  /// A copy of a range of bytes.
  package init(_ bytes: RawSpan, _ range: Range<Int>) {
    self.init()
    append(bytes: bytes.extracting(range))
  }
}

extension String {
  /// Has `body` look at the UTF-8 of this text. `utf8Span` does the same with two calls into the standard library, and
  /// takes a reference; where a text is all that an element is made of, these are a third of the time.
  @inline(__always)
  func withRawUTF8<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
    // A result, for an error that the closure puts into a variable outside is taken for thrown in any case by an
    // optimized build with Swift 6.3.
    let result: Result<Void, Failure>? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      do throws(Failure) {
        unsafe try body(bytes.span.bytes)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    if let result { try result.get() } else { try body(utf8Span.rawBytes) }
  }
}

extension UTF8Span {
  @inline(__always)
  package var rawBytes: RawSpan {
    @_lifetime(copy self)
    get { unsafe _overrideLifetime(span.bytes, copying: self) }
  }
}
