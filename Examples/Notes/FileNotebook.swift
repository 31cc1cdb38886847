import FoundationEssentials
import KeyedArchiving
import OrderedCollections
import PropertyLists

/// Notes in a file that is read and written as a whole: a property list or a keyed archive.
struct FileNotebook: Notebook {
  private var notes: OrderedDictionary<String, Note> = [:]
  private let file: URL
  private let isPropertyList: Bool

  /// Reads the notes of a file. There are no notes if the file does not exist.
  init(_ file: URL, isPropertyList: Bool) throws {
    self.file = file
    self.isPropertyList = isPropertyList
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    if isPropertyList {
      let entries = try PropertyList(contentsOf: file).dictionary ?? [:]
      for (key, value) in entries {
        guard let note = Note(value) else { throw NotebookError.notANote(key) }
        notes[key] = note
      }
    } else {
      // The type lists everything that the file may contain: a dictionary of strings and notes.
      notes = try KeyedUnarchiver.unarchivedObject(of: OrderedDictionary<String, Note>.self, from: file)
    }
  }

  func titles() -> [(key: String, title: String)] { notes.map { ($0, $1.title) } }

  func note(_ key: String) throws -> Note {
    guard let note = notes[key] else { throw NotebookError.noSuchNote(key) }
    return note
  }

  mutating func add(_ note: Note, forKey key: String) throws {
    guard notes[key] == nil else { throw NotebookError.alreadyThere(key) }
    notes[key] = note
    try save()
  }

  mutating func change(_ key: String, _ change: (inout Note) -> Void) throws {
    var note = try note(key)
    change(&note)
    notes[key] = note
    try save()
  }

  mutating func remove(_ key: String) throws {
    guard notes.removeValue(forKey: key) != nil else { throw NotebookError.noSuchNote(key) }
    try save()
  }

  private func save() throws {
    if isPropertyList {
      let list = PropertyList.dictionary(notes.mapValues(\.propertyList))
      try list.write(to: file, format: .xml, options: PropertyListWritingOptions(fractionalSeconds: .refuse))
    } else {
      try KeyedArchiver.archive(notes, to: file)
    }
  }
}
