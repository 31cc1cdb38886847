import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("Replacing several files together") struct ReplacementsTests {
  private let folder = TemporaryFolder()
  private let paths: [String]

  init() throws {
    paths = (0..<5).map { [folder] in folder.path("\($0)") }
    for path in paths { try Data("old".utf8).write(to: URL(filePath: path)) }
  }

  private func stage(_ replacements: Replacements) throws {
    for path in paths {
      let replacement = try Replacement(of: path)
      try replacement.output.write(Data("new".utf8))
      let failures = try replacements.add(replacement)
      #expect(failures.isEmpty)
    }
  }

  private func content(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  /// Commits the files while some calls fail.
  private func finish(
    _ replacements: Replacements, failing: @escaping @Sendable (Interception.Call) -> Bool
  ) -> [Replacements.Failure] {
    Interception.ofCalls(in: folder.url.path, { failing($0) ? EIO : nil }, during: replacements.finish)
  }

  @Test func `no file changes until all are committed`() throws {
    let replacements = Replacements()
    try stage(replacements)
    for path in paths { #expect(try content(path) == "old") }
    #expect(replacements.finish().isEmpty)
    for path in paths { #expect(try content(path) == "new") }
    #expect(folder.names.count == paths.count)
    #expect(replacements.finish().isEmpty)
  }

  @Test func `replacements are committed whenever their greatest count is reached`() throws {
    let replacements = Replacements(greatestCount: 2)
    try stage(replacements)
    #expect(try paths.map(content) == ["new", "new", "new", "new", "old"])
  }

  @Test func `replacements that are not committed leave no files`() throws {
    do {
      let replacements = Replacements()
      try stage(replacements)
      #expect(folder.names.count == 2 * paths.count)
    }
    #expect(folder.names.count == paths.count)
    for path in paths { #expect(try content(path) == "old") }
  }

  @Test func `a replacement that fails is reported, and the others are made`() throws {
    let replacements = Replacements()
    try stage(replacements)
    let failures = finish(replacements) { [path = paths[1]] in $0.call == .rename && $0.path == path }
    #expect(failures.map(\.path) == [paths[1]])
    #expect(failures.first?.error.code == EIO)
    #expect(try paths.map(content) == ["new", "old", "new", "new", "new"])
    #expect(folder.names.count == paths.count)
  }

  @Test func `a replacement that was not written to the disk replaces nothing`() throws {
    let replacements = Replacements()
    try stage(replacements)
    // Syncing the whole file system uses the first file.
    let failures = finish(replacements) { [paths] in
      $0.call == .synchronize && [paths[0], paths[3]].contains($0.path)
    }
    #expect(failures.map(\.path) == [paths[0], paths[3]])
    #expect(try paths.map(content) == ["old", "new", "new", "old", "new"])
    #expect(folder.names.count == paths.count)
  }

  /// Adds a replacement of a file that must not have changed.
  private func add(_ path: String, to replacements: Replacements, lock: any AnyObject & Sendable) throws {
    let identity = try #require(try FileIdentity(at: path))
    let replacement = try Replacement(of: path)
    try replacement.output.write(Data("new".utf8))
    let failures = try replacements.add(replacement, insteadOf: Replacements.Original(identity, lock: lock))
    #expect(failures.isEmpty)
  }

  @Test func `a file that has changed meanwhile is reported as outdated, and stays`() throws {
    let replacements = Replacements()
    for path in paths.prefix(3) { try add(path, to: replacements, lock: TemporaryFolder()) }
    try supersede(paths[0], "theirs")
    try overwrite(paths[1], "theirs")
    let failures = replacements.finish()
    #expect(failures.map(\.path) == [paths[0], paths[1]])
    #expect(failures.map(\.isOutdated) == [true, true])
    #expect(failures.first?.error.message == "cannot write \(paths[0]): another program changed it")
    #expect(try paths.map(content) == ["theirs", "theirs", "new", "old", "old"])
    #expect(folder.names.count == paths.count)
  }

  @Test func `a lock is held until its file is replaced`() throws {
    let replacements = Replacements()
    weak var lock: TemporaryFolder?
    do {
      let held = TemporaryFolder()
      lock = held
      try add(paths[0], to: replacements, lock: held)
    }
    #expect(lock != nil)
    let isHeld = folder.before(.exchange, failing: nil) { [path = lock?.url.path ?? ""] _ in
      #expect(FileSystem.isFolder(path))
    } during: {
      replacements.finish().isEmpty
    }
    #expect(isHeld)
    #expect(lock == nil)
  }

  @Test func `at most 64 locked files wait`() throws {
    let replacements = Replacements()
    for number in 0..<64 {
      let path = try folder.make("locked\(number)")
      try add(path, to: replacements, lock: TemporaryFolder())
      #expect(try content(folder.path("locked0")) == (number < 63 ? "old" : "new"))
    }
  }

  @Test func `a file in a folder that was replaced is not written`() throws {
    let path = try folder.makeFolder("sub") + "/a"
    try folder.make("sub/a")
    let replacements = Replacements()
    let replacement = try Replacement(of: path)
    try replacement.output.write(Data("new".utf8))
    #expect(try replacements.add(replacement).isEmpty)
    try succeed(rename(folder.path("sub"), folder.path("moved")))
    try folder.makeFolder("sub")
    let failures = replacements.finish()
    #expect(failures.map(\.error) == [FileError(ENOENT, "cannot write \(path): its folder was replaced")])
    #expect(folder.text("moved/a") == "old")
    #expect(FileSystem.names(in: folder.path("sub")) == [])
  }

  @Test func `a file that became a pipe is not replaced`() throws {
    let replacements = Replacements()
    try stage(replacements)
    try succeed(unlink(paths[0]))
    try folder.makePipe("0")
    let failures = replacements.finish()
    let real = FileSystem.realPath(of: paths[0])
    #expect(
      failures.map(\.error) == [FileError(EINVAL, "cannot write \(paths[0]): \(real) is a pipe, not a regular file")])
    #expect(FileSystem.exists(paths[0]) && FileSystem.sizeOfRegularFile(paths[0]) == nil)
    #expect(folder.names.count == paths.count)
  }

  @Test func `all files are synced before the first is renamed, and each folder once after them`() throws {
    try folder.makeFolder("sub")
    try folder.link("link", to: "sub/a")
    let replacements = Replacements()
    try stage(replacements)
    for name in ["sub/b", "link"] {
      let replacement = try Replacement(of: folder.path(name))
      #expect(try replacements.add(replacement).isEmpty)
    }
    let calls = folder.calls(of: [.synchronize, .rename]) { #expect(replacements.finish().isEmpty) }.map(\.call)
    let first = try #require(calls.firstIndex(of: .rename))
    #expect(first > 0)
    #expect(calls[..<first].allSatisfy { $0 == .synchronize })
    #expect(calls[first...] == Array(repeating: .rename, count: 7) + [.synchronize, .synchronize])
    #expect(FileSystem.names(in: folder.path("sub")).sorted() == ["a", "b"])
  }

  @Test func `a folder that cannot be synced is reported with a file in it`() throws {
    let replacements = Replacements()
    try stage(replacements)
    let renames = RecordedCalls()
    let failures = finish(replacements) { call in
      if call.call == .rename { _ = renames.note(call) }
      return call.call == .synchronize && !renames.calls.isEmpty
    }
    #expect(failures.count == 1)
    #expect(failures.allSatisfy { paths.contains($0.path) && $0.error.code == EIO })
    #expect(try paths.map(content) == Array(repeating: "new", count: 5))
  }

  @Test func `two folders whose names differ only in their bytes are both synced`() throws {
    let replacements = Replacements()
    // One character, or two that are equivalent.
    let names = ["\u{E9}", "e\u{301}"]
    for name in names {
      try folder.makeFolder(name)
      let replacement = try Replacement(of: folder.path(name) + "/a")
      #expect(try replacements.add(replacement).isEmpty)
    }
    guard folder.names.count == paths.count + 2 else { return }
    let calls = folder.calls(of: [.synchronize, .rename]) { #expect(replacements.finish().isEmpty) }
    #expect(calls.suffix(4).map(\.call) == [.rename, .rename, .synchronize, .synchronize])
    #expect(Set(calls.suffix(2).map { Array($0.path.utf8) }).count == 2)
  }

  @Test func `a replacement that cannot be finished is an error, and leaves no file`() throws {
    let replacements = Replacements()
    let writes = RecordedCalls()
    // The status of the new file.
    let decision: Interception.Decision = { call in
      if call.call == .write { _ = writes.note(call) }
      return call.call == .status && !writes.calls.isEmpty ? EIO : nil
    }
    let error = #expect(throws: FileError.self) {
      try Interception.ofCalls(in: folder.url.path, decision) {
        let replacement = try Replacement(of: paths[0])
        try replacement.output.write(Data("new".utf8))
        _ = try replacements.add(replacement)
      }
    }
    #expect(error?.code == EIO)
    #expect(folder.names.count == paths.count)
    #expect(replacements.finish().isEmpty)
    #expect(try content(paths[0]) == "old")
  }

  @Test func `a file that is not regular is written immediately`() throws {
    let replacements = Replacements()
    let replacement = try Replacement(of: "/dev/null")
    try replacement.output.write(Data([1]))
    let failures = try replacements.add(replacement)
    #expect(failures.isEmpty)
    #expect(replacements.finish().isEmpty)
  }
}
