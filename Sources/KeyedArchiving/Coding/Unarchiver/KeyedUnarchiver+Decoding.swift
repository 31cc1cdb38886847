public import FoundationEssentials
internal import OrderedCollections
@_spi(Archives) public import PropertyLists

extension KeyedUnarchiver {
  /// Decodes the value of a key as the static type `T`. If the argument is a variable whose value is the metatype of a
  /// subclass, the subclass is not used; for this, call ``decode(of:forKey:)``.
  ///
  /// ```swift
  /// let title = try coder.decode(String.self, forKey: "title")
  /// let invoices = try coder.decode([Invoice].self, forKey: "invoices")
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError/Kind/valueNotFound`` if the key has no value or the value is nil;
  ///   ``KeyedArchiveError/Kind/classNotAllowed`` or ``KeyedArchiveError/Kind/typeMismatch`` if the value has another
  ///   type; ``KeyedArchiveError/Kind/numberOutOfRange`` if the type cannot represent a number exactly; another
  ///   ``KeyedArchiveError`` if the archive is damaged or exceeds the limits; or an error that the type's
  ///   ``SecureCoding/init(coder:)`` throws.
  public func decode<T: SecureCoding>(_ type: T.Type = T.self, forKey key: String) throws -> T {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try T._unarchive(ArchivedReference(node: node), by: self)
  }

  /// Decodes the value of a key. Returns nil if the key has no value, or if the value is nil.
  ///
  /// ```swift
  /// theme = try coder.decodeIfPresent(Theme.self, forKey: "theme") ?? .light
  /// ```
  ///
  /// - Throws: The errors of ``decode(_:forKey:)``.
  public func decodeIfPresent<T: SecureCoding>(_ type: T.Type = T.self, forKey key: String) throws -> T? {
    guard let node = try node(forUserKey: key) else { return nil }
    return try T?._unarchive(ArchivedReference(node: node), by: self)
  }

  /// Returns true if the object that is being decoded has a value for a key. The value may be nil. If no object is
  /// being decoded, the key is looked up at the top of the archive.
  public func containsValue(forKey key: String) -> Bool {
    guard key.utf8.first == ArchiveKey.dollar else { return containsRaw(key) }
    return containsRaw("$" + key) || !ArchiveKey.isArchivers(key) && containsRaw(key)
  }

  @inline(never)
  func noValue(_ key: String) -> any Error { failure(.valueNotFound, "no value for the key \(key.quoted)") }

  /// Decodes bytes that were encoded by ``KeyedArchiver/encodeBytes(_:forKey:)``, or as `Data`.
  ///
  /// - Throws: The errors of ``decode(_:forKey:)``.
  public func decodeBytes(forKey key: String) throws -> Data { try decode(Data.self, forKey: key) }

  /// Decodes a property list that was encoded by ``KeyedArchiver/encode(propertyList:forKey:)``.
  ///
  /// ```swift
  /// let window = try coder.decodePropertyList(forKey: "window")  // ["width": 640, "height": 480]
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError/Kind/valueNotFound`` if the key has no value,
  ///   ``KeyedArchiveError/Kind/propertyList(_:)`` if the property list cannot be read,
  ///   ``KeyedArchiveError/Kind/nestedTooDeeply`` if it is nested more than 512 deep.
  public func decodePropertyList(forKey key: String) throws -> PropertyList {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try propertyList(node, depth: 0)
  }

