import FoundationEssentials
import KeyedArchiving
import OrderedCollections
import PropertyLists

/// Notes by their keys, in a file: a property list if its name ends with `.plist`, a keyed archive otherwise.
///
/// Every change is written in one step, so the file is complete whenever the program ends.
struct Notebook {
  private(set) var notes: OrderedDictionary<String, Note> = [:]
  private let file: URL

  private var isPropertyList: Bool { file.pathExtension == "plist" }

  /// The notes of a file; none if there is no such file yet.
  init(_ file: URL) throws {
    self.file = file
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    if isPropertyList {
      let entries = try PropertyList(contentsOf: file).dictionary ?? [:]
      for (key, value) in entries {
        guard let note = Note(value) else { throw NotebookError.notANote(key) }
        notes[key] = note
      }
    } else {
      // The type says all that may be in the file: a dictionary of strings and notes.
      notes = try KeyedUnarchiver.unarchivedObject(of: OrderedDictionary<String, Note>.self, from: file)
    }
  }

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

enum NotebookError: Error, CustomStringConvertible {
  case noSuchNote(String)
  case alreadyThere(String)
  case notANote(String)

  var description: String {
    switch self {
    case .noSuchNote(let key): "there is no note \"\(key)\""
    case .alreadyThere(let key): "there is a note \"\(key)\" already"
    case .notANote(let key): "what the file has under \"\(key)\" is no note"
    }
  }
}
