public import FoundationEssentials
internal import ObjectModels
internal import OrderedCollections
internal import Predicates
internal import PropertyLists
internal import SharedFiles
internal import Synchronization
package import SystemFiles

/// The file of an ``XMLStore`` or ``BinaryStore``. It is read and written as a whole.
///
/// All rows are in memory. A save locks the file, checks if another process has saved it since it was read, writes a
/// new file next to it, and replaces the old file with the new one. A process that opens the file finds either the old
/// contents or the new ones. Two processes that save at the same time do not overwrite each other's changes. If another
/// process has saved the file, it is read again, and the rows that changed get a higher version. Saves compare the
/// versions to find conflicts.
///
/// The primary keys of new objects follow the highest one in the file. If another process saves new objects with the
/// same primary keys first, the save throws ``ManagedObjectError/Code/keysTaken`` and changes nothing. A context then
/// gives its objects new keys and saves again, unless the keys come from
/// ``ManagedObjectContext/obtainPermanentIDs(for:)``.
///
/// A file may contain references to deleted objects, as other stores may: a to-one relationship keeps them if it has no
/// inverse, or if the delete rule of the inverse is to do nothing.
public final class StoreFile: Sendable {
  /// The URL of the file.
  public let url: URL
  let path: String
  let number = StoreNumber.next()
  let identifier: String
  let model: ManagedObjectModel
  let configuration: String?
  let isReadOnly: Bool
  let format: any StoreFileFormat

  let state: Mutex<State>
  let refusesChangedFile = Atomic(false)
  /// True while a new store is filled. Saves then keep the rows in memory, and write no file.
  let isBeingFilled = Atomic(false)
  /// The lock that is held during a save, and while the file is read again.
  let saving = Mutex<Void>(())

  /// The state of the file when it was last read or saved, with the keys that were created and the metadata that was
  /// set since.
  struct State {
    var contents: StoreFileContents
    /// The identity of the file with the ``contents``; nil before the first save of a new file.
    var identity: FileIdentity?
    /// The highest primary key that an object has or had, including objects that are not saved yet.
    var lastNumber: Int64
    /// The number of times that the metadata was set since the last save.
    var metadataChanges = 0
    /// The changes that other processes, or other stores with this file, saved since the last ``changesByOthers()``;
    /// nil before the first call.
    var changesByOthers: SavedChanges?
  }

  /// The maximum size of a file, in bytes.
  static let greatestSize = ParsingLimits().inputSize

  /// The longest time that a save waits for a lock of another process.
  static let patience: Duration = .seconds(10)

  /// Opens a file. If it does not exist, creates one without objects if `createsFile` is true.
  init(
    _ url: URL, _ format: any StoreFileFormat, model: ManagedObjectModel, configuration: String?, isReadOnly: Bool,
    createsFile: Bool
  ) throws(ManagedObjectError) {
    try model.checkConfiguration(configuration)
    let path = try Self.path(of: url)
    let table = RowTable(model: model, storeNumber: number, configuration: configuration)
    var found = try Self.read(path)
    for _ in 0..<3 where found == nil {
      if isReadOnly || !createsFile { throw Self.missing(path) }
      let made = try Self.make(path, format, table, configuration)
      found = try Self.read(path)
      if !made, found == nil { throw ManagedObjectError(.open, "the folder of \(path.printable()) is missing") }
    }
    guard let (data, identity) = found else {
      throw ManagedObjectError(.open, "another process keeps removing \(path.printable())")
    }
    let contents = try format.read(data, into: table, configuration: configuration)
    // Removes temporary files of processes that ended during a save.
    if !isReadOnly { FileSystem.removeAbandonedFiles(of: path) }
    self.url = url
    self.path = path
    self.identifier = contents.metadata.identifier
    self.model = model
    self.configuration = configuration
    self.isReadOnly = isReadOnly
    self.format = format
    state = Mutex(State(contents: contents, identity: identity, lastNumber: contents.lastNumber))
  }

  /// Creates a store without objects and without a file. The first save creates the file.
  init(
    new url: URL, _ format: any StoreFileFormat, model: ManagedObjectModel, configuration: String?
  ) throws(ManagedObjectError) {
    try model.checkConfiguration(configuration)
    path = try Self.path(of: url)
    let table = RowTable(model: model, storeNumber: number, configuration: configuration)
    let contents = Self.newContents(format, table, configuration)
    FileSystem.removeAbandonedFiles(of: path)
    self.url = url
    identifier = contents.metadata.identifier
    self.model = model
    self.configuration = configuration
    isReadOnly = false
    self.format = format
    state = Mutex(State(contents: contents, identity: nil, lastNumber: contents.lastNumber))
  }

  /// Returns the path of a file URL.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` for another URL, and for one without a path that is valid UTF-8.
  package static func path(of url: URL) throws(ManagedObjectError) -> String {
    guard url.isFileURL else { throw ManagedObjectError(.open, "\(url.absoluteString.quoted) is not a file URL") }
    let path = url.path
    if path.isEmpty { throw ManagedObjectError(.open, "\(url.absoluteString.quoted) has no path that is valid UTF-8") }
    return path
  }

  private static func missing(_ path: String) -> ManagedObjectError {
    ManagedObjectError(.noSuchFile, "there is no file \(path.printable())")
  }

