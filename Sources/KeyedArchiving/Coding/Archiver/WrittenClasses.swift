@_spi(Archives) internal import PropertyLists

/// The classes in an archive that is being written: the class for each type, and the UID of each class description.
struct WrittenClasses {
  private var records: [ObjectIdentifier: Record] = [:]
  /// The records of classes that are not the class of a type, but of some of its values. For example, the values of
  /// ``Archived/Unit`` have different classes.
  private var variants: [ArchivedClass: Record] = [:]
  /// A cache of the records of recently used types. The address of a type determines its slot.
  private var recent = [(type: ObjectIdentifier, record: Record)?](repeating: nil, count: 16)
  /// The first record that was written for each class name, and the UID of its class description.
  private var written: [String: (record: Record, uid: UInt32)] = [:]
  /// The UIDs of the class descriptions that were written for opaque objects.
  private var opaque: [Opaque: UInt32] = [:]
  private(set) var names: [ObjectIdentifier: String] = [:]

  private struct Opaque: Hashable {
    let archivedClass: ArchivedClass
    let isRenamed: Bool
  }

  /// The class of a type in this archive, with the keys that the type's last value encoded.
  final class Record {
    let archivedClass: ArchivedClass
    /// The type. Nil for a class that only some values of a type have, for a class of opaque objects, and for the top
    /// of an archive.
    fileprivate let type: Any.Type?
    /// True if the program has set the name in the archiver. The ancestors of such a class are not written.
    fileprivate let isRenamed: Bool
    fileprivate(set) var uid: UInt32?
    /// The keys of the last value of this type, in the order it encoded them.
    private var sequence: [(text: String, key: FlatNode)] = []
    /// The keys for which ``order`` was computed.
    private var orderedKeys: [FlatNode] = []
    private var order: [Int] = []

    fileprivate init(_ archivedClass: ArchivedClass, _ type: Any.Type?, isRenamed: Bool = false) {
      self.archivedClass = archivedClass
      self.type = type
      self.isRenamed = isRenamed
    }

    /// Returns a record for the keys at the top of an archive, which has no class.
    static func ofTop() -> Record { Record(ArchivedClass(""), nil) }
  }

  @inline(__always)
  mutating func record(of type: any SecureCoding.Type) -> Record? {
    let identity = ObjectIdentifier(type)
    let slot = Int(UInt(bitPattern: identity) >> 4 ^ UInt(bitPattern: identity) >> 9) & 15
    if let (known, record) = recent[slot], known == identity { return record }
    guard let record = records[identity] else { return nil }
    recent[slot] = (identity, record)
    return record
  }

  /// Adds the record of a type, unless it exists, and returns it. The caller passes `archivedClass`, because reading
  /// that property of the type runs code outside of this package.
  mutating func add(_ type: any SecureCoding.Type, _ archivedClass: ArchivedClass) -> Record {
    let identity = ObjectIdentifier(type)
    if let record = records[identity] { return record }
    let name = names[identity]
    let record = Record(name.map { ArchivedClass($0, ancestors: []) } ?? archivedClass, type, isRenamed: name != nil)
    records[identity] = record
    return record
  }

  /// Returns the record for the values of a type that have the class `archivedClass` instead of the class of the type.
  /// Returns nil if the type was renamed in this archive.
  mutating func variant(of type: any SecureCoding.Type, as archivedClass: ArchivedClass) -> Record? {
    if names[ObjectIdentifier(type)] != nil { return nil }
    if let record = variants[archivedClass] { return record }
    let record = Record(archivedClass, nil)
    variants[archivedClass] = record
    return record
  }

  mutating func setName(_ name: String?, for type: any SecureCoding.Type) {
    names[ObjectIdentifier(type)] = name
    records[ObjectIdentifier(type)] = nil
    recent = recent.map { _ in nil }
  }

  /// Writes the class description of a record, unless another type with the same class has written it. Returns its UID.
  mutating func write(_ record: Record, into pool: inout ObjectPool) throws -> UInt32 {
    let archivedClass = record.archivedClass
    if let (known, uid) = written[archivedClass.name] {
      try record.requireSameClass(as: known)
      record.uid = uid
      return uid
    }
    let uid = try describe(record, in: &pool)
    written[archivedClass.name] = (record, uid)
    return uid
  }

  /// Writes the class description of an opaque object unchanged, and returns its UID. Unlike the class of a type, the
  /// class may have the name of a different class in the archive.
  mutating func write(opaque description: KeyedArchive.ClassDescription, into pool: inout ObjectPool) throws -> UInt32 {
    let ancestors = Array(description.classes.drop { $0 != description.name }.dropFirst())
    let archivedClass = ArchivedClass(description.name, ancestors: ancestors, hints: description.hints)
    if let (known, uid) = written[description.name], known.isRenamed == description.classes.isEmpty,
      known.archivedClass.ancestors == ancestors, known.archivedClass.hints == description.hints
    {
      return uid
    }
    let identity = Opaque(archivedClass: archivedClass, isRenamed: description.classes.isEmpty)
    if let uid = opaque[identity] { return uid }
    let record = Record(archivedClass, nil, isRenamed: identity.isRenamed)
    let uid = try describe(record, in: &pool)
    if written[archivedClass.name] == nil { written[archivedClass.name] = (record, uid) }
    opaque[identity] = uid
    return uid
  }

