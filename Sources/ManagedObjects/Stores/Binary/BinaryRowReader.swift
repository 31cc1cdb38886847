internal import FoundationEssentials
internal import ObjectModels
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// A defect in the objects of a ``BinaryStore``.
struct BinaryDefect: Error, CustomStringConvertible {
  var message: String
  var entity: String?
  var property: String?

  init(_ message: String, entity: String? = nil, property: String? = nil) {
    self.message = message
    self.entity = entity
    self.property = property
  }

  var description: String {
    let location = [entity, property].compactMap { $0?.printable(limit: 100) }.joined(separator: ".")
    return location.isEmpty ? message : "\(location): \(message)"
  }
}

/// A reader that creates rows from the columns of a ``BinaryStore``.
struct BinaryRowReader {
  private let entities: [BinaryEntity]
  private let model: ManagedObjectModel
  private let store: StoreNumber
  private let shapes: [[SlotShape]]
  /// For each element of ``entities``, the index of the entity in the model; nil for an entity that is ignored.
  private var indices: [Int?] = []
  /// Fits objects to a model of another version; nil to throw if they do not fit.
  private let fitting: ModelFitting?

  init(_ entities: [BinaryEntity], _ table: RowTable, _ fitting: ModelFitting?) throws(BinaryDefect) {
    self.entities = entities
    self.fitting = fitting
    model = table.model
    store = table.storeNumber
    shapes = table.shapes
    for entity in entities {
      if let fitting {
        let index = fitting.entity(named: entity.name)
        let isFree = index.map { !indices.contains($0) } ?? false
        if !isFree { fitting.noteUnknown(entity.name, objectCount: entity.count) }
        indices.append(isFree ? index : nil)
        continue
      }
      guard let index = model.entity(named: entity.name)?.index, table.isMember[index] else {
        throw BinaryDefect(
          "the file lists an entity that the store cannot have: it is abstract, or missing from the model or the "
            + "configuration",
          entity: entity.name)
      }
      if indices.contains(index) { throw BinaryDefect("the entity is listed twice", entity: entity.name) }
      indices.append(index)
    }
  }

  func read(into table: inout RowTable) throws(BinaryDefect) {
    for (entity, index) in zip(entities, indices) {
      guard let index else { continue }
      do { table.load(try rows(entity, index), ofEntity: index) } catch {
        throw BinaryDefect(error.message, entity: entity.name, property: error.property)
      }
    }
  }

  private func rows(_ entity: BinaryEntity, _ index: Int) throws(BinaryDefect) -> [StoreRow] {
    // Each primary key has at least one byte, so there cannot be more objects than bytes. The file contains an entity
    // without objects if references to deleted objects need it.
    guard entity.count > 0 || entity.numbers.isEmpty, 0...entity.numbers.count ~= entity.count else {
      throw BinaryDefect("object count \(entity.count) does not match \(entity.numbers.count) bytes of object numbers")
    }
    let description = ManagedObjectModel.Entity(model: model, index: index)
    if let fitting { return try fittedRows(entity, description, fitting) }
    let properties = description.properties.filter { $0.columnType != nil }
    guard properties.map(\.name) == entity.columns.map(\.name) else {
      throw BinaryDefect("the columns do not match the properties of the entity")
    }
    var rows = try keys(entity, index, description.emptyValues)
    for (column, property) in zip(entity.columns, properties) {
      guard column.type == property.columnType else {
        throw BinaryDefect("the column type \(column.type) does not match the property", property: column.name)
      }
      do { try read(column, shapes[index][property.slot], property.slot, into: &rows) } catch {
        throw BinaryDefect(error.message, property: column.name)
      }
    }
    return rows
  }

  /// Returns the rows of an entity of the file, whose columns have the form of another version of the model.
  private func fittedRows(
    _ entity: BinaryEntity, _ description: ManagedObjectModel.Entity, _ fitting: ModelFitting
  ) throws(BinaryDefect) -> [StoreRow] {
    let index = description.index
    var rows = try keys(entity, index, description.emptyValues)
    var known: Set<Int> = []
    for column in entity.columns {
      guard let property = fitting.property(named: column.name, of: index), known.insert(property.slot).inserted else {
        fitting.noteUnknown(column.name, of: index, objectCount: rows.count)
        continue
      }
      guard let shape = SlotShape(columnType: column.type, entityCount: model.entities.count) else {
        throw BinaryDefect("the column type \(column.type) is unknown", property: column.name)
      }
      if column.type > 0, let type = property.columnType, type > 0, type != column.type {
        let names = [type, column.type].map { AttributeType(rawValue: $0)?.name ?? "\($0)" }
        fitting.noteChanged(property.name, of: index, "expected \(names[0]), found \(names[1])")
      }
      var ignored = 0
      do { ignored = try read(column, shape, property.slot, into: &rows) } catch {
        throw BinaryDefect(error.message, property: column.name)
      }
      for _ in 0..<ignored {
        fitting.noteIgnoredReferences(
          property.name, of: index, ModelFitting.missingObjects)
      }
      for row in rows.indices {
        rows[row].values[property.slot] = fitting.fitted(
          rows[row].values[property.slot], shapes[index][property.slot], property, of: index)
      }
    }
    return rows
  }

