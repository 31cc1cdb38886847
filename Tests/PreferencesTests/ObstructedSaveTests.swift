import Foundation
import OrderedCollections
import PropertyLists
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import Preferences

@Suite("Obstacles to a save lose nothing") struct ObstructedSaveTests {
  @Test(
    "a full disk and a read-only folder are reported with the path, and saved to later",
    arguments: [ENOSPC, EROFS, EDQUOT, EACCES])
  func noNewFile(_ code: Int32) throws {
    let file = try SavedFile(["a": 1])
    let store = file.open()
    let (path, old) = (file.path, file.bytes)
    Interception.ofAllCalls(in: file.folder.url.path) { call in
      guard call.path == path else { return nil }
      // On a full disk, files can be created, but not written.
      if code == ENOSPC || code == EDQUOT { return call.call == .write ? code : nil }
      return [.changeMode, .rename, .exchange].contains(call.call) ? code : nil
    } during: {
      store.set(2, forKey: "b")
      for _ in 0..<3 {
        let error = failure { () throws(PreferencesError) in try store.synchronize() }
        guard case .notSaved(path, let reason)? = error else {
          Issue.record("\(error as Any)")
          continue
        }
        #expect(reason.kind == .inputOutput(errno: code))
        #expect(error?.description.contains(path) == true)
      }
      #expect(store.integer(forKey: "b") == 2)
      #expect(file.bytes == old)
      #expect(file.temporaryNames == [])
      #expect(file.namesSetAside == [])
    }
    try store.synchronize()
    #expect(try file.contents() == ["a": 1, "b": 2])
  }

