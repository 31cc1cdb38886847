internal import FoundationEssentials
internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

/// Merges the objects of all archives that are nested in an archive or in a property list into one object table.
///
/// The objects of the outermost archive keep their UIDs, and those of others follow. Data that contains an archive is
/// replaced with a reference to the archive's root. Nested archives are added to a list and processed one after
/// another, without recursion.
struct ArchiveMerger: ~Copyable {
  private var values = PooledValues()
  private(set) var unwrapper: Unwrapper
  private let path: PropertyListKeyPath
  private var archives: [Member] = []
  private var objectCount: Int
  private var classes: [ClassKey: UInt32] = [:]
  /// The contents of each data value that begins like an archive or a property list.
  private var contents: [DataKey: Content] = [:]
  /// The property lists that were opened, each with its nesting depth. Containers in ``frames`` are not counted.
  private var lists: [(document: PropertyListDocument, depth: Int)] = []
  /// The number of archives whose ``Member/targets`` have been determined.
  private var foundCount = 0
  /// True if UID 0 is `$null` in the merged table.
  private var hasNull = true
  private var frames: [Frame] = []

  /// An archive to merge, and the new UIDs of its objects.
  private struct Member {
    let archive: KeyedArchive
    let depth: Int
    /// The value that replaces the data that contained the archive: the value of the key `root`, if `root` is the only
    /// top-level key, and if its value is not an array or a dictionary. Otherwise nil: the whole top then replaces the
    /// data.
    let root: FlatNode?
    /// The smallest UID of the archive's own objects.
    var base: UInt32 = 0
    var targets: [Target] = []
  }

  /// The new UID of an object.
  private enum Target {
    case uid(UInt32)
    /// The new UID of the root of the archive with this index. The object itself is data that contains this archive.
    case root(of: Int)
  }

  private struct ClassKey: Hashable {
    let name: String
    let classes: [String]
    let hints: [String]
  }

  private struct DataKey: Hashable {
    let owner: Owner
    let node: FlatNode
  }

  /// The document that contains a value.
  private enum Owner: Hashable {
    case archive(Int)
    case list(Int)
  }

  private enum Content {
    case nothing
    case archive(Int)
    case list(Int)
  }

  private enum KeyForm { case unchanged, escaped, unescaped }

  private struct Value {
    var node: FlatNode
    var document: PropertyListDocument
    var owner: Owner
    var keyForm = KeyForm.unchanged
  }

  private struct Frame {
    let value: Value
    let start: Int
    var next = 0
  }

  init(_ unwrapper: Unwrapper, at path: PropertyListKeyPath = PropertyListKeyPath()) {
    self.unwrapper = unwrapper
    self.path = path
    objectCount = 1
  }

  /// Returns the unwrapper, with the rest of its budget and with its counts.
  consuming func takeUnwrapper() -> Unwrapper { unwrapper }

  /// Returns an archive with the objects of this archive and of all archives that are nested in it.
  mutating func merge(_ archive: KeyedArchive) throws(KeyedArchiveError) -> KeyedArchive {
    let document = archive.document
    objectCount = archive.objects.count
    hasNull = false
    if objectCount > 0 { hasNull = document.isNullObject(try translated(archive.objectsNode.child(at: 0)).flat) }
    archives.append(Member(archive: archive, depth: 0, root: nil))
    try findTargets()
    var entries: [FlatNode] = []
    for entry in 0..<document.flatRoot.count {
      let key = try translated(document.key(ofEntry: entry, of: document.flatRoot))
      guard key != "$objects" else { continue }
      let value = try translated(document.value(ofEntry: entry, of: document.flatRoot))
      entries.append(try string(key))
      entries.append(try copy(Value(node: value, document: document, owner: .archive(0))))
    }
    return try finish(entries)
  }

  /// Returns an archive for a property list that is not an archive. The top of the archive has the values of the
  /// property list. The objects are those of the archives that are nested in the property list.
  mutating func merge(_ document: PropertyListDocument) throws(KeyedArchiveError) -> KeyedArchive {
    lists.append((document, 0))
    var root = Value(node: document.flatRoot, document: document, owner: .list(0))
    if root.node.kind == .dictionary { root.keyForm = .escaped }
    var top = try copy(root)
    if root.node.kind != .dictionary { top = try values.container(.dictionary, [string("root"), top]) }
    return try finish([
      string("$version"), .integer(ArchiveLayout.version), string("$archiver"), string(ArchiveLayout.archiverName),
      string("$top"), top,
    ])
  }

