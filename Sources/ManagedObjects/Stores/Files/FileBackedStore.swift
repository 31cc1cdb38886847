public import FoundationEssentials
public import ObjectModels
public import OrderedCollections
public import PropertyLists
internal import SystemFiles

/// A store in a file, such as ``XMLStore``, ``BinaryStore`` or, in the module SQLiteStore, `SQLiteStore`.
///
/// The static methods work on the files of a store that is not open in this process:
///
/// ```swift
/// try XMLStore.copyStore(at: file, to: backup)
/// try XMLStore.destroyStore(at: file)
/// ```
///
/// They only change regular files that belong to the store: a path that is a symbolic link, a folder or a device is an
/// error. If one of them throws, the stores at both paths are as before, with these exceptions:
///
/// * Copied files with external data may remain.
/// * ``destroyStore(at:force:)`` and ``moveStore(at:to:)`` delete the file of the store first, then the files next to
///   it. If one of these cannot be deleted, the methods delete the others, and throw an error that names it. A moved
///   store is complete at its new path. Only files with external data and, of a damaged store, journals of SQLite can
///   remain. A store that is opened at the old path does not use them. Copying or moving a store to this path throws
///   while it has journals.
/// * The same methods throw after a deletion if the system does not confirm that it is durable. The old file may exist
///   again after the computer has crashed.
/// * ``moveStore(at:to:)`` throws if it cannot delete the file of the store. Both paths then have the store.
/// * The other methods throw if the system does not confirm that a new file is durable. The new store is complete, and
///   may have replaced the old SQLite store. It may be missing after the computer has crashed.
/// * ``replaceStore(at:withStoreAt:force:)`` deletes the journals of a damaged SQLite file before it replaces the file.
///
/// A process uses an SQLite store as long as it has the store open. It uses an XML or binary store only during a save.
public protocol FileBackedStore: PersistentStore {
  /// The URL of the file.
  var url: URL { get }

  /// Opens an existing store for reading and saving.
  ///
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` if the file does not exist; the errors of the initializers.
  static func openStore(
    at file: URL, model: ManagedObjectModel, configuration: String?
  ) throws(ManagedObjectError) -> any PersistentStore

  /// Creates a store with the objects that `body` saves. The file appears when the store is complete.
  ///
  /// - Parameters:
  ///   - file: the URL of the new store. The file must not exist. Missing folders are created.
  ///   - model: the model of the store.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - body: a function that saves the objects. It must not keep the store, whose file moves afterwards.
  /// - Throws: ``ManagedObjectError/Code/save`` if the file exists or cannot be written; the error of `body`.
  static func createStore(
    at file: URL, model: ManagedObjectModel, configuration: String?,
    filledBy body: (any PersistentStore) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError)

  /// Copies a store with its external data. Programs can use the store meanwhile: the copy has the state after one of
  /// their saves. It has the same identifier, so one coordinator cannot have both stores.
  ///
  /// ```swift
  /// try SQLiteStore.copyStore(at: file, to: backup)
  /// ```
  ///
  /// - Parameters:
  ///   - source: the URL of the store.
  ///   - file: the URL of the copy. The file must not exist. Missing folders are created.
  ///   - writesNothing: true to create no files next to the store, for a store in a folder that cannot be written. No
  ///     other process may save to an SQLite store meanwhile.
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` if the store does not exist;
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` if it is a store of another kind;
  ///   ``ManagedObjectError/Code/save`` if the copy exists or cannot be written.
  /// - Complexity: O(*n*) in the size of the files.
  static func copyStore(at source: URL, to file: URL, writesNothing: Bool) throws(ManagedObjectError)

  /// Replaces a store with a copy of another one, atomically. If the store does not exist, it is created. Programs can
  /// use the other store meanwhile.
  ///
  /// ```swift
  /// try SQLiteStore.replaceStore(at: file, withStoreAt: backup)
  /// ```
  ///
  /// Close the replaced store in all programs first. If an XML or binary store stays open, its fetches and saves throw.
  /// But if the copy has the same identifier, such as a backup of the store, the open store reads the objects of the
  /// copy.
  ///
  /// A damaged store is replaced only with `force`, because the file may also be one that is not a store:
  ///
  /// ```swift
  /// try SQLiteStore.replaceStore(at: file, withStoreAt: backup, force: true)
  /// ```
  ///
  /// - Parameters:
  ///   - file: the URL of the store to replace.
  ///   - source: the URL of the store to copy.
  ///   - force: true to replace any regular file, even if it is damaged or not a store, as long as it is not recognized
  ///     as a file of another kind, such as XML for an SQLite store. If SQLite cannot read the file, this method cannot
  ///     detect all other processes that use it.
  /// - Throws: the errors of ``copyStore(at:to:writesNothing:)``; ``ManagedObjectError/Code/open`` or
  ///   ``ManagedObjectError/Code/sqlite`` if the store to replace is damaged and `force` is false;
  ///   ``ManagedObjectError/Code/locked`` if another process uses it.
  static func replaceStore(at file: URL, withStoreAt source: URL, force: Bool) throws(ManagedObjectError)

