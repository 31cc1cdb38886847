public import FoundationEssentials
public import PropertyLists

/// Gets values and objects out of a keyed archive.
///
/// ```swift
/// let person = try KeyedUnarchiver.unarchivedObject(of: Person.self, from: data)
/// ```
///
/// What may be instantiated is what the decoding calls name: `decode([Invoice].self, forKey:)` admits an array of invoices and
/// nothing else, all the way down. There is no search for a class by name, so the bytes cannot choose. Every number is decoded
/// exactly or not at all, but for 8-byte reals that are asked for as `Float`, which are rounded; and what is wrong is a thrown ``KeyedArchiveError`` that says where.
///
/// Archives of Apple's software and those of ``KeyedArchiver`` are read alike, in the binary and the XML format. Decoding is lazy:
/// what is not asked for is not looked at.
public final class KeyedUnarchiver {
  /// The archive as a property list.
  public let document: PropertyListDocument

  /// How deep objects may be nested. What the stack of the thread has room for counts too.
  public static let greatestDepth = KeyedArchiver.greatestDepth

  let objects: FlatNode
  var classes = UnarchiverClasses()
  /// How many objects of classes that are only `Decodable` there are so far.
  var decodableObjectCount = 0
  // What every value goes through. Sound: each access is over before code of somebody else is called, and objects that such
  // code may belong to are let go of outside; so no two accesses overlap, and checking that at run time would take a fifth of
  // the time.
  @exclusivity(unchecked) private var uncheckedTable = UnarchivedObjects()
  @exclusivity(unchecked) private var uncheckedShapes = DictionaryShapes()
  @exclusivity(unchecked) private var uncheckedBudget: Int
  @exclusivity(unchecked) private var uncheckedWeight = 0
  @exclusivity(unchecked) private var uncheckedOuter: [Frame] = []
  @exclusivity(unchecked) private var uncheckedCurrent: Frame

  let top: Frame
  let noKeys = DictionaryShape()
  private var callStack: CallStack?

  /// An object that is being decoded.
  struct Frame {
    /// A dictionary; for values that stand in the object table as themselves, whatever they are.
    let node: FlatNode
    let shape: DictionaryShape
    let uid: UInt32?
    /// The class, for messages.
    var classRecord: UnarchiverClasses.Record?
    /// How many keys have been found.
    var found = 0
    /// What is being decoded just now.
    var step = PathStep.none

    /// Where the value of a key is, which is decoded from now on, and in what; nil if there is none.
    @inline(__always)
    mutating func find(_ key: String) -> (position: Int, object: FlatNode)? {
      step = .key(key)
      guard let position = shape.position(of: key, found: found) else { return nil }
      found += 1
      return (position, node)
    }
  }

