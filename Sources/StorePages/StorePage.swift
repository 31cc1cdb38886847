internal import ArchiveViews
internal import BrowsingPages
internal import FoundationEssentials
internal import KeyedArchiving
package import ManagedObjects
package import PropertyLists
package import SystemFiles

/// A page that shows a store: its entities, their rows with all values and relationships, and the references to each
/// row.
///
/// Rows are read and written in small batches. Memory use grows only by 16 bytes with each row.
package struct StorePage {
  private let store: any PersistentStore
  private let title: String
  /// The facts about the store that the page shows, in addition to its model.
  package var facts: [(name: String, text: String)] = []
  /// The notes that the page shows.
  package var notes: [String] = []
  /// The greatest number of rows of each entity in the page; nil for all.
  package var rowLimit: Int? = Self.usualRowLimit

  /// Browsers open a page quickly if each entity has at most this many rows. The page says if an entity has more rows.
  package static let usualRowLimit = 50_000

  /// Returns the path of the external file for the value of a property, for messages about missing files; nil if the
  /// path is unknown. The property is given by its slot, the index of its value in a row.
  package var fileOfValue: (_ slot: Int, RowKey) -> String? = { _, _ in nil }

  private static let batchSize = 256
  /// The values and entities that could not be read.
  package struct Defects {
    /// Messages about entities and values that are missing from the page.
    package fileprivate(set) var missing = List()
    /// Messages about data that begins like an archive, but cannot be opened.
    package fileprivate(set) var unopened = List()

    /// The messages about the first defects, and the number of all defects.
    package struct List {
      private var texts: [String] = []
      private var count = 0
      private static let greatestCount = 100

      /// A line for each of the first defects, and a line with the number of the other defects.
      package var lines: [String] { count > texts.count ? texts + ["\(count - texts.count) more"] : texts }

      fileprivate mutating func append(_ text: String) {
        count += 1
        if texts.count < Self.greatestCount { texts.append(text) }
      }
    }
  }

  /// Creates a page about a store.
  ///
  /// - Parameter title: the name of the store's file.
  package init(_ store: any PersistentStore, title: String) {
    self.store = store
    self.title = title
  }

  /// Writes the page. Entities that cannot be read are reported in the page.
  ///
  /// - Parameter progress: called after each batch with the number of rows that have been written.
  /// - Returns: the defects of the store.
  /// - Throws: errors of writing the file.
  /// - Complexity: O(*n*) in the number of rows and their values.
  @discardableResult
  package func write(to output: FileOutput, progress: (Int) -> Void = { _ in }) throws(PropertyListError) -> Defects {
    var page = try PageWriter(to: output)
    var groups = store.model.entities.map(PageHead.Group.init)
    var defects = Defects()
    var count = 0
    for entity in store.model.entities where !entity.isAbstract {
      let keys: [RowKey]
      do throws(ManagedObjectError) {
        keys = try self.keys(of: entity)
        if keys.count == rowLimit { groups[entity.index].total = try total(of: entity) }
      } catch {
        defects.missing.append("\(entity.name) cannot be read: \(error)")
        groups[entity.index].isUnreadable = true
        continue
      }
      let columns = entity.columns
      for start in stride(from: 0, to: keys.count, by: Self.batchSize) {
        let rows: [StoreRow?]
        do throws(ManagedObjectError) {
          rows = try self.rows(Array(keys[start..<min(start + Self.batchSize, keys.count)]), of: entity, &defects)
        } catch {
          defects.missing.append("\(entity.name) cannot be read from row \(start + 1) on: \(error)")
          groups[entity.index].total = keys.count
          break
        }
        for case let row? in rows { try write(row, columns, to: &page, &defects) }
        count += rows.count
        progress(count)
      }
    }
    for root in store.model.entities where root.superentity == nil { addStrangeRows(of: root, to: &defects) }
    var head = PageHead(title: title, kind: .store, groups: groups)
    head.facts = facts
    head.notes = notes + defects.missing.lines + defects.unopened.lines
    try page.finish(head)
    return defects
  }

  private func request(_ entity: ManagedObjectModel.Entity, _ type: FetchRequest.ResultType) -> FetchRequest {
    var request = FetchRequest(entity.name)
    request.includesSubentities = false
    request.resultType = type
    return request
  }

  /// Adds a defect if the table of a root entity contains rows that belong neither to the root entity nor to its
  /// subentities.
  private func addStrangeRows(of root: ManagedObjectModel.Entity, to defects: inout Defects) {
    var all = FetchRequest(root.name)
    all.resultType = .count
    // If this throws, the error was already reported when the rows were read.
    guard case .count(let count)? = try? store.fetch(all, of: root) else { return }
    var known = 0
    for entity in root.selfAndDescendants where !entity.isAbstract {
      guard let own = (try? total(of: entity)) ?? nil else { return }
      known += own
    }
    if count <= known { return }
    let rows = count - known == 1 ? "1 row of its table belongs" : "\(count - known) rows of its table belong"
    defects.missing.append("\(root.name.printable(limit: 100)): \(rows) to no entity of the model")
  }

  private func keys(of entity: ManagedObjectModel.Entity) throws(ManagedObjectError) -> [RowKey] {
    var request = request(entity, .objectIDs)
    // A fetch limit of 0 means no limit.
    if let rowLimit { request.fetchLimit = max(rowLimit, 1) }
    guard case .keys(let keys) = try store.fetch(request, of: entity) else { return [] }
    return keys
  }

  private func total(of entity: ManagedObjectModel.Entity) throws(ManagedObjectError) -> Int? {
    guard case .count(let count) = try store.fetch(request(entity, .count), of: entity) else { return nil }
    return count
  }

  /// Returns rows with all their values, including those that the store reads only on request, such as values in
  /// external files. Adds a defect for each value whose file is missing.
  private func rows(
    _ keys: [RowKey], of entity: ManagedObjectModel.Entity, _ defects: inout Defects
  ) throws(ManagedObjectError) -> [StoreRow?] {
    var rows = try store.rows(keys)
    for property in entity.properties {
      let slot = property.slot
      let unread = rows.indices.filter { rows[$0]?.values[slot] == .unread }
      guard !unread.isEmpty else { continue }
      let values = try store.values(ofSlot: slot, unread.map { keys[$0] })
      for (index, value) in zip(unread, values) {
        rows[index]?.values[slot] = value ?? .null
        if value == .null {
          let file = fileOfValue(slot, keys[index]).map { "the file \($0.printable())" } ?? "a file of its own"
          defects.missing.append("\(name(property, keys[index])): the value is in \(file), which is missing")
        }
      }
    }
    return rows
  }

  private func name(_ property: ManagedObjectModel.Entity.Property, _ key: RowKey) -> String {
    "\(ManagedObjectID(key, model: store.model, storeIdentifier: nil)) \(property.name.printable(limit: 100))"
  }

  private func write(
    _ row: StoreRow, _ columns: [ManagedObjectModel.Entity.Property], to page: inout PageWriter,
    _ defects: inout Defects
  ) throws(PropertyListError) {
    page.beginRow(group: Int(row.key.entityIndex), key: row.key.number)
    for property in columns {
      guard case .attribute(.data(let data)) = row.values[property.slot] else {
        write(row.values[property.slot], to: &page)
        continue
      }
      let (kind, contents, notes) = Unwrapper.opened(data)
      page.data(data.bytes, opened: kind.flatMap { kind in contents.map { (kind, $0) } })
      for note in notes { defects.unopened.append("\(name(property, row.key)): \(note)") }
    }
    try page.endRow()
  }

  private func write(_ value: RowValue, to page: inout PageWriter) {
    switch value {
    case .attribute(let value): write(value, to: &page)
    case .toOne(nil), .unread: page.null()
    case .toOne(let key?): page.reference(group: Int(key.entityIndex), key: key.number)
    case .toMany(let keys): page.references(keys.sorted().map { (Int($0.entityIndex), $0.number) })
    case .orderedToMany(let keys): page.references(keys.map { (Int($0.entityIndex), $0.number) })
    }
  }

  private func write(_ value: AttributeValue, to page: inout PageWriter) {
    switch value {
    case .null: page.null()
    case .boolean(let value): page.boolean(value)
    case .integer(let value): page.integer(value)
    case .decimal(let value): page.number(value.description)
    case .double(let value): page.real(value)
    case .float(let value): page.float(value)
    case .string(let value): page.text(value)
    case .date(let value): page.date(value.timeIntervalSinceReferenceDate)
    case .data(let value): page.data(value.bytes, opened: nil)
    case .uuid(let value): page.uuid(value.uuidString)
    case .url(let value): page.address(value.absoluteString)
    case .composite:
      page.beginDictionary()
      for (name, value) in value.leavesInOrder ?? [] {
        page.key(name)
        write(value, to: &page)
      }
      page.end()
    }
  }
}

extension ManagedObjectModel.Entity {
  /// The attributes, followed by the relationships.
  fileprivate var columns: [Property] { attributes.map(Property.attribute) + relationships.map(Property.relationship) }
}

extension PageHead.Group {
  fileprivate init(_ entity: ManagedObjectModel.Entity) {
    self.init(entity.name)
    parent = entity.superentity?.index
    isAbstract = entity.isAbstract
    columns = entity.columns.map { property in
      switch property {
      case .attribute(let attribute): PageHead.Column(attribute.name, kind: "\(attribute.type)")
      case .relationship(let relationship):
        PageHead.Column(
          relationship.name,
          kind: (relationship.isToMany ? "to many " : "to ") + entity.destination(of: relationship).name)
      }
    }
  }
}
