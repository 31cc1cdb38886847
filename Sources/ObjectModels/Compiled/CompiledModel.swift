public import FoundationEssentials
internal import KeyedArchiving
internal import OrderedCollections
internal import Predicates
internal import PropertyLists
internal import SystemFiles

/// Functions that read and write compiled models: the output of `momc` for an `.xcdatamodel`, and the model that an
/// SQLite store contains. Both are keyed archives.
extension ManagedObjectModel {
  /// Reads a compiled model.
  ///
  /// The data can come from an untrusted source: only the classes of models, predicates and Foundation are
  /// instantiated. Default values of other classes are kept as the bytes of an archive.
  ///
  /// - Parameter data: The contents of a `.mom` file, or the decompressed model cache of a store.
  /// - Throws: ``ManagedObjectModelError/archive(_:)``, ``ManagedObjectModelError/invalid(_:)``.
  /// - Complexity: O(*n*) in the size of the archive.
  public convenience init(compiled data: Data) throws(ManagedObjectModelError) {
    try self.init(Self.contents(ofCompiled: data))
  }

  static func contents(ofCompiled data: Data) throws(ManagedObjectModelError) -> Contents {
    do {
      let coder = try KeyedUnarchiver(forReadingFrom: data)
      try coder.allowOpaqueObjects(in: data, except: ArchivedModel.knows)
      return try coder.decode(ArchivedModel.self, forKey: KeyedArchiver.rootObjectKey).contents
    } catch {
      throw ManagedObjectModelError(archive: error)
    }
  }

  /// Returns the compiled model, in the form of `momc`'s output.
  ///
  /// ```swift
  /// try model.compiledData().write(to: URL(filePath: "Notes.mom"), options: .atomic)
  /// ```
  ///
  /// - Parameter moduleName: The module name for classes of the current module. In source files, such class names begin
  ///   with a dot.
  /// - Throws: ``ManagedObjectModelError/archive(_:)`` if the model has fetch indexes of expressions, which have no
  ///   known compiled form.
  /// - Complexity: O(*n*) in the number of properties.
  public func compiledData(moduleName: String? = nil) throws(ManagedObjectModelError) -> Data {
    do { return try KeyedArchiver.archivedData(withRootObject: ArchivedModel(self, moduleName: moduleName)) } catch {
      throw ManagedObjectModelError(archive: error)
    }
  }
}

extension ManagedObjectModelError {
  init(archive error: any Error) {
    self = .archive(error as? KeyedArchiveError ?? KeyedArchiveError(.invalidContents, "\(error)"))
  }
}

/// Creates a ``ManagedObjectModel`` from an archived model.
extension ArchivedModel {
  private static let classes: Set<String> = [
    archivedClass.name, ArchivedEntity.archivedClass.name, ArchivedFetchIndex.archivedClass.name,
    ArchivedFetchIndexElement.archivedClass.name, ArchivedFetchRequest.archivedClass.name, "NSSortDescriptor",
    "NSKnownKeysDictionary1", "NSKnownKeysMappingStrategy1",
  ]

  /// Returns true if this library has a type for the class.
  static func knows(_ name: String) -> Bool {
    classes.contains(name) || ManagedExpression.isArchivedPart(name)
      || ArchivedProperty.types.contains { $0.archivedClass.name == name }
  }

  fileprivate var contents: ManagedObjectModel.Contents {
    var contents = ManagedObjectModel.Contents(entities: [])
    contents.allowsReservedNames = true
    contents.entities = entities.values.map(\.description).sorted { $0.name.precedes($1.name) }
    contents.configurations = configurations.mapValues { $0.map(\.name) }
    contents.fetchRequestTemplates = fetchRequestTemplates.mapValues(\.description)
    contents.versionIdentifiers = versionIdentifiers
    return contents
  }
}

extension ArchivedEntity {
  fileprivate var description: EntityDescription {
    var own = Set(properties.keys)
    var ancestor = superentity
    // Removes inherited properties, which only models in stores repeat. Stops after 256 ancestors, more than such
    // models have, because the superentities in an archive can form a cycle.
    for _ in 0..<256 {
      guard let entity = ancestor, !own.isEmpty else { break }
      own = own.filter { entity.properties[$0] == nil }
      ancestor = entity === self ? nil : entity.superentity
    }
    var description = definition
    description.superentity = superentity?.name
    // Leaves out inherited properties, which models in stores also contain, as proxies or copies.
    description.properties = properties.filter { own.contains($0.key) }.values.compactMap(\.description)
      .sorted { $0.name.precedes($1.name) }
    description.fetchIndexes = fetchIndexes.map { index in
      FetchIndexDescription(
        index.name,
        index.elements.map {
          .init($0.content, kind: .init(rawValue: $0.kind) ?? .binary, isAscending: $0.isAscending)
        },
        partialPredicate: index.partialPredicate)
    }
    return description
  }
}

/// Creates an archived model from a ``ManagedObjectModel``.
extension ArchivedModel {
  fileprivate convenience init(_ model: ManagedObjectModel, moduleName: String?) {
    self.init()
    var table: [String: ArchivedEntity] = [:]
    for entity in model.entities {
      let archived = ArchivedEntity(entity.definition, moduleName)
      archived.model = self
      archived.superentity = entity.superentity.flatMap { table[$0.name] }
      archived.superentity?.subentities[entity.name] = archived
      table[entity.name] = archived
    }
    for entity in model.entities { table[entity.name]?.add(entity.definition.properties, table) }
    for entity in model.entities { table[entity.name]?.joinInverses() }
    for entity in model.entityDescriptions { entities[entity.name] = table[entity.name] }
    configurations = model.configurations.mapValues { names in names.compactMap { table[$0] } }
    fetchRequestTemplates = model.fetchRequestTemplates.mapValues { ArchivedFetchRequest($0, of: table[$0.entityName]) }
    versionIdentifiers = model.versionIdentifiers
  }
}

extension ArchivedEntity {
  fileprivate convenience init(_ entity: EntityDescription, _ moduleName: String?) {
    self.init(entity)
    if let name = entity.className, name.hasPrefix("."), let moduleName { definition.className = moduleName + name }
    fetchIndexes = entity.fetchIndexes.map { index in
      let archived = ArchivedFetchIndex(name: index.name)
      archived.entity = self
      archived.elements = index.elements.map { ArchivedFetchIndexElement($0, of: archived) }
      archived.partialPredicate = index.partialPredicate
      return archived
    }
  }

  fileprivate func add(_ properties: [PropertyDescription], _ table: [String: ArchivedEntity]) {
    for property in properties {
      let archived: ArchivedProperty
      switch property {
      case .attribute(let attribute): archived = ArchivedAttribute.archived(attribute)
      case .relationship(let relationship):
        let joined = ArchivedRelationship(relationship)
        joined.lead(to: table[relationship.destination], inverse: nil)
        archived = joined
      case .fetched(let property):
        archived = ArchivedFetchedProperty(
          property, ArchivedFetchRequest(property.request, of: table[property.request.entityName]))
      }
      archived.entity = self
      self.properties[property.name] = archived
    }
  }

  fileprivate func joinInverses() {
    for case let relationship as ArchivedRelationship in properties.values {
      var owner = relationship.destination
      guard let name = relationship.relationship.inverse else { continue }
      // The inverse may be a property that the destination inherits.
      while let entity = owner, entity.properties[name] == nil { owner = entity.superentity }
      relationship.lead(to: relationship.destination, inverse: owner?.properties[name])
    }
  }
}