  /// Converts a node to a property list. It does not use a tree builder, whose setup takes time in proportion to the
  /// whole document.
  private func propertyList(_ node: FlatNode, depth: Int) throws -> PropertyList {
    guard node.kind.isContainer else { return try scalar(node) }
    guard depth < 512 else { throw failure(.nestedTooDeeply, "a property list is nested more than 512 deep") }
    try note(height: depth + 1)
    if depth & 15 == 15 { try checkStack() }
    try spend(node.count * MemoryLayout<PropertyList>.stride * (node.kind == .array ? 1 : 2))
    try weigh(node.count)
    if node.kind == .array {
      var elements: [PropertyList] = []
      for position in 0..<node.count {
        elements.append(try propertyList(read(document.element(position, of: node)), depth: depth + 1))
      }
      return .array(elements)
    }
    var entries: OrderedDictionary<String, PropertyList> = [:]
    for position in 0..<node.count {
      let key = try read(document.key(ofEntry: position, of: node))
      try spend(key.utf8.count)
      let value = try propertyList(read(document.value(ofEntry: position, of: node)), depth: depth + 1)
      guard entries.updateValue(value, forKey: key) == nil else { throw standsTwice(key) }
    }
    return .dictionary(entries)
  }

  func scalar(_ node: FlatNode) throws -> PropertyList {
    switch node.kind {
    case .string: .string(try native(node, node, document.text(of: node)))
    case .data: .data(try native(node, node, document.data(of: node)))
    case .boolean: .boolean(node.boolean)
    case .integer, .unsignedInteger: .integer(node.integer)
    case .real: .real(node.real)
    case .float: .float(node.float)
    case .date: .date(Date(timeIntervalSinceReferenceDate: node.real))
    case .uid: .uid(PropertyList.UID(node.uid))
    case .null, .array, .dictionary: .null
    }
  }

  /// Decodes the value of a top-level key of the archive, even while an object is being decoded.
  ///
  /// ```swift
  /// init(coder: KeyedUnarchiver) throws {
  ///   let version = try coder.decodeTopLevelObject(Int.self, forKey: "version")
  ///   title = try coder.decode(String.self, forKey: version < 2 ? "name" : "title")
  /// }
  /// ```
  ///
  /// - Throws: The errors of ``decode(_:forKey:)``.
  public func decodeTopLevelObject<T: SecureCoding>(_ type: T.Type = T.self, forKey key: String) throws -> T {
    try atTop { try decode(type, forKey: key) }
  }

  func atTop<T>(_ decode: () throws -> T) rethrows -> T {
    enter(top)
    defer { leave() }
    return try decode()
  }

  // Methods for types that read the keys of Apple's classes. These keys are looked up unchanged.

  /// Returns true if the current object has a value for a key. The value may be nil.
  func containsRaw(_ key: String) -> Bool { current.shape.position(of: key, found: current.found) != nil }

  /// Returns the number of keys of the current object that begin with a prefix.
  func countOfKeys(beginningWith prefix: String) -> Int {
    current.shape.keys.lazy.filter { $0.hasPrefix(prefix) }.count
  }

  @inline(__always)
  func decode<T: SecureCoding>(_ type: T.Type = T.self, forRawKey key: String) throws -> T {
    guard let node = try node(forRawKey: key) else { throw noValue(key) }
    return try T._unarchive(ArchivedReference(node: node), by: self)
  }

  @inline(__always)
  func decodeIfPresent<T: SecureCoding>(_ type: T.Type = T.self, forRawKey key: String) throws -> T? {
    guard let node = try node(forRawKey: key) else { return nil }
    return try T?._unarchive(ArchivedReference(node: node), by: self)
  }

  /// Calls a closure that decodes the contents of the object at a reference. Throws if the object's class does not
  /// match the type.
  func contents<T>(
    of reference: ArchivedReference, _ type: any SecureCoding.Type, _ decode: () throws -> T
  ) throws -> T {
    let object = try resolve(reference.node)
    if isNull(reference.node, object) { throw nothing(insteadOf: type) }
    _ = try self.type(of: object, behind: reference.node, among: [type])
    try spend(object.count)
    return try inside(object, uid: reference.node.uid, decode)
  }

  /// Calls ``contents(of:_:_:)`` for an object. Throws if the object is already being decoded.
  func once<T>(_ reference: ArchivedReference, _ type: any SecureCoding.Type, _ decode: () throws -> T) throws -> T {
    try once(reference.node) { try contents(of: reference, type, decode) }
  }

