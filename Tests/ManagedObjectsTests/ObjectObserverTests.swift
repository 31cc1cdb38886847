import Testing

@testable import ManagedObjects

@Suite("Observers of objects") struct ObjectObserverTests {
  typealias Paper = ObservationSamples.Paper
  typealias Writer = ObservationSamples.Writer

  private let context: ManagedObjectContext
  private let paper: Paper
  private let ada: Writer

  init() throws {
    context = try ObservationSamples.context()
    paper = try context.insert(Paper.self)
    ada = try context.insert(Writer.self)
    try context.save()
  }

  @Test func `an observer receives the keys and old values of each change until it is removed`() throws {
    var changes: [[String: ManagedObject.Value]] = []
    let number = try paper.addObserver { changes.append($0.oldValues) }
    paper.title = "a"
    paper.author = ada
    paper.author = ada
    paper.removeObserver(number)
    paper.title = "b"
    #expect(changes == [["title": .attribute(.string(""))], ["author": .null]])
  }

  @Test func `an observer of keys is called for their changes only`() throws {
    var keys: [Set<String>] = []
    _ = try paper.addObserver(forKeys: ["title", "author"]) { keys.append($0.keys) }
    paper.pages = 5
    ada.add(paper, to: \.papers)
    #expect(keys == [["author"]])
  }

  @Test func `an observer of a fault receives the values of the store`() throws {
    paper.title = "a"
    try context.save()
    for isRead in [true, false] {
      let other = ManagedObjectContext(coordinator: context.coordinator)
      let fault = try isRead ? #require(other.fetch(Paper.self).first) : other.object(with: paper.objectID)
      #expect(fault.isFault)
      var changes: [[String: ManagedObject.Value]] = []
      _ = try fault.addObserver { changes.append($0.oldValues) }
      #expect(changes.isEmpty)
      try fault.setValue(.string("b"), forKey: "title")
      #expect(changes.map { $0["title"] } == [.attribute(.string("a"))])
    }
  }

  @Test func `the changes of one operation are reported together`() throws {
    context.undoManager = .init()
    paper.title = "a"
    paper.pages = 5
    paper.author = ada
    context.processPendingChanges()
    var keys: [Set<String>] = []
    _ = try paper.addObserver { keys.append($0.keys) }
    context.undo()
    #expect(keys == [["title", "pages", "author"]])
    try context.save()
    try context.refreshAllObjects()
    #expect(keys.count == 1)
  }

  @Test func `an observer can change the object`() throws {
    var titles: [String] = []
    _ = try paper.addObserver(forKeys: ["title"]) { change in
      guard let paper = change.object as? Paper else { return }
      titles.append(paper.title)
      if paper.title.count < 3 { paper.title += "a" }
    }
    paper.title = "a"
    #expect(titles == ["a", "aa", "aaa"])
  }

  final class Box: ManagedObject {
    @Attribute var text = ""
    var didAwake: () -> Void = {}

    override func awakeFromFetch() { didAwake() }
  }

  @Test func `an object can change its observers while its changes are determined`() throws {
    let model = try ManagedObjectModel(Box.self)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(InMemoryStore(model: model))
    let context = ManagedObjectContext(coordinator: coordinator)
    let boxes = try (0..<2).map { _ in try context.insert(Box.self) }
    try context.save()
    var reports: [String] = []
    let numbers = try boxes.map { box in try box.addObserver { _ in reports.append("first") } }
    // The values of the second box are first read when its changes are determined.
    boxes[0].didAwake = { [weak second = boxes[1]] in
      if let second { try? context.refresh(second, mergeChanges: true) }
    }
    var added = 0
    boxes[1].didAwake = { [weak second = boxes[1]] in
      second?.removeObserver(numbers[1])
      added = (try? second?.addObserver { _ in reports.append("second") }) ?? 0
    }
    try context.refresh(boxes[0], mergeChanges: true)
    #expect(added > numbers[1] && reports.isEmpty)
    boxes[1].text = "a"
    #expect(reports == ["second"])
  }

  @Test func `an observer does not retain the object`() throws {
    weak var object: Paper?
    do {
      let paper = try context.insert(Paper.self)
      object = paper
      try context.save()
      _ = try paper.addObserver { _ in }
    }
    context.processPendingChanges()
    #expect(object == nil)
  }

  @Test func `an unknown key and an object without a context are refused`() throws {
    #expect(errorCode { _ = try paper.addObserver(forKeys: ["subtitle"]) { _ in } } == .undefinedKey)
    context.reset()
    #expect(errorCode { _ = try paper.addObserver { _ in } } == .invalidState)
  }
}
