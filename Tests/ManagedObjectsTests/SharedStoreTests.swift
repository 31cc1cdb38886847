import Foundation
import PropertyLists
import SystemFiles
import TestSupport
import Testing

@testable import ManagedObjects

/// Two instances of a store behave like two processes: they communicate only through the file.
@Suite("Store files that two instances save") struct SharedStoreTests {
  let model = StoreModels.all
  let folder = TemporaryFolder(isInMemory: true)
  var url: URL { folder.url.appending(path: "store") }

  @Test(arguments: StoreKind.inFiles) func `a file keeps the changes of both instances`(kind: StoreKind) throws {
    let first = try kind.open(url)
    let keys = try first.insert(["Note", "Note"]) { _ in [["content": .string("a")], ["content": .string("b")]] }
    let second = try kind.open(url)
    try first.update(keys[0], ["content": .string("first")])
    try second.update(second.key(keys[1]), ["content": .string("second")])
    let third = try second.insert(["Note"]) { _ in [["content": .string("third")]] }
    second.setMetadata(["mine": .integer(1)])
    try second.save(StoreChanges())
    try first.insert(["Note"]) { _ in [["content": .string("fourth")]] }
    let all = try kind.open(url)
    let contents = try all.comparableRows().map { try all.value(all.key($0.key), "content") }
    #expect(contents == ["first", "second", "third", "fourth"].map { .string($0) })
    #expect(all.metadata["mine"] == .integer(1))
    // The saves of the other instance are included.
    #expect(try first.value(first.key(third[0]), "content") == .string("third"))
    if let first = first as? any FileStore { #expect(first.file._checkInvariants() == nil) }
  }

  @Test(arguments: FileStoreKind.allCases) func `a fetch reads the changed file again`(kind: FileStoreKind) throws {
    let first = try kind.open(url)
    let key = try first.insert(["Note"]) { _ in [["content": .string("a")]] }[0]
    let reader = try kind.open(url)
    try first.update(key, ["content": .string("b")])
    try first.insert(["Note"]) { _ in [["content": .string("c")]] }
    let request = FetchRequest("Note", where: try ManagedPredicate(format: "content IN {'b', 'c'}"))
    let entity = try #require(model["Note"])
    guard case .rows(let rows) = try reader.fetch(request, of: entity) else {
      Issue.record("no rows")
      return
    }
    #expect(rows.map(\.version) == [2, 1])
    // A missing file does not remove the rows, and a damaged file is an error.
    let bytes = try Data(contentsOf: url)
    try FileManager.default.removeItem(at: url)
    #expect(try reader.fetch(request, of: entity) == .rows(rows))
    try Data("damaged".utf8).write(to: url)
    #expect(thrownError { _ = try reader.fetch(request, of: entity) } != nil)
    try bytes.write(to: url)
    #expect(try reader.fetch(request, of: entity) == .rows(rows))
  }

  @Test(arguments: FileStoreKind.allCases)
  func `unchanged objects keep their version`(kind: FileStoreKind) throws {
    let first = try kind.open(url)
    let values: [String: RowValue] = [
      "double": .attribute(.double(.nan)), "float": .attribute(.float(.nan)), "decimal": .attribute(.decimal(.nan)),
      "string": .string("a"),
    ]
    let keys = try first.insert(["Everything", "Note"]) { _ in [values, [:]] }
    try first.update(keys[1], [:])
    let second = try kind.open(url)
    try second.update(second.key(keys[1]), ["content": .string("x")])
    try first.insert(["Note"]) { _ in [[:]] }
    #expect(try first.rows(keys).map { $0?.version } == [1, 3])
  }

  @Test(arguments: StoreKind.inFiles) func `changes of one object in both instances conflict`(kind: StoreKind) throws {
    let first = try kind.open(url)
    let keys = try first.insert(["Note", "Note", "Note"]) { _ in [[:], [:], [:]] }
    let second = try kind.open(url)
    try second.update(second.key(keys[0]), ["content": .string("second")])
    try second.delete([second.key(keys[1])])
    let bytes = try Data(contentsOf: url)
    var changes = StoreChanges()
    changes.updated = [row(keys[0], model, ["content": .string("first")]), row(keys[2], model)]
    changes.deleted = [row(keys[1], model)]
    let error = thrownError { try first.save(changes) }
    #expect(error?.code == .merge)
    #expect(
      error?.conflicts == [
        MergeConflict(
          object: changes.updated[0], snapshot: nil,
          stored: row(keys[0], model, ["content": .string("second")], version: 2)),
        MergeConflict(object: nil, snapshot: changes.deleted[0], stored: nil),
      ])
    #expect(try Data(contentsOf: url) == bytes)
    // The rows have been updated from the file, so that the conflict can be resolved.
    #expect(try first.rows([keys[0]])[0]?.version == 2)
    try first.update(keys[0], ["content": .string("settled")])
    let again = try kind.open(url)
    #expect(try again.value(again.key(keys[0]), "content") == .string("settled"))
  }

  @Test(arguments: StoreKind.inFiles)
  func `equal constraint values in both instances conflict`(kind: StoreKind) throws {
    let first = try kind.open(url)
    let second = try kind.open(url)
    try second.insert(["Person"]) { _ in [["name": .string("Ann")]] }
    let error = thrownError { try first.insert(["Person"]) { _ in [["name": .string("Ann")]] } }
    #expect(error?.code == .constraintMerge)
  }

