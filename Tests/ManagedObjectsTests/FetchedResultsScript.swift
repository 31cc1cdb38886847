import Foundation
import SQLiteStore
import TestSupport
import Testing

@testable import ManagedObjects

/// A request and its sections.
struct ResultsCase: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var entity = "Contact"
  var format: String?
  var order: [FetchRequest.SortDescriptor]
  var sections: String?
  /// True for sections by the first letter of the name.
  var hasLetters = false
  var limit = 0
  var offset = 0
  var batch = 0
  var subentities = true

  func request() throws -> FetchRequest {
    var request = FetchRequest(entity, where: try format.map { try ManagedPredicate(format: $0) }, sortedBy: order)
    (request.fetchLimit, request.fetchOffset, request.fetchBatchSize) = (limit, offset, batch)
    request.includesSubentities = subentities
    return request
  }

  func controller(_ context: ManagedObjectContext) throws -> FetchedResultsController<ManagedObject> {
    if hasLetters {
      return try FetchedResultsController(ManagedObject.self, request(), in: context, sectionName: Self.letter)
    }
    return try FetchedResultsController(request(), in: context, sectionKeyPath: sections)
  }

  static func letter(_ object: ManagedObject) -> String {
    guard case .attribute(.string(let name))? = object["name"] else { return "" }
    return name.first.map { $0.uppercased() } ?? ""
  }

  /// Returns the section name of an object, computed in the simplest way.
  func sectionName(_ object: ManagedObject) throws -> String {
    if hasLetters { return Self.letter(object) }
    guard let sections else { return "" }
    switch try object.value(forKeyPath: sections) {
    case .attribute(.null): return ""
    case .attribute(.string(let text)): return text
    case .attribute(let value): return value.description
    default: return "?"
    }
  }

  private typealias Key = FetchRequest.SortDescriptor

  static let all = [
    ResultsCase(
      testDescription: "by city", order: [Key("city"), Key("name"), Key("age", isAscending: false)], sections: "city"),
    ResultsCase(testDescription: "by group", order: [Key("group.name"), Key("name")], sections: "group.name"),
    ResultsCase(testDescription: "by age", format: "age > 1", order: [Key("age", isAscending: false)], sections: "age"),
    ResultsCase(
      testDescription: "by first letter", format: "ANY notes.text == 'a' OR age == 2",
      order: [Key("name", comparison: .caseInsensitive)], hasLetters: true),
    ResultsCase(
      testDescription: "limit and offset", order: [Key("city"), Key("age")], sections: "city", limit: 4, offset: 2),
    ResultsCase(testDescription: "limit", order: [Key("name", comparison: .localized)], limit: 3),
    ResultsCase(testDescription: "offset", order: [Key("age"), Key("city")], sections: "age", offset: 3),
    ResultsCase(testDescription: "sorted by note count", order: [Key("notes.@count", isAscending: false), Key("age")]),
    ResultsCase(
      testDescription: "group name with a prefix", format: "group.name BEGINSWITH 'g'",
      order: [Key("name", isAscending: false, comparison: .localizedStandard)]),
    ResultsCase(
      testDescription: "batches with sections", order: [Key("city", isAscending: false), Key("name")], sections: "city",
      batch: 3),
    ResultsCase(testDescription: "batches without sections", order: [Key("age"), Key("name")], batch: 2),
    ResultsCase(testDescription: "relationship without an inverse", format: "buddy.age > 1", order: [Key("name")]),
    ResultsCase(testDescription: "no subentities", order: [Key("age")], subentities: false),
    ResultsCase(
      testDescription: "a subquery", format: "SUBQUERY(notes, $n, $n.text == 'a' AND $n.contact.age > 1).@count > 0",
      order: [Key("name", comparison: .localizedCaseInsensitive), Key("age")]),
    ResultsCase(testDescription: "sum over a relationship", format: "group.members.@sum.age > 3", order: [Key("age")]),
    ResultsCase(testDescription: "sorted by a relationship", order: [Key("group"), Key("age")]),
    ResultsCase(testDescription: "another entity", entity: "Note", order: [Key("contact.group.name"), Key("text")]),
  ]

  static let model: ManagedObjectModel = {
    var friend = EntityDescription("Friend", [.attribute("since", .integer64)])
    friend.superentity = "Contact"
    let entities = [
      EntityDescription(
        "Contact",
        [
          .attribute("name", .string), .attribute("city", .string),
          .attribute("age", .integer64, defaultValue: .integer(0)),
          .relationship("group", to: "Group", inverse: "members"),
          .relationship("notes", to: "Note", inverse: "contact", isToMany: true, deleteRule: .cascade),
          .relationship("buddy", to: "Contact"),
        ]),
      friend,
      EntityDescription(
        "Group",
        [.attribute("name", .string), .relationship("members", to: "Contact", inverse: "group", isToMany: true)]
      ),
      EntityDescription(
        "Note", [.attribute("text", .string), .relationship("contact", to: "Contact", inverse: "notes")]),
    ]
    do { return try ManagedObjectModel(entities: entities) } catch { fatalError("\(error)") }
  }()
}

