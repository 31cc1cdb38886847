public import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// Archived as an `NSDictionary`, with the keys in the array `NS.keys` and the values in `NS.objects`.
/// `NSMutableDictionary` is also read.
///
/// A dictionary has no order. Its entries are written in an order that depends only on the keys, so that equal
/// dictionaries give equal archives. `OrderedDictionary` keeps the order of the archive.
extension Dictionary: SecureCoding where Key: SecureCoding, Value: SecureCoding {
  public static var archivedClass: ArchivedClass { OrderedDictionary<Key, Value>.archivedClass }

  public func encode(with coder: KeyedArchiver) throws {
    // The order consists of positions instead of keys, because a key such as NaN cannot be looked up.
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

/// Archived as an `NSDictionary`, with the entries in the order of the dictionary.
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
  /// Decodes the current object as a dictionary with keys and values of several types.
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

  /// Decodes the keys and values of the current object, and passes each pair to `insert`. If `insert` returns false,
  /// the key occurs twice, which is an error.
  fileprivate func decodeEntries<Key: Hashable, Value>(
    _ key: (ArchivedReference) throws -> Key, _ value: (ArchivedReference) throws -> Value,
    insert: (Key, Value) -> Bool
  ) throws {
    let hasKnownKeys = currentClass?.name == KnownKeys.dictionaryName
    let keys = try hasKnownKeys ? knownKeys(key) : decodeHashedElements(forRawKey: "NS.keys", key)
    // If the keys are strings, errors contain the key in the path to a value.
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

  /// Decodes the elements of the `NSArray` object under a key of the current object, each by a closure.
  private func elements<T>(ofArray key: String, _ decode: (ArchivedReference) throws -> T) throws -> [T] {
    guard let array = try node(forRawKey: key) else { throw noValue(key) }
    return try once(ArchivedReference(node: array), ArchivedArray.self) {
      try decodeElements(forRawKey: "NS.objects", decode)
    }
  }

  func standsTwice(_ element: some Any) -> KeyedArchiveError {
    // The message contains only the type of an element that is not a string, because its description could be very
    // long.
    let name = (element as? String)?.quoted ?? "an element of the type \(Swift.type(of: element))"
    return failure(.invalidContents, "\(name) occurs twice in a collection of unique elements")
  }
}

/// The keys of an `NSKnownKeysDictionary1`. Several objects of this class, a dictionary class of Core Data, share an
/// array of keys, and each has its own array of values.
private struct KnownKeys: SecureCoding {
  static let archivedClass = ArchivedClass("NSKnownKeysMappingStrategy1")
  static let dictionaryName = "NSKnownKeysDictionary1"

  init(coder: KeyedUnarchiver) throws {
    throw coder.failure(.typeMismatch, "the keys of a known-keys dictionary can be decoded only with the dictionary")
  }

  func encode(with coder: KeyedArchiver) throws {}
}
