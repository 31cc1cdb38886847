internal import FoundationEssentials
public import OrderedCollections
package import Predicates
internal import Synchronization

/// The entities of a program or a store, validated and linked to each other.
///
/// ```swift
/// let model = try ManagedObjectModel(entities: [
///   EntityDescription("Person", [
///     .attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true),
///   ]),
///   EntityDescription("Note", [
///     .attribute("content", .string), .relationship("author", to: "Person", inverse: "notes"),
///   ]),
/// ])
/// ```
///
/// A model is immutable, so that any number of tasks can use it. To change a model, change its descriptions and create
/// a new model from them:
///
/// ```swift
/// var entities = model.entityDescriptions
/// entities[1].properties.append(.attribute("pages", .integer32))
/// let changed = try ManagedObjectModel(entities: entities)
/// ```
public final class ManagedObjectModel: Sendable {
  /// The entities from which the model was created, in their original order.
  public let entityDescriptions: [EntityDescription]
  /// The names of the entities of each configuration.
  public let configurations: OrderedDictionary<String, [String]>
  /// The fetch requests that programs look up by name. Their predicates can have variables.
  ///
  /// ```swift
  /// if var request = model.fetchRequestTemplates["notesOfAuthor"], let predicate = request.predicate {
  ///   request.predicate = predicate.substituting(["name": "Ada"])
  /// }
  /// ```
  public let fetchRequestTemplates: OrderedDictionary<String, FetchRequest>
  /// The version identifiers of the model.
  public let versionIdentifiers: [String]
  /// Attributes of a source file that only editors use, such as `lastSavedToolsVersion`.
  public let editorAttributes: OrderedDictionary<String, String>

  /// The data of each entity, in the order of ``entities``.
  @usableFromInline package let records: [Entity.Record]
  /// For each entity, in the order of ``entities``, the custom class of its objects; nil if it has none.
  package let classes: [AnyClass?]
  /// The registered value transformers.
  package let transformers: AttributeTransformers
  private let indices: [String: Int]
  /// For the name of each property, the entities that have it and the slots of its values. An entity and those that
  /// inherit from it use the same slot.
  package let keySlots: [String: [PredicateKey.SlotRange]]
  /// The names of the entities of each configuration.
  private let configurationMembers: [String: Set<String>]
  /// The version hashes of the entities; nil until they are first read.
  let computedHashes = Mutex<[String: Data]?>(nil)

  /// Creates a model from descriptions.
  ///
  /// - Parameters:
  ///   - entities: The entities, in any order.
  ///   - configurations: The names of the entities of each configuration.
  ///   - fetchRequestTemplates: The fetch requests, by name.
  ///   - versionIdentifiers: The version identifiers of the model.
  /// - Throws: ``ManagedObjectModelError/invalid(_:)`` with all defects.
  /// - Complexity: O(*n*) in the number of properties, inherited ones counted for each entity.
  public convenience init(
    entities: [EntityDescription], configurations: OrderedDictionary<String, [String]> = [:],
    fetchRequestTemplates: OrderedDictionary<String, FetchRequest> = [:], versionIdentifiers: [String] = []
  ) throws(ManagedObjectModelError) {
    try self.init(
      Contents(
        entities: entities, configurations: configurations, fetchRequestTemplates: fetchRequestTemplates,
        versionIdentifiers: versionIdentifiers))
  }

  /// Creates a model from entities that were read from a file. Accepts what older files may contain: see
  /// ``Contents/allowsReservedNames``.
  package convenience init(compiledEntities entities: [EntityDescription]) throws(ManagedObjectModelError) {
    try self.init(Contents(entities: entities, allowsReservedNames: true))
  }

  /// The data from which a model is created.
  package struct Contents {
    package var entities: [EntityDescription]
    package var configurations: OrderedDictionary<String, [String]> = [:]
    package var fetchRequestTemplates: OrderedDictionary<String, FetchRequest> = [:]
    package var versionIdentifiers: [String] = []
    package var editorAttributes: OrderedDictionary<String, String> = [:]
    /// True for entities that have been accepted earlier, for example by a compiler, or in models that are merged. They
    /// may have property names that are reserved today, ordered to-one relationships, and external storage for other
    /// types than binary data.
    package var allowsReservedNames = false
    /// True for source files: ordered to-one relationships are then allowed, because some of Apple's models have them.
    /// Their order affects only the version hash.
    package var allowsOrderOfOne = false
    /// The classes of objects, by entity name. They are ignored when models are compared.
    package var classes: [String: AnyClass] = [:]
    /// The registered value transformers. They are ignored when models are compared.
    package var transformers = AttributeTransformers()

    package init(
      entities: [EntityDescription], configurations: OrderedDictionary<String, [String]> = [:],
      fetchRequestTemplates: OrderedDictionary<String, FetchRequest> = [:], versionIdentifiers: [String] = [],
      editorAttributes: OrderedDictionary<String, String> = [:], allowsReservedNames: Bool = false,
      allowsOrderOfOne: Bool = false, classes: [String: AnyClass] = [:]
    ) {
      self.entities = entities
      self.configurations = configurations
      self.fetchRequestTemplates = fetchRequestTemplates
      self.versionIdentifiers = versionIdentifiers
      self.editorAttributes = editorAttributes
      self.allowsReservedNames = allowsReservedNames
      self.allowsOrderOfOne = allowsOrderOfOne
      self.classes = classes
    }
  }

