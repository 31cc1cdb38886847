import Foundation
import ManagedObjects

/// A model whose entities and properties have IDs. They stay the same in another version, even if names or positions
/// change.
struct ModelSketch {
  var entities: [Entity] = []

  struct Entity {
    let id: Int
    var name: String
    var identifier: String?
    var parent: Int?
    var isAbstract = false
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
  }

  struct Attribute {
    let id: Int
    var name: String
    var identifier: String?
    var type: AttributeType
    var isOptional = true
    var defaultValue = AttributeValue.null
    var isExternal = false
  }

  struct Relationship {
    let id: Int
    var name: String
    var identifier: String?
    var target: Int
    var inverse: Int?
    var isToMany: Bool
    var isOrdered = false
  }
}

extension ModelSketch {
  func entity(_ id: Int) -> Entity? { entities.first { $0.id == id } }

  /// Returns an entity and its superentities, starting with itself.
  func ancestry(_ id: Int) -> [Entity] {
    var result: [Entity] = []
    var next: Int? = id
    while let current = next, let entity = entity(current), result.count <= entities.count {
      result.append(entity)
      next = entity.parent
    }
    return result
  }

  func root(_ id: Int) -> Int { ancestry(id).last?.id ?? id }

  /// Returns the IDs of an entity and all entities that inherit from it.
  func subtree(_ id: Int) -> [Int] { entities.map(\.id).filter { other in ancestry(other).contains { $0.id == id } } }

  func attributes(_ id: Int) -> [Attribute] { ancestry(id).flatMap(\.attributes) }

  func relationships(_ id: Int) -> [Relationship] { ancestry(id).flatMap(\.relationships) }

  /// Returns a relationship, and the entity that declares it.
  func relationship(_ id: Int) -> (owner: Entity, relationship: Relationship)? {
    for entity in entities {
      if let found = entity.relationships.first(where: { $0.id == id }) { return (entity, found) }
    }
    return nil
  }

  /// Returns the name of a property, after that of the entity that declares it.
  func name(ofProperty id: Int) -> String {
    for entity in entities {
      if let found = entity.attributes.first(where: { $0.id == id }) { return "\(entity.name).\(found.name)" }
      if let found = entity.relationships.first(where: { $0.id == id }) { return "\(entity.name).\(found.name)" }
    }
    return "?"
  }

  /// True if property names are unique in each entity, and no entity inherits from itself.
  var isSound: Bool {
    entities.allSatisfy { entity in
      if ancestry(entity.id).count > entities.count { return false }
      let names = attributes(entity.id).map(\.name) + relationships(entity.id).map(\.name)
      return Set(names).count == names.count
    }
  }

  func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: entities.map { sketch in
        var entity = EntityDescription(sketch.name)
        entity.renamingIdentifier = sketch.identifier
        entity.superentity = sketch.parent.flatMap { self.entity($0)?.name }
        entity.isAbstract = sketch.isAbstract
        entity.properties = sketch.attributes.map { sketch in
          var attribute = AttributeDescription(
            sketch.name, sketch.type, isOptional: sketch.isOptional, defaultValue: sketch.defaultValue)
          attribute.renamingIdentifier = sketch.identifier
          attribute.allowsExternalBinaryDataStorage = sketch.isExternal
          return .attribute(attribute)
        }
        entity.properties += sketch.relationships.map { sketch in
          var relationship = RelationshipDescription(
            sketch.name, to: self.entity(sketch.target)?.name ?? "?",
            inverse: sketch.inverse.flatMap { self.relationship($0)?.relationship.name }, isToMany: sketch.isToMany,
            isOrdered: sketch.isOrdered)
          relationship.renamingIdentifier = sketch.identifier
          return .relationship(relationship)
        }
        return entity
      })
  }
}

/// Creates random models and other versions of them.
struct SketchMaker {
  var numbers: RandomNumbers
  private var lastID = 0
  private(set) var sketch = ModelSketch()
  /// The changes made, in readable form.
  private(set) var log: [String] = []

