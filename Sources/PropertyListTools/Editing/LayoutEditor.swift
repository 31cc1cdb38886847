@_spi(Archives) internal import PropertyLists

/// An editor that changes the text of a property list only where its value and a new one differ. It scans the text
/// once, in parallel with both values. An unchanged value is skipped as a whole. For a changed container, the offsets
/// of all children are recorded, and its pieces are assembled at its end. Open containers are kept on a separate stack.
struct LayoutEditor<Scanner: LayoutScanner> {
  var scanner: Scanner
  let fragments: FragmentWriter
  let old: ValueSignatures
  let new: ValueSignatures
  /// The entries of dictionaries that have duplicate keys, by the offset of the opening bracket; see ``RepeatedKeys``.
  let repeatedKeys: [Int: [Int]]
  /// The placeholders that replace containers that are not examined; nil if the values are complete.
  let standIns: StandIns?
  var frames: [EditedContainer] = []
  /// The number of child comparisons that may still be made, for all arrays.
  var budget = ArrayMatching.standardBudget
  var text = EditedText()

  /// The reason why the text could not be edited.
  enum Failure: Error {
    /// The text does not have the expected structure.
    case unknownLayout
    case error(PropertyListError)
  }

  /// Returns the whole text with the new value.
  mutating func edit(_ bytes: RawSpan, to value: PropertyList) throws(Failure) -> EditedText.Piece {
    guard let root = scanner.begin(bytes) else { throw .unknownLayout }
    var content: Content?
    let start = scanner.index
    switch root {
    case .value: content = try begin(Counterpart(old: 0, new: 0, value: value), bytes)
    case .entries:
      guard old[0].kind == .dictionary, new[0].kind == .dictionary else { throw .unknownLayout }
      try open(Counterpart(old: 0, new: 0, value: value), .dictionary, 0..<0, hasBrackets: false, bytes)
    }
    while !frames.isEmpty { content = try next(bytes) }
    guard let content else { throw .unknownLayout }
    var pieces: [EditedText.Piece] = []
    if root == .entries {
      append(content, at: 0..<bytes.byteCount, to: &pieces)
    } else {
      pieces.append(source: 0, start)
      append(content, at: start..<scanner.index, to: &pieces)
      pieces.append(source: scanner.index, bytes.byteCount)
    }
    return text.add(pieces)
  }

  func append(_ content: Content, at range: Range<Int>, to pieces: inout [EditedText.Piece]) {
    switch content {
    case .same: pieces.append(source: range.lowerBound, range.upperBound)
    case .piece(let piece): pieces.append(piece)
    }
  }
}

/// The new text of a value.
enum Content {
  /// The original text.
  case same
  case piece(EditedText.Piece)
}

/// A value of the text and its new value, with the indexes of both in the signatures.
struct Counterpart {
  let old: Int
  let new: Int
  let value: PropertyList
}

/// Functions that edit the values.
extension LayoutEditor {
  /// Edits the next value. Returns its new text, or nil for a changed container, which is then open.
  private mutating func begin(_ counterpart: Counterpart, _ bytes: RawSpan) throws(Failure) -> Content? {
    if old[counterpart.old].hash == new[counterpart.new].hash {
      guard let range = scanner.skipValue(bytes) else { throw .unknownLayout }
      if let number = standIns?.number(of: counterpart.value) { text.pass(range, standIn: number) }
      return .same
    }
    let kind = old[counterpart.old].kind
    guard kind.isContainer, kind == new[counterpart.new].kind else {
      guard let range = scanner.skipValue(bytes) else { throw .unknownLayout }
      return .piece(try replacement(of: kind, at: range, by: counterpart.value, bytes))
    }
    guard let token = scanner.token(bytes) else { throw .unknownLayout }
    switch token.kind {
    case .begin(kind): try open(counterpart, kind, token.range, hasBrackets: true, bytes)
    case .empty(kind):
      try open(counterpart, kind, token.range, hasBrackets: true, bytes)
      return try close(scanner.index..<scanner.index, isTag: true, bytes)
    default: throw .unknownLayout
    }
    return nil
  }

