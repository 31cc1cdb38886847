/// The tables of a store and their indexes and triggers, as printed by `reader.py --schema`.
struct ReadSchema: Codable, Equatable {
  var file: File
  var tables: [String: Table]
  var indexes: [String: Index]
  var triggers: [String: Trigger]
  /// The rows of `Z_PRIMARYKEY`, by number.
  var primaryKeys: [PrimaryKey]
  /// The keys of the metadata, sorted, including `NSStoreUUID`.
  var metadataKeys: [String]
  /// The version hashes in the metadata, in hexadecimal.
  var hashes: [String: String]

  struct File: Codable, Equatable {
    var pageSize: Int
    var autoVacuum: Int
    var encoding: String
    var userVersion: Int
    var applicationID: Int
  }

  struct Table: Codable, Equatable {
    /// The columns, in the order of the table.
    var columns: [Column]
    var sql: String
  }

  struct Column: Codable, Equatable {
    var name: String
    var type: String
    var notNull: Bool
    var `default`: String?
    /// The position in the primary key, from 1; 0 if the column is not a part of it.
    var key: Int
  }

  struct Index: Codable, Equatable {
    var table: String
    var unique: Bool
    /// `c` for a `CREATE INDEX` statement, `u` for `UNIQUE` and `pk` for `PRIMARY KEY` in the table's statement.
    var origin: String
    var partial: Bool
    var columns: [IndexColumn]
    var sql: String?
  }

  struct IndexColumn: Codable, Equatable {
    /// The name of the column; nil for an expression.
    var name: String?
    var descending: Bool
    var collation: String
  }

  struct Trigger: Codable, Equatable {
    var table: String
    var sql: String
  }

  struct PrimaryKey: Codable, Equatable {
    /// The columns `Z_ENT`, `Z_NAME`, `Z_SUPER` and `Z_MAX`.
    var number: Int
    var name: String
    var parent: Int
    var max: Int64
  }
}

extension ReadSchema {
  /// Returns the differences, each cause once: a table or an index with other columns, or statements that differ
  /// although their results do not. `Z_MAX` is ignored.
  func differences(from expected: ReadSchema) -> [String] {
    var list = DifferenceList(limit: .max)
    if file != expected.file { list.add("file", "\(file)", "\(expected.file)") }
    Self.compare(tables, expected.tables, "table", &list, \.columns.shown, \.sql)
    Self.compare(indexes, expected.indexes, "index", &list, \.shown) { $0.sql ?? "" }
    Self.compare(triggers, expected.triggers, "trigger", &list, \.sql, \.sql)
    let (own, other) = (primaryKeys.map(\.shown), expected.primaryKeys.map(\.shown))
    for row in own where !other.contains(row) { list.add("Z_PRIMARYKEY", row, nil) }
    for row in other where !own.contains(row) { list.add("Z_PRIMARYKEY", nil, row) }
    for key in Set(metadataKeys).symmetricDifference(expected.metadataKeys).sorted() {
      list.add("metadata", metadataKeys.contains(key) ? key : nil, metadataKeys.contains(key) ? nil : key)
    }
    for name in Set(hashes.keys).union(expected.hashes.keys).sorted() where hashes[name] != expected.hashes[name] {
      list.add("hash of \(name)", hashes[name], expected.hashes[name])
    }
    return list.lines
  }

  private static func compare<Part>(
    _ own: [String: Part], _ expected: [String: Part], _ kind: String, _ list: inout DifferenceList,
    _ content: (Part) -> String, _ statement: (Part) -> String
  ) {
    for name in Set(own.keys).union(expected.keys).sorted() {
      guard let part = own[name], let other = expected[name] else {
        list.add("\(kind) \(name)", own[name].map { _ in "there" }, expected[name].map { _ in "there" })
        continue
      }
      if content(part) != content(other) {
        list.add("\(kind) \(name)", content(part), content(other))
      } else if statement(part) != statement(other) {
        list.add("statement of \(kind) \(name)", statement(part), statement(other))
      }
    }
  }
}

extension [ReadSchema.Column] {
  fileprivate var shown: String {
    map { column in
      "\(column.name) \(column.type)" + (column.notNull ? " NOT NULL" : "")
        + (column.default.map { " DEFAULT \($0)" } ?? "") + (column.key > 0 ? " KEY \(column.key)" : "")
    }.joined(separator: ", ")
  }
}

extension ReadSchema.Index {
  fileprivate var shown: String {
    (unique ? "UNIQUE " : "") + (partial ? "PARTIAL " : "") + "\(origin) \(table) "
      + columns.map { "\($0.name ?? "?") \($0.collation)" + ($0.descending ? " DESC" : "") }.joined(separator: ", ")
  }
}

extension ReadSchema.PrimaryKey {
  fileprivate var shown: String { "\(number) \(name) in \(parent)" }
}
