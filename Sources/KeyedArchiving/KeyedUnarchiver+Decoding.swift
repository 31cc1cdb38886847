public import FoundationEssentials
internal import OrderedCollections
public import PropertyLists

extension KeyedUnarchiver {
  /// Decodes the value of a key, as the type that stands in the program. Which type a metatype in a variable is does not
  /// count; for that there is ``decode(of:forKey:)``.
  ///
  /// - Throws: ``KeyedArchiveError``: ``KeyedArchiveError/Kind/valueNotFound`` if there is none or it is nil, an error that says
  ///   what is there if it is something else; or what the type's own ``SecureCoding/init(coder:)`` throws.
  public func decode<T: SecureCoding>(_ type: T.Type = T.self, forKey key: String) throws -> T {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try T._unarchive(ArchivedReference(node: node), by: self)
  }

  /// Decodes the value of a key; nil if there is none, or if it is nil.
  ///
  /// - Throws: as ``decode(_:forKey:)``.
  public func decodeIfPresent<T: SecureCoding>(_ type: T.Type = T.self, forKey key: String) throws -> T? {
    guard let node = try node(forUserKey: key) else { return nil }
    return try T?._unarchive(ArchivedReference(node: node), by: self)
  }

  /// Whether the current object has a value for a key, nil included.
  public func containsValue(forKey key: String) -> Bool {
    current.shape.position(of: key.utf8.first == UInt8(ascii: "$") ? "$" + key : key, found: current.found) != nil
  }

  private func noValue(_ key: String) -> KeyedArchiveError {
    failure(.valueNotFound, "no value for the key \(key.quoted)")
  }
}

/// Several types.
extension KeyedUnarchiver {
  /// Decodes the value of a key, which is of one of several types.
  ///
  /// Subclasses count only if they are named. The class of the object decides for the first type that it allows.
  public func decode(of types: [any SecureCoding.Type], forKey key: String) throws -> any SecureCoding {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try anyValue(of: types, at: ArchivedReference(node: node))
  }

  /// Decodes the value of a key, which is of one of several types; nil if there is none, or if it is nil.
  public func decodeIfPresent(of types: [any SecureCoding.Type], forKey key: String) throws -> (any SecureCoding)? {
    guard let node = try node(forUserKey: key), !isNull(node, try resolve(node)) else { return nil }
    return try anyValue(of: types, at: ArchivedReference(node: node))
  }

  /// Decodes the value of a key, which is of one of several types that have a superclass or a protocol in common:
  ///
  /// ```swift
  /// let shape = try coder.decode((any Shape).self, of: [Circle.self, Square.self], forKey: "shape")
  /// ```
  public func decode<Base>(_ base: Base.Type, of types: [any SecureCoding.Type], forKey key: String) throws -> Base {
    try cast(try decode(of: types, forKey: key), to: base)
  }

  /// Decodes an array whose elements are of several types.
  public func decodeArray(of types: [any SecureCoding.Type], forKey key: String) throws -> [any SecureCoding] {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try once(node) {
      try self.elements(of: ArchivedReference(node: node)) { try self.anyValue(of: types, at: $0) }
    }
  }

  /// Decodes an array whose elements are of several types that have a superclass or a protocol in common.
  public func decodeArray<Base>(
    _ base: Base.Type, of types: [any SecureCoding.Type], forKey key: String
  ) throws -> [Base] {
    try decodeArray(of: types, forKey: key).map { try cast($0, to: base) }
  }

  private func cast<Base>(_ value: any SecureCoding, to base: Base.Type) throws -> Base {
    guard let value = value as? Base else {
      throw failure(.typeMismatch, "\(Swift.type(of: value)), which was asked for, is no \(base)")
    }
    return value
  }
}

/// Values that stand in the object itself.
extension KeyedUnarchiver {
  /// Decodes bytes that `encodeBytes` has encoded; those of a data object as well.
  public func decodeBytes(forKey key: String) throws -> Data { try decode(Data.self, forKey: key) }

  /// Decodes a property list that was encoded as such, not as objects.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` if it cannot be read, ``KeyedArchiveError/Kind/nestedTooDeeply`` if it
  ///   is nested more than 512 deep.
  public func decodePropertyList(forKey key: String) throws -> PropertyList {
    guard let node = try node(forUserKey: key) else { throw noValue(key) }
    return try propertyList(node, depth: 0)
  }