  private mutating func describe(_ record: Record, in pool: inout ObjectPool) throws -> UInt32 {
    let archivedClass = record.archivedClass
    let uid = try pool.reserve()
    var lists = [("$classname", [archivedClass.name])]
    if !record.isRenamed { lists.append(("$classes", [archivedClass.name] + archivedClass.ancestors)) }
    if !archivedClass.hints.isEmpty { lists.append(("$classhints", archivedClass.hints)) }
    var entries: [(key: FlatNode, value: FlatNode)] = []
    for (key, names) in lists {
      let texts = try names.map { try pool.inline($0) }
      let value = key == "$classname" ? texts[0] : try pool.container(.array, texts.span)
      entries.append((try pool.inline(key), value))
    }
    let order = CoreFoundationOrder.positions(of: lists.map { CoreFoundationOrder.hash($0.0) }, grows: true)
    let nodes = order.flatMap { [entries[$0].key, entries[$0].value] }
    try pool.fill(uid, with: pool.container(.dictionary, nodes.span))
    record.uid = uid
    return uid
  }
}

extension WrittenClasses.Record {
  /// Throws if two types have the same class name by accident: their ancestors or hints differ, or the name is the
  /// default name of both. Types that share a class on purpose, such as arrays of different elements, are allowed.
  fileprivate func requireSameClass(as other: WrittenClasses.Record) throws {
    let name = archivedClass.name
    guard other.archivedClass.ancestors == archivedClass.ancestors, other.archivedClass.hints == archivedClass.hints
    else {
      throw KeyedArchiveError(
        .invalidValue, "two types have the class name \(name.quoted), but different ancestors or hints", className: name
      )
    }
    guard let type, let otherType = other.type, type != otherType, ClassName.default(of: type) == name,
      ClassName.default(of: otherType) == name
    else { return }
    throw KeyedArchiveError(
      .invalidValue, "two types have the class name \(name.quoted); declare archivedClass in one of them",
      className: name)
  }

  /// Returns the node of a key. `position` is the number of keys that the object has encoded before. Values of one type
  /// usually encode the same keys in the same order. So the key is first compared with the key that the last value
  /// encoded at this position, which avoids most lookups.
  @inline(__always)
  func key(_ text: String, at position: Int, in keys: inout ArchivedKeys, _ pool: inout ObjectPool) throws -> FlatNode {
    if position < sequence.count, sequence[position].text == text { return sequence[position].key }
    return try newKey(text, at: position, in: &keys, &pool)
  }

  private func newKey(
    _ text: String, at position: Int, in keys: inout ArchivedKeys, _ pool: inout ObjectPool
  ) throws -> FlatNode {
    let key = try keys.key(text, in: &pool)
    if position <= sequence.count, position < 64 {
      sequence.removeLast(sequence.count - position)
      sequence.append((text, key))
    }
    return key
  }

  /// Returns the order for writing the keys of an object. Throws if a key occurs twice.
  ///
  /// - Parameters:
  ///   - entries: The entries of all open objects. The last ones belong to this object.
  ///   - start: The index of the object's first entry.
  @inline(__always)
  func order(of entries: [KeyedArchiver.Entry], from start: Int, in keys: ArchivedKeys) throws -> [Int] {
    if orderedKeys.count == entries.count - start {
      var index = 0
      while index < orderedKeys.count, orderedKeys[index] == entries[start + index].key { index += 1 }
      if index == orderedKeys.count { return order }
    }
    let new = entries[start...].map(\.key)
    order = try keys.order(of: new)
    orderedKeys = new
    return order
  }
}

/// The keys of an archive that is being written, with their nodes in the pool and their hashes.
struct ArchivedKeys {
  private var nodes: [String: FlatNode] = [:]
  private var keys: [FlatNode: (text: String, hash: UInt64)] = [:]

  mutating func key(_ text: String, in pool: inout ObjectPool) throws -> FlatNode {
    if let node = nodes[text] { return node }
    let node = try pool.inline(text)
    nodes[text] = node
    keys[node] = (text, CoreFoundationOrder.hash(text))
    return node
  }

  /// Returns the positions of keys in the order of Core Foundation's dictionaries. Throws if a key occurs twice.
  func order(of keys: [FlatNode]) throws -> [Int] {
    var seen = Set<FlatNode>(minimumCapacity: keys.count)
    for key in keys where !seen.insert(key).inserted {
      throw KeyedArchiveError(
        .duplicateKey, "the key \((self.keys[key]?.text ?? "").quoted) was encoded twice in one object")
    }
    return CoreFoundationOrder.positions(of: keys.map { self.keys[$0]?.hash ?? 0 }, grows: true)
  }
}
