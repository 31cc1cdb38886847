internal import Predicates

/// Functions that update the rows after changes.
extension ResultEngine {
  /// An object that belongs to the results, and its row.
  private struct Arrival {
    let row: ResultRow
    let object: ManagedObject
  }

  /// A removal or insertion of a row, recorded so that it can be reverted. `isShown` is true if the row is in ``list``,
  /// false if it is in ``all``.
  private enum Step {
    case removed(ResultRow, offset: Int, section: String, isShown: Bool)
    case inserted(ResultRow, isShown: Bool)
  }

  /// Updates rows after changes.
  ///
  /// - Parameters:
  ///   - changed: the keys of the objects that may have changed values, or may have been inserted or deleted.
  ///   - misplaced: the keys in `changed` whose rows may have a position that is based on outdated values, because
  ///     another context may have saved the object, or an object that its row depends on.
  ///   - oldKeys: the old keys of objects whose keys changed. Their rows are checked, but are not reported as changed
  ///     unless they are in `changed`.
  /// - Throws: the errors of fetching, if the rows cannot be updated. The rows then stay as they were.
  /// - Complexity: O(*k* log *n*) comparisons, where *k* is the number of objects and *n* the number of rows.
  func update(
    _ changed: Set<RowKey>, _ misplaced: Set<RowKey>, oldKeys: [RowKey: RowKey]
  ) throws(ManagedObjectError) -> FetchedResultsChanges {
    let keys = changed.union(gone.filter { isRow($0) }).union(oldKeys.keys).sorted { $0.isFetchedBefore($1) }
    if try hasMisled(keys, misplaced) { return try fetchAgain(changed: changed, oldKeys: oldKeys) }
    let arrivals = try arrivals(keys)
    var steps: [Step] = []
    do {
      return try isWindowed
        ? updateWindow(keys, changed, oldKeys, arrivals, &steps)
        : updateList(keys, changed, oldKeys, arrivals, &steps)
    } catch {
      for step in steps.reversed() { takeBack(step) }
      // If several saves are merged one by one, objects may already have values of later saves, and then the rows of a
      // section may not be adjacent yet.
      return try fetchAgain(changed: changed, oldKeys: oldKeys)
    }
  }

  /// Returns the objects that match the request now, each with a new row. Examines only the objects with the given
  /// keys, and reads all faults among them at once.
  private func arrivals(_ keys: [RowKey]) throws(ManagedObjectError) -> [RowKey: Arrival] {
    var objects: [ManagedObject] = []
    for key in keys {
      if let object = context.registered[key] {
        objects.append(object)
      } else if !key.isTemporary {
        objects.append(context.object(for: key))
      }
    }
    try context.readFaults(objects)
    objects.removeAll { object in
      if object.needsRow || object.status.isDeleted { return true }
      // An object that another context deleted stays in the results as long as it has unsaved changes in this context.
      return (object.status.isInaccessible || gone.contains(object.key)) && !object.status.hasChanges
    }
    var arrivals: [RowKey: Arrival] = [:]
    let ends = try noteEnds(of: objects)
    defer { withExtendedLifetime(ends) {} }
    for object in objects where context.isInAffectedStores(object, of: request) {
      let subject = ObjectSubject(object: object)
      guard try prepared.holds(for: subject) else { continue }
      let values: [SortValue]
      do { values = try prepared.order.values(of: subject) } catch { throw ManagedObjectError(error) }
      let row = ResultRow(object.key, object: isLazy ? nil : object, values: values)
      arrivals[object.key] = Arrival(row: row, object: object)
    }
    return arrivals
  }

  private func updateList(
    _ keys: [RowKey], _ changed: Set<RowKey>, _ oldKeys: [RowKey: RowKey], _ arrivals: [RowKey: Arrival],
    _ steps: inout [Step]
  ) throws(ManagedObjectError) -> FetchedResultsChanges {
    var names: [RowKey: String] = [:]
    for (key, arrival) in arrivals { names[key] = try sectioning.name(of: arrival.object) }
    var edits = edits(keys, changed, oldKeys)
    for key in keys { if let row = list[key] { takeOut(row, isShown: true, &steps) } }
    for key in keys {
      guard let arrival = arrivals[key] else { continue }
      let offset = try insertionIndex(of: arrival.row, in: list)
      try putIn(arrival.row, at: offset, names[key] ?? "", &steps)
    }
    complete(&edits, keys)
    return edits.changes
  }

