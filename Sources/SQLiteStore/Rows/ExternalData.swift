package import FoundationEssentials
internal import ManagedObjects
internal import SystemFiles

/// Large values of attributes that a store may keep in files beside it.
///
/// A column has the byte 1 and the data, or the byte 2 and the name of a file, a UUID, which ends with the byte 0.
/// The files are in `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store; `NAME` is that of the store without extension.
///
/// A fetch leaves the files alone: each is read when its value is asked for. New values are in the column. A file that
/// a row named before stays: nothing says that no other row names it, nor that nobody is reading it, and one that
/// nobody names does no harm.
///
/// Stores beside each other that differ in their extension have one folder: `Notes.sqlite`, and a copy `Notes.bak`.
package struct ExternalData {
  private let store: String
  package let folder: String

  /// - Parameter path: the path of the store itself, not of a link to it.
  package init(ofStore path: String) {
    store = path
    folder = "\(FileSystem.parent(of: path))/.\(Self.name(ofStore: path))_SUPPORT/_EXTERNAL_DATA"
  }

  /// The part of a store's name that its folder has.
  private static func name(ofStore path: String) -> String {
    URL(filePath: path).deletingPathExtension().lastPathComponent
  }

  private static let inline: UInt8 = 1
  private static let inFile: UInt8 = 2
  /// The bytes of a value that is in a file.
  package static let sizeOfName = 38
  /// The most bytes of a file that are read. SQLite has no larger values itself.
  private static let greatestSize = 1 << 30

  /// The data of a column's value; nil if the file that it names is not there.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for another value.
  func content(of value: Data) throws(ManagedObjectError) -> Data? {
    switch value.first {
    case Self.inline: return value.dropFirst()
    case Self.inFile:
      guard let name = Self.fileName(value) else {
        throw ManagedObjectError(.invalidValue, "a value that should be in a file of its own names none")
      }
      let path = "\(folder)/\(name)"
      guard FileSystem.existsItself(path) else { return nil }
      // A link could lead to any file of the user.
      guard FileSystem.isRegularFileItself(path) else {
        throw ManagedObjectError(.operation, "cannot read \(path): it is no regular file")
      }
      do { return try FileSystem.readRegularFile(path, limit: Self.greatestSize)?.data } catch {
        let message = error.limit == nil ? error.message : "cannot read \(path): \(error.message)"
        throw ManagedObjectError(.operation, message)
      }
    case nil: return Data()
    default: throw ManagedObjectError(.invalidValue, "a value that may be in a file of its own does not say whether")
    }
  }

  /// True if the value of a column is in a file.
  static func isInFile(_ statement: Statement, _ column: Int32) -> Bool {
    statement.byteCount(column) == sizeOfName && fileName(statement.data(column)) != nil
  }

  /// The condition that the value of a column is in the column itself, in a statement.
  static func isInline(_ column: String) -> String { "substr(CAST(\(column) AS BLOB), 1, 1) IN (x'01', x'')" }

  /// The condition that the value of a column is in a file, in a statement.
  package static func isInFile(_ column: String) -> String { "substr(CAST(\(column) AS BLOB), 1, 1) = x'02'" }

  /// The names of all files of values.
  package var fileNames: [String] { FileSystem.names(in: folder) }

  /// True if there is a file of a name.
  package func has(_ name: String) -> Bool { FileSystem.sizeOfRegularFile("\(folder)/\(name)") != nil }

  /// True if a file beside the store would have its values in the same folder. It can be a copy of the store.
  package var isShared: Bool {
    let name = Self.name(ofStore: store)
    let own = Set(DatabaseFile.suffixes.map { URL(filePath: store).lastPathComponent + $0 })
    let parent = FileSystem.parent(of: store)
    return FileSystem.names(in: parent).contains { other in
      other.hasPrefix(name) && !own.contains(other) && Self.name(ofStore: other) == name
        && !FileSystem.isFolder("\(parent)/\(other)")
    }
  }

  /// Removes files that no value of the store is in any more, if it alone has the folder. A file that cannot be removed
  /// stays: it does no harm.
  func remove(_ names: Set<String>) {
    if names.isEmpty || isShared { return }
    for name in names where has(name) { FileSystem.removeFile("\(folder)/\(name)") }
  }

  /// The data as a column has it.
  func value(_ data: Data) -> Data { Data([Self.inline]) + data }

  /// The name of the file that a value is in. It is that of a UUID, and leads nowhere else.
  package static func fileName(_ value: Data) -> String? {
    guard value.first == inFile, value.count == sizeOfName, value.last == 0 else { return nil }
    let text = String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
    return UUID(uuidString: text) == nil ? nil : text
  }
}
