internal import KeyedArchiving
internal import ObjectModels

/// The entities that are created from a list of classes.
struct ClassModel {
  typealias Defect = ManagedObjectModelError.Defect

  private let classes: [ManagedObject.Type]
  /// The entity names, by class.
  private var names: [ObjectIdentifier: String] = [:]
  private(set) var entities: [EntityDescription] = []
  private(set) var defects: [Defect] = []
  /// The value transformers of the properties.
  private(set) var transformers = AttributeTransformers()
  /// The inverses that wrappers declare. `entity` is an index in ``entities``, `property` the index of the relationship
  /// among the entity's properties, `inverse` the name of the inverse.
  private var inverses: [(entity: Int, property: Int, inverse: String)] = []

  init(_ classes: [ManagedObject.Type]) {
    self.classes = classes
    for type in classes { names[ObjectIdentifier(type)] = type.entityName }
    for type in classes { addEntity(of: type) }
    for inverse in inverses { set(inverse) }
  }

  /// The classes, by entity name.
  var classesByEntity: [String: ManagedObject.Type] {
    Dictionary(classes.map { ($0.entityName, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private mutating func addEntity(of type: ManagedObject.Type) {
    var entity = EntityDescription(type.entityName)
    entity.className = ArchivedClass(type).name
    let ancestors = type.ancestors
    let inherited = ancestors.firstIndex { names[ObjectIdentifier($0)] != nil } ?? ancestors.count
    if inherited < ancestors.count { entity.superentity = names[ObjectIdentifier(ancestors[inherited])] }
    let known = Set(ancestors[inherited...].map { ObjectIdentifier($0) })
    let properties = ClassProperties(of: type)
    defects += properties.defects.map { defect($0, entity.name) }
    for level in properties.levels where !known.contains(ObjectIdentifier(level.type)) {
      for (name, property) in level.properties { add(property, name, to: &entity) }
    }
    describe(&entity, type, ancestors)
    entities.append(entity)
  }

  private func defect(_ defect: Defect, _ entity: String, _ property: String? = nil) -> Defect {
    Defect(defect.kind, entity: entity, property: property ?? defect.property, defect.message)
  }

  private mutating func add(_ property: ClassProperty, _ name: String, to entity: inout EntityDescription) {
    defects += property.defects.map { defect($0, entity.name, name) }
    if let missing = property.missingTransformer { defects.append(defect(missing, entity.name, name)) }
    if let failure = property.transformer.flatMap({ transformers.add($0) }) {
      defects.append(defect(failure, entity.name, name))
    }
    var description = property.description
    description.traits.name = name
    let destination = property.destination.map { names[ObjectIdentifier($0)] ?? $0.entityName }
    switch description {
    case .attribute: break
    case .relationship(var relationship):
      relationship.destination = destination ?? ""
      description = .relationship(relationship)
    case .fetched(var fetched):
      fetched.request.entityName = destination ?? ""
      description = .fetched(fetched)
    }
    if let inverse = property.inverse { inverses.append((entities.count, entity.properties.count, inverse)) }
    if property.isUnique { entity.uniquenessConstraints.append([name]) }
    if property.isIndexed {
      let index = "by\(name.prefix(1).uppercased())\(name.dropFirst())Index"
      entity.fetchIndexes.append(FetchIndexDescription(index, [.init(.property(name))]))
    }
    entity.properties.append(description)
  }

  /// Calls the class's `describe(_:)`, which can change its entity. If the method of the nearest superclass with an
  /// entity makes the same changes, the class is assumed to inherit that method. The entity of this class then stays
  /// unchanged, because inherited changes apply only to the entity of the superclass.
  private func describe(
    _ entity: inout EntityDescription, _ type: ManagedObject.Type, _ ancestors: [ManagedObject.Type]
  ) {
    var changed = entity
    type.describe(&changed)
    if let superclass = ancestors.first(where: { names[ObjectIdentifier($0)] != nil }) {
      var inherited = entity
      superclass.describe(&inherited)
      if inherited == changed { return }
    }
    entity = changed
  }

  /// Sets the inverse of a relationship on both sides.
  private mutating func set(_ link: (entity: Int, property: Int, inverse: String)) {
    guard case .relationship(var relationship) = entities[link.entity].properties[link.property] else { return }
    relationship.inverse = link.inverse
    entities[link.entity].properties[link.property] = .relationship(relationship)
    // If the inverse is not found, the model reports an error.
    guard let (entity, property) = indices(of: link.inverse, relationship.destination),
      case .relationship(var inverse) = entities[entity].properties[property]
    else { return }
    let name = relationship.traits.name
    if let other = inverse.inverse, other != name || inverse.destination != entities[link.entity].name {
      defects.append(
        Defect(
          .inverseMismatch, entity: entities[link.entity].name, property: name,
          "its inverse \("\(relationship.destination).\(link.inverse)".quoted) is also the inverse of "
            + "\("\(inverse.destination).\(other)".quoted)"))
    }
    inverse.inverse = name
    entities[entity].properties[property] = .relationship(inverse)
  }

  /// Finds a property that an entity declares or inherits. Returns the index of the entity that declares it, and the
  /// index of the property in that entity; nil if there is no such property.
  private func indices(of property: String, _ entity: String) -> (entity: Int, property: Int)? {
    var name: String? = entity
    // Limited, because superentities may form a cycle, which is a defect of the model.
    for _ in entities {
      guard let found = entities.firstIndex(where: { $0.name == name }) else { return nil }
      if let index = entities[found].properties.firstIndex(where: { $0.traits.name == property }) {
        return (found, index)
      }
      name = entities[found].superentity
    }
    return nil
  }
}

extension ManagedObject {
  /// The superclasses of a class, the nearest first, without ``ManagedObject`` itself.
  static var ancestors: [ManagedObject.Type] {
    var ancestors: [ManagedObject.Type] = []
    var type: AnyClass? = _getSuperclass(self)
    while let ancestor = type as? ManagedObject.Type, ancestor != ManagedObject.self {
      ancestors.append(ancestor)
      type = _getSuperclass(ancestor)
    }
    return ancestors
  }
}

/// The properties that the wrappers of a class and its superclasses describe.
struct ClassProperties {
  struct Level {
    let type: ManagedObject.Type
    let properties: [(name: String, property: ClassProperty)]
  }

  /// The properties by class, beginning with the topmost superclass.
  let levels: [Level]
  let defects: [ManagedObjectModelError.Defect]

  init(of type: ManagedObject.Type) {
    guard let prototype = ClassPrototype(type, describes: true) else {
      levels = []
      defects = []
      return
    }
    let found = prototype.recording.properties
    levels = prototype.levels().map { level in
      Level(type: level.type, properties: level.names.compactMap { name in found[name.number].map { (name.name, $0) } })
    }
    let count = levels.reduce(0) { $0 + $1.properties.count }
    defects =
      count == found.count
      ? []
      : [
        .init(
          .classProperty,
          "\(found.count) properties have wrappers, but reflection finds the names of \(count); compile \(type) with "
            + "reflection metadata and without a customMirror")
      ]
  }
}
