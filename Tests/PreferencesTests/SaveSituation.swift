import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

/// The state of a file before a save, and its expected contents before and after.
struct SaveSituation {
  enum Kind: CaseIterable, CustomTestStringConvertible {
    case firstFile, folderToBeMade, binaryFile, xmlFile, removedDomain, unreadableFile, symbolicLink

    var testDescription: String { "\(self)" }
    var isRemoval: Bool { self == .removedDomain }
  }

  static let corrupt = Data("bplist00 is how it begins".utf8)

  let kind: Kind
  let file: SavedFile
  /// The path of the bytes.
  let target: String
  /// Nil if there is no readable file.
  let old: OrderedDictionary<String, PropertyList>?
  /// Nil if the file was removed.
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

  /// A store with the change in memory, which does not save by itself.
  func openChanged() -> UserPreferences {
    let store = file.open()
    if kind.isRemoval {
      _ = store.file.table.replace(with: [:])
    } else {
      _ = store.file.table.set("new", forKey: TableKey("changed"))
    }
    return store
  }

  /// True if the file is unchanged.
  func isOld() throws -> Bool {
    // It may already have the name under which it is kept.
    if kind == .unreadableFile {
      return try file.bytes == Self.corrupt && (file.namesSetAside.isEmpty || isUnreadableKept())
    }
    return try file.contents() == old
  }

  /// True if the file has the expected contents after the save. An unreadable file must also be kept.
  func isNew() throws -> Bool {
    guard file.bytes != Self.corrupt else { return false }
    return try file.contents() == new && isUnreadableKept()
  }

  /// True if an unreadable file is set aside unchanged, and there is no file at its path.
  func isSetAside() throws -> Bool {
    try kind == .unreadableFile && !FileManager.default.fileExists(atPath: file.path) && isUnreadableKept()
  }

  private func isUnreadableKept() throws -> Bool {
    guard kind == .unreadableFile else { return file.namesSetAside.isEmpty }
    let names = file.namesSetAside
    return try names.count == 1 && Data(contentsOf: URL(filePath: file.location.path + "/" + names[0])) == Self.corrupt
  }

  /// Returns a reason if the file has neither the old nor the new contents; nil if it has.
  func error() -> String? {
    do {
      if try isOld() || isNew() || isSetAside() { return nil }
      return "the file holds \(try file.contents() as Any), beside \(temporaryNames) \(file.namesSetAside)"
    } catch {
      return "the file cannot be read: \(error)"
    }
  }

  /// The names of remaining temporary files.
  var temporaryNames: [String] {
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: URL(filePath: target).deletingLastPathComponent().path)
    return (names ?? []).filter { $0.hasSuffix(".tmp") }
  }

  /// True if the link is still a link.
  var isLinkKept: Bool {
    kind != .symbolicLink
      || (try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)) == "elsewhere/real.plist"
  }

  /// Continues with another process or store, and returns the problems that it finds.
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
