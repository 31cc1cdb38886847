public import FoundationEssentials
internal import ManagedObjects
public import OrderedCollections
public import PropertyLists
internal import SQLiteStore

/// A description of a store or a model file, without its objects.
///
/// ```swift
/// let info = try StoreInfo(file)
/// for entity in info.entities { print(entity.name, entity.totalCount ?? 0) }
/// ```
///
/// Nothing is written.
public struct StoreInfo: Sendable {
  /// The kind of file.
  public internal(set) var kind: Kind
  /// The URL of the file.
  public let url: URL
  /// The size of the file, in bytes; nil for a folder.
  public internal(set) var fileSize: Int?
  /// The identifier of the store (`NSStoreUUID`).
  public internal(set) var identifier: String?
  /// The metadata of the store.
  public internal(set) var metadata: OrderedDictionary<String, PropertyList> = [:]
  /// The reason why a part of the file could not be read; nil if everything was read.
  public internal(set) var defect: String?
  /// The source of the model that lists the entities.
  public internal(set) var modelSource = ModelSource.none
  /// The entities, in the order of the model.
  public internal(set) var entities: [Entity] = []
  /// The names of the versions of a versioned model, in order; empty for other files.
  public internal(set) var versions: [String] = []
  /// The name of the current version of a versioned model.
  public internal(set) var currentVersion: String?
  /// The facts of the SQLite file; nil for other files.
  public internal(set) var database: DatabaseFacts?
  /// The facts of the history; nil if the store has none.
  public internal(set) var history: HistoryFacts?
  /// The folder of external files; nil if it does not exist.
  public internal(set) var externalData: ExternalFiles?
  /// The reasons why this package cannot save to the store; empty if it can.
  public internal(set) var writingObstacles: [String] = []

  /// A kind of file. The raw values are meant for scripts, and do not change.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A store in an SQLite file.
    case sqlite = "SQLite"
    /// A store in XML.
    case xml = "XML"
    /// A binary store of this package.
    case binary = "Binary"
    /// A binary store of Core Data, which cannot be read.
    case coreDataBinary = "Core Data Binary"
    /// A compiled model, `.mom`.
    case compiledModel = "mom"
    /// A compiled model with its versions, `.momd`.
    case compiledVersions = "momd"
    /// A source model, `.xcdatamodel`.
    case sourceModel = "xcdatamodel"
    /// A source model with its versions, `.xcdatamodeld`.
    case sourceVersions = "xcdatamodeld"
    /// Another file.
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

  /// The source of a model.
  public enum ModelSource: String, Hashable, Sendable, CaseIterable {
    /// The caller has passed it.
    case given
    /// The store embeds it, or the file is a model.
    case store
    /// It was derived from the tables of the store: ``SQLiteStore/tableModel(ofFile:writesNothing:)``.
    case tables
    /// The model is missing.
    case none
  }

  /// An entity.
  public struct Entity: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The name of the superentity.
    public var superentity: String?
    /// True if only subentities have objects.
    public var isAbstract = false
    /// The number of objects of this entity itself; nil if it is unknown.
    public var ownCount: Int64?
    /// The number of objects of this entity and its descendants; nil if it is unknown.
    public var totalCount: Int64?
    /// The comparison of the version hash in the store with that of the model.
    public var hash = HashState.unknown
  }

  /// The comparison of a version hash in a store with that of a model.
  public enum HashState: String, Hashable, Sendable, CaseIterable {
    /// The hashes are equal.
    case equal
    /// The hashes differ: the store was made with another version of the entity.
    case different
    /// The store has no hash for the entity.
    case missing
    /// The hash cannot be computed, or the model is missing.
    case unknown
  }

  /// The facts of an SQLite file.
  public struct DatabaseFacts: Hashable, Sendable {
    /// The size of a page, in bytes.
    public internal(set) var pageSize: Int64 = 0
    /// The number of pages.
    public internal(set) var pageCount: Int64 = 0
    /// The number of unused pages.
    public internal(set) var freePageCount: Int64 = 0
    /// True if the file uses a write-ahead log.
    public internal(set) var usesLog = false
    /// The size of the log (`-wal`), in bytes; nil if it does not exist.
    public internal(set) var logSize: Int?
    /// The size of the rollback journal of a save that did not finish (`-journal`), in bytes; nil if it does not exist.
    public internal(set) var journalSize: Int?
  }

  /// The facts of a history.
  public struct HistoryFacts: Hashable, Sendable {
    /// The number of saves.
    public internal(set) var transactionCount: Int64 = 0
    /// The number of recorded changes to objects.
    public internal(set) var changeCount: Int64 = 0
    /// The transaction number of the first save.
    public internal(set) var firstNumber: Int64?
    /// The transaction number of the last save.
    public internal(set) var lastNumber: Int64?
    /// The time of the first save.
    public internal(set) var firstDate: Date?
    /// The time of the last save.
    public internal(set) var lastDate: Date?
    /// The names of the authors, sorted; at most 100.
    public internal(set) var authors: [String] = []
  }

  /// The facts of a folder of external files.
  public struct ExternalFiles: Hashable, Sendable {
    /// The path of the folder.
    public internal(set) var folder = ""
    /// The number of files.
    public internal(set) var fileCount = 0
    /// The size of all files, in bytes.
    public internal(set) var size = 0
  }

  /// The version of Apple's framework that wrote the file, according to the metadata.
  public var frameworkVersion: Int64? {
    metadata[StoreMetadataKey.frameworkVersion]?.integer.flatMap { Int64(exactly: $0) }
  }

  /// The version identifiers of the model that the store was made with.
  public var modelVersionIdentifiers: [String] {
    metadata[StoreMetadataKey.versionIdentifiers]?.array?.compactMap(\.string) ?? []
  }

  /// True if the version hashes of all entities equal those of the model; nil if a hash cannot be computed, or the
  /// hashes or the model are missing.
  public var hasEqualHashes: Bool? {
    if entities.contains(where: { $0.hash == .different || $0.hash == .missing }) { return false }
    return entities.isEmpty || entities.contains { $0.hash == .unknown } ? nil : true
  }

  /// The number of all objects; nil if it is unknown.
  public var objectCount: Int64? {
    entities.isEmpty || entities.contains { $0.ownCount == nil } ? nil : entities.reduce(0) { $0 + ($1.ownCount ?? 0) }
  }

  init(_ kind: Kind, _ url: URL) {
    self.kind = kind
    self.url = url
  }
}
