public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// Gets values and objects out of a keyed archive.
///
/// ```swift
/// let person = try KeyedUnarchiver.unarchivedObject(of: Person.self, from: data)
/// ```
///
/// What may be instantiated is what the decoding calls name: `decode([Invoice].self, forKey:)` admits an array of
/// invoices and nothing else, all the way down. There is no search for a class by name, so the bytes cannot choose.
/// Every number is decoded exactly or not at all, but for 8-byte reals that are asked for as `Float`, which are
/// rounded; and what is wrong is a thrown ``KeyedArchiveError`` that says where.
///
/// Archives of Apple's software and those of ``KeyedArchiver`` are read alike, in the binary and the XML format.
/// Decoding is lazy: what is not asked for is not looked at.
public final class KeyedUnarchiver {
  /// The archive as a property list.
  public let document: PropertyListDocument

  /// How deep objects may be nested on any thread. On one with less than 8 MB of stack it is less: one level for each
  /// 832 bytes, such as 630 on a thread with 512 KB.
  public static let greatestDepth = KeyedArchiver.greatestDepth

  let objects: FlatNode
  var classes = ReadClasses()
  var opaque = OpaqueObjects()
  /// How many objects of classes that are only `Decodable` there are so far.
  var decodableObjectCount = 0
  // What every value goes through. Sound: each access is over before code of somebody else is called, and objects that
  // such code may belong to are let go of outside; so no two accesses overlap, and checking that at run time would take
  // a fifth of the time.
  @safe @exclusivity(unchecked) var table = UnarchivedObjects()
  @safe @exclusivity(unchecked) private var shapes = DictionaryShapes()
  /// How many bytes more may be made of what is decoded.
  @safe @exclusivity(unchecked) var budget: WorkBudget
  /// How large the value that is being decoded is so far, in values and blocks of 512 bytes, with what it shares with
  /// others counted each time. To compare it, to hash it or to archive it again takes as long. An object of a class is
  /// one.
  @safe @exclusivity(unchecked) var weight = 0
  /// How heavy a value may be: the limit without what the objects of classes weigh that are finished.
  @safe @exclusivity(unchecked) private var greatestWeight: Int
  /// How many more values may be hashed, and compared with others of the same hash.
  private var hashingBudget: WorkBudget
  private let weightLimit: Int
  @safe @exclusivity(unchecked) private(set) var outer: [Frame] = []
  @safe @exclusivity(unchecked) var current: Frame

  let top: Frame
  let noKeys = DictionaryShape()
  private var stackRoom: StackRoom
  /// The number of collections among the objects being decoded, which are no level of their own.
  private var collectionDepth = 0
  /// The deepest level that the value being decoded has reached so far, in the sense of ``depth``.
  @safe @exclusivity(unchecked) package var deepest = 0
  /// The number of objects whose decoding may still fail.
  private var failureBudget: WorkBudget
  /// The paths to the parts that are being decoded in the first objects of ``outer``, for errors.
  private var trails: [DecodingTrail?] = []

  struct Frame {
    /// A dictionary; for values that stand in the object table as themselves, whatever they are.
    let node: FlatNode
    let shape: DictionaryShape
    let uid: UInt32?
    var classRecord: ReadClasses.Record?
    var found = 0
    /// True if it is a collection, which counts as a part of the object that has it.
    var isCollection = false
    /// The part that is being decoded.
    var step: PropertyListKeyPath.Component?

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
    try self.init(translated(PropertyListDocument(data, options: .archive(limits))))
  }

  /// Opens the archive in a file.
  ///
  /// - Throws: as ``init(forReadingFrom:limits:)``, and ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot
  ///   be read.
  public convenience init(forReadingFrom url: URL, limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) {
    try self.init(translated(PropertyListDocument(contentsOf: url, options: .archive(limits))))
  }