  @Test(arguments: [PropertyListFormat.binary, .xml])
  func `values larger than the reading limit are not written`(_ format: PropertyListFormat) throws {
    let entries = DomainEntries(byName: ["a": .data(Data(count: 1000))])
    let (bytes, _) = try DomainFile.bytes(of: entries, format, for: "/folder/a.plist", limit: 2000)
    #expect(bytes.count > 1000)
    let error = try #require(throws: PropertyListError.self) {
      try DomainFile.bytes(of: entries, format, for: "/folder/a.plist", limit: bytes.count - 1)
    }
    #expect(error.kind == .limitExceeded && error.message.contains("/folder/a.plist"))
  }

  @Test(.enabled(if: getuid() != 0)) func `a folder without write permission is reported`() throws {
    let file = SavedFile(below: "folder")
    try FileManager.default.createDirectory(at: file.location, withIntermediateDirectories: true)
    try file.write(["a": 1])
    let store = file.open()
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: file.location.path)
    store.set(2, forKey: "b")
    #expect(failure { () throws(PreferencesError) in try store.synchronize() }?.path == file.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.location.path)
    try store.synchronize()
    #expect(try file.contents() == ["a": 1, "b": 2])
  }

  @Test func `a file in place of the folder is reported, and left unchanged`() throws {
    let file = SavedFile(below: "folder")
    try Data("a file".utf8).write(to: file.location)
    let store = file.open()
    store.set(1, forKey: "a")
    #expect(failure { () throws(PreferencesError) in try store.synchronize() }?.path == file.path)
    #expect(store.integer(forKey: "a") == 1)
    #expect(try Data(contentsOf: file.location) == Data("a file".utf8))
    try FileManager.default.removeItem(at: file.location)
    try store.synchronize()
    #expect(try file.contents() == ["a": 1])
  }

  @Test func `without a home folder, values are kept in memory`() throws {
    let folder = TemporaryFolder()
    let missing = folder.path("home")
    let domain = DomainName("com.example.homeless")
    for home in [nil, missing] {
      let store = UserPreferences(
        suiteName: domain, locations: PreferencesLocations(environment: { _ in nil }, home: home), arguments: [])
      store.set("kept", forKey: "a")
      #expect(failure { () throws(PreferencesError) in try store.synchronize() } == .noFolder)
      #expect(failure { () throws(PreferencesError) in try store.update(forKey: "b") { $0 = 1 } } == .noFolder)
      #expect(store.string(forKey: "a") == "kept")
      #expect(store.value(forKey: "b") == nil)
      #expect(folder.names == [])
      // A user without a folder can still save elsewhere.
      if home != nil {
        try FileManager.default.createDirectory(atPath: missing, withIntermediateDirectories: false)
        try store.synchronize()
        let saved = try #require(
          try FileManager.default.subpathsOfDirectory(atPath: missing).first { $0.hasSuffix("homeless.plist") })
        #expect(try PropertyList(contentsOf: URL(filePath: missing + "/" + saved)) == ["a": "kept"])
      }
    }
  }

  @Test(arguments: [false, true])
  func `a removed folder is reported once, recreated, and has all values`(_ isLookedAt: Bool) throws {
    let file = SavedFile(below: "folder")
    try FileManager.default.createDirectory(at: file.location, withIntermediateDirectories: true)
    try file.write(["a": 1, "b": [2, 3]])
    let store = file.open()
    // In one step: a file that is removed while its folder exists is a domain that was removed.
    try FileManager.default.moveItem(at: file.location, to: file.folder.url.appending(path: "away"))
    #expect(store.integer(forKey: "a") == 1)
    // Bypasses the save in the background, which could get the error.
    _ = store.file.table.set(4, forKey: TableKey("c"))
    #expect(
      failure { () throws(PreferencesError) in try store.synchronize() } == .folderVanished(path: file.location.path))
    if isLookedAt { store.file.reload() }
    #expect(store.integer(forKey: "a") == 1)
    try store.synchronize()
    #expect(try file.contents() == ["a": 1, "b": [2, 3], "c": 4])
    #expect(file.permissions(file.location.path) == 0o700)
  }

  @Test func `a removed folder is recreated only when the next value is set`() throws {
    let file = SavedFile(below: "folder")
    try FileManager.default.createDirectory(at: file.location, withIntermediateDirectories: true)
    let store = file.open()
    // Not yet saved when the folder is removed.
    _ = store.file.table.set(1, forKey: TableKey("a"))
    try FileManager.default.removeItem(at: file.location)
    let vanished = PreferencesError.folderVanished(path: file.location.path)
    for _ in 0..<3 {
      #expect(
        failure { () throws(PreferencesError) in try store.file.save(patience: .seconds(1), isAskedFor: false) }
          == vanished)
    }
    #expect(!FileManager.default.fileExists(atPath: file.location.path))
    store.set(2, forKey: "b")
    #expect(eventually { file.names == ["\(file.domain).plist"] })
    #expect(try file.contents() == ["a": 1, "b": 2])
  }

  @Test func `a folder that is unmounted and mounted again keeps its values`() throws {
    let file = SavedFile(below: "folder")
    try FileManager.default.createDirectory(at: file.location, withIntermediateDirectories: true)
    try file.write(["a": 1])
    let store = file.open()
    let elsewhere = file.folder.url.appending(path: "unmounted")
    try FileManager.default.moveItem(at: file.location, to: elsewhere)
    try store.synchronize()
    #expect(store.integer(forKey: "a") == 1)
    try FileManager.default.moveItem(at: elsewhere, to: file.location)
    store.set(2, forKey: "b")
    try store.synchronize()
    #expect(try file.contents() == ["a": 1, "b": 2])
    // The value is no longer considered lost: removing it now removes it.
    try FileManager.default.removeItem(at: file.url)
    try store.synchronize()
    #expect(store.value(forKey: "a") == nil)
  }

  @Test(
    "a file that changes during a save is read again, and both sets of changes are kept",
    arguments: [SystemCall.read, .write, .synchronize, .exchange], [Data.WritingOptions.atomic, []])
  func replacedMeanwhile(_ moment: SystemCall, _ options: Data.WritingOptions) throws {
    let situation = try SaveSituation(.binaryFile)
    let file = situation.file
    let store = situation.openChanged()
    let moments = RecordedCalls()
    let theirs = try PropertyList.dictionary(["kept": "old", "changed": "theirs", "theirs": "there"]).data(format: .xml)
    try Interception.ofCalls(in: file.folder.url.path) { call in
      if call.call == moment, call.path == file.path, moments.note(call) == 0 {
        try? theirs.write(to: file.url, options: options)
      }
      return nil
    } during: {
      try store.synchronize()
    }
    #expect(try file.contents() == ["kept": "old", "changed": "new", "theirs": "there"])
    #expect(store.string(forKey: "theirs") == "there")
    #expect(file.temporaryNames == [])
  }

  @Test("of two programs that replace the file at the same moment, the later wins, and the other file is kept")
  func replacedTwice() throws {
    let situation = try SaveSituation(.binaryFile)
    let file = situation.file
    let store = situation.openChanged()
    let moments = RecordedCalls()
    try Interception.ofCalls(in: file.folder.url.path) { call in
      if call.call == .exchange, call.path == file.path {
        // Before the exchange, and before the old file is put back.
        let number = moments.note(call)
        let theirs = PropertyList.dictionary(["theirs": .integer(.init(number))])
        if number < 2 { try? theirs.data(format: .binary).write(to: file.url, options: .atomic) }
      }
      return nil
    } during: {
      try store.synchronize()
    }
    #expect(try file.contents() == ["theirs": 1, "changed": "new"])
    let names = file.names.filter { $0.contains(".plist.replaced-") }
    try #require(names.count == 1 && file.namesSetAside == [])
    let first = try PropertyList(contentsOf: file.location.appending(path: names[0]))
    #expect(first == ["theirs": 0])
    #expect(file.temporaryNames == [])
  }

  @Test func `a file that changes constantly is reported, and saved later`() throws {
    let situation = try SaveSituation(.binaryFile)
    let file = situation.file
    let store = situation.openChanged()
    let moments = RecordedCalls()
    let error = Interception.ofCalls(in: file.folder.url.path) { call in
      if call.call == .write, call.path == file.path {
        // Not by the calls that are observed here.
        let theirs = PropertyList.dictionary(["n": .integer(.init(moments.note(call)))])
        try? theirs.data(format: .binary).write(to: file.url)
      }
      return nil
    } during: {
      failure { () throws(PreferencesError) in try store.synchronize() }
    }
    #expect(error == .changedMeanwhile(path: file.path))
    #expect(file.temporaryNames == [])
    try store.synchronize()
    #expect(try file.contents() == ["n": .integer(.init(moments.calls.count - 1)), "changed": "new"])
  }

  @Test func `a save waits for a program that overwrites the file slowly`() throws {
    let file = try SavedFile(["old": 1])
    let store = file.open()
    let writer = try SlowWriter(file.path)
    store.set("ours", forKey: "ours")
    try Interception.ofAllCalls(in: file.folder.url.path) { call in
      // The save is about to get the modification time, from which it concludes that the program may still be writing.
      if call.call == .status, call.path == file.path { writer.writePart() }
      return nil
    } during: {
      try store.synchronize(patience: .seconds(hangLimit))
    }
    #expect(writer.isDone)
    let contents = try #require(try file.contents())
    #expect(contents.count == 21)
    #expect(contents["ours"] == "ours" && contents["theirs19"] == 19)
    #expect(file.namesSetAside == [])
    #expect(ReportedErrors.about(file.path) == [])
    #expect(store.integer(forKey: "theirs7") == 7)
  }

  @Test
  func `a program that never finishes writing is reported, and its unfinished file is left alone`() throws {
    let whole = try PropertyList.dictionary(["theirs": 1]).data(format: .binary)
    let file = try SavedFile(["old": 1])
    let store = file.open()
    _ = store.file.table.set("ours", forKey: TableKey("ours"))
    let half = whole.prefix(20)
    try half.write(to: file.url)
    let error = Interception.ofAllCalls(in: file.folder.url.path) { call in
      // The save finds a file that has just been written. A second later, it would not wait for the program.
      if call.call == .lock { try? half.write(to: file.url) }
      return nil
    } during: {
      failure { () throws(PreferencesError) in try store.synchronize(patience: .zero) }
    }
    #expect(error == .changedMeanwhile(path: file.path))
    #expect(file.bytes == half)
    #expect(store.integer(forKey: "old") == 1)
    try whole.write(to: file.url)
    try store.synchronize()
    #expect(try file.contents() == ["theirs": 1, "ours": "ours"])
    #expect(file.namesSetAside == [])
  }
}

/// Overwrites a file with a property list in parts: one part each time another program gets the file's status.
private final class SlowWriter: Sendable {
  private let handle: FileHandle
  private let parts: Mutex<ArraySlice<String>>

  /// Empties the file.
  init(_ path: String) throws {
    let entries = (0..<20).map { "<key>theirs\($0)</key><integer>\($0)</integer>" }
    parts = Mutex((["<plist version=\"1.0\"><dict>"] + entries + ["</dict></plist>"])[...])
    handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.truncate(atOffset: 0)
  }

  /// Writes the next part, if there is one.
  func writePart() {
    parts.withLock { parts in
      guard let part = parts.popFirst() else { return }
      try? handle.write(contentsOf: Data(part.utf8))
    }
  }

  var isDone: Bool { parts.withLock { $0.isEmpty } }
}
