internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SystemFiles

/// The folder beside a store in which a migration makes the new one: `.NAME-migration`.
///
/// Its user has a lock. Files in it that nobody has a lock on were left by a process that was killed, and are removed.
final class ScratchFolder {
  let path: String
  private var lock: Database?
  private static let lockName = "lock"
  private static let storeNames = ["store-1", "store-2"]
  private static let ownNames: Set<String> = Set(
    (storeNames + [lockName]).flatMap { name in DatabaseFile.suffixes.map { name + $0 } })
  private var count = 0
  /// False as long as it may be another process's.
  private var isOwn = false

  /// - Parameters:
  ///   - store: the path of the store.
  ///   - isLocked: true if the caller has a lock on the store itself.
  /// - Throws: ``ManagedObjectError/Code/migration`` for a file or a folder of the name that is somebody else's, and if
  ///   another process uses it.
  init(beside store: String, isLocked: Bool) throws(ManagedObjectError) {
    path = Self.path(beside: store)
    if FileSystem.exists(path) { try checkIsOwn() }
    do throws(FileError) { try FileSystem.makeFolder(path, below: nil) } catch {
      throw ManagedObjectError(.migration, error.message)
    }
    if !isLocked { try takeLock() }
    isOwn = true
    for name in Self.storeNames { remove(name) }
  }

  private static func path(beside store: String) -> String {
    let name = store.split(separator: "/").last.map(String.init) ?? store
    return "\(FileSystem.parent(of: store))/.\(name)-migration"
  }

  /// Removes the files that a killed process has left. A folder of the name that is somebody else's stays.
  ///
  /// - Parameter store: the path of a store that the caller has a lock on.
  static func removeLeftovers(beside store: String) {
    if FileSystem.isFolder(path(beside: store)) { _ = try? ScratchFolder(beside: store, isLocked: true) }
  }

  deinit {
    guard isOwn else { return }
    // The lock ends last. Its file must not be removed after that: it may be another process's by then.
    for name in Self.storeNames + [Self.lockName] { remove(name) }
    // A folder with other files stays.
    FileSystem.removeEmptyFolder(path)
    lock = nil
  }

  private func checkIsOwn() throws(ManagedObjectError) {
    let names = FileSystem.names(in: path)
    if FileSystem.isFolder(path), Set(names).isSubset(of: Self.ownNames) { return }
    throw ManagedObjectError(
      .migration, "\(path) is in the way, and nothing that a migration has left; move it to another place")
  }

  private func takeLock() throws(ManagedObjectError) {
    do throws(ManagedObjectError) {
      let database = try Database(path: "\(path)/\(Self.lockName)", .create, busyTime: 0)
      try database.execute("BEGIN EXCLUSIVE")
      // The process that had the lock before has removed the file: the next one would make another.
      if database.hasMoved { throw ManagedObjectError(.locked, "it has just removed \(path)") }
      lock = database
    } catch {
      throw ManagedObjectError(.migration, "another process makes a store at the same place: \(error.message)")
    }
  }

  /// The path of a new file. The one before stays, and those before that are gone.
  func newFile() -> String {
    let name = Self.storeNames[count % 2]
    count += 1
    remove(name)
    return "\(path)/\(name)"
  }

  private func remove(_ name: String) {
    for suffix in DatabaseFile.suffixes where FileSystem.sizeOfRegularFile("\(path)/\(name)\(suffix)") != nil {
      try? FileManager.default.removeItem(atPath: "\(path)/\(name)\(suffix)")
    }
  }
}