  /// True if the file has a column for the property in a slot of an entity.
  func hasColumn(_ entity: Int, _ slot: Int) -> Bool {
    guard let fitting, let position = indices.firstIndex(of: entity) else { return false }
    return entities[position].columns.contains { fitting.property(named: $0.name, of: entity)?.slot == slot }
  }

  private func keys(_ entity: BinaryEntity, _ index: Int, _ values: [RowValue]) throws(BinaryDefect) -> [StoreRow] {
    var rows: [StoreRow] = []
    rows.reserveCapacity(entity.count)
    var numbers = BinaryValueReader(entity.numbers.bytes)
    var versions = BinaryValueReader(entity.versions.bytes)
    let hasVersions = !entity.versions.isEmpty
    var number: Int64 = 0
    for _ in 0..<entity.count {
      guard let step = Int64(exactly: try numbers.integer()), step > 0,
        case (let next, false) = number.addingReportingOverflow(step)
      else { throw BinaryDefect("the numbers of the objects are not in ascending order") }
      number = next
      var version: Int64 = 1
      if hasVersions {
        guard let known = Int64(exactly: try versions.integer()), known > 0 else {
          throw BinaryDefect("the version of an object is not valid")
        }
        version = known
      }
      rows.append(
        StoreRow(key: RowKey(store: store, entityIndex: index, number: number), version: version, values: values))
    }
    try numbers.finish()
    try versions.finish()
    return rows
  }

  /// Reads a column. Returns the number of references to objects of entities that are ignored.
  @discardableResult
  private func read(
    _ column: BinaryColumn, _ shape: SlotShape, _ slot: Int, into rows: inout [StoreRow]
  ) throws(BinaryDefect) -> Int {
    var ignoredCount = 0
    let nulls = column.nulls.bytes
    let hasNulls = nulls.byteCount > 0
    guard !hasNulls || nulls.byteCount == (rows.count + 7) / 8 else {
      throw BinaryDefect("a null bitmap of \(nulls.byteCount) bytes does not match \(rows.count) objects")
    }
    var values = BinaryValueReader(column.values.bytes)
    for index in rows.indices {
      if hasNulls, nulls[index / 8] >> UInt8(index % 8) & 1 == 1 { continue }
      let value: RowValue
      switch shape {
      case .attribute(let type): value = .attribute(try values.value(type))
      case .toOne(let destination):
        let key = try key(&values, destination)
        if key == nil { ignoredCount += 1 }
        value = .toOne(key)
      case .toMany(let destination):
        let count = try values.count(size: 2)
        var keys: Set<RowKey> = []
        keys.reserveCapacity(count)
        var ignored = 0
        for _ in 0..<count {
          if let key = try key(&values, destination) { keys.insert(key) } else { ignored += 1 }
        }
        guard keys.count + ignored == count else { throw BinaryDefect("a relationship contains an object twice") }
        ignoredCount += ignored
        value = .toMany(keys)
      case .orderedToMany(let destination):
        let count = try values.count(size: 2)
        var keys: OrderedSet<RowKey> = []
        keys.reserveCapacity(count)
        var ignored = 0
        for _ in 0..<count {
          if let key = try key(&values, destination) { keys.append(key) } else { ignored += 1 }
        }
        guard keys.count + ignored == count else { throw BinaryDefect("a relationship contains an object twice") }
        ignoredCount += ignored
        value = .orderedToMany(keys)
      case .transient: continue
      }
      rows[index].values[slot] = value
    }
    try values.finish()
    return ignoredCount
  }

  /// Reads a reference. Returns nil if the entity of the object is ignored.
  @inline(__always)
  private func key(_ values: inout BinaryValueReader, _ destination: Range<Int>) throws(BinaryDefect) -> RowKey? {
    guard let index = Int(exactly: try values.integer()), indices.indices.contains(index),
      let number = Int64(exactly: try values.integer()), number > 0
    else { throw BinaryDefect("a reference does not lead to an object") }
    guard let entity = indices[index] else { return nil }
    guard destination.contains(entity) else {
      throw BinaryDefect("the relationship refers to an object of another entity")
    }
    return RowKey(store: store, entityIndex: entity, number: number)
  }
}

