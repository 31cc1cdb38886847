/// Notes in a file, by key.
///
/// Each change has been written to the file when the call returns. The file is complete even if the program ends
/// unexpectedly.
protocol Notebook {
  /// Returns the key and the title of each note, in the order they were added.
  func titles() throws -> [(key: String, title: String)]

  func note(_ key: String) throws -> Note

  mutating func add(_ note: Note, forKey key: String) throws

  mutating func change(_ key: String, _ change: (inout Note) -> Void) throws

  mutating func remove(_ key: String) throws
}

enum NotebookError: Error, CustomStringConvertible {
  case noSuchNote(String)
  case alreadyThere(String)
  case notANote(String)
  /// The file belongs to another program.
  case notOfNotes(String)

  var description: String {
    switch self {
    case .noSuchNote(let key): "the note \"\(key)\" does not exist"
    case .alreadyThere(let key): "the note \"\(key)\" already exists"
    case .notANote(let key): "the value of the key \"\(key)\" is not a note"
    case .notOfNotes(let path): "\(path) is a database of another program"
    }
  }
}
