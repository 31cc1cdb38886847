/// An element of an array, which can be read in place only. Reading an element of an array or of a span of copyable
/// elements retains its content, which takes longer than writing a short string.
struct Unretained<Value>: ~Copyable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

extension Array {
  /// The elements, to be read in place.
  ///
  /// Memory-safe: a structure has the layout of its only property, and the span borrows the array.
  @inline(__always)
  var unretained: Span<Unretained<Element>> {
    @_lifetime(borrow self)
    get {
      let elements = unsafe span.withUnsafeBufferPointer { elements in
        unsafe UnsafeBufferPointer<Unretained<Element>>(
          start: UnsafeRawPointer(elements.baseAddress)?.assumingMemoryBound(to: Unretained<Element>.self),
          count: elements.count)
      }
      return unsafe _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
    }
  }
}
