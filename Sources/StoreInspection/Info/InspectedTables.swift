internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SQLiteStore
internal import SystemFiles

/// The tables of a store that is looked at, whether its model is there and fits or not.
struct InspectedTables {
  let database: Database
  let file: FileSchema
  /// Nil if they cannot be read.
  let metadata: StoreMetadata?
  /// The model that the store has in itself.
  let own: ManagedObjectModel?
  let modelSource: StoreInfo.ModelSource
  let schema: StoreSchema

  /// - Throws: ``ManagedObjectError/Code/noSuchFile``, and ``ManagedObjectError/Code/open`` for a file that is no
  ///   store.
  init(_ url: URL, model: ManagedObjectModel?, configuration: String?, writesNothing: Bool) throws(ManagedObjectError) {
    let path = try SQLiteStore.path(of: url)
    try ManagedObjectError.checkFile(at: path)
    database = try SQLiteStore.openForReading(url, writesNothing)
    file = try FileSchema(database)
    metadata = try? MetadataTable.read(database)
    own = (try? ModelCache.read(database, file)) ?? nil
    let used: ManagedObjectModel
    if let model {
      (used, modelSource) = (model, .given)
    } else if let own {
      (used, modelSource) = (own, .store)
    } else {
      (used, modelSource) = (try TableModel.make(of: file, database), .tables)
    }
    try used.checkConfiguration(configuration)
    let numbers = try EntityNumbers.read(used, configuration, database, report: { _ in })
    schema = StoreSchema(used, numbers: numbers, file: file)
  }
}
