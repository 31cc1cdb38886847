internal import ManagedObjects
internal import OrderedCollections
internal import PropertyLists
internal import SQLQueries

/// The rows that are needed to execute a request in memory, for requests that SQL cannot express.
///
/// It contains the rows that may match the predicate (the candidates), and all rows of each entity that a key path of
/// the request leads to.
struct LoadedRows: RowSource {
  let model: ManagedObjectModel
  let storeNumber: StoreNumber
  /// The candidates of each entity, by the index of the entity; nil if all rows of the requested entity are candidates.
  private var candidates: [[StoreRow]]?
  private var entityRows: [[StoreRow]]

  /// Reads the rows that a request needs.
  ///
  /// - Parameters:
  ///   - entity: The entity of the request.
  ///   - candidates: The rows that may match, sorted by entity and primary key; nil for all rows.
  init(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity, _ candidates: [StoreRow]?, _ state: inout StoreState
  ) throws(ManagedObjectError) {
    model = state.schema.model
    storeNumber = state.storeNumber
    entityRows = Array(repeating: [], count: model.records.count)
    let keys = RequestKeys(request)
    let names = keys.namesReadLater(in: model)
    var entities = Set(keys.objects.map { Int($0.entityIndex) }.filter { model.records.indices.contains($0) })
    if candidates == nil { entities.formUnion(request.entities(entity)) }
    Self.addReachable(from: Array(request.entities(entity)) + entities, names, model, &entities)
    for table in state.schema.tables {
      guard table.entities.contains(where: { entities.contains($0) }), let selection = state.selection(table.entities)
      else { continue }
      let statement = try state.database.statement(
        "SELECT \(selection.list) FROM \(selection.source) ORDER BY \(QueryTranslation.rootAlias).Z_PK")
      for row in try state.rows(statement, selection) { entityRows[Int(row.key.entityIndex)].append(row) }
    }
    for index in entities { try Self.readRest(of: &entityRows[index], ofEntity: index, names, model, &state) }
    guard let candidates else { return }
    var rows: [[StoreRow]] = Array(repeating: [], count: model.records.count)
    for row in candidates { rows[Int(row.key.entityIndex)].append(row) }
    for index in request.entities(entity) { try Self.readRest(of: &rows[index], ofEntity: index, names, model, &state) }
    self.candidates = rows
  }

  /// Adds the entities that relationships with the given names lead to, directly or indirectly.
  private static func addReachable(
    from start: [Int], _ names: Set<String>, _ model: ManagedObjectModel, _ reached: inout Set<Int>
  ) {
    var waiting = start
    var seen = Set(start)
    while let index = waiting.popLast() {
      for relationship in model.records[index].relationships where names.contains(relationship.name) {
        let destination = relationship.destinationIndex
        for target in destination..<model.records[destination].endOfSubentities {
          reached.insert(target)
          if seen.insert(target).inserted { waiting.append(target) }
        }
      }
    }
  }

  /// Reads the properties with the given names if the fetched rows do not contain their values, as for to-many
  /// relationships.
  private static func readRest(
    of rows: inout [StoreRow], ofEntity index: Int, _ names: Set<String>, _ model: ManagedObjectModel,
    _ state: inout StoreState
  ) throws(ManagedObjectError) {
    try rows.readRest(model.records[index].slotsReadLater(names), model) { slot, keys throws(ManagedObjectError) in
      try state.values(ofSlot: slot, keys)
    }
  }

  /// Returns the given rows, completed by the values that ``readRest(of:ofEntity:_:_:_:)`` has read.
  func completed(_ rows: [StoreRow]) -> [StoreRow] {
    guard let candidates else { return rows }
    let completed = Dictionary(candidates.joined().map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    return rows.map { completed[$0.key] ?? $0 }
  }

  func rows(ofEntity index: Int) -> [StoreRow] { (candidates ?? entityRows)[index] }

  func row(_ key: RowKey) -> StoreRow? {
    guard key.store == storeNumber, entityRows.indices.contains(Int(key.entityIndex)) else { return nil }
    let rows = entityRows[Int(key.entityIndex)]
    let index = rows.indices.partitioningIndex { rows[$0].key.number >= key.number }
    return index < rows.count && rows[index].key == key ? rows[index] : nil
  }
}
