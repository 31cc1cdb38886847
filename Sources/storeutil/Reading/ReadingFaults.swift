import ArgumentParser
import ManagedObjects
import PropertyLists
import SQLiteStore
import ToolSupport

/// What could not be read of objects, each told once.
final class ReadingFaults {
  private let store: any PersistentStore
  private var missingFiles: [ManagedObjectError] = []
  private var places: Set<Place> = []

  private struct Place: Hashable {
    let key: RowKey
    let slot: Int
  }

  init(_ store: any PersistentStore) { self.store = store }

  /// Adds a value whose file is missing.
  func addMissingFile(ofSlot slot: Int, _ key: RowKey) {
    guard places.insert(Place(key: key, slot: slot)).inserted else { return }
    missingFiles.append(store.missingFile(ofSlot: slot, key))
  }

  /// Prints the faults on standard error, when all has been printed that could be read.
  ///
  /// - Throws: `ExitCode` if a value is missing.
  func tell() throws {
    for error in missingFiles { note(StoreExit.text(of: error)) }
    if !missingFiles.isEmpty { throw ExitCode(StoreExit.inputOutput) }
  }
}

extension PersistentStore {
  /// The error for a value whose file is missing.
  func missingFile(ofSlot slot: Int, _ key: RowKey) -> ManagedObjectError {
    let id = ManagedObjectID(key, model: model, storeIdentifier: nil)
    let name = id.entity.attributes.first { $0.slot == slot }?.name ?? ""
    // The object may have changed meanwhile.
    let file = (try? (self as? SQLiteStore)?.externalFile(ofSlot: slot, key)) ?? nil
    return ManagedObjectError(
      .referentialIntegrity,
      "\(id) \(name.printable()): the value is in the file \(file?.printable() ?? "of its own"), which is not there")
  }
}
