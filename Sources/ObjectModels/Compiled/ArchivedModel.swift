internal import FoundationEssentials
internal import KeyedArchiving
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

// The classes of compiled models, with the keys that Apple's compiler writes. This file has the archived form of each
// class. CompiledModel.swift converts between these classes and models.

/// A dictionary that compiled models contain as an `NSMutableDictionary`.
typealias ArchivedTable<Value: SecureCoding & Hashable> = Archived.Mutable<OrderedDictionary<String, Value>>

/// An object of a compiled model. Objects are equal only if they are identical.
class ArchivedModelObject: Hashable {
  static func == (first: ArchivedModelObject, second: ArchivedModelObject) -> Bool { first === second }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// `NSManagedObjectModel`.
final class ArchivedModel: ArchivedModelObject, ArchivedForm {
  static let archivedClass = ArchivedClass("NSManagedObjectModel")

  var entities: OrderedDictionary<String, ArchivedEntity> = [:]
  var configurations: OrderedDictionary<String, [ArchivedEntity]> = [:]
  var fetchRequestTemplates: OrderedDictionary<String, ArchivedFetchRequest> = [:]
  var versionIdentifiers: [String] = []

  override init() {}

  init(coder: KeyedUnarchiver) throws {
    super.init()
    coder.publish(self)
    entities = try coder.decode(OrderedDictionary<String, ArchivedEntity>.self, forKey: "NSEntities")
    configurations =
      try coder.decodeIfPresent(OrderedDictionary<String, Set<ArchivedEntity>>.self, forKey: "NSConfigurations")?
      .mapValues { $0.sorted { $0.name.precedes($1.name) } } ?? [:]
    fetchRequestTemplates =
      try coder.decodeIfPresent(
        OrderedDictionary<String, ArchivedFetchRequest>.self, forKey: "NSFetchRequestTemplates") ?? [:]
    let identifiers = try coder.decodeIfPresent(ArchivedValue.self, forKey: "NSVersionIdentifiers")
    guard case .set(let elements)? = identifiers else {
      if identifiers == nil { return }
      throw coder.failure(.typeMismatch, "the version identifiers are not a set")
    }
    versionIdentifiers = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(ArchivedTable(entities), forKey: "NSEntities")
    if !configurations.isEmpty {
      try coder.encode(
        ArchivedTable(configurations.mapValues { ArchivedValue.set(OrderedSet($0.map(ArchivedValue.object))) }),
        forKey: "NSConfigurations")
    }
    try coder.encode(
      fetchRequestTemplates.isEmpty ? nil : ArchivedTable(fetchRequestTemplates), forKey: "NSFetchRequestTemplates")
    try coder.encode(Set(versionIdentifiers), forKey: "NSVersionIdentifiers")
  }
}

/// `NSEntityDescription`.
final class ArchivedEntity: ArchivedModelObject, ArchivedForm {
  static let archivedClass = ArchivedClass("NSEntityDescription")

  /// The description of the entity, without its properties, its fetch indexes and its superentity, which other
  /// properties of this class contain.
  var definition: EntityDescription
  var model: ArchivedModel?
  var superentity: ArchivedEntity?
  var subentities: OrderedDictionary<String, ArchivedEntity> = [:]
  var properties: OrderedDictionary<String, ArchivedProperty> = [:]
  var fetchIndexes: [ArchivedFetchIndex] = []

  var name: String { definition.name }

  init(_ definition: EntityDescription) { self.definition = definition }

