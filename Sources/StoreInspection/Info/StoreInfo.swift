public import FoundationEssentials
internal import ManagedObjects
public import OrderedCollections
public import PropertyLists
internal import SQLiteStore

/// A description of a store or a model file: its kind, model, entities, numbers of objects, and history.
///
/// ```swift
/// let info = try StoreInfo(file)
/// for entity in info.entities { print(entity.name, entity.totalCount ?? 0) }
/// ```
///
/// Reading a description does not change the file.
public struct StoreInfo: Sendable {
  /// The kind of file.
  public internal(set) var kind: Kind
  /// The URL of the file.
  public let url: URL
  /// The size of the file, in bytes; nil for a folder.
  public internal(set) var fileSize: Int?
  /// The identifier of the store (`NSStoreUUID`); nil if it is unknown or the file is not a store.
  public internal(set) var identifier: String?
  /// The metadata of the store; empty for a model.
  public internal(set) var metadata: OrderedDictionary<String, PropertyList> = [:]
  /// The reason why a part of the file could not be read; nil if everything was read.
  public internal(set) var defect: String?
  /// The source of the model from which ``entities`` were read.
  public internal(set) var modelSource = ModelSource.none
  /// The entities of the model, in its order. If no model was passed for an XML or binary store, the entities that its
  /// metadata contains, sorted by name.
  public internal(set) var entities: [Entity] = []
  /// The names of the versions of a versioned model, sorted; empty for other files.
  public internal(set) var versions: [String] = []
  /// The name of the current version of a versioned model; nil if there is none.
  public internal(set) var currentVersion: String?
  /// The pages and logs of an SQLite file; nil for other files.
  public internal(set) var database: DatabaseFacts?
  /// A summary of the history; nil if the store has no history.
  public internal(set) var history: HistoryFacts?
  /// The folder with the external files of the store; nil if it does not exist.
  public internal(set) var externalData: ExternalFiles?
  /// The reasons why this package cannot save to an SQLite store, as in ``SQLiteStore/writingObstacles``; empty if it
  /// can, or if the model is missing.
  public internal(set) var writingObstacles: [String] = []

  /// A kind of file. The raw values are meant for scripts, and do not change.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A store in an SQLite file.
    case sqlite = "SQLite"
    /// A store in XML.
    case xml = "XML"
    /// A binary store of this package.
    case binary = "Binary"
    /// A binary store of Core Data, which this package cannot read.
    case coreDataBinary = "Core Data Binary"
    /// A compiled model, `.mom`.
    case compiledModel = "mom"
    /// A compiled model with its versions, `.momd`.
    case compiledVersions = "momd"
    /// A source model, `.xcdatamodel`.
    case sourceModel = "xcdatamodel"
    /// A source model with its versions, `.xcdatamodeld`.
    case sourceVersions = "xcdatamodeld"
    /// A file that is neither a store nor a model.
    case other = "other"

    /// True for a store.
    public var isStore: Bool {
      switch self {
      case .sqlite, .xml, .binary, .coreDataBinary: true
      default: false
      }
    }