  private mutating func finish(_ entries: [FlatNode]) throws(KeyedArchiveError) -> KeyedArchive {
    let root = try values.container(.dictionary, entries + [string("$objects"), objectTable()])
    return try KeyedArchive(values.takeFile(root: root), limits: unwrapper.innerLimits)
  }

  private mutating func objectTable() throws(KeyedArchiveError) -> FlatNode {
    let null = try values.reference(to: string("$null"))
    var objects = [ValuePool.Reference](repeating: null, count: max(objectCount, 1))
    var index = 0
    // The list grows while objects are copied, because their data can contain more archives.
    while index < archives.count {
      let archive = archives[index].archive
      for (uid, target) in archives[index].targets.enumerated() {
        guard case .uid(let target) = target, target >= archives[index].base else { continue }
        let node = try translated(archive.document.element(uid, of: archive.objectsNode.flat))
        let object = try copy(Value(node: node, document: archive.document, owner: .archive(index)))
        while objects.count < objectCount { objects.append(null) }
        objects[Int(target)] = try values.reference(to: object)
      }
      index += 1
    }
    return try values.array(objects)
  }

  private mutating func string(_ text: String) throws(KeyedArchiveError) -> FlatNode {
    try unwrapper.spend(1 + text.utf8.count)
    return try values.string(text)
  }

  /// Determines the new UIDs of the objects of all archives that were added to the list since the last call.
  private mutating func findTargets() throws(KeyedArchiveError) {
    while foundCount < archives.count {
      try findTargets(of: foundCount)
      foundCount += 1
    }
  }

  private mutating func findTargets(of index: Int) throws(KeyedArchiveError) {
    let archive = archives[index].archive
    var reader = ArchiveReader(forAllOf: archive)
    let isOutermost = index == 0 && lists.isEmpty
    let base = isOutermost ? 0 : UInt32(truncatingIfNeeded: objectCount)
    var targets: [Target] = []
    for uid in 0..<UInt32(clamping: archive.objects.count) {
      try unwrapper.spend(1)
      let node = try reader.object(uid)
      if let target = try sharedTarget(uid, node, of: index, &reader, isOutermost: isOutermost) {
        targets.append(target)
      } else if isOutermost {
        targets.append(.uid(uid))
      } else {
        targets.append(.uid(UInt32(truncatingIfNeeded: objectCount)))
        objectCount += 1
      }
    }
    archives[index].base = base
    archives[index].targets = targets
  }

  /// Returns the UID of an object that replaces another one: the root of an archive for data that contains the archive,
  /// the existing class description for an equal one, or the existing `$null`. Returns nil if the object is not
  /// replaced.
  private mutating func sharedTarget(
    _ uid: UInt32, _ node: FlatNode, of index: Int, _ reader: inout ArchiveReader, isOutermost: Bool
  ) throws(KeyedArchiveError) -> Target? {
    let archive = archives[index]
    switch node.kind {
    case .data:
      let value = Value(node: node, document: archive.archive.document, owner: .archive(index))
      guard case .archive(let inner) = try content(of: value, depth: archive.depth), archives[inner].root?.kind == .uid
      else { return nil }
      return .root(of: inner)
    case .dictionary:
      guard try reader.kind(ofDictionary: node) == .classDescription, let description = try reader.classDescription(uid)
      else { return nil }
      let key = ClassKey(name: description.name, classes: description.classes, hints: description.hints)
      if let known = classes[key] { return isOutermost ? nil : .uid(known) }
      classes[key] = isOutermost ? uid : UInt32(truncatingIfNeeded: objectCount)
      return nil
    default: return hasNull && !isOutermost && archive.archive.document.isNullObject(node) ? .uid(0) : nil
    }
  }

