import Foundation
import PropertyLists
import TestSupport

/// Runs `reader.py`, which reads SQLite stores without the code under test.
enum StoreReader {
  static let isAvailable = (try? Program.runPython(["-c", "import sqlite3"]))?.status == 0

  private static let program = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "reader.py")

  /// An error because the reader cannot read a store.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads all objects of a store.
  ///
  /// - Parameters:
  ///   - model: A compiled model, for a store that does not contain its model.
  ///   - isImmutable: True to read only the database file. By default, this is done if there is no WAL next to it,
  ///     because then nothing is missed.
  static func objects(of store: URL, model: URL? = nil, isImmutable: Bool? = nil) throws -> StoreDump {
    try StoreDump(json: run(store, model.map { ["--mom", $0.path] } ?? [], isImmutable))
  }

  /// Reads the tables, indexes and triggers of a store, the numbers of its entities, and the keys of its metadata.
  static func schema(of store: URL, isImmutable: Bool? = nil) throws -> ReadSchema {
    try JSONDecoder().decode(ReadSchema.self, from: run(store, ["--schema"], isImmutable))
  }

  /// Reads all rows of all tables of a store, without interpreting them.
  static func rows(of store: URL, isImmutable: Bool? = nil) throws -> StoreRows {
    try StoreRows(json: run(store, ["--raw"], isImmutable))
  }

  private static func run(_ store: URL, _ options: [String], _ isImmutable: Bool?) throws -> Data {
    let hasNoLog = !FileManager.default.fileExists(atPath: store.path + "-wal")
    let result = try Program.runPython(
      [program.path, store.path] + options + (isImmutable ?? hasNoLog ? ["--immutable"] : []))
    guard result.status == 0 else {
      throw Failure(description: result.errors.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return result.output
  }
}
