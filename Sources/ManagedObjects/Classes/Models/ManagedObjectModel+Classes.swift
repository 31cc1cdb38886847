internal import KeyedArchiving
internal import ObjectModels
public import OrderedCollections

/// Functions that create models from classes.
extension ManagedObjectModel {
  /// Creates a model from classes.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(Note.self, Person.self)
  /// ```
  ///
  /// Each class becomes an entity. Its properties with a wrapper, ``Attribute``, ``Relationship`` or
  /// ``FetchedProperty``, become the properties of the entity. Other properties are not saved. If a superclass is in
  /// the list, too, the class becomes a subentity of the superclass's entity. If a superclass is not in the list, its
  /// properties become part of the entity. For other settings of the entity, override ``ManagedObject/describe(_:)``.
  ///
  /// - Throws: ``ManagedObjectModelError/invalid(_:)`` with all defects.
  public convenience init(_ classes: ManagedObject.Type...) throws(ManagedObjectModelError) {
    try self.init(classes: classes)
  }

  /// Creates a model from classes with further settings. See ``init(_:)``.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(
  ///   classes: [Contact.self, Settings.self], configurations: ["Cloud": ["Contact"], "Local": ["Settings"]])
  /// ```
  ///
  /// - Parameters:
  ///   - classes: the classes, in any order.
  ///   - configurations: the entity names of each configuration.
  ///   - fetchRequestTemplates: requests, by name.
  ///   - versionIdentifiers: the identifiers of the model's version.
  public convenience init(
    classes: [ManagedObject.Type], configurations: OrderedDictionary<String, [String]> = [:],
    fetchRequestTemplates: OrderedDictionary<String, FetchRequest> = [:], versionIdentifiers: [String] = []
  ) throws(ManagedObjectModelError) {
    let model = ClassModel(classes)
    var contents = Contents(
      entities: model.entities, configurations: configurations, fetchRequestTemplates: fetchRequestTemplates,
      versionIdentifiers: versionIdentifiers)
    contents.classes = model.classesByEntity
    contents.transformers = model.transformers
    // Defects of the classes are reported together with those of the entities.
    var defects = model.defects
    do {
      if defects.isEmpty {
        try self.init(contents)
        return
      }
      _ = try ManagedObjectModel(contents)
    } catch .invalid(let others) {
      defects += others.filter { !defects.contains($0) }
    }
    throw .invalid(defects)
  }

  /// Returns the entity of a class; nil if the model does not have the class.
  ///
  /// ```swift
  /// print(model.entity(of: Contact.self)?.attributes.map(\.name) ?? [])   // ["city", "name"]
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of entities.
  public func entity(of type: ManagedObject.Type) -> Entity? {
    if let entity = self[type.entityName], classes[entity.index] == type { return entity }
    return classes.firstIndex { $0 == type }.map { Entity(model: self, index: $0) }
  }

  /// Returns the model with classes assigned to its entities.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(contentsOf: url).joined(with: [Note.self, Person.self])
  /// ```
  ///
  /// A class is assigned to the entities that name it as their ``EntityDescription/className``, with or without its
  /// module. If no entity names the class, the class is assigned to the entity with the name
  /// ``ManagedObject/entityName``. Objects of other entities have the class of the nearest superentity that has one, or
  /// ``ManagedObject``. Properties of the model without a wrapper in the class can be accessed by key.
  ///
  /// - Throws: ``ManagedObjectModelError/invalid(_:)`` with all mismatches between the classes and the model.
  public func joined(with classes: [ManagedObject.Type]) throws(ManagedObjectModelError) -> ManagedObjectModel {
    let joining = ClassJoining(self, classes)
    guard joining.defects.isEmpty else { throw .invalid(joining.defects) }
    var contents = contents
    contents.allowsReservedNames = true
    contents.classes = joining.classesByEntity
    contents.transformers = joining.transformers
    return try ManagedObjectModel(contents)
  }
}

/// The assignment of classes to the entities of a model, and the mismatches between them.
private struct ClassJoining {
  typealias Defect = ManagedObjectModelError.Defect

