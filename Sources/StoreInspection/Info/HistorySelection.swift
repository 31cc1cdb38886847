internal import FoundationEssentials
internal import ManagedObjects
internal import SQLiteStore

/// The conditions of a history request, for transactions that are read one after the other.
///
/// ``SQLiteStore/history(_:)`` has the same conditions in SQL, but leaves out changes of unknown kinds and entities.
struct HistorySelection {
  private let request: HistoryRequest
  /// Only transactions with a greater number are read.
  let after: Int64
  /// Only transactions with at most this number are read.
  let last: Int64
  private let entityNames: Set<String>?
  private let objectURIs: Set<String>?

  init(_ request: HistoryRequest, _ tables: InspectedTables) throws(ManagedObjectError) {
    try request.check()
    self.request = request
    let model = tables.schema.model
    entityNames = try request.entityIndices(model).map { Set($0.map { model.entity(at: $0).name }) }
    objectURIs = request.objectIDs.map { Set($0.map(\.uriRepresentation)) }
    let identifier = tables.metadata?.identifier ?? ""
    after = try Self.number(request.after, identifier) ?? 0
    last = try Self.number(request.before, identifier).map { $0 > .min ? $0 - 1 : .min } ?? .max
  }

  /// Returns the number of a position; nil for a date.
  private static func number(
    _ position: HistoryRequest.Position?, _ identifier: String
  ) throws(ManagedObjectError) -> Int64? {
    switch position {
    case .number(let number): number
    case .token(let token): try token.number(inStore: identifier)
    case .date, nil: nil
    }
  }

  /// Returns true if a transaction is selected. Removes its changes that are not selected.
  func includes(_ transaction: inout StoreHistory.Transaction) -> Bool {
    if case .date(let date) = request.after, !(transaction.date.map { date < $0 } ?? false) { return false }
    if case .date(let date) = request.before, !(transaction.date.map { $0 < date } ?? false) { return false }
    guard request.author.holds(for: transaction.author), request.contextName.holds(for: transaction.contextName),
      request.bundleIdentifier.holds(for: transaction.bundleIdentifier),
      request.processName.holds(for: transaction.processName)
    else { return false }
    if request.requiresChanges {
      transaction.changes.removeAll { !includes($0) }
      if transaction.changes.isEmpty { return false }
    }
    if !request.includesChanges { transaction.changes = [] }
    return true
  }

  private func includes(_ change: StoreHistory.Change) -> Bool {
    if let entityNames, !(change.entity.map(entityNames.contains) ?? false) { return false }
    if let objectURIs, !(change.objectURI.map(objectURIs.contains) ?? false) { return false }
    if let kinds = request.changeKinds, !(change.kind.map(kinds.contains) ?? false) { return false }
    return true
  }
}
