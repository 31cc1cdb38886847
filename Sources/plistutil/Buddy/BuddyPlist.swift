import FoundationEssentials
import PropertyListTools
import PropertyLists
import ToolSupport

/// The property list that commands look at and change.
///
/// The first change is made in the text at once. The others are made in a tree, and in the text when it is asked for,
/// so that *n* commands do not write the text *n* times.
struct BuddyPlist {
  /// The bytes of the file, as far as they have the changes.
  private var bytes: Data
  private var document: PropertyListDocument
  /// The value with all changes, once there are several.
  private var tree: BuddyTree?
  private var isEdited = false
  /// True if ``tree`` has changes that ``bytes`` has not.
  private var isAhead = false
  /// Where entries begin that have no colon in front.
  private(set) var container = PropertyListKeyPath()

  /// True if whatever a fragment may hold can be in the file too, which is not known of characters that its encoding
  /// lacks.
  private let isWrittenLater: Bool
  private var hasHadCommand = false

  /// What is in a file.
  init(_ bytes: Data, _ document: PropertyListDocument) {
    self.bytes = bytes
    self.document = document
    isWrittenLater =
      document.format == .binary
      || ["UTF-8", "UTF8"].contains(TextSource.encoding(of: bytes, document.format).0.uppercased())
  }

  /// What is in a file that is not there yet.
  init() throws(PropertyListError) {
    let bytes = try PropertyList.dictionary([:]).data(format: .xml)
    self.init(bytes, try PropertyListDocument(bytes))
  }

  /// Prepares for a command. From the second on, entries are looked up in a tree.
  mutating func beginCommand() {
    if hasHadCommand, tree == nil { tree = (try? PropertyList(document.root)).map(BuddyTree.init) }
    hasHadCommand = true
  }

  /// Where an entry begins.
  func start(of entry: BuddyEntry?) throws(PropertyListError) -> BuddyTarget {
    let path = entry?.isAbsolute == true ? PropertyListKeyPath() : container
    guard let tree else { return BuddyTarget(path, try document.root.descendant(at: path)) }
    return BuddyTarget(path, try tree.descendant(at: path))
  }

  /// The value of an entry; nil if there is none.
  func value(at entry: BuddyEntry) throws(PropertyListError) -> BuddyTarget? {
    guard let target = try start(of: entry).descendant(entry.names) else { return nil }
    // The colon after the root, or after a dictionary, leads to itself.
    return entry.endsWithColon && !entry.names.isEmpty && target.kind == .array ? try target.lastElement() : target
  }

  /// Has entries begin in the container at a path.
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

  /// Merges a value into the container at a path, and keeps the layout of what stays.
  ///
  /// - Returns: the keys of `value` that were there already, and stay as they were.
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

  /// Replaces the whole with another value, and keeps the layout of what stays.
  mutating func update(to value: PropertyList) throws(PropertyListError) {
    try write()
    try replace { document, options throws(PropertyListError) in
      try document.data(updatedTo: value, options: options)
    }
  }

  /// The bytes of the file with all changes.
  mutating func currentBytes() throws(PropertyListError) -> Data {
    try write()
    return bytes
  }

  /// Makes the changes of the tree in the text.
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
    // As any other reader has to read it.
    document = try PropertyListDocument(new, format: document.format, options: document.options)
    bytes = new
    tree = nil
    (isEdited, isAhead) = (true, false)
  }

  /// The tree that changes are made in.
  private mutating func changedTree() throws(PropertyListError) -> BuddyTree {
    if let tree { return tree }
    let new = BuddyTree(try PropertyList(document.root))
    tree = new
    return new
  }

  /// A value as it is read from a file of the same format. Throws if the format has no form for it.
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

  /// Writes dates exactly or, with a warning, without the fractions of their seconds that a format has no form for.
  static func cutting(_ write: (Bool) throws(PropertyListError) -> Data) throws(PropertyListError) -> Data {
    do { return try write(false) } catch let exact {
      guard exact.kind == .notRepresentable, let data = try? write(true) else { throw exact }
      note("\(Buddy.programName): warning: dates are cut to whole seconds: \(exact.detail)")
      return data
    }
  }

  // The working container, where elements of an array before it come and go.

  /// - Returns: false if the value that was taken out of a path is the container, or one around it. It is the root
  ///   then.
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
  /// The edit with what `body` makes of its new value.
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
