public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// An archiver that encodes a graph of values and objects into a keyed archive.
///
/// ```swift
/// let data = try KeyedArchiver.archivedData(withRootObject: person)
/// ```
///
/// The archive has the same objects, order, UIDs, class descriptions and keys as one from Apple's archiver, and
/// `NSKeyedUnarchiver` reads it.
///
/// To encode several top-level values, or to change class names in one archive, create an archiver:
///
/// ```swift
/// let archiver = KeyedArchiver()
/// try archiver.encode(document, forKey: "document")
/// try archiver.encode(window, forKey: "window")
/// let data = try archiver.encodedData()
/// ```
///
/// - Note: After an error the archive is incomplete, so all further calls of the archiver throw that error.
public final class KeyedArchiver {
  /// The format of the data that ``encodedData()`` returns.
  public let outputFormat: PropertyListFormat

  /// The greatest nesting depth of objects on any thread. On a thread with less than 8 MB of stack it is smaller: one
  /// level for each 832 bytes, for example 614 on a thread with 512 KB.
  ///
  /// A value that was archived on a thread can also be unarchived, compared, hashed and released on it.
  public static let greatestDepth = 10_000

  /// The key of the root object in archives from ``archivedData(withRootObject:outputFormat:)``.
  public static let rootObjectKey = "root"

  var classes = WrittenClasses()

  // These properties are used for every value, and checking their exclusivity at run time would take a fifth of the
  // time. Unchecked exclusivity is safe: each access ends before code outside of this package is called, so accesses do
  // not overlap.
  @safe @exclusivity(unchecked) var pool = ObjectPool()
  @safe @exclusivity(unchecked) private var keys = ArchivedKeys()
  /// The keys and values of the objects being encoded, those of the innermost object last.
  @safe @exclusivity(unchecked) private var entries: [Entry] = []
  @safe @exclusivity(unchecked) private var storedElements: [FlatNode] = []
  @safe @exclusivity(unchecked) private var outer: [Frame] = []
  @safe @exclusivity(unchecked) var current: Frame

  /// The UIDs of the class instances that have been referenced. ``retained`` keeps the instances alive, so that no
  /// other object gets the same identity.
  var identities: [ObjectIdentifier: UInt32] = [:]
  var retained: [AnyObject] = []
  /// The objects that have only been referenced conditionally, by UID. An object with a replacement is stored as its
  /// replacement.
  var conditional: [UInt32: any SecureCoding] = [:]

  /// The arrays of ``ArchivedValue`` that have been archived, by the address of their elements. The arrays are kept
  /// alive, so that no other array gets the same address.
  var sharedElements: [UInt: (elements: Any, height: Int, reference: ArchivedReference)] = [:]
  /// The greatest ``depth`` that was reached while the current value was encoded.
  var deepest = 0

  /// The new UIDs of opaque objects that have been archived, by their source document and their UID in it.
  var copied: [ObjectIdentifier: [UInt32: UInt32]] = [:]

  var isReplacement = false
  /// The limits of an archive that is made only to order an element of a collection; see ``CanonicalOrder``. Nil for
  /// all other archives.
  var extent: CanonicalOrder.Extent?
  /// If ``extent`` is not nil, the nesting depth of the collection that contains the element; otherwise 0.
  private let outerDepth: Int
  /// The number of collections among the objects being encoded. Collections do not count as nesting levels.
  private var collectionDepth = 0
  /// The limit of the nesting depth. Because of its reserve, the archiver allows fewer levels than an unarchiver. So an
  /// archive can be decoded on the thread that made it.
  private var stackRoom = StackRoom(reserve: 16)
  private var failure: (any Error)?
  private var hasFinished = false

  struct Entry {
    let key: FlatNode
    let value: FlatNode
  }

  struct Frame {
    let type: WrittenClasses.Record
    let start: Int
    /// True for a collection, which is not a nesting level of its own.
    var isCollection = false
    /// The key or index of the part that is being encoded.
    var step: PropertyListKeyPath.Component?
  }

  /// Creates an archiver for one archive.
  ///
  /// Apple's software reads archives in the binary format and in XML. The formats JSON and OpenStep have no references,
  /// and lack other types of value too. These are written in the form of
  /// `PropertyListWritingOptions.Coercion.reversible`, which this package can read.
  ///
  /// - Parameter outputFormat: the format of the data that ``encodedData()`` returns.
  public init(outputFormat: PropertyListFormat = .binary) {
    self.outputFormat = outputFormat
    current = Frame(type: WrittenClasses.Record.ofTop(), start: 0)
    outerDepth = 0
  }

