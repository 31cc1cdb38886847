import ManagedObjects
import TestSupport
import Testing

/// Objects of ``NaiveGraph/model`` in several contexts, with a short notation for changes and states.
///
/// A step is `Person a` for a new object, `a.age=1`, `n.author=a`, `n.tags=x,y`, `n.tags+=x`, `n.tags-=x`, `n.author=`
/// for nil, or `delete a`. A state lists the labels of all objects, and the values that differ from those of new
/// objects.
final class GraphSketch {
  let coordinator: PersistentStoreCoordinator
  private var ids: [String: ManagedObjectID] = [:]
  private let folder = TemporaryFolder(isInMemory: true)

  init(_ kind: StoreKind = .memory) throws { coordinator = try kind.coordinator(NaiveGraph.model, folder) }

  func context(_ policy: MergePolicy = .error) -> ManagedObjectContext {
    let context = ManagedObjectContext(coordinator: coordinator)
    context.mergePolicy = policy
    return context
  }

  /// Returns the attribute with the label of an object.
  static func labelKey(_ entity: String) -> String {
    switch entity {
    case "Note": "title"
    case "Card": "number"
    case "Box", "Item": "label"
    default: "name"
    }
  }

  func object(_ label: String, in context: ManagedObjectContext) throws -> ManagedObject {
    for object in context.registeredObjects where !object.isDeleted && object.isInserted && text(object) == label {
      return object
    }
    return try context.object(with: try #require(ids[label], "no object \(label)"))
  }

  func run(_ steps: String, in context: ManagedObjectContext) throws {
    for step in steps.split(separator: ";").map({ $0.split(separator: " ").joined(separator: " ") }) {
      let words = step.split(separator: " ").map(String.init)
      if words.count == 2, words[0] == "delete" {
        try context.delete(object(words[1], in: context))
      } else if words.count == 2 {
        let object = try context.insert(words[0])
        let key = Self.labelKey(words[0])
        try object.setValue(key == "number" ? .integer(Int64(words[1]) ?? 0) : .string(words[1]), forKey: key)
      } else {
        try assign(step, in: context)
      }
    }
  }

  private func assign(_ step: String, in context: ManagedObjectContext) throws {
    let sides = step.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let path = sides[0].trimmingSuffix("+-").split(separator: ".").map(String.init)
    let object = try object(path[0], in: context)
    guard object.entity.relationship(named: path[1]) != nil else {
      let value: AttributeValue =
        switch path[1] {
        case "age", "number": .integer(Int64(sides[1]) ?? 0)
        case "salary": .double(Double(sides[1]) ?? 0)
        default: sides[1].isEmpty ? .null : .string(sides[1])
        }
      return try object.setValue(value, forKey: path[1])
    }
    var targets = try sides[1].split(separator: ",").map { try self.object(String($0), in: context) }
    let old = targetObjects(object, path[1])
    if sides[0].hasSuffix("+") { targets = old + targets.filter { !old.contains($0) } }
    if sides[0].hasSuffix("-") { targets = old.filter { !targets.contains($0) } }
    if object.entity.relationship(named: path[1])?.isToMany == true {
      try object.setValue(.array(targets.map(ManagedObject.Value.object)), forKey: path[1])
    } else {
      try object.setValue(targets.first.map(ManagedObject.Value.object) ?? .null, forKey: path[1])
    }
  }

  /// Fetches and reads all objects. The context keeps the values while the caller keeps the objects.
  func readAll(in context: ManagedObjectContext) throws -> [ManagedObject] {
    var objects: [ManagedObject] = []
    for entity in NaiveGraph.attributes.keys.sorted() { objects += try context.fetch(FetchRequest(entity)) }
    // Stores may read relationships only on access.
    for object in objects { for property in object.entity.properties { _ = object[property.name] } }
    return objects
  }

  /// Saves a context, and records the permanent IDs of its new objects.
  func save(_ context: ManagedObjectContext) throws {
    let inserted = context.insertedObjects
    try context.save()
    for object in inserted where object.managedObjectContext != nil { ids[text(object)] = object.objectID }
  }

  private func text(_ object: ManagedObject) -> String {
    switch object[Self.labelKey(object.entity.name)] {
    case .attribute(.string(let text))?: text
    case .attribute(.integer(let number))?: "\(number)"
    default: "?"
    }
  }

  func targetObjects(_ object: ManagedObject, _ key: String) -> [ManagedObject] {
    switch object[key] {
    case .object(let target): [target]
    case .array(let all), .set(let all): all.compactMap { if case .object(let target) = $0 { target } else { nil } }
    case .attribute, nil: []
    }
  }

  /// Returns the state of the store.
  func stored() throws -> String { try state(of: context()) }

  /// Returns the state of a context. Of each relationship pair, only one side is included; the other side is checked.
  func state(of context: ManagedObjectContext) throws -> String {
    var parts: [String] = []
    for entity in ["Person", "Note", "Tag", "Group", "Card", "Box", "Item"] {
      for object in try context.fetch(FetchRequest(entity)) {
        let label = text(object)
        parts.append(label)
        for key in ["age", "salary"] {
          switch object[key] {
          case .attribute(.integer(let number))? where number != 0: parts.append("\(label).\(key)=\(number)")
          case .attribute(.double(let number))?: parts.append("\(label).\(key)=\(Int(number))")
          default: break
          }
        }
        for (key, relation) in NaiveGraph.relations[entity] ?? [:] {
          let targets = targetObjects(object, key)
          for target in targets { try checkInverse(of: object, key, relation, target) }
          guard ["author", "tags", "next", "members", "owner", "friends", "box"].contains(key), !targets.isEmpty else {
            continue
          }
          let labels = targets.map(text)
          parts.append("\(label).\(key)=" + (relation.isOrdered ? labels : labels.sorted()).joined(separator: ","))
        }
      }
    }
    return parts.sorted().joined(separator: " ")
  }

  private func checkInverse(
    of object: ManagedObject, _ key: String, _ relation: NaiveGraph.Relation, _ target: ManagedObject
  ) throws {
    let isThere =
      target.managedObjectContext != nil && !target.isDeleted && target[Self.labelKey(target.entity.name)] != .null
    try #require(isThere && !target.isInaccessible, "\(text(object)).\(key) refers to an object that is gone")
    guard let inverse = relation.inverse else { return }
    try #require(
      targetObjects(target, inverse).contains(object),
      "\(text(object)).\(key) has \(text(target)), whose \(inverse) lacks it")
  }
}

extension String {
  fileprivate func trimmingSuffix(_ characters: String) -> String {
    var text = self
    while let last = text.last, characters.contains(last) { text.removeLast() }
    return text
  }
}