  package init(_ contents: Contents) throws(ManagedObjectModelError) {
    let (records, indices) = try ModelResolution.resolve(contents)
    entityDescriptions = contents.entities
    configurations = contents.configurations
    fetchRequestTemplates = contents.fetchRequestTemplates
    versionIdentifiers = contents.versionIdentifiers
    editorAttributes = contents.editorAttributes
    self.records = records
    classes = records.map { contents.classes[$0.definition.name] }
    transformers = contents.transformers
    self.indices = indices
    keySlots = Self.keySlots(records)
    configurationMembers = Dictionary(uniqueKeysWithValues: contents.configurations.map { ($0, Set($1)) })
  }

  private static func keySlots(_ records: [Entity.Record]) -> [String: [PredicateKey.SlotRange]] {
    var slots: [String: [PredicateKey.SlotRange]] = [:]
    for (index, record) in records.enumerated() {
      let inherited = record.superentity.map { records[$0] }
      let entities = Int32(index)..<Int32(record.endOfSubentities)
      for attribute in record.attributes.dropFirst(inherited?.attributes.count ?? 0) {
        slots[attribute.name, default: []].append(
          PredicateKey.SlotRange(entities: entities, slot: Int32(attribute.slot)))
      }
      for relationship in record.relationships.dropFirst(inherited?.relationships.count ?? 0) {
        slots[relationship.name, default: []].append(
          PredicateKey.SlotRange(entities: entities, slot: Int32(relationship.slot)))
      }
    }
    return slots
  }

  package var contents: Contents {
    var contents = Contents(
      entities: entityDescriptions, configurations: configurations, fetchRequestTemplates: fetchRequestTemplates,
      versionIdentifiers: versionIdentifiers, editorAttributes: editorAttributes,
      classes: Dictionary(
        zip(records, classes).compactMap { record, type in type.map { (record.definition.name, $0) } },
        uniquingKeysWith: { first, _ in first }))
    contents.transformers = transformers
    return contents
  }

  /// The entities, sorted by name without regard to case. Each entity is followed by those that inherit from it. SQLite
  /// stores number entities in this order.
  ///
  /// - Complexity: O(*n*) in the number of entities.
  public var entities: [Entity] { records.indices.map { Entity(model: self, index: $0) } }

  /// Returns the entity at an index of ``entities``.
  @inlinable package func entity(at index: Int) -> Entity { Entity(model: self, index: index) }

  /// Returns true if a configuration contains an entity, or one that inherits from it.
  ///
  /// - Parameter name: The name of the configuration; nil for all entities.
  package func hasEntity(_ entity: Entity, inConfiguration name: String?) -> Bool {
    guard let name else { return true }
    return configurationMembers[name].map { members in
      entity.selfAndDescendants.contains { members.contains($0.name) }
    } ?? false
  }

  /// Returns the entity with a name, or nil if the model does not contain it.
  ///
  /// - Complexity: O(1).
  public func entity(named name: String) -> Entity? { indices[name].map { Entity(model: self, index: $0) } }

  /// The entity with a name, or nil if the model does not contain it.
  ///
  /// - Complexity: O(1).
  public subscript(name: String) -> Entity? { entity(named: name) }

  /// Returns the entities of a configuration. Without a name, returns all entities. Returns nil if the model has no
  /// such configuration.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(entities: entities, configurations: ["Cloud": ["Note", "Person"]])
  /// let names = model.entities(ofConfiguration: "Cloud")?.map(\.name)   // ["Note", "Person"]
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of entities.
  public func entities(ofConfiguration name: String?) -> [Entity]? {
    guard let name else { return entities }
    guard let names = configurations[name] else { return nil }
    let members = Set(names)
    return entities.filter { members.contains($0.name) }
  }
}

