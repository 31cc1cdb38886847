internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries

/// Functions that bind the values of rows to statements.
extension SaveTransaction {
  /// Binds the value in a slot of a row to a parameter. A to-one relationship with an entity column also uses the next
  /// parameter, and a composite attribute uses one parameter for each leaf.
  func bindValue(
    _ row: StoreRow, _ slot: Int, _ kind: ParameterKind, _ statement: Statement, _ parameter: Int32
  ) throws(ManagedObjectError) {
    switch row.values[slot] {
    case .attribute(let value):
      guard case .attribute(let type, let isExternal) = kind else {
        try bindComposite(value, row, slot, statement, parameter)
        return
      }
      try bindValue(value, type, isExternal, row, slot, statement, parameter)
    case .toOne(let target):
      guard case .toOne(let hasEntityColumn, let destination) = kind else { throw otherKind(row, slot) }
      let target = try target.flatMap { key throws(ManagedObjectError) in try existing(key, row, slot, destination) }
      if let target { try statement.bind(parameter, target.number) } else { try statement.bindNull(parameter) }
      guard hasEntityColumn else { return }
      if let target {
        try statement.bind(parameter + 1, schema.numbers[Int(target.entityIndex)])
      } else {
        try statement.bindNull(parameter + 1)
      }
    case .unread:
      // The row was deleted before this value was read from it, so the value is lost.
      guard case .attribute = kind else {
        try bindComposite(.null, row, slot, statement, parameter)
        return
      }
      try statement.bindNull(parameter)
    default: throw otherKind(row, slot)
    }
  }

  /// Binds the leaves of a composite value, in their order. The leaves of null are NULL, and so are those that the
  /// value lacks.
  ///
  /// - Parameter kept: The columns of leaves that the statement does not change.
  /// - Returns: The number of bound leaves.
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if the value has an unknown element, or one of a wrong type.
  ///   The key of the error is the path of the element: `author.city`.
  @inline(never) @discardableResult
  func bindComposite(
    _ value: AttributeValue, _ row: StoreRow, _ slot: Int, _ statement: Statement, _ parameter: Int32,
    keeping kept: [Int] = []
  ) throws(ManagedObjectError) -> Int32 {
    guard case .composite(let columns) = schema.slotColumns[Int(row.key.entityIndex)][slot],
      let attribute = schema.model.records[Int(row.key.entityIndex)].attributes.first(where: { $0.slot == slot })
    else { throw otherKind(row, slot) }
    let whole: AttributeValue
    do { whole = try attribute.definition.normalized(value) } catch {
      var error = error
      error.objectID = state.objectID(row.key)
      throw error
    }
    // The row is read with all elements, or as null if none has a value.
    if whole != value { mended.insert(row.key) }
    var count: Int32 = 0
    for leaf in columns.leaves where !kept.contains(leaf.column) {
      do {
        try bindValue(
          whole.leaf(at: leaf.keys[...]), leaf.definition.type, leaf.definition.isExternal, row, slot, statement,
          parameter + count)
        count += 1
      } catch {
        var error = error
        if error.code == .invalidValue { error.key = "\(attribute.name).\(leaf.path)" }
        throw error
      }
    }
    return count
  }

  private func otherKind(_ row: StoreRow, _ slot: Int) -> ManagedObjectError {
    unsuitable("the value does not match the kind of the property", row, slot)
  }

  private func bindValue(
    _ value: AttributeValue, _ type: AttributeType, _ isExternal: Bool, _ row: StoreRow, _ slot: Int,
    _ statement: Statement, _ parameter: Int32
  ) throws(ManagedObjectError) {
    switch (type, value) {
    case (_, .null): try statement.bindNull(parameter)
    case (.string, .string(let text)): try statement.bind(parameter, text)
    case (.integer64, .integer(let number)): try statement.bind(parameter, number)
    case (.integer32, .integer(let number)), (.integer16, .integer(let number)):
      guard type.integers?.contains(number) == true else { throw unsuitable(value, type, row, slot) }
      try statement.bind(parameter, number)
    case (.boolean, .boolean(let value)): try statement.bind(parameter, Int64(value ? 1 : 0))
    case (.double, .double(let number)): try bindValue(number, row, slot, statement, parameter)
    case (.float, .float(let number)): try bindValue(Double(number), row, slot, statement, parameter)
    case (.date, .date(let date)): try bindValue(date.timeIntervalSinceReferenceDate, row, slot, statement, parameter)
    case (.decimal, .decimal(let decimal)):
      guard let number = StoredDecimal.value(decimal) else { throw unsuitable("SQLite cannot store NaN", row, slot) }
      try statement.bind(parameter, number)
      // SQLite keeps at most 17 digits of a decimal, so the row can get another value than the one in the save.
      if StoredDecimal.decimal(number) != .decimal(decimal) { mended.insert(row.key) }
    case (.uuid, .uuid(let uuid)): try statement.bind(parameter, uuid.data)
    case (.uri, .url(let url)):
      let text = url.absoluteString
      guard let stored = URL(string: text) else {
        throw unsuitable("the text of the URL is not a valid URL", row, slot)
      }
      try statement.bind(parameter, text)
      // A relative URL is saved with its base, so the row can get another value than the one in the save.
      if stored != url { mended.insert(row.key) }
    case (.binary, .data(let data)):
      try statement.bind(parameter, isExternal ? state.reading.externalData.value(data) : data)
    case (.transformable, .data(let data)): try statement.bind(parameter, data)
    default: throw unsuitable(value, type, row, slot)
    }
  }

  /// Binds a floating-point number. Throws for NaN, which SQLite cannot store.
  private func bindValue(
    _ number: Double, _ row: StoreRow, _ slot: Int, _ statement: Statement, _ parameter: Int32
  ) throws(ManagedObjectError) {
    if number.isNaN { throw unsuitable("SQLite cannot store NaN", row, slot) }
    try statement.bind(parameter, number)
  }

  private func unsuitable(
    _ value: AttributeValue, _ type: AttributeType, _ row: StoreRow, _ slot: Int
  ) -> ManagedObjectError {
    unsuitable("expected \(type.name), found \(value.kindName)", row, slot)
  }

  func unsuitable(_ message: String, _ row: StoreRow, _ slot: Int) -> ManagedObjectError {
    var value: AttributeValue?
    if case .attribute(let attribute) = row.values[slot] { value = attribute }
    return ManagedObjectError(
      .invalidValue, message, objectID: state.objectID(row.key), key: propertyName(row.key, slot), value: value)
  }

  func propertyName(_ key: RowKey, _ slot: Int) -> String? {
    schema.model.entity(at: Int(key.entityIndex)).properties.first { $0.slot == slot }?.name
  }
}

/// The kind of a property in a statement that writes rows. Copying it does not count references, unlike
/// ``SlotColumns``.
enum ParameterKind {
  case attribute(AttributeType, isExternal: Bool)
  case toOne(hasEntityColumn: Bool, destination: Range<Int>)
  /// No parameter, or a property that the store cannot write.
  case other
}

extension SlotColumns {
  var parameterKind: ParameterKind {
    switch self {
    case .attribute(_, let type, let isExternal): .attribute(type, isExternal: isExternal)
    case .toOne(_, let entityColumn, let destination):
      .toOne(hasEntityColumn: entityColumn != nil, destination: destination)
    case .none, .composite, .toMany: .other
    }
  }
}