  /// Opens an archive.
  ///
  /// - Parameters:
  ///   - data: the whole archive, binary or XML. It is kept, not copied, as long as the unarchiver lives.
  ///   - limits: how large the input may be, and how much larger what is decoded.
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` for bytes that are no property list,
  ///   ``KeyedArchiveError/Kind/notAnArchive``.
  /// - Complexity: O(1) for the binary format, O(*n*) for XML.
  public convenience init(
    forReadingFrom data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws(KeyedArchiveError) {
    try self.init(PropertyListDocument(archive: data, limits))
  }

  /// Opens the archive in a file.
  ///
  /// - Throws: as ``init(forReadingFrom:limits:)``, and ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot be read.
  public convenience init(
    forReadingFrom url: URL, limits: ParsingLimits = ParsingLimits()
  ) throws(KeyedArchiveError) {
    try self.init(PropertyListDocument(archiveAt: url, limits))
  }

  /// Opens an archive that has been read as a property list.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/notAnArchive``.
  public init(_ document: PropertyListDocument) throws(KeyedArchiveError) {
    let layout = try ArchiveLayout(document)
    self.document = document
    objects = layout.objects
    unsafe uncheckedBudget = document.expandedSizeLimit
    do throws(PropertyListError) {
      let shape = try unsafe document.shape(of: layout.top, in: &uncheckedShapes)
      top = Frame(node: layout.top, shape: shape, uid: nil)
    } catch {
      throw KeyedArchiveError(error)
    }
    unsafe uncheckedCurrent = top
  }
}

extension KeyedUnarchiver {
  /// What has been decoded.
  @inline(__always)
  var table: UnarchivedObjects {
    _read { yield unsafe uncheckedTable }
    _modify { yield unsafe &uncheckedTable }
  }

  @inline(__always)
  var shapes: DictionaryShapes {
    _read { yield unsafe uncheckedShapes }
    _modify { yield unsafe &uncheckedShapes }
  }

  /// How much more may be decoded, in nodes and bytes.
  @inline(__always)
  var budget: Int {
    get { unsafe uncheckedBudget }
    _modify { yield unsafe &uncheckedBudget }
  }

  /// How large the value that is being decoded is so far, in values and blocks of 64 bytes, with what it shares with others
  /// counted each time. To compare it, to hash it or to archive it again takes as long. An object of a class is one.
  @inline(__always)
  var weight: Int {
    get { unsafe uncheckedWeight }
    _modify { yield unsafe &uncheckedWeight }
  }

  /// The objects around the current one.
  @inline(__always)
  var outer: [Frame] {
    _read { yield unsafe uncheckedOuter }
    _modify { yield unsafe &uncheckedOuter }
  }

  @inline(__always)
  var current: Frame {
    _read { yield unsafe uncheckedCurrent }
    _modify { yield unsafe &uncheckedCurrent }
  }
}

/// The whole of an archive in one call.
extension KeyedUnarchiver {
  /// The value that an archive has under the key `root`.
  ///
  /// - Throws: ``KeyedArchiveError``, or what a type's own ``SecureCoding/init(coder:)`` throws.
  /// - Complexity: O(*n*) in the size of the graph.
  public static func unarchivedObject<Root: SecureCoding>(of type: Root.Type, from data: Data) throws -> Root {
    try KeyedUnarchiver(forReadingFrom: data).decode(type, forKey: KeyedArchiver.rootObjectKey)
  }

  /// The value that the archive in a file has under the key `root`.
  ///
  /// - Throws: as for bytes in memory, and ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot be read.
  public static func unarchivedObject<Root: SecureCoding>(of type: Root.Type, from url: URL) throws -> Root {
    try KeyedUnarchiver(forReadingFrom: url).decode(type, forKey: KeyedArchiver.rootObjectKey)
  }

  /// The value that an archive has under the key `root`, of one of several types.
  public static func unarchivedObject(
    of types: [any SecureCoding.Type], from data: Data
  ) throws -> any SecureCoding {
    try KeyedUnarchiver(forReadingFrom: data).decode(of: types, forKey: KeyedArchiver.rootObjectKey)
  }
}

extension KeyedUnarchiver {
  /// The keys at the top of the archive, in the order of the file.
  public var topLevelKeys: [String] { top.shape.keys.map(Self.unescaped) }

  /// Has objects of a class decoded as a type, and as no other, in this archive only. The type still has to be asked for.
  public func setClass(_ type: (any SecureCoding.Type)?, forClassName name: String) {
    classes.setType(type, forName: name)
  }

  /// The type that ``setClass(_:forClassName:)`` has set for a class.
  public func `class`(forClassName name: String) -> (any SecureCoding.Type)? { classes.type(forName: name) }

  /// Further types that may stand where the archive's author was free to choose: in an ``ArchivedValue``, which is what user
  /// infos and the attributes of text consist of.
  ///
  /// Set it before the first decoding call.
  public var additionalTypes: [any SecureCoding.Type] {
    get { classes.additionalTypes }
    // An ArchivedValue among them would only lead back to them.
    set { classes.additionalTypes = newValue.filter { $0.archivedClass != ArchivedValue.archivedClass } }
  }

  /// Makes the object that is being decoded known to the objects it consists of, which may refer back to it.
  ///
  /// Call it in `init(coder:)` of a class as soon as the stored properties have values, and before decoding what can lead back:
  ///
  /// ```swift
  /// init(coder: KeyedUnarchiver) throws {
  ///   name = try coder.decode(String.self, forKey: "name")
  ///   children = []
  ///   coder.publish(self)
  ///   children = try coder.decode([Node].self, forKey: "children")
  /// }
  /// ```
  ///
  /// A circle that nobody published is an error.
  public func publish(_ object: some SecureCoding & AnyObject) {
    guard let uid = current.uid else { return }
    _ = table.publish(object, as: uid)
  }

  /// The class that the archive says the object that is being decoded is of; nil for values that need none.
  var currentClass: ArchivedClass? { current.classRecord?.archivedClass }

  static func unescaped(_ key: String) -> String {
    // By bytes, because a mark behind a dollar is one character with it.
    key.utf8.starts(with: "$$".utf8) ? String(key.unicodeScalars.dropFirst()) : key
  }
}

