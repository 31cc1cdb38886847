internal import FoundationEssentials
internal import ObjectModels
internal import Predicates
internal import PropertyLists

/// A writer that creates the columns of a ``BinaryStore`` from rows.
struct BinaryRowWriter {
  private let table: RowTable
  /// For each entity that is written, its index in the file, by its index in the model. An entity is written if it has
  /// objects, or if a reference to a deleted object needs it.
  private var fileIndices: [Int: UInt64] = [:]

  init(_ table: RowTable) {
    self.table = table
    var entities: Set<Int> = []
    for index in table.entityRows.indices where table.entityRows[index].count > 0 {
      entities.insert(index)
      let entity = ManagedObjectModel.Entity(model: table.model, index: index)
      for relationship in entity.relationships where entity.keepsDeletedObjects(relationship) {
        for row in table.entityRows[index].rows {
          if case .toOne(let key?) = row.values[relationship.slot] { entities.insert(Int(key.entityIndex)) }
        }
      }
    }
    for index in entities.sorted() { fileIndices[index] = UInt64(fileIndices.count) }
  }

  func entities() throws(ManagedObjectError) -> [BinaryEntity] {
    var entities: [BinaryEntity] = []
    for index in fileIndices.keys.sorted() { entities.append(try entity(index)) }
    return entities
  }

  private func entity(_ index: Int) throws(ManagedObjectError) -> BinaryEntity {
    let rows = table.entityRows[index].rows
    var numbers = ByteBuffer()
    var versions = ByteBuffer()
    var last: Int64 = 0
    for row in rows {
      numbers.append(variable: UInt64(row.key.number - last))
      last = row.key.number
      versions.append(variable: UInt64(row.version))
    }
    var columns: [BinaryColumn] = []
    let entity = ManagedObjectModel.Entity(model: table.model, index: index)
    for property in entity.properties {
      guard let type = property.columnType else { continue }
      columns.append(try column(property, type, rows))
    }
    return BinaryEntity(
      name: entity.name, count: rows.count, numbers: numbers.takeData(),
      versions: rows.allSatisfy { $0.version == 1 } ? Data() : versions.takeData(), columns: columns)
  }

  private func column(
    _ property: ManagedObjectModel.Entity.Property, _ type: Int, _ rows: [StoreRow]
  ) throws(ManagedObjectError) -> BinaryColumn {
    var values = ByteBuffer()
    var nulls = [UInt8](repeating: 0, count: (rows.count + 7) / 8)
    var hasNulls = false
    for (index, row) in rows.enumerated() {
      switch row.values[property.slot] {
      case .attribute(.null), .toOne(nil), .unread:
        nulls[index / 8] |= 1 << UInt8(index % 8)
        hasNulls = true
      case .attribute(let value):
        if type == AttributeType.undefined.rawValue {
          values.append(byte: UInt8(truncatingIfNeeded: value.type.rawValue / 100))
        }
        try append(value, to: &values)
      case .toOne(let key?): append(key, to: &values)
      case .toMany(let keys):
        values.append(variable: UInt64(keys.count))
        for key in keys.sorted() { append(key, to: &values) }
      case .orderedToMany(let keys):
        values.append(variable: UInt64(keys.count))
        for key in keys { append(key, to: &values) }
      }
    }
    return BinaryColumn(
      name: property.name, type: type, nulls: hasNulls ? Data(nulls) : Data(), values: values.takeData())
  }

  @inline(__always)
  private func append(_ key: RowKey, to values: inout ByteBuffer) {
    values.append(variable: fileIndices[Int(key.entityIndex)] ?? 0)
    values.append(variable: UInt64(key.number.magnitude))
  }

  @inline(__always)
  private func append(_ value: AttributeValue, to values: inout ByteBuffer) throws(ManagedObjectError) {
    switch value {
    case .null: break
    case .boolean(let value): values.append(byte: value ? 1 : 0)
    case .integer(let value): values.append(variable: UInt64(bitPattern: value &<< 1 ^ value >> 63))
    case .double(let value): values.append(littleEndianWord: value.bitPattern, length: 8)
    case .date(let value): values.append(littleEndianWord: value.timeIntervalSinceReferenceDate.bitPattern, length: 8)
    case .float(let value): values.append(littleEndianWord: UInt64(value.bitPattern), length: 4)
    case .decimal(let value):
      let text = try value.storedText()
      values.append(counted: text.utf8Span.rawBytes)
    case .string(let text): values.append(counted: text.utf8Span.rawBytes)
    case .url(let url):
      let text = try url.storedText()
      values.append(counted: text.utf8Span.rawBytes)
    case .data(let data): values.append(counted: data.bytes)
    case .uuid(let uuid):
      let data = uuid.data
      values.append(data.bytes)
    case .composite:
      let data = try value.archivedComposite()
      values.append(counted: data.bytes)
    }
  }
}

extension ByteBuffer {
  /// Appends a variable-length integer: seven bits per byte, the lowest first.
  @inline(__always)
  fileprivate mutating func append(variable value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(byte: UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  fileprivate mutating func append(counted bytes: RawSpan) {
    append(variable: UInt64(bytes.byteCount))
    append(bytes)
  }
}