  /// Opens an archive that has been read as a property list.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/notAnArchive``.
  public convenience init(_ document: PropertyListDocument) throws(KeyedArchiveError) {
    try self.init(document, levelsAround: 0)
  }

  /// Opens an archive that may be nested in something.
  ///
  /// - Parameter levelsAround: how many levels of objects there are around it.
  package init(_ document: PropertyListDocument, levelsAround: Int) throws(KeyedArchiveError) {
    let layout = try ArchiveLayout(document)
    stackRoom = StackRoom(reserve: levelsAround)
    self.document = document
    objects = layout.objects
    budget = WorkBudget(document.expandedByteLimit)
    weightLimit = document.expandedValueLimit
    hashingBudget = WorkBudget(weightLimit)
    greatestWeight = weightLimit
    failureBudget = WorkBudget((1 << 14) + document.original.count / 2)
    top = Frame(node: layout.top, shape: try translated(document.shape(of: layout.top, in: &shapes)), uid: nil)
    current = top
  }

  /// The keys at the top of the archive, in the order of the file. Values without a key are counted by
  /// ``unkeyedCount``.
  public var topLevelKeys: [String] { ArchiveKey.userKeys(top.shape.keys) }

  /// The keys of the object that is being decoded, in the order of the file; outside of objects those at the top of the
  /// archive.
  public var keys: [String] { ArchiveKey.userKeys(current.shape.keys) }

  /// Has objects of a class decoded as a type, and as no other, in this archive only. The type still has to be asked
  /// for.
  ///
  /// ``OpaqueObject`` is for classes that the program has no type for. It need not be asked for where an
  /// ``ArchivedValue`` may stand.
  public func setClass(_ type: (any SecureCoding.Type)?, forClassName name: String) {
    classes.setType(type, forName: name)
    opaque = OpaqueObjects()
  }

  /// The type that ``setClass(_:forClassName:)`` has set for a class.
  public func `class`(forClassName name: String) -> (any SecureCoding.Type)? { classes.type(forName: name) }

  /// Makes the object that is being decoded known to the objects it consists of, which may refer back to it.
  ///
  /// Call it in `init(coder:)` of a class as soon as the stored properties have values, and before decoding what can
  /// lead back:
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

  /// Which of several classes, by their names, the object that is being decoded is of: by its own name, else by a hint.
  package func currentClass<Class: RawRepresentable<String>>(among classes: Class.Type) -> Class? {
    current.classRecord?.names.lazy.compactMap { Class(rawValue: $0) }.first
  }

  /// The value that the current object has under a key, which may be a UID; nil if it has none.
  @inline(never)
  func node(forRawKey key: String) throws -> FlatNode? {
    guard let (position, object) = current.find(key) else { return nil }
    return try read(document.value(ofEntry: position, of: object))
  }

  @inline(__always)
  func node(forUserKey key: String) throws -> FlatNode? {
    key.utf8.first == ArchiveKey.dollar ? try node(forDollarKey: key) : try node(forRawKey: key)
  }

  private func node(forDollarKey key: String) throws -> FlatNode? {
    // Not every writer knows of the second dollar.
    try node(forRawKey: "$" + key) ?? (ArchiveKey.isArchivers(key) ? nil : node(forRawKey: key))
  }

  /// The object that a reference leads to; the value itself if it is no UID.
  @inline(__always)
  func resolve(_ node: FlatNode) throws -> FlatNode { node.kind == .uid ? try object(at: node) : node }

  @inline(never)
  private func object(at node: FlatNode) throws -> FlatNode {
    guard node.uid < objects.count else {
      throw failure(.malformed, "the UID \(node.uid) leads out of the object table, which has \(objects.count) objects")
    }
    let object = try read(document.element(Int(node.uid), of: objects))
    guard object.kind != .uid else { throw failure(.malformed, "a UID, where an object is due", at: node) }
    return object
  }

