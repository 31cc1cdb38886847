internal import ObjectModels
internal import Predicates

/// The results of a request, which are updated when objects of the context change.
///
/// Changes are reported by calling ``report``. Changes that this function makes are processed after it returns, so that
/// the results it reads match the report.
final class ResultEngine {
  let context: ManagedObjectContext
  let request: FetchRequest
  let entity: ManagedObjectModel.Entity
  let sectioning: ResultSectioning
  /// A function that is called with the changes of the results, or with the error if the results could not be updated.
  var report: ((Result<FetchedResultsChanges, ManagedObjectError>) -> Void)?

  /// The rows of the results.
  var list = ResultList()
  /// All rows in order, for a request with a limit or an offset.
  var all: ResultList?
  private(set) var isFetched = false
  /// The error of the last update; nil if the results are up to date.
  private(set) var failure: ManagedObjectError?
  /// The number of comparisons of two rows so far. For tests.
  var comparisonCount = 0

  let reach: RequestReach
  private(set) var prepared: PreparedFetch
  private var following = 0
  /// The last known values of other objects that rows depend on, by the path of relationships to the object and its
  /// key.
  var seen: [[String]: KeyTable<EndValues>] = [:]
  /// The objects that other contexts deleted and that may have unsaved changes in this context.
  var gone: Set<RowKey> = []
  var waiting = Waiting()
  private var isBusy = false
  /// The objects of the last three batches that were read. Retaining them keeps them in the context.
  private var recent: [[ManagedObject]] = []
  private var storeIdentifiers: [StoreNumber: String] = [:]
  let cache: FetchedResultsCache?
  /// True if the rows came from ``cache``.
  private(set) var isFromCache = false

  /// The changes in the context that have not been processed yet.
  struct Waiting {
    var keys: Set<RowKey> = []
    /// The part of ``keys`` whose rows may have a position that is based on outdated values: the object was refreshed
    /// or was saved by another context, or its row depends on another object that changed.
    var misplaced: Set<RowKey> = []
    /// True if all rows must be fetched again.
    var isAll = false
    /// True if all objects must be reported as changed, after a reset or an update that failed.
    var isUnknown = false
    /// True if the keys of objects changed, because the objects were saved for the first time.
    var hasNewNames = false
    /// The new keys of objects that rows depend on, if their keys changed.
    var renamed: [RowKey] = []
    /// The old keys of objects that can be in the results and whose keys changed, by their new keys. The rows of these
    /// objects are checked, because a predicate or the order can depend on keys.
    var oldKeys: [RowKey: RowKey] = [:]
    /// True if ``gone`` contains keys of objects that can be in the results. Every update checks these objects.
    var hasGone = false

    var isEmpty: Bool { keys.isEmpty && oldKeys.isEmpty && !isAll && !hasGone }
  }

  init(
    _ request: FetchRequest, in context: ManagedObjectContext, _ entity: ManagedObjectModel.Entity,
    _ sectioning: ResultSectioning, keyPaths: [String], _ cache: FetchedResultsCache?
  ) throws(ManagedObjectError) {
    guard !request.sortDescriptors.isEmpty else {
      throw ManagedObjectError(
        .unsupportedRequest, "fetched results need a sort order; add a sort descriptor to the request")
    }
    guard request.resultType == .objects, request.includesPendingChanges else {
      throw ManagedObjectError(
        .unsupportedRequest, "fetched results need a request for objects that includes pending changes")
    }
    self.request = request
    self.context = context
    self.entity = entity
    self.sectioning = sectioning
    self.cache = cache
    var present = request
    _ = try context.entity(of: &present)
    prepared = try PreparedFetch(present, of: entity)
    var keyPaths = keyPaths
    if let path = sectioning.keyPath { keyPaths.append(path) }
    reach = RequestReach(request, of: entity, keyPaths: keyPaths)
  }

  deinit { context.followers.remove(following) }

  var isWindowed: Bool { request.fetchLimit > 0 || request.fetchOffset > 0 }

