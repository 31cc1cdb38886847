internal import Synchronization

/// The key of an object: its store, its entity and its primary key.
///
/// Rows and contexts refer to objects by this 16-byte key. `ManagedObjectID` is the public form of it, which can also
/// be written to files.
///
/// ```swift
/// let key = RowKey(store: store.number, entityIndex: note.index, number: 7)   // note: ManagedObjectModel.Entity
/// ```
public struct RowKey: Hashable, Sendable {
  /// The store of the object. ``StoreNumber/none`` for an object that has never been saved.
  public let store: StoreNumber
  /// The index of the object's own entity in `ManagedObjectModel.entities`, never that of a superentity.
  public let entityIndex: Int32
  /// The primary key, unique in the store among the objects of all entities with the same root entity. Negative for an
  /// object that has never been saved.
  public let number: Int64

  /// Creates the key of an object in a store.
  @inlinable public init(store: StoreNumber, entityIndex: Int, number: Int64) {
    self.store = store
    self.entityIndex = Int32(entityIndex)
    self.number = number
  }

  /// True until the object is saved.
  @inlinable public var isTemporary: Bool { number < 0 }

  // The operator is not synthesized, so that other modules can inline it.
  @inlinable
  public static func == (first: RowKey, second: RowKey) -> Bool {
    first.number == second.number && first.entityIndex == second.entityIndex && first.store == second.store
  }

  /// The number and the entity as one number. Most keys that are compared differ in one of them.
  @usableFromInline var hashedNumber: Int64 { @inlinable get { number ^ Int64(entityIndex) << 40 } }

  /// Hashes the number and the entity.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(hashedNumber) }

  /// Returns the hash of the number and the entity, as `Set` and `Dictionary` ask for it. The default implementation
  /// hashes a single number in the general way, which takes twice as long.
  @inlinable public func _rawHashValue(seed: Int) -> Int { hashedNumber._rawHashValue(seed: seed) }

  private static let lastTemporaryNumber = Atomic<Int64>(0)

  /// Returns a key that no other object of this process has.
  package static func temporary(entityIndex: Int) -> RowKey {
    let number = lastTemporaryNumber.subtract(1, ordering: .relaxed).newValue
    return RowKey(store: .none, entityIndex: entityIndex, number: number)
  }
}

extension RowKey: Comparable {
  /// Orders by store, entity and number. Objects that have never been saved come last, the oldest first.
  @inlinable public static func < (first: RowKey, second: RowKey) -> Bool {
    if first.isTemporary != second.isTemporary { return second.isTemporary }
    if first.store != second.store { return first.store.rawValue < second.store.rawValue }
    if first.entityIndex != second.entityIndex { return first.entityIndex < second.entityIndex }
    return first.isTemporary ? first.number > second.number : first.number < second.number
  }

  /// Returns true if the object comes before another one in the default order of fetched objects: by entity, store and
  /// number, as stores return them. Objects that have never been saved come last, the oldest first. The order also
  /// decides between objects with equal sort keys.
  @inlinable package func isFetchedBefore(_ other: RowKey) -> Bool {
    if isTemporary != other.isTemporary { return other.isTemporary }
    if isTemporary { return number > other.number }
    if entityIndex != other.entityIndex { return entityIndex < other.entityIndex }
    return store == other.store ? number < other.number : store.rawValue < other.store.rawValue
  }
}

/// A number that identifies a store within this process.
public struct StoreNumber: RawRepresentable, Hashable, Sendable {
  /// The number, from 1; 0 for no store.
  public let rawValue: UInt32

  /// Creates a store number from its raw value.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The value for no store.
  @inlinable public static var none: StoreNumber { StoreNumber(rawValue: 0) }

  // The operator is not synthesized, so that other modules can inline it.
  @inlinable
  public static func == (first: StoreNumber, second: StoreNumber) -> Bool { first.rawValue == second.rawValue }

  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  private static let last = Atomic<UInt32>(0)

  /// Returns a number that no other store of this process has. A store calls it once, when it is created.
  public static func next() -> StoreNumber { StoreNumber(rawValue: last.add(1, ordering: .relaxed).newValue) }
}
