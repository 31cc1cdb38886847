internal import FoundationEssentials
package import ManagedObjects
internal import PropertyLists
internal import SQLQueries
package import SQLiteAccess

/// Converts column values to values of attributes.
///
/// From columns with numeric affinity, SQLite returns whole numbers as integers, and other numbers as floating-point
/// numbers.
package struct ValueReading {
  let database: Database
  let schema: StoreSchema
  let externalData: ExternalData
  /// True to keep values that are not of the attribute's type, instead of throwing.
  let keepsOtherTypes: Bool

  package init(
    database: Database, schema: StoreSchema, externalData: ExternalData, keepsOtherTypes: Bool = false
  ) {
    self.database = database
    self.schema = schema
    self.externalData = externalData
    self.keepsOtherTypes = keepsOtherTypes
  }

  /// Returns the value of a column; nil if the column has a value that is not of the attribute type.
  @inline(__always)
  package func value(
    _ statement: Statement, _ column: Int32, _ type: AttributeType, isExternal: Bool
  ) throws(ManagedObjectError) -> AttributeValue? {
    try Self.value(StatementColumn(statement: statement, column: column), type, isExternal ? externalData : nil)
  }

  /// Returns the value of a column or of an SQL function's argument; nil if it is not of the attribute type.
  ///
  /// - Parameter externalData: The external files of the store; nil for an attribute without external storage.
  @inline(__always)
  package static func value(
    _ source: some StoredValue, _ type: AttributeType, _ externalData: ExternalData?
  ) throws(ManagedObjectError) -> AttributeValue? {
    let kind = source.kind
    if kind == .null { return .null }
    switch type {
    case .string:
      if kind == .text { return .string(source.text) }
    case .integer64, .integer32, .integer16:
      if kind == .integer { return .integer(source.integer) }
      if kind == .real { return Int64(exactly: source.real).map { .integer($0) } }
    case .boolean:
      if kind == .integer { return .boolean(source.integer != 0) }
    case .double:
      if kind == .real || kind == .integer { return .double(source.real) }
    case .float:
      if kind == .real || kind == .integer { return .float(Float(source.real)) }
    case .date:
      if kind == .real || kind == .integer { return .date(Date(timeIntervalSinceReferenceDate: source.real)) }
    case .decimal:
      if kind == .integer { return .decimal(Decimal(source.integer)) }
      // The number is not read as text, because SQLite's text for it has fewer digits.
      if kind == .real { return StoredDecimal.decimal(source.real) }
      if kind == .text { return StoredDecimal.decimal(source.text) }
    case .uuid:
      if kind == .blob { return uuid(source.data).map { .uuid($0) } }
    case .uri:
      if kind == .text { return URL(string: source.text).map { .url($0) } }
    case .binary:
      if kind == .blob || kind == .text {
        guard let externalData else { return .data(source.data) }
        return try externalData.content(of: source.data).map { .data($0) } ?? .null
      }
    case .transformable:
      if kind == .blob || kind == .text { return .data(source.data) }
    case .undefined, .objectID, .composite: break
    }
    return nil
  }

  private static func uuid(_ data: Data) -> UUID? { data.count == 16 ? UUID(data.bytes) : nil }

  /// Returns the index of the entity that a row has. Returns nil if the row does not exist, or its entity is not in
  /// `entities`.
  func entity(ofRow number: Int64, _ entities: Range<Int>) throws(ManagedObjectError) -> Int? {
    guard let table = schema.table(ofEntity: entities.lowerBound) else { return nil }
    let statement = try database.statement("SELECT Z_ENT FROM \(table.name.sqlName) WHERE Z_PK = ?")
    try statement.bind(1, number)
    defer { statement.reset() }
    guard try statement.step(), let index = schema.entityIndices[statement.integer(0)], entities.contains(index)
    else { return nil }
    return index
  }
}
