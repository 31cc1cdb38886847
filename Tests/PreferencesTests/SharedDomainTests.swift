import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

@Suite("Two users of one domain", .enabled(if: getuid() == 0)) struct SharedDomainTests {
  private static let group: gid_t = 5678
  private static let users: [uid_t] = [1234, 1235]

  /// The domain of a folder with these permissions, of the first user and the group.
  private func domain(in permissions: mode_t, owner: uid_t = users[0]) throws -> SavedFile {
    let file = SavedFile(below: "P")
    try FileManager.default.createDirectory(at: file.location, withIntermediateDirectories: true)
    try #require(chmod(file.folder.url.path, 0o755) == 0)
    try #require(chown(file.location.path, owner, Self.group) == 0 && chmod(file.location.path, permissions) == 0)
    return file
  }

  private func write(_ permissions: mode_t, _ file: SavedFile) throws {
    try file.write(["n": 0])
    try #require(chown(file.path, Self.users[0], Self.group) == 0 && chmod(file.path, permissions) == 0)
  }

  /// Increments a key as each of the users in turn. Returns their output.
  private func count(_ file: SavedFile, rounds: Int = 2) throws -> [String] {
    try (0..<rounds).flatMap { _ in
      try Self.users.map { user in
        let process = try ChildProcess(
          "preferences-probe",
          ["--as", String(user), String(Self.group), file.location.path, file.domain.rawValue, "count", "n"])
        #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
        return process.text.trimmingCharacters(in: .whitespacesAndNewlines)
      }
    }
  }

  private func status(_ path: String) throws -> stat {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status
  }

  @Test(arguments: (LongForm.isWanted ? [0o660, 0o640, nil] : [0o640, nil]) as [mode_t?])
  func `in a shared folder, files keep their group and permissions`(_ permissions: mode_t?) throws {
    let file = try domain(in: 0o2770)
    if let permissions { try write(permissions, file) }
    #expect(try count(file) == ["1", "2", "3", "4"])
    #expect(file.namesSetAside == [])
    let status = try status(file.path)
    #expect(status.st_mode & 0o777 == permissions ?? 0o660)
    #expect(status.st_gid == Self.group)
  }

  @Test(
    "in any other folder, a save that would lock out the other user is an error, and changes nothing",
    arguments: (LongForm.isWanted ? [0o770, 0o777, 0o2777] : [0o777]) as [mode_t], [0o600, 0o644] as [mode_t])
  func notShared(_ folder: mode_t, _ permissions: mode_t) throws {
    let file = try domain(in: folder)
    try write(permissions, file)
    let printed = try count(file)
    #expect([printed[0], printed[2]] == ["1", "2"])
    #expect([printed[1], printed[3]].allSatisfy { $0.contains(file.path) && $0.contains("belongs to another user") })
    #expect(try file.contents() == ["n": 2])
    #expect(file.namesSetAside == [])
  }

  @Test func `a private file in a shared folder is not set aside`() throws {
    let file = try domain(in: 0o2770)
    try write(0o600, file)
    let printed = try count(file, rounds: 1)
    #expect(printed[0] == "1" && printed[1].contains("belongs to another user"))
    #expect(try file.contents() == ["n": 1])
    #expect(file.namesSetAside == [])
  }

  @Test func `a save by root does not lock out the user`() throws {
    let file = try domain(in: 0o755)
    try write(0o600, file)
    let store = file.open()
    #expect(throws: PreferencesError.self) { try store.update(forKey: "n") { $0 = 7 } }
    #expect(store.integer(forKey: "n") == 0)
    #expect(try status(file.path).st_uid == Self.users[0])
    #expect(try file.contents() == ["n": 0])
  }

  @Test func `a damaged file of another user in a shared folder is set aside for the whole group`() throws {
    let file = try domain(in: 0o2770)
    try file.write(SaveSituation.corrupt)
    try #require(chown(file.path, Self.users[1], 1235) == 0 && chmod(file.path, 0o644) == 0)
    #expect(try count(file, rounds: 1) == ["1", "2"])
    #expect(file.namesSetAside.count == 1)
  }
}