  /// True if objects are created when they are accessed, and not retained.
  var isLazy: Bool { request.fetchBatchSize > 0 || isFromCache }

  /// The number of objects that are read at once.
  private var batchSize: Int { request.fetchBatchSize > 0 ? request.fetchBatchSize : 100 }

  /// Fetches all rows, and begins to follow the changes of the context.
  func fetch() throws(ManagedObjectError) {
    waiting = Waiting()
    try fetchLists(usingCache: true)
    noteChangedObjects()
    isFetched = true
    failure = nil
    guard following == 0 else { return }
    following = context.followers.add { [weak self] in self?.take($0) }
  }

  private func fetchLists(usingCache: Bool) throws(ManagedObjectError) {
    recent = []
    if usingCache, let cached = cachedRows() {
      list = cached
      isFromCache = true
      return
    }
    let state = usingCache ? cacheableState() : nil
    isFromCache = false
    var request = request
    request.fetchLimit = 0
    request.fetchOffset = 0
    request.fetchBatchSize = 0
    if isLazy {
      // Sections need the values of all objects. Otherwise, values are read on access.
      request.includesPropertyValues = !sectioning.isNone && !isWindowed && request.includesPropertyValues
      request.relationshipKeyPathsForPrefetching = []
    }
    let found = try context.fetch(request)
    let shown = self.request.window(found)
    var names: [String] = []
    names.reserveCapacity(shown.count)
    for object in shown { names.append(try sectioning.name(of: object)) }
    let isLazy = isLazy
    let rows = shown.map { ResultRow($0.key, object: isLazy ? nil : $0) }
    let list: ResultList
    do throws(ResultList.Separation) { list = try ResultList(rows, names: names) } catch {
      throw sectioning.error(error, id(of: error.key))
    }
    self.list = list
    if isWindowed {
      // Cannot throw: there is only one section.
      all = try? ResultList(found.map { ResultRow($0.key) }, names: found.map { _ in "" })
    }
    if let state { keepInCache(state) }
  }

  /// Fetches all rows again.
  ///
  /// - Parameters:
  ///   - changed: the keys of objects that may have changed values; nil for all.
  ///   - oldKeys: the old keys of objects whose keys changed.
  func fetchAgain(
    changed: Set<RowKey>?, oldKeys: [RowKey: RowKey]
  ) throws(ManagedObjectError) -> FetchedResultsChanges {
    let old = list
    let (oldAll, wasFromCache) = (all, isFromCache)
    var edits = ResultEdits()
    var editIndices = KeyTable<Int>()
    editIndices.reserveCapacity(old.count)
    for (index, row) in old.allPositions.enumerated() {
      editIndices[row.row.key] = index
      let key = row.row.key
      edits.rows.append(
        ResultEdits.Row(
          id: id(of: key), oldID: oldKeys[key].map { id(of: $0) }, old: row.position, oldSection: row.section,
          isChanged: true))
    }
    var sections: [String: Int] = [:]
    for (index, section) in old.allSections.enumerated() {
      sections[section.name] = index
      edits.sections.append(ResultEdits.Section(name: section.name, old: index))
    }
    do { try fetchLists(usingCache: false) } catch {
      (list, all, isFromCache) = (old, oldAll, wasFromCache)
      throw error
    }
    noteChangedObjects()
    for (row, position, section) in list.allPositions {
      if let known = editIndices[row.key] {
        edits.rows[known].new = position
        edits.rows[known].newSection = section
        edits.rows[known].isChanged = changed?.contains(row.key) ?? true
      } else {
        edits.rows.append(ResultEdits.Row(id: id(of: row.key), new: position, newSection: section, isChanged: true))
      }
    }
    for (index, section) in list.allSections.enumerated() {
      if let known = sections[section.name] {
        edits.sections[known].new = index
      } else {
        edits.sections.append(ResultEdits.Section(name: section.name, new: index))
      }
    }
    return edits.changes
  }