  /// Updates the results of a request with a limit or an offset. Unchanged rows enter and leave such results only at
  /// the two ends. At each end, the number of these rows is at most the number of changed objects.
  private func updateWindow(
    _ keys: [RowKey], _ changed: Set<RowKey>, _ oldKeys: [RowKey: RowKey], _ arrivals: [RowKey: Arrival],
    _ steps: inout [Step]
  ) throws(ManagedObjectError) -> FetchedResultsChanges {
    guard var all else { return try fetchAgain(changed: changed, oldKeys: oldKeys) }
    // Empties the property, so that `all` has a single owner and can be changed without a copy.
    self.all = nil
    defer { self.all = all }
    for key in keys {
      guard let row = all[key], let offset = all.offset(of: row) else { continue }
      all.remove(row)
      steps.append(.removed(row, offset: offset, section: "", isShown: false))
    }
    for key in keys {
      guard let values = arrivals[key]?.row.values else { continue }
      let row = ResultRow(key, values: values)
      let offset = try insertionIndex(of: row, in: all)
      // Cannot throw: there is only one section.
      try? all.insert(row, at: offset, section: "")
      steps.append(.inserted(row, isShown: false))
    }
    let start = min(max(request.fetchOffset, 0), all.count)
    let end = max(start, min(request.windowEnd, all.count))
    var known = Set(keys)
    var touched = keys
    let (first, last) = (min(start + keys.count, end), max(end - keys.count, start))
    for row in all.rows(start..<first) + all.rows(max(last, first)..<end) + list.rows(0..<min(keys.count, list.count))
      + list.rows(max(list.count - keys.count, 0)..<list.count)
    where known.insert(row.key).inserted { touched.append(row.key) }
    var wanted: [(row: ResultRow, name: String, offset: Int)] = []
    for key in touched {
      guard let row = all[key], let offset = all.offset(of: row), (start..<end).contains(offset) else { continue }
      let object = arrivals[key]?.object ?? context.object(for: key)
      let shown = ResultRow(key, object: isLazy ? nil : object, values: row.values)
      wanted.append((shown, try sectioning.name(of: object), offset - start))
    }
    var edits = edits(touched, changed, oldKeys)
    for key in touched { if let row = list[key] { takeOut(row, isShown: true, &steps) } }
    for (row, name, offset) in wanted.sorted(by: { $0.offset < $1.offset }) { try putIn(row, at: offset, name, &steps) }
    complete(&edits, touched)
    return edits.changes
  }

  private func takeOut(_ row: ResultRow, isShown: Bool, _ steps: inout [Step]) {
    guard let offset = list.offset(of: row), let name = row.section?.name else { return }
    list.remove(row)
    steps.append(.removed(row, offset: offset, section: name, isShown: isShown))
  }

  private func putIn(
    _ row: ResultRow, at offset: Int, _ name: String, _ steps: inout [Step]
  ) throws(ManagedObjectError) {
    do throws(ResultList.Separation) { try list.insert(row, at: offset, section: name) } catch {
      throw sectioning.error(error, id(of: error.key))
    }
    steps.append(.inserted(row, isShown: true))
  }

  private func takeBack(_ step: Step) {
    // Cannot throw, because the list was in each of these states before.
    switch step {
    case .removed(let row, let offset, let section, isShown: true): try? list.insert(row, at: offset, section: section)
    case .removed(let row, let offset, let section, isShown: false): try? all?.insert(row, at: offset, section: section)
    case .inserted(let row, isShown: true): list.remove(row)
    case .inserted(let row, isShown: false): all?.remove(row)
    }
  }

