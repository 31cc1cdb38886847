public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// An unarchiver that decodes values and objects from a keyed archive.
///
/// ```swift
/// let person = try KeyedUnarchiver.unarchivedObject(of: Person.self, from: data)
/// ```
///
/// To decode several top-level values, create an unarchiver:
///
/// ```swift
/// let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
/// let document = try unarchiver.decode(Document.self, forKey: "document")
/// let window = try unarchiver.decodeIfPresent(Window.self, forKey: "window")
/// ```
///
/// Only the types that your decoding calls name are instantiated: `decode([Invoice].self, forKey:)` allows an array of
/// invoices and nothing else, at any depth. Classes are not looked up by the names in the archive, so the archive
/// cannot choose a type. A number that the expected type cannot represent exactly is an error, with two exceptions: an
/// 8-byte real that is decoded as `Float` is rounded, and conversions between reals and decimal numbers may round.
/// Errors are ``KeyedArchiveError`` values with the position in the archive.
///
/// An unarchiver reads archives of Apple's software and of ``KeyedArchiver``. Decoding is lazy: values that you do not
/// decode are not read.
public final class KeyedUnarchiver {
  /// The archive as a property list.
  public let document: PropertyListDocument

  /// The greatest nesting depth of objects on any thread. On a thread with less than 8 MB of stack it is smaller: one
  /// level for each 832 bytes, for example 630 on a thread with 512 KB.
  public static let greatestDepth = KeyedArchiver.greatestDepth

  let objects: FlatNode
  var classes = ReadClasses()
  var opaque = OpaqueObjects()
  /// The number of class instances decoded so far whose type is `Decodable` but not ``SecureCoding``.
  var decodableObjectCount = 0
  // These properties are used for every value, and checking their exclusivity at run time would take a fifth of the
  // time. Unchecked exclusivity is safe: each access ends before code outside of this package is called, and objects
  // whose `deinit` may be such code are released outside of accesses. So accesses do not overlap.
  @safe @exclusivity(unchecked) var table = UnarchivedObjects()
  @safe @exclusivity(unchecked) private var shapes = DictionaryShapes()
  /// The number of bytes that decoded values may still take.
  @safe @exclusivity(unchecked) var budget: WorkBudget
  /// The size so far of the value that is being decoded: the number of values in it, plus one for each 512 bytes of
  /// strings and data. A shared part counts once for each reference, because comparing, hashing or archiving the value
  /// visits it each time. A class instance counts as one.
  @safe @exclusivity(unchecked) var weight = 0
  /// The greatest allowed ``weight``: the limit minus the weight of all class instances that have been decoded.
  @safe @exclusivity(unchecked) private var greatestWeight: Int
  /// The number of steps that collections may still take to hash their elements and to compare elements with equal
  /// hashes.
  private var hashingBudget: WorkBudget
  private let weightLimit: Int
  @safe @exclusivity(unchecked) private(set) var outer: [Frame] = []
  @safe @exclusivity(unchecked) var current: Frame

  let top: Frame
  let noKeys = DictionaryShape()
  private var stackRoom: StackRoom
  /// The number of collections among the objects being decoded. Collections do not count as nesting levels.
  private var collectionDepth = 0
  /// The greatest ``depth`` that was reached while the current value was decoded.
  @safe @exclusivity(unchecked) package var deepest = 0
  /// The number of times that decoding may still fail; see ``leave(after:)``.
  private var failureBudget: WorkBudget
  /// A cache for the paths of errors. Element *i* is the path to the part that element *i* of ``outer`` is decoding. It
  /// can have fewer elements than ``outer``; ``trail`` adds the missing ones.
  private var trails: [DecodingTrail?] = []

  struct Frame {
    /// The value whose parts are being decoded: the dictionary of an object, the dictionary at the top of the archive,
    /// or a scalar.
    let node: FlatNode
    let shape: DictionaryShape
    let uid: UInt32?
    var classRecord: ReadClasses.Record?
    var found = 0
    /// True for a collection, which is not a nesting level of its own.
    var isCollection = false
    /// The key or index of the part that is being decoded.
    var step: PropertyListKeyPath.Component?

