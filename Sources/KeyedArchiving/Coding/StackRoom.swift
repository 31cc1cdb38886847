@_spi(Archives) package import PropertyLists

/// The limits for the nesting of objects that are encoded or decoded: the number of levels, and the room on the
/// thread's stack.
package struct StackRoom {
  private var stack: CallStack?
  /// `outer`: the number of nesting levels around the archive, if the thread had already left its own stack when the
  /// archive's first level began; otherwise 0. `greatest`: the maximum number of levels in total.
  private var levels = (outer: 0, greatest: 0)
  /// The number of levels that the stack would allow, but that are not used.
  private let reserve: Int

  package init(reserve: Int) { self.reserve = reserve }

  /// Returns the stack of this thread. Determines the allowed levels again if the thread changed, or if `isTop` is
  /// true.
  ///
  /// - Parameter isTop: true if no object of the archive is being encoded or decoded.
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

  /// Runs the body on another stack. Returns nil, without running it, if there is no other stack. The function is not
  /// mutating, because the body calls mutating functions of the same value.
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