  private let model: ManagedObjectModel
  /// The class assigned to each entity, by the entity's index; nil if the entity has none.
  private var classes: [ManagedObject.Type?]
  /// The classes that were passed to the initializer.
  private var joined: Set<ObjectIdentifier> = []
  private(set) var defects: [Defect] = []
  /// The value transformers of the model and of the properties.
  private(set) var transformers: AttributeTransformers

  init(_ model: ManagedObjectModel, _ classes: [ManagedObject.Type]) {
    self.model = model
    transformers = model.transformers
    self.classes = Array(repeating: nil, count: model.records.count)
    var byClassName: [String: [Int]] = [:]
    for (index, record) in model.records.enumerated() {
      if let name = record.definition.className { byClassName[name, default: []].append(index) }
    }
    for type in classes where joined.insert(ObjectIdentifier(type)).inserted { assign(type, byClassName) }
    for index in self.classes.indices {
      guard let type = self.classes[index] else { continue }
      let superclass = classAbove(index)
      if let superclass { checkSuperclass(type, index, superclass) }
      check(type, ManagedObjectModel.Entity(model: model, index: index), superclass)
    }
  }

  var classesByEntity: [String: ManagedObject.Type] {
    var byEntity: [String: ManagedObject.Type] = [:]
    for (index, type) in classes.enumerated() { byEntity[model.records[index].definition.name] = type }
    return byEntity
  }

  private mutating func assign(_ type: ManagedObject.Type, _ byClassName: [String: [Int]]) {
    let name = ArchivedClass(type).name
    let bare = name.split(separator: ".").last.map(String.init) ?? name
    // The name ".Note" means the class `Note` of the module that the model is compiled for.
    var indices = [name, bare, "." + bare].flatMap { byClassName[$0] ?? [] }
    if indices.isEmpty, let entity = model[type.entityName] { indices = [entity.index] }
    if indices.isEmpty {
      defects.append(
        Defect(
          .unknownEntity, entity: type.entityName,
          "the model has no entity with this name or with the class \(name.quoted)"))
    }
    for index in indices {
      if let other = classes[index] {
        defects.append(
          Defect(
            .duplicateName, entity: model.records[index].definition.name,
            "the entity has two classes: \(ArchivedClass(other).name) and \(name)"))
      }
      classes[index] = type
    }
  }

  /// Returns the class of the nearest superentity with a class; nil if no superentity has a class.
  private func classAbove(_ index: Int) -> ManagedObject.Type? {
    var next = model.records[index].superentity
    while let entity = next {
      if let superclass = classes[entity] { return superclass }
      next = model.records[entity].superentity
    }
    return nil
  }

  /// Checks that a class inherits from the class of the superentity, because relationships to the superentity can
  /// return objects of the class.
  private mutating func checkSuperclass(_ type: ManagedObject.Type, _ index: Int, _ superclass: ManagedObject.Type) {
    if type.isKind(of: superclass) { return }
    fail(index, nil, "the class \(type) does not inherit from \(superclass), the class of its superentity")
  }

  private mutating func fail(_ entity: Int, _ property: String?, _ message: String) {
    defects.append(Defect(.classMismatch, entity: model.records[entity].definition.name, property: property, message))
  }

  private mutating func check(
    _ type: ManagedObject.Type, _ entity: ManagedObjectModel.Entity, _ superclass: ManagedObject.Type?
  ) {
    let properties = ClassProperties(of: type)
    defects += properties.defects.map { Defect($0.kind, entity: entity.name, property: $0.property, $0.message) }
    // Properties that the class inherits from the superentity's class are checked with that class.
    for level in properties.levels where superclass?.isKind(of: level.type) != true {
      for (name, property) in level.properties {
        defects += property.defects.map { Defect($0.kind, entity: entity.name, property: name, $0.message) }
        check(property, name, entity)
      }
    }
  }

  private mutating func check(_ property: ClassProperty, _ name: String, _ entity: ManagedObjectModel.Entity) {
    switch (property.description, entity.record.propertyIndices[name]) {
    case (_, nil): fail(entity.index, name, "the model has no such property")
    case (.attribute(let own), .attribute(let index)?):
      check(own, property, entity.record.attributes[index].definition, entity.index)
    case (.relationship(let own), .relationship(let index)?):
      check(own, property, entity.record.relationships[index], entity.index)
    case (.fetched, .fetched(let index)?):
      check(property.destination, entity.record.fetchedProperties[index].request.entityName, name, entity.index)
    case (let own, let other?):
      fail(entity.index, name, "it is \(own.kindName) in the class, and \(other.kindName) in the model")
    }
  }

