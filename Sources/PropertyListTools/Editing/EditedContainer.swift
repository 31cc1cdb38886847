@_spi(Archives) internal import PropertyLists

/// A container of a text that is changed, with the offsets of its children.
struct EditedContainer {
  let kind: NodeKind
  /// The opening bracket; of a container of one tag, the tag.
  let opening: Range<Int>
  /// False for entries without braces around them.
  let hasBrackets: Bool
  let plan: ContainerPlan
  /// The keys that the entries of a dictionary are to have.
  let keys: [String]
  /// The values that the children are to have.
  let values: [PropertyList]
  let oldChildren: [Int]
  let newChildren: [Int]
  /// For each entry, whether it gets another key; empty if none does.
  let renamed: [Bool]
  /// With what the line begins on which the container stands.
  let line: Range<Int>
  /// With what the line begins on which the last child stands.
  var childLine: Range<Int>
  var children: [Child] = []

  /// An entry or element, from its key to its separator.
  struct Child {
    let start: Int
    /// Where the key ends; of an element, where it begins.
    var keyEnd: Int
    /// Empty for an entry of OpenStep that has a key alone.
    var value: Range<Int>
    /// What replaces the value.
    var content = Content.same
    /// Empty if there is none.
    var separator: Range<Int>

    init(start: Int) {
      self.start = start
      keyEnd = start
      value = start..<start
      separator = start..<start
    }

    var hasNoValue: Bool { value.isEmpty }
  }

  /// The child number `position` and what is to become of it, which is something.
  func counterpart(of position: Int) -> Counterpart {
    let target = plan.target[position]
    return Counterpart(old: oldChildren[position], new: newChildren[target], value: values[target])
  }

  /// The step of a key path to the child number `position` that is to be.
  func component(_ position: Int) -> PropertyListKeyPath.Component {
    kind == .dictionary && position < keys.count ? .key(keys[position]) : .index(position)
  }

  /// Whether the entry number `position` has another key from now on.
  func isRenamed(_ position: Int) -> Bool { !renamed.isEmpty && renamed[position] }

  /// Whether no line ended between the opening bracket and the last child.
  var isOnOneLine: Bool { hasBrackets && childLine == line }
}
