internal import Synchronization

/// Identifies an object by its store, its entity and a number.
///
/// It is what rows and contexts refer to objects by, and takes 16 bytes. `ManagedObjectID` is the same for programs,
/// with a form for files.
public struct RowKey: Hashable, Sendable {
  /// The store that has the object. ``StoreNumber/none`` for an object that was never saved.
  public let store: StoreNumber
  /// The index of the entity in `ManagedObjectModel.entities`: of the object's own entity, never of one that it
  /// inherits from.
  public let entityIndex: Int32
  /// Unique in the store among the objects of entities that inherit from one. Negative for an object that was never
  /// saved.
  public let number: Int64

  /// Creates the key of an object in a store.
  @inlinable public init(store: StoreNumber, entityIndex: Int, number: Int64) {
    self.store = store
    self.entityIndex = Int32(entityIndex)
    self.number = number
  }

  /// True until the object is saved.
  @inlinable public var isTemporary: Bool { number < 0 }

  // Written out, so that other modules inline it.
  @inlinable
  public static func == (first: RowKey, second: RowKey) -> Bool {
    first.number == second.number && first.entityIndex == second.entityIndex && first.store == second.store
  }

  /// Of most keys that are compared, the numbers or the entities differ.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(number ^ Int64(entityIndex) << 40) }

  private static let lastTemporaryNumber = Atomic<Int64>(0)

  /// A key that no other object of this process has.
  package static func temporary(entityIndex: Int) -> RowKey {
    let number = lastTemporaryNumber.subtract(1, ordering: .relaxed).newValue
    return RowKey(store: .none, entityIndex: entityIndex, number: number)
  }
}

extension RowKey: Comparable {
  /// By store, entity and number. Objects that were never saved come last, the older before the newer.
  @inlinable public static func < (first: RowKey, second: RowKey) -> Bool {
    if first.isTemporary != second.isTemporary { return second.isTemporary }
    if first.store != second.store { return first.store.rawValue < second.store.rawValue }
    if first.entityIndex != second.entityIndex { return first.entityIndex < second.entityIndex }
    return first.isTemporary ? first.number > second.number : first.number < second.number
  }

  /// The order in which requests find objects that are equal in their own order: by entity, store and number, as stores
  /// find them. Objects that were never saved come last, the older before the newer.
  @inlinable package func isFetchedBefore(_ other: RowKey) -> Bool {
    if isTemporary != other.isTemporary { return other.isTemporary }
    if isTemporary { return number > other.number }
    if entityIndex != other.entityIndex { return entityIndex < other.entityIndex }
    return store == other.store ? number < other.number : store.rawValue < other.store.rawValue
  }
}

/// Tells the stores of a process apart.
public struct StoreNumber: RawRepresentable, Hashable, Sendable {
  /// From 1; 0 for no store.
  public let rawValue: UInt32

  /// The number of a store.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The number of no store.
  @inlinable public static var none: StoreNumber { StoreNumber(rawValue: 0) }

  // Written out, so that other modules inline it.
  @inlinable
  public static func == (first: StoreNumber, second: StoreNumber) -> Bool { first.rawValue == second.rawValue }

  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  private static let last = Atomic<UInt32>(0)

  /// A number that no other store of this process has. A store takes one when it is made.
  public static func next() -> StoreNumber { StoreNumber(rawValue: last.add(1, ordering: .relaxed).newValue) }
}
