public import FoundationEssentials
public import ObjectModels
public import OrderedCollections
public import PropertyLists
internal import SharedFiles
internal import SystemFiles

/// Functions that copy, replace, move and delete the file of an XML or binary store. Each save replaces the file, so
/// its contents always belong to one save.
extension FileStore {
  public var url: URL { file.url }

  public static func copyStore(at source: URL, to file: URL, writesNothing: Bool) throws(ManagedObjectError) {
    let (data, permissions) = try contents(source)
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let path = try StoreFile.path(of: file)
      try ManagedObjectError.checkIsUnused(path)
      try StoreFile.create(path, data, permissions)
    }
  }

  public static func replaceStore(
    at file: URL, withStoreAt source: URL, force: Bool
  ) throws(ManagedObjectError) {
    let (data, permissions) = try contents(source)
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let path = try StoreFile.path(of: file)
      guard FileSystem.existsItself(path) else { return try StoreFile.create(path, data, permissions) }
      try ManagedObjectError.checkIsRegularFile(path)
      try checkKind(file, evenIfDamaged: force)
      try StoreFile.rewrite(path) { _ in data }
    }
  }

  public static func moveStore(at source: URL, to file: URL) throws(ManagedObjectError) {
    let target = try StoreFile.path(of: file)
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try ManagedObjectError.checkIsUnused(target)
    }
    try remove(source, evenIfDamaged: false) { data, permissions throws(ManagedObjectError) in
      try StoreFile.create(target, data, permissions)
    }
  }

  public static func destroyStore(at file: URL, force: Bool) throws(ManagedObjectError) {
    try remove(file, evenIfDamaged: force) { _, _ in }
  }

  /// Checks that a file is a store of this kind.
  ///
  /// - Parameter evenIfDamaged: true to accept a file that cannot be read, unless it is one of another kind.
  private static func checkKind(_ file: URL, evenIfDamaged: Bool) throws(ManagedObjectError) {
    do { _ = try metadata(ofFile: file) } catch { if !evenIfDamaged || error.code != .open { throw error } }
  }

  /// Returns the contents of a store, and the permission bits of its file.
  private static func contents(_ url: URL) throws(ManagedObjectError) -> (Data, UInt32) {
    _ = try metadata(ofFile: url)
    return try ManagedObjectError.naming(url) { () throws(ManagedObjectError) in
      guard let (data, _) = try StoreFile.read(StoreFile.path(of: url)) else {
        throw ManagedObjectError(.noSuchFile, "there is no file \(url.path.printable())")
      }
      return (data, StoreFile.permissions(ofCopyOf: url.path))
    }
  }

  /// Locks a store, calls `body` with its contents, and removes the file.
  private static func remove(
    _ url: URL, evenIfDamaged: Bool, _ body: (Data, UInt32) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    try checkKind(url, evenIfDamaged: evenIfDamaged)
    try ManagedObjectError.naming(url) { () throws(ManagedObjectError) in
      let path = try StoreFile.path(of: url)
      try ManagedObjectError.checkIsRegularFile(path)
      var file = try StoreFile.lock(path)
      let data = try StoreFile.contents(of: &file)
      try body(data, StoreFile.permissions(ofCopyOf: path))
      do throws(FileError) {
        guard try file.remove() else { throw FileError(EBUSY, "another program has changed \(path)") }
        try FileSystem.synchronizeFolder(of: path)
      } catch {
        throw ManagedObjectError(error, .save)
      }
    }
  }
}

extension StoreFile {
  /// Returns the permission bits for a copy of a file: those of the file, and read and write permission for the owner.
  package static func permissions(ofCopyOf path: String) -> UInt32 {
    UInt32((try? FileIdentity(at: path))?.permissions ?? 0) | 0o600
  }

  fileprivate static func lock(_ path: String) throws(ManagedObjectError) -> LockedFile {
    var locked: LockedFile?
    do { locked = try LockedFile(path, until: .now + patience) } catch { throw ManagedObjectError(error, .save) }
    if let file = locked.take() { return file }
    throw ManagedObjectError(.noSuchFile, "there is no file \(path.printable())")
  }

