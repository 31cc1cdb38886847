import Observation
import TestSupport
import Testing

@testable import ManagedObjects

/// Random operations, with random properties tracked before each: exactly those that then have other values must be
/// reported.
@Suite("Tracking in random edits") struct ObservationScriptTests {
  typealias Paper = ObservationSamples.Paper
  typealias Writer = ObservationSamples.Writer
  typealias Topic = ObservationSamples.Topic
  typealias Remark = ObservationSamples.Remark

  @Test(arguments: 0..<4) func `exactly the properties that change are reported`(part: Int) throws {
    let steps = LongForm.size(2_500, or: 60)
    var script = try Script(seed: UInt64(part))
    for _ in 0..<steps { try script.step() }
    // Without changes of each kind, the test would show nothing.
    #expect(script.changeCount > steps / 3)
    #expect(script.kinds.count > 8)
  }

  struct Script {
    var random: SeededGenerator
    let context: ManagedObjectContext
    let other: ManagedObjectContext
    let child: ManagedObjectContext
    var objects: [ManagedObject] = []
    var log: [String] = []
    var changeCount = 0
    /// True if another context saved changes that were not merged.
    var isOutdated = false
    /// The names of the properties of which a change was seen.
    var kinds: Set<String> = []

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      let coordinator = try ObservationSamples.coordinator()
      context = ManagedObjectContext(coordinator: coordinator)
      context.undoManager = .init()
      context.mergePolicy = [.objectTrump, .storeTrump, .overwrite, .rollback][Int(seed) % 4]
      other = ManagedObjectContext(coordinator: coordinator)
      other.mergePolicy = .objectTrump
      child = ManagedObjectContext(parent: context)
      for _ in 0..<3 { try insert() }
      try context.save()
    }

    private mutating func insert() throws {
      let paper = try context.insert(Paper.self)
      paper.title = "t"
      let writer = try context.insert(Writer.self)
      writer.name = "w"
      paper.author = writer
      let topic = try context.insert(Topic.self)
      let remark = try context.insert(Remark.self)
      remark.paper = paper
      objects += [paper, writer, topic, remark]
    }

    /// An object that was read. It is the same as another one with its ID, which replaces it after a merged deletion.
    struct Reference: Equatable {
      let object: ManagedObject

      static func == (first: Self, second: Self) -> Bool {
        first.object === second.object || first.object.objectID == second.object.objectID
      }
    }

    /// A value that was read.
    enum Reading: Equatable {
      case attribute(AttributeValue)
      case list([Reference])
      case set([Reference])
      case values([String: Reading])
      case id(ManagedObjectID)
      case flag(Bool)

      init(_ value: ManagedObject.Value) {
        switch value {
        case .attribute(let value): self = .attribute(value)
        case .object(let object): self = .list([Reference(object: object)])
        case .array(let elements): self = .list(elements.compactMap(Self.reference))
        case .set(let elements): self = .set(elements.compactMap(Self.reference))
        }
      }

      private static func reference(_ value: ManagedObject.Value) -> Reference? {
        if case .object(let object) = value { Reference(object: object) } else { nil }
      }

