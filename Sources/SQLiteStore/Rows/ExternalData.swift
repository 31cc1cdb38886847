package import FoundationEssentials
internal import ManagedObjects
internal import SQLiteAccess
internal import SystemFiles

/// The folder with the external files of a store, for attributes that allow external storage.
///
/// The column of such an attribute has either the byte 1 and the data, or the byte 2 and the name of a file: a UUID as
/// text, terminated by a zero byte. The files are in `.NAME_SUPPORT/_EXTERNAL_DATA` next to the store. `NAME` is the
/// file name of the store without its extension.
///
/// A fetch does not read the files: each file is read when its value is accessed. New values are stored in the column.
/// If a value is replaced, its file is kept, because another row may refer to it, or another process may be reading it.
/// An unused file does no harm.
///
/// Stores in one folder whose names differ only in the extension share the files, for example `Notes.sqlite` and a copy
/// `Notes.bak`.
package struct ExternalData {
  private let store: String
  package let folder: String

  /// Creates a value for the external files of a store.
  ///
  /// - Parameter path: The path of the store with symbolic links resolved.
  package init(ofStore path: String) {
    store = path
    folder = "\(FileSystem.parent(of: path))/.\(Self.name(ofStore: path))_SUPPORT/_EXTERNAL_DATA"
  }

  /// Returns the file name of a store without its extension. The name of the folder with its external files contains
  /// it.
  private static func name(ofStore path: String) -> String {
    URL(filePath: path).deletingPathExtension().lastPathComponent
  }

  private static let inline: UInt8 = 1
  private static let inFile: UInt8 = 2
  /// The size of a column value that names a file, in bytes.
  package static let sizeOfName = 38
  /// The size of the largest file that is read, in bytes. SQLite does not allow larger values either.
  static let greatestSize = 1 << 30

  /// Returns the data that a column value represents: the data in the value itself, or the contents of the file that
  /// the value names. Returns nil if that file does not exist.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if the value has neither form,
  ///   ``ManagedObjectError/Code/operation`` if the file cannot be read.
  func content(of value: Data) throws(ManagedObjectError) -> Data? {
    switch value.first {
    case Self.inline: return value.dropFirst()
    case Self.inFile:
      guard let name = Self.fileName(value) else {
        throw ManagedObjectError(.invalidValue, "a value should be in an external file, but has no valid file name")
      }
      let path = "\(folder)/\(name)"
      guard FileSystem.existsItself(path) else { return nil }
      // Does not follow a symbolic link, which could lead to any file of the user.
      guard FileSystem.isRegularFileItself(path) else {
        throw ManagedObjectError(.operation, "cannot read \(path): it is not a regular file")
      }
      do { return try FileSystem.readRegularFile(path, limit: Self.greatestSize)?.data } catch {
        throw ManagedObjectError(.operation, error.message)
      }
    case nil: return Data()
    default:
      throw ManagedObjectError(
        .invalidValue, "the first byte of a value does not say whether the value is in an external file")
    }
  }

  /// True if a column of the statement's current row names an external file.
  static func isInFile(_ statement: Statement, _ column: Int32) -> Bool {
    statement.byteCount(column) == sizeOfName && fileName(statement.data(column)) != nil
  }

  /// Returns SQL that is true if the data is in the column itself.
  static func isInline(_ column: String) -> String { "substr(CAST(\(column) AS BLOB), 1, 1) IN (x'01', x'')" }

  /// Returns SQL that is true if a column names an external file.
  package static func isInFile(_ column: String) -> String { "substr(CAST(\(column) AS BLOB), 1, 1) = x'02'" }

  /// The names of all files in the folder.
  package var fileNames: [String] { FileSystem.names(in: folder) }

  /// True if the folder has a file with the name.
  package func has(_ name: String) -> Bool { FileSystem.sizeOfRegularFile("\(folder)/\(name)") != nil }

  /// True if another file next to the store, such as a copy of it, has the same folder for external files.
  package var isShared: Bool {
    let name = Self.name(ofStore: store)
    let own = Set(DatabaseFile.suffixes.map { URL(filePath: store).lastPathComponent + $0 })
    let parent = FileSystem.parent(of: store)
    return FileSystem.names(in: parent).contains { other in
      other.hasPrefix(name) && !own.contains(other) && Self.name(ofStore: other) == name
        && !FileSystem.isFolder("\(parent)/\(other)")
    }
  }

  /// Removes external files that the store no longer uses, unless another store shares the folder. A file that cannot
  /// be removed stays, and does no harm.
  func remove(_ names: Set<String>) {
    if names.isEmpty || isShared { return }
    for name in names where has(name) { FileSystem.removeFile("\(folder)/\(name)") }
  }

  /// Returns the column value that stores data in the column itself.
  func value(_ data: Data) -> Data { Data([Self.inline]) + data }

  /// Returns the file name in a column value; nil if the value does not name a file. The name must be a UUID, so that
  /// it cannot lead to another folder.
  package static func fileName(_ value: Data) -> String? {
    guard value.first == inFile, value.count == sizeOfName, value.last == 0 else { return nil }
    let text = String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
    return UUID(uuidString: text) == nil ? nil : text
  }
}
