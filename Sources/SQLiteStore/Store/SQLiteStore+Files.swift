public import FoundationEssentials
public import ManagedObjects
public import OrderedCollections
public import PropertyLists
public import SQLiteAccess
internal import SystemFiles

/// Functions that create, open, copy, replace, move and delete the files of a store.
extension SQLiteStore: FileBackedStore {
  public static func openStore(
    at file: URL, model: ManagedObjectModel, configuration: String?
  ) throws(ManagedObjectError) -> any PersistentStore {
    try SQLiteStore(file, model: model, configuration: configuration, access: .readWrite(createsFile: false))
  }

  public static func createStore(
    at file: URL, model: ManagedObjectModel, configuration: String?,
    filledBy body: (any PersistentStore) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    let files = try SQLiteStoreFiles(file)
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try ManagedObjectError.checkIsUnused(files.path)
      let scratch = try files.makeScratchFolder()
      let path = scratch.newFile()
      try body(SQLiteStore(unfinishedAt: path, for: file, model: model, configuration: configuration))
      // SQLite merges its log into the file when the store is closed, unless the disk is full.
      guard FileSystem.sizeOfRegularFile(path + "-wal") == nil else {
        throw ManagedObjectError(
          .save, "\(files.path): the store could not be written completely; the disk may be full")
      }
      try files.create(from: StoreSnapshot(path: path, folder: ""))
      withExtendedLifetime(scratch) {}
    }
  }

  public static func copyStore(at source: URL, to file: URL, writesNothing: Bool) throws(ManagedObjectError) {
    try copyStore(at: source, to: file, writesNothing: writesNothing, keys: nil)
  }

  /// Copies an encrypted store. Programs can use the store meanwhile, as with ``copyStore(at:to:writesNothing:)``.
  ///
  /// ```swift
  /// try SQLiteStore.copyStore(at: file, to: backup, key: key)
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key of the store.
  ///   - newKey: The key of the copy; nil for the same one.
  /// - Throws: The errors of ``copyStore(at:to:writesNothing:)``; ``ManagedObjectError/Code/wrongEncryptionKey``,
  ///   ``ManagedObjectError/Code/encryptionUnavailable``.
  /// - Complexity: O(*n*) in the size of the files.
  public static func copyStore(
    at source: URL, to file: URL, key: SQLiteEncryptionKey, newKey: SQLiteEncryptionKey? = nil
  ) throws(ManagedObjectError) {
    try copyStore(at: source, to: file, writesNothing: false, keys: (key, newKey ?? key))
  }

  private static func copyStore(
    at source: URL, to file: URL, writesNothing: Bool, keys: (old: SQLiteEncryptionKey, new: SQLiteEncryptionKey)?
  ) throws(ManagedObjectError) {
    let (origin, target) = (try SQLiteStoreFiles(source), try SQLiteStoreFiles(file))
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try ManagedObjectError.checkIsUnused(target.path)
      try target.checkFolders()
    }
    try ManagedObjectError.naming(source) { () throws(ManagedObjectError) in
      try ManagedObjectError.checkFile(at: origin.path)
      let scratch = try target.makeScratchFolder()
      try target.create(
        from: origin.copy(to: target, in: scratch, writesNothing: writesNothing, keys: keys))
      withExtendedLifetime(scratch) {}
    }
  }

  public static func replaceStore(
    at file: URL, withStoreAt source: URL, force: Bool
  ) throws(ManagedObjectError) {
    let (origin, target) = (try SQLiteStoreFiles(source), try SQLiteStoreFiles(file))
    guard FileSystem.existsItself(target.path) else { return try copyStore(at: source, to: file) }
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try ManagedObjectError.checkIsRegularFile(target.path)
      try target.checkFolders()
      let scratch = try target.makeScratchFolder()
      let snapshot = try ManagedObjectError.naming(source) { () throws(ManagedObjectError) in
        try origin.copy(to: target, in: scratch, writesNothing: false)
      }
      try target.replace(with: snapshot, evenIfDamaged: force)
      withExtendedLifetime(scratch) {}
    }
  }

  public static func moveStore(at source: URL, to file: URL) throws(ManagedObjectError) {
    let (origin, target) = (try SQLiteStoreFiles(source), try SQLiteStoreFiles(file))
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try ManagedObjectError.checkIsUnused(target.path)
      try target.checkFolders()
    }
    try ManagedObjectError.naming(source) { () throws(ManagedObjectError) in
      try ManagedObjectError.checkFile(at: origin.path)
      let scratch = try target.makeScratchFolder()
      try origin.locked { state throws(ManagedObjectError) in
        let snapshot = try origin.copy(to: target, in: scratch, writesNothing: false)
        if state == .withLog { _ = try Database(path: snapshot.path, .readWrite).journalMode("WAL") }
        try target.create(from: snapshot)
        try origin.remove(keepingFilesOf: target)
      }
      withExtendedLifetime(scratch) {}
    }
  }

  public static func destroyStore(at file: URL, force: Bool) throws(ManagedObjectError) {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let files = try SQLiteStoreFiles(file)
      try files.locked(evenIfDamaged: force) { _ throws(ManagedObjectError) in try files.remove() }
    }
  }

  public static func metadata(ofFile file: URL) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    try metadata(ofFile: file, writesNothing: false)
  }

  public static func setMetadata(
    _ metadata: OrderedDictionary<String, PropertyList>, ofFile file: URL
  ) throws(ManagedObjectError) {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let path = try StoreFile.path(of: file)
      try ManagedObjectError.checkFile(at: path)
      let database = try Database(path: path, .readWrite)
      try database.transaction(.immediate) { () throws(ManagedObjectError) in
        let schema = try FileSchema(database)
        // A trigger of another program could change anything.
        guard !schema.triggers.contains(where: { $0.table == "Z_METADATA" }) else {
          throw ManagedObjectError(.save, "\(path.printable()): the store has triggers of other programs")
        }
        var current = try MetadataTable.read(database)
        current.replace(with: metadata)
        try MetadataTable.write(current, database)
      }
    }
  }
}
