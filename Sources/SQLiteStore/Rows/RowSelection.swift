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
  /// For each entity, the kind of value in each slot, for ``append(to:_:_:)``.
  private let steps: [[Step]]

  private enum Slot: Sendable {
    case empty(RowValue)
    case attribute(Int32, AttributeType, isExternal: Bool)
    case toOne(Int32, entity: Int32?, destination: Range<Int>)
    case composite([Leaf])
  }

  /// The kind of a value. Unlike ``Slot``, it is copied without counting references.
  private enum Step: Sendable {
    case unread
    case text(Int32)
    case integer(Int32)
    case double(Int32)
    case date(Int32)
    /// A to-one relationship whose objects all have the same entity.
    case toOne(Int32, entityIndex: Int)
    case other

    init(_ slot: Slot) {
      self =
        switch slot {
        case .attribute(let column, .string, _): .text(column)
        case .attribute(let column, .integer64, _), .attribute(let column, .integer32, _),
          .attribute(let column, .integer16, _):
          .integer(column)
        case .attribute(let column, .double, _): .double(column)
        case .attribute(let column, .date, _): .date(column)
        case .empty(.unread): .unread
        case .toOne(let column, _, let destination) where destination.count == 1:
          .toOne(column, entityIndex: destination.lowerBound)
        case .attribute, .toOne, .composite, .empty: .other
        }
    }
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
    steps = slots.map { $0.map { Step($0) } }
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
    let (key, entity) = try keyAndEntity(statement)
    let slots = slots[entity]
    var values: [RowValue] = []
    values.reserveCapacity(slots.count)
    for source in slots {
      values.append(try value(source, statement, reading, readsFile: values.count == slot))
    }
    return StoreRow(key: key, version: max(statement.integer(2), 1), values: values)
  }

  /// Adds the current row of a statement to a list, as ``row(_:_:withFileOf:)`` reads it.
  func append(
    to rows: inout PagedRows, _ statement: Statement, _ reading: ValueReading
  ) throws(ManagedObjectError) {
    if rows.count < PagedRows.firstCount { return rows.append(try row(statement, reading)) }
    let (key, entity) = try keyAndEntity(statement)
    let steps = steps[entity]
    rows.begin(key, version: max(statement.integer(2), 1), slotCount: steps.count)
    for slot in steps.indices {
      switch steps[slot] {
      case .unread: rows.appendUnread()
      case .text(let column):
        let text = statement.columnValue(column)
        switch text.kind {
        case .text: rows.appendText { statement.append(text, to: &$0) }
        case .null: rows.appendNull()
        default: rows.append(try value(slots[entity][slot], statement, reading))
        }
      case .integer(let column):
        let number = statement.columnValue(column)
        switch number.kind {
        case .integer: rows.append(number.integer)
        case .null: rows.appendNull()
        default: rows.append(try value(slots[entity][slot], statement, reading))
        }
      case .double(let column):
        let number = statement.columnValue(column)
        switch number.kind {
        case .real, .integer: rows.append(number.real)
        case .null: rows.appendNull()
        default: rows.append(try value(slots[entity][slot], statement, reading))
        }
      case .date(let column):
        let seconds = statement.columnValue(column)
        switch seconds.kind {
        case .real, .integer: rows.append(date: seconds.real)
        case .null: rows.appendNull()
        default: rows.append(try value(slots[entity][slot], statement, reading))
        }
      case .toOne(let column, let entityIndex):
        let number = statement.columnValue(column)
        if number.kind == .integer, number.integer > 0 {
          rows.append(objectNumber: number.integer, entityIndex: entityIndex)
        } else {
          rows.append(try value(slots[entity][slot], statement, reading))
        }
      case .other: rows.append(try value(slots[entity][slot], statement, reading))
      }
    }
    rows.end()
  }

  /// Returns a value of the current row of a statement.
  ///
  /// - Parameter readsFile: True to read a value in an external file.
  private func value(
    _ source: Slot, _ statement: Statement, _ reading: ValueReading, readsFile: Bool = false
  ) throws(ManagedObjectError) -> RowValue {
    switch source {
    case .empty(let value): value
    case .attribute(let column, _, isExternal: true) where !readsFile && ExternalData.isInFile(statement, column):
      .unread
    case .attribute(let column, let type, let isExternal):
      .attribute(try value(statement, column, type, isExternal, reading))
    case .toOne(let column, let entity, let destination):
      .toOne(try key(statement, column, entity, destination, reading))
    case .composite(let leaves): .attribute(try composite(statement, leaves, reading))
    }
  }

  /// Returns the key of the current row of a statement, and the index of its entity in ``slots``.
  @inline(__always)
  private func keyAndEntity(_ statement: Statement) throws(ManagedObjectError) -> (RowKey, Int) {
    let number = statement.integer(0)
    let entity = statement.integer(1)
    guard let index = entity == firstNumber ? entities.lowerBound : entityIndices[entity], entities.contains(index),
      number > 0
    else {
      throw Self.invalidRow(number, entity, of: tableName)
    }
    return (RowKey(store: storeNumber, entityIndex: index, number: number), index - entities.lowerBound)
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