  /// Returns edits with the old positions of the rows that have one of the keys, and of the sections that consist only
  /// of such rows. Must be called before any row is removed; ``complete(_:_:)`` adds the new positions.
  private func edits(_ keys: [RowKey], _ changed: Set<RowKey>, _ oldKeys: [RowKey: RowKey]) -> ResultEdits {
    var edits = ResultEdits()
    var sections: Set<String> = []
    for key in keys {
      var edit = ResultEdits.Row(
        id: id(of: key), oldID: oldKeys[key].map { id(of: $0) }, isChanged: changed.contains(key))
      if let row = list[key], let position = list.position(of: row), let section = row.section {
        edit.old = position
        edit.oldSection = section.name
        if sections.insert(section.name).inserted {
          edits.sections.append(ResultEdits.Section(name: section.name, old: position.path.section))
        }
      }
      edits.rows.append(edit)
    }
    // A section is listed only if all its rows are removed: if it is then inserted again, it is a new section.
    let counts = Dictionary(grouping: edits.rows.filter { $0.old != nil }, by: \.oldSection).mapValues(\.count)
    edits.sections.removeAll { list.section(named: $0.name)?.count != counts[$0.name] }
    return edits
  }

  /// Adds the new positions of rows and sections to edits. Must be called after all rows were inserted.
  private func complete(_ edits: inout ResultEdits, _ keys: [RowKey]) {
    var emptied: [String: Int] = [:]
    for (index, section) in edits.sections.enumerated() { emptied[section.name] = index }
    var counts: [String: Int] = [:]
    for (index, key) in keys.enumerated() {
      guard let row = list[key], let position = list.position(of: row), let section = row.section else { continue }
      edits.rows[index].new = position
      edits.rows[index].newSection = section.name
      counts[section.name, default: 0] += 1
    }
    for (name, count) in counts {
      // A section that also has other rows existed before, and is not an edit.
      guard let section = list.section(named: name), section.count == count, let newIndex = list.index(of: section)
      else { continue }
      if let index = emptied[name] {
        edits.sections[index].new = newIndex
      } else {
        edits.sections.append(ResultEdits.Section(name: name, new: newIndex))
      }
    }
  }

  private func values(of row: ResultRow) throws(ManagedObjectError) -> [SortValue] {
    if let values = row.values { return values }
    do {
      let values = try prepared.order.values(of: ObjectSubject(object: row.object ?? context.object(for: row.key)))
      row.values = values
      return values
    } catch {
      throw ManagedObjectError(error)
    }
  }

  /// True if the first row is sorted before the second.
  private func precedes(_ first: ResultRow, _ second: ResultRow) throws(ManagedObjectError) -> Bool {
    comparisonCount += 1
    let order = prepared.order.order(try values(of: first), try values(of: second))
    return order == .equal ? first.key.isFetchedBefore(second.key) : order == .less
  }

  /// Returns the index at which a row belongs in a list.
  private func insertionIndex(of row: ResultRow, in list: ResultList) throws(ManagedObjectError) -> Int {
    try list.count { (other: ResultRow) throws(ManagedObjectError) in try precedes(other, row) }
  }

  /// Returns true if the sort values of rows do not fit their positions in the list. Other rows may then have a wrong
  /// position, because they were compared with these rows. This happens if an object was read after another context
  /// saved it, but before this context merged the save.
  private func hasMisled(_ keys: [RowKey], _ misplaced: Set<RowKey>) throws(ManagedObjectError) -> Bool {
    let list = all ?? list
    guard misplaced.contains(where: { list[$0]?.values != nil }) else { return false }
    let rows = keys.compactMap { list[$0] }.compactMap { row in list.offset(of: row).map { (row: row, offset: $0) } }
      .sorted { $0.offset < $1.offset }
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].offset == rows[end - 1].offset + 1 { end += 1 }
      let (before, after) = (list.row(at: rows[start].offset - 1), list.row(at: rows[end - 1].offset + 1))
      for (row, _) in rows[start..<end] where row.values != nil {
        if let before, try precedes(row, before) { return true }
        if let after, try precedes(after, row) { return true }
      }
      start = end
    }
    return false
  }
}
