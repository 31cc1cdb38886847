import FoundationEssentials
import PropertyListTools
import PropertyLists
import ToolSupport

/// The property list that commands look at and change: as the bytes of the file would be, and read.
struct BuddyPlist {
  private(set) var bytes: Data
  private(set) var document: PropertyListDocument
  /// Where entries begin that have no colon in front.
  private(set) var container = PropertyListKeyPath()

  /// What is in a file.
  init(_ bytes: Data, _ document: PropertyListDocument) {
    self.bytes = bytes
    self.document = document
  }

  /// What is in a file that is not there yet.
  init() throws(PropertyListError) {
    bytes = try PropertyList.dictionary([:]).data(format: .xml)
    document = try PropertyListDocument(bytes)
  }

  private var root: BuddyPlace { BuddyPlace(PropertyListKeyPath(), document.root) }

  /// Where an entry begins.
  func start(of entry: BuddyEntry?) throws(PropertyListError) -> BuddyPlace {
    guard entry?.isAbsolute != true, !container.components.isEmpty else { return root }
    return BuddyPlace(container, try document.root.descendant(at: container))
  }

  /// The value of an entry; nil if there is none.
  func value(at entry: BuddyEntry) throws(PropertyListError) -> BuddyPlace? {
    guard let place = try start(of: entry).descendant(entry.names) else { return nil }
    // The colon after the root, or after a dictionary, leads to itself.
    return entry.endsWithColon && !entry.names.isEmpty && place.node.kind == .array ? try place.lastElement() : place
  }

  /// Has entries begin in the container at a path.
  mutating func change(container path: PropertyListKeyPath) { container = path }

  /// Changes one value, and keeps the layout of all others.
  mutating func apply(_ edit: PropertyListEdit) throws(PropertyListError) {
    try replace { document, options throws(PropertyListError) in try document.edited(by: edit, options: options).data }
  }

  /// Puts another value in the place of the whole, and keeps the layout of what stays.
  mutating func update(to value: PropertyList) throws(PropertyListError) {
    try replace { document, options throws(PropertyListError) in
      try document.data(updatedTo: value, options: options)
    }
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
  }

  /// Writes dates exactly or, with a warning, without the fractions of their seconds that a format has no form for.
  static func cutting(_ write: (Bool) throws(PropertyListError) -> Data) throws(PropertyListError) -> Data {
    do throws(PropertyListError) {
      return try write(false)
    } catch let exact {
      guard exact.kind == .notRepresentable, let data = try? write(true) else { throw exact }
      note("\(Buddy.programName): warning: dates are cut to whole seconds: \(exact.detail)")
      return data
    }
  }
}

/// The working container, where elements of an array before it come and go.
extension BuddyPlist {
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
