import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import ToolSupport

/// A record that has been converted for an object: the values of attributes, and the references of relationships.
struct RecordDraft {
  let position: PropertyListError.TextPosition
  let entity: ManagedObjectModel.Entity
  /// True if the record contains the name of its entity.
  var namesEntity = false
  /// The values of attributes.
  var values: [(name: String, value: AttributeValue)] = []
  /// The values of elements of composite attributes, by their key paths such as `author.city`.
  var elements: [(path: String, value: AttributeValue)] = []
  var references: [Reference] = []
  /// The values of the attributes that `--key` names; nil if it names none.
  var key: [AttributeValue]?
  /// The names of the properties in the record.
  var properties: Set<String> {
    Set(values.map(\.name) + elements.map { String($0.path.prefix { $0 != "." }) } + references.map(\.name))
  }
  /// The object to change, if objects are found by ID.
  var id: RowKey?
  /// The ID of the object in the file, if the file assigns IDs to its objects. Other objects of the file refer to it.
  var localID: String?

  /// A relationship of the record, and the objects that it refers to.
  struct Reference {
    let name: String
    let isToMany: Bool
    let isOrdered: Bool
    let targets: Targets
    let position: PropertyListError.TextPosition
  }

  enum Targets {
    case keys([RowKey])
    /// Objects of the file, by ``RecordDraft/localID``.
    case local([String])
    /// Objects that are found by the value of an attribute, one object for each value.
    case values(Lookup, [AttributeValue])
  }

  /// An attribute for finding objects by its value.
  struct Lookup: Hashable {
    let entity: ManagedObjectModel.Entity
    let attribute: String
  }
}

/// Converts the records of a file to the values of objects: ``RecordDraft``.
final class RecordDrafting {
  private let opened: OpenStore
  /// The entity of records that do not name one; nil if all records do.
  private let entity: ManagedObjectModel.Entity?
  /// The columns of the file for each entity, by the index of the entity.
  private var columns: [Int: ImportColumns] = [:]
  private let values: ImportedValues
  /// The attributes for finding the objects to change.
  let keyNames: [String]
  private let findsByID: Bool
  private var notedColumns: Set<String> = []
  /// True if the object IDs in the records are valid only within the file. False if they are IDs of objects in the
  /// store.
  var hasLocalIDs: Bool { entity == nil }

  /// Creates a converter for records that name their entities and refer to each other by IDs of the file.
  init(_ opened: OpenStore, _ values: ImportedValues) {
    self.opened = opened
    self.values = values
    entity = nil
    keyNames = []
    findsByID = false
  }

  /// Creates a converter for records of one entity and its subentities.
  ///
  /// - Parameter keys: the attributes whose values identify the objects to change; only `@id` to identify them by ID.
  init(
    _ opened: OpenStore, _ entity: ManagedObjectModel.Entity, _ columns: ImportColumns, _ values: ImportedValues,
    keys: [String]
  ) throws(ValidationError) {
    self.opened = opened
    self.entity = entity
    self.columns[entity.index] = columns
    self.values = values
    findsByID = keys == [ObjectColumn.id]
    keyNames = findsByID ? [] : keys
    if Set(keys).count < keys.count { throw ValidationError("--key names an attribute twice.") }
    if !findsByID, keys.contains(ObjectColumn.id) {
      throw ValidationError("--key \(ObjectColumn.id) cannot be combined with other keys.")
    }
    for name in keyNames {
      switch entity.property(named: name) {
      case .attribute(let attribute)?
      where !attribute.isTransient && attribute.type != .composite && attribute.definition.derivation == nil:
        continue
      case nil: throw ValidationError("--key: " + Assignment.unknown(name, entity))
      default:
        throw ValidationError(
          "--key: \(name.quoted) is a relationship, or a transient, composite or derived attribute, "
            + "and cannot be a key.")
      }
    }
  }

