public import FoundationEssentials
public import ManagedObjects
internal import PropertyLists
internal import SQLiteStore
internal import SystemFiles

/// A check of a store's file for defects: damaged pages, dangling references, values that do not fit the model, primary
/// key counters that are too low, wrong positions in ordered relationships, missing external files, and a model that
/// differs from the one the store was made with.
///
/// ```swift
/// let summary = try StoreCheck(file).run { print($0) }
/// exit(summary.errorCount == 0 ? 0 : 1)
/// ```
///
/// The check does not change the store. It reads an SQLite store row by row, so a store of any size needs little
/// memory. It reads XML and binary stores as a whole. A store that Core Data wrote has no errors, but it can have
/// warnings.
public struct StoreCheck: Sendable {
  /// The file of the store.
  public var file: URL
  /// The model of the objects; nil to use the model that the store embeds. Without any model, the check of an SQLite
  /// store is limited to facts that its tables show, and the objects of other stores are not checked.
  public var model: ManagedObjectModel?
  /// The configuration whose entities the store has; nil for all entities.
  public var configuration: String?
  /// The maximum number of reported findings of each kind. The summary counts all findings.
  public var limit = 100
  /// The amount of work that SQLite does to find damaged pages. Has no effect on other stores.
  public var pages = PageCheck.full
  /// True to write nothing at all, not even the files that SQLite needs to share the store with other processes. No
  /// other process may save to the store meanwhile. Use false to check a store that another process uses: the check
  /// then sees one state of it.
  public var writesNothing = true

  /// The amount of work that SQLite does to find damaged pages.
  public enum PageCheck: Hashable, Sendable {
    /// Checks pages and rows, and compares each index with its table: SQLite's `integrity_check`. If the file has
    /// generated columns, indexes of expressions or virtual tables, this is the same as ``quick``.
    case full
    /// Checks pages and rows: SQLite's `quick_check`.
    case quick
    /// Does not look for damaged pages.
    case none
  }

  /// Creates a check of a file.
  public init(_ file: URL, model: ManagedObjectModel? = nil) {
    self.file = file
    self.model = model
  }