/// The course of decoding.
extension KeyedUnarchiver {
  /// The value that the current object has under a key, which may be a UID; nil if it has none.
  @inline(__always)
  func node(forRawKey key: String) throws -> FlatNode? {
    guard let (position, object) = current.find(key) else { return nil }
    do throws(PropertyListError) {
      return try document.value(ofEntry: position, of: object)
    } catch {
      throw failure(error)
    }
  }

  @inline(__always)
  func node(forUserKey key: String) throws -> FlatNode? {
    try node(forRawKey: key.utf8.first == UInt8(ascii: "$") ? "$" + key : key)
  }

  /// The object that a reference leads to; the value itself if it is no UID.
  @inline(__always)
  func resolve(_ node: FlatNode) throws -> FlatNode {
    guard node.kind == .uid else { return node }
    guard node.uid < objects.count else {
      throw failure(.malformed, "the UID \(node.uid) leads out of the object table, which has \(objects.count) objects")
    }
    let object: FlatNode
    do throws(PropertyListError) {
      object = try document.element(Int(node.uid), of: objects)
    } catch {
      throw failure(error)
    }
    guard object.kind != .uid else { throw failure(.malformed, "a UID, where an object is due", at: node) }
    return object
  }

  /// Whether a reference leads to nothing. Any object that is the text `$null` says so.
  @inline(__always)
  func isNull(_ reference: FlatNode, _ object: FlatNode) -> Bool {
    guard reference.kind == .uid else { return object.kind == .null }
    return object.kind == .null || object.kind == .string && object.length <= 10 && document.has("$null", as: object)
  }

  /// Counts something that is decoded. What a program itself asks for, at the top, it may ask for as often as it likes.
  @inline(__always)
  func spend(_ size: Int) throws {
    if outer.isEmpty { return }
    guard size < budget else { throw overspent() }
    budget -= size &+ 1
  }

  /// How heavy a value may be. Few archives that are not made to harm come near: a table of zeros with 16 000 rows and
  /// columns has this weight.
  static let greatestWeight = 1 << 28

  /// Counts something as a part of the value that is being decoded.
  @inline(__always)
  func weigh(_ more: Int) throws {
    weight &+= more
    if weight > Self.greatestWeight { try outweigh() }
  }

  private func outweigh() throws {
    weight = 0
    // What a program decodes at the top is no part of a value.
    if outer.isEmpty { return }
    throw failure(.limitExceeded, "a value that expands to more than \(Self.greatestWeight) values")
  }

  private func overspent() -> KeyedArchiveError {
    budget = 0
    return failure(
      .limitExceeded, "the objects expand to more than \(document.expandedSizeLimit) values and bytes")
  }

  /// Decodes the contents of an object.
  @inline(__always)
  func contents<T: SecureCoding>(of type: T.Type, _ frame: Frame) throws -> T {
    if isStackDue { try checkDepth() }
    enter(frame)
    defer { leave() }
    return try T(coder: self).awakeAfterDecoding(by: self)
  }

  /// Decodes parts of an object that no type stands for.
  func inside<T>(_ node: FlatNode, uid: UInt32?, _ decode: () throws -> T) throws -> T {
    if isStackDue { try checkDepth() }
    let shape = node.kind == .dictionary ? try shape(of: node) : noKeys
    enter(Frame(node: node, shape: shape, uid: uid))
    defer { leave() }
    return try decode()
  }

  // Frames change places instead of being copied.

  @inline(__always)
  func enter(_ frame: consuming Frame) {
    outer.append(frame)
    let last = outer.count - 1
    swap(&outer[last], &current)
  }

  @inline(__always)
  func leave() {
    let last = outer.count - 1
    swap(&outer[last], &current)
    outer.removeLast()
  }

  @inline(__always)
  func shape(of node: FlatNode) throws -> DictionaryShape {
    do throws(PropertyListError) {
      return try document.shape(of: node, in: &shapes)
    } catch {
      throw failure(error)
    }
  }

  /// Whether the stack is to be looked at. The first objects fit into what is kept free; but an archive may be within another,
  /// as data that a type decodes in its turn.
  @inline(__always)
  private var isStackDue: Bool { outer.isEmpty || outer.count >= 16 }

  private func checkDepth() throws {
    if outer.count >= Self.greatestDepth {
      throw failure(.nestedTooDeeply, "objects are nested more than \(Self.greatestDepth) deep")
    }
    try checkStack(depth: outer.count)
  }

  func checkStack(depth: Int) throws {
    if callStack?.isOfThisThread != true { callStack = .current }
    if let callStack, !callStack.hasRoom {
      throw failure(
        .nestedTooDeeply,
        "objects are nested \(depth) deep, and the thread's stack of \(callStack.size) bytes has no room for more")
    }
  }
}