  /// Validates the columns that all records have.
  func check(_ header: [(name: String, position: PropertyListError.TextPosition)], in file: String) throws {
    guard let entity else { return }
    for column in header {
      do { _ = try use(of: column.name, entity) } catch {
        throw ValidationError("\(file):\(column.position.line):\(column.position.column): \(error.message)")
      }
    }
    try checkMappings()
    let uses = try header.map { column in try use(of: column.name, entity) }
    do { try Self.checkProperties(zip(uses, header.map(\.name))) } catch {
      throw ValidationError("\(file): \(error.message)")
    }
    for name in keyNames where !uses.contains(.attribute(name)) {
      throw ValidationError("--key: \(file) has no column for \(name.quoted).")
    }
    if findsByID, !uses.contains(.id) { throw ValidationError("--key: \(file) has no column \(ObjectColumn.id).") }
  }

  /// Throws `ValidationError` if `--map` names a column that no record had.
  func checkMappings() throws(ValidationError) {
    let missing = columns.values.flatMap(\.missingColumns)
    if !missing.isEmpty {
      throw ValidationError(
        "--map: the file does not have the column \(missing.map(\.quoted).joined(separator: ", ")).")
    }
  }

  private func use(
    of column: String, _ entity: ManagedObjectModel.Entity
  ) throws(ValidationError) -> ImportColumns.Use {
    if columns[entity.index] == nil { columns[entity.index] = try ImportColumns(entity, [], ignored: []) }
    return try columns[entity.index]?.use(of: column) ?? .ignored
  }

  /// Converts a record.
  ///
  /// - Throws: ``ColumnError`` for a column without a property; `ValidationError`, `ManagedObjectError` and
  ///   `PropertyListError` for values that the object cannot have.
  func draft(_ record: ImportRecord) throws -> RecordDraft {
    let base = try baseEntity(of: record)
    var uses: [(ImportColumns.Use, ImportRecord.Field)] = []
    for field in record.fields {
      do { uses.append((try use(of: field.column, base), field)) } catch { throw ColumnError(error: error) }
    }
    try Self.checkProperties(uses.lazy.map { ($0.0, $0.1.column) })
    var draft = RecordDraft(position: record.position, entity: try entity(of: uses, base))
    draft.namesEntity = uses.contains { $0.0 == .entity && !$0.1.value.isNull }
    for (use, field) in uses {
      do { try add(use, field, to: &draft) } catch let error as ManagedObjectError {
        // In CSV, each value has its own position.
        guard field.position != record.position else { throw error }
        throw PropertyListError(.notRepresentable, error.description, position: field.position)
      }
    }
    if !keyNames.isEmpty {
      draft.key = try keyNames.map { name in
        guard let value = draft.values.first(where: { $0.name == name })?.value, value != .null else {
          throw ValidationError("\(name.printable()) has no value, and --key needs one")
        }
        return value
      }
    }
    if findsByID, draft.id == nil { throw ValidationError("\(ObjectColumn.id) has no value, and --key needs one") }
    return draft
  }

  /// Throws `ValidationError` if two columns are assigned to the same property.
  private static func checkProperties(_ uses: some Sequence<(ImportColumns.Use, String)>) throws(ValidationError) {
    var columns: [String: String] = [:]
    for (use, column) in uses {
      guard let property = use.property, let other = columns.updateValue(column, forKey: property) else { continue }
      throw ValidationError("the columns \(other.quoted) and \(column.quoted) are both for \(property.printable())")
    }
  }

  /// Returns the entity whose properties the columns of a record refer to: the entity of the import, or the entity of
  /// the array that contains the record.
  private func baseEntity(of record: ImportRecord) throws(ColumnError) -> ManagedObjectModel.Entity {
    if let entity { return entity }
    do { return try opened.entity(record.entity ?? "") } catch {
      throw ColumnError(error: error as? ValidationError ?? ValidationError("\(error)"))
    }
  }

  /// Returns the entity of a record: the entity that the record names, or else `entity`, which is the entity of the
  /// record's array or of the whole import.
  private func entity(
    of uses: [(ImportColumns.Use, ImportRecord.Field)], _ entity: ManagedObjectModel.Entity
  ) throws -> ManagedObjectModel.Entity {
    guard let field = uses.first(where: { $0.0 == .entity })?.1, !field.value.isNull else { return entity }
    guard let name = field.value.string else {
      throw ValidationError("\(ObjectColumn.entity): expected the name of an entity")
    }
    let found = try opened.entity(name)
    guard found.isKind(of: entity) else {
      throw ValidationError(
        "\(ObjectColumn.entity): \(found.name.printable()) does not inherit from \(entity.name.printable())")
    }
    return found
  }

