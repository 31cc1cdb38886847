public import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// `NSDictionary`, and `NSMutableDictionary` where an archive has one: `NS.keys` and `NS.objects`, side by side.
///
/// A dictionary has no order, so its entries are written in the one that Apple's classes would have them in, as far as
/// that depends on the keys alone; see ``CanonicalOrder``. `OrderedDictionary` keeps the order of the archive.
extension Dictionary: SecureCoding where Key: SecureCoding, Value: SecureCoding {
  public static var archivedClass: ArchivedClass { OrderedDictionary<Key, Value>.archivedClass }

  public func encode(with coder: KeyedArchiver) throws {
    // By position and not by key: a key such as not-a-number is not found again.
    let entries = Array(self)
    let order = try CanonicalOrder.positions(of: entries.map(\.key), for: coder)
    try coder.encode(references: order.lazy.map { entries[$0].key }, forRawKey: "NS.keys")
    try coder.encode(references: order.lazy.map { entries[$0].value }, forRawKey: "NS.objects")
  }

  public init(coder: KeyedUnarchiver) throws {
    let (keys, values) = try coder.decodeEntries {
      try Key._unarchive($0, by: coder)
    } _: {
      try Value._unarchive($0, by: coder)
    }
    self.init()
    for (key, value) in zip(keys, values) {
      if updateValue(value, forKey: key) != nil { throw coder.standsTwice(key) }
    }
  }
}

/// `NSDictionary`, with its entries in the order of the archive.
extension OrderedDictionary: SecureCoding where Key: SecureCoding, Value: SecureCoding {
  public static var archivedClass: ArchivedClass { ArchivedClass("NSDictionary", aliases: ["NSMutableDictionary"]) }

  public func encode(with coder: KeyedArchiver) throws {
    try coder.encode(references: keys, forRawKey: "NS.keys")
    try coder.encode(references: values, forRawKey: "NS.objects")
  }

  public init(coder: KeyedUnarchiver) throws {
    let (keys, values) = try coder.decodeEntries {
      try Key._unarchive($0, by: coder)
    } _: {
      try Value._unarchive($0, by: coder)
    }
    self.init()
    for (key, value) in zip(keys, values) {
      if updateValue(value, forKey: key) != nil { throw coder.standsTwice(key) }
    }
  }
}

extension KeyedUnarchiver {
  func decodeEntries<Key: Hashable, Value>(
    _ key: (ArchivedReference) throws -> Key, _ value: (ArchivedReference) throws -> Value
  ) throws -> ([Key], [Value]) {
    let keys = try decodeHashedElements(forRawKey: "NS.keys", key)
    // The way to a value is its key, if that is a text.
    let names = Key.self == String.self ? keys as? [String] : nil
    var position = 0
    let values = try decodeElements(forRawKey: "NS.objects") { reference in
      if let names, position < names.count { current.step = .key(names[position]) }
      position += 1
      return try value(reference)
    }
    guard keys.count == values.count else {
      throw failure(.invalidContents, "a dictionary with \(keys.count) keys and \(values.count) values")
    }
    return (keys, values)
  }

  func standsTwice(_ element: some Any) -> KeyedArchiveError {
    // An element may be far larger than a message.
    let name = (element as? String)?.quoted ?? "an element, \(Swift.type(of: element)),"
    return failure(.invalidContents, "\(name) stands twice in a collection that has each element once")
  }
}