    /// Returns the position of a key's value, and the dictionary that contains it. Returns nil if the key has no value.
    /// Sets ``step``, so that later errors contain the key.
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
  ///   - data: the whole archive, in any property list format. It is kept without a copy as long as the unarchiver
  ///     exists.
  ///   - limits: the limits for the size of the input and of what is read from it; see `ParsingLimits`.
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` if the data is not a property list,
  ///   ``KeyedArchiveError/Kind/notAnArchive`` if the property list is not a keyed archive.
  /// - Complexity: O(1) for the binary format, O(*n*) in the size of the data for text formats.
  public convenience init(
    forReadingFrom data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws(KeyedArchiveError) {
    try self.init(translated(PropertyListDocument(data, options: .archive(limits))))
  }

  /// Opens the archive in a file.
  ///
  /// - Throws: The errors of ``init(forReadingFrom:limits:)``, and ``KeyedArchiveError/Kind/propertyList(_:)`` if the
  ///   file cannot be read.
  public convenience init(forReadingFrom url: URL, limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) {
    try self.init(translated(PropertyListDocument(contentsOf: url, options: .archive(limits))))
  }

  /// Opens an archive that has been read as a property list.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/notAnArchive`` if the property list is not a keyed archive.
  public convenience init(_ document: PropertyListDocument) throws(KeyedArchiveError) {
    try self.init(document, levelsAround: 0)
  }

  /// Opens an archive that may be in the data of another archive.
  ///
  /// - Parameter levelsAround: the number of nested objects of the other archive that are being decoded. They count
  ///   toward the greatest depth.
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

  /// The keys at the top of the archive, in the order of the file. The keys of values that were encoded without a key
  /// are left out; see ``unkeyedCount``.
  public var topLevelKeys: [String] { ArchiveKey.userKeys(top.shape.keys) }

  /// The keys of the object that is being decoded, in the order of the file. If no object is being decoded,
  /// ``topLevelKeys``.
  ///
  /// ```swift
  /// for key in coder.keys where key.hasPrefix("tag.") { tags.append(try coder.decode(String.self, forKey: key)) }
  /// ```
  ///
  /// - Complexity: O(*k*), where *k* is the number of keys.
  public var keys: [String] { ArchiveKey.userKeys(current.shape.keys) }

  /// Sets the only type that objects of a class can be decoded as, in this archive. Decoding calls must still name the
  /// type. Nil removes the setting.
  ///
  /// ```swift
  /// unarchiver.setClass(Note.self, forClassName: "OldApp.Memo")
  /// let note = try unarchiver.decode(Note.self, forKey: "root")
  /// ```
  ///
  /// Use ``OpaqueObject`` for a class that your program has no type for. An ``ArchivedValue`` can then contain objects
  /// of the class, and decoding calls need not name the type.
  public func setClass(_ type: (any SecureCoding.Type)?, forClassName name: String) {
    classes.setType(type, forName: name)
    opaque = OpaqueObjects()
  }

  /// Returns the type that was set with ``setClass(_:forClassName:)``.
  public func `class`(forClassName name: String) -> (any SecureCoding.Type)? { classes.type(forName: name) }

  /// Makes the object that is being decoded available to its parts, so that they can refer back to it.
  ///
  /// Call it in `init(coder:)` of a class as soon as the stored properties have values, and before you decode parts
  /// that can refer back:
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
  /// If a part refers back to an object that was not published, decoding throws
  /// ``KeyedArchiveError/Kind/circularReference``.
  public func publish(_ object: some SecureCoding & AnyObject) {
    guard let uid = current.uid else { return }
    _ = table.publish(object, as: uid)
  }

