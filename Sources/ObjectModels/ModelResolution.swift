internal import PropertyLists

/// Validates the descriptions of a model, and links them to each other.
struct ModelResolution {
  private typealias Entity = ManagedObjectModel.Entity

  private let contents: ManagedObjectModel.Contents
  /// The indices of the entities in ``contents``, in the order of the created model.
  private var order: [Int] = []
  private var superentities: [Int?] = []
  private var subentities: [[Int]] = []
  private var ends: [Int] = []
  private var indices: [String: Int] = [:]
  private var defects: [ManagedObjectModelError.Defect] = []

  static func resolve(
    _ contents: ManagedObjectModel.Contents
  ) throws(ManagedObjectModelError) -> (records: [ManagedObjectModel.Entity.Record], indices: [String: Int]) {
    var resolution = ModelResolution(contents)
    resolution.checkNames()
    resolution.arrange()
    guard resolution.defects.isEmpty else { throw .invalid(resolution.defects) }
    let records = resolution.join()
    if records.count == resolution.order.count { resolution.checkParts(records) }
    guard resolution.defects.isEmpty else { throw .invalid(resolution.defects) }
    return (records, resolution.indices)
  }

  private init(_ contents: ManagedObjectModel.Contents) { self.contents = contents }

  private mutating func fail(
    _ kind: ManagedObjectModelError.Defect.Kind, entity: String? = nil, property: String? = nil, _ message: String
  ) {
    defects.append(ManagedObjectModelError.Defect(kind, entity: entity, property: property, message))
  }

  private func description(_ index: Int) -> EntityDescription { contents.entities[order[index]] }

  /// The methods of `NSObject` and `NSManagedObject` without arguments. They are not allowed as property names
  /// (`NSPropertyDescription`, `name`), because reading the value would call them.
  static let reservedNames: Set<String> = [
    "autorelease", "changedValues", "changedValuesForCurrentEvent", "class", "className", "classForCoder", "copy",
    "dealloc", "debugDescription", "deleted", "description", "entity", "fault", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "hash", "init", "inserted", "isDeleted", "isFault", "isInserted", "isProxy",
    "isUpdated", "managedObjectContext", "mutableCopy", "objectID", "observationInfo", "release", "retain",
    "retainCount", "self", "superclass", "updated", "zone",
  ]

  private mutating func checkNames() {
    var names: Set<String> = []
    for entity in contents.entities {
      if entity.name.isEmpty { fail(.forbiddenName, "an entity has no name") }
      if !names.insert(entity.name).inserted {
        fail(.duplicateName, entity: entity.name, "two entities have this name")
      }
      var properties: Set<String> = []
      for property in entity.properties {
        if !properties.insert(property.name).inserted {
          fail(.duplicateName, entity: entity.name, property: property.name, "two properties have this name")
        }
        if let message = defectOfName(property.name) {
          fail(.forbiddenName, entity: entity.name, property: property.name, message)
        }
      }
    }
  }

