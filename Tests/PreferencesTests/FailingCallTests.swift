import Foundation
import PropertyLists
import SystemFiles
import TestSupport
import Testing

@testable import Preferences

@Suite("Failing system calls during a save") struct FailingCallTests {
  /// The errors with which a call can fail.
  static func errors(of call: SystemCall) -> [Int32] {
    switch call {
    case .open, .create: [EIO, EMFILE, ENOSPC, EDQUOT]
    case .status: [EIO, ENOMEM]
    case .read: [EIO, EINTR]
    case .write: [ENOSPC, EDQUOT, EIO, EINTR]
    case .synchronize: [EIO, ENOSPC, EDQUOT]
    case .changeOwner, .changeMode: [EPERM, EIO]
    case .lock: [EINTR, ENOLCK, EIO]
    case .rename: [EIO, ENOSPC, EACCES, EROFS]
    case .exchange: [EIO, ENOSPC, EINVAL, ENOSYS, EPERM]
    case .link: [EIO, ENOSPC, EDQUOT, EPERM, EACCES, EMLINK]
    case .unlink: [EIO, EACCES]
    case .makeFolder: [ENOSPC, EDQUOT, EACCES, EROFS]
    case .close: [EIO, EINTR]
    case .watch: []
    }
  }

  /// The errors to test for a call: by default only one, which depends on the position of the call and the situation.
  private static func testedErrors(of call: SystemCall, _ number: Int, _ kind: SaveSituation.Kind) -> [Int32] {
    let all = errors(of: call)
    guard !LongForm.isWanted, !all.isEmpty else { return all }
    return [all[(number + (SaveSituation.Kind.allCases.firstIndex(of: kind) ?? 0)) % all.count]]
  }

  /// True if the save succeeds anyway.
  static func isIgnored(_ call: SystemCall, _ code: Int32, _ kind: SaveSituation.Kind) -> Bool {
    switch call {
    // The call is repeated.
    case .read, .write: code == EINTR
    // The call is repeated, or the file system has no locks.
    case .lock: code == EINTR || code == ENOLCK
    // Mode bits that depend on the owner are left out; there are none.
    case .changeOwner: true
    // A system or a file system without atomic exchange.
    case .exchange: code == EINVAL || code == ENOSYS || code == EPERM
    // A system or a file system without hard links.
    case .link: code == EPERM || code == EACCES || code == EMLINK
    // The bytes are already on the disk.
    case .close: true
    // A hard link of the new file remains, or the old file under a temporary name.
    case .unlink: true
    // The folder cannot be synced separately; some file systems do not support it.
    case .synchronize: code == EROFS
    default: false
    }
  }

  /// The calls that fail: calls on the file, and those that create its folder.
  private static func isCounted(_ call: Interception.Call, _ file: SavedFile) -> Bool {
    call.path == file.path || (file.path.hasPrefix(call.path + "/") && call.call != .status)
  }

  private static func calls(_ kind: SaveSituation.Kind, _ save: (UserPreferences) throws -> Void) throws -> [SystemCall]
  {
    let situation = try SaveSituation(kind)
    let store = situation.openChanged()
    let recorded = RecordedCalls()
    let file = situation.file
    try Interception.ofCalls(in: file.folder.url.path) { call in
      if Self.isCounted(call, file) { _ = recorded.note(call) }
      return nil
    } during: {
      try save(store)
    }
    #expect(try situation.isNew())
    #expect(situation.temporaryNames == [])
    return recorded.calls.map(\.call)
  }

  /// Runs work during which the call with a number fails.
  private static func failing(
    _ number: Int, _ code: Int32, _ situation: SaveSituation, _ body: () throws(PreferencesError) -> Void
  ) -> PreferencesError? {
    let recorded = RecordedCalls()
    let file = situation.file
    return Interception.ofCalls(in: file.folder.url.path) { call in
      Self.isCounted(call, file) && recorded.note(call) == number ? code : nil
    } during: {
      failure(of: body)
    }
  }

