public import FoundationEssentials
internal import ObjectModels
internal import OrderedCollections
internal import Predicates
internal import PropertyLists
internal import SharedFiles
internal import Synchronization
package import SystemFiles

/// The file of a store that is read and written as a whole.
///
/// All rows are in memory. A save locks the file, looks whether somebody else has saved it since it was read, writes a
/// new file beside it and replaces the old one with the new one; so whoever opens the file finds what was there before
/// or all of what is there now, and of two processes that save at the same time neither takes away what the other has
/// saved. What somebody else has saved is compared with what was read: rows that differ have another version from then
/// on, by which the conflicts of a save are found.
///
/// Numbers of new objects come from the file's highest. If another process gives the same to its own new objects, and
/// saves them first, the save of this one fails with ``ManagedObjectError/Code/keysTaken`` and changes nothing. A
/// context gives its objects new keys then and saves again, unless ``ManagedObjectContext/obtainPermanentIDs(for:)``
/// has given them out.
///
/// A file has references to objects that it does not have where ``ManagedObjectModel/Entity`` says that a to-one
/// relationship keeps them, as stores of other kinds do.
public final class StoreFile: Sendable {
  /// The location of the file.
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
  /// Held during a save and whatever else reads the file.
  let saving = Mutex<Void>(())

  /// The last known state of the file.
  struct State {
    var contents: StoreFileContents
    /// The file that ``contents`` were read from or written to; nil before the first save of a new one.
    var identity: FileIdentity?
    /// The highest number that was given to an object, saved or not.
    var lastNumber: Int64
    /// The number of times that a program has set metadata since the last save.
    var metadataChanges = 0
    /// What others saved since somebody asked; nil if nobody does.
    var changesByOthers: SavedChanges?
  }

  /// The most bytes that a file may have.
  static let greatestSize = ParsingLimits().inputSize

  /// The longest time that a save waits for another process that has the file locked.
  static let patience: Duration = .seconds(10)

  /// Opens a file, or makes one without objects if there is none and it is wanted.
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
      if !made, found == nil { throw ManagedObjectError(.open, "there is no folder for \(path.printable())") }
    }
    guard let (data, identity) = found else { throw ManagedObjectError(.open, "\(path.printable()) comes and goes") }
    let contents = try format.read(data, into: table, configuration: configuration)
    // Files that a process left that ended in the middle of a save.
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

  /// A store without objects and without a file, which its first save makes with all that is in it.
  init(new url: URL, _ format: any StoreFileFormat, model: ManagedObjectModel) throws(ManagedObjectError) {
    path = try Self.path(of: url)
    let table = RowTable(model: model, storeNumber: number, configuration: nil)
    let contents = Self.newContents(format, table, nil)
    FileSystem.removeAbandonedFiles(of: path)
    self.url = url
    identifier = contents.metadata.identifier
    self.model = model
    configuration = nil
    isReadOnly = false
    self.format = format
    state = Mutex(State(contents: contents, identity: nil, lastNumber: contents.lastNumber))
  }

  package static func path(of url: URL) throws(ManagedObjectError) -> String {
    guard url.isFileURL else { throw ManagedObjectError(.open, "\(url.absoluteString.quoted) is no file URL") }
    return url.path
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

  /// Makes a file without objects, and the folders that are missing. Returns false if there is one by now.
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

  /// The first contradiction found; nil if there is none. For tests.
  func _checkInvariants() -> String? { state.withLock { $0.contents.table._checkInvariants() } }

  // The methods of a ``PersistentStore``.

  var metadata: OrderedDictionary<String, PropertyList> { state.withLock { $0.contents.metadata.values } }

  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) {
    state.withLock { state in
      state.contents.metadata.replace(with: metadata)
      state.metadataChanges += 1
    }
  }

  /// The state of the file. A save replaces the file with another one.
  var changeToken: String? { (try? FileIdentity(at: path))?.text }

  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] {
    // Others may have saved new objects. Should the file be unreadable now, the save will say so.
    if !isReadOnly { saving.withLock { _ in try? refresh() } }
    return try state.withLock { state throws(ManagedObjectError) in
      try RowKey.makeKeys(entityIndices, store: number, after: &state.lastNumber)
    }
  }

  func rows(_ keys: [RowKey]) -> [StoreRow?] { state.withLock { state in keys.map { state.contents.table.row($0) } } }

  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    // So that a program which only reads sees what others save. To look takes a microsecond.
    if (try? FileIdentity(at: path)) != state.withLock({ $0.identity }) {
      try saving.withLock { _ throws(ManagedObjectError) in try refresh() }
    }
    let table = state.withLock { $0.contents.table }
    return try table.fetch(request, of: entity)
  }
}

extension ManagedObjectError {
  /// An error of the system.
  ///
  /// - Parameter code: the sort of failure, unless another process has the file locked.
  init(_ error: FileError, _ code: Code) {
    self.init(error.isLocked ? .locked : code, error.message.printable())
    fileError = PropertyListError(error)
  }

  /// A defect in the contents of a file.
  init(_ error: PropertyListError, _ code: Code = .open) {
    self.init(code, error.description)
    fileError = error
  }
}

extension StoreFile {
  /// The metadata of a file.
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
  /// Throws if a file does not exist, or if the system does not say so: a folder of the path may be unreadable.
  ///
  /// - Throws: ``Code/noSuchFile``, and ``Code/open`` with the ``fileError``.
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