/// A controller, and a list that follows its changes.
final class FollowedResults: FetchedResultsControllerDelegate {
  let kind: ResultsCase
  let controller: FetchedResultsController<ManagedObject>
  private(set) var shown = FetchedResultsSnapshot()
  private var single = FetchedResultsChanges()
  private(set) var changeCount = 0
  private var defects: [String] = []

  init(_ kind: ResultsCase, _ context: ManagedObjectContext) throws {
    self.kind = kind
    controller = try kind.controller(context)
    try controller.performFetch()
    shown = controller.snapshot
    controller.delegate = self
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController<ManagedObject>) {
    single = FetchedResultsChanges()
  }

  func controller(
    _ controller: FetchedResultsController<ManagedObject>, didChangeSection change: FetchedResultsChanges.SectionChange
  ) { single.sections.append(change) }

  func controller(
    _ controller: FetchedResultsController<ManagedObject>, didChangeObject change: FetchedResultsChanges.ObjectChange
  ) { single.objects.append(change) }

  func controller(
    _ controller: FetchedResultsController<ManagedObject>, didChangeContentWith changes: FetchedResultsChanges
  ) {
    changeCount += 1
    single.newIDs = changes.newIDs
    if single != changes { defects.append("single changes are others: \(single) and \(changes)") }
    single = FetchedResultsChanges()
    let former = Set(shown.objectIDs)
    for change in changes.newIDs where !former.contains(change.oldID) || change.oldID == change.newID {
      defects.append("\(change) was not shown before")
    }
    // The list of all object IDs, updated with the standard library's difference.
    var plain = shown.objectIDs.applying(changes.difference)
    for change in changes.objects where change.kind == .update {
      if let offset = change.newOffset, plain?.indices.contains(offset) == true { plain?[offset] = change.objectID }
    }
    for change in changes.newIDs where plain?.indices.contains(change.offset) == true {
      plain?[change.offset] = change.newID
    }
    if !shown.apply(changes) { defects.append("does not fit: \(changes)") }
    if plain != shown.objectIDs { defects.append("the difference is another: \(changes)") }
    if shown != controller.snapshot { defects.append("gives \(shown) and not \(controller.snapshot): \(changes)") }
  }

  /// Returns the first contradiction; nil if there is none.
  ///
  /// - Parameter isCurrent: True if the results must be equal to those of a new fetch.
  func check(isCurrent: Bool) throws -> String? {
    if let defect = defects.first { return defect }
    if let defect = controller.engine.list._checkInvariants() ?? controller.engine.all?._checkInvariants() {
      return defect
    }
    if shown != controller.snapshot { return "shows \(shown) and not \(controller.snapshot)" }
    // Until all saves are merged, the objects have values of different saves.
    guard isCurrent else { return nil }
    if let failure = controller.failure { return "\(failure)" }
    let wanted = try controller.managedObjectContext.fetch(kind.request())
    let found = controller.fetchedObjects
    if found != wanted {
      func text(_ objects: [ManagedObject]) -> String {
        objects.map { "\($0) \($0["name"] ?? .null) \($0["age"] ?? .null) \($0["city"] ?? .null)" }
          .joined(separator: ", ")
      }
      return "has \(text(found)) and not \(text(wanted))"
    }
    var offset = 0
    for (index, section) in controller.sections.enumerated() {
      for (item, object) in section.enumerated() {
        let path = ResultIndexPath(section: index, item: item)
        if try kind.sectionName(object) != section.name { return "\(object) is in \(section.name)" }
        if controller.indexPath(of: object) != path || controller.object(at: path) !== object { return "no \(path)" }
        if object !== wanted[offset] { return "\(path) is not \(offset)" }
        offset += 1
      }
    }
    return offset == wanted.count ? nil : "\(offset) objects in sections"
  }
}