  private mutating func check(
    _ own: AttributeDescription, _ property: ClassProperty, _ attribute: AttributeDescription, _ entity: Int
  ) {
    let name = attribute.traits.name
    if property.transformer != nil || attribute.customTransformerName != nil {
      if let difference = difference(own, property, attribute) {
        fail(entity, name, difference)
        return
      }
    } else if let missing = property.missingTransformer {
      fail(entity, name, missing.message)
      return
    } else if own.type != attribute.type {
      fail(entity, name, "its type is \(own.type.name) in the class, and \(attribute.type.name) in the model")
      return
    }
    if attribute.traits.isOptional, property.hidesMissingValue {
      fail(entity, name, "it is optional in the model, but the class cannot represent a missing value")
    }
  }

  /// Adds the value transformer of a property to ``transformers``. Returns a message if the type or the transformer
  /// differs between the class and the model; nil if they agree.
  private mutating func difference(
    _ own: AttributeDescription, _ property: ClassProperty, _ attribute: AttributeDescription
  ) -> String? {
    if let transformer = property.transformer {
      guard attribute.type == .transformable else {
        return "its type is \(own.type.name) in the class, and \(attribute.type.name) in the model"
      }
      if transformer.transformerName != attribute.customTransformerName {
        return "its value transformer is \(transformer.transformerName.quoted) in the class, and "
          + "\(attribute.valueTransformerName?.quoted ?? "not set") in the model"
      }
      return transformers.add(transformer)?.message
    }
    guard let name = attribute.customTransformerName else { return nil }
    guard let transformer = transformers[name] else {
      return "the value transformer \(name.quoted) is not registered with the model"
    }
    guard let type = property.valueType, transformer.valueType != type else { return nil }
    return "the value transformer \(name.quoted) has values of type \(transformer.valueType), not \(type)"
  }

  private mutating func check(
    _ own: RelationshipDescription, _ property: ClassProperty, _ relationship: ManagedObjectModel.Entity.Relationship,
    _ entity: Int
  ) {
    let name = relationship.definition.traits.name
    if own.shapeName != relationship.definition.shapeName {
      fail(entity, name, "it is \(own.shapeName) in the class, and \(relationship.definition.shapeName) in the model")
    }
    check(property.destination, model.records[relationship.destinationIndex].definition.name, name, entity)
    if let inverse = property.inverse, inverse != relationship.definition.inverse {
      let other = relationship.definition.inverse.map(\.quoted) ?? "not set"
      fail(entity, name, "its inverse is \(inverse.quoted) in the class, and \(other) in the model")
    }
  }

  /// Checks that all objects of a relationship's destination entity have the class that the property declares, or a
  /// subclass.
  private mutating func check(_ type: ManagedObject.Type?, _ destination: String, _ name: String, _ entity: Int) {
    guard let type, type != ManagedObject.self else { return }
    guard joined.contains(ObjectIdentifier(type)) else {
      fail(entity, name, "its destination class \(type) is not in the list of classes")
      return
    }
    var next = model[destination]?.index
    while let index = next {
      if let known = classes[index] {
        if known.isKind(of: type) { return }
        break
      }
      next = model.records[index].superentity
    }
    fail(entity, name, "its destination is \(type) in the class, and \(destination.quoted) in the model")
  }
}

extension ManagedObject {
  fileprivate static func isKind(of type: ManagedObject.Type) -> Bool {
    self == type || ancestors.contains { $0 == type }
  }
}

extension RelationshipDescription {
  fileprivate var shapeName: String {
    isToMany ? (isOrdered ? "an ordered to-many relationship" : "a to-many relationship") : "a to-one relationship"
  }
}

extension PropertyDescription {
  fileprivate var kindName: String {
    switch self {
    case .attribute: "an attribute"
    case .relationship: "a relationship"
    case .fetched: "a fetched property"
    }
  }
}

extension ManagedObjectModel.Entity.PropertyIndex {
  fileprivate var kindName: String {
    switch self {
    case .attribute: "an attribute"
    case .relationship: "a relationship"
    case .fetched: "a fetched property"
    }
  }
}
