public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// Puts a graph of values and objects into a keyed archive.
///
/// ```swift
/// let data = try KeyedArchiver.archivedData(withRootObject: person)
/// ```
///
/// An archive made here has the objects, the order, the UIDs and the class descriptions that Apple's archiver would
/// give it, in the layouts of Apple's classes; `NSKeyedUnarchiver` reads it.
///
/// For several values at the top, or class names of one archive's own, make an archiver:
///
/// ```swift
/// let archiver = KeyedArchiver()
/// try archiver.encode(document, forKey: "document")
/// try archiver.encode(window, forKey: "window")
/// let data = try archiver.encodedData()
/// ```
///
/// - Note: After an error the archive is incomplete, so everything that is asked of the archiver from then on throws.
public final class KeyedArchiver {
  /// The format of ``encodedData()``.
  public let outputFormat: PropertyListFormat

  /// How deep objects may be nested on any thread. On one with less than 8 MB of stack it is less: one level for each
  /// 832 bytes, such as 614 on a thread with 512 KB.
  ///
  /// What is archived on a thread can be unarchived on it, compared, hashed and freed.
  public static let greatestDepth = 10_000

  /// The key of the one value of archives that ``archivedData(withRootObject:outputFormat:)`` makes.
  public static let rootObjectKey = "root"

  var classes = WrittenClasses()

  // What every value goes through. Sound: each access is over before code of somebody else is called, so no two
  // overlap, and checking that at run time would take a fifth of the time.
  @safe @exclusivity(unchecked) var pool = ObjectPool()
  @safe @exclusivity(unchecked) private var keys = ArchivedKeys()
  /// Keys and values of the objects that are being encoded, those of the innermost last.
  @safe @exclusivity(unchecked) private var entries: [Entry] = []
  @safe @exclusivity(unchecked) private var storedElements: [FlatNode] = []
  @safe @exclusivity(unchecked) private var outer: [Frame] = []
  @safe @exclusivity(unchecked) var current: Frame

  /// The UIDs of objects of classes, which ``retained`` keeps alive, so that no other object gets the same identity.
  var identities: [ObjectIdentifier: UInt32] = [:]
  var retained: [AnyObject] = []
  /// By the UIDs of objects that have been referred to conditionally only: what is to be archived as them.
  var conditional: [UInt32: any SecureCoding] = [:]

  /// The arrays of any values that have been archived, by the addresses of their elements. Kept, so that no other array
  /// gets the same address.
  var sharedElements: [UInt: (elements: Any, height: Int, reference: ArchivedReference)] = [:]
  /// The greatest ``depth`` so far of what is being archived.
  var deepest = 0

  /// The opaque objects that have been archived: by the documents that they come from, their UIDs there and here.
  var copied: [ObjectIdentifier: [UInt32: UInt32]] = [:]