/// A random sequence of edits, identified by its seed, in a context with fetched results and in other contexts that
/// save to the same stores.
struct FetchedResultsScript {
  private var random: SeededGenerator
  private let coordinator: PersistentStoreCoordinator
  private let context: ManagedObjectContext
  /// A context of the same coordinator, and a context of another store on the same file.
  private var others: [ManagedObjectContext] = []
  private var saves: [AsyncStream<SavedChanges>.Iterator] = []
  private var results: [FollowedResults] = []
  private var unmerged: [SavedChanges] = []
  private let hasUndo: Bool
  private var log: [String] = []

  init(seed: UInt64, file: URL?, cases: [ResultsCase] = ResultsCase.all) throws {
    random = SeededGenerator(seed: seed)
    func open() throws -> PersistentStoreCoordinator {
      let coordinator = PersistentStoreCoordinator(model: ResultsCase.model)
      if let file {
        try coordinator.add(SQLiteStore(file, model: ResultsCase.model))
      } else {
        try coordinator.add(InMemoryStore(model: ResultsCase.model))
      }
      return coordinator
    }
    coordinator = try open()
    context = ManagedObjectContext(coordinator: coordinator)
    context.mergePolicy = .objectTrump
    context.transactionAuthor = "main"
    hasUndo = Bool.random(using: &random)
    if hasUndo { context.undoManager = ManagedObjectContext.UndoManager() }
    for _ in 0..<8 { try insert(context) }
    try context.save()
    if !hasUndo {
      let coordinators = file == nil ? [coordinator] : [coordinator, try open()]
      for coordinator in coordinators {
        let other = ManagedObjectContext(coordinator: coordinator)
        other.mergePolicy = .objectTrump
        others.append(other)
        saves.append(coordinator.saves.makeAsyncIterator())
      }
    }
    for kind in cases.shuffled(using: &random).prefix(2) { results.append(try FollowedResults(kind, context)) }
    log.append("script \(seed)")
    log.append(results.map(\.kind.testDescription).joined(separator: " | ") + (file == nil ? "" : ", SQLite"))
  }

  var trace: String { log.joined(separator: "; ") }

  var changeCount: Int { results.reduce(0) { $0 + $1.changeCount } }

  mutating func run(steps: Int) async throws {
    for _ in 0..<steps {
      try await step()
      let isCurrent = unmerged.isEmpty
      if isCurrent { context.processPendingChanges() }
      for result in results {
        if let defect = try result.check(isCurrent: isCurrent) {
          Issue.record("\(result.kind.testDescription): \(defect) \(trace)")
          throw CancellationError()
        }
      }
    }
  }

  private mutating func step() async throws {
    for _ in 0..<Int.random(in: 0..<4, using: &random) { try edit(context) }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<5:
      log.append("save")
      do { try context.save() } catch {
        // A relationship without an inverse may refer to a deleted object.
        log.append("\(error)")
        context.rollback()
      }
      // Values changed by a merge policy are read again.
      if unmerged.isEmpty { try context.refreshAllObjects() }
    case 5:
      log.append("rollback")
      context.rollback()
    case 6:
      log.append("refresh")
      try context.refreshAllObjects()
    case 7 where Int.random(in: 0..<4, using: &random) == 0:
      log.append("reset")
      context.reset()
    case 8..<11:
      if hasUndo {
        log.append("undo")
        context.undo()
      } else {
        try await merge()
      }
    case 11 where hasUndo:
      log.append("redo")
      context.redo()
    case 12 where unmerged.isEmpty: try batch()
    case 13..<19:
      if !others.isEmpty { try await editElsewhere() }
    default:
      log.append("process")
      context.processPendingChanges()
    }
    if Int.random(in: 0..<3, using: &random) > 0 { try await merge() }
  }

  private mutating func batch() throws {
    let changes: SavedChanges
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      log.append("batch update")
      changes = try context.execute(
        .update("Contact", ["age": number(), "city": .string("Z")], where: ManagedPredicate(format: "age == 1"))
      ).changes
    case 1:
      log.append("batch insert")
      changes = try context.execute(.insert("Contact", [["name": name(), "age": number()], ["city": city()]])).changes
    default:
      log.append("batch delete")
      changes = try context.execute(.delete("Contact", where: ManagedPredicate(format: "age == 3"))).changes
    }
    try context.mergeChanges(from: changes)
    for other in others { other.reset() }
  }

  private mutating func editElsewhere() async throws {
    let index = Int.random(in: 0..<others.count, using: &random)
    let other = others[index]
    other.reset()
    log.append("other \(index):")
    for _ in 0..<Int.random(in: 1..<4, using: &random) { try edit(other) }
    guard other.hasChanges else { return }
    do { try other.save() } catch {
      log.append("\(error)")
      other.rollback()
      return
    }
    log.append("saved")
    // The stream may still contain the last save of this context.
    while let changes = await saves[index].next() {
      if changes.author == "main" { continue }
      unmerged.append(changes)
      break
    }
  }

  private mutating func merge() async throws {
    guard !unmerged.isEmpty else { return }
    log.append("merge")
    for changes in unmerged { try context.mergeChanges(from: changes) }
    unmerged = []
  }
}

