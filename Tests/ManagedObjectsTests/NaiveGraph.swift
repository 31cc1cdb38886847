import ManagedObjects

/// A minimal object graph: integer IDs, and for each relationship the IDs that it refers to. Tests compare contexts
/// with it.
struct NaiveGraph: Equatable {
  struct Object: Equatable {
    var entity: String
    var attributes: [String: AttributeValue]
    /// The IDs that each relationship refers to, in order.
    var relations: [String: [Int]]
  }

  var objects: [Int: Object] = [:]
  /// The last state of objects that have been saved and deleted.
  var graves: [Int: Object] = [:]

  /// The description of a relationship.
  struct Relation {
    var destination: String
    var inverse: String?
    var isToMany: Bool
    var isOrdered = false
    var rule = RelationshipDescription.DeleteRule.nullify
  }

  static let relations: [String: [String: Relation]] = {
    var relations: [String: [String: Relation]] = [
      "Person": [
        "notes": Relation(destination: "Note", inverse: "author", isToMany: true, rule: .cascade),
        "friends": Relation(destination: "Person", inverse: "friends", isToMany: true),
        "groups": Relation(destination: "Group", inverse: "members", isToMany: true),
        "card": Relation(destination: "Card", inverse: "owner", isToMany: false, rule: .cascade),
      ],
      "Note": [
        "author": Relation(destination: "Person", inverse: "notes", isToMany: false),
        "tags": Relation(destination: "Tag", inverse: "notes", isToMany: true),
        "next": Relation(destination: "Note", inverse: nil, isToMany: false),
      ],
      "Tag": ["notes": Relation(destination: "Note", inverse: "tags", isToMany: true)],
      "Group": ["members": Relation(destination: "Person", inverse: "groups", isToMany: true, isOrdered: true)],
      "Card": ["owner": Relation(destination: "Person", inverse: "card", isToMany: false)],
      "Box": ["items": Relation(destination: "Item", inverse: "box", isToMany: true, rule: .deny)],
      "Item": ["box": Relation(destination: "Box", inverse: "items", isToMany: false)],
    ]
    relations["Employee"] = relations["Person"]
    return relations
  }()

  static let attributes: [String: [String]] = [
    "Person": ["name", "age"], "Employee": ["name", "age", "salary"], "Note": ["title"], "Tag": ["name"],
    "Group": ["name"], "Card": ["number"], "Box": ["label"], "Item": ["label"],
  ]

  static func isKind(_ entity: String, _ other: String) -> Bool {
    entity == other || entity == "Employee" && other == "Person"
  }

  static let model: ManagedObjectModel = {
    var entities: [EntityDescription] = []
    for (name, attributes) in attributes.sorted(by: { $0.key < $1.key }) {
      var entity = EntityDescription(name)
      if name == "Employee" { entity.superentity = "Person" }
      for attribute in attributes where name != "Employee" || attribute == "salary" {
        let type: AttributeType =
          switch attribute {
          case "age", "number": .integer64
          case "salary": .double
          default: .string
          }
        entity.properties.append(.attribute(attribute, type, defaultValue: attribute == "age" ? .integer(0) : .null))
      }
      if name != "Employee" {
        for (key, relation) in (relations[name] ?? [:]).sorted(by: { $0.key < $1.key }) {
          entity.properties.append(
            .relationship(
              key, to: relation.destination, inverse: relation.inverse, isToMany: relation.isToMany,
              isOrdered: relation.isOrdered, deleteRule: relation.rule))
        }
      }
      entities.append(entity)
    }
    do { return try ManagedObjectModel(entities: entities) } catch { fatalError("\(error)") }
  }()
}

/// Minimal implementations of the rules.
extension NaiveGraph {
  mutating func insert(_ id: Int, _ entity: String) {
    var object = Object(entity: entity, attributes: [:], relations: [:])
    for key in Self.attributes[entity] ?? [] { object.attributes[key] = key == "age" ? .integer(0) : .null }
    for key in (Self.relations[entity] ?? [:]).keys { object.relations[key] = [] }
    objects[id] = object
  }

  private func relation(_ id: Int, _ key: String) -> Relation? {
    (objects[id] ?? graves[id]).flatMap { Self.relations[$0.entity]?[key] }
  }

  private mutating func edit(_ id: Int, _ key: String, _ change: (inout [Int]) -> Void) {
    if objects[id] != nil {
      change(&objects[id]!.relations[key]!)
    } else if graves[id] != nil {
      change(&graves[id]!.relations[key]!)
    }
  }

  mutating func unlink(_ id: Int, _ key: String, _ target: Int) {
    edit(id, key) { $0.removeAll { $0 == target } }
    if let inverse = relation(id, key)?.inverse { edit(target, inverse) { $0.removeAll { $0 == id } } }
  }

  mutating func link(_ id: Int, _ key: String, _ target: Int) {
    guard let relation = relation(id, key), objects[id]?.relations[key]?.contains(target) == false else { return }
    if !relation.isToMany { for old in objects[id]?.relations[key] ?? [] { unlink(id, key, old) } }
    if let inverse = relation.inverse, let back = self.relation(target, inverse), !back.isToMany {
      for old in objects[target]?.relations[inverse] ?? [] { unlink(target, inverse, old) }
    }
    edit(id, key) { $0.append(target) }
    if let inverse = relation.inverse { edit(target, inverse) { if !$0.contains(id) { $0.append(id) } } }
  }

  mutating func setTargets(_ id: Int, _ key: String, _ targets: [Int]) {
    for old in objects[id]?.relations[key] ?? [] where !targets.contains(old) { unlink(id, key, old) }
    for target in targets { link(id, key, target) }
    if relation(id, key)?.isOrdered == true { edit(id, key) { $0 = targets } }
  }

  /// - Parameter isSaved: Returns true for objects in the store.
  mutating func delete(_ id: Int, isSaved: (Int) -> Bool) {
    guard let object = objects[id] else { return }
    objects[id] = nil
    if isSaved(id) { graves[id] = object }
    for (key, relation) in Self.relations[object.entity] ?? [:] {
      let targets = object.relations[key] ?? []
      let rule = isSaved(id) || relation.rule == .cascade ? relation.rule : .nullify
      for target in targets where rule == .nullify || rule == .cascade {
        if let inverse = relation.inverse, objects[target] != nil {
          edit(target, inverse) { $0.removeAll { $0 == id } }
        }
      }
      if rule == .cascade { for target in targets { delete(target, isSaved: isSaved) } }
    }
  }

  /// The IDs of deleted objects whose deletion a delete rule denies.
  var denied: [Int] {
    graves.filter { _, object in
      (Self.relations[object.entity] ?? [:]).contains { key, relation in
        relation.rule == .deny && (object.relations[key] ?? []).contains { objects[$0] != nil }
      }
    }.keys.sorted()
  }
}