  /// The class of the current object in the archive. Nil for a value without a class.
  var currentClass: ArchivedClass? { current.classRecord?.archivedClass }

  /// Returns the case of `classes` whose raw value is the name of the current object's class, or else the first hint of
  /// that class that is a raw value. Returns nil if neither the name nor a hint matches, or if the object has no class.
  package func currentClass<Class: RawRepresentable<String>>(among classes: Class.Type) -> Class? {
    current.classRecord?.names.lazy.compactMap { Class(rawValue: $0) }.first
  }

  /// Returns the node of a key's value in the current object, or nil if the key has no value. The node may be a UID.
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
    // Some programs write a key that begins with `$` without the second `$`.
    try node(forRawKey: "$" + key) ?? (ArchiveKey.isArchivers(key) ? nil : node(forRawKey: key))
  }

  /// Returns the object that a UID leads to, or the node itself if it is not a UID.
  @inline(__always)
  func resolve(_ node: FlatNode) throws -> FlatNode { node.kind == .uid ? try object(at: node) : node }

  @inline(never)
  private func object(at node: FlatNode) throws -> FlatNode {
    guard node.uid < objects.count else {
      throw failure(.malformed, "the UID \(node.uid) is outside the object table, which has \(objects.count) objects")
    }
    let object = try read(document.element(Int(node.uid), of: objects))
    guard object.kind != .uid else { throw failure(.malformed, "expected an object, found a UID", at: node) }
    return object
  }

  /// Returns true if a reference represents nil: it leads to the string `$null`, at any UID, or is an inline null.
  @inline(__always)
  func isNull(_ reference: FlatNode, _ object: FlatNode) -> Bool {
    reference.kind == .uid ? document.isNullObject(object) : object.kind == .null
  }

  /// Subtracts the size of a decoded value, in bytes, from the budget. Does nothing at the top of the archive, because
  /// a program may decode the same values any number of times.
  @inline(__always)
  func spend(_ size: Int) throws {
    if outer.isEmpty { return }
    guard budget.spend(size &+ 1) else { throw overspent() }
  }

  /// Adds to the ``weight`` of the value that is being decoded. Throws if it exceeds the limit, except at the top of
  /// the archive.
  @inline(__always)
  func weigh(_ more: Int) throws {
    weight &+= more
    if weight > greatestWeight { try outweigh() }
  }

  /// Adds the work of comparing elements that have equal hashes to the ``weight`` of the collection that is being
  /// decoded. Throws if it exceeds the limit, except at the top of the archive.
  func weigh(comparisons: Int) throws {
    weight &+= comparisons
    if weight > greatestWeight, !outer.isEmpty { throw hashesTooMuch() }
  }

  /// Reduces ``greatestWeight`` by the weight of the class instance that has just been decoded, so that the instance
  /// counts once, however many references lead to it. Throws if the result is below 0.
  @inline(__always)
  func weighObject() throws {
    greatestWeight &-= weight
    if greatestWeight < 0 { throw tooHeavy() }
  }

  @inline(never)
  private func outweigh() throws {
    weight = 0
    // Values that a program decodes at the top of the archive do not belong to one value, so each may have the greatest
    // weight.
    if outer.isEmpty { return }
    throw tooHeavy()
  }

  @inline(never)
  private func tooHeavy() -> any Error {
    failure(
      .limitExceeded,
      "the decoded contents expand to more than \(weightLimit) values; see expandedSize of ParsingLimits")
  }

  /// The work that decoding has taken so far, in values.
  package var spent: Int {
    weightLimit - greatestWeight + weight + budget.spent / ParsingLimits.bytesPerValue + hashingBudget.spent
  }

  /// Subtracts a number of steps from the hashing budget, for hashing elements or comparing elements with equal hashes.
  /// Throws if the budget is used up.
  @inline(__always)
  func spendHashing(_ values: Int) throws {
    guard hashingBudget.spend(values) else { throw hashesTooMuch() }
  }

