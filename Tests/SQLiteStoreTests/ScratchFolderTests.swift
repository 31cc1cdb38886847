import Foundation
import ManagedObjects
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The scratch folder of a migration") struct ScratchFolderTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var store: String { folder.url.appending(path: "new.sqlite").path }
  private var scratch: URL { folder.url.appending(path: ".new.sqlite-migration") }

  @Test func `a scratch folder has one user at a time`() throws {
    let state = Mutex((users: 0, uses: 0, defects: 0))
    let store = store
    let rounds = LongForm.size(600, or: 40)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<rounds {
        guard let scratch = try? ScratchFolder(beside: store, isLocked: false) else { continue }
        state.withLock { state in
          state.users += 1
          state.uses += 1
          if state.users > 1 { state.defects += 1 }
        }
        let path = scratch.newFile()
        try? Data("mine".utf8).write(to: URL(filePath: path))
        usleep(100)
        state.withLock { state in
          if !FileManager.default.fileExists(atPath: path) { state.defects += 1 }
          state.users -= 1
        }
        withExtendedLifetime(scratch) {}
      }
    }
    #expect(state.withLock { $0.defects } == 0)
    #expect(state.withLock { $0.uses } > rounds / 6)
    #expect(folder.names == [])
  }

  @Test func `a scratch folder with other files is kept`() throws {
    let mine = scratch.appending(path: "mine.txt")
    do {
      let folder = try ScratchFolder(beside: store, isLocked: false)
      try Data("other".utf8).write(to: mine)
      withExtendedLifetime(folder) {}
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["mine.txt"])
  }

  @Test func `the lock of another process stays if the folder cannot be locked`() throws {
    let lock = scratch.appending(path: "lock")
    let (store, path) = (store, scratch.path)
    let decide: Interception.Decision = { call in
      // Another process locks the folder after this one has created it. SQLite cannot open a file of one byte.
      if call.call == .synchronize, call.path == path { try? Data("a".utf8).write(to: lock) }
      return nil
    }
    let error = Interception.ofCalls(in: folder.url.path, decide) {
      #expect(throws: ManagedObjectError.self) { try ScratchFolder(beside: store, isLocked: false) }
    }
    #expect(error?.code == .migration)
    #expect(try Data(contentsOf: lock) == Data("a".utf8))
  }
}
