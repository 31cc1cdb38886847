import ArgumentParser
import ManagedObjects
import PropertyLists
import SQLiteStore
import ToolSupport

/// The objects and values that could not be read. Each is reported once.
final class ReadingDefects {
  private let store: any PersistentStore
  private var missingFiles: [ManagedObjectError] = []
  private var notes: [String] = []
  private var hasMoreNotes = false
  private var unreadableCount = 0
  private var toldProperties: Set<PropertyOfObject> = []

  private struct PropertyOfObject: Hashable {
    let key: RowKey
    let property: String
  }

  private static let greatestNoteCount = 100

  init(_ store: any PersistentStore) { self.store = store }

  /// Adds a value whose external file is missing.
  func addMissingFile(of property: String, slot: Int, _ key: RowKey) {
    guard toldProperties.insert(PropertyOfObject(key: key, property: property)).inserted else { return }
    missingFiles.append(store.missingFile(ofSlot: slot, key))
  }

  /// Adds an object that cannot be read, and prints the error on standard error.
  func addUnreadable(_ key: RowKey, _ error: any Error) {
    unreadableCount += 1
    let id = "\(ManagedObjectID(key, model: store.model, storeIdentifier: nil))"
    let text = StoreExit.text(of: error)
    note(text.contains(id) ? text : "\(ToolName.current): error: \(id) cannot be read\n\(text)")
  }

  /// Adds notes about data that begins like an archive, but cannot be opened.
  func add(_ texts: [String], about property: String, _ key: RowKey) {
    if texts.isEmpty { return }
    guard notes.count < Self.greatestNoteCount else {
      hasMoreNotes = true
      return
    }
    guard toldProperties.insert(PropertyOfObject(key: key, property: property)).inserted else { return }
    let id = ManagedObjectID(key, model: store.model, storeIdentifier: nil)
    for text in texts { notes.append("note: \(id) \(property.printable()): \(text)") }
  }

  /// Prints the defects on standard error, after all other output.
  ///
  /// - Throws: `ExitCode` if an object or value is missing.
  func tell() throws {
    for text in notes { note(text.withoutCommands) }
    if hasMoreNotes { note("note: data of more objects cannot be opened") }
    for error in missingFiles { note(StoreExit.text(of: error)) }
    if unreadableCount > 0 { throw ExitCode(StoreExit.refused) }
    if !missingFiles.isEmpty { throw ExitCode(StoreExit.inputOutput) }
  }
}
