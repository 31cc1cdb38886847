import FoundationEssentials
import PropertyListTools
import PropertyLists
import ToolSupport

/// The property list that commands read and change.
///
/// The first change is written to ``bytes`` immediately. Later changes are made in ``tree``, which is written when the
/// bytes are needed, so that *n* commands do not write all bytes *n* times.
struct BuddyPlist {
  /// The bytes of the file, with the changes that have been written.
  private var bytes: Data
  private var document: PropertyListDocument
  /// The value with all changes; nil until there are several commands.
  private var tree: BuddyTree?
  private var isEdited = false
  /// True if ``tree`` has changes that ``bytes`` does not have.
  private var isAhead = false
  /// The working container. Entries without a leading colon begin in it.
  private(set) var container = PropertyListKeyPath()

  /// True if changes may be collected in ``tree`` and written later. False for text that is not UTF-8: the encoding may
  /// not have a character of a new value, and then the command with that value must fail immediately.
  private let isWrittenLater: Bool
  private var hasHadCommand = false

  /// Creates the property list of a file.
  init(_ bytes: Data, _ document: PropertyListDocument) {
    self.bytes = bytes
    self.document = document
    isWrittenLater =
      document.format == .binary
      || ["UTF-8", "UTF8"].contains(TextSource.encoding(of: bytes, document.format).0.uppercased())
  }

  /// Creates the property list of a file that does not exist yet.
  init() throws(PropertyListError) {
    let bytes = try PropertyList.dictionary([:]).data(format: .xml)
    self.init(bytes, try PropertyListDocument(bytes))
  }

  /// Prepares for a command. From the second command on, entries are looked up in ``tree``.
  mutating func beginCommand() {
    if hasHadCommand, tree == nil { tree = (try? PropertyList(document.root)).map(BuddyTree.init) }
    hasHadCommand = true
  }

  /// Returns the container where the path of an entry begins: the root or the working container.
  func start(of entry: BuddyEntry?) throws(PropertyListError) -> BuddyTarget {
    let path = entry?.isAbsolute == true ? PropertyListKeyPath() : container
    guard let tree else { return BuddyTarget(path, try document.root.descendant(at: path)) }
    return BuddyTarget(path, try tree.descendant(at: path))
  }

  /// Returns the value of an entry; nil if it does not exist.
  func value(at entry: BuddyEntry) throws(PropertyListError) -> BuddyTarget? {
    guard let target = try start(of: entry).descendant(entry.names) else { return nil }
    // A colon at the end is ignored after a dictionary, and if it is the whole path.
    return entry.endsWithColon && !entry.names.isEmpty && target.kind == .array ? try target.lastElement() : target
  }

  /// Sets the working container.
  mutating func change(container path: PropertyListKeyPath) { container = path }

  /// Changes one value, and keeps the layout of all others.
  mutating func apply(_ edit: PropertyListEdit) throws(PropertyListError) {
    guard isEdited, isWrittenLater else {
      return try replace { document, options throws(PropertyListError) in
        try document.edited(by: edit, options: options).data
      }
    }
    let edit = try edit.mapValue { value throws(PropertyListError) in try asRead(value, at: edit.path) }
    try changedTree().apply(edit)
    isAhead = true
  }

  /// Merges a value into the container at a path, and keeps the layout of unchanged values.
  ///
  /// - Returns: the keys of `value` that existed already. Their values are not changed.
  mutating func merge(
    _ value: PropertyList, at path: PropertyListKeyPath, isRecursive: Bool
  ) throws(PropertyListError) -> [String] {
    if isEdited, isWrittenLater {
      let new = try asRead(value, at: path)
      let skippedKeys = try changedTree().merge(new, at: path, isRecursive: isRecursive)
      isAhead = true
      return skippedKeys
    }
    let tree = BuddyTree(try PropertyList(document.root))
    let skippedKeys = try tree.merge(value, at: path, isRecursive: isRecursive)
    try update(to: tree.value)
    return skippedKeys
  }

  /// Replaces the whole value, and keeps the layout of unchanged values.
  mutating func update(to value: PropertyList) throws(PropertyListError) {
    try write()
    try replace { document, options throws(PropertyListError) in
      try document.data(updatedTo: value, options: options)
    }
  }

