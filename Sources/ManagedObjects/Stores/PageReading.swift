package import ObjectModels
package import Predicates

/// A store that reads rows into pages. Contexts prefer this form.
package protocol PageReading: PersistentStore {
  /// Executes a request as ``PersistentStore/fetch(_:of:)`` does. Returns pages if the database evaluates the whole
  /// request. The caller has checked the request.
  func fetchInPages(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> PagedFetchResult

  /// Returns the rows of objects that exist, in any order.
  func pagedRows(_ keys: [RowKey]) throws(ManagedObjectError) -> PagedRows
}

/// The result of a request, with rows in pages.
package enum PagedFetchResult: Sendable {
  case pages(PagedRows)
  case result(StoreFetchResult)
}

extension PersistentStoreCoordinator {
  /// Executes a request as ``fetchFromStores(_:of:)`` does. Returns pages if only one store is read, and if it supports
  /// them.
  func fetchInPages(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> PagedFetchResult {
    let stores = stores(for: request, of: entity)
    if stores.count == 1, let store = stores[0] as? any PageReading {
      return try store.fetchInPages(request, of: entity)
    }
    return .result(try fetchFromStores(request, of: entity))
  }

  /// Returns the rows of objects that exist, in any order.
  func pagedRows(_ keys: [RowKey]) throws(ManagedObjectError) -> [PagedRows] {
    var rows: [PagedRows] = []
    for store in stores {
      let keys = keys.filter { $0.store == store.number }
      if keys.isEmpty { continue }
      if let store = store as? any PageReading {
        rows.append(try store.pagedRows(keys))
      } else {
        var found = PagedRows(store.number)
        for row in try store.rows(keys) { if let row { found.append(row) } }
        rows.append(found)
      }
    }
    return rows
  }
}
