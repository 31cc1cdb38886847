/// A limit on work or memory, usually proportional to the size of the input.
@usableFromInline
package struct WorkBudget: Sendable {
  /// The initial amount.
  @usableFromInline package let limit: Int
  /// The remaining amount, or -1 after more was requested than remained.
  @usableFromInline var left: Int

  @inlinable package init(_ limit: Int) {
    self.limit = limit
    left = limit
  }

  /// Subtracts a nonnegative amount. Returns false if the budget has less left than that. All later calls then return
  /// false, too.
  @inlinable @inline(__always)
  package mutating func spend(_ amount: Int) -> Bool {
    guard amount <= left else {
      left = -1
      return false
    }
    left &-= amount
    return true
  }

  /// Makes all later calls of ``spend(_:)`` return false.
  package mutating func exhaust() { left = -1 }

  /// True if more was requested than remained.
  @inlinable package var isExhausted: Bool { left < 0 }

  package var remaining: Int { max(left, 0) }

  package var spent: Int { limit - remaining }
}
