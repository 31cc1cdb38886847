internal import ManagedObjects
internal import SQLQueries

/// Functions that find the old columns with the values of a new column.
extension StoreMigration {
  /// The source of a new column's values.
  enum ColumnValue: Equatable {
    case nothing
    case column(String)
    /// An old column, or another value if the column is NULL.
    case columnOr(String, SQLValue)
    case constant(SQLValue)
    /// An old column, or another value if the column is NULL. The prefix for attributes with external storage is added
    /// to the data.
    case external(String, SQLValue)
    /// An old column, or another value if the column is NULL. The prefix for attributes with external storage is
    /// removed from the data. Data in external files becomes NULL at first; ``StoreMigration/takeIntoRows(_:_:_:_:)``
    /// copies it later.
    case `internal`(String, SQLValue)
    /// The value of an element of a composite attribute, or another value if it is NULL and one of the old columns
    /// `among` has a value.
    indirect case element(ColumnValue, or: SQLValue, among: [String])
    /// The value of an element of a composite attribute, or another value if all of the old columns `among` are NULL.
    indirect case whole(ColumnValue, or: SQLValue, among: [String])
  }

  func value(
    _ column: Int, _ table: StoreTable, _ entity: Int, _ source: Int, _ sourceTable: StoreTable
  ) -> ColumnValue {
    for (slot, columns) in new.slotColumns[entity].enumerated() {
      let definition = ManagedObjectModel.Entity(model: mapping.destination, index: entity)
      switch columns {
      case .attribute(column, _, let isExternal):
        guard let attribute = definition.attributes.first(where: { $0.slot == slot }) else { return .nothing }
        return value(attribute, isExternal, entity, source, sourceTable)
      case .composite(let composite):
        guard let leaf = composite.leaves.first(where: { $0.column == column }),
          let attribute = definition.attributes.first(where: { $0.slot == slot })
        else { continue }
        return value(attribute, leaf, entity, source, sourceTable)
      case .toOne(column, _, _):
        guard let relationship = definition.relationships.first(where: { $0.slot == slot }),
          let former = mapping.properties[entity][relationship.name],
          let name = oldColumn(former, source, sourceTable)
        else { return .nothing }
        return .column(name)
      default: continue
      }
    }
    return .nothing
  }

  private func value(
    _ attribute: ManagedObjectModel.Entity.Attribute, _ isExternal: Bool, _ entity: Int, _ source: Int,
    _ sourceTable: StoreTable
  ) -> ColumnValue {
    // ``DerivedColumn/Count`` sets the value.
    if attribute.definition.derivation != nil { return .nothing }
    let initial = SQLValue(attribute.initialValue, isExternal: isExternal)
    guard let former = mapping.properties[entity][attribute.name], let name = oldColumn(former, source, sourceTable)
    else { return initial == .null ? .nothing : .constant(initial) }
    let other = attribute.isOptional ? .null : initial
    let wasExternal = wasExternal(former, source)
    if isExternal != wasExternal { return isExternal ? .external(name, other) : .internal(name, other) }
    return other == .null ? .column(name) : .columnOr(name, other)
  }

  /// Returns the source of the values of an element of a composite attribute.
  private func value(
    _ attribute: ManagedObjectModel.Entity.Attribute, _ leaf: CompositeColumns.Leaf, _ entity: Int, _ source: Int,
    _ sourceTable: StoreTable
  ) -> ColumnValue {
    let isExternal = leaf.definition.isExternal
    let initial = SQLValue(attribute.initialValue.leaf(at: leaf.keys[...]), isExternal: isExternal)
    let other: ColumnValue = initial == .null ? .nothing : .constant(initial)
    let old = ManagedObjectModel.Entity(model: mapping.source, index: source)
    guard let former = mapping.properties[entity][attribute.name],
      let known = mapping.elements[entity][attribute.name]?.flatMap(\.leaves).first(where: { $0.keys == leaf.keys }),
      let columns = sourceTable.compositeColumns[PropertyName(old, former)]?.leaves
    else { return other }
    func name(_ leaf: CompositeColumns.Leaf) -> String { sourceTable.columns[leaf.column].name.sqlName }
    var value = ColumnValue.nothing
    if let origin = columns.first(where: { $0.keys == known.former }) {
      let isInline = isExternal && !origin.definition.isExternal
      value = isInline ? .external(name(origin), .null) : .column(name(origin))
    }
    let replacement = SQLValue(known.other, isExternal: isExternal)
    if replacement != .null { value = .element(value, or: replacement, among: columns.map(name)) }
    if attribute.isOptional { return value }
    // A mandatory attribute gets its default value if no element would have a value.
    let all = mapping.elements[entity][attribute.name]?.flatMap(\.leaves) ?? []
    let hasReplacements = all.contains { $0.other != .null }
    let deciding = hasReplacements ? columns : columns.filter { leaf in all.contains { $0.former == leaf.keys } }
    return .whole(value, or: initial, among: deciding.map(name))
  }

  func wasExternal(_ name: String, _ source: Int) -> Bool {
    ManagedObjectModel.Entity(model: mapping.source, index: source).attribute(named: name)?.definition
      .isExternal ?? false
  }

  /// Returns the column of an attribute or to-one relationship in an old table, quoted for SQL; nil for other
  /// properties.
  func oldColumn(_ name: String, _ entity: Int, _ table: StoreTable) -> String? {
    let property = PropertyName(ManagedObjectModel.Entity(model: mapping.source, index: entity), name)
    return (table.attributeColumns[property] ?? table.toOneColumns[property]?.key).map {
      table.columns[$0].name.sqlName
    }
  }

  /// Returns SQL for the values of a new column. Each entity of the old table can have its own source.
  func expression(_ cases: [(number: Int64, value: ColumnValue)], _ bound: inout [SQLValue]) -> String {
    func text(_ value: ColumnValue) -> String {
      switch value {
      case .nothing: return "NULL"
      case .column(let name): return name
      case .columnOr(let name, let value):
        bound.append(value)
        return "IFNULL(\(name), ?)"
      case .constant(let value):
        bound.append(value)
        return "?"
      case .external(let name, let value):
        bound.append(value)
        return "CASE WHEN \(name) IS NULL THEN ? ELSE CAST(x'01' || \(name) AS BLOB) END"
      case .element(let value, let other, let columns):
        let known = text(value)
        bound.append(other)
        let isThere = columns.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")
        return "IFNULL(\(known), CASE WHEN \(isThere) THEN ? END)"
      case .whole(let value, let other, let columns):
        bound.append(other)
        let isEmpty = columns.isEmpty ? "1" : columns.map { "\($0) IS NULL" }.joined(separator: " AND ")
        return "CASE WHEN \(isEmpty) THEN ? ELSE \(text(value)) END"
      case .internal(let name, let value):
        bound.append(value)
        return "CASE WHEN \(name) IS NULL THEN ? WHEN \(ExternalData.isInline(name)) "
          + "THEN substr(CAST(\(name) AS BLOB), 2) END"
      }
    }
    if let first = cases.first?.value, cases.allSatisfy({ $0.value == first }) { return text(first) }
    return "CASE Z_ENT " + cases.map { "WHEN \($0.number) THEN \(text($0.value))" }.joined(separator: " ") + " END"
  }
}
