internal import ManagedObjects
internal import SQLQueries
internal import Synchronization

/// A temporary table that collects the objects of a batch insertion.
///
/// In each row, `k` is the position of the object, beginning with 1; `v0`, `v1` and so on are its values; and `g` is
/// the index in ``given`` of the set of attributes that have a value.
final class BatchSpool: Sendable {
  let entityIndex: Int
  let name: String
  /// The attributes that have a column. A composite attribute occurs once for each leaf; its leaves are adjacent.
  let attributes: [Attribute]
  private let insertion: String
  private let rules: [(positions: Range<Int>, error: ManagedObjectError)]
  private let relationshipErrors: [ManagedObjectError]
  /// The indices into ``attributes``, by slot.
  private let positions: [Int: Range<Int>]
  private let contents: Mutex<Contents>

  struct Attribute: Sendable {
    let name: String
    let slot: Int
    /// The keys that lead from a composite attribute to the leaf; empty for another attribute.
    let keys: [String]
    let type: AttributeType
    let isExternal: Bool
    /// The name of the column in the table of the entity, quoted for SQL.
    let column: String
    let initial: SQLValue
  }

  fileprivate struct Contents {
    var count: Int64 = 0
    /// The sets of attributes that objects have values for, without duplicates. Each set is an array of indices into
    /// ``attributes``.
    var given: [[Int]] = []
    var givenIndices: [[Int]: Int] = [:]
    /// The errors of objects, by position.
    var errors: [(position: Int64, error: ManagedObjectError)] = []
  }

  private static let lastNumber = Mutex(0)

  /// Creates the table.
  init(_ entity: ManagedObjectModel.Entity, _ state: StoreState) throws(ManagedObjectError) {
    entityIndex = entity.index
    let number = Self.lastNumber.withLock { number in
      number += 1
      return number
    }
    name = "temp.managed_new_\(number)"
    contents = Mutex(Contents())
    guard let table = state.schema.table(ofEntity: entity.index) else {
      throw ManagedObjectError(.invalidState, "the store has no table for the entity \(entity.name)")
    }
    let initial = entity.initialBatchValues
    var attributes: [Attribute] = []
    var declarations = ""
    func add(
      _ attribute: ManagedObjectModel.Entity.Attribute, _ keys: [String], _ type: AttributeType, _ isExternal: Bool,
      _ column: Int
    ) throws(ManagedObjectError) {
      var value = SQLValue.null
      if case .attribute(let known) = initial[attribute.slot] {
        value = try SQLValue(saving: known.leaf(at: keys[...]), isExternal: isExternal)
      }
      declarations += ", v\(attributes.count) \(table.columns[column].type)"
      attributes.append(
        Attribute(
          name: ([attribute.name] + keys).joined(separator: "."), slot: attribute.slot, keys: keys, type: type,
          isExternal: isExternal, column: table.columns[column].name.sqlName, initial: value))
    }
    for attribute in entity.attributes {
      switch state.schema.slotColumns[entity.index][attribute.slot] {
      case .attribute(let column, let type, let isExternal): try add(attribute, [], type, isExternal, column)
      case .composite(let columns):
        for leaf in columns.leaves {
          try add(attribute, leaf.keys, leaf.definition.type, leaf.definition.isExternal, leaf.column)
        }
      default: continue
      }
    }
    self.attributes = attributes
    let rules = ValidationRules(entity)
    let positions = Self.positions(attributes)
    self.positions = positions
    self.rules = rules.attributes.compactMap { rule in
      guard let range = positions[rule.slot], let error = rule.failure(.null) else { return nil }
      return (range, error)
    }
    relationshipErrors = rules.relationships.compactMap { $0.failure(count: 0) }
    let names = attributes.indices.map { ", v\($0)" }.joined()
    let parameters = attributes.indices.map { ", ?\($0 + 2)" }.joined()
    insertion = "INSERT INTO \(name) (g\(names)) VALUES (?1\(parameters))"
    try state.database.execute("CREATE TABLE \(name) (k INTEGER PRIMARY KEY, g INTEGER\(declarations))")
  }

  /// Returns the indices of attributes with the same slot, by slot.
  private static func positions(_ attributes: [Attribute]) -> [Int: Range<Int>] {
    var positions: [Int: Range<Int>] = [:]
    for (position, attribute) in attributes.enumerated() {
      positions[attribute.slot] = (positions[attribute.slot]?.lowerBound ?? position)..<position + 1
    }
    return positions
  }

  func drop(_ database: Database) throws(ManagedObjectError) {
    try database.execute("DROP TABLE IF EXISTS \(name)")
  }

  var count: Int64 { contents.withLock { $0.count } }

  /// The sets of attributes that objects have values for, without duplicates. Each set is an array of indices into
  /// ``attributes``.
  var given: [[Int]] { contents.withLock { $0.given } }

  /// Writes objects to the table.
  ///
  /// - Returns: True if the error already lists enough objects, so that the caller can stop.
  func append(
    _ objects: [[(slot: Int, value: AttributeValue)]], _ state: StoreState
  ) throws(ManagedObjectError) -> Bool {
    return try contents.withLock { contents throws(ManagedObjectError) in
      try state.database.transaction(.deferred) { () throws(ManagedObjectError) in
        let statement = try state.database.statement(insertion)
        for object in objects {
          contents.count += 1
          var values = attributes.map(\.initial)
          var given: [Int] = []
          for (slot, value) in object {
            for position in positions[slot] ?? 0..<0 {
              do throws(ManagedObjectError) {
                values[position] = try SQLValue(
                  saving: value.leaf(at: attributes[position].keys[...]), isExternal: attributes[position].isExternal)
              } catch {
                throw ManagedObjectError(error.code, error.message, key: attributes[position].name, value: error.value)
              }
              given.append(position)
            }
          }
          contents.check(values, rules, relationshipErrors)
          try statement.bind(1, Int64(contents.index(of: given.sorted())))
          for (position, value) in values.enumerated() { try statement.bind(Int32(position + 2), value) }
          try statement.run()
        }
      }
      return contents.errors.count >= BatchTransaction.greatestErrorCount
    }
  }

  /// Throws the errors of the invalid objects, if any. The errors contain the IDs that the objects would get.
  func check(_ state: inout StoreState) throws(ManagedObjectError) {
    let (errors, count) = contents.withLock { ($0.errors, $0.count) }
    if errors.isEmpty { return }
    let first = try state.numbers.reserve(count, forNew: entityIndex, state.schema, state.database)
    let all = errors.prefix(BatchTransaction.greatestErrorCount).map { position, error in
      var error = error
      error.objectID = state.objectID(
        RowKey(store: state.storeNumber, entityIndex: entityIndex, number: first + position - 1))
      return error
    }
    if let error = ManagedObjectError(all: all) { throw error }
  }
}

extension BatchSpool.Contents {
  fileprivate mutating func check(
    _ values: [SQLValue], _ rules: [(positions: Range<Int>, error: ManagedObjectError)],
    _ relationshipErrors: [ManagedObjectError]
  ) {
    for rule in rules where rule.positions.allSatisfy({ values[$0] == .null }) { errors.append((count, rule.error)) }
    for error in relationshipErrors { errors.append((count, error)) }
  }

  /// Returns the index of a set of attributes in ``given``. Adds the set if it is new.
  fileprivate mutating func index(of attributes: [Int]) -> Int {
    if let known = givenIndices[attributes] { return known }
    givenIndices[attributes] = given.count
    given.append(attributes)
    return given.count - 1
  }
}
