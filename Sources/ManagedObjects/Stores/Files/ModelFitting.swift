internal import FoundationEssentials
internal import ObjectModels
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// A converter of the objects in a file to another version of the file's model. It collects the differences between the
/// file and the model.
final class ModelFitting {
  private let model: ManagedObjectModel
  private let metadata: StoreMetadata
  private let isMember: [Bool]
  /// The number of objects with each difference. ``mismatches`` adds the counts, and the reasons of unknown entities
  /// and properties.
  private var notes: OrderedDictionary<ModelMismatch, Int> = [:]
  /// The name of each entity in the file; nil if the file does not have it.
  private let formerNames: [String?]
  /// The indices of the entities, by their names in the file.
  private var entityIndices: [String: Int] = [:]
  /// The properties of each entity, by their names in the file.
  private var properties: [[String: ManagedObjectModel.Entity.Property]] = []
  /// The names of the properties of each entity in the model, by slot.
  private let slotNames: [[String]]

  /// - Parameters:
  ///   - isMember: For each entity, true if the store can have its objects.
  ///   - names: The names of the properties of each entity in the file. May be empty if the model has no renaming
  ///     identifiers.
  ///   - fold: Converts names to the form that they have in the file.
  init(
    _ model: ManagedObjectModel, _ metadata: StoreMetadata, isMember: [Bool], names: [String: Set<String>],
    fold: (entity: (String) -> String, property: (String) -> String) = ({ $0 }, { $0 })
  ) {
    self.model = model
    self.metadata = metadata
    self.isMember = isMember
    slotNames = model.entities.map { $0.properties.map(\.name) }
    // The version hashes list the entities without objects, too.
    let hashes = metadata.values[StoreMetadataKey.versionHashes]?.dictionary?.keys.map(fold.entity) ?? []
    formerNames = Set(hashes + names.keys).names(
      of: model.entities.map {
        (fold.entity($0.name), isMember[$0.index] ? $0.definition.renamingIdentifier.map(fold.entity) : nil)
      })
    for entity in model.entities {
      let former = formerNames[entity.index] ?? fold.entity(entity.name)
      entityIndices[former] = entity.index
      var known: [String: ManagedObjectModel.Entity.Property] = [:]
      for property in entity.properties where !property.isTransient { known[fold.property(property.name)] = property }
      for (property, name) in names[former]?.names(ofPropertiesOf: entity, fold: fold.property) ?? [] {
        known[name] = property
      }
      properties.append(known)
    }
  }

  /// True if the names in the file must be known to fit its objects to a model.
  static func needsNames(_ model: ManagedObjectModel) -> Bool {
    model.entities.contains { entity in
      entity.definition.renamingIdentifier != nil || entity.properties.contains { $0.renamingIdentifier != nil }
    }
  }

  /// Returns the index of the entity with a name in the file; nil if it is unknown, or if the store cannot have its
  /// objects.
  func entity(named name: String) -> Int? { entityIndices[name].flatMap { isMember[$0] ? $0 : nil } }

  /// Returns the stored property with a name in the file; nil if it is unknown.
  func property(named name: String, of entity: Int) -> ManagedObjectModel.Entity.Property? { properties[entity][name] }

  /// Returns the name of the property in a slot of an entity.
  func name(ofSlot slot: Int, of entity: Int) -> String { slotNames[entity][slot] }

  private func entityName(_ index: Int) -> String { model.entity(at: index).name }

  // Differences.

  private func note(_ kind: ModelMismatch.Kind, _ entity: String, _ property: String?, _ reason: String) {
    notes[ModelMismatch(kind, entity, property, reason), default: 0] += 1
  }

  func noteUnknown(_ entity: String, objectCount: Int = 1) {
    notes[ModelMismatch(.unknownEntity, entity, nil, ""), default: 0] += objectCount
  }

  func noteUnknown(_ property: String, of entity: Int, objectCount: Int = 1) {
    notes[ModelMismatch(.unknownProperty, entityName(entity), property, ""), default: 0] += objectCount
  }

  /// Notes that a property has another form in the file.
  func noteChanged(_ property: String, of entity: Int, _ difference: String) {
    note(.changedProperty, entityName(entity), property, difference)
  }

  func noteIgnoredReferences(_ property: String, of entity: Int, _ reason: String) {
    note(.ignoredReferences, entityName(entity), property, reason)
  }

  /// The reason why references to objects that the file or the model does not have are ignored.
  static let missingObjects = "references to missing or ignored objects are ignored"

  /// A receiver of invalid references, which are ignored.
  var defects: StoreDefects {
    StoreDefects { [self] defect in
      let entity = Int(defect.key.entityIndex)
      let property = name(ofSlot: defect.slot, of: entity)
      let reason =
        switch defect.kind {
        case .missing: Self.missingObjects
        case .wrongEntity: "references to objects of another entity are ignored"
        case .brokenInverse: "the inverse relationship of other objects contradicts it"
        }
      noteIgnoredReferences(property, of: entity, reason)
    }
  }

