import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("A replacement in which a system call fails") struct FailingCallsTests {
  /// A function that writes the file `a`.
  enum Operation: CaseIterable, CustomTestStringConvertible {
    case replaceOld, replaceMissing, create, replaceUnchanged, commitUnchanged, replaceSeveral

    var testDescription: String { "\(self)" }
    /// True if the file exists before.
    var hasOld: Bool { self != .replaceMissing && self != .create }

    /// Writes the file. Returns false if it was not written.
    func run(_ path: String) throws -> Bool {
      let new = Data("new".utf8)
      switch self {
      case .replaceOld, .replaceMissing: try FileSystem.replace(path, with: new)
      case .create: return try FileSystem.create(path, with: new) != nil
      case .replaceUnchanged:
        guard let identity = try FileIdentity(at: path) else { return false }
        return try FileSystem.replace(path, with: new, unlessChangedSince: identity)
      case .commitUnchanged:
        guard let identity = try FileIdentity(at: path) else { return false }
        let replacement = try Replacement(of: path)
        try replacement.output.write(new)
        return try replacement.commit(insteadOf: Replacements.Original(identity, lock: TemporaryLock()))
      case .replaceSeveral:
        let replacements = Replacements()
        let replacement = try Replacement(of: path)
        try replacement.output.write(new)
        if let failure = try (replacements.add(replacement) + replacements.finish()).first { throw failure.error }
      }
      return true
    }
  }

  private final class TemporaryLock: Sendable {}

  private func folder(for operation: Operation) throws -> TemporaryFolder {
    let folder = TemporaryFolder(isInMemory: true)
    if operation.hasOld { try folder.make("a") }
    return folder
  }

  /// Returns the calls that an operation makes.
  private func calls(_ operation: Operation) throws -> [SystemCall] {
    let folder = try folder(for: operation)
    let calls = try folder.calls(of: SystemCall.allCases) {
      let isWritten = try operation.run(folder.path("a"))
      #expect(isWritten)
    }
    #expect(folder.text("a") == "new")
    return calls.map(\.call)
  }

  @Test(arguments: Operation.allCases, [EIO, ENOSPC, EACCES, EINVAL])
  func `the old file stays whole, or the new one is complete, and no other file remains`(
    _ operation: Operation, _ code: Int32
  ) throws {
    let calls = try calls(operation)
    let commit = try #require(calls.firstIndex { [.rename, .exchange, .link].contains($0) })
    #expect(calls[..<commit].contains(.synchronize))
    #expect(calls.contains(.write))
    // A file cannot be removed or closed in another way.
    for (index, call) in calls.enumerated() where ![.unlink, .close].contains(call) {
      let folder = try folder(for: operation)
      let path = folder.path("a")
      let recorded = RecordedCalls()
      var error: FileError?
      var isWritten = false
      let decision: Interception.Decision = { recorded.note($0) == index ? code : nil }
      Interception.ofCalls(in: folder.url.path, decision) {
        do { isWritten = try operation.run(path) } catch let thrown { error = thrown as? FileError }
      }
      let situation = "call \(index), \(call), of \(calls)"
      let text = folder.text("a")
      if let error {
        #expect(error.code == code, "\(situation)")
        #expect(error.message.contains(path), "\(situation): \(error)")
      }
      // Calls before the commit leave the old file; errors of others are about syncing the name.
      if isWritten || (error != nil && index > commit) {
        #expect(text == "new", "\(situation): \(error as Any)")
      } else {
        #expect(text == (operation.hasOld ? "old" : nil), "\(situation): \(error as Any)")
        #expect(error != nil, "\(situation)")
      }
      #expect(folder.names == (text == nil ? [] : ["a"]), "\(situation)")
    }
  }

  @Test(arguments: [SystemCall.create, .write, .synchronize, .rename, .changeMode])
  func `a call that fails before the commit is an error`(_ call: SystemCall) throws {
    let folder = try folder(for: .replaceOld)
    let path = folder.path("a")
    folder.failing(call, with: ENOSPC) {
      #expect(throws: FileError(ENOSPC, "cannot write \(path): \(reason(ENOSPC))")) {
        try FileSystem.replace(path, with: Data("new".utf8))
      }
    }
    #expect(folder.text("a") == "old")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [EACCES, EROFS])
  func `a folder in which no file can be created is named as the reason`(_ code: Int32) throws {
    let folder = try folder(for: .replaceOld)
    let path = folder.path("a")
    folder.failing(.create, with: code) {
      #expect(
        throws: FileError(code, "cannot write \(path): cannot create a file in its folder: \(reason(code))")
      ) {
        try FileSystem.replace(path, with: Data("new".utf8))
      }
    }
  }

  @Test func `a temporary name that exists is not used`() throws {
    let folder = try folder(for: .replaceOld)
    let recorded = RecordedCalls()
    let path = folder.path("a")
    let decision: Interception.Decision = { $0.call == .create && recorded.note($0) < 5 ? EEXIST : nil }
    try Interception.ofCalls(in: folder.url.path, decision) { try FileSystem.replace(path, with: Data("new".utf8)) }
    #expect(folder.text("a") == "new")
    #expect(recorded.calls.count == 6)
    // Other programs do not create such names all the time.
    folder.failing(.create, with: EEXIST) {
      #expect(throws: FileError(EEXIST, "cannot write \(path): \(reason(EEXIST))")) {
        try FileSystem.replace(path, with: Data("new".utf8))
      }
    }
  }

  @Test func `without permission to change the owner, the file is replaced anyway`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let path = try folder.make("a", mode: 0o6775)
    try folder.failing(.changeOwner, with: EPERM) { try FileSystem.replace(path, with: Data("new".utf8)) }
    #expect(folder.text("a") == "new")
    // Neither the group nor the special bits, which depend on the owner.
    #expect(try folder.mode("a") == 0o705)
  }
}
