/// The bytes of an array, without a copy.
///
/// Memory-safe: `Span.bytes` is unsafe for elements with padding, and bytes have none.
extension [UInt8] {
  @inline(__always)
  package var rawBytes: RawSpan {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(span.bytes, borrowing: self) }
  }
}

extension [UInt8] {
  /// Copies a range of bytes.
  package init(_ bytes: RawSpan, _ range: Range<Int>) {
    self.init()
    append(bytes: bytes.extracting(range))
  }
}

extension String {
  /// Calls `body` with the UTF-8 of this string. `utf8Span` would need two calls into the standard library and a
  /// retain, which would be a third of the time for encoding an element that is only a string.
  @inline(__always)
  func withRawUTF8<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
    // Returns the error, because an optimized build with Swift 6.3 always treats an error as thrown if the closure
    // stores it in an outer variable.
    let outcome: BoxedError<Failure>?? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      do throws(Failure) {
        unsafe try body(bytes.span.bytes)
        return nil
      } catch {
        return BoxedError(error)
      }
    }
    guard let outcome else { return try body(utf8Span.rawBytes) }
    if let failure = outcome { throw failure.error }
  }
}

extension UTF8Span {
  @inline(__always)
  package var rawBytes: RawSpan {
    @_lifetime(copy self)
    get { unsafe _overrideLifetime(span.bytes, copying: self) }
  }
}

/// An error in an object of its own. No error is then a null pointer, which costs nothing to check and to destroy.
private final class BoxedError<Failure: Error> {
  let error: Failure

  init(_ error: Failure) { self.error = error }
}
