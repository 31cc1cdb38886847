import Foundation
import Observation
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Fetched results") struct FetchedResultsTests {
  final class Contact: ManagedObject {
    @Attribute var name: String
    @Attribute var initial: String?
    @Attribute var age = 0
    @Relationship(inverse: \Team.members) var team: Team?
  }

  final class Team: ManagedObject {
    @Attribute var name: String
    @Relationship var members: Set<Contact>
  }

  typealias Controller = FetchedResultsController<Contact>

  private let model: ManagedObjectModel
  private let store: WatchedStore
  private let context: ManagedObjectContext

  init() throws {
    model = try ManagedObjectModel(Contact.self, Team.self)
    store = try WatchedStore(model: model)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(store)
    context = ManagedObjectContext(coordinator: coordinator)
  }

  private func newContext() -> ManagedObjectContext { ManagedObjectContext(coordinator: context.coordinator) }

  @discardableResult
  private func add(_ names: String..., team: Team? = nil) throws -> [Contact] {
    try names.map { name in
      let contact = try context.insert(Contact.self)
      contact.name = name
      contact.initial = name.first.map { $0.uppercased() }
      contact.team = team
      return contact
    }
  }

  private func request() throws -> FetchRequest { try FetchRequest(Contact.self, sortedBy: .ascending(\.name)) }

  private func results(_ request: FetchRequest? = nil, sections: String? = "initial") throws -> Controller {
    let results = try Controller(Contact.self, request ?? self.request(), in: context, sectionKeyPath: sections)
    try results.performFetch()
    return results
  }

  private func text(_ results: Controller) -> String {
    results.sections.map { "\($0.name):" + $0.map(\.name).joined(separator: ",") }.joined(separator: " ")
  }

  @Test func `results return objects by section, index and index path`() throws {
    let added = try add("Bob", "Ada", "Alan", "Cleo")
    let results = try results()
    #expect(text(results) == "A:Ada,Alan B:Bob C:Cleo")
    #expect(results.count == 4 && results.sectionCount == 3 && results.fetchedObjects.map(\.name).first == "Ada")
    #expect(results.sections.map(\.count) == [2, 1, 1] && results.section(at: 3) == nil)
    #expect(results.sections[0][1]?.name == "Alan" && results.sections[0][2] == nil && results.sections[0][-1] == nil)
    #expect(results.indexPath(of: added[2]) == ResultIndexPath(section: 0, item: 1))
    #expect(results.object(at: ResultIndexPath(section: 2, item: 0)) === added[3])
    #expect(results.object(at: ResultIndexPath(section: 2, item: 1)) == nil && results.object(at: 4) == nil)
    #expect(results.object(at: ResultIndexPath(section: -1, item: 0)) == nil && results.object(at: -1) == nil)
    #expect(results.object(at: 2) === added[0])
    #expect(results.snapshot.objectIDs == results.fetchedObjects.map(\.objectID))
    let other = try newContext().insert(Contact.self)
    #expect(results.indexPath(of: other) == nil)
    #expect(ResultIndexPath(section: 1, item: 2).description == "[1, 2]")
  }

  @Test func `index titles are the first letters of names or the results of a function`() throws {
    try add("ada", "Alan", "bob", "éva")
    var request = try request()
    request.sortDescriptors[0].comparison = .localizedStandard
    let results = try results(request, sections: "name")
    #expect(results.sectionIndexTitles == ["A", "B", "É"] && results.sectionCount == 4)
    #expect(results.section(forSectionIndexTitle: "B") == 2 && results.section(forSectionIndexTitle: "Z") == nil)
    results.sectionIndexTitle = { $0 == "bob" ? nil : "#" }
    #expect(results.sectionIndexTitles == ["#"] && results.sections.map(\.indexTitle) == ["#", "#", nil, "#"])
  }

  @Test func `a section function is evaluated again when its key paths change`() throws {
    let team = try context.insert(Team.self)
    team.name = "Blue"
    let contact = try add("Ada", team: team)[0]
    try add("Zoe")
    let results = try Controller(
      Contact.self, FetchRequest("Contact", sortedBy: [.init("team.name"), .init("name")]), in: context,
      dependingOn: ["team.name"]
    ) { $0.team?.name ?? "none" }
    #expect(results.sectionCount == 0, "nothing is fetched")
    try results.performFetch()
    #expect(text(results) == "none:Zoe Blue:Ada")
    try context.save()
    team.name = "Red"
    context.processPendingChanges()
    #expect(text(results) == "none:Zoe Red:Ada")
    contact.team = nil
    context.processPendingChanges()
    #expect(text(results) == "none:Ada,Zoe")
  }

  @Test func `a controller with an unsupported request throws`() throws {
    func code(_ change: (inout FetchRequest) -> Void, sections: String? = nil) throws -> ManagedObjectError.Code? {
      var request = try request()
      change(&request)
      return errorCode { _ = try Controller(Contact.self, request, in: context, sectionKeyPath: sections) }
    }
    #expect(try code({ _ in }) == nil)
    #expect(try code { $0.sortDescriptors = [] } == .unsupportedRequest)
    #expect(try code { $0.resultType = .count } == .unsupportedRequest)
    #expect(try code { $0.includesPendingChanges = false } == .unsupportedRequest)
    #expect(try code { $0.entityName = "Nothing" } == .undefinedKey)
    #expect(try code { $0.entityName = "Team" } == .invalidValue)
    #expect(try code { $0.fetchLimit = -1 } == .unsupportedRequest)
    #expect(try code({ _ in }, sections: "nothing") == .undefinedKey)
    #expect(try code({ _ in }, sections: "team..name") == .unsupportedRequest)
    #expect(
      errorCode {
        _ = try Controller(Contact.self, request(), in: context, dependingOn: ["nothing"]) { _ in "" }
      } == .undefinedKey)
  }

  @Test
  func `objects of a section that are not adjacent are an error, which a later change resolves`() throws {
    let added = try add("Ada", "Bob", "Cleo")
    added[2].initial = "A"
    let fresh = try Controller(Contact.self, request(), in: context, sectionKeyPath: "initial")
    let error = thrownError { try fresh.performFetch() }
    #expect(error?.code == .unsupportedRequest && error?.key == "initial" && error?.objectID == added[2].objectID)
    #expect(error?.message.contains("\"A\"") == true)
    added[2].initial = "C"
    let results = try results()
    let before = results.snapshot
    added[2].initial = "A"
    added[0].name = "Aaron"
    context.processPendingChanges()
    #expect(results.failure?.objectID == added[2].objectID && results.snapshot == before)
    #expect(context.misuse.last?.code == .unsupportedRequest)
    #expect(results.engine.list._checkInvariants() == nil)
    added[2].name = "Abe"
    context.processPendingChanges()
    #expect(results.failure == nil && text(results) == "A:Aaron,Abe B:Bob")
  }

  @Test func `results are unchanged while the store fails, and the next change updates them`() throws {
    try add("Ada", "Bob")
    try context.save()
    let results = try results()
    store.failsToRead = true
    try context.refreshAllObjects()
    context.processPendingChanges()
    #expect(results.failure?.code == .operation && results.count == 2)
    store.failsToRead = false
    try add("Alan")
    context.processPendingChanges()
    #expect(results.failure == nil && text(results) == "A:Ada,Alan B:Bob")
    // Permanent IDs that objects got in the meantime are reported too.
    var shown = results.snapshot
    let keeper = ChangeKeeper()
    results.delegate = keeper
    store.failsToRead = true
    try context.refreshAllObjects()
    try context.save()
    #expect(results.failure?.code == .operation)
    store.failsToRead = false
    try add("Beth")
    context.processPendingChanges()
    for changes in keeper.changes { shown.apply(changes) }
    #expect(results.failure == nil && shown == results.snapshot)
  }

  /// The calls of a delegate, in order.
  final class Log: FetchedResultsControllerDelegate {
    var entries: [String] = []
    var action: (() -> Void)?

    func take() -> [String] {
      defer { entries = [] }
      return entries
    }

    func controllerWillChangeContent(_ controller: Controller) { entries.append("will") }

    func controller(_ controller: Controller, didChangeSection change: FetchedResultsChanges.SectionChange) {
      entries.append("\(change.kind) \(change.name) \(change.index)")
    }

    func controller(_ controller: Controller, didChangeObject change: FetchedResultsChanges.ObjectChange) {
      let positions = [change.indexPath, change.newIndexPath].compactMap { $0?.description }.joined(separator: " ")
      entries.append("\(change.kind) \(positions)")
      let action = action
      self.action = nil
      action?()
    }

    func controllerDidChangeContent(_ controller: Controller) { entries.append("did") }
  }

  @Test func `a delegate is called for sections, then for objects with old and new index paths`() throws {
    let added = try add("Ada", "Bob", "Carl", "Cleo", "Dan")
    let results = try results()
    let log = Log()
    results.delegate = log
    try context.save()
    #expect(log.take().isEmpty, "only their IDs changed")
    try add("Eve")
    try context.delete(added[0])
    added[2].name = "Czar"
    added[3].age = 3
    added[4].initial = "C"
    added[4].name = "Cz"
    context.processPendingChanges()
    #expect(text(results) == "B:Bob C:Cleo,Cz,Czar E:Eve")
    #expect(
      log.take() == [
        "will", "delete A 0", "delete D 3", "insert E 2", "insert [2, 0]", "delete [0, 0]", "move [3, 0] [1, 1]",
        "move [2, 0] [1, 2]", "update [2, 1] [1, 0]", "did",
      ])
    added[1].age = 7
    try context.save()
    #expect(log.take() == ["will", "update [0, 0] [0, 0]", "did"])
    context.processPendingChanges()
    #expect(log.take().isEmpty)
    results.delegate = nil
    added[1].age = 8
    context.processPendingChanges()
    #expect(log.take().isEmpty)
  }

  @Test func `the first save of an object is reported as a new ID only`() throws {
    try add("Ada")
    try context.save()
    let results = try results()
    let (log, keeper) = (Log(), ChangeKeeper())
    results.delegate = log
    let bob = try add("Bob")[0]
    context.processPendingChanges()
    #expect(log.take() == ["will", "insert B 1", "insert [1, 0]", "did"])
    results.delegate = keeper
    var shown = results.snapshot
    let temporaryID = bob.objectID
    try context.save()
    let changes = try #require(keeper.changes.first)
    #expect(keeper.changes.count == 1 && changes.objects.isEmpty && changes.sections.isEmpty)
    #expect(
      changes.newIDs == [
        .init(
          oldID: temporaryID, newID: bob.objectID, indexPath: ResultIndexPath(section: 1, item: 0), offset: 1)
      ])
    #expect(shown.apply(changes) && shown == results.snapshot)
    bob.age = 1
    try context.save()
    #expect(keeper.changes.last?.updatedIDs == [bob.objectID] && keeper.changes.last?.newIDs.isEmpty == true)
  }

  @Test func `changes made by a delegate are reported after the current changes`() throws {
    let added = try add("Ada", "Bob", "Cleo")
    try context.save()
    let (results, second) = (try results(), try results(sections: nil))
    let (log, secondLog) = (Log(), Log())
    results.delegate = log
    second.delegate = secondLog
    log.action = { [context] in
      // The object is shown until its deletion is reported.
      try? context.delete(added[1])
      try? context.save()
      #expect(results.count == 4 && results.object(at: 2) === added[1])
    }
    try add("Alan")
    context.processPendingChanges()
    #expect(
      log.take() == [
        "will", "insert [0, 1]", "did", "will", "delete B 1", "delete [1, 0]", "did",
      ])
    #expect(text(results) == "A:Ada,Alan C:Cleo" && second.fetchedObjects == results.fetchedObjects)
    #expect(secondLog.take().filter { $0.hasPrefix("insert") || $0.hasPrefix("delete") }.count == 2)
  }

  @Test func `a controller is released while its delegate is called`() throws {
    try add("Ada")
    var results: Controller? = try results()
    let log = Log()
    results?.delegate = log
    weak let engine = results?.engine
    log.action = { results = nil }
    try add("Bob", "Cleo")
    context.processPendingChanges()
    #expect(log.take().contains("insert [1, 0]") && results == nil && engine == nil)
    try add("Dan")
    context.processPendingChanges()
    #expect(log.take().isEmpty && context.followers.isEmpty)
  }

  @Test(.timeLimit(.minutes(hangLimitInMinutes)))
  func `changes are an asynchronous sequence, which ends when the controller is released`() async throws {
    var results: Controller? = try results(sections: nil)
    var list = results?.snapshot ?? FetchedResultsSnapshot()
    var changes = try #require(results?.changes.makeAsyncIterator())
    var unused: AsyncStream<FetchedResultsChanges>? = results?.changes
    try add("Bob")
    context.processPendingChanges()
    try add("Ada")
    context.processPendingChanges()
    for _ in 0..<2 { #expect(await list.apply(try #require(changes.next()))) }
    #expect(list == results?.snapshot && list.objectIDs.count == 2)
    unused = nil
    _ = unused
    results = nil
    #expect(await changes.next() == nil)
  }

  @Test func `a snapshot rejects changes that do not match it`() throws {
    var changes = FetchedResultsChanges()
    let results = try results(sections: nil)
    var stream = results.snapshot
    let log = ChangeKeeper()
    results.delegate = log
    try add("Ada", "Bob")
    context.processPendingChanges()
    changes = try #require(log.changes.last)
    #expect(stream.apply(changes) && stream == results.snapshot)
    let before = stream
    #expect(!stream.apply(log.changes[0].reversedForTests) && stream == before)
  }

  final class ChangeKeeper: FetchedResultsControllerDelegate {
    var changes: [FetchedResultsChanges] = []
    func controller(_ controller: Controller, didChangeContentWith changes: FetchedResultsChanges) {
      self.changes.append(changes)
    }
  }

  @Test func `observation tracking reports changes of the results`() throws {
    try add("Ada")
    let results = try results()
    let calls = Mutex(0)
    func track() {
      withObservationTracking {
        _ = results.sections.map(\.name)
      } onChange: {
        calls.withLock { $0 += 1 }
      }
    }
    track()
    context.processPendingChanges()
    let team = try context.insert(Team.self)
    team.name = "Blue"
    context.processPendingChanges()
    #expect(calls.withLock { $0 } == 0, "no object of the results changed")
    try add("Bob")
    context.processPendingChanges()
    #expect(calls.withLock { $0 } == 1)
    track()
    try results.performFetch()
    #expect(calls.withLock { $0 } == 2)
  }

  @Test func `results keep faults and read them in batches`() throws {
    for number in 0..<40 { try add("\(number + 10)") }
    try context.save()
    let reader = newContext()
    var request = try request()
    request.fetchBatchSize = 10
    let results = try Controller(Contact.self, request, in: reader)
    let reads = store.rowReads
    try results.performFetch()
    #expect(store.rowReads == reads && reader.registeredObjects.isEmpty)
    #expect(results.object(at: 25)?.name == "35" && store.rowReads == reads + 1)
    #expect(reader.registeredObjects.count == 10)
    #expect((20..<30).map { results.object(at: $0)?.name } == (30..<40).map { "\($0)" })
    #expect(store.rowReads == reads + 1)
    #expect(results.fetchedObjects.map(\.name) == (10..<50).map { "\($0)" } && store.rowReads == reads + 4)
    // Sections need the values of all objects once. The objects are not kept.
    let sectioned = try Controller(Contact.self, request, in: reader, sectionKeyPath: "initial")
    try sectioned.performFetch()
    #expect(sectioned.sections.map(\.count) == [10, 10, 10, 10] && reader.registeredObjects.count <= 30)
  }

  @Test(arguments: LongForm.isWanted ? [1_000, 100_000] : [1_000])
  func `a change takes a logarithmic number of comparisons`(count: Int) throws {
    let team = try context.insert(Team.self)
    team.name = "Blue"
    for number in 0..<count {
      let contact = try context.insert(Contact.self)
      contact.name = "\(number * 7919 % count + 1_000_000)"
      contact.initial = "A"
      contact.team = team
    }
    try context.save()
    let request = FetchRequest(
      "Contact", where: try ManagedPredicate(format: "team.name == 'Blue'"), sortedBy: [.init("name")])
    let results = try results(request)
    let reads = store.rowsRead
    for number in 0..<20 {
      let new = try add("\(number * count / 20 + 1_000_000)x", team: team)[0]
      new.initial = "A"
      context.processPendingChanges()
      #expect(results.indexPath(of: new) != nil)
      new.name = "\((number + 9) % 20 * count / 20 + 1_000_000)y"
      context.processPendingChanges()
      if number % 2 == 0 { try context.delete(new) }
      context.processPendingChanges()
    }
    let limit = Int(Double(count).logarithm.rounded(.up)) + 3
    #expect(results.engine.comparisonCount <= 40 * limit, "\(results.engine.comparisonCount) comparisons")
    #expect(store.rowsRead == reads && results.count == count + 10)
  }

  @Test func `the results of a parent change when a child saves`() throws {
    try add("Ada")
    let results = try results()
    let child = ManagedObjectContext(parent: context)
    let mine = try Controller(Contact.self, request(), in: child, sectionKeyPath: "initial")
    try mine.performFetch()
    let contact = try child.insert(Contact.self)
    contact.name = "Bob"
    contact.initial = "B"
    child.processPendingChanges()
    #expect(text(mine) == "A:Ada B:Bob" && text(results) == "A:Ada")
    try child.save()
    #expect(text(results) == "A:Ada B:Bob")
    try context.save()
    // The object is found by its permanent ID.
    #expect(mine.indexPath(of: contact) == ResultIndexPath(section: 1, item: 0) && !contact.objectID.isTemporary)
    child.processPendingChanges()
    #expect(mine.snapshot == results.snapshot)
  }

  @Test func `a merged change that equals an unsaved change moves rows to another section`() throws {
    let team = try context.insert(Team.self)
    team.name = "Red"
    try add("Ada", team: team)
    try context.save()
    let request = FetchRequest("Contact", sortedBy: [.init("team.name"), .init("name")])
    let results = try results(request, sections: "team.name")
    let other = newContext()
    try other.existingObject(Team.self, with: team.objectID).name = "Blue"
    try other.save()
    team.name = "Blue"
    var changes = SavedChanges()
    changes.updated = [team.objectID]
    try context.mergeChanges(from: changes)
    #expect(text(results) == "Blue:Ada")
  }

  @Test func `a predicate with an unsaved object as its argument still matches after the save`() throws {
    let team = try context.insert(Team.self)
    team.name = "Blue"
    try add("Ada", team: team)
    let request = FetchRequest(
      "Contact", where: try ManagedPredicate(format: "team == %@", team), sortedBy: [.init("name")])
    let results = try results(request)
    try context.save()
    try add("Bob", team: team)
    context.processPendingChanges()
    #expect(text(results) == "A:Ada B:Bob")
  }
}

extension FetchedResultsChanges {
  /// Changes that remove the inserted items, at indexes that do not exist.
  fileprivate var reversedForTests: FetchedResultsChanges {
    var changes = self
    for index in changes.objects.indices {
      changes.objects[index].kind = .delete
      changes.objects[index].indexPath = ResultIndexPath(section: 7, item: 7)
    }
    return changes
  }
}

extension Double {
  fileprivate var logarithm: Double { log2(self) }
}