  /// Checks the file.
  ///
  /// ```swift
  /// var check = StoreCheck(file, model: model)
  /// check.pages = .quick
  /// check.limit = 10
  /// let summary = try check.run { finding in
  ///   if finding.severity == .error { print(finding.location, finding.message) }
  /// }
  /// ```
  ///
  /// - Parameter body: Called for each reported finding.
  /// - Returns: The number of findings of each kind.
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` if the file does not exist, ``ManagedObjectError/Code/open`` or
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` if it is not a store, ``ManagedObjectError/Code/open`` also if the
  ///   model does not have the ``configuration``, ``ManagedObjectError/Code/incompatibleSchema`` if an XML store cannot
  ///   have the model.
  /// - Complexity: O(*n* log *n*) in the size of the file.
  public func run(_ body: (StoreFinding) -> Void) throws(ManagedObjectError) -> StoreCheckSummary {
    let result: Result<StoreCheckSummary, ManagedObjectError> = withoutActuallyEscaping(body) { body in
      let log = FindingLog(limit: limit, body)
      do throws(ManagedObjectError) {
        try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in try run(log) }
        return .success(log.summary)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func run(_ log: FindingLog) throws(ManagedObjectError) {
    let path = try StoreFile.path(of: file)
    try ManagedObjectError.checkFile(at: path)
    try model?.checkConfiguration(configuration)
    if let check = FileStoreCheck(file, model: model, configuration: configuration) { return try check.run(log) }
    let database = try Database(path: path, writesNothing ? .immutable : .readOnly)
    JournalCheck(path: database.file.path, log: log).run()
    // The transaction makes all statements see the same state. It is rolled back, because a commit would fail after a
    // damaged page was read.
    try database.begin(.deferred)
    defer { database.rollBack() }
    guard let schema = try schema(database, log) else { return }
    let check = TableCheck(schema, database, log)
    check.checkTables()
    check.checkCounters()
    check.checkRows()
    check.checkReferences()
    check.checkJoins()
    check.checkInverses()
    check.checkOrders()
    check.checkCounts()
    check.checkValues()
    check.checkRules()
    check.checkConstraints()
    check.checkExternalFiles()
    check.checkHistory()
  }

  /// Returns the schema of the file; nil if the file is too damaged to read it.
  private func schema(
    _ database: Database, _ log: FindingLog
  ) throws(ManagedObjectError) -> (schema: StoreSchema, file: FileSchema)? {
    let found: FileSchema
    do { found = try FileSchema(database) } catch {
      // An error that does not come from SQLite means that the file is not a store. It is thrown, not reported as a
      // finding.
      if error.code != .sqlite { throw error }
      checkPages(database, nil, log)
      log.report(.unreadableRows, error.messageWithRemedy)
      return nil
    }
    checkPages(database, found, log)
    var metadata: StoreMetadata?
    do {
      let read = try MetadataTable.read(database)
      metadata = read
      log.storeIdentifier = read.identifier
    } catch {
      log.report(.unreadableMetadata, error.message) { $0.table = "Z_METADATA" }
    }
    var own: ManagedObjectModel?
    do { own = try ModelCache.read(database, found) } catch {
      log.report(.unreadableModel, error.message) { $0.table = "Z_MODELCACHE" }
    }
    let used: ManagedObjectModel
    if let known = model ?? own {
      used = known
      try known.checkConfiguration(configuration)
      if let metadata { log.checkHashes(metadata, known, own: own, configuration: configuration) }
    } else {
      log.report(
        .noModel, "without a model, only the relationships and types that the tables show can be checked")
      do { used = try TableModel.make(of: found, database) } catch {
        log.report(.entityMismatch, error.message) { $0.table = "Z_PRIMARYKEY" }
        return nil
      }
    }
    let numbers: [Int64]
    do {
      numbers = try EntityNumbers.read(
        used, configuration, database,
        report: { message in log.report(.entityMismatch, message) { $0.table = "Z_PRIMARYKEY" } },
        reportName: { entity, name in
          log.report(.entityName, "the entity has the name \(name.quoted) in Z_PRIMARYKEY") { finding in
            finding.entity = entity.name
            finding.table = "Z_PRIMARYKEY"
          }
        })
    } catch {
      log.report(.unreadableRows, error.messageWithRemedy) { $0.table = "Z_PRIMARYKEY" }
      return nil
    }
    return (StoreSchema(used, numbers: numbers, file: found), found)
  }

  private func checkPages(_ database: Database, _ file: FileSchema?, _ log: FindingLog) {
    if pages == .none { return }
    // A damaged or malicious file could contain indexes of expressions, or generated columns, that take SQLite a long
    // time to compute. A full check computes them; a quick check does not.
    let isPlain = file.map { file in
      file.others.values.allSatisfy { $0.kind == .view } && file.tables.values.allSatisfy(\.computedColumns.isEmpty)
        && !file.indexes.contains(where: \.isComputed)
    }
    let name = pages == .full && isPlain == true ? "integrity_check" : "quick_check"
    do {
      // `CHECK` constraints could also take a long time to evaluate, and Core Data does not create any.
      try database.execute("PRAGMA ignore_check_constraints = ON")
      let statement = try database.statement("PRAGMA \(name)(\(max(1, min(limit, 1_000_000))))")
      try statement.forEachRow {
        let text = statement.text(0)
        if text == "ok" { return }
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("***") {
          log.report(line.contains(" index ") ? .damagedIndex : .damagedPage, String(line).printable(limit: 300))
        }
      }
    } catch {
      log.report(.damagedPage, error.messageWithRemedy)
    }
  }
}

/// Reports a write-ahead log or a rollback journal next to an SQLite store.
struct JournalCheck {
  let path: String
  let log: FindingLog

  /// The first four bytes of a write-ahead log (https://www.sqlite.org/fileformat2.html). The lowest bit of the last
  /// byte is 0 here. In a file, it indicates the byte order of the checksums.
  private static let logMagic: [UInt8] = [0x37, 0x7F, 0x06, 0x82]

  func run() {
    let name = URL(filePath: path).lastPathComponent.printable(limit: 200)
    if let size = FileSystem.sizeOfRegularFile(path + "-wal"), size > 0 {
      let start = FileSystem.beginning(of: path + "-wal", count: 4).map(Array.init) ?? []
      if start.count == 4, start[..<3] == Self.logMagic[..<3], start[3] & 0xFE == Self.logMagic[3], size >= 32 {
        log.report(.logPresent, "the last changes are in \(name)-wal (\(size) bytes), which belongs to the store")
      } else {
        log.report(.unusableLog, "\(name)-wal (\(size) bytes) is not a valid write-ahead log, so SQLite ignores it")
      }
    }
    if let size = FileSystem.sizeOfRegularFile(path + "-journal"), size > 0,
      FileSystem.beginning(of: path + "-journal", count: 1) != Data([0])
    {
      log.report(.logPresent, "a save was interrupted: \(name)-journal (\(size) bytes) contains the overwritten pages")
    }
  }
}