extension SlotShape {
  /// The shape of the values in a column; nil for an unknown type. Relationships can have objects of any entity.
  fileprivate init?(columnType: Int, entityCount: Int) {
    switch columnType {
    case BinaryColumn.toOne: self = .toOne(destination: 0..<entityCount)
    case BinaryColumn.toMany: self = .toMany(destination: 0..<entityCount)
    case BinaryColumn.orderedToMany: self = .orderedToMany(destination: 0..<entityCount)
    default:
      guard let type = AttributeType(rawValue: columnType) else { return nil }
      self = .attribute(type)
    }
  }
}

/// A cursor over the values of a column.
struct BinaryValueReader: ~Escapable {
  private let bytes: RawSpan
  private var index = 0

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) { self.bytes = bytes }

  private var isCutOff: BinaryDefect { BinaryDefect("the values are truncated") }

  /// Throws if not all values were read.
  func finish() throws(BinaryDefect) {
    if index < bytes.byteCount { throw BinaryDefect("a column has more values than the entity has objects") }
  }

  /// Reads a variable-length integer: seven bits per byte, the lowest first.
  @inline(__always)
  mutating func integer() throws(BinaryDefect) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while index < bytes.byteCount {
      let byte = bytes[index]
      index += 1
      // Nine bytes have 63 bits, so the tenth may have only one.
      guard shift < 63 || shift == 63 && byte < 2 else { throw BinaryDefect("an integer has more than 64 bits") }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw isCutOff
  }

  /// Reads a count of items of at least `size` bytes each. Throws if the rest of the column is too short for them.
  mutating func count(size: Int) throws(BinaryDefect) -> Int {
    guard let count = Int(exactly: try integer()), count <= (bytes.byteCount - index) / size else { throw isCutOff }
    return count
  }

  private mutating func pass(_ count: Int) throws(BinaryDefect) -> Int {
    guard bytes.byteCount - index >= count else { throw isCutOff }
    index += count
    return index - count
  }

  private mutating func text() throws(BinaryDefect) -> String {
    let count = try count(size: 1)
    let start = try pass(count)
    let text = bytes.extracting(start..<start + count)
    if text.isASCII { return String(knownUTF8: text, isASCII: true) }
    guard text.isValidUTF8 else { throw BinaryDefect("a string is not UTF-8") }
    return String(knownUTF8: text, isASCII: false)
  }

  private mutating func data() throws(BinaryDefect) -> Data {
    let count = try count(size: 1)
    let start = try pass(count)
    return Data([UInt8](bytes, start..<start + count))
  }

  /// Reads the value of an attribute of a type.
  mutating func value(_ type: AttributeType) throws(BinaryDefect) -> AttributeValue {
    switch type {
    case .integer16, .integer32, .integer64:
      let bits = try integer()
      let value = Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
      guard type.integers?.contains(value) == true else { throw BinaryDefect("an integer is too large for its type") }
      return .integer(value)
    case .boolean:
      let byte = bytes[try pass(1)]
      guard byte < 2 else { throw BinaryDefect("a Boolean must be 0 or 1, not \(byte)") }
      return .boolean(byte == 1)
    case .double: return .double(Double(bitPattern: bytes.littleEndianWord(at: try pass(8))))
    case .date:
      let seconds = Double(bitPattern: bytes.littleEndianWord(at: try pass(8)))
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .float: return .float(Float(bitPattern: bytes.littleEndianUInt32(at: try pass(4))))
    case .string: return .string(try text())
    case .decimal:
      guard let value = Decimal(text: try text()) else { throw BinaryDefect("a value is not a decimal number") }
      return .decimal(value)
    case .uri:
      guard let url = URL(string: try text()) else { throw BinaryDefect("a value is not a URL") }
      return .url(url)
    case .binary, .transformable: return .data(try data())
    case .composite:
      guard let value = AttributeValue(archivedComposite: try data()) else {
        throw BinaryDefect("the archive of a composite value is not valid")
      }
      return value
    case .uuid: return .uuid(UUID(bytes, at: try pass(16)))
    case .undefined:
      guard let type = AttributeType(rawValue: Int(bytes[try pass(1)]) * 100), type != .undefined, type != .objectID
      else { throw BinaryDefect("a value has an unknown type") }
      return try value(type)
    case .objectID: throw BinaryDefect("object IDs cannot be stored as values")
    }
  }
}