  /// Calls a closure that decodes the object at a reference. Throws if the object is already being decoded.
  func once<T>(_ node: FlatNode, _ decode: () throws -> T) throws -> T {
    guard node.kind == .uid, node.uid > 0, node.uid < objects.count else { return try decode() }
    guard table.beginValue(node.uid, unlessKept: false) == .begun else {
      throw failure(.circularReference, "the object is a part of itself", at: node)
    }
    defer { table.endValue(node.uid) }
    return try decode()
  }

  /// The range of the cost of a decoded element, in bytes. The cost is the stride of the element's Swift type, limited
  /// to this range, and is subtracted from the budget for expansion.
  ///
  /// An element takes at least one byte in the file. So an array costs at most 64 times its size in the file, and
  /// `ParsingLimits.expansionRatio`, which is 128 by default, allows that.
  private static var strides: ClosedRange<Int> { 32...64 }

  /// Decodes the elements of an array that is stored inline, each by a closure.
  func decodeElements<T>(forRawKey key: String, _ decode: (ArchivedReference) throws -> T) throws -> [T] {
    let array = try elementNodes(forRawKey: key, stride: MemoryLayout<T>.stride)
    let before = weight
    var elements: [T] = []
    elements.reserveCapacity(min(array.count, 1024))
    for position in 0..<array.count { elements.append(try decode(try element(position, of: array))) }
    // Each element weighs at least one value, even if the closure does not decode it yet.
    let more = weight &- before
    if more < array.count { try weigh(array.count &- more) }
    return elements
  }

  @inline(never)
  private func elementNodes(forRawKey key: String, stride: Int) throws -> FlatNode {
    guard let array = try node(forRawKey: key) else { throw noValue(key) }
    guard array.kind == .array else {
      throw failure(.typeMismatch, "expected an array of elements, found \(array.kindName)")
    }
    // Arrays of a binary file can share their elements, so an array can take more memory than its bytes in the file.
    try spend(array.count * min(max(stride, Self.strides.lowerBound), Self.strides.upperBound))
    return array
  }

  @inline(never)
  private func element(_ position: Int, of array: FlatNode) throws -> ArchivedReference {
    current.step = .index(position)
    return ArchivedReference(node: try read(document.element(position, of: array)))
  }

  // Values without keys. Objective-C code writes them with `encodeObject:` and similar methods, and libraries of other
  // languages write them at the top of archives.
  //
  // They are numbered from 0, and their keys in the file are `$0`, `$1` and so on. A type's own key `$0` is `$$0` in
  // the file.

  /// The number of values without a key in the object that is being decoded, or at the top of the archive if no object
  /// is being decoded.
  ///
  /// - Complexity: O(*n*), where *n* is the number of these values.
  public var unkeyedCount: Int {
    var count = 0
    while containsRaw("$\(count)") { count += 1 }
    return count
  }

  /// Decodes a value that was encoded without a key.
  ///
  /// ```swift
  /// let names = try (0..<unarchiver.unkeyedCount).map { try unarchiver.decodeUnkeyed(String.self, at: $0) }
  /// ```
  ///
  /// - Parameter index: the position among the values without a key, from 0 to less than ``unkeyedCount``.
  /// - Throws: The errors of ``decode(_:forKey:)``.
  public func decodeUnkeyed<T: SecureCoding>(_ type: T.Type = T.self, at index: Int) throws -> T {
    try T._unarchive(unkeyedReference(index), by: self)
  }

  /// Decodes a value that was encoded without a key and has one of several types. See ``decode(_:of:forKey:)``.
  ///
  /// - Throws: The errors of ``decode(_:of:forKey:)``.
  public func decodeUnkeyed<Base>(_ base: Base.Type, of types: [any SecureCoding.Type], at index: Int) throws -> Base {
    try value(base, of: types, at: unkeyedReference(index))
  }

  private func unkeyedReference(_ index: Int) throws -> ArchivedReference {
    guard let node = try node(forRawKey: "$\(index)") else {
      throw failure(.valueNotFound, "the object has no unkeyed value at index \(index)")
    }
    return ArchivedReference(node: node)
  }
}