  /// Not by way of a tree builder, which prepares for all objects of a document.
  private func propertyList(_ node: FlatNode, depth: Int) throws -> PropertyList {
    guard node.kind.isContainer else { return try scalar(node) }
    guard depth < 512 else { throw failure(.nestedTooDeeply, "a property list is nested more than 512 deep") }
    if depth & 15 == 15 { try checkStack(depth: outer.count + depth) }
    try spend(node.count * MemoryLayout<PropertyList>.stride * (node.kind == .array ? 1 : 2))
    try weigh(node.count)
    do {
      if node.kind == .array {
        var elements: [PropertyList] = []
        for position in 0..<node.count {
          elements.append(try propertyList(try document.element(position, of: node), depth: depth + 1))
        }
        return .array(elements)
      }
      var entries: OrderedDictionary<String, PropertyList> = [:]
      for position in 0..<node.count {
        let key = try document.key(ofEntry: position, of: node)
        try spend(key.utf8.count)
        let value = try propertyList(try document.value(ofEntry: position, of: node), depth: depth + 1)
        guard entries.updateValue(value, forKey: key) == nil else { throw standsTwice(key) }
      }
      return .dictionary(entries)
    } catch let error as PropertyListError {
      throw failure(error)
    }
  }

  private func scalar(_ node: FlatNode) throws -> PropertyList {
    switch node.kind {
    case .string: .string(try native(node, node) { document throws(PropertyListError) in try document.text(of: node) })
    case .data: .data(try native(node, node) { $0.data(of: node) })
    case .boolean: .boolean(node.boolean)
    case .integer, .unsignedInteger: .integer(node.integer)
    case .real: .real(node.real)
    case .float: .float(node.float)
    case .date: .date(Date(timeIntervalSinceReferenceDate: node.real))
    case .uid: .uid(PropertyList.UID(node.uid))
    case .null, .array, .dictionary: .null
    }
  }
}

/// The top of the archive, also from within an object.
extension KeyedUnarchiver {
  /// Decodes a value from the top of the archive.
  public func decodeTopLevelObject<T: SecureCoding>(_ type: T.Type = T.self, forKey key: String) throws -> T {
    try atTop { try decode(type, forKey: key) }
  }

  /// Decodes a value of one of several types from the top of the archive.
  public func decodeTopLevelObject(of types: [any SecureCoding.Type], forKey key: String) throws -> any SecureCoding {
    try atTop { try decode(of: types, forKey: key) }
  }

  private func atTop<T>(_ decode: () throws -> T) rethrows -> T {
    enter(top)
    defer { leave() }
    return try decode()
  }
}

/// For the layouts of Apple's classes, whose keys need no escape.
extension KeyedUnarchiver {
  /// Whether the current object has a value for a key, nil included.
  func containsRaw(_ key: String) -> Bool { current.shape.position(of: key, found: current.found) != nil }

  /// How many keys the current object has that begin so.
  ///
  /// - Complexity: O(*k*) in the number of keys.
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

  /// The elements of an array object, `NSArray` or one of its subclasses.
  func elements<T>(of reference: ArchivedReference, _ decode: (ArchivedReference) throws -> T) throws -> [T] {
    let object = try resolve(reference.node)
    if isNull(reference.node, object) { throw failure(.valueNotFound, "nothing, where an array is due") }
    _ = try type(of: object, behind: reference.node, among: [ArchivedArray.self])
    try spend(object.count)
    return try inside(object, uid: reference.node.uid) { try self.decodeElements(forRawKey: "NS.objects", decode) }
  }

  /// Decodes what is behind a reference, unless that is going on already.
  func once<T>(_ node: FlatNode, _ decode: () throws -> T) throws -> T {
    guard node.kind == .uid, node.uid > 0, node.uid < objects.count else { return try decode() }
    guard table.beginValue(node.uid, unlessKept: false) == .begun else {
      throw failure(.circularReference, "the object is a part of itself", at: node)
    }
    defer { table.endValue(node.uid) }
    return try decode()
  }

  /// The elements of an array that stands where it is, for a collection that hashes them.
  func decodeHashedElements<T: Hashable>(
    forRawKey key: String, _ decode: (ArchivedReference) throws -> T
  ) throws -> [T] {
    var elements = HashedElements<T>()
    return try decodeElements(forRawKey: key) { element in try elements.next(self) { try decode(element) } }
  }

  /// How many bytes of an element count. A reference takes one byte at least, so honest archives stay far below the ratio that
  /// ``ParsingLimits/expansionRatio`` allows.
  private static var greatestStride: Int { 64 }

  /// The elements of an array that stands where it is.
  @inline(__always)
  func decodeElements<T>(forRawKey key: String, _ decode: (ArchivedReference) throws -> T) throws -> [T] {
    guard let array = try node(forRawKey: key) else { throw noValue(key) }
    guard array.kind == .array else {
      throw failure(.typeMismatch, "\(Self.name(of: array)), where the elements of a collection are due")
    }
    // Arrays of a binary file can share their elements, so an array may take more memory than the file has bytes for it.
    try spend(array.count * min(MemoryLayout<T>.stride, Self.greatestStride))
    try weigh(array.count)
    var elements: [T] = []
    elements.reserveCapacity(min(array.count, 1024))
    for position in 0..<array.count {
      current.step = .index(position)
      let element: FlatNode
      do throws(PropertyListError) {
        element = try document.element(position, of: array)
      } catch {
        throw failure(error)
      }
      elements.append(try decode(ArchivedReference(node: element)))
    }
    return elements
  }
}
