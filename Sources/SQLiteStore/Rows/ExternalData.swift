package import FoundationEssentials
internal import ManagedObjects
internal import SystemFiles

/// The external files of attributes that allow external storage.
///
/// A column has the byte 1 and the data, or the byte 2 and the name of a file: a UUID as text, terminated by a zero
/// byte. The files are in `.NAME_SUPPORT/_EXTERNAL_DATA` in the folder of the store. `NAME` is the store's name without
/// its extension.
///
/// A fetch does not read the files: each is read when its value is accessed. New values are stored in the column. The
/// file of a replaced value is kept, because another row may refer to it, or another process may be reading it. An
/// unused file does no harm.
///
/// Stores in one folder whose names differ only in the extension share the files: `Notes.sqlite`, and a copy
/// `Notes.bak`.
package struct ExternalData {
  private let store: String
  package let folder: String

  /// - Parameter path: The path of the store with symbolic links resolved.
  package init(ofStore path: String) {
    store = path
    folder = "\(FileSystem.parent(of: path))/.\(Self.name(ofStore: path))_SUPPORT/_EXTERNAL_DATA"
  }

  /// Returns the part of a store's name that is in the name of its folder.
  private static func name(ofStore path: String) -> String {
    URL(filePath: path).deletingPathExtension().lastPathComponent
  }

  private static let inline: UInt8 = 1
  private static let inFile: UInt8 = 2
  /// The size of a value that names a file, in bytes.
  package static let sizeOfName = 38
  /// The largest file that is read, in bytes. SQLite allows no larger values either.
  private static let greatestSize = 1 << 30

  /// Returns the data of a column's value; nil if the file that it names does not exist.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a value in another form.
  func content(of value: Data) throws(ManagedObjectError) -> Data? {
    switch value.first {
    case Self.inline: return value.dropFirst()
    case Self.inFile:
      guard let name = Self.fileName(value) else {
        throw ManagedObjectError(.invalidValue, "a value should be in an external file, but has no valid file name")
      }
      let path = "\(folder)/\(name)"
      guard FileSystem.existsItself(path) else { return nil }
      // A link could lead to any file of the user.
      guard FileSystem.isRegularFileItself(path) else {
        throw ManagedObjectError(.operation, "cannot read \(path): it is not a regular file")
      }
      do { return try FileSystem.readRegularFile(path, limit: Self.greatestSize)?.data } catch {
        let message = error.limit == nil ? error.message : "cannot read \(path): \(error.message)"
        throw ManagedObjectError(.operation, message)
      }
    case nil: return Data()
    default:
      throw ManagedObjectError(
        .invalidValue, "the first byte of a value does not say whether the value is in an external file")
    }
  }

  /// True if a column of the current row has its value in an external file.
  static func isInFile(_ statement: Statement, _ column: Int32) -> Bool {
    statement.byteCount(column) == sizeOfName && fileName(statement.data(column)) != nil
  }

  /// SQL that is true if a column has its value inline.
  static func isInline(_ column: String) -> String { "substr(CAST(\(column) AS BLOB), 1, 1) IN (x'01', x'')" }

  /// SQL that is true if a column has its value in an external file.
  package static func isInFile(_ column: String) -> String { "substr(CAST(\(column) AS BLOB), 1, 1) = x'02'" }

  /// The names of all external files.
  package var fileNames: [String] { FileSystem.names(in: folder) }

  /// True if an external file exists.
  package func has(_ name: String) -> Bool { FileSystem.sizeOfRegularFile("\(folder)/\(name)") != nil }

  /// True if another file next to the store has the same folder for its values. It can be a copy of the store.
  package var isShared: Bool {
    let name = Self.name(ofStore: store)
    let own = Set(DatabaseFile.suffixes.map { URL(filePath: store).lastPathComponent + $0 })
    let parent = FileSystem.parent(of: store)
    return FileSystem.names(in: parent).contains { other in
      other.hasPrefix(name) && !own.contains(other) && Self.name(ofStore: other) == name
        && !FileSystem.isFolder("\(parent)/\(other)")
    }
  }

  /// Removes files that the store no longer uses, unless another store shares the folder. A file that cannot be removed
  /// stays, and does no harm.
  func remove(_ names: Set<String>) {
    if names.isEmpty || isShared { return }
    for name in names where has(name) { FileSystem.removeFile("\(folder)/\(name)") }
  }

  /// Returns the column value for data stored inline.
  func value(_ data: Data) -> Data { Data([Self.inline]) + data }

  /// Returns the name of the file that has a value. It must be a UUID, so that it cannot lead to another folder.
  package static func fileName(_ value: Data) -> String? {
    guard value.first == inFile, value.count == sizeOfName, value.last == 0 else { return nil }
    let text = String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
    return UUID(uuidString: text) == nil ? nil : text
  }
}
