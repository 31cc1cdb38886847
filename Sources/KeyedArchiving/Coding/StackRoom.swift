@_spi(Archives) package import PropertyLists

/// The room that a thread's stack has for objects within objects.
package struct StackRoom {
  private var stack: CallStack?
  /// How many levels of nested values there are around this archive, and how many there may be with those in it.
  private var levels = (outer: 0, greatest: 0)
  /// How many levels are left to others.
  private let reserve: Int

  package init(reserve: Int) { self.reserve = reserve }

  /// The stack of this thread, with the levels counted anew at the top.
  package mutating func stack(isTop: Bool) -> CallStack {
    if let stack, !isTop, stack.isOfThisThread { return stack }
    let stack = CallStack.current
    self.stack = stack
    levels = (stack.levelsBelow, min(stack.levels, KeyedArchiver.greatestDepth) - reserve)
    return stack
  }

  /// Returns true if work at this depth has to go on on another stack, because this one is full.
  package mutating func isUsedUp(at depth: Int, isTop: Bool) throws(KeyedArchiveError) -> Bool {
    let stack = stack(isTop: isTop)
    if isTooDeep(depth) { throw tooDeep(stack.size) }
    return !stack.hasRoom
  }

  /// True if nothing may be nested so deep. Only within a value, whose decoding has counted the levels.
  @inline(__always)
  package func isTooDeep(_ depth: Int) -> Bool { levels.outer + depth >= levels.greatest }

  /// The error for values that are nested deeper than any stack allows.
  package func tooDeep(_ stackSize: Int) -> KeyedArchiveError {
    KeyedArchiveError(
      .nestedTooDeeply,
      "objects are nested more than \(levels.greatest) deep, which is as much as a thread with a stack of "
        + "\(stackSize) bytes can handle")
  }

  /// Runs the body on another stack. Not mutating, because the body asks for room itself.
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
