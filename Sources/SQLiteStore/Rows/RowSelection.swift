internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries

/// The columns to select from a table to read rows, and the conversion of result rows to ``StoreRow``s.
struct RowSelection: Sendable {
  let tableName: String
  /// The selected columns, quoted for SQL: primary key, entity, version, then the columns of values.
  let columns: [String]
  /// The columns as the list of a SELECT statement, with the table alias ``QueryTranslation/rootAlias``.
  let list: String
  /// The table and its alias, for a FROM clause.
  let source: String
  /// A statement that reads one row. Its parameter is the primary key.
  let statementOfOne: String
  /// The indices of the entities whose rows can be read.
  let entities: Range<Int>
  private let storeNumber: StoreNumber
  private let entityIndices: [Int64: Int]
  /// The entity number of the first entity, which most rows have.
  private let firstNumber: Int64
  /// For each entity, the source of the value in each slot.
  private let slots: [[Slot]]

  private enum Slot: Sendable {
    case empty(RowValue)
    case attribute(Int32, AttributeType, isExternal: Bool)
    case toOne(Int32, entity: Int32?, destination: Range<Int>)
    case composite([Leaf])
  }

  /// An element of a composite attribute.
  private struct Leaf: Sendable {
    let name: String
    let content: Slot
  }

  /// Creates a selection.
  ///
  /// - Parameter attributes: The names of the attributes to read; nil for all. Other attributes are left unread.
  init(
    _ schema: StoreSchema, _ table: StoreTable, _ entities: Range<Int>, _ storeNumber: StoreNumber,
    attributes: Set<String>? = nil
  ) {
    tableName = table.name
    self.entities = entities
    self.storeNumber = storeNumber
    entityIndices = schema.entityIndices
    firstNumber = schema.numbers[entities.lowerBound]
    var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
    var resultColumns: [Int: Int32] = [:]
    func resultColumn(_ column: Int) -> Int32 {
      if let known = resultColumns[column] { return known }
      let new = Int32(columns.count)
      resultColumns[column] = new
      columns.append(table.columns[column].name.sqlName)
      return new
    }
    func leaves(_ composite: CompositeColumns) -> [Leaf] {
      composite.elements.map { element in
        switch element.storage {
        case .column(let column):
          Leaf(
            name: element.name,
            content: .attribute(
              resultColumn(column), element.definition.type, isExternal: element.definition.isExternal))
        case .composite(let inner): Leaf(name: element.name, content: .composite(leaves(inner)))
        }
      }
    }
    slots = entities.map { index in
      let empty = ManagedObjectModel.Entity(model: schema.model, index: index).emptyValues
      let unread = attributes.map { attributes in
        Set(schema.model.records[index].attributes.filter { !attributes.contains($0.name) }.map(\.slot))
      }
      return schema.slotColumns[index].enumerated().map { slot, source in
        switch source {
        case .attribute where unread?.contains(slot) == true, .composite where unread?.contains(slot) == true:
          .empty(.unread)
        case .none: .empty(empty[slot])
        case .attribute(let column, let type, let isExternal):
          .attribute(resultColumn(column), type, isExternal: isExternal)
        case .toOne(let column, let entity, let destination):
          .toOne(resultColumn(column), entity: entity.map(resultColumn), destination: destination)
        case .composite(let composite): .composite(leaves(composite))
        case .toMany: .empty(.unread)
        }
      }
    }
    self.columns = columns
    let alias = QueryTranslation.rootAlias
    list = columns.map { "\(alias).\($0)" }.joined(separator: ", ")
    source = "\(table.name.sqlName) \(alias)"
    statementOfOne = "SELECT \(list) FROM \(source) WHERE \(alias).Z_PK = ?"
  }