  /// Whether a reference leads to nothing. Any object that is the text `$null` says so.
  @inline(__always)
  func isNull(_ reference: FlatNode, _ object: FlatNode) -> Bool {
    reference.kind == .uid ? document.isNullObject(object) : object.kind == .null
  }

  /// Counts something that is decoded. What a program itself asks for, at the top, it may ask for as often as it likes.
  @inline(__always)
  func spend(_ size: Int) throws {
    if outer.isEmpty { return }
    guard budget.spend(size &+ 1) else { throw overspent() }
  }

  /// Counts something as a part of the value that is being decoded.
  @inline(__always)
  func weigh(_ more: Int) throws {
    weight &+= more
    if weight > greatestWeight { try outweigh() }
  }

  /// Counts comparisons of elements of the same hash as a part of the collection that is being decoded.
  func weigh(comparisons: Int) throws {
    weight &+= comparisons
    if weight > greatestWeight, !outer.isEmpty { throw hashesTooMuch() }
  }

  /// Counts an object that is finished. Each is a part of what is decoded once, however many references lead to it.
  @inline(__always)
  func weighObject() throws {
    greatestWeight &-= weight
    if greatestWeight < 0 { throw tooHeavy() }
  }

  @inline(never)
  private func outweigh() throws {
    weight = 0
    // What a program decodes at the top is no part of a value.
    if outer.isEmpty { return }
    throw tooHeavy()
  }

  @inline(never)
  private func tooHeavy() -> any Error {
    failure(
      .limitExceeded,
      "what is decoded expands to more than \(weightLimit) values; see expandedSize of ParsingLimits")
  }

  /// How much was decoded so far, in values.
  package var spent: Int {
    weightLimit - greatestWeight + weight + budget.spent / ParsingLimits.bytesPerValue + hashingBudget.spent
  }

  /// Counts values that are hashed, or compared with others of the same hash.
  @inline(__always)
  func spendHashing(_ values: Int) throws {
    guard hashingBudget.spend(values) else { throw hashesTooMuch() }
  }

  @inline(never)
  private func hashesTooMuch() -> any Error {
    hashingBudget.exhaust()
    return failure(
      .limitExceeded,
      "to hash the elements of collections, and to compare those of the same hash, takes more than \(weightLimit) steps; "
        + "see expandedSize of ParsingLimits")
  }

  @inline(never)
  private func overspent() -> any Error {
    failure(.limitExceeded, "what is decoded takes more than \(budget.limit) bytes; see expandedSize of ParsingLimits")
  }

  @inline(__always)
  func contents<T: SecureCoding>(of type: T.Type, _ frame: consuming Frame) throws -> T {
    if isStackDue, try needsMoreStack() { return try contentsOnMoreStack(of: type, frame) }
    return try decoded(type, frame)
  }

  @inline(__always)
  private func decoded<T: SecureCoding>(_ type: T.Type, _ frame: consuming Frame) throws -> T {
    enter(frame)
    do {
      let value = try T(coder: self).awakeAfterDecoding(by: self)
      leave()
      return value
    } catch {
      throw leave(after: error)
    }
  }

  @inline(never)
  private func contentsOnMoreStack<T: SecureCoding>(of type: T.Type, _ frame: Frame) throws -> T {
    try onMoreStack { try decoded(type, frame) }
  }

  /// Decodes parts of an object that no type stands for.
  func inside<T>(_ node: FlatNode, uid: UInt32?, _ decode: () throws -> T) throws -> T {
    if isStackDue, try needsMoreStack() { return try onMoreStack { try entered(node, uid: uid, decode) } }
    return try entered(node, uid: uid, decode)
  }

  private func entered<T>(_ node: FlatNode, uid: UInt32?, _ decode: () throws -> T) throws -> T {
    try enter(node, uid: uid)
    do {
      let value = try decode()
      leave()
      return value
    } catch {
      throw leave(after: error)
    }
  }