  fileprivate static func contents(of file: inout LockedFile) throws(ManagedObjectError) -> Data {
    do { return try file.read(limit: greatestSize) } catch { throw ManagedObjectError(error, .save) }
  }

  /// Locks a file, and replaces its contents.
  ///
  /// - Parameter body: returns the new contents. Its argument is the old contents.
  static func rewrite(
    _ path: String, _ body: (Data) throws(ManagedObjectError) -> Data
  ) throws(ManagedObjectError) {
    var file = try lock(path)
    let data = try contents(of: &file)
    let bytes = try body(data)
    do throws(FileError) {
      guard let identity = try file.replace(with: bytes, settingAside: nil, displaced: displacedSuffix) else {
        throw FileError(EBUSY, "another program has changed \(path)")
      }
      try synchronizeName(identity, of: path, old: data)
    } catch {
      throw ManagedObjectError(error, .save)
    }
  }

  /// Creates a file with its missing folders. The file appears with all of its contents.
  fileprivate static func create(
    _ path: String, _ data: Data, _ permissions: UInt32
  ) throws(ManagedObjectError) {
    do throws(FileError) {
      try FileSystem.makeFolder(FileSystem.parent(of: path), below: nil)
      guard try FileSystem.create(path, with: data, permissions: .init(permissions)) != nil else {
        throw FileError(EEXIST, "\(path) already exists")
      }
      try FileSystem.synchronizeFolder(of: path)
    } catch {
      throw ManagedObjectError(error, .save)
    }
  }
}

extension XMLStore {
  public static func openStore(
    at file: URL, model: ManagedObjectModel, configuration: String?
  ) throws(ManagedObjectError) -> any PersistentStore {
    try XMLStore(file, model: model, configuration: configuration, createsFile: false)
  }

  public static func createStore(
    at file: URL, model: ManagedObjectModel, configuration: String?,
    filledBy body: (any PersistentStore) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    try XMLStore(new: file, model: model, configuration: configuration).create(body)
  }

  public static func setMetadata(
    _ metadata: OrderedDictionary<String, PropertyList>, ofFile file: URL
  ) throws(ManagedObjectError) {
    try StoreFile.setMetadata(metadata, of: file, XMLStoreFormat.replacing)
  }
}

extension BinaryStore {
  public static func openStore(
    at file: URL, model: ManagedObjectModel, configuration: String?
  ) throws(ManagedObjectError) -> any PersistentStore {
    try BinaryStore(file, model: model, configuration: configuration, createsFile: false)
  }

  public static func createStore(
    at file: URL, model: ManagedObjectModel, configuration: String?,
    filledBy body: (any PersistentStore) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    try BinaryStore(new: file, model: model, configuration: configuration).create(body)
  }

  public static func setMetadata(
    _ metadata: OrderedDictionary<String, PropertyList>, ofFile file: URL
  ) throws(ManagedObjectError) {
    try StoreFile.setMetadata(metadata, of: file, BinaryStoreFormat.replacing)
  }
}

extension FileStore {
  /// Fills a store that has no file yet. Writes its file at the end, even if it is empty.
  fileprivate func create(
    _ body: (any PersistentStore) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    try ManagedObjectError.naming(file.url) { () throws(ManagedObjectError) in
      try ManagedObjectError.checkIsUnused(file.path)
      do throws(FileError) { try FileSystem.makeFolder(FileSystem.parent(of: file.path), below: nil) } catch {
        throw ManagedObjectError(error, .save)
      }
    }
    file.isBeingFilled.store(true, ordering: .relaxed)
    try body(self)
    file.isBeingFilled.store(false, ordering: .relaxed)
    try save(StoreChanges())
  }
}

extension StoreFile {
  /// Replaces the metadata that programs have set in a file.
  ///
  /// - Parameter replace: returns the contents of a file with changed metadata.
  fileprivate static func setMetadata(
    _ metadata: OrderedDictionary<String, PropertyList>, of url: URL,
    _ replace: (Data, (inout StoreMetadata) -> Void) throws(ManagedObjectError) -> Data
  ) throws(ManagedObjectError) {
    try ManagedObjectError.naming(url) { () throws(ManagedObjectError) in
      try rewrite(path(of: url)) { data throws(ManagedObjectError) in try replace(data) { $0.replace(with: metadata) } }
    }
  }
}
