import Foundation
import ManagedObjects
import Synchronization
import TestSupport

/// SQLite stores created by Apple's frameworks, in the folder `samples/core-data` next to the one given by
/// `PLIST_CORPUS`. Empty if the variable is not set.
enum StoreSamples {
  private static let files = Fixtures.samples("core-data")

  /// All files that begin with SQLite's header.
  static let stores: [URL] = {
    files.filter { url in
      guard let file = try? FileHandle(forReadingFrom: url) else { return false }
      defer { try? file.close() }
      return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }
  }()

  /// All XML stores.
  static let xmlStores: [URL] = files.filter { url in
    guard url.pathExtension == "xml", let text = try? String(contentsOf: url, encoding: .utf8) else { return false }
    return text.contains("<databaseInfo>")
  }

  /// Compiled models and source models, with the names of their files.
  static let models: [(name: String, model: ManagedObjectModel)] = files.compactMap { url in
    let name = url.lastPathComponent
    guard let data = try? Data(contentsOf: url) else { return nil }
    if name.hasSuffix(".mom") { return (try? ManagedObjectModel(compiled: data)).map { (name, $0) } }
    guard name.hasSuffix("contents") || name.hasSuffix("contents.xml") else { return nil }
    return (try? ManagedObjectModel(source: data)).map { (name, $0) }
  }

  /// Makes files from the parts of stores whose rows are private: the statements of the tables, the entities, the
  /// metadata and the model.
  static func assembledStores(in folder: TemporaryFolder) throws -> [URL] {
    try files.filter { $0.lastPathComponent == "schema.sql" }.map { statements in
      let parts = statements.deletingLastPathComponent()
      func blob(_ name: String) throws -> String {
        "X'\(try Data(contentsOf: parts.appending(path: name)).map { String(format: "%02x", $0) }.joined())'"
      }
      let file = folder.url.appending(path: parts.lastPathComponent + ".sqlite")
      let entities = try String(contentsOf: parts.appending(path: "Z_PRIMARYKEY.csv"), encoding: .utf8)
        .split(whereSeparator: \.isNewline).dropFirst().map { line in
          let values = line.split(separator: ",")
          return "INSERT INTO Z_PRIMARYKEY VALUES (\(values[0]), '\(values[1])', \(values[2]), \(values[3]));"
        }
      try SQLiteFile.change(
        file,
        """
        PRAGMA auto_vacuum = 2; \(String(contentsOf: statements, encoding: .utf8)); \(entities.joined())
        INSERT INTO Z_METADATA VALUES (1, '\(UUID().uuidString)', \(blob("Z_PLIST.plist")));
        INSERT INTO Z_MODELCACHE VALUES (\(blob("Z_MODELCACHE.deflate")));
        """)
      return file
    }
  }

  /// Copies a store with its other files to a folder.
  static func copy(_ store: URL, to folder: TemporaryFolder) throws -> URL {
    let copy = folder.url.appending(path: store.lastPathComponent)
    let support = ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT"
    for name in ["", "-wal", "-shm"].map({ store.lastPathComponent + $0 }) + [support] {
      let source = store.deletingLastPathComponent().appending(path: name)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      let target = folder.url.appending(path: name)
      try FileManager.default.copyItem(at: source, to: target)
      try FileManager.default.setAttributes(
        [.posixPermissions: name == support ? 0o755 : 0o644], ofItemAtPath: target.path)
    }
    return copy
  }

  /// Returns the stores that contain their model.
  static func storesWithModel() throws -> [URL] { try withModel.get() }

  private static let withModel = Result {
    try stores.filter { store in
      try rows(of: store).tables["Z_MODELCACHE"]?.rows.values.contains { $0["Z_CONTENT"] != .null } ?? false
    }
  }

  /// Returns what the independent reader finds in a store, which no test changes.
  static func objects(of store: URL) throws -> StoreDump {
    try dumps.withLock { dumps in
      let dump = try dumps[store] ?? StoreReader.objects(of: store)
      dumps[store] = dump
      return dump
    }
  }

  /// Returns the rows of a store, which no test changes.
  static func rows(of store: URL) throws -> StoreRows {
    try tables.withLock { tables in
      let rows = try tables[store] ?? StoreReader.rows(of: store)
      tables[store] = rows
      return rows
    }
  }

  private static let dumps = Mutex<[URL: StoreDump]>([:])
  private static let tables = Mutex<[URL: StoreRows]>([:])
}
