internal import Predicates
internal import PropertyLists

/// Functions that read and write the cache of results on the disk.
extension ResultEngine {
  /// The stores that the request reads, in the order they were added.
  private var stores: [any PersistentStore] { context.coordinator.stores(for: request, of: entity) }

  /// Returns a string that identifies the request, the model and the state of the stores; nil if the results cannot be
  /// cached.
  ///
  /// If the string is the same before and after a fetch, nothing was saved in between.
  func cacheableState() -> String? {
    guard let cache, cache.path != nil, !isWindowed, context.parent == nil, context.queryGenerationToken == nil,
      !context.hasChanges
    else { return nil }
    var parts = [entity.name, "\(request.includesSubentities)", context.model.versionChecksum]
    if let predicate = request.predicate {
      guard let text = try? predicate.formatText() else { return nil }
      parts.append(text)
    } else {
      parts.append("")
    }
    for key in request.sortDescriptors {
      parts.append("\(key.keyPath ?? "self") \(key.isAscending) \(key.comparison.selector) \(key.reversesNullOrder)")
    }
    switch sectioning {
    case .none: parts.append("one section")
    case .keyPath(let path, _): parts.append("sections by \(path)")
    case .function: parts.append("sections by a function")
    }
    for store in stores {
      guard let token = store.changeToken else { return nil }
      parts += [store.identifier, token]
    }
    // The length before each part makes the text unambiguous.
    return parts.map { "\($0.utf8.count):\($0)" }.joined()
  }

  /// Returns the results in the cache; nil if the cache has no results for the current ``cacheableState()``.
  func cachedRows() -> ResultList? {
    guard let state = cacheableState(), let file = cache?.read().flatMap({ ResultFile($0) }), file.origin == state
    else { return nil }
    let stores = stores
    var rows: [ResultRow] = []
    var known = RowPositions(capacity: 0)
    for stretch in file.stretches {
      guard stores.indices.contains(stretch.store), prepared.entityIndices.contains(stretch.entityIndex) else {
        return nil
      }
      for number in stretch.numbers {
        let key = RowKey(store: stores[stretch.store].number, entityIndex: stretch.entityIndex, number: number)
        guard number > 0, known.insert(rows.count, for: key) else { return nil }
        rows.append(ResultRow(key))
      }
    }
    var names: [String] = []
    names.reserveCapacity(rows.count)
    guard Set(file.sections.map(\.name)).count == file.sections.count else { return nil }
    for section in file.sections {
      guard section.count > 0, section.count <= rows.count - names.count else { return nil }
      names += repeatElement(section.name, count: section.count)
    }
    guard names.count == rows.count else { return nil }
    return try? ResultList(rows, names: names)
  }

  /// Writes the results to the cache, unless a store changed since the fetch began.
  ///
  /// - Parameter state: the ``cacheableState()`` before the fetch.
  func keepInCache(_ state: String) {
    guard state == cacheableState() else { return }
    let storeIndices = Dictionary(uniqueKeysWithValues: stores.enumerated().map { ($1.number, $0) })
    var stretches: [ResultFile.Stretch] = []
    for row in list.allRows {
      guard let store = storeIndices[row.key.store] else { return }
      let entity = Int(row.key.entityIndex)
      if let last = stretches.indices.last, stretches[last].store == store, stretches[last].entityIndex == entity {
        stretches[last].numbers.append(row.key.number)
      } else {
        stretches.append(ResultFile.Stretch(store: store, entityIndex: entity, numbers: [row.key.number]))
      }
    }
    let file = ResultFile(origin: state, sections: list.allSections.map { ($0.name, $0.count) }, stretches: stretches)
    cache?.write(file.data)
  }
}
