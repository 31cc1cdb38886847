internal import FoundationEssentials
public import OrderedCollections
package import Predicates
internal import Synchronization

/// The entities of a program or a store, checked, and joined to each other.
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
/// A model never changes, so that any number of tasks can use it. To change one, change its descriptions and make
/// another.
public final class ManagedObjectModel: Sendable {
  /// The entities that the model was made of, in the order of its maker.
  public let entityDescriptions: [EntityDescription]
  /// The names of the entities of each configuration.
  public let configurations: OrderedDictionary<String, [String]>
  /// The requests that programs find by name. Their predicates can have variables.
  public let fetchRequestTemplates: OrderedDictionary<String, FetchRequest>
  /// The identifiers that the model gives its version.
  public let versionIdentifiers: [String]
  /// Attributes of a source file that only editors use, such as `lastSavedToolsVersion`.
  public let editorAttributes: OrderedDictionary<String, String>

  /// All there is to know of each entity, in the order of ``entities``.
  @usableFromInline package let records: [Entity.Record]
  /// The classes of the objects of entities that have one of their own, in the order of ``entities``.
  package let classes: [AnyClass?]
  private let indices: [String: Int]
  /// The slots of the values of properties, by name. An entity and those that inherit from it share a slot.
  package let keySlots: [String: [PredicateKey.SlotRange]]
  /// The names of the entities of each configuration.
  private let configurationMembers: [String: Set<String>]
  /// The version hashes of the entities, as soon as somebody has asked for them.
  let computedHashes = Mutex<[String: Data]?>(nil)

  /// Makes a model of descriptions.
  ///
  /// - Parameters:
  ///   - entities: the entities, in any order.
  ///   - configurations: the names of the entities of each configuration.
  ///   - fetchRequestTemplates: requests by name.
  ///   - versionIdentifiers: what the model says that it is a version of.
  /// - Throws: ``ManagedObjectModelError/invalid(_:)`` with all that does not fit.
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

  /// Makes a model of entities that a file has, which may have names that programs cannot give.
  package convenience init(compiledEntities entities: [EntityDescription]) throws(ManagedObjectModelError) {
    try self.init(Contents(entities: entities, allowsReservedNames: true))
  }

  /// The parts of a model.
  package struct Contents {
    package var entities: [EntityDescription]
    package var configurations: OrderedDictionary<String, [String]> = [:]
    package var fetchRequestTemplates: OrderedDictionary<String, FetchRequest> = [:]
    package var versionIdentifiers: [String] = []
    package var editorAttributes: OrderedDictionary<String, String> = [:]
    /// True for what a compiler has checked, which may have names that were allowed once.
    package var allowsReservedNames = false
    /// True for models from files: some of Apple's have to-one relationships with an order, where it only counts for
    /// the version hash.
    package var allowsOrderOfOne = false
    /// The classes of objects, by the names of their entities. They are no part of what makes models equal.
    package var classes: [String: AnyClass] = [:]

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
    Contents(
      entities: entityDescriptions, configurations: configurations, fetchRequestTemplates: fetchRequestTemplates,
      versionIdentifiers: versionIdentifiers, editorAttributes: editorAttributes,
      classes: Dictionary(
        zip(records, classes).compactMap { record, type in type.map { (record.definition.name, $0) } },
        uniquingKeysWith: { first, _ in first }))
  }

  /// The entities, each followed by those that inherit from it, by name without regard to case. SQLite stores number
  /// them in this order.
  public var entities: [Entity] { records.indices.map { Entity(model: self, index: $0) } }

  /// The entity at an index of ``entities``.
  @inlinable package func entity(at index: Int) -> Entity { Entity(model: self, index: index) }

  /// True if a configuration has an entity or one that inherits from it.
  ///
  /// - Parameter name: The name of the configuration; nil for all entities.
  package func hasEntity(_ entity: Entity, inConfiguration name: String?) -> Bool {
    guard let name else { return true }
    return configurationMembers[name].map { members in
      entity.selfAndDescendants.contains { members.contains($0.name) }
    } ?? false
  }

  /// The entity of a name; nil if there is none.
  ///
  /// - Complexity: O(1).
  public func entity(named name: String) -> Entity? { indices[name].map { Entity(model: self, index: $0) } }

  /// The entity of a name; nil if there is none.
  ///
  /// - Complexity: O(1).
  public subscript(name: String) -> Entity? { entity(named: name) }

  /// The entities of a configuration; all for nil, and nil for a name that no configuration has.
  public func entities(ofConfiguration name: String?) -> [Entity]? {
    guard let name else { return entities }
    guard let names = configurations[name] else { return nil }
    let members = Set(names)
    return entities.filter { members.contains($0.name) }
  }
}

/// Models are equal when they are made of the same descriptions, in any order.
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
  /// One model of several. What two models have alike is there once.
  ///
  /// - Throws: ``ManagedObjectModelError/conflicts(_:)`` with all entities and templates that two models have
  ///   different, ``ManagedObjectModelError/invalid(_:)`` if the parts do not fit.
  public static func merging(
    _ models: some Sequence<ManagedObjectModel>
  ) throws(ManagedObjectModelError) -> ManagedObjectModel {
    var entities: OrderedDictionary<String, EntityDescription> = [:]
    var merged = Contents(entities: [])
    var conflicts: OrderedSet<ManagedObjectModelError.Conflict> = []
    for model in models {
      merged.classes.merge(model.contents.classes) { first, _ in first }
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

  /// One model of this and another.
  ///
  /// - Throws: as ``merging(_:)-swift.type.method``.
  public func merging(_ other: ManagedObjectModel) throws(ManagedObjectModelError) -> ManagedObjectModel {
    try Self.merging([self, other])
  }
}

extension EntityDescription {
  /// Returns true if nothing but the order of the properties, and what only editors use, is different.
  fileprivate func isSame(as other: EntityDescription) -> Bool { comparable == other.comparable }

  private var comparable: EntityDescription {
    var entity = self
    entity.editorAttributes = [:]
    for index in entity.properties.indices { entity.properties[index].editorAttributes = [:] }
    entity.properties.sort { $0.name.precedes($1.name) }
    return entity
  }
}
