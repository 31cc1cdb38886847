import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

/// What a save may find, and what the file is to hold before and after it.
struct SaveSituation {
  enum Kind: CaseIterable, CustomTestStringConvertible {
    case firstFile, folderToBeMade, binaryFile, xmlFile, removedDomain, unreadableFile, symbolicLink

    var testDescription: String { "\(self)" }
    var isRemoval: Bool { self == .removedDomain }
  }

  static let corrupt = Data("bplist00 is how it begins".utf8)

  let kind: Kind
  let file: SavedFile
  /// The path that the bytes are at.
  let target: String
  /// Nil if there is no file that can be read.
  let old: OrderedDictionary<String, PropertyList>?
  /// Nil if there is no file any more.
  let new: OrderedDictionary<String, PropertyList>?

  init(_ kind: Kind) throws {
    self.kind = kind
    file = SavedFile(below: kind == .folderToBeMade ? "not/there/yet" : "")
    let before: OrderedDictionary<String, PropertyList> = [
      "kept": "old", "changed": "old", "also kept": [1, 2.5, true],
    ]
    switch kind {
    case .firstFile, .folderToBeMade, .unreadableFile: old = nil
    case .binaryFile, .xmlFile, .removedDomain, .symbolicLink: old = before
    }
    target = kind == .symbolicLink ? file.folder.path("elsewhere/real.plist") : file.path
    switch kind {
    case .firstFile, .folderToBeMade: new = ["changed": "new"]
    case .unreadableFile:
      new = ["changed": "new"]
      try file.write(Self.corrupt)
    case .binaryFile, .xmlFile, .removedDomain:
      try file.write(before, kind == .xmlFile ? .xml : .binary)
      var after = before
      after["changed"] = "new"
      new = kind.isRemoval ? nil : after
    case .symbolicLink:
      let elsewhere = file.folder.url.appending(path: "elsewhere")
      try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "elsewhere/real.plist")
      try PropertyList.dictionary(before).data(format: .binary).write(to: URL(filePath: target))
      var after = before
      after["changed"] = "new"
      new = after
    }
    if FileManager.default.fileExists(atPath: target) {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
    }
  }

  /// A store with the change made in memory, which nothing saves by itself.
  func openChanged() -> UserPreferences {
    let store = file.open()
    if kind.isRemoval {
      _ = store.file.table.replace(with: [:])
    } else {
      _ = store.file.table.set("new", forKey: TableKey("changed"))
    }
    return store
  }

  /// Whether the file is as it was.
  func isOld() throws -> Bool {
    // It may have the name that it is to be kept under already.
    if kind == .unreadableFile {
      return try file.bytes == Self.corrupt && (file.namesSetAside.isEmpty || isUnreadableKept())
    }
    return try file.contents() == old
  }

  /// Whether the file is as the save is to leave it. A file that could not be read is kept besides.
  func isNew() throws -> Bool {
    guard file.bytes != Self.corrupt else { return false }
    return try file.contents() == new && isUnreadableKept()
  }

  /// Whether an unreadable file is set aside with all its bytes, and nothing is at its path.
  func isSetAside() throws -> Bool {
    try kind == .unreadableFile && !FileManager.default.fileExists(atPath: file.path) && isUnreadableKept()
  }

  private func isUnreadableKept() throws -> Bool {
    guard kind == .unreadableFile else { return file.namesSetAside.isEmpty }
    let names = file.namesSetAside
    return try names.count == 1 && Data(contentsOf: URL(filePath: file.location.path + "/" + names[0])) == Self.corrupt
  }

  /// What is in the way of the file being as it was or as it is to be; nil if nothing is.
  func error() -> String? {
    do {
      if try isOld() || isNew() || isSetAside() { return nil }
      return "the file holds \(try file.contents() as Any), beside \(temporaryNames) \(file.namesSetAside)"
    } catch {
      return "the file cannot be read: \(error)"
    }
  }

  /// The names of temporary files that are left.
  var temporaryNames: [String] {
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: URL(filePath: target).deletingLastPathComponent().path)
    return (names ?? []).filter { $0.hasSuffix(".tmp") }
  }

  /// Whether a link is still one.
  var isLinkKept: Bool {
    kind != .symbolicLink
      || (try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)) == "elsewhere/real.plist"
  }

  /// Has a next process or store go on, and says what it finds wrong.
  func goOn(_ store: UserPreferences) throws {
    try store.update(forKey: "next") { $0 = "there" }
    var expected = new ?? [:]
    expected["next"] = "there"
    #expect(try file.contents() == expected)
    #expect(file.permissions(target) == 0o600)
    #expect(isLinkKept)
    let format = try PropertyListFormat(detecting: #require(file.bytes).bytes)
    #expect(format == (kind == .xmlFile ? .xml : .binary))
  }
}
