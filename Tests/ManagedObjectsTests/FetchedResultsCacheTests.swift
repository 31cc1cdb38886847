import Foundation
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Caches of fetched results") struct FetchedResultsCacheTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var cache: FetchedResultsCache {
    FetchedResultsCache(name: "all/contacts", folder: folder.url.appending(path: "caches"))
  }
  private var cacheFile: URL { cache.folder.appending(path: "all%2Fcontacts.results") }

  private func open(_ kind: StoreKind) throws -> ManagedObjectContext {
    try ManagedObjectContext(kind.open(folder.url.appending(path: "store.\(kind)"), ResultsCase.model))
  }

  private func fill(_ context: ManagedObjectContext, _ count: Int = 60) throws {
    for number in 0..<count {
      let contact = try context.insert(number % 3 == 0 ? "Friend" : "Contact")
      try contact.setValues([
        "name": .string("name \(number * 37 % count)"), "city": .string(["Bern", "Athens", "", "Zürich"][number % 4]),
        "age": .integer(Int64(number % 5)),
      ])
    }
    try context.save()
  }

  private func request() -> FetchRequest { FetchRequest("Contact", sortedBy: [.init("city"), .init("name")]) }

  private func results(
    _ context: ManagedObjectContext, _ request: FetchRequest? = nil, sections: String? = "city"
  ) throws -> FetchedResultsController<ManagedObject> {
    let results = try FetchedResultsController(
      request ?? self.request(), in: context, sectionKeyPath: sections, cache: cache)
    try results.performFetch()
    return results
  }

  @Test(arguments: [StoreKind.sqlite, .xml, .binary])
  func `results of an unchanged store are read from the cache`(kind: StoreKind) throws {
    let snapshot: FetchedResultsSnapshot
    do {
      let context = try open(kind)
      try fill(context)
      let first = try results(context)
      #expect(!first.engine.isFromCache && first.count == 60)
      snapshot = first.snapshot
      let second = try results(ManagedObjectContext(coordinator: context.coordinator))
      #expect(second.engine.isFromCache && second.snapshot == snapshot)
    }
    let context = try open(kind)
    let again = try results(context)
    #expect(again.engine.isFromCache && again.snapshot == snapshot && context.registeredObjects.isEmpty)
    #expect(try again.fetchedObjects == context.fetch(request()))
    // Later changes are tracked.
    let object = try #require(again.object(at: 10))
    try object.setValue(.string("zzz"), forKey: "city")
    try context.delete(#require(again.object(at: 3)))
    try context.insert("Contact").setValue(.string("Cork"), forKey: "city")
    context.processPendingChanges()
    #expect(try again.fetchedObjects == context.fetch(request()) && again.sections.map(\.name).last == "zzz")
    #expect(again.engine.list._checkInvariants() == nil)
  }

  @Test(arguments: [StoreKind.sqlite, .xml, .binary], 0..<4)
  func `a save of any context invalidates the cache`(kind: StoreKind, change: Int) throws {
    let context = try open(kind)
    try fill(context)
    _ = try results(context)
    #expect(try results(ManagedObjectContext(coordinator: context.coordinator)).engine.isFromCache)
    let other = change == 3 ? context : try open(kind)
    let object = try #require(other.fetch(request()).first)
    switch change {
    case 0: try other.insert("Contact").setValue(.string("Cork"), forKey: "city")
    case 1: try other.delete(object)
    default: try object.setValue(.string("zzz"), forKey: "city")
    }
    try other.save()
    let reader = try open(kind)
    let again = try results(reader)
    #expect(!again.engine.isFromCache)
    #expect(try again.fetchedObjects == reader.fetch(request()))
    #expect(try results(open(kind)).engine.isFromCache)
  }

  @Test func `a write by another program invalidates the cache`() throws {
    let context = try open(.sqlite)
    try fill(context)
    _ = try results(context)
    let file = folder.path("store.sqlite")
    let process = try Process.run(
      URL(filePath: "/usr/bin/env"),
      arguments: [
        "python3", "-c",
        "import sqlite3,sys\nc=sqlite3.connect(sys.argv[1]);c.execute(\"UPDATE ZCONTACT SET ZCITY='Rome' WHERE Z_PK=1\");c.commit()",
        file,
      ])
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    let again = try results(open(.sqlite))
    #expect(!again.engine.isFromCache && again.sections.map(\.name).contains("Rome"))
  }

  @Test func `the cache is not used for another request, other sections or unsaved changes`() throws {
    let context = try open(.sqlite)
    try fill(context)
    var others: [(FetchRequest, String?)] = [(request(), nil), (request(), "name")]
    var request = request()
    request.predicate = try ManagedPredicate(format: "age > 2")
    others.append((request, "city"))
    request.predicate = try ManagedPredicate(format: "age > 3")
    others.append((request, "city"))
    request = self.request()
    request.includesSubentities = false
    others.append((request, "city"))
    request = self.request()
    request.sortDescriptors[1].isAscending = false
    others.append((request, "city"))
    request.sortDescriptors[1].comparison = .localized
    others.append((request, "city"))
    for (request, sections) in others where sections != "name" {
      #expect(try !results(context, request, sections: sections).engine.isFromCache)
      #expect(try results(context, request, sections: sections).engine.isFromCache)
    }
    request = self.request()
    request.fetchLimit = 5
    for _ in 0..<2 { #expect(try !results(context, request).engine.isFromCache) }
    _ = try results(context)
    try context.insert("Contact")
    #expect(try !results(context).engine.isFromCache)
    context.rollback()
    #expect(try results(context).engine.isFromCache)
    #expect(try !results(ManagedObjectContext(parent: context)).engine.isFromCache)
    try FetchedResultsController<ManagedObject>.deleteCache(name: cache.name, folder: cache.folder)
    try cache.delete()
    #expect(try !results(context).engine.isFromCache)
    #expect(FileManager.default.fileExists(atPath: cacheFile.path))
    try FetchedResultsCache.deleteAll(in: cache.folder)
    #expect(!FileManager.default.fileExists(atPath: cacheFile.path))
  }

  @Test func `a damaged cache file is ignored`() throws {
    let context = try open(.sqlite)
    try fill(context)
    let wanted = try results(context).snapshot
    let data = try Data(contentsOf: cacheFile)
    let file = try #require(ResultFile(data))
    #expect(file.data == data)
    for length in stride(from: 0, to: data.count, by: 7) { #expect(ResultFile(data.prefix(length)) == nil) }
    #expect(ResultFile(data + [0]) == nil)
    var random = SeededGenerator(seed: 5)
    for _ in 0..<LongForm.size(20_000, or: 500) {
      var damaged = data
      let offset = Int.random(in: 0..<data.count, using: &random)
      damaged[damaged.startIndex + offset] ^= UInt8.random(in: 1...255, using: &random)
      #expect(ResultFile(damaged) == nil)
    }
    // Files in a valid format that were not written by fetched results.
    var liars: [ResultFile] = []
    for lie in 0..<8 {
      var liar = file
      switch lie {
      case 0: liar.sections[0].count += 1
      case 1: liar.sections[0].count = -1
      case 2: liar.sections[0].count = .max
      case 3: liar.sections[1].name = liar.sections[0].name
      case 4: liar.stretches[0].store = 9
      case 5: liar.stretches[0].entityIndex = Int.max
      case 6: liar.stretches[0].numbers[0] = -4
      default: liar.stretches[2].numbers[0] = liar.stretches[0].numbers[0]
      }
      liars.append(liar)
    }
    for liar in liars {
      try liar.data.write(to: cacheFile)
      let again = try results(context)
      #expect(!again.engine.isFromCache && again.snapshot == wanted)
    }
    // A file with IDs of missing objects is accepted; their values are null.
    var liar = file
    liar.stretches[0].numbers[0] = 77_777
    try liar.data.write(to: cacheFile)
    let again = try results(context)
    #expect(again.engine.isFromCache && again.object(at: 0)?["name"] == .attribute(.null))
    // A cache file that cannot be written is not an error.
    try FileManager.default.removeItem(at: cache.folder)
    try Data().write(to: cache.folder)
    #expect(try results(context).snapshot == wanted)
  }
}
