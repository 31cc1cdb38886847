internal import ObjectModels
public import OrderedCollections
public import Predicates

/// The data of one object in a store: its key, its version and its values.
///
/// ```swift
/// if let title = entity.attribute(named: "title") {
///   print(row.values[title.slot] == .attribute(.string("Letters")))   // true
/// }
/// ```
public struct StoreRow: Hashable, Sendable {
  /// The key of the object.
  public let key: RowKey
  /// The version: 1 for a new row, increased by 1 for each saved change (`Z_OPT` in SQLite stores).
  public var version: Int64
  /// The values of the object's properties, at the indexes that the entity assigns to the properties (slots).
  public var values: [RowValue]

  /// Creates a row.
  public init(key: RowKey, version: Int64, values: [RowValue]) {
    self.key = key
    self.version = version
    self.values = values
  }
}

extension [StoreRow] {
  /// Reads the values that are ``RowValue/unread`` in some slots of the rows. All rows must have the same entity. If an
  /// object was deleted meanwhile, its values in these slots are empty.
  ///
  /// - Parameter read: a function that returns the values in a slot for several keys, such as
  ///   ``PersistentStore/values(ofSlot:_:)``.
  package mutating func readRest(
    _ slots: some Sequence<Int>, _ model: ManagedObjectModel,
    _ read: (_ slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?]
  ) throws(ManagedObjectError) {
    for slot in slots {
      let unread = indices.filter { self[$0].values.indices.contains(slot) && self[$0].values[slot] == .unread }
      if unread.isEmpty { continue }
      for (index, value) in zip(unread, try read(slot, unread.map { self[$0].key })) {
        let entity = ManagedObjectModel.Entity(model: model, index: Int(self[index].key.entityIndex))
        self[index].values[slot] = value ?? entity.emptyValues[slot]
      }
    }
  }
}

/// The value of a property in a ``StoreRow``.
public enum RowValue: Hashable, Sendable {
  case attribute(AttributeValue)
  case toOne(RowKey?)
  case toMany(Set<RowKey>)
  case orderedToMany(OrderedSet<RowKey>)
  /// A placeholder for a value that the store reads only when it is needed: the value of a to-many relationship, or
  /// data in a separate file.
  case unread

  /// The null value of an attribute.
  public static let null = RowValue.attribute(.null)

  /// The keys that a relationship refers to, in order if it is ordered. Empty for an attribute and for ``unread``.
  public var keys: [RowKey] {
    switch self {
    case .attribute, .unread, .toOne(nil): []
    case .toOne(let key?): [key]
    case .toMany(let keys): Array(keys)
    case .orderedToMany(let keys): Array(keys)
    }
  }
}

extension ManagedObjectModel.Entity {
  /// The values of an empty row: attributes are null, relationships are empty.
  ///
  /// ```swift
  /// var row = StoreRow(key: key, version: 1, values: entity.emptyValues)
  /// if let title = entity.attribute(named: "title") { row.values[title.slot] = .attribute(.string("Letters")) }
  /// ```
  public var emptyValues: [RowValue] {
    var values = [RowValue](repeating: .null, count: slotCount)
    for relationship in relationships { values[relationship.slot] = relationship.emptyValue }
    return values
  }

  /// The values of a new object: attributes have their default values, relationships are empty.
  var initialValues: [RowValue] {
    var values = emptyValues
    for attribute in attributes {
      var value = attribute.initialValue
      // A default value from a file may lack elements, or have elements that the model does not define.
      if case .composite = value { value = (try? attribute.definition.normalized(value)) ?? .null }
      values[attribute.slot] = .attribute(value)
    }
    return values
  }
}

extension ManagedObjectModel.Entity.Relationship {
  /// The value of an empty relationship.
  public var emptyValue: RowValue {
    if !definition.isToMany { return .toOne(nil) }
    return definition.isOrdered ? .orderedToMany([]) : .toMany([])
  }
}

extension RowValue {
  /// The number of objects that a relationship refers to; 0 for an attribute and for ``unread``.
  public var count: Int {
    switch self {
    case .attribute, .unread, .toOne(nil): 0
    case .toOne: 1
    case .toMany(let keys): keys.count
    case .orderedToMany(let keys): keys.count
    }
  }

  /// Returns true if this is the value of a relationship that contains the object with the key.
  package func refers(to key: RowKey) -> Bool {
    switch self {
    case .toOne(let other): other == key
    case .toMany(let keys): keys.contains(key)
    case .orderedToMany(let keys): keys.contains(key)
    case .attribute, .unread: false
    }
  }

  /// Adds an object to a to-many relationship. In an ordered relationship, inserts it at the position, or appends it.
  ///
  /// - Complexity: O(1); O(*n*) in the middle of an ordered relationship. Copies the keys only if another value shares
  ///   them.
  mutating func insert(_ key: RowKey, at position: Int? = nil) {
    switch self {
    case .toMany(var keys):
      // Releases the keys in `self`, so that `keys` has a single owner and `insert` does not copy it.
      self = .unread
      keys.insert(key)
      self = .toMany(keys)
    case .orderedToMany(var keys):
      self = .unread
      if let position, position < keys.count { keys.insert(key, at: position) } else { keys.append(key) }
      self = .orderedToMany(keys)
    case .attribute, .toOne, .unread: break
    }
  }

  /// Removes an object from a to-many relationship. Returns its position in an ordered relationship; nil if the
  /// relationship is not ordered, or does not contain the object.
  ///
  /// - Complexity: O(1); O(*n*) for an ordered relationship. Copies the keys only if another value shares them.
  @discardableResult
  mutating func remove(_ key: RowKey) -> Int? {
    switch self {
    case .toMany(var keys):
      self = .unread
      keys.remove(key)
      self = .toMany(keys)
      return nil
    case .orderedToMany(var keys):
      self = .unread
      let position = keys.firstIndex(of: key)
      keys.remove(key)
      self = .orderedToMany(keys)
      return position
    case .attribute, .toOne, .unread: return nil
    }
  }

  /// Returns the keys that a relationship refers to and that satisfy a condition, in the order of ``keys``.
  package func keys(where holds: (RowKey) -> Bool) -> [RowKey] {
    var keys: [RowKey] = []
    forEachKey { if holds($0) { keys.append($0) } }
    return keys
  }

  /// Calls a function once for each key that a relationship refers to, without creating an array.
  @inline(__always)
  package func forEachKey<Failure: Error>(_ body: (RowKey) throws(Failure) -> Void) throws(Failure) {
    switch self {
    case .toOne(let key?): try body(key)
    case .toMany(let keys): for key in keys { try body(key) }
    case .orderedToMany(let keys): for key in keys { try body(key) }
    case .attribute, .unread, .toOne(nil): break
    }
  }
}