  static let types: [AttributeType] = [
    .string, .integer16, .integer32, .integer64, .double, .float, .decimal, .boolean, .date, .binary, .binary, .uuid,
    .uri, .transformable,
  ]

  init(seed: Int) {
    numbers = RandomNumbers(seed)
    for index in 0..<3 + numbers.below(3) {
      addEntity(name: ["note", "Person", "Tag", "item", "Group", "Zeta"][index])
    }
    for entity in sketch.entities.indices {
      for name in ["a", "b", "value", "size"].prefix(1 + numbers.below(4)) {
        // Only attributes of other branches can have the same name.
        add(to: entity, name: name)
      }
    }
    for _ in 0..<2 + numbers.below(3) { addRelationship() }
  }

  private mutating func newID() -> Int {
    lastID += 1
    return lastID
  }

  /// Returns a name that has not been used before.
  private mutating func newName() -> String { numbers.pick(["a", "m", "Z", "x_"]) + "\(newID())" }

  private mutating func addEntity(name: String) {
    var entity = ModelSketch.Entity(id: newID(), name: name)
    if !sketch.entities.isEmpty, numbers.once(in: 2) { entity.parent = numbers.pick(sketch.entities).id }
    entity.isAbstract = numbers.once(in: 8)
    sketch.entities.append(entity)
  }

  mutating func defaultValue(_ type: AttributeType) -> AttributeValue {
    switch type {
    case .string: .string(numbers.pick(["", "none", "ä'\""]))
    case .integer16, .integer32, .integer64: .integer(Int64(numbers.below(100)) - 50)
    case .double: .double(0.5)
    case .float: .float(-2.5)
    case .decimal: .decimal(Decimal(numbers.below(1000)) / 8)
    case .boolean: .boolean(true)
    case .date: .date(Date(timeIntervalSinceReferenceDate: 1000.5))
    case .binary: .data(Data([7, 1, 2]))
    case .uuid: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F").map { .uuid($0) } ?? .null
    case .uri: URL(string: "https://example.com/a").map { .url($0) } ?? .null
    default: .null
    }
  }

  private mutating func add(to entity: Int, name: String) {
    let type = numbers.pick(Self.types)
    var attribute = ModelSketch.Attribute(id: newID(), name: name, type: type)
    attribute.isExternal = type == .binary && numbers.once(in: 2)
    if numbers.once(in: 3) { attribute.defaultValue = defaultValue(type) }
    if attribute.defaultValue != .null { attribute.isOptional = !numbers.once(in: 2) }
    attempt { $0.entities[entity].attributes.append(attribute) }
  }

  /// Applies a change if the sketch is valid afterwards.
  @discardableResult
  private mutating func attempt(_ change: (inout ModelSketch) -> Void) -> Bool {
    var next = sketch
    change(&next)
    guard next.isSound else { return false }
    sketch = next
    return true
  }

  private mutating func addRelationship() {
    let owner = numbers.below(sketch.entities.count)
    let target = numbers.below(sketch.entities.count)
    var there = ModelSketch.Relationship(
      id: newID(), name: newName(), target: sketch.entities[target].id, isToMany: numbers.once(in: 2))
    there.isOrdered = there.isToMany && numbers.once(in: 3)
    if owner == target, numbers.once(in: 3) {
      there.inverse = there.id
      attempt { $0.entities[owner].relationships.append(there) }
      return
    }
    var back = ModelSketch.Relationship(
      id: newID(), name: newName(), target: sketch.entities[owner].id, isToMany: numbers.once(in: 2))
    back.isOrdered = back.isToMany && numbers.once(in: 3)
    let hasInverse = !numbers.once(in: 4)
    if hasInverse { (there.inverse, back.inverse) = (back.id, there.id) }
    attempt {
      $0.entities[owner].relationships.append(there)
      if hasInverse { $0.entities[target].relationships.append(back) }
    }
  }
}

/// Mutations.
extension SketchMaker {
  mutating func mutate(count: Int) {
    for _ in 0..<count { mutate() }
  }

