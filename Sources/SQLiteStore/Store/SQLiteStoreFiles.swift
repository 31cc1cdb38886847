internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SQLiteAccess
internal import SystemFiles

/// The files of an SQLite store that is not open: the database with its journals, and the folder with external data.
struct SQLiteStoreFiles {
  /// The path of the database.
  let path: String
  private let externalData: ExternalData

  /// The time to wait for other connections to the database, in milliseconds.
  private static let patience: Int32 = 1000

  init(_ url: URL) throws(ManagedObjectError) {
    path = try StoreFile.path(of: url)
    externalData = ExternalData(ofStore: path)
  }

  /// Creates the scratch folder for a new store, next to its path. Creates missing folders.
  func makeScratchFolder() throws(ManagedObjectError) -> ScratchFolder {
    do { try FileSystem.makeFolder(FileSystem.parent(of: path), below: nil, permissions: 0o777) } catch {
      throw ManagedObjectError(.save, error.message)
    }
    return try ScratchFolder(beside: path, for: .creation, isLocked: false, busyTime: ConnectionOptions().busyTime)
  }

  /// The state of a database while ``locked(evenIfDamaged:_:)`` calls its closure.
  enum LockedState {
    /// The database is locked, and has no journals. It is in the mode for rollback journals.
    case withoutLog
    /// The database is locked, and has no journals. It was in the mode for a write-ahead log.
    case withLog
    /// SQLite cannot read the database. It is not locked, and may have journals.
    case damaged
  }

  /// Calls `body` while no other connection can write to the database, which is then a single file without journals. If
  /// `body` throws, the database gets its write-ahead log again.
  ///
  /// - Parameter evenIfDamaged: True to call `body` even if SQLite cannot read the database.
  /// - Throws: ``ManagedObjectError/Code/locked`` if another connection uses the write-ahead log, or is writing;
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file.
  func locked(
    evenIfDamaged: Bool = false, _ body: (LockedState) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    try check()
    let (database, state): (Database, LockedState)
    do throws(ManagedObjectError) { (database, state) = try lock() } catch {
      // Other codes do not mean damage: the file has another kind, or another process uses it.
      guard evenIfDamaged, error.code == .open || error.code == .sqlite else { throw error }
      return try body(.damaged)
    }
    do throws(ManagedObjectError) { try body(state) } catch {
      Self.unlock(database, state)
      throw error
    }
    database.rollBack()
  }

  /// Opens the database, turns it into a single file, and locks it.
  private func lock() throws(ManagedObjectError) -> (Database, LockedState) {
    let database = try Database(path: path, .readWrite, ConnectionOptions(busyTime: Self.patience))
    _ = try FileSchema(database)
    // Leaving the mode checkpoints and removes the log, which only a single connection can do.
    let state: LockedState = try database.journalMode() == "wal" ? .withLog : .withoutLog
    if state == .withLog, try database.journalMode("DELETE") != "delete" { throw inUse() }
    do throws(ManagedObjectError) {
      try database.begin(.immediate)
      guard try database.journalMode() == "delete" else { throw inUse() }
    } catch {
      Self.unlock(database, state)
      throw error
    }
    return (database, state)
  }

  private static func unlock(_ database: Database, _ state: LockedState) {
    database.rollBack()
    if state == .withLog { _ = try? database.journalMode("WAL") }
  }

  private func inUse() -> ManagedObjectError {
    ManagedObjectError(.locked, "\(path): another process uses the store")
  }

  /// Throws if a file of the store is not a regular file, or a folder is not a folder.
  private func check() throws(ManagedObjectError) {
    try ManagedObjectError.checkIsRegularFile(path)
    for suffix in DatabaseFile.suffixes where FileSystem.existsItself(path + suffix) {
      try ManagedObjectError.checkIsRegularFile(path + suffix)
    }
    try checkFolders()
  }