  private mutating func open(
    _ counterpart: Counterpart, _ kind: NodeKind, _ opening: Range<Int>, hasBrackets: Bool, _ bytes: RawSpan
  ) throws(Failure) {
    var oldChildren = old.children(of: counterpart.old)
    if kind == .dictionary, let entries = repeatedKeys[opening.lowerBound] {
      guard entries.allSatisfy({ $0 < oldChildren.count }) else { throw .unknownLayout }
      // Entries that a later duplicate overrides have no value in the signatures.
      oldChildren = entries.map { $0 < 0 ? -1 : oldChildren[$0] }
    }
    let newChildren = new.children(of: counterpart.new)
    let plan: ContainerPlan
    var renamed: [Bool] = []
    if kind == .dictionary {
      let oldKeys = oldChildren.map { $0 < 0 ? nil : old[$0].key }
      let newKeys = newChildren.map { new[$0].key }
      plan = ContainerPlan(oldKeys: oldKeys, newKeys: newKeys)
      renamed = zip(oldKeys, plan.target).map { $1 >= 0 && $0 != newKeys[$1] }
    } else {
      plan = ContainerPlan(oldElements: oldChildren, old, newElements: newChildren, new, budget: &budget)
    }
    let (keys, values): ([String], [PropertyList]) =
      switch counterpart.value {
      case .dictionary(let entries): (entries.keys.elements, entries.values.elements)
      case .array(let elements): ([], elements)
      default: ([], [])
      }
    let line = frames.last?.childLine ?? lineIndent(bytes, at: opening.lowerBound)
    frames.append(
      EditedContainer(
        kind: kind, opening: opening, hasBrackets: hasBrackets, plan: plan, keys: keys, values: values,
        oldChildren: oldChildren, newChildren: newChildren, renamed: renamed, line: line, childLine: line))
  }

  /// Returns the indent of the root's line.
  private func lineIndent(_ bytes: RawSpan, at offset: Int) -> Range<Int> {
    var start = offset
    while start > 0, bytes[start - 1] != 0x0A, bytes[start - 1] != 0x0D { start -= 1 }
    let spaces = scanner.spaces(bytes, at: start)
    return spaces.lowerBound..<min(spaces.upperBound, offset)
  }

  /// Edits the next child of the innermost container, or closes the container. Returns the new text of the root when
  /// that is closed, else nil.
  private mutating func next(_ bytes: RawSpan) throws(Failure) -> Content? {
    let depth = frames.count - 1
    scanner.skipTrivia(bytes, indent: &frames[depth].childLine)
    let start = scanner.index
    if start == bytes.byteCount || scanner.closes(bytes, at: start) {
      if frames[depth].hasBrackets {
        guard let token = scanner.token(bytes), case .end(frames[depth].kind) = token.kind else { throw .unknownLayout }
      } else if start < bytes.byteCount {
        throw .unknownLayout
      }
      guard frames[depth].children.count == frames[depth].oldChildren.count else { throw .unknownLayout }
      let content = try close(start..<scanner.index, isTag: false, bytes)
      guard !frames.isEmpty else { return content }
      try endChild(content, bytes)
      return nil
    }
    let position = frames[depth].children.count
    guard position < frames[depth].oldChildren.count else { throw .unknownLayout }
    var child = EditedContainer.Child(start: start)
    var isShorthand = false
    if frames[depth].kind == .dictionary {
      guard let key = scanner.token(bytes), case .scalar = key.kind else { throw .unknownLayout }
      child.keyEnd = key.range.upperBound
      scanner.skipTrivia(bytes, indent: &frames[depth].childLine)
      if let assignment = Scanner.assignment {
        if scanner.index < bytes.byteCount, bytes[scanner.index] == assignment {
          scanner.index += 1
          scanner.skipTrivia(bytes, indent: &frames[depth].childLine)
        } else {
          isShorthand = true
        }
      }
    }
    child.value = isShorthand ? child.keyEnd..<child.keyEnd : scanner.index..<scanner.index
    frames[depth].children.append(child)
    let target = frames[depth].plan.target[position]
    if isShorthand {
      scanner.index = child.keyEnd
      try endChild(try shorthandContent(position, bytes), bytes)
    } else if target < 0 {
      guard scanner.skipValue(bytes) != nil else { throw .unknownLayout }
      try endChild(.same, bytes)
    } else if let content = try begin(frames[depth].counterpart(of: position), bytes) {
      try endChild(content, bytes)
    }
    return nil
  }

