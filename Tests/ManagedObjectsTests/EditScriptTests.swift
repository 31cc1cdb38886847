import Foundation
import ManagedObjects
import PropertyLists
import SQLiteStore
import TestSupport
import Testing

/// Random sequences of edits, applied to a context and to a naive graph, which must agree after each step.
@Suite("Random edits of contexts") struct EditScriptTests {
  @Test(arguments: 0..<8) func `a context equals the naive graph after every edit`(part: Int) throws {
    for seed in 0..<LongForm.size(all: 1_250, 60, or: 1) {
      let coordinator = PersistentStoreCoordinator(model: NaiveGraph.model)
      try coordinator.add(InMemoryStore(model: NaiveGraph.model))
      var script = EditScript(seed: UInt64(part * 100_000 + seed), coordinator: coordinator) { coordinator }
      try script.run(steps: 40)
    }
  }

  /// The kinds of stores that have a file.
  enum FileKind: String, CaseIterable, Sendable {
    case xml, binary, sqlite

    func open(_ file: URL) throws -> PersistentStoreCoordinator {
      let coordinator = PersistentStoreCoordinator(model: NaiveGraph.model)
      switch self {
      case .xml: try coordinator.add(XMLStore(file, model: NaiveGraph.model))
      case .binary: try coordinator.add(BinaryStore(file, model: NaiveGraph.model))
      case .sqlite: try coordinator.add(SQLiteStore(file, model: NaiveGraph.model))
      }
      return coordinator
    }
  }

  @Test(arguments: FileKind.allCases, 0..<LongForm.size(4, or: 2))
  func `a file that is reopened after each save equals the naive graph`(kind: FileKind, part: Int) throws {
    let folder = TemporaryFolder(isInMemory: true)
    for seed in 0..<LongForm.size(all: 600, 30, or: 1) {
      let file = folder.url.appending(path: "\(seed).store")
      var script = EditScript(seed: UInt64(1_000_000 + part * 100_000 + seed), coordinator: try kind.open(file)) {
        try kind.open(file)
      }
      try script.run(steps: 40)
      for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
    }
  }
}

/// A random sequence of edits, identified by its seed.
struct EditScript {
  private var random: SeededGenerator
  private let seed: UInt64
  private let reopen: () throws -> PersistentStoreCoordinator
  private let context: ManagedObjectContext
  private let undoManager = ManagedObjectContext.UndoManager()
  private var graph = NaiveGraph()
  private var saved = NaiveGraph()
  private var everSaved: Set<Int> = []
  private var undone: [NaiveGraph] = []
  private var redone: [NaiveGraph] = []
  private var isGroupOpen = false
  private var handles: [Int: ManagedObject] = [:]
  private var log: [String] = []