  /// Creates an archiver whose archive is made only to order an element of a collection, which `coder` is about to
  /// encode.
  init(_ extent: CanonicalOrder.Extent, within coder: KeyedArchiver) {
    outputFormat = .binary
    current = Frame(type: WrittenClasses.Record.ofTop(), start: 0)
    self.extent = extent
    outerDepth = coder.depth
    stackRoom = coder.stackRoom
  }

  /// Archives one value, under the key `root`.
  ///
  /// - Throws: ``KeyedArchiveError``, or an error of a type's own ``SecureCoding/encode(with:)``.
  /// - Complexity: O(*n*) in the size of the graph.
  public static func archivedData<Root: SecureCoding>(
    withRootObject root: Root, outputFormat: PropertyListFormat = .binary
  ) throws -> Data {
    try archiver(of: root, outputFormat).encodedData()
  }

  /// Archives one value and writes the archive to a file, atomically: another program that opens the file reads either
  /// the old contents or the complete new ones.
  ///
  /// ```swift
  /// try KeyedArchiver.archive(notes, to: url)
  /// let notes = try KeyedUnarchiver.unarchivedObject(of: [Note].self, from: url)
  /// ```
  ///
  /// - Throws: The errors of ``archivedData(withRootObject:outputFormat:)``, and
  ///   ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot be written. The file is then unchanged.
  public static func archive<Root: SecureCoding>(
    _ root: Root, to url: URL, outputFormat: PropertyListFormat = .binary
  ) throws {
    try archiver(of: root, outputFormat).write(to: url)
  }

  private static func archiver(of root: some SecureCoding, _ format: PropertyListFormat) throws -> KeyedArchiver {
    let archiver = KeyedArchiver(outputFormat: format)
    try archiver.encode(root, forKey: rootObjectKey)
    return archiver
  }

  /// Completes the archive. Nothing can be encoded afterwards.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` if the archive is already complete or an object is being encoded;
  ///   ``KeyedArchiveError/Kind/duplicateKey`` if a top-level key was encoded twice; the error of an earlier call, if
  ///   one failed.
  public func encodedData() throws -> Data {
    try checkState()
    guard outer.isEmpty else {
      throw KeyedArchiveError(.finished, "the archive cannot be completed while an object is being encoded")
    }
    hasFinished = true
    let data = try binaryData()
    if outputFormat == .binary { return data }
    let limits = ParsingLimits(depth: .max, inputSize: .max, expandedSize: .max)
    let document = try translated(PropertyListDocument(data, format: .binary, options: .init(limits: limits)))
    let options = PropertyListWritingOptions(
      sortsKeys: outputFormat == .xml, depth: .max, coercion: .reversible, openStepDialect: .gnustep)
    return try translated(document.root.data(format: outputFormat, options: options))
  }

  /// Completes the archive and replaces a file with it, atomically. Nothing can be encoded afterwards.
  ///
  /// - Throws: The errors of ``encodedData()``, and ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot be
  ///   written. The file is then unchanged.
  public func write(to url: URL) throws {
    let data = try encodedData()
    try translated(data.replaceFile(at: url))
  }

  private func binaryData() throws -> Data {
    let top = try contents(of: current, classUID: nil, isShared: false)
    // Releases memory that is needed only while values are encoded.
    identities = [:]
    sharedElements = [:]
    retained = []
    elements = []
    entries = []
    return try pool.finish(top: top)
  }

  /// A stack of nodes: the elements of the arrays that are being encoded, and the keys and values of an object that is
  /// about to be stored. The property has accessors because the span of the stack is valid only during an access.
  @inline(__always)
  var elements: [FlatNode] {
    _read { yield storedElements }
    _modify { yield &storedElements }
  }

  /// Sets the class name for objects of a type, in this archive only. Nil restores the type's own name.
  ///
  /// ```swift
  /// archiver.setClassName("OldApp.Note", for: Note.self)
  /// ```
  ///
  /// The ancestors of a renamed class are not written, as on Apple's systems. Call this method before you encode
  /// objects of the type.
  public func setClassName(_ name: String?, for type: any SecureCoding.Type) { classes.setName(name, for: type) }

  /// Returns the name that was set with ``setClassName(_:for:)``.
  public func className(for type: any SecureCoding.Type) -> String? { classes.names[ObjectIdentifier(type)] }

  func checkState() throws {
    if let failure { throw failure }
    if hasFinished { throw KeyedArchiveError(.finished, "the archive is complete") }
  }

  /// Encodes the value that a closure returns under a key of the current object. The key is written unchanged.
  @inline(__always)
  func encode(rawKey key: String, _ value: (KeyedArchiver) throws -> FlatNode) throws {
    if failure != nil || hasFinished { try checkState() }
    current.step = .key(key)
    do {
      let position = entries.count - current.start
      let key = try current.type.key(key, at: position, in: &keys, &pool)
      let value = try value(self)
      entries.append(Entry(key: key, value: value))
    } catch {
      throw fail(error)
    }
  }

