public import ObjectModels
public import Predicates

/// The rows of a store in memory. The table executes requests, and checks and applies the changes of a save. It keeps
/// relationships and their inverses consistent.
///
/// If you write a store that keeps its rows in memory, use a table, and read and write the rows in your own format:
///
/// ```swift
/// var table = RowTable(model: model, storeNumber: number)
/// var loaded = StoreChanges()
/// loaded.inserted = try readRows()
/// try table.apply(loaded)
/// let found = try table.fetch(request, of: entity)
/// ```
///
/// The rows of an entity are sorted by primary key. New rows are mostly appended, other rows are found by their key,
/// and deleted rows leave tombstones that are removed from time to time. So the cost of a save is proportional to the
/// number of its changes.
public struct RowTable: RowSource {
  /// The model of the rows.
  public let model: ManagedObjectModel
  /// The number of the store in this process. The keys of all rows contain it.
  public let storeNumber: StoreNumber
  /// For each entity of the model, true if the store can contain its objects.
  let isMember: [Bool]
  let shapes: [[SlotShape]]
  /// The relationships of each entity that have an inverse.
  let sides: [[RelationshipSide]]
  /// The rows, by entity.
  package var entityRows: [EntityRows]
  package var uniquenessIndexes: [UniquenessIndex]
  var ownerIndexes: [OwnerIndex]
  /// The derived attributes, whose values the table computes.
  let derivations: [DerivationRule]

  /// Creates a table without rows.
  ///
  /// - Parameter configuration: the configuration whose entities the store has; nil for all.
  public init(model: ManagedObjectModel, storeNumber: StoreNumber, configuration: String? = nil) {
    self.model = model
    self.storeNumber = storeNumber
    var isMember = [Bool](repeating: false, count: model.records.count)
    for entity in model.entities(ofConfiguration: configuration) ?? [] { isMember[entity.index] = !entity.isAbstract }
    self.isMember = isMember
    shapes = model.entities.map(SlotShape.all)
    sides = model.entities.map(RelationshipSide.all)
    entityRows = Array(repeating: EntityRows(), count: model.records.count)
    uniquenessIndexes = UniquenessIndex.all(model)
    ownerIndexes = OwnerIndex.all(model)
    derivations = DerivationRule.all(model)
  }

  /// The number of rows.
  public var count: Int { entityRows.reduce(0) { $0 + $1.count } }

  /// The highest primary key of a row, or of a recently deleted row; 0 if there are none.
  public var lastNumber: Int64 { entityRows.reduce(0) { max($0, $1.lastNumber) } }

  /// Returns the row of an object; nil if it does not exist.
  public func row(_ key: RowKey) -> StoreRow? {
    guard key.store == storeNumber, entityRows.indices.contains(Int(key.entityIndex)) else { return nil }
    return entityRows[Int(key.entityIndex)].row(key.number)
  }

  /// Returns the rows of an entity without those of its subentities, sorted by primary key.
  ///
  /// - Parameter index: the entity's index in ``ManagedObjectModel/entities``.
  public func rows(ofEntity index: Int) -> [StoreRow] {
    entityRows.indices.contains(index) ? entityRows[index].rows : []
  }

  /// Returns the object ID for a key; nil if the model does not have its entity.
  func objectID(_ key: RowKey, _ identifier: String) -> ManagedObjectID? {
    guard entityRows.indices.contains(Int(key.entityIndex)) else { return nil }
    return ManagedObjectID(key, model: model, storeIdentifier: identifier)
  }

  /// Returns the first defect found, if any. For tests.
  func _checkInvariants() -> String? {
    for (index, rows) in entityRows.enumerated() {
      let defect = rows._checkInvariants(
        entityIndex: index, slotCount: model.records[index].slotCount, store: storeNumber)
      if let defect { return "\(model.entity(at: index).name): \(defect)" }
    }
    for (index, current) in zip(uniquenessIndexes, UniquenessIndex.all(model)) where index.keys != nil {
      var current = current
      current.build(entityRows)
      if current.keys != index.keys { return "the index of \(index.names) does not match the rows" }
    }
    for (index, current) in zip(ownerIndexes, OwnerIndex.all(model)) where index.isMade {
      var current = current
      current.build(entityRows)
      if !index._isEqual(to: current) { return "the index of owners does not match the rows" }
    }
    return nil
  }
}