  /// Moves a store with its external data to a path that must not exist, also to another file system. At any time, at
  /// least one of the paths has a complete store. If the process is killed, both may have one.
  ///
  /// - Throws: the errors of ``copyStore(at:to:writesNothing:)``; ``ManagedObjectError/Code/locked`` if another process
  ///   uses the store.
  static func moveStore(at source: URL, to file: URL) throws(ManagedObjectError)

  /// Deletes the files of a store.
  ///
  /// ```swift
  /// try SQLiteStore.destroyStore(at: damaged, force: true)
  /// ```
  ///
  /// - Parameters:
  ///   - file: the URL of the store.
  ///   - force: true to delete any regular file, even if it is damaged or not a store: see
  ///     ``replaceStore(at:withStoreAt:force:)``.
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` if the store does not exist;
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` if it is a store of another kind;
  ///   ``ManagedObjectError/Code/open`` or ``ManagedObjectError/Code/sqlite`` if it is damaged and `force` is false;
  ///   ``ManagedObjectError/Code/locked`` if another process uses it; ``ManagedObjectError/Code/save`` if a file cannot
  ///   be deleted.
  static func destroyStore(at file: URL, force: Bool) throws(ManagedObjectError)

  /// Returns the metadata of a store without its model, and without reading its objects.
  ///
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` or ``ManagedObjectError/Code/open`` if the file cannot be read;
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` if it is a store of another kind.
  static func metadata(ofFile file: URL) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList>

  /// Sets the metadata of a store without its model. Keys that the store itself sets, such as
  /// ``StoreMetadataKey/identifier``, keep their values.
  ///
  /// ```swift
  /// var metadata = try XMLStore.metadata(ofFile: file)
  /// metadata["title"] = "Letters"
  /// try XMLStore.setMetadata(metadata, ofFile: file)
  /// ```
  ///
  /// - Throws: the errors of ``metadata(ofFile:)``; ``ManagedObjectError/Code/save`` if the file cannot be written;
  ///   ``ManagedObjectError/Code/locked`` if another process is saving.
  static func setMetadata(
    _ metadata: OrderedDictionary<String, PropertyList>, ofFile file: URL
  ) throws(ManagedObjectError)
}

extension FileBackedStore {
  /// Copies a store, as ``copyStore(at:to:writesNothing:)`` does. May create the files next to an SQLite store that
  /// processes need to share it.
  public static func copyStore(at source: URL, to file: URL) throws(ManagedObjectError) {
    try copyStore(at: source, to: file, writesNothing: false)
  }

  /// Replaces a store that is not damaged, as ``replaceStore(at:withStoreAt:force:)`` does.
  public static func replaceStore(at file: URL, withStoreAt source: URL) throws(ManagedObjectError) {
    try replaceStore(at: file, withStoreAt: source, force: false)
  }

  /// Deletes the files of a store that is not damaged, as ``destroyStore(at:force:)`` does.
  public static func destroyStore(at file: URL) throws(ManagedObjectError) { try destroyStore(at: file, force: false) }
}

extension ManagedObjectError {
  /// Checks that a path does not exist, not even as a symbolic link.
  ///
  /// - Throws: ``Code/save`` if it exists.
  package static func checkIsUnused(_ path: String) throws(ManagedObjectError) {
    guard FileSystem.existsItself(path) else { return }
    throw ManagedObjectError(.save, "\(path.printable()) already exists")
  }

  /// Checks that a path is that of a regular file, and not of a link to one.
  ///
  /// - Throws: ``Code/noSuchFile`` for a missing file; ``Code/open`` for other kinds of files.
  package static func checkIsRegularFile(_ path: String) throws(ManagedObjectError) {
    if FileSystem.isRegularFileItself(path) { return }
    if !FileSystem.existsItself(path) { try checkFile(at: path) }
    throw ManagedObjectError(.open, "\(path.printable()) is not a regular file")
  }
}
