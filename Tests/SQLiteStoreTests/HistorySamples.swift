import Foundation
import ManagedObjects
import PropertyLists
import SQLiteStore
import TestSupport

/// The histories of stores that Apple's frameworks made.
enum HistorySamples {
  private static let files = Fixtures.samples("core-data")

  static func url(_ path: String) -> URL? { files.first { $0.path.hasSuffix("/core-data/" + path) } }

  /// True if the samples are available.
  static let areThere = url("resourcesmanager/history-truth.json") != nil && url("pegase-derived/ACHANGE.csv") != nil

  /// The stores with a history.
  static let stores = [
    "resourcesmanager/default.store", "cartkit/CartKitSwiftData_v1.sqlite",
    "coredataplus-samplemodel2/SampleModel2_V2.sqlite",
  ].compactMap(url)

  /// A change that Core Data has recorded, and the columns that really changed.
  struct Truth: Decodable {
    let transaction: Int64
    let type: Int64
    let entity: String
    let pk: Int64
    let columnsChanged: [String]
    let bits: String?
    let slots: [String]

    enum CodingKeys: String, CodingKey {
      case transaction, type, entity, pk, slots
      case columnsChanged = "columns_changed"
      case bits = "ZCOLUMNS"
    }

    var row: HistoryRow {
      HistoryRow(transaction: transaction, kind: type, entity: entity, number: pk, bits: bits?.uppercased() ?? "NULL")
    }
  }

  static func truth() throws -> [Truth] {
    guard let url = url("resourcesmanager/history-truth.json") else { return [] }
    return try JSONDecoder().decode([Truth].self, from: Data(contentsOf: url))
  }

  /// Copies the store of the game, whose tables are those of the truth.
  static func gameStore(_ folder: TemporaryFolder) throws -> URL {
    guard let url = url("resourcesmanager/default.store") else { throw StoreReader.Failure(description: "no sample") }
    return try StoreSamples.copy(url, to: folder)
  }

  /// Creates a store with the history, the model and the empty tables of a bookkeeping program.
  static func accountStore(_ folder: TemporaryFolder) throws -> URL {
    let file = folder.url.appending(path: "accounts.store")
    func data(_ name: String) throws -> Data {
      guard let url = url("pegase-derived/" + name) else { throw StoreReader.Failure(description: "no sample") }
      return try Data(contentsOf: url)
    }
    func lines(_ name: String) throws -> [[String]] {
      String(decoding: try data(name), as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().map { line in
        line.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? "NULL" : String($0) }
      }
    }
    func hex(_ data: Data) -> String { "x'" + data.map { String(format: "%02x", $0) }.joined() + "'" }
    var schema = String(decoding: try data("schema.sql"), as: UTF8.self)
    for name in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
    where !schema.contains("CREATE TABLE \(name) ") {
      throw StoreReader.Failure(description: "the schema has no table \(name)")
    }
    schema += "; BEGIN;"
    for row in try lines("Z_PRIMARYKEY.csv") {
      schema += "INSERT INTO Z_PRIMARYKEY VALUES (\(row[0]), '\(row[1])', \(row[2]), \(row[3]));"
    }
    schema += "INSERT INTO Z_METADATA VALUES (1, '\(UUID().uuidString)', \(hex(try data("Z_PLIST.plist"))));"
    schema += "INSERT INTO Z_MODELCACHE VALUES (\(hex(try data("Z_MODELCACHE.deflate"))));"
    for row in try lines("ACHANGE.csv") {
      let bits = row[5] == "NULL" ? "NULL" : "x'\(row[5])'"
      schema +=
        "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
        + "VALUES (\(row[0]), 16001, \(row[1]), \(row[2]), \(row[3]), \(row[4]), \(bits));"
    }
    for row in try lines("ATRANSACTION.csv") {
      schema += "INSERT INTO ATRANSACTION VALUES (\(row.joined(separator: ", ")));"
    }
    schema +=
      "INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'org.example'), (2, 16003, NULL, 'example'); COMMIT;"
    try SQLiteFile.change(file, schema)
    return file
  }
}

/// A row of `ACHANGE`.
struct HistoryRow: Hashable, CustomStringConvertible {
  let transaction: Int64
  let kind: Int64
  let entity: String
  let number: Int64
  /// The value of `ZCOLUMNS` in hexadecimal; `NULL` if it is missing.
  let bits: String

  var description: String { "\(transaction) \(["insert", "update", "delete"][Int(kind)]) \(entity) \(number) \(bits)" }

  /// Returns the rows of a store in the order of their primary keys.
  ///
  /// - Parameter number: The primary key of the last row to leave out.
  static func all(_ file: URL, after number: Int64 = 0) throws -> [HistoryRow] {
    try PlainSQLite(file).run(
      "SELECT c.ZTRANSACTIONID, c.ZCHANGETYPE, e.Z_NAME, c.ZENTITYPK, IIF(c.ZCOLUMNS IS NULL, 'NULL', HEX(c.ZCOLUMNS)) "
        + "FROM ACHANGE c JOIN Z_PRIMARYKEY e ON e.Z_ENT = c.ZENTITY WHERE c.Z_PK > \(number) ORDER BY c.Z_PK"
    ).map { row in
      HistoryRow(
        transaction: Int64(row[0]) ?? 0, kind: Int64(row[1]) ?? 0, entity: row[2], number: Int64(row[3]) ?? 0,
        bits: row[4])
    }
  }
}
