public import FoundationEssentials
public import ManagedObjects
internal import OrderedCollections
internal import PropertyLists
internal import SQLiteStore
internal import SystemFiles

extension StoreInfo {
  /// Reads a description of a store or a model file.
  ///
  /// ```swift
  /// let info = try StoreInfo(file, model: model)
  /// if info.hasEqualHashes == false { print("The store was made with another version of the model.") }
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of a store or a model. A model can be a folder.
  ///   - model: The model of the store; nil to use the model that the store embeds, or else a model that is derived
  ///     from the tables.
  ///   - configuration: The configuration whose entities the store has; nil for all entities.
  ///   - writesNothing: True to write nothing at all, not even the files that SQLite needs to share the store with
  ///     other processes. No other process may save to the store meanwhile.
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` if the file does not exist, ``ManagedObjectError/Code/open`` if
  ///   the file looks like a store or a model but is not a valid one. Other files get the kind ``Kind/other``.
  /// - Complexity: O(*n*) in the number of rows of an SQLite store; other files are read as a whole.
  public init(
    _ url: URL, model: ManagedObjectModel? = nil, configuration: String? = nil, writesNothing: Bool = true
  ) throws(ManagedObjectError) {
    self = try ManagedObjectError.naming(url) { () throws(ManagedObjectError) in
      let path = try StoreFile.path(of: url)
      try ManagedObjectError.checkFile(at: path)
      if FileSystem.isFolder(path) { return try Self.folder(url, path) }
      var info = StoreInfo(.other, url)
      info.fileSize = FileSystem.sizeOfRegularFile(path)
      switch StoreFileKind(ofFile: path) {
      case .sqlite:
        info.kind = .sqlite
        try info.readTables(model, configuration, writesNothing)
      case .coreDataBinary: info.kind = .coreDataBinary
      case .binaryPropertyList: try info.readArchive(model, configuration)
      case .xml: try info.readXML(model, configuration)
      case nil: break
      }
      return info
    }
  }
}

/// Functions that read models, and XML and binary stores.
extension StoreInfo {
  private static func folder(_ url: URL, _ path: String) throws(ManagedObjectError) -> StoreInfo {
    let names = FileSystem.names(in: path)
    if names.contains("contents"), !names.contains(where: { $0.hasSuffix(".xcdatamodel") || $0.hasSuffix(".mom") }) {
      var info = StoreInfo(.sourceModel, url)
      let contents = try data("\(path)/contents")
      try info.describe { () throws(ManagedObjectModelError) in try ManagedObjectModel(source: contents) }
      return info
    }
    // The name or the contents must show that the folder is a versioned model, because any folder can contain models.
    let isCompiled = url.pathExtension == "momd" || names.contains("VersionInfo.plist")
    guard isCompiled || url.pathExtension == "xcdatamodeld" || names.contains(".xccurrentversion") else {
      return StoreInfo(.other, url)
    }
    var info = StoreInfo(isCompiled ? .compiledVersions : .sourceVersions, url)
    let versions: VersionedModel
    do { versions = try VersionedModel(contentsOf: url) } catch { throw ManagedObjectError(.open, error.description) }
    info.versions = Array(versions.models.keys)
    info.currentVersion = versions.currentName
    if let current = versions.current { info.describe(current) }
    return info
  }

  private static func data(_ path: String) throws(ManagedObjectError) -> Data {
    do { return try FileSystem.readRegularFile(path, limit: ParsingLimits().inputSize)?.data ?? Data() } catch {
      throw ManagedObjectError(.open, error.message.printable())
    }
  }

  /// Describes the entities of a model that `read` reads from the file.
  private mutating func describe(
    _ read: () throws(ManagedObjectModelError) -> ManagedObjectModel
  ) throws(ManagedObjectError) {
    do { describe(try read()) } catch { throw ManagedObjectError(.open, error.description) }
  }

  private mutating func describe(_ model: ManagedObjectModel) {
    modelSource = .store
    entities = model.entities.map(Entity.init)
  }

  /// Reads a keyed archive: a compiled model, or a binary store.
  private mutating func readArchive(_ model: ManagedObjectModel?, _ configuration: String?) throws(ManagedObjectError) {
    do {
      metadata = try BinaryStore.metadata(ofFile: url)
      kind = .binary
    } catch {
      guard error.code == .storeTypeMismatch else { throw error }
      guard let model = try? ManagedObjectModel(compiled: Self.data(url.path)) else { return }
      kind = .compiledModel
      return describe(model)
    }
    let url = url
    try readObjects(model, configuration) { (model) throws(ManagedObjectError) in
      try BinaryStore(url, model: model, configuration: configuration, isReadOnly: true, createsFile: false)
    }
  }

  /// Reads a store in XML, or the contents of a source model.
  private mutating func readXML(_ model: ManagedObjectModel?, _ configuration: String?) throws(ManagedObjectError) {
    do {
      metadata = try XMLStore.metadata(ofFile: url)
      kind = .xml
    } catch {
      guard error.code == .storeTypeMismatch else { throw error }
      guard let model = try? ManagedObjectModel(source: Self.data(url.path)) else { return }
      kind = .sourceModel
      return describe(model)
    }
    let url = url
    try readObjects(model, configuration) { (model) throws(ManagedObjectError) in
      try XMLStore(url, model: model, configuration: configuration, isReadOnly: true, createsFile: false)
    }
  }

  /// Describes the entities of an XML or binary store, and counts their objects if `model` is the model of the store.
  private mutating func readObjects(
    _ model: ManagedObjectModel?, _ configuration: String?,
    _ open: (ManagedObjectModel) throws(ManagedObjectError) -> any PersistentStore
  ) throws(ManagedObjectError) {
    identifier = metadata[StoreMetadataKey.identifier]?.string
    guard let model else {
      // Without a model, the names of the entities are known from the version hashes in the metadata.
      let names = metadata[StoreMetadataKey.versionHashes]?.dictionary?.keys.sorted() ?? []
      entities = names.map { Entity(name: $0) }
      return
    }
    modelSource = .given
    try model.checkConfiguration(configuration)
    entities = (model.entities(ofConfiguration: configuration) ?? []).map(Entity.init)
    compareHashes(model)
    var counts: [String: Int64] = [:]
    do {
      let store = try open(model)
      for entity in model.entities {
        var request = FetchRequest(entity.name)
        request.resultType = .count
        request.includesSubentities = false
        guard case .count(let count) = try store.fetch(request, of: entity) else { continue }
        counts[entity.name] = Int64(count)
      }
    } catch {
      defect = error.messageWithRemedy
      return
    }
    setCounts(model) { counts[$0.name] }
  }

  /// Sets the numbers of objects of all entities.
  ///
  /// - Parameter count: Returns the number of objects of an entity without its subentities.
  private mutating func setCounts(_ model: ManagedObjectModel, _ count: (ManagedObjectModel.Entity) -> Int64?) {
    for index in entities.indices {
      guard let entity = model.entity(named: entities[index].name), let own = count(entity) else { continue }
      entities[index].ownCount = own
      entities[index].totalCount = entity.selfAndDescendants.reduce(0) { $0 + (count($1) ?? 0) }
    }
  }

  private mutating func compareHashes(_ model: ManagedObjectModel) {
    guard let hashes = metadata[StoreMetadataKey.versionHashes]?.dictionary else { return }
    for index in entities.indices {
      guard let entity = model.entity(named: entities[index].name) else { continue }
      guard let hash = hashes[entity.name]?.data else {
        entities[index].hash = entity.hasCertainVersionHash ? .missing : .unknown
        continue
      }
      if hash == model.entityVersionHashesByName[entity.name] {
        entities[index].hash = .equal
      } else if !entity.hasCertainVersionHash {
        entities[index].hash = .unknown
      } else {
        entities[index].hash = .different
      }
    }
  }
}

/// Functions that read SQLite stores.
extension StoreInfo {
  private mutating func readTables(
    _ model: ManagedObjectModel?, _ configuration: String?, _ writesNothing: Bool
  ) throws(ManagedObjectError) {
    let tables = try InspectedTables(url, model: model, configuration: configuration, writesNothing: writesNothing)
    try tables.database.transaction(.deferred) { () throws(ManagedObjectError) in
      try readTables(tables, configuration)
    }
  }

  private mutating func readTables(_ tables: InspectedTables, _ configuration: String?) throws(ManagedObjectError) {
    let (schema, connection) = (tables.schema, tables.database)
    if let found = tables.metadata {
      metadata = found.values
      identifier = found.identifier
    } else {
      defect = "the metadata cannot be read"
    }
    modelSource = tables.modelSource
    let used = schema.model
    entities = (used.entities(ofConfiguration: configuration) ?? []).map(Entity.init)
    if modelSource != .tables { compareHashes(used) }
    try count(tables)
    database = try Self.database(connection)
    history = try Self.history(tables)
    externalData = Self.externalData(connection.file.path)
    if modelSource != .tables {
      let parts = ForeignParts(tables.file, schema)
      let obstacles = WritingObstacles.inFile(
        tables.file, schema, history: try HistoryLayout(tables.file, connection)?.obstacles ?? [],
        triggers: parts.ownTriggers)
      writingObstacles = obstacles + parts.obstacles
    }
  }

  private mutating func count(_ tables: InspectedTables) throws(ManagedObjectError) {
    let schema = tables.schema
    var counts: [Int: Int64] = [:]
    for table in schema.tables {
      guard tables.file.has(table.name, "Z_ENT") else { continue }
      for index in table.entities where schema.numbers[index] != 0 { counts[index] = 0 }
      do {
        let statement = try tables.database.statement(
          "SELECT Z_ENT, COUNT(*) FROM \(table.name.sqlName) GROUP BY Z_ENT")
        try statement.forEachRow {
          guard let index = schema.entityIndices[statement.integer(0)], table.entities.contains(index) else { return }
          counts[index] = statement.integer(1)
        }
      } catch {
        defect = error.messageWithRemedy
        for index in table.entities { counts[index] = nil }
      }
    }
    setCounts(schema.model) { counts[$0.index] }
  }

  private static func database(_ connection: Database) throws(ManagedObjectError) -> DatabaseFacts {
    var facts = DatabaseFacts()
    func number(_ name: String) throws(ManagedObjectError) -> Int64 {
      let statement = try connection.statement("PRAGMA \(name)")
      defer { statement.reset() }
      return try statement.step() ? statement.integer(0) : 0
    }
    facts.pageSize = try number("page_size")
    facts.pageCount = try number("page_count")
    facts.freePageCount = try number("freelist_count")
    let path = connection.file.path
    // Byte 18 is the write version of the file format: 2 for a file that uses a write-ahead log.
    facts.usesLog = FileSystem.beginning(of: path, count: 19).map { $0.count == 19 && Array($0)[18] == 2 } ?? false
    facts.logSize = FileSystem.sizeOfRegularFile(path + "-wal")
    facts.journalSize = FileSystem.sizeOfRegularFile(path + "-journal")
    return facts
  }

  private static func history(_ tables: InspectedTables) throws(ManagedObjectError) -> HistoryFacts? {
    guard StoreHistoryReading(tables).isThere else { return nil }
    var facts = HistoryFacts()
    let sums = try tables.database.statement(
      "SELECT COUNT(*), MIN(Z_PK), MAX(Z_PK), MIN(ZTIMESTAMP), MAX(ZTIMESTAMP), (SELECT COUNT(*) FROM ACHANGE) "
        + "FROM ATRANSACTION")
    try sums.forEachRow {
      facts.transactionCount = sums.integer(0)
      facts.changeCount = sums.integer(5)
      if !sums.isNull(1) { (facts.firstNumber, facts.lastNumber) = (sums.integer(1), sums.integer(2)) }
      if !sums.isNull(3) {
        facts.firstDate = Date(timeIntervalSinceReferenceDate: sums.real(3))
        facts.lastDate = Date(timeIntervalSinceReferenceDate: sums.real(4))
      }
    }
    let file = tables.file
    var sources: [String] = []
    if file.has(HistoryTables.transactions, "ZAUTHOR") { sources.append("SELECT ZAUTHOR AS a FROM ATRANSACTION") }
    if file.has(HistoryTables.transactions, "ZAUTHORTS"), file.has(HistoryTables.texts, "ZNAME") {
      sources.append("SELECT s.ZNAME AS a FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS")
    }
    if sources.isEmpty { return facts }
    let authors = try tables.database.statement(
      "SELECT a FROM (\(sources.joined(separator: " UNION "))) WHERE a IS NOT NULL ORDER BY a LIMIT 100")
    try authors.forEachRow { facts.authors.append(authors.text(0)) }
    return facts
  }

  private static func externalData(_ path: String) -> ExternalFiles? {
    let files = ExternalData(ofStore: path)
    guard FileSystem.isFolder(files.folder) else { return nil }
    var facts = ExternalFiles()
    facts.folder = files.folder
    for name in files.fileNames {
      guard let size = FileSystem.sizeOfRegularFile("\(files.folder)/\(name)") else { continue }
      facts.fileCount += 1
      facts.size += size
    }
    return facts
  }
}

extension StoreInfo.Entity {
  fileprivate init(_ entity: ManagedObjectModel.Entity) {
    name = entity.name
    superentity = entity.superentity?.name
    isAbstract = entity.isAbstract
  }
}
