import ManagedObjects

/// The expected result of a migration, computed only from the two sketches.
struct MigrationExpectation {
  let old: ModelSketch
  let new: ModelSketch

  /// The names of entities and properties because of which the migration cannot be inferred. Empty if it can.
  var refusals: Set<String> {
    var names: Set<String> = []
    for entity in new.entities where old.entity(entity.id) != nil {
      let attributes = old.attributes(entity.id)
      for attribute in new.attributes(entity.id) {
        let hasNoDefault = !attribute.isOptional && attribute.defaultValue == .null && !entity.isAbstract
        guard let former = attributes.first(where: { $0.id == attribute.id }) else {
          if hasNoDefault { names.insert(new.name(ofProperty: attribute.id)) }
          continue
        }
        if former.type != attribute.type || hasNoDefault && former.isOptional {
          names.insert(new.name(ofProperty: attribute.id))
        }
      }
      for relationship in new.relationships(entity.id) {
        guard let former = old.relationships(entity.id).first(where: { $0.id == relationship.id }) else { continue }
        let name = new.name(ofProperty: relationship.id)
        if former.isToMany, !relationship.isToMany { names.insert(name) }
        let allowed = Set(new.subtree(relationship.target))
        if old.subtree(former.target).contains(where: { new.entity($0) != nil && !allowed.contains($0) }) {
          names.insert(name)
        }
      }
    }
    for relationship in new.entities.flatMap(\.relationships) where hasOrigin(relationship.id) {
      guard let former = old.relationship(relationship.id)?.relationship else { continue }
      let name = new.name(ofProperty: relationship.id)
      if let inverse = relationship.inverse, hasOrigin(inverse) {
        if former.inverse != inverse { names.insert(name) }
        continue
      }
      let hasOneOwner =
        relationship.inverse.flatMap { new.relationship($0) }.map { !$0.relationship.isToMany }
        ?? relationship.isToMany
      let hadSeveral =
        former.inverse.flatMap { old.relationship($0) }.map { $0.relationship.isToMany } ?? !former.isToMany
      if hasOneOwner, hadSeveral { names.insert(name) }
    }
    for root in new.entities where root.parent == nil {
      let roots = Set(new.subtree(root.id).filter { old.entity($0) != nil }.map { old.root($0) })
      if roots.count > 1 { names.insert(root.name) }
    }
    return names
  }

  /// True if objects of an entity have the relationship in both versions.
  private func hasOrigin(_ id: Int) -> Bool {
    guard let owner = new.relationship(id)?.owner else { return false }
    return new.subtree(owner.id).contains { entity in
      old.entity(entity) != nil && old.relationships(entity).contains { $0.id == id }
    }
  }

  /// True if the names in the models match other entities or properties than the sketches do, so that the result is
  /// undefined.
  var isAmbiguous: Bool {
    func differ(_ new: [(id: Int, names: Set<String>)], _ old: [(id: Int, names: Set<String>)]) -> Bool {
      new.contains { one in old.contains { $0.id != one.id && !$0.names.isDisjoint(with: one.names) } }
    }
    func names(_ sketch: ModelSketch, _ entity: Int) -> [(id: Int, names: Set<String>)] {
      sketch.attributes(entity).map { ($0.id, Set([$0.name, $0.identifier ?? $0.name])) }
        + sketch.relationships(entity).map { ($0.id, Set([$0.name, $0.identifier ?? $0.name])) }
    }
    return new.entities.contains { entity in
      old.entity(entity.id) != nil && differ(names(new, entity.id), names(old, entity.id))
    }
  }

  /// The names of relationships that were unordered before. Any order is correct.
  var newOrders: Set<String> {
    Set(
      new.entities.flatMap(\.relationships).filter { relationship in
        relationship.isOrdered && old.relationship(relationship.id)?.relationship.isOrdered != true
      }.map(\.name))
  }

  /// Returns the names of the entities that become abstract and have objects.
  func abstracted(_ dump: StoreDump) -> Set<String> {
    Set(
      new.entities.filter { entity in
        entity.isAbstract && (old.entity(entity.id).map { (dump.counts[$0.name] ?? 0) > 0 } ?? false)
      }.map(\.name))
  }

  /// Returns the objects of the new store. Versions and numbers do not change.
  func objects(_ before: StoreDump) -> [String: StoreDump.Object] {
    var names: [String: String] = [:]
    for entity in old.entities {
      guard let other = new.entity(entity.id) else { continue }
      for name in before.objects.keys where name.hasPrefix("\(entity.name)/") {
        names[name] = other.name + name.dropFirst(entity.name.count)
      }
    }
    var result: [String: StoreDump.Object] = [:]
    for entity in old.entities where new.entity(entity.id) != nil {
      for (name, object) in before.objects where name.hasPrefix("\(entity.name)/") {
        var copy = StoreDump.Object(version: object.version)
        let attributes = old.attributes(entity.id)
        for attribute in new.attributes(entity.id) {
          let former = attributes.first { $0.id == attribute.id }
          var value = former.flatMap { object.attributes[$0.name] ?? nil }
          if former == nil || value == nil && !attribute.isOptional { value = attribute.defaultValue.text }
          copy.attributes[attribute.name] = .some(value)
        }
        for relationship in new.relationships(entity.id) {
          let targets = targets(relationship, of: name, entity.id, before).compactMap { names[$0] }
          copy.relationships[relationship.name] =
            if !relationship.isToMany { .one(targets.first) } else if relationship.isOrdered { .many(targets) } else {
              .many(targets.sorted { $0.utf8.precedes($1.utf8) })
            }
        }
        result[names[name] ?? "?"] = copy
      }
    }
    return result
  }

  /// Returns the new targets of a relationship, by their names before the migration.
  private func targets(
    _ relationship: ModelSketch.Relationship, of name: String, _ entity: Int, _ before: StoreDump
  ) -> [String] {
    var found: [String] = []
    var isInOrder = false
    if let former = old.relationships(entity).first(where: { $0.id == relationship.id }) {
      switch before.objects[name]?.relationships[former.name] {
      case .one(let target): found = target.map { [$0] } ?? []
      case .many(let targets): found = targets
      case nil: break
      }
      isInOrder = former.isOrdered
    } else if !hasOrigin(relationship.id), let inverse = relationship.inverse {
      for (other, object) in before.objects {
        guard let owner = old.entities.first(where: { other.hasPrefix("\($0.name)/") }), new.entity(owner.id) != nil,
          let former = old.relationships(owner.id).first(where: { $0.id == inverse }),
          new.relationships(owner.id).contains(where: { $0.id == inverse })
        else { continue }
        let refers =
          switch object.relationships[former.name] {
          case .one(let target): target == name
          case .many(let targets): targets.contains(name)
          case nil: false
          }
        if refers { found.append(other) }
      }
    }
    if isInOrder { return found }
    return found.sorted { Self.number($0) < Self.number($1) }
  }

  private static func number(_ name: String) -> Int { name.split(separator: "/p").last.flatMap { Int($0) } ?? 0 }
}
