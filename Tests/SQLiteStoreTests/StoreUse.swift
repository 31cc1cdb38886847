import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport

/// Uses a store in every way, to check that all operations end.
enum StoreUse {
  /// The model of the hand-written store, without the parts that cannot be saved.
  static let model = Result {
    try ManagedObjectModel(
      entities: LibraryStore.model.entities.map { entity in
        var definition = entity.definition
        definition.properties.removeAll { $0.name == "undefined" }
        return definition
      })
  }

  /// Statements that make the hand-written store match this model.
  static let setup = "UPDATE Z_METADATA SET Z_PLIST = NULL; DROP INDEX Z_Person_UNIQUE_name;"

  /// Opens a store, reads all of it, changes, inserts and deletes an object of each entity, and reads it again.
  static func all(_ file: URL, _ model: ManagedObjectModel) throws {
    let store = try SQLiteStore(file, model: model, access: .readWrite(allowsTriggers: true))
    _ = try StoreDump(store)
    for entity in model.entities {
      guard case .rows(var rows) = try store.fetch(FetchRequest(entity.name), of: entity) else { continue }
      rows.removeAll { Int($0.key.entityIndex) != entity.index }
      var changes = StoreChanges()
      if let row = rows.first {
        changes.snapshots = [row]
        changes.updated = [row]
        for attribute in entity.attributes where attribute.type == .string && !attribute.isTransient {
          changes.updated[0].values[attribute.slot] = .attribute(.string("changed"))
        }
      }
      if rows.count > 1, let row = rows.last { changes.deleted = [row] }
      for key in try store.makeKeys([entity.index]) {
        changes.inserted = [StoreRow(key: key, version: 1, values: entity.emptyValues)]
      }
      try store.save(changes)
    }
    _ = try StoreDump(store)
  }

  /// Returns the defect in the error or in the time of a use, or nil, and the error message.
  static func defect(_ file: URL, _ model: ManagedObjectModel) -> (defect: String?, message: String?) {
    var message: String?
    var defect: String?
    let time = ThreadClock.measure {
      do { try all(file, model) } catch let error as ManagedObjectError {
        message = "\(error)"
        // Errors about an object do not name the file.
        let codes: [ManagedObjectError.Code] = [.merge, .constraintMerge, .keysTaken]
        let isOfObject = codes.contains(error.code) || error.objectID != nil
        if error.message.isEmpty { defect = "an error without a message" }
        if !isOfObject, !"\(error)".contains(file.lastPathComponent) { defect = "no file in: \(error)" }
      } catch let error as StoreDump.Failure {
        // Rows that the dump cannot identify, such as a duplicate one.
        message = error.description
      } catch {
        defect = "another error: \(error)"
      }
    }
    if time > ThreadClock.referenceSecond * 20 { defect = "it took \(time)" }
    return (defect, message)
  }
}