  /// Encodes the value that a closure returns, under a key that a type has chosen. If the key begins with `$`, a second
  /// `$` is added.
  @inline(__always)
  func encode(userKey key: String, _ value: (KeyedArchiver) throws -> FlatNode) throws {
    try encode(rawKey: ArchiveKey.escaped(key), value)
  }

  @inline(never)
  private func fail(_ error: any Error) -> any Error {
    if let failure { return failure }
    var error = error
    if var located = error as? KeyedArchiveError, located.path == nil {
      located.path = path
      error = located
    }
    failure = error
    return error
  }

  private var path: PropertyListKeyPath { PropertyListKeyPath((outer + [current]).compactMap(\.step)) }

  /// Calls `encode(with:)` of a value or an object, and returns the encoded contents.
  ///
  /// - Parameter isShared: true for a value, so that equal contents are stored once; false for a class instance.
  func contents<T: SecureCoding>(of value: T, _ record: WrittenClasses.Record, isShared: Bool) throws -> FlatNode {
    if isStackDue, try needsMoreStack() {
      return try onMoreStack {
        enter(record)
        try value.encode(with: self)
        return try leave(isShared: isShared)
      }
    }
    enter(record)
    try value.encode(with: self)
    return try leave(isShared: isShared)
  }

  @inline(never)
  private func enter(_ record: WrittenClasses.Record) {
    outer.append(Frame(type: record, start: entries.count))
    let last = outer.count - 1
    swap(&outer[last], &current)
    deepest = max(deepest, depth)
  }

  @inline(never)
  private func leave(isShared: Bool) throws -> FlatNode {
    // The value may have caught the error of an encoding call, but its contents are incomplete.
    if let failure { throw failure }
    // The class description is written after the contents, because Apple's archiver assigns UIDs in this order.
    let classUID = try current.type.uid ?? classes.write(current.type, into: &pool)
    let result = try contents(of: current, classUID: classUID, isShared: isShared)
    if current.isCollection { collectionDepth -= 1 }
    let last = outer.count - 1
    swap(&outer[last], &current)
    outer.removeLast()
    return result
  }

  /// Marks the current object as a collection of elements of one type, so that it does not count as a nesting level.
  func noteCollection() {
    if outer.isEmpty || current.isCollection { return }
    current.isCollection = true
    collectionDepth += 1
  }

  var depth: Int { outerDepth + outer.count - collectionDepth }

  /// True at every fourth level, where the free space on the stack is checked. The stack's reserve is large enough for
  /// the levels between two checks.
  @inline(__always)
  private var isStackDue: Bool { outer.count & 3 == 0 }

  /// Returns true if the stack is full, so that encoding must continue on another stack.
  ///
  /// - Parameter more: the number of levels between the current object and the value that is encoded next.
  @inline(never)
  func needsMoreStack(within more: Int = 0) throws -> Bool {
    try stackRoom.isUsedUp(at: depth + more, isTop: isAtTop && more == 0)
  }

  private var isAtTop: Bool { outer.isEmpty && outerDepth == 0 }

  /// Runs the body on another stack. Throws if none is available.
  func onMoreStack<T>(_ body: () throws -> T) throws -> T {
    let stack = stackRoom.stack(isTop: isAtTop)
    let room = stackRoom
    guard let value = try room.extended(stack, at: depth, body) else { throw room.noRoom(stack, at: depth) }
    return value
  }

  func checkStack() throws {
    let stack = stackRoom.stack(isTop: isAtTop)
    if !stack.hasRoom { throw stackRoom.noRoom(stack, at: depth) }
  }

  /// Adds the dictionary of a finished object to the object pool, and returns its node. The keys have the order of Core
  /// Foundation's dictionaries.
  private func contents(of frame: Frame, classUID: UInt32?, isShared: Bool) throws -> FlatNode {
    let start = frame.start
    if let classUID {
      let key = try frame.type.key("$class", at: entries.count - start, in: &keys, &pool)
      entries.append(Entry(key: key, value: .uid(classUID)))
    }
    let order = try frame.type.order(of: entries, from: start, in: keys)
    defer { entries.removeLast(entries.count - start) }
    let first = elements.count
    for position in order {
      let entry = entries[start + position]
      elements.append(entry.key)
      elements.append(entry.value)
    }
    defer { elements.removeLast(2 * order.count) }
    return try pool.container(.dictionary, elements.span.extracting(first...), isShared: isShared)
  }
}