  /// Returns the current row of a statement that begins with the columns of this selection. Values in external files
  /// are left unread.
  ///
  /// - Parameter slot: The slot of a value to read even if it is in an external file.
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if the row is not an object of the entities, or a value does
  ///   not have the type of its attribute.
  func row(
    _ statement: Statement, _ reading: ValueReading, withFileOf slot: Int? = nil
  ) throws(ManagedObjectError) -> StoreRow {
    let number = statement.integer(0)
    let entity = statement.integer(1)
    guard let index = entity == firstNumber ? entities.lowerBound : entityIndices[entity], entities.contains(index),
      number > 0
    else {
      throw Self.invalidRow(number, entity, of: tableName)
    }
    let slots = slots[index - entities.lowerBound]
    var values: [RowValue] = []
    values.reserveCapacity(slots.count)
    for source in slots {
      switch source {
      case .empty(let value): values.append(value)
      case .attribute(let column, _, isExternal: true)
      where values.count != slot && ExternalData.isInFile(statement, column):
        values.append(.unread)
      case .attribute(let column, let type, let isExternal):
        values.append(.attribute(try value(statement, column, type, isExternal, reading)))
      case .toOne(let column, let entity, let destination):
        values.append(.toOne(try key(statement, column, entity, destination, reading)))
      case .composite(let leaves): values.append(.attribute(try composite(statement, leaves, reading)))
      }
    }
    return StoreRow(
      key: RowKey(store: storeNumber, entityIndex: index, number: number), version: max(statement.integer(2), 1),
      values: values)
  }

  /// Returns the error for a row with an invalid primary key, or an entity number that does not belong to its table.
  static func invalidRow(_ number: Int64, _ entity: Int64, of table: String) -> ManagedObjectError {
    ManagedObjectError(
      .invalidValue,
      number > 0
        ? "\(table): row \(number) has the entity number \(entity), which does not belong to the table"
        : "\(table): the primary key \(number) is invalid: it must be positive")
  }

  /// Returns the value of a composite attribute; null if all elements are null.
  private func composite(
    _ statement: Statement, _ leaves: [Leaf], _ reading: ValueReading
  ) throws(ManagedObjectError) -> AttributeValue {
    var values: [String: AttributeValue] = [:]
    var isEmpty = true
    for leaf in leaves {
      let value: AttributeValue
      switch leaf.content {
      case .attribute(let column, let type, let isExternal):
        value = try self.value(statement, column, type, isExternal, reading)
      case .composite(let inner): value = try composite(statement, inner, reading)
      case .empty, .toOne: continue
      }
      values[leaf.name] = value
      if value != .null { isEmpty = false }
    }
    return isEmpty ? .null : .composite(values)
  }

  private func value(
    _ statement: Statement, _ column: Int32, _ type: AttributeType, _ isExternal: Bool, _ reading: ValueReading
  ) throws(ManagedObjectError) -> AttributeValue {
    if let value = try reading.value(statement, column, type, isExternal: isExternal) { return value }
    if reading.keepsOtherTypes { return statement.value(column).attributeValue }
    throw ManagedObjectError(
      .invalidValue,
      "\(tableName): row \(statement.integer(0)), column \(columns[Int(column)]): expected \(type.name), found "
        + statement.value(column).kindName)
  }

  private func key(
    _ statement: Statement, _ column: Int32, _ entityColumn: Int32?, _ destination: Range<Int>,
    _ reading: ValueReading
  ) throws(ManagedObjectError) -> RowKey? {
    if statement.isNull(column) { return nil }
    let number = statement.integer(column)
    guard number > 0 else { return nil }
    var index = destination.lowerBound
    if destination.count > 1 {
      if let entityColumn, let known = entityIndices[statement.integer(entityColumn)], destination.contains(known) {
        index = known
      } else {
        // Without a valid entity column, the entity is read from the row of the related object. If that object was
        // deleted, the first entity that is not abstract is assumed.
        let found = try reading.entity(ofRow: number, destination)
        index = found ?? destination.first { !reading.schema.model.records[$0].definition.isAbstract } ?? index
      }
    }
    return RowKey(store: storeNumber, entityIndex: index, number: number)
  }
}

extension SQLValue {
  /// This value as an attribute value of the same storage class.
  fileprivate var attributeValue: AttributeValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .double(value)
    case .text(let value): .string(value)
    case .blob(let value): .data(value)
    }
  }

  /// A description of the value, for messages.
  var kindName: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "the integer \(value)"
    case .real(let value): "the number \(value)"
    case .text(let value): "the text \(value.quoted)"
    case .blob(let value): value.count == 1 ? "1 byte of data" : "\(value.count) bytes of data"
    }
  }
}