  private mutating func mutate() {
    let before = sketch
    let kind = numbers.below(20)
    let entity = numbers.below(sketch.entities.count)
    switch kind {
    case 0: add(to: entity, name: newName())
    case 1: addRequired(to: entity)
    case 2: change(entity) { maker, attributes, index in attributes.remove(at: index) }
    case 3:
      change(entity) { maker, attributes, index in
        attributes[index].identifier = attributes[index].identifier ?? attributes[index].name
        attributes[index].name = maker.newName()
      }
    case 4, 5:
      change(entity) { maker, attributes, index in
        attributes[index].isOptional.toggle()
        if attributes[index].defaultValue == .null, !maker.numbers.once(in: 4) {
          attributes[index].defaultValue = maker.defaultValue(attributes[index].type)
        }
      }
    case 6:
      change(entity) { maker, attributes, index in
        guard attributes[index].type == .binary else { return }
        attributes[index].isExternal.toggle()
      }
    case 7:
      change(entity) { maker, attributes, index in
        attributes[index].type = maker.numbers.pick(Self.types)
        attributes[index].defaultValue = .null
        attributes[index].isOptional = true
        attributes[index].isExternal = false
      }
    case 8: move(up: true, entity)
    case 9: move(up: false, entity)
    case 10: addRelationship()
    case 11: removeRelationship(entity)
    case 12:
      relate(entity) { maker, relationship in
        relationship.identifier = relationship.identifier ?? relationship.name
        relationship.name = maker.newName()
      }
    case 13, 14:
      relate(entity) { maker, relationship in
        if relationship.isToMany, !maker.numbers.once(in: 4) { return }
        relationship.isToMany.toggle()
        if !relationship.isToMany { relationship.isOrdered = false }
      }
    case 15: relate(entity) { maker, relationship in if relationship.isToMany { relationship.isOrdered.toggle() } }
    case 16: numbers.once(in: 2) ? dropInverse(entity) : addInverse(entity)
    case 17:
      if numbers.once(in: 2) {
        attempt { $0.entities[entity].identifier = $0.entities[entity].identifier ?? $0.entities[entity].name }
        let name = newName()
        attempt { $0.entities[entity].name = name }
      } else {
        addEntity(name: newName())
        add(to: sketch.entities.count - 1, name: newName())
      }
    case 18: numbers.once(in: 2) ? removeEntity(entity) : insertParent(entity)
    default: numbers.once(in: 2) ? reparent(entity) : retarget(entity)
    }
    if !sketch.isSound { sketch = before } else { log.append("\(kind) of \(before.entities[entity].name)") }
  }

  private mutating func change(_ entity: Int, _ body: (inout SketchMaker, inout [ModelSketch.Attribute], Int) -> Void) {
    var attributes = sketch.entities[entity].attributes
    guard !attributes.isEmpty else { return }
    let index = numbers.below(attributes.count)
    body(&self, &attributes, index)
    attempt { $0.entities[entity].attributes = attributes }
  }

  private mutating func addRequired(to entity: Int) {
    let type = numbers.pick(Self.types)
    var attribute = ModelSketch.Attribute(id: newID(), name: newName(), type: type)
    attribute.isOptional = false
    if !numbers.once(in: 3) { attribute.defaultValue = defaultValue(type) }
    attempt { $0.entities[entity].attributes.append(attribute) }
  }

  /// Moves an attribute to the superentity or to a subentity.
  private mutating func move(up: Bool, _ entity: Int) {
    guard !sketch.entities[entity].attributes.isEmpty else { return }
    let id = sketch.entities[entity].id
    let others = up ? [sketch.entities[entity].parent].compactMap(\.self) : sketch.subtree(id).filter { $0 != id }
    guard !others.isEmpty else { return }
    let other = numbers.pick(others)
    let attributeIndex = numbers.below(sketch.entities[entity].attributes.count)
    attempt { sketch in
      let attribute = sketch.entities[entity].attributes.remove(at: attributeIndex)
      for index in sketch.entities.indices where sketch.entities[index].id == other {
        sketch.entities[index].attributes.append(attribute)
      }
    }
  }