  /// - Parameter reopen: Opens the saved store again.
  init(
    seed: UInt64, coordinator: PersistentStoreCoordinator, reopen: @escaping () throws -> PersistentStoreCoordinator
  ) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    self.reopen = reopen
    context = ManagedObjectContext(coordinator: coordinator)
    context.undoManager = undoManager
  }

  mutating func run(steps: Int) throws {
    for step in 0..<steps {
      try edit()
      try compare()
      if step % 8 == 7 { try compareFetches() }
    }
    // If a delete rule denies a deletion, references to the deleted object remain until the save.
    try #require(context.misuse.allSatisfy { $0.code == .referentialIntegrity }, "\(context.misuse) \(trace)")
  }

  private var trace: Comment { Comment(rawValue: "seed \(seed): " + log.suffix(30).joined(separator: "; ")) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

  private mutating func pickObject() -> Int? { pick(graph.objects.keys.sorted()) }

  private mutating func edit() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<18: try insert()
    case 18..<33: try setAttribute()
    case 33..<60: try relate()
    case 60..<68: try delete()
    case 68..<76: undo()
    case 76..<81: redo()
    case 81..<90: try save()
    case 90..<92: rollback()
    case 92..<94: try refresh()
    default:
      log.append("end of group")
      context.processPendingChanges()
      isGroupOpen = false
    }
  }

  /// Records the state before a change, once per undo group.
  private mutating func change(_ edit: (inout NaiveGraph) -> Void) {
    let before = graph
    edit(&graph)
    guard graph != before else { return }
    if !isGroupOpen { undone.append(before) }
    redone = []
    isGroupOpen = true
  }

  private mutating func insert() throws {
    let entity = pick(NaiveGraph.attributes.keys.sorted()) ?? ""
    let id = handles.count
    log.append("\(id) = insert \(entity)")
    handles[id] = try context.insert(entity)
    change { $0.insert(id, entity) }
  }

  private mutating func setAttribute() throws {
    guard let id = pickObject(), let object = graph.objects[id], let key = pick(object.attributes.keys.sorted()) else {
      return
    }
    let number = Int64.random(in: 0..<4, using: &random)
    let value: AttributeValue =
      switch key {
      case "age", "number": .integer(number)
      case "salary": .double(Double(number))
      default: number == 0 ? .null : .string("text \(number)")
      }
    log.append("\(id).\(key) = \(value)")
    try handles[id]?.setValue(value, forKey: key)
    change { $0.objects[id]?.attributes[key] = value }
  }

  private mutating func relate() throws {
    guard let id = pickObject(), let object = graph.objects[id], let handle = handles[id],
      let (key, relation) = pick((NaiveGraph.relations[object.entity] ?? [:]).sorted { $0.key < $1.key })
    else { return }
    let candidates = graph.objects.keys.sorted().filter {
      NaiveGraph.isKind(graph.objects[$0]?.entity ?? "", relation.destination)
    }
    let targets = candidates.shuffled(using: &random).prefix(
      Int.random(in: 0...(relation.isToMany ? 3 : 1), using: &random))
    log.append("\(id).\(key) = \(Array(targets))")
    let objects = targets.compactMap { handles[$0] }.map(ManagedObject.Value.object)
    try handle.setValue(relation.isToMany ? .array(objects) : objects.first ?? .null, forKey: key)
    change { $0.setTargets(id, key, Array(targets)) }
  }

  private mutating func delete() throws {
    guard let id = pickObject(), let object = handles[id] else { return }
    log.append("delete \(id)")
    try context.delete(object)
    let saved = saved
    change { $0.delete(id) { saved.objects[$0] != nil } }
  }

  private mutating func undo() {
    log.append("undo")
    context.undo()
    isGroupOpen = false
    guard let last = undone.popLast() else { return }
    redone.append(graph)
    graph = last
  }

  private mutating func redo() {
    log.append("redo")
    context.redo()
    isGroupOpen = false
    guard let last = redone.popLast() else { return }
    undone.append(graph)
    graph = last
  }

  private mutating func save() throws {
    log.append("save")
    let denied = graph.denied.filter { saved.objects[$0] != nil }
    // A relationship without an inverse keeps referring to a deleted object. Stores reject a reference to an object
    // that was never saved.
    let isDangling = graph.objects.values.contains { object in
      object.relations["next"]?.contains { graph.objects[$0] == nil && !everSaved.contains($0) } == true
    }
    do {
      try context.save()
      try #require(denied.isEmpty && !isDangling, "the save is not denied: \(trace)")
      graph.graves = [:]
      saved = graph
      everSaved.formUnion(saved.objects.keys)
      try compareStore()
    } catch let error as ManagedObjectError {
      let all = error.details.isEmpty ? [error] : error.details
      let code = denied.isEmpty && isDangling ? ManagedObjectError.Code.referentialIntegrity : .deleteDenied
      try #require(!denied.isEmpty || isDangling, "\(error) \(trace)")
      try #require(all.allSatisfy { $0.code == code }, "\(error) \(trace)")
    }
    isGroupOpen = false
  }

  private mutating func rollback() {
    log.append("rollback")
    context.rollback()
    graph = saved
    undone = []
    redone = []
    isGroupOpen = false
  }

  /// Turns unchanged objects into faults, so that they are read again.
  private func refresh() throws {
    for object in handles.values where object.managedObjectContext === context && !object.hasChanges {
      try context.refresh(object, mergeChanges: true)
    }
  }

  private func ids(_ value: ManagedObject.Value?) -> [Int] {
    switch value {
    case .object(let object): [id(of: object)]
    case .array(let elements), .set(let elements): elements.flatMap { ids($0) }
    case .attribute, nil: []
    }
  }

  private func id(of object: ManagedObject) -> Int { handles.first { $0.value === object }?.key ?? -1 }

  private func compare() throws {
    for (id, expected) in graph.objects {
      let object = try #require(handles[id])
      try #require(object.managedObjectContext === context, "\(id) has no context; \(trace)")
      for (key, value) in expected.attributes {
        try #require(object[key] == .attribute(value), "\(id).\(key); \(trace)")
      }
      for (key, targets) in expected.relations {
        let relation = NaiveGraph.relations[expected.entity]?[key]
        var found = ids(object[key])
        var wanted = targets
        // A relationship without an inverse keeps referring to a deleted object.
        if relation?.inverse == nil || relation?.rule == .deny || key == "box" {
          found.removeAll { graph.objects[$0] == nil }
          wanted.removeAll { graph.objects[$0] == nil }
        }
        if relation?.isOrdered != true {
          found.sort()
          wanted.sort()
        }
        try #require(found == wanted, "\(id).\(key); \(trace)")
      }
    }
    for (id, object) in handles where graph.objects[id] == nil {
      try #require(object.isDeleted || object.managedObjectContext == nil, "\(id) is still there; \(trace)")
    }
    let inserted = graph.objects.keys.filter { saved.objects[$0] == nil }
    try #require(Set(context.insertedObjects.map(id(of:))) == Set(inserted), "\(trace)")
    let deleted = saved.objects.keys.filter { graph.objects[$0] == nil }
    try #require(Set(context.deletedObjects.map(id(of:))) == Set(deleted), "\(trace)")
    let changed = saved.objects.filter { id, object in graph.objects[id].map { !isEqual($0, object) } ?? false }.keys
    let updated = context.updatedObjects.filter(\.hasPersistentChangedValues)
    try #require(Set(updated.map(id(of:))) == Set(changed), "\(trace)")
    try #require(undoManager.canUndo == !undone.isEmpty, "\(trace)")
    try #require(undoManager.canRedo == !redone.isEmpty, "\(trace)")
  }

  private func isEqual(_ first: NaiveGraph.Object, _ second: NaiveGraph.Object) -> Bool {
    guard first.attributes == second.attributes else { return false }
    return first.relations.allSatisfy { key, targets in
      let others = second.relations[key] ?? []
      let isOrdered = NaiveGraph.relations[first.entity]?[key]?.isOrdered == true
      return isOrdered ? targets == others : Set(targets) == Set(others)
    }
  }

  /// Compares the fetched objects of the context with the graph.
  private mutating func compareFetches() throws {
    for entity in ["Person", "Employee", "Note", "Item"] {
      let found = try context.fetch(FetchRequest(entity))
      let wanted = graph.objects.filter { NaiveGraph.isKind($0.value.entity, entity) }.keys
      try #require(found.count == wanted.count && Set(found.map(id(of:))) == Set(wanted), "\(entity); \(trace)")
    }
    let named = try context.fetch(FetchRequest("Person", where: ManagedPredicate(format: "name == 'text 1'")))
    let wanted = graph.objects.filter {
      NaiveGraph.isKind($0.value.entity, "Person") && $0.value.attributes["name"] == .string("text 1")
    }.keys
    try #require(Set(named.map(id(of:))) == Set(wanted), "\(trace)")
    let authors = try context.fetch(FetchRequest("Note", where: ManagedPredicate(format: "author.age > 1")))
    let notes = graph.objects.filter { _, object in
      guard object.entity == "Note", let author = object.relations["author"]?.first,
        case .integer(let age)? = graph.objects[author]?.attributes["age"]
      else { return false }
      return age > 1
    }.keys
    try #require(Set(authors.map(id(of:))) == Set(notes), "\(trace)")
  }

  /// Compares the objects that another context reads with the saved graph.
  private func compareStore() throws {
    let other = ManagedObjectContext(coordinator: try reopen())
    var ids: [ManagedObjectID: Int] = [:]
    for (id, object) in handles where object.managedObjectContext != nil { ids[object.objectID] = id }
    var count = 0
    for entity in NaiveGraph.attributes.keys.sorted() where entity != "Employee" {
      for object in try other.fetch(FetchRequest(entity)) {
        count += 1
        let id = try #require(ids[object.objectID], "\(object); \(trace)")
        let expected = try #require(saved.objects[id], "\(id); \(trace)")
        for (key, value) in expected.attributes {
          try #require(object[key] == .attribute(value), "\(id).\(key); \(trace)")
        }
        for (key, targets) in expected.relations {
          let found: [Int] =
            switch object[key] {
            case .object(let target): [ids[target.objectID] ?? -1]
            case .array(let all), .set(let all):
              all.map { if case .object(let target) = $0 { ids[target.objectID] ?? -1 } else { -1 } }
            case .attribute, nil: []
            }
          if NaiveGraph.relations[expected.entity]?[key]?.isOrdered == true {
            try #require(found == targets, "stored \(id).\(key); \(trace)")
          } else {
            let live = Set(targets.filter { saved.objects[$0] != nil })
            try #require(Set(found.filter { $0 >= 0 }) == live, "stored \(id).\(key); \(trace)")
          }
        }
      }
    }
    try #require(count == saved.objects.count, "\(trace)")
  }
}