  /// Returns the bytes of the file with all changes.
  mutating func currentBytes() throws(PropertyListError) -> Data {
    try write()
    return bytes
  }

  /// Writes the changes of ``tree`` to ``bytes``.
  private mutating func write() throws(PropertyListError) {
    guard isAhead, let value = tree?.value else { return }
    try replace { document, options throws(PropertyListError) in try document.data(updatedTo: value, options: options) }
  }

  private mutating func replace(
    _ edited: (PropertyListDocument, PropertyListWritingOptions) throws(PropertyListError) -> Data
  ) throws(PropertyListError) {
    let new = try Self.cutting { cuts throws(PropertyListError) in
      var options = PropertyListDocument.editingOptions(coerces: false)
      if cuts { options.fractionalSeconds = .drop }
      return try edited(document, options)
    }
    // Reads the new bytes again, as any other reader will.
    document = try PropertyListDocument(new, format: document.format, options: document.options)
    bytes = new
    tree = nil
    (isEdited, isAhead) = (true, false)
  }

  /// Returns the tree for changes. Creates it if it does not exist.
  private mutating func changedTree() throws(PropertyListError) -> BuddyTree {
    if let tree { return tree }
    let new = BuddyTree(try PropertyList(document.root))
    tree = new
    return new
  }

  /// Returns a value as it would be read back from the format of the file. Throws if the format cannot represent it.
  private func asRead(_ value: PropertyList, at path: PropertyListKeyPath) throws(PropertyListError) -> PropertyList {
    guard document.format != .binary else { return value }
    do {
      let data = try Self.cutting { cuts throws(PropertyListError) in
        var options = PropertyListDocument.editingOptions(coerces: false)
        if cuts { options.fractionalSeconds = .drop }
        return try value.data(format: document.format, options: options)
      }
      var options = document.options
      options.limits.depth = ParsingLimits.greatestDepth
      return try PropertyList(data, format: document.format, options: options)
    } catch {
      throw error.below(path.components)
    }
  }

  /// Writes dates exactly if the format allows it: calls `write` with false. If the format cannot represent fractions
  /// of seconds, prints a warning, and calls `write` with true to drop the fractions.
  static func cutting(_ write: (Bool) throws(PropertyListError) -> Data) throws(PropertyListError) -> Data {
    do { return try write(false) } catch let exact {
      guard exact.kind == .notRepresentable, let data = try? write(true) else { throw exact }
      note("\(Buddy.programName): warning: dates are cut to whole seconds: \(exact.detail)")
      return data
    }
  }

  // The working container must follow insertions and removals of array elements before it.

  /// Updates the path of the working container after a value was removed.
  ///
  /// - Returns: false if the removed value was the working container, or contained it. The working container is then
  ///   the root.
  mutating func containerFollows(removalAt path: PropertyListKeyPath) -> Bool {
    guard !container.components.starts(with: path.components) else {
      container = PropertyListKeyPath()
      return false
    }
    shift(after: path, by: -1)
    return true
  }

  mutating func containerFollows(insertionAt path: PropertyListKeyPath) { shift(after: path, by: 1) }

  private mutating func shift(after path: PropertyListKeyPath, by step: Int) {
    let depth = path.components.count - 1
    guard depth >= 0, container.components.count > depth,
      container.components.prefix(depth).elementsEqual(path.components.dropLast()),
      case .index(let index) = container.components[depth], case .index(let changed) = path.components[depth],
      index >= changed
    else { return }
    container.components[depth] = .index(index + step)
  }
}

extension PropertyListEdit {
  /// Returns the edit with its new value converted by `body`.
  fileprivate func mapValue(
    _ body: (PropertyList) throws(PropertyListError) -> PropertyList
  ) throws(PropertyListError) -> PropertyListEdit {
    switch self {
    case .insert(let value, let path): .insert(try body(value), at: path)
    case .replace(let value, let path): .replace(try body(value), at: path)
    case .set(let value, let path): .set(try body(value), at: path)
    case .append(let value, let path): .append(try body(value), at: path)
    case .remove(let path): .remove(at: path)
    }
  }
}
