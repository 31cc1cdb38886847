import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Replacing a file that must not have changed") struct UnchangedFilesTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private let path: String
  private let identity: FileIdentity

  init() throws {
    path = try folder.make("a", mode: 0o640)
    identity = try #require(try FileIdentity(at: path))
  }

  private func replace() throws -> Bool {
    try FileSystem.replace(path, with: Data("new".utf8), unlessChangedSince: identity)
  }

  /// A change by a program that does not lock the file.
  enum Change: CaseIterable {
    case write, replacement, removal, permissions, folder

    func callAsFunction(_ path: String) throws {
      switch self {
      case .write: try overwrite(path, "theirs")
      case .replacement: try supersede(path, "theirs")
      case .removal: try succeed(unlink(path))
      case .permissions: try succeed(chmod(path, 0o600))
      case .folder:
        try succeed(unlink(path))
        try succeed(mkdir(path, 0o700))
      }
    }

    /// The text of the file after the change.
    var text: String? {
      switch self {
      case .write, .replacement: "theirs"
      case .removal, .folder: nil
      case .permissions: "old"
      }
    }
  }

  @Test func `an unchanged file is replaced, and keeps its permissions`() throws {
    #expect(try replace())
    #expect(folder.text("a") == "new")
    #expect(try folder.mode("a") == 0o640)
    #expect(folder.names == ["a"])
  }

  @Test func `the contents are synced before the exchange, and the folder after it`() throws {
    let calls = try folder.calls(of: [.write, .synchronize, .rename, .exchange]) { _ = try replace() }
    #expect(calls.map(\.call) == [.write, .synchronize, .exchange, .synchronize])
    let identity = try #require(try FileIdentity(at: path))
    let others = try folder.calls(of: [.write, .synchronize, .rename, .exchange]) {
      let replacement = try Replacement(of: path)
      try replacement.output.write(Data("newer".utf8))
      #expect(try replacement.commit(insteadOf: Replacements.Original(identity, lock: folder)))
    }
    #expect(others.map(\.call) == [.write, .synchronize, .exchange, .synchronize])
  }

  @Test(arguments: Change.allCases) func `a file that has changed stays as it is`(_ change: Change) throws {
    try change(path)
    if change == .folder {
      // The path is checked before the identity.
      #expect(throws: FileError.self) { try replace() }
    } else {
      // No new file is written in vain.
      let calls = try folder.calls(of: [.create]) {
        let isReplaced = try replace()
        #expect(!isReplaced)
      }
      #expect(calls == [])
    }
    #expect(folder.text("a") == change.text)
    #expect(folder.names == (change == .removal ? [] : ["a"]))
  }

  @Test(arguments: Change.allCases)
  func `a file that changes at the moment of the exchange is put back`(_ change: Change) throws {
    let path = path
    let isReplaced = try folder.before(.exchange) { index in
      if index == 0 { try change(path) }
    } during: {
      try replace()
    }
    #expect(!isReplaced)
    #expect(folder.text("a") == change.text)
    #expect(folder.names == (change == .removal ? [] : ["a"]))
    #expect(FileSystem.isFolder(path) == (change == .folder))
  }

  @Test(arguments: Change.allCases, [ENOSYS, EINVAL, ENOTSUP, EPERM])
  func `without exchanges the file is renamed if it has not changed`(_ change: Change, _ code: Int32) throws {
    #expect(try folder.failing(.exchange, with: code) { try replace() })
    #expect(folder.text("a") == "new")
    let path = path
    let identity = try #require(try FileIdentity(at: path))
    let isReplaced = try folder.before(.exchange, failing: code) { _ in
      try change(path)
    } during: {
      try FileSystem.replace(path, with: Data("newer".utf8), unlessChangedSince: identity)
    }
    #expect(!isReplaced)
    #expect(folder.text("a") == (change == .permissions ? "new" : change.text))
    #expect(folder.names == (change == .removal ? [] : ["a"]))
  }

  @Test func `an exchange that fails for another reason is an error`() throws {
    #expect(throws: FileError(EIO, "cannot write \(path): \(reason(EIO))")) {
      try folder.failing(.exchange, with: EIO) { try replace() }
    }
    #expect(folder.text("a") == "old")
    #expect(folder.names == ["a"])
  }

  @Test func `of two files that other programs put there, the newest stays and the other one is kept`() throws {
    let path = path
    let isReplaced = try folder.before(.exchange) { index in
      // The first change is before the exchange, the second before the file is put back.
      if index < 2 { try supersede(path, index == 0 ? "first" : "second") }
    } during: {
      try replace()
    }
    #expect(!isReplaced)
    #expect(folder.text("a") == "second")
    #expect(folder.text("a.displaced") == "first")
    #expect(folder.names == ["a", "a.displaced"])
  }

  @Test func `a file that was kept before keeps its name`() throws {
    try folder.make("a.displaced", "earlier")
    let path = path
    try folder.before(.exchange) { index in
      if index < 2 { try supersede(path, index == 0 ? "first" : "second") }
    } during: {
      try replace()
    }
    #expect(folder.text("a.displaced") == "earlier")
    #expect(folder.text("a.displaced-2") == "first")
    #expect(folder.names == ["a", "a.displaced", "a.displaced-2"])
  }

  @Test func `a file that was taken out is renamed if exchanging stops working`() throws {
    let path = path
    let recorded = RecordedCalls()
    let decision: Interception.Decision = { call in
      guard call.call == .exchange else { return nil }
      if recorded.note(call) > 0 { return EIO }
      try? supersede(path, "theirs")
      return nil
    }
    #expect(try !Interception.ofCalls(in: folder.url.path, decision, during: replace))
    #expect(folder.text("a") == "theirs")
    #expect(folder.names == ["a"])
  }

  /// Another program's file is taken out, and cannot be put back: exchanging fails, and a folder is at its path.
  private func failToPutBack(_ body: () throws -> Void) rethrows {
    let path = path
    let recorded = RecordedCalls()
    let decision: Interception.Decision = { call in
      guard call.call == .exchange else { return nil }
      if recorded.note(call) == 0 {
        try? supersede(path, "theirs")
        return nil
      }
      unlink(path)
      mkdir(path, 0o700)
      return EIO
    }
    try Interception.ofCalls(in: folder.url.path, decision, during: body)
  }

  @Test func `a file that cannot be put back stays under its temporary name`() throws {
    failToPutBack {
      _ = #expect(throws: FileError(EISDIR, "cannot write \(path): \(reason(EISDIR))")) { try replace() }
    }
    let names = folder.names.filter { $0 != "a" }
    #expect(names.map { folder.text($0) } == ["theirs"])
  }

  @Test func `a file that cannot be put back stays, also if several files are replaced together`() throws {
    let replacements = Replacements()
    let replacement = try Replacement(of: path)
    try replacement.output.write(Data("new".utf8))
    let original = Replacements.Original(identity, lock: TemporaryFolder())
    #expect(try replacements.add(replacement, insteadOf: original).isEmpty)
    failToPutBack { #expect(replacements.finish().map(\.path) == [path]) }
    let names = folder.names.filter { $0 != "a" }
    #expect(names.map { folder.text($0) } == ["theirs"])
  }

  // The same for a replacement that is written in pieces.

  @Test(arguments: [false, true])
  func `a replacement is committed only if the original is unchanged`(_ isChanged: Bool) throws {
    let replacement = try Replacement(of: path)
    try replacement.output.write(Data("new".utf8))
    if isChanged { try supersede(path, "theirs") }
    let original = Replacements.Original(identity, lock: TemporaryFolder())
    #expect(try replacement.commit(insteadOf: original) == !isChanged)
    #expect(folder.text("a") == (isChanged ? "theirs" : "new"))
    #expect(folder.names == ["a"])
  }

  @Test func `a link leads to the file that must not have changed`() throws {
    try folder.makeFolder("sub")
    let link = try folder.link("sub/link", to: "../a")
    #expect(try FileSystem.replace(link, with: Data("new".utf8), unlessChangedSince: identity))
    #expect(folder.text("a") == "new")
    #expect(try !FileSystem.replace(link, with: Data("newer".utf8), unlessChangedSince: identity))
    #expect(folder.text("a") == "new")
    #expect(FileSystem.names(in: folder.path("sub")) == ["link"])
  }
}
