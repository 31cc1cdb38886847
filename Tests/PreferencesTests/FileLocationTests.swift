import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

@Suite("Only regular files are replaced, through links of the user only")
struct FileLocationTests {
  /// Obstacles that must not be changed. Links, folders and files of other users are created only by root.
  enum Obstacle: String, CaseIterable, CustomTestStringConvertible {
    case folder, pipe, socket, device, loop
    case linkToFolder, linkToPipe, linkToGarbage, linkToDevice, linkToFileOfOther, chainToFileOfOther
    case linkOfOther, linkOfOtherToGarbage, linkOfOtherToNothing, linkOfOtherInHisFolder
    case folderLinkOfOther

    var testDescription: String { rawValue }
    var needsRoot: Bool { self == .device || self == .linkToDevice || rawValue.lowercased().contains("other") }
  }

  private static let other: uid_t = 1234

  static let possible = Obstacle.allCases.filter { getuid() == 0 || !$0.needsRoot }

  /// A folder `P` for preferences, the possible targets next to it, and the path in errors.
  private func situation(_ obstacle: Obstacle) throws -> (file: SavedFile, real: String) {
    let file = SavedFile(below: "P")
    let folder = file.folder
    let manager = FileManager.default
    try manager.createDirectory(at: file.location, withIntermediateDirectories: true)
    try manager.createDirectory(atPath: folder.path("Photos"), withIntermediateDirectories: true)
    try Data("a photo".utf8).write(to: URL(filePath: folder.path("Photos/one")))
    try PropertyList.dictionary(["theirs": 1]).data(format: .xml).write(to: URL(filePath: folder.path("real.plist")))
    try SaveSituation.corrupt.write(to: URL(filePath: folder.path("garbage")))
    try file.age(folder.path("garbage"))
    func link(_ target: String, at path: String? = nil, owner: uid_t = getuid()) throws {
      try manager.createSymbolicLink(atPath: path ?? file.path, withDestinationPath: target)
      if owner != getuid() { try #require(lchown(path ?? file.path, owner, owner) == 0) }
    }
    func share(_ path: String) throws { try #require(chmod(path, 0o777) == 0) }
    switch obstacle {
    case .folder: try manager.createDirectory(atPath: file.path, withIntermediateDirectories: false)
    case .pipe: try #require(mkfifo(file.path, 0o600) == 0)
    case .socket: try #require(mknod(file.path, S_IFSOCK | 0o600, 0) == 0)
    // The null device, by its device number.
    case .device: try #require(mknod(file.path, S_IFCHR | 0o600, 0x103) == 0)
    case .loop: try link("\(file.domain).plist")
    case .linkToFolder:
      try link("../Photos")
      return (file, folder.path("Photos"))
    case .linkToPipe:
      try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
      try link("../pipe")
      return (file, folder.path("pipe"))
    case .linkToGarbage:
      try link("../garbage")
      return (file, folder.path("garbage"))
    case .linkToDevice:
      try #require(mknod(folder.path("device"), S_IFCHR | 0o600, 0x103) == 0)
      try link(folder.path("device"))
      return (file, folder.path("device"))
    case .linkToFileOfOther, .chainToFileOfOther:
      try #require(chown(folder.path("real.plist"), Self.other, Self.other) == 0)
      try link(obstacle == .chainToFileOfOther ? "middle" : "../real.plist")
      if obstacle == .chainToFileOfOther { try link("../real.plist", at: file.location.path + "/middle") }
      return (file, folder.path("real.plist"))
    case .linkOfOther, .linkOfOtherToGarbage, .linkOfOtherToNothing:
      let targets: [Obstacle: String] = [.linkOfOther: "real.plist", .linkOfOtherToGarbage: "garbage"]
      try link("../" + (targets[obstacle] ?? "nothing"), owner: Self.other)
      try share(file.location.path)
    case .linkOfOtherInHisFolder:
      try link("../real.plist", owner: Self.other)
      try #require(chown(file.location.path, Self.other, Self.other) == 0)
    case .folderLinkOfOther:
      try share(folder.url.path)
      try manager.removeItem(at: file.location)
      try link("Photos", at: file.location.path, owner: Self.other)
      return (file, file.location.path)
    }
    return (file, file.path)
  }

  /// The contents of a folder at any depth: kinds, permissions, owners, and bytes of files.
  private func everything(in folder: TemporaryFolder) throws -> [String: [Int]] {
    var found: [String: [Int]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
      var status = stat()
      try #require(lstat(folder.path(name), &status) == 0)
      let isFile = status.st_mode & S_IFMT == S_IFREG
      found[name] = [
        Int(status.st_mode), Int(status.st_uid), Int(status.st_ino), Int(status.st_nlink),
        isFile ? FileManager.default.contents(atPath: folder.path(name))?.hashValue ?? 0 : 0,
      ]
    }
    return found
  }

  enum Change: CaseIterable {
    case save, removal, update, updateOfFile, removalOfFile
  }

  @Test("the error names the obstacle, and nothing is changed", arguments: possible, Change.allCases)
  func otherwiseTheErrorNamesWhatIsThere(_ obstacle: Obstacle, _ change: Change) throws {
    let (file, real) = try situation(obstacle)
    let before = try everything(in: file.folder)
    let store = file.open()
    let alone = PreferencesFile(at: file.url)
    let error = failure { () throws(PreferencesError) in
      switch change {
      case .save:
        _ = store.file.table.set("new", forKey: TableKey("a"))
        try store.synchronize()
      case .removal:
        _ = store.file.table.replace(with: [:])
        try store.synchronize()
      case .update: try store.update(forKey: "a") { $0 = "new" }
      case .updateOfFile: try alone.update { $0 = ["a": "new"] }
      case .removalOfFile: try alone.update { $0 = nil }
      }
    }
    guard case .notSaved(file.path, let reason)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(reason.message.contains(file.path) && reason.message.contains(real), "\(reason)")
    #expect(try everything(in: file.folder) == before)
    // Set values count in memory, as on a full disk.
    if change == .save { #expect(store.string(forKey: "a") == "new") }
  }

  @Test(arguments: [Obstacle.folder, .pipe, .loop, .linkToGarbage])
  func `a reader reports the obstacle once, without a name for a new file`(_ obstacle: Obstacle) throws {
    let (file, _) = try situation(obstacle)
    let store = file.open()
    try store.synchronize()
    store.file.reload()
    let errors = ReportedErrors.about(file.path)
    try #require(errors.count == 1)
    guard case .notRead = errors[0] else {
      Issue.record("\(errors)")
      return
    }
    guard
      case .notRead? = failure(of: { () throws(PreferencesError) in _ = try PreferencesFile(at: file.url).values() })
    else {
      Issue.record("no error")
      return
    }
  }

  @Test func `when the obstacle is removed, all values are saved`() throws {
    let file = try SavedFile(["a": 1])
    let store = file.open()
    try FileManager.default.removeItem(at: file.url)
    try FileManager.default.createDirectory(at: file.url, withIntermediateDirectories: false)
    _ = store.file.table.set(2, forKey: TableKey("b"))
    #expect(failure { () throws(PreferencesError) in try store.synchronize() } != nil)
    try FileManager.default.removeItem(at: file.url)
    try store.synchronize()
    #expect(try file.contents()?["b"] == 2)
  }

  enum Way: String, CaseIterable {
    case chain, dangling, linkOfOtherInOwnFolder, folderLink, linkOfRoot
    var needsRoot: Bool { self == .linkOfOtherInOwnFolder || self == .linkOfRoot }
  }

  @Test(arguments: Way.allCases)
  func `links that the user may follow lead to the file that is replaced`(_ way: Way) throws {
    if way.needsRoot, getuid() != 0 { return }
    let file = SavedFile(below: "P")
    let folder = file.folder
    let manager = FileManager.default
    let target = folder.path("elsewhere/real.plist")
    for name in ["P", "elsewhere"] {
      try manager.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    if way != .dangling {
      try PropertyList.dictionary(["old": 1]).data(format: .binary).write(to: URL(filePath: target))
    }
    switch way {
    case .chain:
      try manager.createSymbolicLink(atPath: file.path, withDestinationPath: "middle")
      try manager.createSymbolicLink(atPath: folder.path("P/middle"), withDestinationPath: "../P/./last")
      try manager.createSymbolicLink(atPath: folder.path("P/last"), withDestinationPath: target)
    case .dangling, .linkOfRoot:
      try manager.createSymbolicLink(atPath: file.path, withDestinationPath: "../elsewhere/real.plist")
      if way == .linkOfRoot { try #require(chmod(folder.path("P"), 0o777) == 0) }
    case .linkOfOtherInOwnFolder:
      try manager.createSymbolicLink(atPath: file.path, withDestinationPath: "../elsewhere/real.plist")
      try #require(lchown(file.path, Self.other, Self.other) == 0)
    case .folderLink:
      try manager.removeItem(atPath: folder.path("P"))
      try manager.createSymbolicLink(atPath: folder.path("P"), withDestinationPath: "elsewhere")
      try manager.moveItem(atPath: target, toPath: folder.path("elsewhere/\(file.domain).plist"))
    }
    let store = file.open()
    store.set("new", forKey: "a")
    try store.synchronize()
    var expected: OrderedDictionary<String, PropertyList> = ["old": 1, "a": "new"]
    if way == .dangling { expected["old"] = nil }
    #expect(try file.contents() == expected)
    if way != .folderLink {
      #expect(try PropertyList(contentsOf: URL(filePath: target)).dictionary == expected)
      #expect((try? manager.destinationOfSymbolicLink(atPath: file.path)) != nil)
    }
    #expect(file.namesSetAside == [])
  }
}