  private func take(_ event: ContextEvent) {
    switch event {
    case .renamed(let old, let new): rename(old, to: new)
    case .assigned(let key): if request.affectedStores != nil, isRow(key) { waiting.keys.insert(key) }
    case .changed(let change, let merged):
      // After an update that failed, all rows are fetched again.
      if failure != nil || change.isReset {
        waiting.isAll = true
        waiting.isUnknown = true
      }
      if change.isReset {
        seen = [:]
        gone = []
        recent = []
      } else {
        note(change, merged)
        waiting.hasGone = gone.contains { isRow($0) }
      }
      if !isBusy { follow() }
    }
  }

  /// Updates the results and reports their changes, until ``waiting`` is empty.
  private func follow() {
    isBusy = true
    defer { isBusy = false }
    while !waiting.isEmpty {
      let waiting = waiting
      self.waiting = Waiting()
      do {
        if waiting.hasNewNames { try prepareAgain() }
        let changed = waiting.isUnknown ? nil : waiting.keys
        let changes =
          waiting.isAll
          ? try fetchAgain(changed: changed, oldKeys: waiting.oldKeys)
          : try update(waiting.keys, waiting.misplaced, oldKeys: waiting.oldKeys)
        failure = nil
        if !changes.isEmpty { report?(.success(changes)) }
      } catch {
        failure = error
        report?(.failure(error))
      }
    }
  }

  /// Prepares the request again, because its predicate may contain objects whose keys changed.
  private func prepareAgain() throws(ManagedObjectError) {
    guard request.predicate != nil else { return }
    var present = request
    _ = try context.entity(of: &present)
    prepared = try PreparedFetch(present, of: entity)
  }

  private func rename(_ old: RowKey, to new: RowKey) {
    // Both keys have rows, because two objects became one. The next update removes the old row.
    if list[new] != nil || all?[new] != nil {
      waiting.keys.formUnion([old, new])
      return
    }
    if let row = list[old] { list.rename(row, to: new) }
    if let row = all?[old] { all?.rename(row, to: new) }
    if isRow(new) { waiting.oldKeys[new] = waiting.oldKeys.removeValue(forKey: old) ?? old }
    if waiting.keys.remove(old) != nil { waiting.keys.insert(new) }
    for (way, values) in seen {
      guard let value = values[old] else { continue }
      seen[way]?[old] = nil
      seen[way]?[new] = value
    }
    waiting.hasNewNames = true
    if reach.concerns(new.entityIndex) { waiting.renamed.append(new) }
  }

  /// Returns the object of a row, as a fault if it has not been accessed yet.
  func object(of row: ResultRow) -> ManagedObject {
    if let object = row.object { return object }
    let object = context.object(for: row.key)
    // The row may be from earlier results, and no longer in the list.
    if object.needsRow, !recent.contains(where: { $0[0].batch === object.batch }),
      let offset = list[row.key].flatMap({ list.offset(of: $0) })
    {
      let start = offset / batchSize * batchSize
      let objects = list.rows(start..<min(start + batchSize, list.count)).map { context.object(for: $0.key) }
      context.makeBatches(of: objects, sizes: [batchSize])
      if recent.count == 3 { recent.removeFirst() }
      recent.append(objects)
    }
    return object
  }

  /// Returns the ID of an object.
  func id(of key: RowKey) -> ManagedObjectID {
    if key.isTemporary { return ManagedObjectID(key, model: context.model, storeIdentifier: nil) }
    let identifier: String?
    if let known = storeIdentifiers[key.store] {
      identifier = known
    } else {
      identifier = context.coordinator.store(key.store)?.identifier
      storeIdentifiers[key.store] = identifier
    }
    return ManagedObjectID(key, model: context.model, storeIdentifier: identifier)
  }

  var snapshot: FetchedResultsSnapshot {
    var snapshot = FetchedResultsSnapshot()
    for section in list.allSections {
      let start = list.start(of: section)
      snapshot.sections.append(
        .init(name: section.name, objectIDs: list.rows(start..<start + section.count).map { id(of: $0.key) }))
    }
    return snapshot
  }
}