  /// Returns the new text of the value in an OpenStep entry that has only a key. The key is also the value.
  private mutating func shorthandContent(_ position: Int, _ bytes: RawSpan) throws(Failure) -> Content {
    guard let frame = frames.last, frame.plan.target[position] >= 0 else { return .same }
    let counterpart = frame.counterpart(of: position)
    let (old, new) = (old[counterpart.old], new[counterpart.new])
    if old.hash == new.hash, old.key == new.key { return .same }
    return .piece(try replacement(of: .null, at: scanner.index..<scanner.index, by: counterpart.value, bytes))
  }

  /// Records the new text of the last child's value, and finds its separator.
  private mutating func endChild(_ content: Content, _ bytes: RawSpan) throws(Failure) {
    let depth = frames.count - 1
    let last = frames[depth].children.count - 1
    frames[depth].children[last].content = content
    let end = scanner.index
    frames[depth].children[last].value = frames[depth].children[last].value.lowerBound..<end
    frames[depth].children[last].separator = end..<end
    guard let separator = Scanner.separator(in: frames[depth].kind).byte else { return }
    scanner.skipTrivia(bytes)
    if scanner.index < bytes.byteCount, bytes[scanner.index] == separator {
      frames[depth].children[last].separator = scanner.index..<scanner.index + 1
      scanner.index += 1
    } else {
      scanner.index = end
    }
  }

  /// Assembles the innermost container. It ends at its closing bracket, unless it is a single tag.
  private mutating func close(_ closing: Range<Int>, isTag: Bool, _ bytes: RawSpan) throws(Failure) -> Content {
    guard let container = frames.popLast() else { throw .unknownLayout }
    var assembly = ContainerAssembly(scanner: scanner, container: container, fragments: fragments, closing: closing)
    do {
      let pieces =
        isTag || container.children.isEmpty
        ? try assembly.fill(isTag: isTag, bytes, &text) : try assembly.assemble(bytes, &text)
      return .piece(text.add(pieces))
    } catch {
      throw .error(located(error))
    }
  }

  /// Returns the text of a value that replaces another.
  private mutating func replacement(
    of kind: NodeKind, at range: Range<Int>, by value: PropertyList, _ bytes: RawSpan
  ) throws(Failure) -> EditedText.Piece {
    do {
      var fragments = fragments
      fragments.layout.indent = Array(bytes, layout: frames.last?.childLine ?? lineIndent(bytes, at: range.lowerBound))
      if let frame = frames.last { fragments.layout.isInline = fragments.layout.isInline || frame.isOnOneLine }
      if let pieces = try Scanner.replacement(of: kind, at: range, by: value, bytes, fragments, &text) {
        return text.add(pieces)
      }
      return text.add(try fragments.value(value))
    } catch {
      throw .error(located(error))
    }
  }

  /// Returns the error with a longer path: the path of the innermost container, followed by the error's own path.
  private func located(_ error: PropertyListError) -> PropertyListError {
    var components: [PropertyListKeyPath.Component] = []
    for frame in frames where !frame.children.isEmpty {
      let target = frame.plan.target[frame.children.count - 1]
      components.append(frame.component(max(target, 0)))
    }
    return error.below(components)
  }
}