  /// Returns a UID node for the new UID of an archive's object. For a UID in a property list, which has another
  /// meaning, returns the dictionary `{"CF$UID": …}`.
  private mutating func reference(_ uid: UInt32, _ owner: Owner) throws(KeyedArchiveError) -> FlatNode {
    guard case .archive(var index) = owner else {
      return try values.container(.dictionary, [string("CF$UID"), .integer(uid)])
    }
    var uid = uid
    while uid < archives[index].targets.count {
      switch archives[index].targets[Int(uid)] {
      case .uid(let target): return .uid(target)
      case .root(let inner):
        guard let root = archives[inner].root, root.kind == .uid else { return .uid(0) }
        (index, uid) = (inner, root.uid)
      }
    }
    // The reference leads beyond the archive's own table. It must not become a UID, because the merged table is larger.
    return try values.container(.dictionary, [string("no object"), .integer(uid)])
  }

  private mutating func content(of value: Value, depth: Int) throws(KeyedArchiveError) -> Content {
    guard value.document.nestedBegins(value.node) else { return .nothing }
    let key = DataKey(owner: value.owner, node: value.node)
    if let known = contents[key] { return known }
    var content = Content.nothing
    if let opened = try unwrapper.open(value.node, in: value.document, at: path) {
      try unwrapper.check(depth: depth + 1)
      switch opened {
      case .propertyList(let document):
        content = .list(lists.count)
        // The containers around the data are in `frames`, and are counted separately.
        lists.append((document, self.depth(of: value.owner) + 1))
      case .archive(let archive):
        content = .archive(archives.count)
        archives.append(Member(archive: archive, depth: depth + 1, root: try archive.soleRoot()))
      }
    }
    contents[key] = content
    return content
  }

  private func depth(of owner: Owner) -> Int {
    switch owner {
    case .archive(let index): archives[index].depth
    case .list(let index): lists[index].depth
    }
  }

  /// Copies a value into the pool, and returns the copy. In the copy, data that contains an archive or a property list
  /// is replaced with this archive or property list.
  private mutating func copy(_ value: Value) throws(KeyedArchiveError) -> FlatNode {
    try begin(value)
    while let frame = frames.last {
      let node = frame.value.node
      guard frame.next < node.count else {
        frames.removeLast()
        try values.close(node.kind, from: frame.start)
        continue
      }
      frames[frames.count - 1].next += 1
      var child = frame.value
      child.keyForm = .unchanged
      if node.kind == .dictionary {
        let key = try translated(child.document.key(ofEntry: frame.next, of: node))
        switch frame.value.keyForm {
        case .unchanged: values.append(try string(key))
        case .escaped: values.append(try string(ArchiveKey.escaped(key)))
        case .unescaped: values.append(try string(ArchiveKey.unescaped(key)))
        }
        child.node = try translated(child.document.value(ofEntry: frame.next, of: node))
      } else {
        child.node = try translated(child.document.element(frame.next, of: node))
      }
      try begin(child)
    }
    return values.removeLast()
  }

  private mutating func begin(_ value: Value) throws(KeyedArchiveError) {
    var value = value
    // Data may contain a property list whose root is data again.
    while value.node.kind == .data, try open(&value) {}
    try unwrapper.spend(1)
    switch value.node.kind {
    case .string: values.append(try string(translated(value.document.text(of: value.node))))
    case .data:
      try unwrapper.spend(value.node.length)
      try values.append(value.document.data(of: value.node))
    case .uid: values.append(try reference(value.node.uid, value.owner))
    case .array, .dictionary:
      let depth = depth(of: value.owner) + frames.count
      try unwrapper.check(depth: depth)
      try unwrapper.spend(1)
      frames.append(Frame(value: value, start: values.count))
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date: values.append(value.node)
    }
  }

  /// Replaces data with the property list or archive that it contains. Returns false if the data contains neither, or
  /// if the content cannot be read.
  private mutating func open(_ value: inout Value) throws(KeyedArchiveError) -> Bool {
    let depth = depth(of: value.owner) + frames.count
    switch try content(of: value, depth: depth) {
    case .nothing: return false
    case .list(let index):
      let document = lists[index].document
      value = Value(node: document.flatRoot, document: document, owner: .list(index))
    case .archive(let index):
      try findTargets()
      let archive = archives[index].archive
      value = Value(
        node: archives[index].root ?? archive.topNode.flat, document: archive.document, owner: .archive(index),
        keyForm: archives[index].root == nil ? .unescaped : .unchanged)
    }
    return true
  }
}
