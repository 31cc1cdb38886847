@_spi(Archives) package import PropertyLists

/// Checks that a thread's stack has room for more nested objects.
package struct StackRoom {
  private var stack: CallStack?
  /// The number of nesting levels around this archive, and the greatest number of levels in total.
  private var levels = (outer: 0, greatest: 0)
  /// The number of levels that are kept free.
  private let reserve: Int

  package init(reserve: Int) { self.reserve = reserve }

  /// Returns the stack of this thread. Counts the levels again at the top.
  package mutating func stack(isTop: Bool) -> CallStack {
    if let stack, !isTop, stack.isOfThisThread { return stack }
    let stack = CallStack.current
    self.stack = stack
    levels = (stack.levelsBelow, min(stack.levels, KeyedArchiver.greatestDepth) - reserve)
    return stack
  }

  /// Returns true if work at this depth must continue on another stack because this one is full.
  package mutating func isUsedUp(at depth: Int, isTop: Bool) throws(KeyedArchiveError) -> Bool {
    let stack = stack(isTop: isTop)
    if isTooDeep(depth) { throw tooDeep(stack.size) }
    return !stack.hasRoom
  }

  /// True if the depth is not allowed. Valid only after ``stack(isTop:)`` has counted the levels.
  @inline(__always)
  package func isTooDeep(_ depth: Int) -> Bool { levels.outer + depth >= levels.greatest }

  /// Returns the error for values that are nested deeper than any stack allows.
  package func tooDeep(_ stackSize: Int) -> KeyedArchiveError {
    KeyedArchiveError(
      .nestedTooDeeply,
      "objects are nested more than \(levels.greatest) deep, which is as much as a thread with a stack of "
        + "\(stackSize) bytes can handle")
  }

  /// Runs the body on another stack. It is not mutating, because the body checks the stack itself.
  package func extended<T>(_ stack: CallStack, at depth: Int, _ body: () throws -> T) throws -> T? {
    try stack.extended(levels: levels.outer + depth, body)
  }

  package func noRoom(_ stack: CallStack, at depth: Int) -> KeyedArchiveError {
    KeyedArchiveError(
      .nestedTooDeeply,
      "objects are nested \(levels.outer + depth) deep, and the thread's stack of \(stack.size) bytes has no room "
        + "for more")
  }
}