  private mutating func relate(_ entity: Int, _ body: (inout SketchMaker, inout ModelSketch.Relationship) -> Void) {
    guard !sketch.entities[entity].relationships.isEmpty else { return }
    let index = numbers.below(sketch.entities[entity].relationships.count)
    var relationship = sketch.entities[entity].relationships[index]
    body(&self, &relationship)
    attempt { $0.entities[entity].relationships[index] = relationship }
  }

  private mutating func removeRelationships(_ ids: Set<Int>) {
    for index in sketch.entities.indices { sketch.entities[index].relationships.removeAll { ids.contains($0.id) } }
  }

  private mutating func removeRelationship(_ entity: Int) {
    guard let relationship = sketch.entities[entity].relationships.randomElement(using: &numbers) else { return }
    removeRelationships([relationship.id, relationship.inverse ?? relationship.id])
  }

  private mutating func dropInverse(_ entity: Int) {
    guard let relationship = sketch.entities[entity].relationships.randomElement(using: &numbers),
      let inverse = relationship.inverse
    else { return }
    if inverse != relationship.id { removeRelationships([inverse]) }
    for index in sketch.entities.indices {
      for relationshipIndex in sketch.entities[index].relationships.indices
      where sketch.entities[index].relationships[relationshipIndex].id == relationship.id {
        sketch.entities[index].relationships[relationshipIndex].inverse = nil
      }
    }
  }

  private mutating func addInverse(_ entity: Int) {
    guard let relationshipIndex = sketch.entities[entity].relationships.firstIndex(where: { $0.inverse == nil }) else {
      return
    }
    let relationship = sketch.entities[entity].relationships[relationshipIndex]
    var back = ModelSketch.Relationship(
      id: newID(), name: newName(), target: sketch.entities[entity].id, inverse: relationship.id,
      isToMany: !numbers.once(in: 3))
    back.isOrdered = back.isToMany && numbers.once(in: 2)
    sketch.entities[entity].relationships[relationshipIndex].inverse = back.id
    for index in sketch.entities.indices where sketch.entities[index].id == relationship.target {
      sketch.entities[index].relationships.append(back)
    }
  }

  private mutating func removeEntity(_ entity: Int) {
    guard sketch.entities.count > 2 else { return }
    let gone = sketch.entities.remove(at: entity)
    var ids: Set<Int> = []
    for relationship in gone.relationships {
      ids.formUnion([relationship.id, relationship.inverse ?? relationship.id])
    }
    for relationship in sketch.entities.flatMap(\.relationships) where relationship.target == gone.id {
      ids.formUnion([relationship.id, relationship.inverse ?? relationship.id])
    }
    removeRelationships(ids)
    for index in sketch.entities.indices where sketch.entities[index].parent == gone.id {
      sketch.entities[index].parent = gone.parent
    }
  }

  private mutating func insertParent(_ entity: Int) {
    var parent = ModelSketch.Entity(id: newID(), name: newName(), parent: sketch.entities[entity].parent)
    parent.isAbstract = numbers.once(in: 2)
    sketch.entities[entity].parent = parent.id
    sketch.entities.append(parent)
  }

  private mutating func reparent(_ entity: Int) {
    let id = sketch.entities[entity].id
    let others = sketch.entities.map(\.id).filter { !sketch.subtree(id).contains($0) }
    let parent = numbers.once(in: 3) ? nil : others.randomElement(using: &numbers)
    attempt { $0.entities[entity].parent = parent }
  }

  /// Changes the destination of a relationship to another entity of the hierarchy.
  private mutating func retarget(_ entity: Int) {
    guard let relationship = sketch.entities[entity].relationships.randomElement(using: &numbers),
      relationship.inverse == nil, let parent = sketch.entity(relationship.target)
    else { return }
    let below = sketch.subtree(parent.id)
    let target = numbers.once(in: 2) ? parent.parent ?? parent.id : numbers.pick(below)
    for index in sketch.entities[entity].relationships.indices
    where sketch.entities[entity].relationships[index].id == relationship.id {
      sketch.entities[entity].relationships[index].target = target
    }
  }
}
