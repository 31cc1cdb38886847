internal import Predicates
internal import PropertyLists

/// Functions that write the relationships and fetched properties of a class.
extension SwiftClass {
  mutating func add(_ relationship: RelationshipDescription) {
    let name = relationship.name
    if isMissing(name, "a relationship") { return }
    guard let destination = entity.model[relationship.destination] else { return }
    if let reason = reasonAgainst(name) {
      addComment(on: name, "a relationship; \(reason). Use value(forKey: \(code.literal(name))).")
      addNote("the relationship has no property: \(reason); use value(forKey: \(code.literal(name)))", name)
      add(
        statement: "entity.properties.append(.relationship(\(code.literal(name)), "
          + "to: \(code.literal(relationship.destination))\(relationship.isToMany ? ", isToMany: true" : "")))")
      var made = RelationshipDescription(name, to: relationship.destination, isToMany: relationship.isToMany)
      made.isOrdered = relationship.isOrdered && !relationship.isToMany
      set(relationship, from: made)
      return
    }
    var made = RelationshipDescription(
      name, to: relationship.destination, isToMany: relationship.isToMany, isOrdered: relationship.isOrdered)
    var arguments: [String] = []
    let type = code.names.classOf(destination)
    if inverses.isNamed(name, entity), let inverse = relationship.inverse {
      arguments.append("inverse: \\\(type).\(SwiftNames.escaped(inverse))")
      made.inverse = inverse
    }
    if inverses.isImplied(name, entity) { made.inverse = relationship.inverse }
    if relationship.deleteRule != .nullify { arguments.append("deleteRule: .\(relationship.deleteRule)") }
    made.deleteRule = relationship.deleteRule
    if !relationship.isOptional { arguments.append("isOptional: false") }
    made.isOptional = relationship.isOptional
    if relationship.minimumCount != 0 { arguments.append("minimumCount: \(relationship.minimumCount)") }
    made.minimumCount = relationship.minimumCount
    if relationship.isToMany, relationship.maximumCount != 0 {
      arguments.append("maximumCount: \(relationship.maximumCount)")
    }
    made.maximumCount = relationship.maximumCount
    if relationship.isTransient { arguments.append("isTransient: true") }
    made.isTransient = relationship.isTransient
    if let identifier = relationship.renamingIdentifier { arguments.append("renamedFrom: \(code.literal(identifier))") }
    made.renamingIdentifier = relationship.renamingIdentifier
    if let modifier = relationship.versionHashModifier { arguments.append("hashModifier: \(code.literal(modifier))") }
    made.versionHashModifier = relationship.versionHashModifier
    if !relationship.userInfo.isEmpty { arguments.append("userInfo: \(code.literal(relationship.userInfo))") }
    made.userInfo = relationship.userInfo
    let valueType =
      relationship.isToMany
      ? (relationship.isOrdered ? "[\(type)]" : "\(code.names.type("Set"))<\(type)>") : "\(type)?"
    add(wrapper: "Relationship", arguments, "var \(SwiftNames.escaped(name)): \(valueType)")
    set(relationship, from: made)
  }

  mutating func add(_ property: FetchedPropertyDescription) {
    let name = property.name
    if isMissing(name, "a fetched property") { return }
    guard let destination = entity.model[property.request.entityName] else { return }
    let target = "entity[fetchedProperty: \(code.literal(name))]?"
    var made = FetchedPropertyDescription(name, FetchRequest(property.request.entityName))
    if let reason = reasonAgainst(name) {
      addComment(on: name, "a fetched property; \(reason). Use fetchedObjects(named: \(code.literal(name))).")
      addNote(
        "the fetched property has no property: \(reason); use fetchedObjects(named: \(code.literal(name)))", name)
      let types = (code.names.type("FetchedPropertyDescription"), code.names.type("FetchRequest"))
      let request = "\(types.1)(\(code.literal(property.request.entityName)))"
      add(statement: "entity.properties.append(.fetched(\(types.0)(\(code.literal(name)), \(request))))")
      set(target, property, from: made, name)
      return
    }
    var arguments: [String] = []
    if let predicate = property.request.predicate, let text = code.text(predicate) {
      arguments.append(text)
      made.request.predicate = predicate
    } else {
      // The wrapper needs a predicate.
      arguments.append("\"TRUEPREDICATE\"")
      made.request.predicate = .constant(true)
    }
    if !property.request.sortDescriptors.isEmpty {
      arguments.append("sortedBy: \(SwiftSettings.literal(property.request.sortDescriptors, code))")
      made.request.sortDescriptors = SwiftSettings.plain(property.request.sortDescriptors)
    }
    if property.request.fetchLimit != 0 { arguments.append("limit: \(property.request.fetchLimit)") }
    made.request.fetchLimit = property.request.fetchLimit
    add(
      wrapper: "FetchedProperty", arguments,
      "var \(SwiftNames.escaped(name)): [\(code.names.classOf(destination))]")
    set(target, property, from: made, name)
  }
}
