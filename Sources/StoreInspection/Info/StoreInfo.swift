public import FoundationEssentials
internal import ManagedObjects
public import OrderedCollections
public import PropertyLists
internal import SQLiteStore

/// What there is to know of the file of a store or a model, without its objects.
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
  /// The bytes of the file; nil for a folder.
  public internal(set) var fileSize: Int?
  /// The identifier of the store (`NSStoreUUID`).
  public internal(set) var identifier: String?
  /// All that the store says of itself.
  public internal(set) var metadata: OrderedDictionary<String, PropertyList> = [:]
  /// The reason why a part of the file could not be read; nil if all could.
  public internal(set) var defect: String?
  /// Where the model came from that tells the entities.
  public internal(set) var modelSource = ModelSource.none
  /// The entities, in the order of the model.
  public internal(set) var entities: [Entity] = []
  /// The versions of a model that has several, in order; empty for other files.
  public internal(set) var versions: [String] = []
  /// The version that programs use.
  public internal(set) var currentVersion: String?
  /// Facts that only an SQLite store has.
  public internal(set) var database: DatabaseFacts?
  /// The history of changes; nil for a store that keeps none.
  public internal(set) var history: HistoryFacts?
  /// The folder of large values; nil if there is none.
  public internal(set) var externalData: ExternalFiles?
  /// The reasons why this package cannot save into the store; empty if it can.
  public internal(set) var writingObstacles: [String] = []

  /// A kind of file. The raw values are for scripts, and stay what they are.
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

  /// Where a model came from.
  public enum ModelSource: String, Hashable, Sendable, CaseIterable {
    /// The program gave it.
    case given
    /// The store has it in itself, or the file is a model.
    case store
    /// The tables of the store tell of it: ``SQLiteStore/tableModel(ofFile:writesNothing:)``.
    case tables
    /// There is none.
    case none
  }

  /// An entity.
  public struct Entity: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The entity that it inherits from.
    public var superentity: String?
    /// True if there are objects of sub-entities only.
    public var isAbstract = false
    /// The number of objects that are of this entity; nil if nobody knows.
    public var ownCount: Int64?
    /// The number of objects of this entity and of all that inherit from it; nil if nobody knows.
    public var totalCount: Int64?
    /// The comparison of the version hash in the store with that of the model.
    public var hash = HashState.unknown
  }

  /// The comparison of a version hash in a store with that of a model.
  public enum HashState: String, Hashable, Sendable, CaseIterable {
    /// They are equal.
    case equal
    /// They differ: the store was made with another version of the entity.
    case different
    /// The store has no hash of the entity.
    case missing
    /// Nobody can compute the hash, or there is no model to compute it from.
    case unknown
  }

  /// Facts of an SQLite file.
  public struct DatabaseFacts: Hashable, Sendable {
    /// The bytes of a page.
    public internal(set) var pageSize: Int64 = 0
    /// The number of pages.
    public internal(set) var pageCount: Int64 = 0
    /// The number of pages that are not used.
    public internal(set) var freePageCount: Int64 = 0
    /// True for a file whose changes are written to a log first.
    public internal(set) var usesLog = false
    /// The bytes of the log beside the file (`-wal`); nil if there is none.
    public internal(set) var logSize: Int?
    /// The bytes of the journal of a save that did not end (`-journal`); nil if there is none.
    public internal(set) var journalSize: Int?
  }

  /// Facts of a history.
  public struct HistoryFacts: Hashable, Sendable {
    /// The number of saves.
    public internal(set) var transactionCount: Int64 = 0
    /// The number of objects that they changed.
    public internal(set) var changeCount: Int64 = 0
    /// The number of the first save.
    public internal(set) var firstNumber: Int64?
    /// The number of the last save.
    public internal(set) var lastNumber: Int64?
    /// The time of the first save.
    public internal(set) var firstDate: Date?
    /// The time of the last save.
    public internal(set) var lastDate: Date?
    /// The names of the authors, in order; the first hundred.
    public internal(set) var authors: [String] = []
  }

  /// Facts of a folder with large values.
  public struct ExternalFiles: Hashable, Sendable {
    /// The path of the folder.
    public internal(set) var folder = ""
    /// The number of files.
    public internal(set) var fileCount = 0
    /// The bytes of all files.
    public internal(set) var size = 0
  }

  /// The version of Apple's framework that wrote the file, as the file says.
  public var frameworkVersion: Int64? {
    metadata[StoreMetadataKey.frameworkVersion]?.integer.flatMap { Int64(exactly: $0) }
  }

  /// The identifiers of the model's version that the store was made with.
  public var modelVersionIdentifiers: [String] {
    metadata[StoreMetadataKey.versionIdentifiers]?.array?.compactMap(\.string) ?? []
  }

  /// True if the version hashes of all entities are those of the model; nil without hashes, without a model, and if no
  /// rule is known for one of them.
  public var hasEqualHashes: Bool? {
    if entities.contains(where: { $0.hash == .different || $0.hash == .missing }) { return false }
    return entities.isEmpty || entities.contains { $0.hash == .unknown } ? nil : true
  }

  /// The number of all objects; nil if nobody knows.
  public var objectCount: Int64? {
    entities.isEmpty || entities.contains { $0.ownCount == nil } ? nil : entities.reduce(0) { $0 + ($1.ownCount ?? 0) }
  }

  init(_ kind: Kind, _ url: URL) {
    self.kind = kind
    self.url = url
  }
}
