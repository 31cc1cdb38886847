import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files of a store: `Note.csv` and so on for objects, and `store.plist` for everything else.
///
/// A save writes new files with the suffix `.new`, then the file `commit` with their names, and then renames them. If a
/// process ends before `commit` exists, nothing was saved. If it ends later, the next process that opens the folder
/// renames the remaining files.
final class CSVFolder: Sendable {
  private let url: URL
  /// The descriptor of the lock file, which is locked while the store is open.
  private let lock: Int32

  /// All data of a store except its objects.
  struct Info {
    var identifier: String
    var lastNumber: Int64
    var saveCount: Int64
    var metadata: OrderedDictionary<String, PropertyList>
  }

  init(_ url: URL) throws(ManagedObjectError) {
    self.url = url
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw Self.failure(.open, error)
    }
    lock = open(url.appending(path: "lock").path, O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
    guard lock >= 0 else { throw ManagedObjectError(.open, "\(url.path): \(String(cString: strerror(errno)))") }
    // If this throws, `deinit` closes the file.
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw ManagedObjectError(.locked, "another store has opened the folder \(url.path)")
    }
    try finishSave()
  }

  deinit { if lock >= 0 { close(lock) } }

  private static func failure(_ code: ManagedObjectError.Code, _ error: any Error) -> ManagedObjectError {
    ManagedObjectError(code, "\(error)")
  }

  private func file(_ name: String) -> URL { url.appending(path: name) }

  /// Renames the files of a save that was committed, and removes those of one that was not.
  private func finishSave() throws(ManagedObjectError) {
    do {
      let commit = file("commit")
      if FileManager.default.fileExists(atPath: commit.path) {
        for name in try String(contentsOf: commit, encoding: .utf8).split(separator: "\n") {
          let new = file("\(name).new").path
          // Some files may have been renamed before the process ended.
          if FileManager.default.fileExists(atPath: new) { try move(new, to: file(String(name)).path) }
        }
        synchronizeFolder()
        try FileManager.default.removeItem(at: commit)
        synchronizeFolder()
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) where name.hasSuffix(".new") {
        try FileManager.default.removeItem(at: file(name))
      }
    } catch {
      throw Self.failure(.open, error)
    }
  }

  private func move(_ old: String, to new: String) throws(ManagedObjectError) {
    guard rename(old, new) == 0 else {
      throw ManagedObjectError(.save, "\(new): \(String(cString: strerror(errno)))")
    }
  }

  /// Returns the text of an entity's file, or nil if it does not exist.
  func read(_ entity: String) throws(ManagedObjectError) -> String? {
    let file = file("\(entity).csv")
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do { return try String(contentsOf: file, encoding: .utf8) } catch { throw Self.failure(.open, error) }
  }

  /// Reads `store.plist`. Returns nil for a new folder.
  func readInfo() throws(ManagedObjectError) -> Info? {
    let file = file("store.plist")
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      let list = try PropertyList(contentsOf: file)
      guard let identifier = list["identifier"]?.string, let metadata = list["metadata"]?.dictionary,
        let lastNumber = list["lastNumber"]?.integer.flatMap({ Int64(exactly: $0) }),
        let saveCount = list["saveCount"]?.integer.flatMap({ Int64(exactly: $0) })
      else { throw ManagedObjectError(.open, "\(file.path) is not the property list of a store") }
      return Info(identifier: identifier, lastNumber: lastNumber, saveCount: saveCount, metadata: metadata)
    } catch let error as ManagedObjectError {
      throw error
    } catch {
      throw Self.failure(.open, error)
    }
  }

  /// Writes the files of the changed entities and `store.plist` atomically.
  func write(_ files: OrderedDictionary<String, String>, _ info: Info) throws(ManagedObjectError) {
    // Completes an earlier save whose renames failed.
    try finishSave()
    do {
      let list: PropertyList = [
        "identifier": .string(info.identifier), "lastNumber": .integer(.init(info.lastNumber)),
        "saveCount": .integer(.init(info.saveCount)), "metadata": .dictionary(info.metadata),
      ]
      var contents: [(name: String, data: Data)] = files.map { ("\($0.key).csv", Data($0.value.utf8)) }
      contents.append(("store.plist", try list.data(format: .xml)))
      for (name, data) in contents { try writeToDisk(data, file("\(name).new")) }
      try writeToDisk(Data(contents.map(\.name).joined(separator: "\n").utf8), file("commit.new"))
      synchronizeFolder()
      try move(file("commit.new").path, to: file("commit").path)
    } catch {
      // The save is not committed, so this removes its files.
      try? finishSave()
      throw Self.failure(.save, error)
    }
    // The save is committed. If a rename fails now, the next save or the next opening of the folder repeats it.
    synchronizeFolder()
    try? finishSave()
  }

  /// Waits until the names of the files are on the disk.
  private func synchronizeFolder() {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private func writeToDisk(_ data: Data, _ file: URL) throws {
    try data.write(to: file)
    let handle = try FileHandle(forUpdating: file)
    try handle.synchronize()
    try handle.close()
  }
}