/// Edits.
extension FetchedResultsScript {
  private mutating func number() -> AttributeValue { .integer(Int64.random(in: 0..<4, using: &random)) }

  private mutating func name() -> AttributeValue {
    ["", "a", "A", "á", "ab", "b 2", "B 10", "c"].randomElement(using: &random).map { .string($0) } ?? .null
  }

  private mutating func city() -> AttributeValue {
    ["X", "Y", "Z", nil].randomElement(using: &random).flatMap { $0 }.map { .string($0) } ?? .null
  }

  private mutating func pick(
    _ entity: String, _ context: ManagedObjectContext
  ) throws(ManagedObjectError) -> ManagedObject? {
    try context.fetch(FetchRequest(entity)).randomElement(using: &random)
  }

  private mutating func insert(_ context: ManagedObjectContext) throws {
    let entity = ["Contact", "Contact", "Friend", "Group", "Note"].randomElement(using: &random) ?? "Contact"
    let object = try context.insert(entity)
    log.append("insert \(object)")
    switch entity {
    case "Group": try object.setValue(.string(["g", "h"].randomElement(using: &random) ?? ""), forKey: "name")
    case "Note":
      try object.setValue(.string(["a", "b"].randomElement(using: &random) ?? ""), forKey: "text")
      if let contact = try pick("Contact", context) { try? object.setValue(.object(contact), forKey: "contact") }
    default:
      try object.setValues(["name": name(), "age": number(), "city": city()])
      // Another context may have deleted it.
      if let group = try pick("Group", context) { try? object.setValue(.object(group), forKey: "group") }
    }
  }

  private mutating func edit(_ context: ManagedObjectContext) throws {
    let kind = Int.random(in: 0..<22, using: &random)
    if kind < 5 { return try insert(context) }
    let entity = kind < 8 ? "Group" : kind < 11 ? "Note" : "Contact"
    guard let object = try pick(entity, context) else { return }
    log.append("\(object) \(kind)")
    do throws(ManagedObjectError) { try edit(object, kind, context) } catch {
      // Another context has deleted it.
      guard error.code == .referentialIntegrity else { throw error }
    }
  }

  private mutating func edit(
    _ object: ManagedObject, _ kind: Int, _ context: ManagedObjectContext
  ) throws(ManagedObjectError) {
    switch kind {
    case 5: try context.delete(object)
    case 6, 7: try object.setValue(.string(["g", "h", "g2"].randomElement(using: &random) ?? ""), forKey: "name")
    case 8: try context.delete(object)
    case 9: try object.setValue(.string(["a", "b"].randomElement(using: &random) ?? ""), forKey: "text")
    case 10: try object.setValue(pick("Contact", context).map { .object($0) } ?? .null, forKey: "contact")
    case 11, 12: try context.delete(object)
    case 13, 14: try object.setValue(name(), forKey: "name")
    case 15, 16: try object.setValue(number(), forKey: "age")
    case 17: try object.setValue(city(), forKey: "city")
    case 18, 19: try object.setValue(pick("Group", context).map { .object($0) } ?? .null, forKey: "group")
    case 20: try object.setValue(.attribute(.null), forKey: "group")
    default: try object.setValue(pick("Contact", context).map { .object($0) } ?? .null, forKey: "buddy")
    }
  }
}