  @Test(
    "the file is old or new, the error names it, and the next save saves everything",
    arguments: SaveSituation.Kind.allCases)
  func theFileIsTheOldOneOrTheNew(_ kind: SaveSituation.Kind) throws {
    let calls = try Self.calls(kind) { try $0.synchronize() }
    #expect(calls.count > 5)
    for (number, call) in calls.enumerated() {
      for code in Self.testedErrors(of: call, number, kind) {
        let what = "\(kind), call \(number) of \(calls.count), \(call): \(String(cString: strerror(code)))"
        let situation = try SaveSituation(kind)
        let store = situation.openChanged()
        let error = Self.failing(number, code, situation) { () throws(PreferencesError) in try store.synchronize() }
        #expect(situation.error() == nil, "\(what)")
        if Self.isIgnored(call, code, kind) {
          #expect(error == nil, "\(what)")
          #expect(try situation.isNew(), "\(what)")
        } else {
          let path = try #require(error?.path, "\(what): \(error as Any)")
          #expect(situation.file.path == path && error?.description.contains(situation.file.folder.url.path) == true)
        }
        // The value counts in memory, whether it was saved or not.
        #expect(store.string(forKey: "changed") == (kind.isRemoval ? nil : "new"), "\(what)")
        if call != .unlink { #expect(situation.temporaryNames == [], "\(what)") }
        try store.synchronize()
        #expect(try situation.isNew(), "\(what)")
        #expect(!store.file.table.hasUnsaved)
        try situation.goOn(store)
      }
    }
  }

  @Test(arguments: SaveSituation.Kind.allCases.filter { !$0.isRemoval })
  func `an update counts only if the file has it`(_ kind: SaveSituation.Kind) throws {
    let change: (inout PropertyList?) -> Void = { $0 = "new" }
    let calls = try Self.calls(kind) { store in
      try store.update(forKey: "changed", change)
    }
    for (number, call) in calls.enumerated() {
      for code in Self.testedErrors(of: call, number, kind) {
        let what = "\(kind), call \(number) of \(calls.count), \(call): \(String(cString: strerror(code)))"
        let situation = try SaveSituation(kind)
        let store = situation.file.open()
        let before = store.value(forKey: "changed")
        let error = Self.failing(number, code, situation) { () throws(PreferencesError) in
          try store.update(forKey: "changed", change)
        }
        #expect(situation.error() == nil, "\(what)")
        #expect((error == nil) == Self.isIgnored(call, code, kind), "\(what): \(error as Any)")
        let isNew = try situation.isNew()
        #expect(store.value(forKey: "changed") == (isNew ? "new" : before), "\(what)")
        try store.synchronize()
        try store.update(forKey: "changed", change)
        #expect(try situation.isNew(), "\(what)")
        try situation.goOn(store)
      }
    }
  }

  @Test func `an inaccessible folder is reported by the save that has to create it`() throws {
    let situation = try SaveSituation(.folderToBeMade)
    let store = situation.openChanged()
    let folder = situation.file.location.path
    let error = Interception.ofCalls(in: situation.file.folder.url.path) { call in
      call.call == .status && call.path == folder ? EIO : nil
    } during: {
      failure { () throws(PreferencesError) in try store.synchronize() }
    }
    #expect(error?.path == situation.file.path)
    try store.synchronize()
    #expect(try situation.isNew())
  }

  @Test func `a failure in the background is reported once, and the save is tried again`() throws {
    let file = SavedFile()
    let store = file.open()
    let isFull = RecordedCalls()
    try Interception.ofAllCalls(in: file.folder.url.path) { call in
      guard call.call == .write else { return nil }
      _ = isFull.note(call)
      return ENOSPC
    } during: {
      store.set("kept", forKey: "a")
      #expect(eventually { isFull.calls.count >= 2 })
      // The next change is also saved.
      store.set("kept", forKey: "b")
      #expect(eventually { isFull.calls.count >= 3 })
      #expect(store.string(forKey: "a") == "kept")
      let saved = try file.contents()
      #expect(saved == nil)
    }
    store.set("kept", forKey: "c")
    #expect(try eventually { () throws in try file.contents() == ["a": "kept", "b": "kept", "c": "kept"] })
    try store.synchronize()
    let errors = ReportedErrors.about(file.path)
    #expect(errors.count == 1)
    guard case .notSaved(_, let error)? = errors.first else {
      Issue.record("\(errors)")
      return
    }
    #expect(error.kind == .inputOutput(errno: ENOSPC))
  }
}
