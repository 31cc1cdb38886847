import Foundation
import TestSupport
import Testing

@testable import SystemFiles

#if os(Linux) || os(macOS)
  /// Tests in processes of their own, because all unfinished files of a process are removed.
  @Suite("Files that a signal handler removes") struct UnfinishedFilesTests {
    @Test func `files that are being written are removed, and the old ones stay`() async {
      await #expect(processExitsWith: .success) {
        UnfinishedFiles.prepare()
        let folder = TemporaryFolder(isInMemory: true)
        let replacement = try Replacement(of: try folder.make("a"))
        try replacement.output.write(Data("half".utf8))
        let location = try #require(try FileLocation(folder.path("b")))
        let file = try NewFile.holding(Data("whole".utf8), at: location, .new(0o600))
        #expect(folder.names.count == 3)
        UnfinishedFiles.removeAll()
        #expect(folder.names == ["a"])
        #expect(folder.text("a") == "old")
        UnfinishedFiles.removeAll()
        // Without the temporary files, nothing can be committed.
        do throws(FileError) {
          try replacement.commit()
          Issue.record("committed")
        } catch { #expect(error.code == ENOENT) }
        do throws(FileError) {
          try file.commit()
          Issue.record("committed")
        } catch { #expect(error.code == ENOENT) }
        #expect(folder.text("a") == "old")
      }
    }

    @Test func `a file is removed from the moment it exists until it has its name`() async {
      await #expect(processExitsWith: .success) {
        for kind in [SystemCall.changeOwner, .changeMode, .write, .synchronize, .status, .rename] {
          let folder = TemporaryFolder(isInMemory: true)
          let path = try folder.make("a")
          let recorded = RecordedCalls()
          let decision: Interception.Decision = { call in
            guard call.call == kind, folder.names.count == 2, recorded.note(call) == 0 else { return nil }
            UnfinishedFiles.removeAll()
            #expect(folder.names == ["a"], "\(kind)")
            return EIO
          }
          Interception.ofCalls(in: folder.url.path, decision) {
            _ = try? FileSystem.replace(path, with: Data("new".utf8))
          }
          #expect(recorded.calls.count == 1 || kind == .status, "\(kind)")
          #expect(folder.text("a") == "old", "\(kind)")
        }
      }
    }

    @Test func `a committed file stays, and so does a file of another program with a temporary name`() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder(isInMemory: true)
        let path = try folder.make("a")
        try FileSystem.replace(path, with: Data("new".utf8))
        let replacement = try Replacement(of: path)
        let name = try #require(folder.names.first { $0 != "a" })
        try supersede(folder.path(name), "theirs")
        UnfinishedFiles.removeAll()
        #expect(folder.text("a") == "new")
        #expect(folder.text(name) == "theirs")
        _ = replacement
      }
    }

    @Test func `a file that was replaced is removed, but not one that another program wrote`() async {
      await #expect(processExitsWith: .success) {
        for isChanged in [false, true] {
          let folder = TemporaryFolder(isInMemory: true)
          let path = try folder.make("a")
          let identity = try #require(try FileIdentity(at: path))
          let recorded = RecordedCalls()
          let decision: Interception.Decision = { call in
            guard [.exchange, .unlink].contains(call.call) else { return nil }
            switch recorded.note(call) {
            case 0: if isChanged { try? overwrite(path, "theirs") }
            case 1:
              // The temporary name refers to the old file.
              #expect(folder.names.count == 2)
              UnfinishedFiles.removeAll()
              #expect(folder.names.count == (isChanged ? 2 : 1))
            default: break
            }
            return nil
          }
          let isReplaced = try Interception.ofCalls(in: folder.url.path, decision) {
            try FileSystem.replace(path, with: Data("new".utf8), unlessChangedSince: identity)
          }
          #expect(isReplaced == !isChanged)
          #expect(folder.text("a") == (isChanged ? "theirs" : "new"))
          #expect(folder.names == ["a"])
          // The calls were those that the changes above expect.
          let calls: [SystemCall] = isChanged ? [.exchange, .exchange, .unlink] : [.exchange, .unlink]
          #expect(recorded.calls.map(\.call) == calls)
        }
      }
    }

    @Test func `a private folder is removed with its known files, unless it is kept`() async {
      await #expect(processExitsWith: .success) {
        var removed = try PrivateFolder(files: ["a", "b"])
        _ = try removed.create("a", with: Data("text".utf8))
        UnfinishedFiles.removeAll()
        #expect(!FileSystem.existsItself(removed.path))

        var kept = try PrivateFolder(files: ["a"])
        let path = try kept.create("a", with: Data("text".utf8))
        kept.keep()
        UnfinishedFiles.removeAll()
        #expect(try FileSystem.read(path) == Data("text".utf8))
        try FileManager.default.removeItem(atPath: kept.path)
        removed.keep()
      }
    }

    @Test func `files that are finished make room for others`() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder(isInMemory: true)
        for number in 0..<100 { try FileSystem.replace(folder.path("\(number % 5)"), with: Data("new".utf8)) }
        for number in 0..<100 { #expect(try FileSystem.create(folder.path("\(number % 5)"), with: Data()) == nil) }
        let replacement = try Replacement(of: folder.path("a"))
        #expect(folder.names.count == 6)
        UnfinishedFiles.removeAll()
        #expect(folder.names.count == 5)
        _ = replacement
      }
    }
  }
#endif