  package static func read(_ path: String) throws(ManagedObjectError) -> (data: Data, identity: FileIdentity)? {
    do { return try FileSystem.readRegularFile(path, limit: greatestSize) } catch {
      throw ManagedObjectError(error, .open)
    }
  }

  private static func newContents(
    _ format: any StoreFileFormat, _ table: RowTable, _ configuration: String?
  ) -> StoreFileContents {
    let metadata = StoreMetadata(
      identifier: UUID().uuidString, type: format.type, model: table.model, configuration: configuration)
    return StoreFileContents(table: table, metadata: metadata, lastNumber: format.firstLastNumber)
  }

  /// Creates a file without objects, and missing folders. Returns false if another process has created the file
  /// meanwhile.
  private static func make(
    _ path: String, _ format: any StoreFileFormat, _ table: RowTable, _ configuration: String?
  ) throws(ManagedObjectError) -> Bool {
    let data = try format.write(newContents(format, table, configuration), old: nil, changed: []).data
    do {
      if try FileSystem.create(path, with: data, permissions: 0o644) == nil {
        let folder = FileSystem.parent(of: path)
        guard try FileIdentity(at: folder) == nil else { return false }
        try FileSystem.makeFolder(folder, below: nil)
        guard try FileSystem.create(path, with: data, permissions: 0o644) != nil else { return false }
      }
      try FileSystem.synchronizeFolder(of: path)
      return true
    } catch {
      throw ManagedObjectError(error, .open)
    }
  }

  /// Returns the first defect found, if any. For tests.
  func _checkInvariants() -> String? { state.withLock { $0.contents.table._checkInvariants() } }

  // The methods of ``PersistentStore`` that a ``FileStore`` implements with this file.

  var modelMismatches: [ModelMismatch] { state.withLock { $0.contents.mismatches } }

  /// Checks that changes can be saved.
  func checkIsWritable() throws(ManagedObjectError) {
    if format.ignoresModelVersion { throw ManagedObjectError.ignoringModelVersion(path) }
    guard !isReadOnly else { throw ManagedObjectError(.save, "\(path.printable()) was opened as read-only") }
  }

  var metadata: OrderedDictionary<String, PropertyList> { state.withLock { $0.contents.metadata.values } }

  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) {
    state.withLock { state in
      state.contents.metadata.replace(with: metadata)
      state.metadataChanges += 1
    }
  }

  /// The identity of the file as text. It changes with each save, which replaces the file with a new one.
  var changeToken: String? { (try? FileIdentity(at: path))?.text }

  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] {
    // Reads the file again, because other processes may have saved new objects. If it cannot be read, the save will
    // throw the error.
    if !isReadOnly { saving.withLock { _ in try? refresh() } }
    return try state.withLock { state throws(ManagedObjectError) in
      try RowKey.makeKeys(entityIndices, store: number, after: &state.lastNumber)
    }
  }

  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] {
    try refreshIfChanged()
    return state.withLock { state in keys.map { state.contents.table.row($0) } }
  }

  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    try refreshIfChanged()
    let table = state.withLock { $0.contents.table }
    return try table.fetch(request, of: entity)
  }

  func snapshot() throws(ManagedObjectError) -> any PersistentStore {
    try refreshIfChanged()
    return state.withLock { state in
      InMemoryStore(
        state.contents.table, state.contents.metadata, configuration: configuration, lastNumber: state.lastNumber,
        isReadOnly: true)
    }
  }

  /// Reads the file again if it has changed, so that a program that never saves sees the changes of other processes.
  /// The check takes about a microsecond.
  private func refreshIfChanged() throws(ManagedObjectError) {
    if (try? FileIdentity(at: path)) != state.withLock({ $0.identity }) {
      try saving.withLock { _ throws(ManagedObjectError) in try refresh() }
    }
  }
}

extension ManagedObjectError {
  /// Creates the error for an operation on a file that failed.
  ///
  /// - Parameter code: the code of the error. If another process has locked the file, ``Code/locked`` is used instead.
  init(_ error: FileError, _ code: Code) {
    self.init(error.isLocked ? .locked : code, error.message.printable())
    fileError = PropertyListError(error)
  }

  /// Creates the error for a defect in the contents of a file.
  init(_ error: PropertyListError, _ code: Code = .open) {
    self.init(code, error.description)
    fileError = error
  }
}

extension StoreFile {
  /// Returns the metadata of a file without reading its objects.
  ///
  /// - Parameter read: a function that parses the metadata in the contents of a file.
  static func metadata(
    of url: URL, _ read: (Data) throws(ManagedObjectError) -> StoreMetadata
  ) throws(ManagedObjectError) -> StoreMetadata {
    try ManagedObjectError.naming(url) { () throws(ManagedObjectError) in
      let path = try path(of: url)
      guard let (data, _) = try Self.read(path) else { throw missing(path) }
      return try read(data)
    }
  }
}

extension ManagedObjectError {
  /// Checks that a file exists. Also throws if its existence cannot be determined, such as in an unreadable folder.
  ///
  /// - Throws: ``Code/noSuchFile``; ``Code/open`` with the ``fileError``.
  package static func checkFile(at path: String) throws(ManagedObjectError) {
    do {
      if try FileIdentity(at: path) != nil { return }
    } catch {
      var failure = ManagedObjectError(.open, error.message)
      failure.fileError = PropertyListError(error)
      throw failure
    }
    throw ManagedObjectError(.noSuchFile, "there is no file \(path.printable())")
  }
}
