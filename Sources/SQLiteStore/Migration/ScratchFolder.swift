internal import FoundationEssentials
package import ManagedObjects
internal import PropertyLists
internal import SystemFiles

/// The temporary folder next to a store for unfinished files: `.NAME-migration`, or `.NAME-creation` for a new store.
///
/// The process that uses it holds a lock. Files without a lock were left by a killed process, and are removed.
package final class ScratchFolder {
  let path: String
  private let purpose: Purpose
  private var lock: Database?
  private static let lockName = "lock"
  private static let storeNames = ["store-1", "store-2"]
  private static let ownNames: Set<String> = Set(
    (storeNames + [lockName]).flatMap { name in DatabaseFile.suffixes.map { name + $0 } })
  private var count = 0
  /// False while another process may own the folder.
  private var isOwn = false

  /// The reasons to create a store.
  package enum Purpose: String {
    case migration, creation

    fileprivate var errorCode: ManagedObjectError.Code { self == .migration ? .migration : .save }
  }

  /// - Parameters:
  ///   - store: The path of the store.
  ///   - isLocked: True if the caller holds a lock on the store itself.
  /// - Throws: ``ManagedObjectError/Code/migration``, or ``ManagedObjectError/Code/save`` for a creation: if the path
  ///   is a file or another program's folder, or if another process uses the folder.
  package init(beside store: String, for purpose: Purpose = .migration, isLocked: Bool) throws(ManagedObjectError) {
    path = Self.path(beside: store, for: purpose)
    self.purpose = purpose
    let isNew = !FileSystem.exists(path)
    if !isNew { try checkIsOwn() }
    do throws(FileError) { try FileSystem.makeFolder(path, below: nil) } catch {
      throw ManagedObjectError(purpose.errorCode, error.message)
    }
    if !isLocked { try takeLock(isNew: isNew) }
    isOwn = true
    removeFiles()
  }

  private static func path(beside store: String, for purpose: Purpose) -> String {
    let name = store.split(separator: "/").last.map(String.init) ?? store
    return "\(FileSystem.parent(of: store))/.\(name)-\(purpose.rawValue)"
  }

  /// Removes the files that a killed process has left. A folder of another program with the same name stays.
  ///
  /// - Parameter store: The path of a store that the caller holds a lock on.
  static func removeLeftovers(beside store: String) {
    if FileSystem.isFolder(path(beside: store, for: .migration)) {
      _ = try? ScratchFolder(beside: store, isLocked: true)
    }
  }

  deinit {
    guard isOwn else { return }
    // The lock is released last. Its file must be removed before that, because another process can own it afterwards.
    removeFiles()
    remove(Self.lockName)
    // If the folder has other files, it stays.
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

  /// - Parameter isNew: True if this process has created the folder, so that it is removed after an error.
  private func takeLock(isNew: Bool) throws(ManagedObjectError) {
    do throws(ManagedObjectError) {
      let database = try Database(path: "\(path)/\(Self.lockName)", .create, busyTime: 0)
      try database.execute("BEGIN EXCLUSIVE")
      // The previous owner of the lock has removed its file, so a third process could create and lock a new one.
      if database.hasMoved { throw ManagedObjectError(.locked, "it has just removed \(path)") }
      lock = database
    } catch {
      if error.code == .locked {
        throw ManagedObjectError(
          purpose.errorCode, "another process is creating a store at the same path: \(error.message)")
      }
      if isNew {
        remove(Self.lockName)
        FileSystem.removeEmptyFolder(path)
      }
      throw ManagedObjectError(purpose.errorCode, "cannot use the folder \(path): \(error.message)")
    }
  }

  /// Returns the path of a new file. The previous file stays, and the one before it is removed.
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
