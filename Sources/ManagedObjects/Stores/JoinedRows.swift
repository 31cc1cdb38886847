/// The rows that a request finds in several stores, for what is left to do: to sort them, to count them, to make
/// dictionaries of them.
struct JoinedRows: RowSource {
  let model: ManagedObjectModel
  let storeNumber = StoreNumber.none
  private let stores: [any PersistentStore]
  private var found: [Int: [StoreRow]] = [:]

  init(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity, in stores: [any PersistentStore]
  ) throws(ManagedObjectError) {
    model = entity.model
    self.stores = stores
    var part = FetchRequest(request.entityName, where: request.predicate)
    part.includesSubentities = request.includesSubentities
    for store in stores {
      guard case .rows(let rows) = try store.fetch(part, of: entity) else { continue }
      for row in rows { found[Int(row.key.entityIndex), default: []].append(row) }
    }
  }

  func rows(ofEntity index: Int) -> [StoreRow] { found[index] ?? [] }

  /// A row that cannot be read is taken for one that is not there.
  func row(_ key: RowKey) -> StoreRow? {
    guard let store = stores.first(where: { $0.number == key.store }) else { return nil }
    return (try? store.rows([key]))?.first ?? nil
  }
}