    /// True for a model.
    public var isModel: Bool { !isStore && self != .other }
  }

  /// The source of the model of a store.
  public enum ModelSource: String, Hashable, Sendable, CaseIterable {
    /// The model that the caller passed.
    case given
    /// The model that the store embeds, or the model in a model file.
    case store
    /// A model that was derived from the tables of the store: ``SQLiteStore/tableModel(ofFile:writesNothing:)``.
    case tables
    /// The model is missing.
    case none
  }

  /// An entity of a store or a model.
  public struct Entity: Hashable, Sendable {
    /// The name of the entity.
    public var name: String
    /// The name of the superentity; nil for a root entity.
    public var superentity: String?
    /// True if the entity itself can have no objects, only its subentities.
    public var isAbstract = false
    /// The number of objects of this entity without its subentities; nil if it is unknown.
    public var ownCount: Int64?
    /// The number of objects of this entity and all of its subentities; nil if it is unknown.
    public var totalCount: Int64?
    /// The result of comparing the entity's version hash in the store with that of the model.
    public var hash = HashState.unknown
  }

  /// The result of comparing an entity's version hash in a store with that of a model. Equal hashes mean the same
  /// version.
  public enum HashState: String, Hashable, Sendable, CaseIterable {
    /// The hashes are equal.
    case equal
    /// The hashes differ: the store was made with another version of the entity.
    case different
    /// The store has no hash for the entity.
    case missing
    /// The hashes cannot be compared: the hash of the model cannot be computed, or the model or all hashes of the store
    /// are missing.
    case unknown
  }

  /// The pages and logs of an SQLite file.
  ///
  /// ```swift
  /// if let database = try StoreInfo(file).database {
  ///   print("\(database.freePageCount * database.pageSize) bytes of the file are unused")
  /// }
  /// ```
  public struct DatabaseFacts: Hashable, Sendable {
    /// The size of a page, in bytes.
    public internal(set) var pageSize: Int64 = 0
    /// The number of pages, used and unused.
    public internal(set) var pageCount: Int64 = 0
    /// The number of unused pages.
    public internal(set) var freePageCount: Int64 = 0
    /// True if the file uses a write-ahead log.
    public internal(set) var usesLog = false
    /// The size of the write-ahead log (`-wal`), in bytes; nil if it does not exist.
    public internal(set) var logSize: Int?
    /// The size of the rollback journal (`-journal`), in bytes; nil if it does not exist. A journal that is not empty
    /// belongs to a save that did not finish.
    public internal(set) var journalSize: Int?
  }

  /// A summary of a store's history.
  ///
  /// ```swift
  /// if let history = try StoreInfo(file).history {
  ///   print(history.transactionCount, history.authors)  // 2 ["editor", "import"]
  /// }
  /// ```
  ///
  /// ``StoreHistory`` reads the saves.
  public struct HistoryFacts: Hashable, Sendable {
    /// The number of recorded saves.
    public internal(set) var transactionCount: Int64 = 0
    /// The number of recorded changes to objects.
    public internal(set) var changeCount: Int64 = 0
    /// The transaction number of the first save; nil if the history is empty.
    public internal(set) var firstNumber: Int64?
    /// The transaction number of the last save; nil if the history is empty.
    public internal(set) var lastNumber: Int64?
    /// The time of the first save; nil if the history is empty.
    public internal(set) var firstDate: Date?
    /// The time of the last save; nil if the history is empty.
    public internal(set) var lastDate: Date?
    /// The authors of the recorded saves, sorted; at most 100.
    public internal(set) var authors: [String] = []
  }

  /// The folder with the external files of a store.
  public struct ExternalFiles: Hashable, Sendable {
    /// The path of the folder.
    public internal(set) var folder = ""
    /// The number of files.
    public internal(set) var fileCount = 0
    /// The size of all files, in bytes.
    public internal(set) var size = 0
  }

  /// The version of Apple's framework that wrote the file; nil if the metadata does not contain it.
  public var frameworkVersion: Int64? {
    metadata[StoreMetadataKey.frameworkVersion]?.integer.flatMap { Int64(exactly: $0) }
  }

  /// The version identifiers of the model that the store was made with, from the metadata.
  public var modelVersionIdentifiers: [String] {
    metadata[StoreMetadataKey.versionIdentifiers]?.array?.compactMap(\.string) ?? []
  }

  /// True if the store has the version hashes of the model; false if the hash of an entity differs or is missing; nil
  /// if the hashes cannot be compared, as in ``HashState/unknown``.
  public var hasEqualHashes: Bool? {
    if entities.contains(where: { $0.hash == .different || $0.hash == .missing }) { return false }
    return entities.isEmpty || entities.contains { $0.hash == .unknown } ? nil : true
  }

  /// The number of objects of all entities; nil if it is unknown.
  public var objectCount: Int64? {
    entities.isEmpty || entities.contains { $0.ownCount == nil } ? nil : entities.reduce(0) { $0 + ($1.ownCount ?? 0) }
  }

  init(_ kind: Kind, _ url: URL) {
    self.kind = kind
    self.url = url
  }
}