  /// Sets attributes that the file does not have to their default values, and notes all missing entities and
  /// properties.
  ///
  /// - Parameter has: returns true if the file has the property in a slot of an entity.
  func fill(_ table: inout RowTable, has: (_ entity: Int, _ slot: Int) -> Bool) {
    let hashes = metadata.values[StoreMetadataKey.versionHashes]
    let own = model.entityVersionHashesByName
    for entity in model.entities where isMember[entity.index] {
      let rows = table.entityRows[entity.index].rows
      if let hash = hashes?[entity.name]?.data, hash == own[entity.name] { continue }
      if rows.isEmpty {
        if hashes != nil, formerNames[entity.index] == nil {
          note(.missingEntity, entity.name, nil, "the store does not have the entity")
        }
        continue
      }
      var values: [(slot: Int, value: RowValue)] = []
      for property in entity.properties where !property.isTransient && !has(entity.index, property.slot) {
        switch property {
        case .attribute(let attribute): values.append((attribute.slot, .attribute(attribute.initialValue)))
        // The relationship may have objects because of its inverse.
        case .relationship(let relationship):
          if rows.contains(where: { $0.values[relationship.slot] != relationship.emptyValue }) { continue }
        }
        notes[ModelMismatch(missing: property, of: entity), default: 0] += 1
      }
      for var row in rows where !values.isEmpty {
        for (slot, value) in values { row.values[slot] = value }
        table.entityRows[entity.index].replace(with: row)
      }
    }
  }

  /// The differences, sorted by entity and property.
  var mismatches: [ModelMismatch] {
    notes.map { note, count in
      switch note.kind {
      case .unknownEntity: return ModelMismatch(unknownEntity: note.entity, objectCount: count)
      case .unknownProperty:
        return ModelMismatch(unknownProperty: note.property ?? "", of: note.entity, objectCount: count)
      case .ignoredReferences:
        var note = note
        note.objectCount = count
        return note
      default: return note
      }
    }.sorted { ($0.entity, $0.property ?? "", $0.reason) < ($1.entity, $1.property ?? "", $1.reason) }
  }

  // Values.

  /// Returns a value of the file, converted to the shape of the model's property. Notes values that do not fit.
  func fitted(
    _ value: RowValue, _ shape: SlotShape, _ property: ManagedObjectModel.Entity.Property, of entity: Int
  ) -> RowValue {
    switch (shape, value) {
    case (.attribute(let type), .attribute(let value)): return .attribute(value.fitted(to: type))
    case (.attribute, _):
      noteChanged(property.name, of: entity, "expected an attribute, found a relationship: it reads as nil")
      return .null
    case (.toOne, .attribute), (.toMany, .attribute), (.orderedToMany, .attribute):
      noteChanged(property.name, of: entity, "expected a relationship, found an attribute: it is empty")
    case (.toOne(let destination), _), (.toMany(let destination), _), (.orderedToMany(let destination), _):
      let keys = value.keys
      let suitable = keys.filter { destination.contains(Int($0.entityIndex)) }
      if suitable.count < keys.count {
        noteIgnoredReferences(
          property.name, of: entity, "references to objects of another entity are ignored")
      }
      switch shape {
      case .toMany: return .toMany(Set(suitable))
      case .orderedToMany: return .orderedToMany(OrderedSet(suitable))
      default: if suitable.count < 2 { return .toOne(suitable.first) }
      }
      noteIgnoredReferences(property.name, of: entity, "several references of a to-one relationship are ignored")
    case (.transient(let empty), _): return empty
    }
    if case .relationship(let relationship) = property { return relationship.emptyValue }
    return .null
  }
}

extension AttributeValue {
  /// Returns the value converted to a type if SQLite stores both in the same way; otherwise, the value itself.
  func fitted(to type: AttributeType) -> AttributeValue {
    if type.admits(self) { return self }
    let number: Double? =
      switch self {
      case .integer(let value): Double(value)
      case .double(let value): value
      case .float(let value): Double(value)
      case .date(let value): value.timeIntervalSinceReferenceDate
      default: nil
      }
    switch (type, self) {
    case (.integer16, .boolean(let value)), (.integer32, .boolean(let value)), (.integer64, .boolean(let value)):
      return .integer(value ? 1 : 0)
    case (.boolean, .integer(let value)): return .boolean(value != 0)
    case (.integer16, _), (.integer32, _), (.integer64, _):
      return number.flatMap { Int64(exactly: $0) }.map { .integer($0) } ?? self
    case (.double, _): return number.map { .double($0) } ?? self
    case (.float, _): return number.map { .float(Float($0)) } ?? self
    case (.date, _): return number.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? self
    case (.decimal, .integer(let value)): return .decimal(Decimal(value))
    case (.decimal, _): return number.flatMap { Decimal(text: "\($0)") }.map { .decimal($0) } ?? self
    case (.string, .url(let value)): return .string(value.absoluteString)
    case (.uri, .string(let value)): return URL(string: value).map { .url($0) } ?? self
    case (.binary, .string(let value)), (.transformable, .string(let value)): return .data(Data(value.utf8))
    case (.uuid, .data(let value)) where value.count == 16: return .uuid(UUID(value.bytes, at: 0))
    case (.binary, .uuid(let value)), (.transformable, .uuid(let value)):
      return unsafe withUnsafeBytes(of: value.uuid) { unsafe .data(Data($0)) }
    default: return self
    }
  }
}
