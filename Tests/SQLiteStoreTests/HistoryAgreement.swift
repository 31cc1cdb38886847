import Foundation
import ManagedObjects

extension PlainSQLite {
  /// Returns the differences between the rows of a store and its history, which must have been recorded since the store
  /// was created. Empty if they agree.
  func historyDefects() throws -> [String] {
    let entities = try run("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
    var parents: [String: String] = [:]
    for entity in entities { parents[entity[0]] = entity[2] }
    func root(_ number: String) -> String {
      if let parent = parents[number], parent != "0" { root(parent) } else { number }
    }
    // The changes by object. An object that was deleted in another save is not inserted again.
    var changes: [String: String] = [:]
    let rows = try run(
      "SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE, ZTRANSACTIONID FROM ACHANGE ORDER BY ZTRANSACTIONID, ZCHANGETYPE, Z_PK")
    var defects: [String] = []
    var last: [String: String] = [:]
    for row in rows {
      let object = "\(row[0])/\(row[1])"
      if last.updateValue(row[3], forKey: object) == row[3] {
        defects.append("two changes of \(object) in transaction \(row[3])")
      }
      changes[object, default: ""] += row[2]
    }
    for (number, name) in entities.map({ ($0[0], $0[1]) }) where root(number) == number {
      let table = "Z\(name.uppercased())"
      for row in try run("SELECT Z_ENT, Z_PK, Z_OPT FROM \(table)") {
        let object = "\(row[0])/\(row[1])"
        let expected = "0" + String(repeating: "1", count: (Int(row[2]) ?? 0) - 1)
        let found = changes.removeValue(forKey: object) ?? ""
        if found != expected { defects.append("\(object) of version \(row[2]) has the changes \(found)") }
      }
    }
    // The other objects were deleted.
    for (object, found) in changes where found.first != "0" || found.dropFirst().drop(while: { $0 == "1" }) != "2" {
      defects.append("\(object) is not in the store, and has the changes \(found)")
    }
    let transactions = Set(try column("SELECT Z_PK FROM ATRANSACTION"))
    for number in Set(rows.map { $0[3] }).symmetricDifference(transactions) {
      defects.append("transaction \(number) has no row or no changes")
    }
    let tables = [(16_001, "ACHANGE"), (16_002, "ATRANSACTION"), (16_003, "ATRANSACTIONSTRING")]
    for (number, table) in tables {
      let highest = try column("SELECT IFNULL(MAX(Z_PK), 0) FROM \(table)")
      let recorded = try column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
      if recorded.isEmpty ? highest != ["0"] : recorded != highest {
        defects.append("\(table) has the keys 1 to \(highest), and Z_MAX is \(recorded)")
      }
    }
    return defects.sorted()
  }
}

extension PropertyDescription {
  /// Returns an attribute whose values the history keeps when objects are deleted.
  static func preserved(_ name: String, from identifier: String? = nil) -> PropertyDescription {
    var attribute = AttributeDescription(name, .string)
    attribute.preservesValueInHistoryOnDeletion = true
    attribute.renamingIdentifier = identifier
    return .attribute(attribute)
  }
}
