internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SQLiteStore
internal import SystemFiles

/// An open SQLite store, with all that is needed to read its tables. Works even if the model is missing or does not
/// fit.
struct InspectedTables {
  let database: Database
  let file: FileSchema
  /// The metadata of the store; nil if it cannot be read.
  let metadata: StoreMetadata?
  /// The model that the store embeds; nil if it is missing or unreadable.
  let own: ManagedObjectModel?
  let modelSource: StoreInfo.ModelSource
  let schema: StoreSchema

  /// Opens a store, and reads what describes its tables.
  ///
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` if the file does not exist, ``ManagedObjectError/Code/open`` if
  ///   it is not a store.
  init(_ url: URL, model: ManagedObjectModel?, configuration: String?, writesNothing: Bool) throws(ManagedObjectError) {
    let path = try StoreFile.path(of: url)
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
