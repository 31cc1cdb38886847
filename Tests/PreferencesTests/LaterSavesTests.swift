import Foundation
import OrderedCollections
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

@Suite("The later of two saves counts") struct LaterSavesTests {
  /// A file, and a store that saves it. When the new file has replaced the old one and the folder is not yet synced,
  /// another process saves `later`, and this process reads it. Then the call fails with `code`, if there is one.
  private func save(
    _ later: OrderedDictionary<String, PropertyList>, _ code: Int32?, _ change: (UserPreferences) -> Void
  ) throws -> (SavedFile, UserPreferences) {
    let file = try SavedFile(["key": 0, "other": 0])
    let store = file.open()
    change(store)
    let recorded = RecordedCalls()
    // First the file is synced, then its folder.
    let error = Interception.ofCalls(in: file.folder.url.path) { call in
      guard call.call == .synchronize, call.path == file.path, recorded.note(call) == 1 else { return nil }
      #expect(throws: Never.self) { try file.write(later) }
      store.file.reload()
      return code
    } during: {
      failure { () throws(PreferencesError) in try store.synchronize() }
    }
    #expect((error == nil) == (code == nil))
    try #require(recorded.calls.count >= 2)
    return (file, store)
  }

  @Test(arguments: [nil, EIO])
  func `a save of another process, before a running save has ended`(_ code: Int32?) throws {
    let (file, store) = try save(["key": 2, "other": 3], code) { $0.set(1, forKey: "key") }
    #expect(store.integer(forKey: "key") == 2)
    #expect(store.integer(forKey: "other") == 3)
    try store.synchronize()
    #expect(try file.contents() == ["key": 2, "other": 3])
    #expect(!store.file.table.hasUnsaved)
  }

  @Test(arguments: [nil, EIO])
  func `a save of another process, before a replaced domain is on the disk`(_ code: Int32?) throws {
    let (file, store) = try save(["key": 2, "other": 3], code) { $0.setPersistentDomain($0.domain, to: ["key": 1]) }
    #expect(store.dictionaryRepresentation() == ["key": 2, "other": 3])
    try store.synchronize()
    #expect(try file.contents() == ["key": 2, "other": 3])
  }

  @Test func `a save of the same process, before a running save has ended`() throws {
    let (file, store) = try save(["key": 2, "other": 3], nil) { store in
      store.set(1, forKey: "key")
      store.set(1, forKey: "other")
    }
    store.set(4, forKey: "key")
    try store.synchronize()
    #expect(try file.contents() == ["key": 4, "other": 3])
  }
}