  @inline(never)
  private func hashesTooMuch() -> any Error {
    hashingBudget.exhaust()
    return failure(
      .limitExceeded,
      "to hash and compare the elements of collections takes more than \(weightLimit) steps; "
        + "see expandedSize of ParsingLimits")
  }

  @inline(never)
  private func overspent() -> any Error {
    failure(
      .limitExceeded, "the decoded contents take more than \(budget.limit) bytes; see expandedSize of ParsingLimits")
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

  /// Makes an object the current one while a closure decodes its parts.
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

  // These functions swap frames, because copying them would take time.

  @inline(never)
  func enter(_ frame: consuming Frame) {
    outer.append(frame)
    let last = outer.count - 1
    swap(&outer[last], &current)
  }

  @inline(never)
  func leave() {
    // The depth is read while `collectionDepth` still includes the current object if that is a collection, because
    // collections do not count as levels.
    deepest = max(deepest, depth)
    if current.isCollection { collectionDepth -= 1 }
    let last = outer.count - 1
    swap(&outer[last], &current)
    outer.removeLast()
    if trails.count > last { trails.removeLast() }
  }

  /// Ends the decoding of the current object after an error, and returns the error to throw.
  ///
  /// A type may catch an error and decode the same part again. If nested objects do that, each level doubles the work,
  /// so the number of failures is limited. In a normal archive, failures are few: a type that tries several types for a
  /// value fails once for each type that does not match.
  @inline(never)
  private func leave(after error: any Error) -> any Error {
    leave()
    // Failures at the top of the archive are not limited, because the program makes each of these calls itself.
    if outer.isEmpty {
      failureBudget = WorkBudget(failureBudget.limit)
      return error
    }
    if failureBudget.spend(1) { return error }
    // All later calls that decode parts of objects then fail immediately.
    budget.exhaust()
    return failure(
      .limitExceeded,
      "decoding failed more than \(failureBudget.limit) times, which is the limit; the decoded types caught the errors "
        + "and continued")
  }

  /// For errors, the path to the part of the current object that is being decoded; nil at the top of the archive. Paths
  /// share their steps in memory, so creating an error takes the same time at any depth.
  var trail: DecodingTrail? {
    while trails.count < outer.count {
      trails.append(DecodingTrail.adding(outer[trails.count].step, to: trails.last ?? nil))
    }
    return DecodingTrail.adding(current.step, to: trails.last ?? nil)
  }

  @inline(__always)
  func shape(of node: FlatNode) throws -> DictionaryShape { try read(document.shape(of: node, in: &shapes)) }

  /// Marks the current object as a collection of elements of one type, so that it does not count as a nesting level.
  func noteCollection() {
    if outer.isEmpty || current.isCollection { return }
    current.isCollection = true
    collectionDepth += 1
  }

  @inline(__always)
  var depth: Int { outer.count - collectionDepth }

  /// Counts the nesting levels of a part of the current value that was decoded before, because releasing, comparing and
  /// archiving the current value recurses into the part. Throws if the part's levels are too deep at this position.
  @inline(__always)
  func note(height: Int) throws {
    deepest = max(deepest, depth &+ height)
    if !outer.isEmpty, stackRoom.isTooDeep(depth &+ height &- 1) { throw tooDeep() }
  }

  @inline(never)
  private func tooDeep() -> any Error {
    failure(.nestedTooDeeply, stackRoom.tooDeep(stackRoom.stack(isTop: false).size).message)
  }

  /// True at every fourth level, where the free space on the stack is checked. The stack's reserve is large enough for
  /// the levels between two checks.
  @inline(__always)
  private var isStackDue: Bool { outer.count & 3 == 0 }

  /// Returns true if the stack is full, so that decoding must continue on another stack.
  @inline(never)
  private func needsMoreStack() throws -> Bool { try located(stackRoom.isUsedUp(at: depth, isTop: outer.isEmpty)) }

  /// Runs the body on another stack. Throws if none is available.
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