      static func == (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.attribute(let first), .attribute(let second)): first == second
        case (.list(let first), .list(let second)): first == second
        case (.set(let first), .set(let second)): first.count == second.count && first.allSatisfy(second.contains)
        case (.values(let first), .values(let second)): first == second
        case (.id(let first), .id(let second)): first == second
        case (.flag(let first), .flag(let second)): first == second
        default: false
        }
      }
    }

    /// Returns the values of the properties that a key path of an object leads over, which are tracked, too.
    private static func way(_ name: String, _ object: ManagedObject) -> Reading {
      func states(_ object: ManagedObject) -> Reading {
        .values([
          "deleted": .flag(object.isDeleted), "lost": .flag(object.isInaccessible),
          "pages": Reading(object["pages"] ?? .null),
        ])
      }
      var way: [String: Reading] = [:]
      switch (name, object) {
      case ("author.name", let paper as Paper):
        way["author"] = Reading(paper.author.map { .object($0) } ?? .null)
        way["state"] = paper.author.map(states)
      case ("@sum", let writer as Writer):
        way["papers"] = Reading(.set(writer.papers.map { .object($0) }))
        for paper in writer.papers { way["\(ObjectIdentifier(paper))"] = states(paper) }
      default: break
      }
      return .values(way)
    }

    /// The properties of an object that can be read, those first that do not depend on its row.
    private static func readers(_ object: ManagedObject) -> [(name: String, read: () -> Reading)] {
      var readers: [(name: String, read: () -> Reading)] = [
        ("isInserted", { .flag(object.isInserted) }), ("isUpdated", { .flag(object.isUpdated) }),
        ("isDeleted", { .flag(object.isDeleted) }), ("hasChanges", { .flag(object.hasChanges) }),
        ("isInaccessible", { .flag(object.isInaccessible) }), ("objectID", { .id(object.objectID) }),
        ("hasPersistentChangedValues", { .flag(object.hasPersistentChangedValues) }),
        ("changedValues", { .values(object.changedValues().mapValues(Reading.init)) }),
        ("committedValues", { .values(object.committedValues().mapValues(Reading.init)) }),
      ]
      for property in object.entity.properties {
        readers.append((property.name, { Reading(object[property.name] ?? .null) }))
      }
      switch object {
      case let paper as Paper:
        readers.append((".title", { .attribute(.string(paper.title)) }))
        readers.append((".author", { Reading(paper.author.map { .object($0) } ?? .null) }))
        readers.append((".topics", { Reading(.array(paper.topics.map { .object($0) })) }))
        readers.append(("author.name", { (try? .init(paper.value(forKeyPath: "author.name"))) ?? .flag(false) }))
      case let writer as Writer:
        readers.append((".papers", { Reading(.set(writer.papers.map { .object($0) })) }))
        readers.append((".longPapers", { Reading(.array(writer.longPapers.map { .object($0) })) }))
        readers.append(("@sum", { (try? .init(writer.value(forKeyPath: "papers.@sum.pages"))) ?? .flag(false) }))
      default: break
      }
      return readers
    }

    /// False for a fetched property that can have other objects without a change in its context.
    private func isChecked(_ object: ManagedObject, _ name: String) -> Bool {
      name != ".longPapers" || object.managedObjectContext !== child && !isOutdated
    }

    mutating func step() throws {
      if log.count > 30 { log.removeFirst(10) }
      struct Tracking {
        let object: ManagedObject
        let name: String
        let read: () -> Reading
        let before: [Reading]
        let count: CallCount
      }
      var trackings: [Tracking] = []
      for object in objects where Int.random(in: 0..<3, using: &random) > 0 {
        for (name, read) in Self.readers(object) where Int.random(in: 0..<4, using: &random) == 0 {
          let count = CallCount()
          let before = withObservationTracking(read) { count.increase() }
          let way = Self.way(name, object)
          trackings.append(Tracking(object: object, name: name, read: read, before: [before, way], count: count))
        }
      }
      try change()
      context.processPendingChanges()
      child.processPendingChanges()
      let counts = trackings.map(\.count.value)
      for (tracking, count) in zip(trackings, counts) where isChecked(tracking.object, tracking.name) {
        let after = [tracking.read(), Self.way(tracking.name, tracking.object)]
        if after != tracking.before {
          changeCount += 1
          kinds.insert(tracking.name)
        }
        let trace = log.joined(separator: "; ")
        try #require(
          count == (after == tracking.before ? 0 : 1),
          "\(tracking.object).\(tracking.name): \(tracking.before) → \(after) after \(trace)")
      }
      if objects.count > 30 {
        objects.removeAll { $0.managedObjectContext == nil }
        if objects.count > 30 { objects.removeFirst(8) }
      }
    }

    private mutating func pick<T: ManagedObject>(_ type: T.Type, in context: ManagedObjectContext) -> T? {
      objects.filter { $0.managedObjectContext === context && !$0.isDeleted && !$0.isInaccessible }
        .compactMap { $0 as? T }.randomElement(using: &random)
    }

    /// Edits one object.
    private mutating func edit(_ context: ManagedObjectContext) throws {
      guard let paper = pick(Paper.self, in: context) else { return }
      let kind = Int.random(in: 0..<10, using: &random)
      log.append("edit \(kind) of \(paper)")
      switch kind {
      case 0: paper.title = ["a", "b"].randomElement(using: &random)!
      case 1: paper.pages = Int.random(in: 1..<4, using: &random)
      case 2: paper.author = pick(Writer.self, in: context)
      case 3: paper.author = nil
      case 4: paper.topics = [pick(Topic.self, in: context), pick(Topic.self, in: context)].compactMap { $0 }
      case 5: pick(Topic.self, in: context)?.papers = [paper]
      case 6: pick(Writer.self, in: context)?.name = ["x", "y"].randomElement(using: &random)!
      case 7: pick(Remark.self, in: context)?.paper = paper
      case 8: if let writer = pick(Writer.self, in: context) { writer.add(paper, to: \.papers) }
      default: try paper.setValue(.integer(Int64.random(in: 1..<4, using: &random)), forKey: "pages")
      }
    }

    private mutating func change() throws {
      let kind = Int.random(in: 0..<16, using: &random)
      log.append(
        [
          "edit", "edit", "group", "undo", "redo", "save", "rollback", "refresh", "refresh all", "merge", "merge",
          "other save", "delete", "insert", "child", "child save",
        ][kind])
      switch kind {
      case 0, 1: try edit(context)
      case 2:
        guard let undoManager = context.undoManager else { return }
        if undoManager.groupingLevel > 0 { undoManager.endUndoGrouping() } else { undoManager.beginUndoGrouping() }
      case 3: context.undo()
      case 4: context.redo()
      case 5: try? context.save()
      case 6: if Int.random(in: 0..<3, using: &random) == 0 { context.rollback() }
      case 7:
        guard let object = objects.filter({ $0.managedObjectContext === context }).randomElement(using: &random) else {
          return
        }
        log.append("\(object)")
        try? context.refresh(object, mergeChanges: Bool.random(using: &random))
      case 8:
        try? context.refreshAllObjects()
        isOutdated = false
      case 9, 10:
        let changes = try saveElsewhere()
        try? context.mergeChanges(from: changes)
      case 11:
        _ = try saveElsewhere()
        isOutdated = true
      case 12:
        let object = Bool.random(using: &random) ? pick(ManagedObject.self, in: context) : pick(Paper.self, in: context)
        log.append("\(object?.description ?? "")")
        if let object { try? context.delete(object) }
      case 13: try insert()
      case 14:
        if let paper = pick(Paper.self, in: context) { objects.append(try child.object(with: paper.objectID)) }
        if let writer = pick(Writer.self, in: context) { objects.append(try child.object(with: writer.objectID)) }
        if Int.random(in: 0..<6, using: &random) > 0 {
          try edit(child)
        } else if let paper = pick(Paper.self, in: child) {
          try? child.delete(paper)
        }
      default: try? child.save()
      }
    }

    /// Changes the store by another context.
    private mutating func saveElsewhere() throws -> SavedChanges {
      other.reset()
      let papers = try other.fetch(FetchRequest("Paper")).compactMap { $0 as? Paper }
      let writers = try other.fetch(FetchRequest("Writer")).compactMap { $0 as? Writer }
      guard let paper = papers.randomElement(using: &random) else { return SavedChanges() }
      let kind = Int.random(in: 0..<6, using: &random)
      log.append("kind \(kind) of \(paper)")
      switch kind {
      case 0: paper.title = ["a", "b"].randomElement(using: &random)!
      case 1: paper.pages = Int.random(in: 1..<4, using: &random)
      case 2: paper.author = writers.randomElement(using: &random)
      case 3: try other.delete(paper)
      case 4: writers.randomElement(using: &random).map { $0.name += "z" }
      default: paper.title = paper.title
      }
      var changes = SavedChanges()
      changes.updated = Set(other.updatedObjects.map(\.objectID))
      changes.deleted = Set(other.deletedObjects.map(\.objectID))
      try other.save()
      return changes
    }
  }
}
