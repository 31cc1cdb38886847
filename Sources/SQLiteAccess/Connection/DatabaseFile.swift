internal import CSQLite
package import FoundationEssentials
internal import SystemFiles

/// A database file and the files that SQLite keeps next to it: the write-ahead log (`-wal`), the log's shared index
/// (`-shm`), and the rollback journal (`-journal`), which has the original pages of a transaction.
package struct DatabaseFile {
  /// The path of the file, with symbolic links resolved. SQLite keeps the other files next to it, not next to a link.
  package let path: String
  /// The path to show in messages.
  let name: String

  private static let journals = ["-wal", "-journal"]
  /// The suffixes of the file and of the files next to it.
  package static let suffixes = ["", "-shm"] + journals

  /// The file of a database in memory, which has no path.
  static let inMemory = DatabaseFile()

  private init() {
    path = ""
    name = "database in memory"
  }

  /// Checks that SQLite can open the file safely.
  ///
  /// - Throws: ``SQLiteResultCode/cannotOpen`` if the file, or one that SQLite keeps next to it, exists and is not a
  ///   regular file: SQLite would wait for a pipe, and write through a link. Also if the file cannot be a database, or
  ///   its journal would make SQLite delete another file.
  init(_ path: String, named name: String) throws(SQLiteError) {
    self.name = name
    self.path = FileSystem.target(of: path)
    for suffix in Self.suffixes {
      let path = self.path + suffix
      guard FileSystem.existsItself(path), !FileSystem.isRegularFileItself(path) else { continue }
      throw failure("\(suffix.isEmpty ? "it" : path) is not a regular file")
    }
    if FileSystem.exists(path), !FileSystem.exists(self.path) {
      throw failure("it is a link to a path that is not valid UTF-8")
    }
    // SQLite treats a file of one byte as empty, and would write a database over it.
    if FileSystem.sizeOfRegularFile(self.path) == 1 { throw failure("it is not a database") }
    if namesOtherFile { throw failure("it is part of an unfinished transaction in several files") }
  }

  /// The size of the file and its write-ahead log, in bytes; nil if the file does not exist.
  var size: Int? {
    path.isEmpty
      ? nil : FileSystem.sizeOfRegularFile(path).map { $0 + (FileSystem.sizeOfRegularFile(path + "-wal") ?? 0) }
  }

  /// True if the file has a write-ahead log or a rollback journal that is not empty.
  var hasJournal: Bool {
    !path.isEmpty && Self.journals.contains { (FileSystem.sizeOfRegularFile(path + $0) ?? 0) > 0 }
  }

  /// The magic bytes at the end of a journal that contains the path of another file.
  private static let endOfName: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// True if the journal belongs to a transaction in several files. Such a journal contains the path of another file,
  /// which SQLite would delete. Core Data never writes one.
  private var namesOtherFile: Bool {
    let journal = path + "-journal"
    // SQLite ignores a journal that begins with 0: its transaction has ended.
    guard FileSystem.beginning(of: journal, count: 1).map({ $0 != Data([0]) }) == true,
      let end = FileSystem.end(of: journal, count: Self.endOfName.count)
    else { return false }
    return end.elementsEqual(Self.endOfName)
  }

  /// Copies the file and its journals into a new private folder, with the name `store`.
  func copy() throws(SQLiteError) -> PrivateFolder {
    let folder: PrivateFolder
    do { folder = try PrivateFolder(files: Self.suffixes.map { "store" + $0 }) } catch { throw failure(error.message) }
    do {
      try FileSystem.create("\(folder.path)/store", filledBy: write)
      for suffix in Self.journals { try FileSystem.copyRegularFile(path + suffix, to: "\(folder.path)/store\(suffix)") }
    } catch {
      throw failure("it cannot be copied: \(error.message)")
    }
    return folder
  }

  /// Writes the bytes of the file to `output`.
  private func write(to output: FileOutput) throws(FileError) {
    let result: Result<Void, FileError>? = reading { size, read in
      var offset = 0
      while offset < size {
        guard let block = read(offset, min(size - offset, 1 << 20)) else { return nil }
        do throws(FileError) { try output.write(block) } catch { return .failure(error) }
        offset += block.count
      }
      return .success(())
    }
    guard let result else { throw FileError(EIO, "cannot read \(name)") }
    try result.get()
  }

  /// Returns up to `count` bytes from the beginning of the file; nil if it cannot be read. Connections of this process
  /// keep their locks on the file.
  package func beginning(count: Int) -> Data? {
    reading { size, read in size == 0 ? nil : read(0, min(size, count)) }
  }

  /// Calls `body` with the size of the file and a function that reads bytes. Reads through SQLite: if this process
  /// opened and closed the file in another way, it would lose all its locks on the file, including the locks of other
  /// connections.
  ///
  /// - Parameter body: A function whose second argument reads a number of bytes at an offset, and returns nil after an
  ///   error.
  private func reading<Value>(_ body: (Int, (Int, Int) -> Data?) -> Value?) -> Value? {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let code = unsafe sqlite3_open_v2(Self.uri(path) + "?immutable=1", &opened, flags, nil)
    defer { unsafe sqlite3_close_v2(opened) }
    var found: UnsafeMutablePointer<sqlite3_file>?
    var size: sqlite3_int64 = 0
    guard code == SQLITE_OK,
      unsafe sqlite3_file_control(opened, "main", SQLITE_FCNTL_FILE_POINTER, &found) == SQLITE_OK,
      let file = unsafe found, let methods = unsafe file.pointee.pMethods?.pointee,
      unsafe methods.xFileSize(file, &size) == SQLITE_OK
    else { return nil }
    return body(Int(size)) { offset, count in
      var block = Data(count: count)
      let code = unsafe block.withUnsafeMutableBytes { bytes in
        unsafe methods.xRead(file, bytes.baseAddress, Int32(count), sqlite3_int64(offset))
      }
      return code == SQLITE_OK ? block : nil
    }
  }

  /// Returns a `file:` URI for a path. Escapes the characters that have a meaning in a URI.
  static func uri(_ path: String) -> String {
    // A URI that begins with two slashes would name a host. A file named `:memory:` would be a database in memory.
    var uri = path.hasPrefix("//") ? "file://" : path.hasPrefix("/") ? "file:" : "file:./"
    // File names may be invalid UTF-8.
    for byte in FileSystem.systemPath(path).dropLast().map(UInt8.init(bitPattern:)) {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
        uri += "%" + String(byte, radix: 16, uppercase: true)
      default: uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return uri
  }

  private func failure(_ message: String) -> SQLiteError {
    SQLiteError(.opening, .cannotOpen, message, path: name)
  }
}