extension ManagedObjectModel {
  /// Returns a model with an additional fetch request, stored under a name. Replaces an existing request of this name.
  ///
  /// ```swift
  /// let recent = FetchRequest("Note", where: try ManagedPredicate(format: "date >= $SINCE"))
  /// let model = try ManagedObjectModel(contentsOf: url).settingFetchRequestTemplate(recent, forName: "recent")
  /// ```
  ///
  /// The version hashes are those of this model, so the model opens the same stores. A request of the new model can be
  /// executed by contexts of the old one.
  ///
  /// - Parameters:
  ///   - template: The request; nil to remove the request of this name.
  ///   - name: The name in ``fetchRequestTemplates``.
  /// - Throws: ``ManagedObjectModelError/invalid(_:)`` if the model does not have the entity of the request.
  /// - Complexity: O(*n*) in the number of properties of the model.
  public func settingFetchRequestTemplate(
    _ template: FetchRequest?, forName name: String
  ) throws(ManagedObjectModelError) -> ManagedObjectModel {
    var contents = contents
    contents.allowsReservedNames = true
    contents.fetchRequestTemplates[name] = template
    return try ManagedObjectModel(contents)
  }
}

/// Models are equal if they were created from equal descriptions. The order of entities, configurations, templates and
/// version identifiers does not matter, but that of the properties of an entity does.
extension ManagedObjectModel: Equatable {
  public static func == (first: ManagedObjectModel, second: ManagedObjectModel) -> Bool {
    first === second
      || first.records.map(\.definition) == second.records.map(\.definition)
        && first.configurationMembers == second.configurationMembers
        && first.fetchRequestTemplates.count == second.fetchRequestTemplates.count
        && first.fetchRequestTemplates.allSatisfy { second.fetchRequestTemplates[$0] == $1 }
        && Set(first.versionIdentifiers) == Set(second.versionIdentifiers)
  }
}

extension ManagedObjectModel {
  /// Returns a model that combines several models. Entities and templates that are equal in two models are included
  /// once.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel.merging([notes, contacts])
  /// ```
  ///
  /// - Throws: ``ManagedObjectModelError/conflicts(_:)`` with all entities, templates and value transformers that
  ///   differ between two models, ``ManagedObjectModelError/invalid(_:)`` if the combined model is not valid.
  public static func merging(
    _ models: some Sequence<ManagedObjectModel>
  ) throws(ManagedObjectModelError) -> ManagedObjectModel {
    var entities: OrderedDictionary<String, EntityDescription> = [:]
    var merged = Contents(entities: [])
    var conflicts: OrderedSet<ManagedObjectModelError.Conflict> = []
    for model in models {
      merged.classes.merge(model.contents.classes) { first, _ in first }
      for name in merged.transformers.merge(model.transformers) { conflicts.append(.attributeTransformer(name)) }
      for entity in model.entityDescriptions {
        if let known = entities[entity.name], !known.isSame(as: entity) { conflicts.append(.entity(entity.name)) }
        if entities[entity.name] == nil { entities[entity.name] = entity }
      }
      for (name, members) in model.configurations {
        merged.configurations[name] = Array(OrderedSet(merged.configurations[name] ?? []).union(members))
      }
      for (name, request) in model.fetchRequestTemplates {
        if let known = merged.fetchRequestTemplates[name], known != request {
          conflicts.append(.fetchRequestTemplate(name))
        }
        if merged.fetchRequestTemplates[name] == nil { merged.fetchRequestTemplates[name] = request }
      }
      for identifier in model.versionIdentifiers where !merged.versionIdentifiers.contains(identifier) {
        merged.versionIdentifiers.append(identifier)
      }
    }
    if !conflicts.isEmpty { throw .conflicts(Array(conflicts)) }
    merged.entities = Array(entities.values)
    merged.allowsReservedNames = true
    return try ManagedObjectModel(merged)
  }

  /// Returns a model that combines this model and another one.
  ///
  /// - Throws: The errors of ``merging(_:)-swift.type.method``.
  public func merging(_ other: ManagedObjectModel) throws(ManagedObjectModelError) -> ManagedObjectModel {
    try Self.merging([self, other])
  }
}

extension EntityDescription {
  /// Returns true if the descriptions are equal except for the order of properties and the attributes for editors.
  fileprivate func isSame(as other: EntityDescription) -> Bool { comparable == other.comparable }

  private var comparable: EntityDescription {
    var entity = self
    entity.editorAttributes = [:]
    for index in entity.properties.indices { entity.properties[index].editorAttributes = [:] }
    entity.properties.sort { $0.name.precedes($1.name) }
    return entity
  }
}