  /// Throws if a folder of external data exists, but is a file or a link.
  func checkFolders() throws(ManagedObjectError) {
    for folder in [FileSystem.parent(of: externalData.folder), externalData.folder]
    where FileSystem.existsItself(folder) {
      let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: folder)) != nil
      guard !isLink, FileSystem.isFolder(folder) else {
        throw ManagedObjectError(.open, "\(folder.printable()) is not a folder")
      }
    }
  }

  /// Removes the database, its journals, and the external data unless another store shares their folder.
  ///
  /// - Parameter other: The files of another store, whose external data is kept.
  /// - Throws: ``ManagedObjectError/Code/save`` if the database cannot be removed, before other files are removed, or
  ///   if another file cannot be removed, after all others were.
  func remove(keepingFilesOf other: SQLiteStoreFiles? = nil) throws(ManagedObjectError) {
    let names = externalNames
    // SQLite ignores the journals without the database, so that the store disappears at once.
    do { try FileSystem.remove(path) } catch { throw ManagedObjectError(.save, error.message) }
    var failure: FileError?
    func attempt(_ body: () throws(FileError) -> Void) { do { try body() } catch { failure = failure ?? error } }
    for journal in journals { attempt { () throws(FileError) in try FileSystem.remove(journal) } }
    if other?.externalData.folder != externalData.folder, !externalData.isShared {
      let folder = externalData.folder
      for name in names { attempt { () throws(FileError) in try FileSystem.remove("\(folder)/\(name)") } }
      FileSystem.removeEmptyFolder(folder)
      FileSystem.removeEmptyFolder(FileSystem.parent(of: folder))
    }
    attempt { () throws(FileError) in try FileSystem.synchronizeFolder(of: path) }
    if let failure {
      throw ManagedObjectError(
        .save, "the store was deleted from \(path), but not completely: \(failure.message)")
    }
  }

  /// The paths of the files that SQLite keeps next to the database.
  private var journals: [String] {
    DatabaseFile.suffixes.filter { !$0.isEmpty }.map { path + $0 }.filter { FileSystem.isRegularFileItself($0) }
  }

  /// Copies the store into a new database in a scratch folder, and its external data to the folder of `target`.
  ///
  /// - Parameter keys: The keys of an encrypted store and of its copy; nil if the store is not encrypted.
  func copy(
    to target: SQLiteStoreFiles, in scratch: ScratchFolder, writesNothing: Bool,
    keys: (old: SQLiteEncryptionKey, new: SQLiteEncryptionKey)? = nil
  ) throws(ManagedObjectError) -> StoreSnapshot {
    try ManagedObjectError.checkFile(at: path)
    for _ in 0..<10 {
      let database = try Database(
        path: path, writesNothing ? .immutable : .readOnly, ConnectionOptions(key: keys?.old))
      let version = try database.dataVersion()
      let snapshot = try database.transaction(.deferred) { () throws(ManagedObjectError) in
        try copy(database, to: target, in: scratch, keys?.new)
      }
      // Another process may have removed external files of this state.
      if snapshot.names.isEmpty { return snapshot }
      if try database.dataVersion() == version { return snapshot }
      snapshot.removeNewFiles()
    }
    throw ManagedObjectError(.timeout, "\(path): other processes keep saving, so that the store cannot be copied")
  }

  /// Copies the store. The caller has begun a transaction in `database`.
  private func copy(
    _ database: Database, to target: SQLiteStoreFiles, in scratch: ScratchFolder, _ key: SQLiteEncryptionKey?
  ) throws(ManagedObjectError) -> StoreSnapshot {
    _ = try FileSchema(database)
    _ = try MetadataTable.read(database)
    // SQLite keeps its files next to the target of a link.
    let source = ExternalData(ofStore: FileSystem.target(of: path))
    let copy = scratch.newFile()
    try Database(path: copy, .create, ConnectionOptions(key: key)).fill(from: database)
    guard FileSystem.sizeOfRegularFile(copy + "-wal") == nil else {
      throw ManagedObjectError(
        .save, "\(target.path): the copy of the store could not be written completely; the disk may be full")
    }
    let mode = Int(StoreFile.permissions(ofCopyOf: FileSystem.exists(target.path) ? target.path : path))
    do { try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: copy) } catch {
      throw ManagedObjectError(.save, "cannot set the permissions of \(copy.printable())")
    }
    var snapshot = StoreSnapshot(path: copy, folder: target.externalData.folder)
    do throws(ManagedObjectError) {
      try snapshot.addExternalFiles(of: source)
    } catch {
      snapshot.removeNewFiles()
      throw error
    }
    return snapshot
  }

  /// Moves a snapshot to the path of this store. Throws if a file exists there.
  func create(from snapshot: StoreSnapshot) throws(ManagedObjectError) {
    do throws(ManagedObjectError) {
      // SQLite would write the changes in the journals of a deleted database to the new one.
      // It cannot open a database next to a folder or a link with the name of a journal.
      for suffix in DatabaseFile.suffixes { try ManagedObjectError.checkIsUnused(path + suffix) }
    } catch {
      snapshot.removeNewFiles()
      throw error
    }
    // A hard link does not replace a file that another program creates meanwhile.
    if (try? FileManager.default.linkItem(atPath: snapshot.path, toPath: path)) == nil {
      do throws(ManagedObjectError) {
        try ManagedObjectError.checkIsUnused(path)
        try Self.move(snapshot.path, to: path)
      } catch {
        snapshot.removeNewFiles()
        throw error
      }
    }
    try synchronizeName()
  }

  private static func move(_ path: String, to other: String) throws(ManagedObjectError) {
    do { try FileSystem.move(path, to: other) } catch { throw ManagedObjectError(.save, error.message) }
  }

  private func synchronizeName() throws(ManagedObjectError) {
    do { try FileSystem.synchronizeFolder(of: path) } catch { throw ManagedObjectError(.save, error.message) }
  }

  /// Replaces this store with a snapshot. Throws if another process uses the store.
  func replace(with snapshot: StoreSnapshot, evenIfDamaged: Bool) throws(ManagedObjectError) {
    let old = externalNames
    do throws(ManagedObjectError) {
      try locked(evenIfDamaged: evenIfDamaged) { state throws(ManagedObjectError) in
        // SQLite would write the changes in the journals of the damaged database to the new one.
        if state == .damaged {
          do throws(FileError) { for journal in journals { try FileSystem.remove(journal) } } catch {
            throw ManagedObjectError(.save, error.message)
          }
        }
        try Self.move(snapshot.path, to: path)
      }
    } catch {
      snapshot.removeNewFiles()
      throw error
    }
    if !externalData.isShared {
      for name in old.subtracting(snapshot.names) { FileSystem.removeFile("\(externalData.folder)/\(name)") }
    }
    try synchronizeName()
  }

  private var externalNames: Set<String> { StoreSnapshot.names(in: externalData) }
}

