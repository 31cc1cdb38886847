@_spi(Archives) internal import PropertyLists

/// A container of a text that is being changed, with the offsets of its children.
struct EditedContainer {
  let kind: NodeKind
  /// The opening bracket, or the tag of an empty element.
  let opening: Range<Int>
  /// True if the container has brackets; false for the entries of a strings file, which have no braces around them.
  let hasBrackets: Bool
  let plan: ContainerPlan
  /// The new keys of a dictionary.
  let keys: [String]
  /// The new values of the children.
  let values: [PropertyList]
  let oldChildren: [Int]
  let newChildren: [Int]
  /// For each old entry of a dictionary, true if its key changes. Empty for an array.
  let renamed: [Bool]
  /// The indent of the line that contains the opening bracket.
  let line: Range<Int>
  /// The indent of the line that contains the last child.
  var childLine: Range<Int>
  var children: [Child] = []

  /// An entry or element, from its key to its separator.
  struct Child {
    let start: Int
    /// The end of the key. An element of an array has no key; for it, the same as ``start``.
    var keyEnd: Int
    /// The range of the value. Empty for an entry of OpenStep that has only a key.
    var value: Range<Int>
    /// The new text of the value, or `same` if the value is unchanged.
    var content = Content.same
    /// The range of the separator. Empty if it is missing.
    var separator: Range<Int>

    init(start: Int) {
      self.start = start
      keyEnd = start
      value = start..<start
      separator = start..<start
    }

    var hasNoValue: Bool { value.isEmpty }
  }

  /// Returns the old child at a position with its new value. The child must not be one that is removed.
  func counterpart(of position: Int) -> Counterpart {
    let target = plan.target[position]
    return Counterpart(old: oldChildren[position], new: newChildren[target], value: values[target])
  }

  /// Returns the path component of the new child at a position.
  func component(_ position: Int) -> PropertyListKeyPath.Component {
    kind == .dictionary && position < keys.count ? .key(keys[position]) : .index(position)
  }

  /// Returns true if the key of the old entry at a position changes.
  func isRenamed(_ position: Int) -> Bool { !renamed.isEmpty && renamed[position] }

  /// True if no line ended between the opening bracket and the last child.
  var isOnOneLine: Bool { hasBrackets && childLine == line }
}
