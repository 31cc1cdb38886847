internal import FoundationEssentials
package import ManagedObjects
internal import PropertyLists
internal import SQLiteAccess
internal import SystemFiles

/// A temporary folder next to a store for unfinished files: `.NAME-migration`, or `.NAME-creation` for a new store.
///
/// The process that uses the folder holds a lock. If no process holds the lock, files in the folder were left by a
/// killed process, and are removed.
package final class ScratchFolder {
  let path: String
  private let purpose: Purpose
  private var lock: Database?
  private static let lockName = "lock"
  private static let storeNames = ["store-1", "store-2"]
  private static let ownNames: Set<String> = Set(
    (storeNames + [lockName]).flatMap { name in DatabaseFile.suffixes.map { name + $0 } })
  private var count = 0
  /// True after this process has made sure that no other process uses the folder, and so may remove the files in it.
  private var isOwn = false

  /// The purpose of the unfinished files.
  package enum Purpose: String {
    case migration, creation

    fileprivate var errorCode: ManagedObjectError.Code { self == .migration ? .migration : .save }
  }

  /// Creates the folder, or uses the existing one, and removes files that were left in it.
  ///
  /// - Parameters:
  ///   - store: The path of the store.
  ///   - isLocked: True if the caller holds a lock on the store itself.
  ///   - busyTime: How long to wait for another process that uses the folder, in milliseconds.
  /// - Throws: ``ManagedObjectError/Code/migration``, or ``ManagedObjectError/Code/save`` for the purpose `creation`,
  ///   if the path is a file or another program's folder, or if another process uses the folder.
  package init(
    beside store: String, for purpose: Purpose = .migration, isLocked: Bool, busyTime: Int32 = 0
  ) throws(ManagedObjectError) {
    path = Self.path(beside: store, for: purpose)
    self.purpose = purpose
    if FileSystem.exists(path) { try checkIsOwn() }
    do throws(FileError) { try FileSystem.makeFolder(path, below: nil) } catch {
      // The folder can exist, for example if it is not certain that it is durable. A folder that another process uses
      // contains its lock, and stays.
      FileSystem.removeEmptyFolder(path)
      throw ManagedObjectError(purpose.errorCode, error.message)
    }
    if !isLocked { try takeLock(busyTime) }
    isOwn = true
    removeFiles()
  }

  private static func path(beside store: String, for purpose: Purpose) -> String {
    let name = store.split(separator: "/").last.map(String.init) ?? store
    return "\(FileSystem.parent(of: store))/.\(name)-\(purpose.rawValue)"
  }

  /// Removes the files that a killed process has left in the folder for migrations. Does not touch another program's
  /// folder of the same name.
  ///
  /// - Parameter store: The path of a store on which the caller holds a lock.
  static func removeLeftovers(beside store: String) {
    if FileSystem.isFolder(path(beside: store, for: .migration)) {
      _ = try? ScratchFolder(beside: store, isLocked: true)
    }
  }

  deinit {
    guard isOwn else { return }
    // The lock file must be removed before the lock is released, because another process may get the lock afterwards.
    removeFiles()
    remove(Self.lockName)
    // A folder that contains other files stays.
    FileSystem.removeEmptyFolder(path)
    lock = nil
  }

  private func checkIsOwn() throws(ManagedObjectError) {
    let names = FileSystem.names(in: path)
    if FileSystem.isFolder(path), names.allSatisfy(Self.ownNames.contains) { return }
    throw ManagedObjectError(
      purpose.errorCode,
      "\(path) is in the way, and was not left by a \(purpose.rawValue); move it to another folder")
  }

  /// Locks the folder.
  private func takeLock(_ busyTime: Int32) throws(ManagedObjectError) {
    do throws(ManagedObjectError) {
      let database = try Database(path: "\(path)/\(Self.lockName)", .create, ConnectionOptions(busyTime: busyTime))
      // With a journal in memory, locking needs no room on the disk.
      try database.execute("PRAGMA journal_mode = MEMORY")
      // Of several processes, one gets this lock. With an exclusive lock, they could prevent each other from getting
      // it.
      try database.execute("BEGIN IMMEDIATE")
      // If the previous owner has removed the lock file, this lock is useless: a third process could create a new lock
      // file and lock that.
      if database.hasMoved { throw ManagedObjectError(.locked, "it has just removed \(path)") }
      lock = database
    } catch {
      if error.code == .locked {
        throw ManagedObjectError(
          purpose.errorCode, "another process is creating a store at the same path: \(error.message)")
      }
      // Only the owner of the lock removes the lock file: this one may belong to another process, even if this process
      // has created the folder.
      FileSystem.removeEmptyFolder(path)
      throw ManagedObjectError(purpose.errorCode, "cannot use the folder \(path): \(error.message)")
    }
  }

  /// Returns the path of a new temporary store. Keeps the store of the previous call, and removes the store of the call
  /// before that.
  package func newFile() -> String {
    let name = Self.storeNames[count % 2]
    count += 1
    remove(name)
    return "\(path)/\(name)"
  }

  /// Removes the temporary stores.
  private func removeFiles() {
    for name in Self.storeNames { remove(name) }
  }

  private func remove(_ name: String) {
    for suffix in DatabaseFile.suffixes where FileSystem.sizeOfRegularFile("\(path)/\(name)\(suffix)") != nil {
      FileSystem.removeFile("\(path)/\(name)\(suffix)")
    }
  }
}
