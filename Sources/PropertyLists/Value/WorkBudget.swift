/// An amount of work or of memory that is allowed in proportion to the input.
@usableFromInline
package struct WorkBudget: Sendable {
  /// The amount at first.
  @usableFromInline package let limit: Int
  /// The amount that is left; -1 when more was asked for.
  @usableFromInline var left: Int

  @inlinable package init(_ limit: Int) {
    self.limit = limit
    left = limit
  }

  /// Takes an amount, which is not below 0. Returns false if less is left; all later calls return false, too.
  @inlinable @inline(__always)
  package mutating func spend(_ amount: Int) -> Bool {
    guard amount <= left else {
      left = -1
      return false
    }
    left &-= amount
    return true
  }

  /// Lets all later calls of ``spend(_:)`` fail.
  package mutating func exhaust() { left = -1 }

  /// True if more was asked for than there was.
  @inlinable package var isExhausted: Bool { left < 0 }

  package var remaining: Int { max(left, 0) }

  package var spent: Int { limit - remaining }
}
