internal import FoundationEssentials
package import ManagedObjects
internal import OrderedCollections
internal import PropertyLists

/// The row of `Z_METADATA`: the identifier of the store, and a property list with all other metadata.
package enum MetadataTable {
  /// The value of ``StoreMetadataKey/type``.
  static let storeType = "SQLite"

  package static func read(_ database: Database) throws(ManagedObjectError) -> StoreMetadata {
    let statement = try database.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
    defer { statement.reset() }
    guard try statement.step() else {
      throw ManagedObjectError(.open, "\(database.path) is not a Core Data store: it has no metadata")
    }
    let identifier = statement.text(0)
    if identifier.isEmpty { throw ManagedObjectError(.open, "\(database.path) has no store identifier") }
    var values: OrderedDictionary<String, PropertyList> = [:]
    if !statement.isNull(1) {
      do throws(PropertyListError) {
        guard let dictionary = try PropertyList(statement.data(1)).dictionary else {
          throw PropertyListError(.wrongKind, "it is not a dictionary")
        }
        values = dictionary
      } catch {
        var failure = ManagedObjectError(.open, "\(database.path): the metadata cannot be read: \(error)")
        failure.fileError = error
        throw failure
      }
    }
    return StoreMetadata(file: values, identifier: identifier, type: storeType)
  }

  /// Inserts the row, or replaces the existing one.
  static func write(_ metadata: StoreMetadata, _ database: Database) throws(ManagedObjectError) {
    var values = metadata.fileValues
    values[StoreMetadataKey.type] = .string(storeType)
    values.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let data: Data
    do { data = try PropertyList.dictionary(values).data(format: .binary) } catch {
      var failure = ManagedObjectError(.save, "the metadata cannot be written: \(error)")
      failure.fileError = error
      throw failure
    }
    let statement = try database.statement(
      "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
    try statement.bind(1, metadata.identifier)
    try statement.bind(2, data)
    try statement.run()
  }
}