/// A copy of a database in a scratch folder. Its external files are already in the folder of the new store.
struct StoreSnapshot {
  /// The path of the copy.
  let path: String
  /// The folder with the external files of the new store.
  let folder: String
  /// The names of the external files.
  private(set) var names: Set<String> = []
  /// The paths of the external files that did not exist before.
  private var newFiles: [String] = []

  init(path: String, folder: String) {
    self.path = path
    self.folder = folder
  }

  /// Returns the names of a store's external files. Other files in the folder do not belong to the store.
  static func names(in data: ExternalData) -> Set<String> {
    Set(
      data.fileNames.filter { name in
        UUID(uuidString: name) != nil && FileSystem.isRegularFileItself("\(data.folder)/\(name)")
      })
  }

  /// Copies the external files of a store. Stores with the same folder, such as a store that is replaced with itself,
  /// share their files.
  mutating func addExternalFiles(of source: ExternalData) throws(ManagedObjectError) {
    let names = Self.names(in: source)
    if names.isEmpty { return }
    if source.folder == folder {
      self.names = names
      return
    }
    do throws(FileError) {
      try FileSystem.makeFolder(folder, below: nil, permissions: 0o777)
      for name in names {
        let file = "\(source.folder)/\(name)"
        // A file that disappears meanwhile belongs to another state of the store.
        guard let (data, _) = try FileSystem.readRegularFile(file, limit: ExternalData.greatestSize) else { continue }
        let copy = "\(folder)/\(name)"
        let permissions = StoreFile.permissions(ofCopyOf: file)
        if try FileSystem.create(copy, with: data, permissions: .init(permissions)) != nil {
          newFiles.append(copy)
        } else if try FileSystem.read(copy, limit: ExternalData.greatestSize) != data {
          throw FileError(EEXIST, "cannot copy \(file): \(copy) exists already, with other contents")
        }
        self.names.insert(name)
      }
      try FileSystem.synchronizeFolder(of: newFiles.last ?? folder)
    } catch {
      throw ManagedObjectError(.save, error.message)
    }
  }

  /// Removes the external files that did not exist before.
  func removeNewFiles() {
    if newFiles.isEmpty { return }
    for file in newFiles { FileSystem.removeFile(file) }
    FileSystem.removeEmptyFolder(folder)
    FileSystem.removeEmptyFolder(FileSystem.parent(of: folder))
  }
}

extension Connection where Failure == ManagedObjectError {
  /// Copies another database into this one, which is empty.
  fileprivate func fill(from other: Database) throws(ManagedObjectError) { try other.copy(to: self) }
}