  var isReplacement = false
  /// How far this archiver goes, if it only orders the elements of a collection.
  var extent: CanonicalOrder.Extent?
  /// How deep the objects are nested around this archive, if this one is made to order the elements of a collection.
  private let outerDepth: Int
  /// The number of collections among the objects being encoded, which are no level of their own.
  private var collectionDepth = 0
  /// Some levels fewer than an unarchiver takes, so that what is archived here can be unarchived here.
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
    /// True if it is a collection, which counts as a part of the object that has it.
    var isCollection = false
    /// The part that is being encoded.
    var step: PropertyListKeyPath.Component?
  }

  /// An archiver for one archive.
  ///
  /// Apple's software reads archives in the binary format and in XML. In JSON and OpenStep, references and all else
  /// that these formats have no form for are written as `PropertyListWritingOptions.Coercion.reversible` has it,
  /// which the readers of this package understand.
  public init(outputFormat: PropertyListFormat = .binary) {
    self.outputFormat = outputFormat
    current = Frame(type: WrittenClasses.Record.ofTop(), start: 0)
    outerDepth = 0
  }

  /// An archiver that orders an element of a collection, which another is about to encode.
  init(_ extent: CanonicalOrder.Extent, within coder: KeyedArchiver) {
    outputFormat = .binary
    current = Frame(type: WrittenClasses.Record.ofTop(), start: 0)
    self.extent = extent
    outerDepth = coder.depth
    stackRoom = coder.stackRoom
  }

  /// Archives one value, under the key `root`.
  ///
  /// - Throws: ``KeyedArchiveError``, or what a type's own ``SecureCoding/encode(with:)`` throws.
  /// - Complexity: O(*n*) in the size of the graph.
  public static func archivedData<Root: SecureCoding>(
    withRootObject root: Root, outputFormat: PropertyListFormat = .binary
  ) throws -> Data {
    try archiver(of: root, outputFormat).encodedData()
  }

  /// Archives one value into a file, in one step: whoever opens the file finds what was there before or all of what is
  /// there now.
  ///
  /// - Throws: as ``archivedData(withRootObject:outputFormat:)``; ``KeyedArchiveError/Kind/propertyList(_:)`` if the
  ///   file cannot be written, which is then as it was.
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

  /// Completes the archive. Nothing can be encoded after that.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/finished`` the second time; the error of an earlier call, if one failed.
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

  /// Completes the archive and replaces a file with it, in one step. Nothing can be encoded after that.
  ///
  /// - Throws: as ``encodedData()``; ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot be written, which
  ///   is then as it was.
  public func write(to url: URL) throws {
    let data = try encodedData()
    try translated(data.replaceFile(at: url))
  }

  private func binaryData() throws -> Data {
    let top = try contents(of: current, classUID: nil, isShared: false)
    // Frees what is only there to look things up.
    identities = [:]
    sharedElements = [:]
    retained = []
    elements = []
    entries = []
    return try pool.finish(top: top)
  }

  /// Elements of the arrays that are being encoded; keys and values of an object, when it is complete. Spans of it
  /// last as long as an access of it, so it has accessors.
  @inline(__always)
  var elements: [FlatNode] {
    _read { yield storedElements }
    _modify { yield &storedElements }
  }

  /// Has objects of a type archived under another class name, in this archive only.
  ///
  /// As on Apple's systems, what such a class inherits from is not written then. Call it before objects of the type are
  /// encoded.
  public func setClassName(_ name: String?, for type: any SecureCoding.Type) { classes.setName(name, for: type) }

  /// The name that ``setClassName(_:for:)`` has set for a type.
  public func className(for type: any SecureCoding.Type) -> String? { classes.names[ObjectIdentifier(type)] }

  func checkState() throws {
    if let failure { throw failure }
    if hasFinished { throw KeyedArchiveError(.finished, "the archive is complete") }
  }

  /// Encodes what stands under a key of the current object.
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

  /// As ``encode(rawKey:_:)``, for keys that users choose.
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

  /// Encodes the contents of a value or an object.
  ///
  /// - Parameter isShared: whether equal contents are to be found.
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
    // The value may have caught an error, and what it could not encode is missing.
    if let failure { throw failure }
    // After the contents, as Apple's archiver numbers them.
    let classUID = try current.type.uid ?? classes.write(current.type, into: &pool)
    let result = try contents(of: current, classUID: classUID, isShared: isShared)
    if current.isCollection { collectionDepth -= 1 }
    let last = outer.count - 1
    swap(&outer[last], &current)
    outer.removeLast()
    return result
  }

  /// Marks the current object as a collection of elements of one type, which is no level of its own.
  func noteCollection() {
    if outer.isEmpty || current.isCollection { return }
    current.isCollection = true
    collectionDepth += 1
  }

  var depth: Int { outerDepth + outer.count - collectionDepth }

  /// True if the stack is to be checked: at each fourth level, because a few objects fit into what is kept free.
  @inline(__always)
  private var isStackDue: Bool { outer.count & 3 == 0 }

  /// Returns true if encoding has to go on on another stack, because this one is full.
  ///
  /// - Parameter more: how many more values are being encoded around the next one.
  @inline(never)
  func needsMoreStack(within more: Int = 0) throws -> Bool {
    try stackRoom.isUsedUp(at: depth + more, isTop: isAtTop && more == 0)
  }

  private var isAtTop: Bool { outer.isEmpty && outerDepth == 0 }

  /// Runs the body on another stack.
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

  /// The entries of an object, in the order of Core Foundation's dictionaries.
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