  @Test(arguments: FileStoreKind.allCases)
  func `a new object whose key is already used is an error`(kind: FileStoreKind) throws {
    let first = try kind.open(url)
    let second = try kind.open(url)
    let keys = try first.makeKeys([model["Note"]!.index])
    try second.insert(["Person"]) { _ in [["name": .string("Ann")]] }
    var changes = StoreChanges()
    changes.inserted = [row(keys[0], model)]
    #expect(errorCode { try first.save(changes) } == .keysTaken)
    // A save with new keys succeeds.
    try first.insert(["Note"]) { _ in [[:]] }
    #expect(try kind.open(url).comparableRows().count == 2)
  }

  @Test(arguments: FileStoreKind.allCases)
  func `a save creates a deleted file again with all objects`(kind: FileStoreKind) throws {
    let store = try kind.open(url)
    try store.insert(["Note"]) { _ in [["content": .string("a")]] }
    try FileManager.default.removeItem(at: url)
    try store.insert(["Note"]) { _ in [["content": .string("b")]] }
    let again = try kind.open(url)
    #expect(try again.comparableRows() == store.comparableRows())
    #expect(again.identifier == store.identifier)
    try FileManager.default.removeItem(at: folder.url)
    #expect(errorCode { try store.insert(["Note"]) { _ in [[:]] } } == .save)
  }

  @Test(arguments: FileStoreKind.allCases)
  func `a damaged or replaced file is not overwritten`(kind: FileStoreKind) throws {
    let store = try kind.open(url)
    for data in [Data("garbage".utf8), Data()] {
      try data.write(to: url)
      #expect(thrownError { try store.insert(["Note"]) { _ in [[:]] } } != nil)
      #expect(try Data(contentsOf: url) == data)
    }
    try FileManager.default.removeItem(at: url)
    _ = try kind.open(url)
    let bytes = try Data(contentsOf: url)
    #expect(errorCode { try store.insert(["Note"]) { _ in [[:]] } } == .save)
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test func `a new object with the key number of another entity is an error`() throws {
    let store = try XMLStore(url, model: model)
    let keys = try store.insert(["Person"]) { _ in [[:]] }
    let bytes = try Data(contentsOf: url)
    var changes = StoreChanges()
    let key = RowKey(store: store.number, entityIndex: model["Note"]!.index, number: keys[0].number)
    changes.inserted = [row(key, model)]
    #expect(errorCode { try store.save(changes) } == .invalidState)
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try store.comparableRows().count == 1)
  }

  @Test(arguments: FileStoreKind.allCases) func `a save keeps the file permissions`(kind: FileStoreKind) throws {
    let store = try kind.open(url)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
    try store.insert(["Note"]) { _ in [[:]] }
    #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o640)
    #expect(folder.names == ["store"])
  }

  @Test(arguments: StoreKind.inFiles)
  func `concurrent saves of two instances lose no rows`(kind: StoreKind) async throws {
    let stores = [try kind.open(url), try kind.open(url)]
    let saved = await withTaskGroup(of: Int.self) { group in
      for task in 0..<4 {
        group.addTask {
          var count = 0
          for number in 0..<10 {
            // A save whose number has been taken retries with another one.
            for _ in 0..<1000 {
              do {
                try stores[task % 2].insert(["Note"]) { _ in [["content": .string("\(task) \(number)")]] }
                count += 1
                break
              } catch {
                guard (error as? ManagedObjectError)?.code == .keysTaken else { break }
              }
            }
          }
          return count
        }
      }
      return await group.reduce(0, +)
    }
    #expect(saved == 40)
    let contents = try kind.open(url).comparableRows().map(\.values)
    #expect(Set(contents).count == 40)
  }

  /// Each system call of a save fails in turn.
  @Test(arguments: FileStoreKind.allCases)
  func `a failed save changes neither the rows nor the file`(kind: FileStoreKind) throws {
    let store = try kind.open(url)
    let keys = try store.insert(["Note"]) { _ in [["content": .string("old")]] }
    var failures = 0
    for number in 0..<200 {
      let calls = RecordedCalls()
      var changes = StoreChanges()
      changes.updated = [store.changed(try store.rows(keys)[0]!, ["content": .string("new \(number)")])]
      let error = thrownError {
        try Interception.ofCalls(in: folder.url.path) { call in
          calls.note(call) == number ? (call.call == .write ? ENOSPC : EIO) : nil
        } during: {
          _ = try store.save(changes)
        }
      }
      guard let error else {
        // The failure of this call is harmless, or the save makes fewer calls.
        if calls.calls.count <= number { break }
        let again = try kind.open(url)
        #expect(try again.value(again.key(keys[0]), "content") == .string("new \(number)"))
        try store.update(keys[0], ["content": .string("old")])
        continue
      }
      failures += 1
      #expect([.save, .open].contains(error.code), "\(error)")
      let again = try kind.open(url)
      #expect(
        try again.value(again.key(keys[0]), "content") == .string("old"), "call \(number): \(calls.calls[number])")
      #expect(try store.value(keys[0], "content") == .string("old"))
      // Files that cannot be checked or removed are removed when the store is opened later.
      let stays: [SystemCall] = [.unlink, .status]
      #expect(folder.names == ["store"] || stays.contains(calls.calls[number].call), "\(calls.calls[number])")
      for name in folder.names where name != "store" {
        try FileManager.default.removeItem(at: folder.url.appending(path: name))
      }
    }
    #expect(failures > 4)
  }
}