  init(coder: KeyedUnarchiver) throws {
    definition = EntityDescription(try coder.decode(String.self, forKey: "NSEntityName"))
    super.init()
    coder.publish(self)
    definition.className = try coder.decodeIfPresent(String.self, forKey: "NSClassNameForEntity")
    superentity = try coder.decodeIfPresent(ArchivedEntity.self, forKey: "NSSuperentity")
    // The table of subentities is not read, because each subentity refers to its superentity.
    properties =
      try coder.decodeIfPresent(
        OrderedDictionary<String, ArchivedProperty>.self, of: ArchivedProperty.types, forKey: "NSProperties") ?? [:]
    definition.isAbstract = try coder.decodeIfPresent(Bool.self, forKey: "NSIsAbstract") ?? false
    definition.uniquenessConstraints = try coder.decodeIfPresent([[String]].self, forKey: "NSUniqueTuples") ?? []
    definition.compoundIndexes = try coder.decodeIfPresent([[String]].self, forKey: "NSCompoundIndexes") ?? []
    fetchIndexes = try coder.decodeIfPresent([ArchivedFetchIndex].self, forKey: "NSFetchIndexDescriptions") ?? []
    definition.userInfo = PropertyList.userInfo(try coder.decodeUserInfo())
    let renaming = try coder.decodeIfPresent(String.self, forKey: "NSRenamingIdentifier")
    definition.renamingIdentifier = renaming == name ? nil : renaming
    definition.versionHashModifier = try coder.decodeIfPresent(String.self, forKey: "NSVersionHashModifier")
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(name, forKey: "NSEntityName")
    try coder.encode(definition.className, forKey: "NSClassNameForEntity")
    try coder.encode(model, forKey: "NSManagedObjectModel")
    try coder.encode(superentity, forKey: "NSSuperentity")
    try coder.encode(ArchivedTable(subentities), forKey: "NSSubentities")
    try coder.encode(ArchivedTable(properties.mapValues { ArchivedValue.object($0) }), forKey: "NSProperties")
    if definition.isAbstract { try coder.encode(true, forKey: "NSIsAbstract") }
    try coder.encode(tuples: definition.uniquenessConstraints, forKey: "NSUniqueTuples")
    try coder.encode(tuples: definition.compoundIndexes, forKey: "NSCompoundIndexes")
    if !fetchIndexes.isEmpty { try coder.encode(Archived.Mutable(fetchIndexes), forKey: "NSFetchIndexDescriptions") }
    try coder.encode(definition.userInfo.archived, forKey: "NSUserInfo")
    try coder.encode(definition.renamingIdentifier ?? name, forKey: "NSRenamingIdentifier")
    try coder.encode(definition.versionHashModifier, forKey: "NSVersionHashModifier")
  }
}

/// `NSFetchIndexDescription`.
final class ArchivedFetchIndex: ArchivedModelObject, ArchivedForm {
  static let archivedClass = ArchivedClass("NSFetchIndexDescription")

  let name: String
  var entity: ArchivedEntity?
  var elements: [ArchivedFetchIndexElement] = []
  var partialPredicate: ManagedPredicate?

  init(name: String) { self.name = name }

  init(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "NSIndexName")
    super.init()
    coder.publish(self)
    elements = try coder.decodeIfPresent([ArchivedFetchIndexElement].self, forKey: "NSIndexElements") ?? []
    partialPredicate = try coder.decodePredicateIfPresent(forKey: "NSPartialIndexPredicate")
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(name, forKey: "NSIndexName")
    try coder.encode(entity, forKey: "NSEntity")
    try coder.encode(elements, forKey: "NSIndexElements")
    try coder.encode(partialPredicate, forKey: "NSPartialIndexPredicate")
  }
}

/// `NSFetchIndexElementDescription`.
final class ArchivedFetchIndexElement: ArchivedModelObject, ArchivedForm {
  static let archivedClass = ArchivedClass("NSFetchIndexElementDescription")

  let content: FetchIndexDescription.Element.Content
  let kind: Int
  let isAscending: Bool
  var index: ArchivedFetchIndex?

  init(_ element: FetchIndexDescription.Element, of index: ArchivedFetchIndex) {
    content = element.content
    kind = element.kind.rawValue
    isAscending = element.isAscending
    self.index = index
  }

  init(coder: KeyedUnarchiver) throws {
    content = .property(try coder.decode(String.self, forKey: "NSPropertyName"))
    kind = try coder.decodeIfPresent(Int.self, forKey: "NSFetchIndexElementType") ?? 0
    isAscending = try coder.decodeIfPresent(Bool.self, forKey: "NSAscending") ?? true
  }

  func encode(with coder: KeyedArchiver) throws {
    switch content {
    case .property(let name): try coder.encode(name, forKey: "NSPropertyName")
    case .expression:
      throw KeyedArchiveError(.invalidValue, "fetch indexes of expressions have no known form in compiled models")
    }
    try coder.encode(kind, forKey: "NSFetchIndexElementType")
    try coder.encode(isAscending, forKey: "NSAscending")
    try coder.encode(index, forKey: "NSFetchIndexDescription")
  }
}

extension KeyedUnarchiver {
  /// Returns the user info of the object that is being decoded, or an empty dictionary.
  func decodeUserInfo() throws -> OrderedDictionary<String, ArchivedValue> {
    try decodeIfPresent(OrderedDictionary<String, ArchivedValue>.self, forKey: "NSUserInfo") ?? [:]
  }
}

extension KeyedArchiver {
  fileprivate func encode(tuples: [[String]], forKey key: String) throws {
    if tuples.isEmpty { return }
    try encode(Archived.Mutable(tuples.map(Archived.Mutable.init)), forKey: key)
  }
}
