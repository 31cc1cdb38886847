internal import ManagedObjects
internal import SQLiteStore

/// Functions that check the tables of the history.
extension TableCheck {
  /// Finds rows of the history with dangling references or unknown values.
  func checkHistory() {
    let (changes, transactions, texts) = (HistoryTables.changes, HistoryTables.transactions, HistoryTables.texts)
    func isThere(_ table: String, _ columns: [String]) -> Bool { columns.allSatisfy { file.has(table, $0) } }
    guard isThere(changes, ["Z_PK", "ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK"]),
      isThere(transactions, ["Z_PK", "ZTIMESTAMP"])
    else { return }
    func complete(_ table: String, _ column: String) -> (inout StoreFinding) -> Void {
      { finding in
        finding.table = table
        finding.column = column
      }
    }
    each(
      "SELECT c.Z_PK, c.ZTRANSACTIONID FROM ACHANGE c LEFT JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID "
        + "WHERE t.Z_PK IS NULL", of: changes
    ) { row in
      log.report(
        .danglingHistory,
        "change \(row.integer(0)) belongs to transaction \(row.value(1).name), which is missing",
        complete(changes, "ZTRANSACTIONID"))
    }
    for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
    where isThere(transactions, [column]) && isThere(texts, ["Z_PK"]) {
      each(
        "SELECT t.Z_PK, t.\(column) FROM ATRANSACTION t LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.\(column) "
          + "WHERE t.\(column) IS NOT NULL AND s.Z_PK IS NULL", of: transactions
      ) { row in
        log.report(
          .danglingHistory,
          "transaction \(row.integer(0)) refers to row \(row.value(1).name) of \(texts), which is missing",
          complete(transactions, column))
      }
    }
    let known = "(" + schema.entityIndices.keys.sorted().map(String.init).joined(separator: ", ") + ")"
    each(
      "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE WHERE ZCHANGETYPE IS NULL "
        + "OR ZCHANGETYPE NOT IN (0, 1, 2) OR ZENTITY IS NULL OR ZENTITY NOT IN \(known) OR ZENTITYPK IS NULL "
        + "OR ZENTITYPK < 1", of: changes
    ) { row in
      let number = row.integer(0)
      if ![0, 1, 2].contains(row.integer(1)) || row.isNull(1) {
        log.report(
          .invalidHistory, "change \(number) has the unknown type \(row.value(1).name)",
          complete(changes, "ZCHANGETYPE"))
      }
      if row.isNull(2) || schema.entityIndices[row.integer(2)] == nil {
        log.report(
          .invalidHistory, "change \(number) has the unknown entity number \(row.value(2).name)",
          complete(changes, "ZENTITY"))
      }
      if row.isNull(3) || row.integer(3) < 1 {
        log.report(
          .invalidHistory, "change \(number) refers to an object with the invalid primary key \(row.value(3).name)",
          complete(changes, "ZENTITYPK"))
      }
    }
    each(
      "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE typeof(ZTIMESTAMP) NOT IN ('real', 'integer')", of: transactions
    ) { row in
      log.report(
        .invalidHistory, "transaction \(row.integer(0)) has the invalid time \(row.value(1).name)",
        complete(transactions, "ZTIMESTAMP"))
    }
  }
}
