@_spi(Archives) package import PropertyLists

/// Checks whether nested objects may be encoded or decoded at a depth, and whether the thread's stack has room for
/// them.
package struct StackRoom {
  private var stack: CallStack?
  /// The number of nesting levels that were in progress before this archive's first level, and the greatest number of
  /// levels in total.
  private var levels = (outer: 0, greatest: 0)
  /// The number of levels by which the greatest number is reduced.
  private let reserve: Int

  package init(reserve: Int) { self.reserve = reserve }

  /// Returns the stack of this thread. Determines the allowed levels if the thread changed, or if `isTop` is true: no
  /// object of the archive is being encoded or decoded.
  package mutating func stack(isTop: Bool) -> CallStack {
    if let stack, !isTop, stack.isOfThisThread { return stack }
    let stack = CallStack.current
    self.stack = stack
    levels = (stack.levelsBelow, min(stack.levels, KeyedArchiver.greatestDepth) - reserve)
    return stack
  }

  /// Returns true if the thread's stack is full, so that work at this depth must continue on another stack. Throws if
  /// the depth is not allowed.
  package mutating func isUsedUp(at depth: Int, isTop: Bool) throws(KeyedArchiveError) -> Bool {
    let stack = stack(isTop: isTop)
    if isTooDeep(depth) { throw tooDeep(stack.size) }
    return !stack.hasRoom
  }

  /// Returns true if the depth is not allowed. Call ``stack(isTop:)`` first, which determines the allowed levels.
  @inline(__always)
  package func isTooDeep(_ depth: Int) -> Bool { levels.outer + depth >= levels.greatest }

  /// Returns the error for values that are nested deeper than the allowed levels.
  package func tooDeep(_ stackSize: Int) -> KeyedArchiveError {
    KeyedArchiveError(
      .nestedTooDeeply,
      "objects are nested more than \(levels.greatest) deep, which is as much as a thread with a stack of "
        + "\(stackSize) bytes can handle")
  }

  /// Runs the body on another stack. Returns nil, without running it, if no other stack is available. Not mutating,
  /// because the body calls mutating methods of the same value.
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