  private func add(_ use: ImportColumns.Use, _ field: ImportRecord.Field, to draft: inout RecordDraft) throws {
    switch use {
    case .ignored, .entity: return
    case .id:
      guard findsByID || hasLocalIDs, !field.value.isNull else { return }
      guard let text = field.value.string else { throw ValidationError("\(ObjectColumn.id): expected text") }
      if hasLocalIDs {
        draft.localID = text
        return
      }
      draft.id = try opened.key(text)
    case .attribute(let name):
      guard case .attribute(let attribute)? = draft.entity.property(named: name) else {
        return try refuse(name, field, draft)
      }
      if attribute.definition.derivation != nil {
        if notedColumns.insert(field.column).inserted {
          note("note: \(field.column.printable()) is left out: stores compute the values of derived attributes")
        }
        return
      }
      draft.values.append((name, try values.value(field.value, of: attribute.definition)))
    case .element(let path):
      guard let element = try draft.entity.element(at: path) else { return try refuse(path, field, draft) }
      draft.elements.append((path, try values.value(field.value, of: element)))
    case .relationship(let name):
      guard case .relationship(let relationship)? = draft.entity.property(named: name) else {
        return try refuse(name, field, draft)
      }
      let names = try naming(name) {
        try elements(field.value, relationship).map { value in
          guard let text = value.string else { throw ValidationError("expected an object ID") }
          return text
        }
      }
      if hasLocalIDs { return add(.local(names), relationship, at: field.position, to: &draft) }
      let keys = try naming(name) {
        try names.map { text in
          do { return try opened.key(text) } catch let error as ValidationError {
            let mapping = "--map \(field.column.printable(limit: 80))=\(name.printable()).ATTRIBUTE"
            throw ValidationError("\(error.message) \(mapping) finds objects by an attribute.")
          }
        }
      }
      add(.keys(keys), relationship, at: field.position, to: &draft)
    case .lookup(let name, let key):
      guard case .relationship(let relationship)? = draft.entity.property(named: name) else {
        return try refuse(name, field, draft)
      }
      let destination = draft.entity.destination(of: relationship)
      let attribute = destination.selfAndDescendants.lazy.compactMap { $0.attribute(named: key) }.first
      guard let attribute else { throw ValidationError("\(name.printable()): " + Assignment.unknown(key, destination)) }
      let values = try naming(name) {
        try elements(field.value, relationship).map { value in
          let value = try self.values.value(value, of: attribute.definition)
          if value == .null { throw ValidationError("an element has no value") }
          return value
        }
      }
      let lookup = RecordDraft.Lookup(entity: destination, attribute: key)
      add(.values(lookup, values), relationship, at: field.position, to: &draft)
    }
  }

  private func add(
    _ targets: RecordDraft.Targets, _ relationship: ManagedObjectModel.Entity.Relationship,
    at position: PropertyListError.TextPosition, to draft: inout RecordDraft
  ) {
    draft.references.append(
      RecordDraft.Reference(
        name: relationship.name, isToMany: relationship.definition.isToMany,
        isOrdered: relationship.definition.isOrdered, targets: targets, position: position))
  }

  /// Returns the values for a relationship, one for each object.
  private func elements(
    _ value: ImportRecord.Value, _ relationship: ManagedObjectModel.Entity.Relationship
  ) throws -> [ImportRecord.Value] {
    if relationship.definition.isToMany { return try values.elements(value) }
    return value.isNull ? [] : [value]
  }

  /// Calls `body`, and adds the name of a property to its errors.
  private func naming<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as ValidationError {
      throw ManagedObjectError(.invalidValue, error.message, key: name)
    } catch var error as ManagedObjectError {
      error.key = name
      throw error
    }
  }

  /// Throws `ValidationError` for a field whose property the entity of the record does not have, unless the field has
  /// no value.
  private func refuse(_ name: String, _ field: ImportRecord.Field, _ draft: RecordDraft) throws {
    if field.value.isNull { return }
    throw ValidationError(Assignment.unknown(name, draft.entity))
  }
}

extension ImportRecord.Value {
  /// The text; nil for another value.
  var string: String? {
    switch self {
    case .text(let text): text
    case .value(let value): value.string
    }
  }
}