  @inline(never)
  private func enter(_ node: FlatNode, uid: UInt32?) throws {
    enter(Frame(node: node, shape: node.kind == .dictionary ? try shape(of: node) : noKeys, uid: uid))
  }

  // Frames are swapped instead of being copied.

  @inline(never)
  func enter(_ frame: consuming Frame) {
    outer.append(frame)
    let last = outer.count - 1
    swap(&outer[last], &current)
  }

  @inline(never)
  func leave() {
    // Before a collection is left out: it does not count as a level.
    deepest = max(deepest, depth)
    if current.isCollection { collectionDepth -= 1 }
    let last = outer.count - 1
    swap(&outer[last], &current)
    outer.removeLast()
    if trails.count > last { trails.removeLast() }
  }

  /// Leaves an object whose decoding has failed. Returns the error that ends the decoding.
  ///
  /// A type may go on after an error and ask again, so that an object which asks twice for another doubles the work.
  /// An honest archive fails a few times for each value, where a type tries what the value could be.
  @inline(never)
  private func leave(after error: any Error) -> any Error {
    leave()
    // Decoding at the top level has no limit of failures: the program itself asks for each.
    if outer.isEmpty {
      failureBudget = WorkBudget(failureBudget.limit)
      return error
    }
    if failureBudget.spend(1) { return error }
    // From now on each decoding call fails at once.
    budget.exhaust()
    return failure(
      .limitExceeded,
      "the decoding of objects failed more than \(failureBudget.limit) times, and types went on after the errors")
  }

  /// The path to the part of the current object that is being decoded; nil at the top. Errors share its steps, so that
  /// each error costs the same at any depth.
  var trail: DecodingTrail? {
    while trails.count < outer.count {
      trails.append(DecodingTrail.adding(outer[trails.count].step, to: trails.last ?? nil))
    }
    return DecodingTrail.adding(current.step, to: trails.last ?? nil)
  }

  @inline(__always)
  func shape(of node: FlatNode) throws -> DictionaryShape { try read(document.shape(of: node, in: &shapes)) }

  /// Marks the current object as a collection of elements of one type, which is no level of its own.
  func noteCollection() {
    if outer.isEmpty || current.isCollection { return }
    current.isCollection = true
    collectionDepth += 1
  }

  @inline(__always)
  var depth: Int { outer.count - collectionDepth }

  /// Notes that a value with so many levels, which was decoded before, is a part of the one that is being decoded. It
  /// is freed, compared and archived from here, by recursion, so its levels count here too.
  @inline(__always)
  func note(height: Int) throws {
    deepest = max(deepest, depth &+ height)
    if !outer.isEmpty, stackRoom.isTooDeep(depth &+ height &- 1) { throw tooDeep() }
  }

  @inline(never)
  private func tooDeep() -> any Error {
    failure(.nestedTooDeeply, stackRoom.tooDeep(stackRoom.stack(isTop: false).size).message)
  }

  /// True if the stack is to be checked: at each fourth level, because a few objects fit into what is kept free.
  @inline(__always)
  private var isStackDue: Bool { outer.count & 3 == 0 }

  /// Returns true if decoding has to go on on another stack, because this one is full.
  @inline(never)
  private func needsMoreStack() throws -> Bool { try located(stackRoom.isUsedUp(at: depth, isTop: outer.isEmpty)) }

  /// Runs the body on another stack.
  func onMoreStack<T>(_ body: () throws -> T) throws -> T {
    let stack = stackRoom.stack(isTop: outer.isEmpty)
    let room = stackRoom
    guard let value = try room.extended(stack, at: depth, body) else {
      throw failure(.nestedTooDeeply, room.noRoom(stack, at: depth).message)
    }
    return value
  }

  func checkStack() throws {
    let stack = stackRoom.stack(isTop: outer.isEmpty)
    if !stack.hasRoom { throw failure(.nestedTooDeeply, stackRoom.noRoom(stack, at: depth).message) }
  }
}
