/// Notes in a file, by key.
///
/// Each change has been written to the file when the call returns. The file is complete even if the program ends
/// unexpectedly.
protocol Notebook {
  /// Returns the key and the title of each note, in the order in which they were added.
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
    case .noSuchNote(let key): "there is no note \"\(key)\""
    case .alreadyThere(let key): "there is a note \"\(key)\" already"
    case .notANote(let key): "what the file has under \"\(key)\" is no note"
    case .notOfNotes(let path): "\(path) is a database of another program"
    }
  }
}