  private func defectOfName(_ name: String) -> String? {
    if name.isEmpty { return "a property has no name" }
    if name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 <= 0x20 || $0 == 0x7F }) || name.hasPrefix("@") {
      return "\(name.quoted) cannot be used in a key path"
    }
    if !contents.allowsReservedNames, Self.reservedNames.contains(name) {
      return "\(name.quoted) is a method of every object; use another name"
    }
    return nil
  }

  /// Sorts the entities so that each comes before those that inherit from it.
  private mutating func arrange() {
    guard defects.isEmpty else { return }
    var children: [String: [Int]] = [:]
    var roots: [Int] = []
    let names = Set(contents.entities.map(\.name))
    for (entityIndex, entity) in contents.entities.enumerated() {
      guard let superentity = entity.superentity else {
        roots.append(entityIndex)
        continue
      }
      if !names.contains(superentity) {
        fail(.unknownSuperentity, entity: entity.name, "its superentity \(superentity.quoted) is not in the model")
      }
      children[superentity, default: []].append(entityIndex)
    }
    // Visits roots and their descendants without recursion: a model from a file can have a thousand levels of
    // inheritance.
    var open: [(entityIndex: Int, superentity: Int?)] = sorted(roots).reversed().map { ($0, nil) }
    while let (entityIndex, superentity) = open.popLast() {
      let index = order.count
      let entity = contents.entities[entityIndex]
      order.append(entityIndex)
      superentities.append(superentity)
      subentities.append([])
      indices[entity.name] = index
      if let superentity { subentities[superentity].append(index) }
      open += sorted(children[entity.name] ?? []).reversed().map { ($0, index) }
    }
    if order.count < contents.entities.count, defects.isEmpty { failForCycles() }
    ends = Array(1..<order.count + 1)
    for index in order.indices.reversed() {
      if let superentity = superentities[index] { ends[superentity] = max(ends[superentity], ends[index]) }
    }
  }

  private func sorted(_ entityIndices: [Int]) -> [Int] {
    entityIndices.map { ($0, contents.entities[$0].name, contents.entities[$0].name.lowercased()) }
      .sorted { $0.2 == $1.2 ? $0.1.precedes($1.1) : $0.2.precedes($1.2) }.map(\.0)
  }

  private mutating func failForCycles() {
    let reached = Set(order)
    var superentity: [String: String] = [:]
    for (entityIndex, entity) in contents.entities.enumerated() where !reached.contains(entityIndex) {
      superentity[entity.name] = entity.superentity
    }
    var known: Set<String> = []
    for start in superentity.keys.sorted(by: { $0.precedes($1) }) where !known.contains(start) {
      var way: [String] = []
      var name = start
      while known.insert(name).inserted {
        way.append(name)
        guard let next = superentity[name] else { break }
        name = next
      }
      guard let first = way.firstIndex(of: name) else { continue }
      let circle = (way[first...] + [name]).map { $0.printable(limit: 100) }
      let shown = circle.count > 12 ? circle.prefix(6) + ["…"] + circle.suffix(5) : circle[...]
      fail(.inheritanceCycle, entity: name, "it inherits from itself: " + shown.joined(separator: " < "))
    }
  }

  /// The maximum number of properties of all entities together, including inherited ones. Without it, a small file
  /// could need much memory: in a long chain of entities, each inherits the properties of all entities before it.
  private static let greatestPropertyCount = 250_000

  private mutating func join() -> [ManagedObjectModel.Entity.Record] {
    var records: [ManagedObjectModel.Entity.Record] = []
    records.reserveCapacity(order.count)
    var propertyCount = 0
    for index in order.indices {
      propertyCount +=
        (superentities[index].map { records[$0].propertyIndices.count } ?? 0) + description(index).properties.count
      if propertyCount > Self.greatestPropertyCount {
        fail(
          .tooLarge, entity: description(index).name,
          "the model has more than \(Self.greatestPropertyCount) properties, including inherited ones")
        return records
      }
      let entity = description(index)
      let inherited = superentities[index].map { records[$0] }
      var attributes = inherited?.attributes ?? []
      var relationships = inherited?.relationships ?? []
      var fetched = inherited?.fetchedProperties ?? []
      var slot = inherited?.slotCount ?? 0
      for property in entity.properties.sorted(by: { $0.name.precedes($1.name) }) {
        if inherited?.propertyIndices[property.name] != nil {
          fail(
            .inheritedProperty, entity: entity.name, property: property.name,
            "the entity already inherits this property")
          continue
        }
        switch property {
        case .attribute(let attribute):
          attributes.append(join(attribute, of: entity, slot))
          slot += 1
        case .relationship(let relationship):
          guard let destination = indices[relationship.destination] else {
            fail(
              .unknownDestination, entity: entity.name, property: relationship.name,
              relationship.destination.isEmpty
                ? "the relationship has no destination"
                : "its destination \(relationship.destination.quoted) is not in the model")
            continue
          }
          check(counts: relationship, of: entity)
          relationships.append(Entity.Relationship(definition: relationship, slot: slot, destinationIndex: destination))
          slot += 1
        case .fetched(let property):
          check(property.request, entity: entity.name, property: property.name)
          fetched.append(property)
        }
      }
      records.append(
        Entity.Record(
          definition: entity, superentity: superentities[index], subentities: subentities[index],
          endOfSubentities: ends[index], attributes: attributes, relationships: relationships,
          fetchedProperties: fetched))
    }
    return records
  }

  private mutating func join(
    _ attribute: AttributeDescription, of entity: EntityDescription, _ slot: Int
  ) -> ManagedObjectModel.Entity.Attribute {
    let value = attribute.type.normalized(attribute.defaultValue)
    if value == nil {
      fail(
        .defaultValue, entity: entity.name, property: attribute.name,
        "expected a default value of type \(attribute.type.name), found \(attribute.defaultValue.kindName)")
    }
    check(attribute, entity, attribute.name, depth: 0)
    return Entity.Attribute(definition: attribute, slot: slot, initialValue: value ?? .null)
  }

  private mutating func check(
    _ attribute: AttributeDescription, _ entity: EntityDescription, _ path: String, depth: Int
  ) {
    func failForType(_ message: String) { fail(.attributeType, entity: entity.name, property: path, message) }
    if attribute.type != .composite, !attribute.elements.isEmpty {
      failForType("only composite attributes can have elements")
    }
    if attribute.type != .binary, attribute.allowsExternalBinaryDataStorage, !contents.allowsReservedNames {
      failForType("only binary data can be stored in external files")
    }
    var names: Set<String> = []
    for element in attribute.elements where depth < 16 {
      if !names.insert(element.name).inserted {
        fail(.duplicateName, entity: entity.name, property: "\(path).\(element.name)", "two elements have this name")
      }
      check(element, entity, "\(path).\(element.name)", depth: depth + 1)
    }
    if depth >= 16 { failForType("composite attributes are nested more than 16 deep") }
  }

  private mutating func check(counts relationship: RelationshipDescription, of entity: EntityDescription) {
    // Allows −1, which some programs use for no limit.
    let (fewest, most) = (relationship.minimumCount, relationship.maximumCount)
    let range = -1...Int(Int32.max)
    if !range.contains(fewest) || !range.contains(most) || (most > 0 && fewest > most) {
      fail(
        .impossibleCount, entity: entity.name, property: relationship.name,
        "the minimum count \(fewest) and the maximum count \(most) are not a valid range")
    }
    if relationship.isOrdered, !relationship.isToMany, !contents.allowsOrderOfOne, !contents.allowsReservedNames {
      fail(
        .impossibleCount, entity: entity.name, property: relationship.name,
        "a to-one relationship cannot be ordered")
    }
  }

  private mutating func check(_ request: FetchRequest, entity: String? = nil, property: String? = nil) {
    if indices[request.entityName] == nil {
      fail(
        .unknownName, entity: entity, property: property,
        "the entity of the request, \(request.entityName.quoted), is not in the model")
    }
    if request.fetchLimit < 0 || request.fetchOffset < 0 || request.fetchBatchSize < 0 {
      fail(
        .impossibleCount, entity: entity, property: property,
        "the limit, offset or batch size of the request is negative")
    }
  }

  /// Checks the parts that refer to properties and entities by name.
  private mutating func checkParts(_ records: [ManagedObjectModel.Entity.Record]) {
    for (index, record) in records.enumerated() {
      let inherited = superentities[index].map { records[$0].relationships.count } ?? 0
      for relationship in record.relationships.dropFirst(inherited) { check(inverse: relationship, of: index, records) }
      check(namesOf: record)
    }
    for (name, entities) in contents.configurations {
      for entity in entities where indices[entity] == nil {
        fail(.unknownName, "the entity \(entity.quoted) of the configuration \(name.quoted) is not in the model")
      }
    }
    for (name, request) in contents.fetchRequestTemplates {
      let before = defects.count
      check(request)
      for index in before..<defects.count {
        defects[index].message = "fetch-request template \(name.quoted): " + defects[index].message
      }
    }
  }

  private mutating func check(
    inverse relationship: ManagedObjectModel.Entity.Relationship, of index: Int,
    _ records: [ManagedObjectModel.Entity.Record]
  ) {
    guard let name = relationship.definition.inverse else { return }
    let entity = records[index].definition.name
    let destination = records[relationship.destinationIndex]
    guard case .relationship(let inverseIndex)? = destination.propertyIndices[name] else {
      // The destination has such a relationship, but it is invalid. Its own defect has already been reported.
      if destination.definition.relationships.contains(where: { $0.name == name }) { return }
      fail(
        .unknownInverse, entity: entity, property: relationship.definition.name,
        "its destination \(destination.definition.name.quoted) has no relationship \(name.quoted)")
      return
    }
    let inverse = destination.relationships[inverseIndex]
    let isRelated = { (a: Int, b: Int) in
      (a >= b && a < records[b].endOfSubentities) || (b >= a && b < records[a].endOfSubentities)
    }
    guard inverse.definition.inverse == relationship.definition.name, isRelated(inverse.destinationIndex, index) else {
      let back = inverse.definition.inverse.map { "\(inverse.definition.destination).\($0)" }
      fail(
        .inverseMismatch, entity: entity, property: relationship.definition.name,
        "the inverse of its inverse \("\(destination.definition.name).\(name)".quoted) is "
          + (back?.quoted ?? "not set"))
      return
    }
  }

  private mutating func check(namesOf record: ManagedObjectModel.Entity.Record) {
    let entity = record.definition
    func failUnknown(_ name: String, _ part: String) {
      fail(.unknownName, entity: entity.name, "\(part) refers to \(name.quoted), which is not a property of the entity")
    }
    for constraint in entity.uniquenessConstraints {
      if constraint.isEmpty { fail(.unknownName, entity: entity.name, "a uniqueness constraint has no properties") }
      for name in constraint {
        switch record.propertyIndices[name] {
        case .attribute: continue
        case .relationship(let index) where !record.relationships[index].isToMany: continue
        default:
          fail(
            .unknownName, entity: entity.name,
            "a uniqueness constraint refers to \(name.quoted), which is not an attribute or a to-one relationship")
        }
      }
    }
    for names in entity.compoundIndexes {
      for name in names where record.propertyIndices[name] == nil { failUnknown(name, "a compound index") }
    }
    var indexNames: Set<String> = []
    for index in entity.fetchIndexes {
      if !indexNames.insert(index.name).inserted {
        fail(.duplicateName, entity: entity.name, "two fetch indexes have the name \(index.name.quoted)")
      }
      for element in index.elements {
        guard case .property(let name) = element.content, record.propertyIndices[name] == nil else { continue }
        failUnknown(name, "the fetch index \(index.name.quoted)")
      }
    }
  }
}
