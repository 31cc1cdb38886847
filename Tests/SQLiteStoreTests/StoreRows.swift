import Foundation
import OrderedCollections
import PropertyLists

/// The rows of all tables of a store, for finding the effects of a change.
struct StoreRows {
  /// The tables, by name.
  var tables: [String: Table] = [:]

  struct Table {
    /// The columns, in the order of the table.
    var columns: [String] = []
    /// The values of each row, by column. The key is the row's number, or the columns of its primary key separated by
    /// commas. Data and reals are dictionaries with a text.
    var rows: [String: OrderedDictionary<String, PropertyList>] = [:]
  }

  /// Creates rows from the output of `reader.py --raw`.
  init(json: Data) throws {
    for (name, value) in try PropertyList(json, format: .json)["tables"]?.dictionary ?? [:] {
      var table = Table(columns: value["columns"]?.array?.compactMap(\.string) ?? [])
      for (key, row) in value["rows"]?.dictionary ?? [:] { table.rows[key] = row.dictionary ?? [:] }
      tables[name] = table
    }
  }

  /// Returns the first differences, by table, row and column, such as `ZNOTE[3].ZTITLE`.
  func differences(from expected: StoreRows, limit: Int = 20) -> [String] {
    var list = DifferenceList(limit: limit)
    for name in Set(tables.keys).union(expected.tables.keys).sorted() {
      guard let table = tables[name], let other = expected.tables[name] else {
        list.add(name, tables[name].map { _ in "there" }, expected.tables[name].map { _ in "there" })
        continue
      }
      if table.columns != other.columns {
        list.add("\(name) columns", table.columns.joined(separator: ", "), other.columns.joined(separator: ", "))
      }
      // Numbers are sorted by value.
      let keys = Set(table.rows.keys).union(other.rows.keys).sorted { ($0.count, $0) < ($1.count, $1) }
      for key in keys {
        let location = "\(name)[\(key)]"
        if let row = table.rows[key], let expected = other.rows[key] {
          list.compare(row, expected, at: location)
        } else {
          list.add(location, table.rows[key].map { _ in "there" }, other.rows[key].map { _ in "there" })
        }
      }
    }
    return list.lines
  }
}
