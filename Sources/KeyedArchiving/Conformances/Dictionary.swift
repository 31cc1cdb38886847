public import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// `NSDictionary`: the arrays `NS.keys` and `NS.objects`. `NSMutableDictionary` is also read.
///
/// A dictionary has no order, so its entries are written in the order that Apple's classes would use, as far as it
/// depends only on the keys; see `CanonicalOrder`. `OrderedDictionary` keeps the order of the archive.
extension Dictionary: SecureCoding where Key: SecureCoding, Value: SecureCoding {
  public static var archivedClass: ArchivedClass { OrderedDictionary<Key, Value>.archivedClass }

  public func encode(with coder: KeyedArchiver) throws {
    // Ordered by position and not by key, because a key such as NaN cannot be looked up.
    let entries = Array(self)
    let order = try CanonicalOrder.positions(of: entries.map(\.key), for: coder)
    try coder.encode(references: order.lazy.map { entries[$0].key }, forRawKey: "NS.keys")
    try coder.encode(references: order.lazy.map { entries[$0].value }, forRawKey: "NS.objects")
  }

  public init(coder: KeyedUnarchiver) throws {
    self.init()
    try coder.decodeEntries {
      try Key._unarchive($0, by: coder)
    } _: {
      try Value._unarchive($0, by: coder)
    } insert: { key, value in
      updateValue(value, forKey: key) == nil
    }
  }
}

/// `NSDictionary`, with the entries in the order of the archive.
extension OrderedDictionary: SecureCoding where Key: SecureCoding, Value: SecureCoding {
  public static var archivedClass: ArchivedClass {
    ArchivedClass("NSDictionary", aliases: ["NSMutableDictionary", KnownKeys.dictionaryName])
  }

  public func encode(with coder: KeyedArchiver) throws {
    try coder.encode(references: keys, forRawKey: "NS.keys")
    try coder.encode(references: values, forRawKey: "NS.objects")
  }

  public init(coder: KeyedUnarchiver) throws {
    self.init()
    try coder.decodeEntries {
      try Key._unarchive($0, by: coder)
    } _: {
      try Value._unarchive($0, by: coder)
    } insert: { key, value in
      updateValue(value, forKey: key) == nil
    }
  }
}

extension Dictionary: ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> [Key: Value] {
    let entries = try OrderedDictionary<Key, Value>.unarchive(of: types, at: reference, by: coder)
    return Dictionary(uniqueKeysWithValues: Array(entries))
  }
}

extension OrderedDictionary: ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> OrderedDictionary<Key, Value> {
    try coder.dictionary(Key.self, of: types, Value.self, of: types, at: reference)
  }
}

extension KeyedUnarchiver {
  /// Decodes a dictionary with keys and values of several types.
  func dictionary<Key: Hashable, Value>(
    _ key: Key.Type, of keyTypes: [any SecureCoding.Type], _ value: Value.Type, of valueTypes: [any SecureCoding.Type],
    at reference: ArchivedReference
  ) throws -> OrderedDictionary<Key, Value> {
    try once(reference, OrderedDictionary<String, String>.self) {
      var dictionary: OrderedDictionary<Key, Value> = [:]
      try decodeEntries {
        try self.value(key, of: keyTypes, at: $0)
      } _: {
        try self.value(value, of: valueTypes, at: $0)
      } insert: { key, value in
        dictionary.updateValue(value, forKey: key) == nil
      }
      return dictionary
    }
  }

  /// Decodes the entries of the current object. `insert` returns false for a key that was inserted before, which is an
  /// error.
  fileprivate func decodeEntries<Key: Hashable, Value>(
    _ key: (ArchivedReference) throws -> Key, _ value: (ArchivedReference) throws -> Value,
    insert: (Key, Value) -> Bool
  ) throws {
    let hasKnownKeys = currentClass?.name == KnownKeys.dictionaryName
    let keys = try hasKnownKeys ? knownKeys(key) : decodeHashedElements(forRawKey: "NS.keys", key)
    // The path to a value contains its key, if that is a string.
    let names = Key.self == String.self ? keys as? [String] : nil
    var position = 0
    let decode = { (reference: ArchivedReference) throws in
      if let names, position < names.count { self.current.step = .key(names[position]) }
      position += 1
      return try value(reference)
    }
    let values =
      try hasKnownKeys ? elements(ofArray: "values", decode) : decodeElements(forRawKey: "NS.objects", decode)
    try require(keys.count == values.count, "a dictionary has \(keys.count) keys, but \(values.count) values")
    for (key, value) in zip(keys, values) where !insert(key, value) { throw standsTwice(key) }
  }

  private func knownKeys<Key: Hashable>(_ key: (ArchivedReference) throws -> Key) throws -> [Key] {
    guard let mapping = try node(forRawKey: "searchMapping") else { throw noValue("searchMapping") }
    var elements = HashedElements<Key>()
    return try once(ArchivedReference(node: mapping), KnownKeys.self) {
      try self.elements(ofArray: "keys") { element in try elements.next(self) { try key(element) } }
    }
  }

  /// Decodes the elements of an array that is an object of its own.
  private func elements<T>(ofArray key: String, _ decode: (ArchivedReference) throws -> T) throws -> [T] {
    guard let array = try node(forRawKey: key) else { throw noValue(key) }
    return try once(ArchivedReference(node: array), ArchivedArray.self) {
      try decodeElements(forRawKey: "NS.objects", decode)
    }
  }

  func standsTwice(_ element: some Any) -> KeyedArchiveError {
    // An element may be much larger than a message.
    let name = (element as? String)?.quoted ?? "an element of the type \(Swift.type(of: element))"
    return failure(.invalidContents, "\(name) occurs twice in a collection of unique elements")
  }
}

/// The keys of an `NSKnownKeysDictionary1`, a dictionary class of Core Data: several dictionaries share an array of
/// keys, and each has its own array of values.
private struct KnownKeys: SecureCoding {
  static let archivedClass = ArchivedClass("NSKnownKeysMappingStrategy1")
  static let dictionaryName = "NSKnownKeysDictionary1"

  init(coder: KeyedUnarchiver) throws {
    throw coder.failure(.typeMismatch, "the keys of a known-keys dictionary can be decoded only with the dictionary")
  }

  func encode(with coder: KeyedArchiver) throws {}
}
