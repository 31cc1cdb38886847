import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// A store that this package and another program change at the same time. The other program is a script that writes
/// rows and history as Core Data does.
@Suite("A history with two writers", .enabled(if: StoreReader.isAvailable && HistorySamples.areThere))
struct SharedHistoryTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private static let rounds = LongForm.size(1_000, or: 25)

  /// Arguments: the file, the number of rounds. In each round, it adds 1 to the count of the first component, and in
  /// turn adds a component to the first recipe or an item, or deletes its oldest item. Each round is one transaction.
  private static let script = """
    import sqlite3, sys, time, uuid
    store = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
    one = lambda sql, *values: store.execute(sql, values).fetchone()
    COMPONENT, RECIPE, ITEM = 1, 2, 3
    def reserve(entity, count=1, name=None):
        row = one("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", entity)
        if row is None:
            store.execute("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, 0, ?)", (entity, name, count))
            return count
        store.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", (row[0] + count, entity))
        return row[0] + count
    def text(name):
        row = one("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", name)
        if row: return row[0]
        key = reserve(16003, 1, "TRANSACTIONSTRING")
        store.execute("INSERT INTO ATRANSACTIONSTRING VALUES (?, 16003, NULL, ?)", (key, name))
        return key
    def record(changes):
        number = reserve(16002, 1, "TRANSACTION")
        store.execute("INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP) VALUES (?, 16002, ?, ?, ?)",
            (number, text("org.example.script"), text("script"), time.time() - 978307200))
        changes.sort(key=lambda change: change[0])
        key = reserve(16001, len(changes), "CHANGE") - len(changes)
        for kind, entity, row, bits in changes:
            key += 1
            store.execute("INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
                "VALUES (?, 16001, ?, ?, ?, ?, ?)", (key, kind, entity, row, number, bits))
    own = []
    for round in range(int(sys.argv[2])):
        store.execute("BEGIN IMMEDIATE")
        first = one("SELECT MIN(Z_PK) FROM ZCOMPONENT")[0]
        recipe = one("SELECT MIN(Z_PK) FROM ZCRAFTINGRECIPE")[0]
        store.execute("UPDATE ZCOMPONENT SET ZCOUNT = ZCOUNT + 1, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", (first,))
        changes = [(1, COMPONENT, first, b"\\x20")]
        if round % 3 == 0:
            key = reserve(COMPONENT)
            store.execute("INSERT INTO ZCOMPONENT (Z_PK, Z_ENT, Z_OPT, ZCOUNT, ZCRAFTINGRECIPE, ZID) VALUES (?, 1, 1, 0, ?, ?)",
                (key, recipe, uuid.uuid4().bytes))
            store.execute("UPDATE ZCRAFTINGRECIPE SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", (recipe,))
            changes += [(0, COMPONENT, key, None), (1, RECIPE, recipe, b"\\x20")]
        elif round % 3 == 1 or not own:
            key = reserve(ITEM)
            store.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, 3, 1, ?)", (key, "script %d" % round))
            changes.append((0, ITEM, key, None))
            if round % 2: own.append(key)
        else:
            key = own.pop(0)
            store.execute("DELETE FROM ZITEM WHERE Z_PK = ?", (key,))
            changes.append((2, ITEM, key, None))
        record(changes)
        store.execute("COMMIT")
    """

  @Test func `no change of two writers is lost, and their numbers differ`() throws {
    let file = try HistorySamples.gameStore(folder)
    let model = try SQLiteStore.model(inFile: file)
    let plain = try PlainSQLite(file)
    // The first component, which both writers count.
    let first = try #require(Int64(plain.column("SELECT IFNULL(MIN(Z_PK), 0) FROM ZCOMPONENT")[0]))
    try #require(first > 0)
    let start = try plain.run("SELECT ZCOUNT FROM ZCOMPONENT WHERE Z_PK = \(first)")[0][0]
    let history = try HistoryRow.all(file)
    let (objects, components) = (
      try plain.column("SELECT COUNT(*) FROM ZITEM")[0], try plain.column("SELECT COUNT(*) FROM ZCOMPONENT")[0]
    )
    let process = Process()
    process.executableURL = Program.python
    process.arguments = ["-c", Self.script, file.path, "\(Self.rounds)"]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let store = try SQLiteStore(file, model: model)
    let context = try ManagedObjectContext(store)
    context.transactionAuthor = "swift"
    var (conflicts, saves) = (0, 0)
    for round in 0..<Self.rounds {
      while true {
        let component = try #require(
          context.fetch(FetchRequest("Component")).first { $0.objectID.key.number == first })
        guard case .attribute(.integer(let count))? = component["count"] else {
          throw StoreReader.Failure(description: "")
        }
        try component.setValue(AttributeValue.integer(count + 1), forKey: "count")
        let item = try context.insert("Item")
        try item.setValue(AttributeValue.string("swift \(round)"), forKey: "name")
        let part = try context.insert("Component")
        try part.setValue(AttributeValue.integer(0), forKey: "count")
        try part.setValue(AttributeValue.uuid(UUID()), forKey: "id")
        try part.setValue(
          .object(#require(context.fetch(FetchRequest("CraftingRecipe")).first)), forKey: "craftingRecipe")
        do {
          try context.save()
          saves += 1
          break
        } catch {
          guard error.code == .merge else { throw error }
          // The other program has changed the component: counts again.
          conflicts += 1
          context.reset()
        }
      }
    }
    process.waitUntilExit()
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    try #require(process.terminationStatus == 0, "\(message)")
    // Nothing is lost.
    let count = try #require(Int(start)) + 2 * Self.rounds
    #expect(try plain.column("SELECT ZCOUNT FROM ZCOMPONENT WHERE Z_PK = \(first)") == ["\(count)"])
    let rows = try HistoryRow.all(file)
    #expect(rows.prefix(history.count) == history[...])
    let new = rows.dropFirst(history.count)
    let balance = new.filter { $0.entity == "Item" }.reduce(0) { $0 + ($1.kind == 0 ? 1 : $1.kind == 2 ? -1 : 0) }
    #expect(try plain.column("SELECT COUNT(*) FROM ZITEM") == ["\((Int(objects) ?? 0) + balance)"])
    let added = new.count { $0.entity == "Component" && $0.kind == 0 }
    #expect(try plain.column("SELECT COUNT(*) FROM ZCOMPONENT") == ["\((Int(components) ?? 0) + added)"])
    #expect(added == Self.rounds + (Self.rounds + 2) / 3)
    // Numbers have no gaps, and the rows of a transaction are together.
    let transactions = Set(new.map(\.transaction))
    #expect(transactions.count == saves + Self.rounds)
    #expect(new.map(\.transaction) == new.map(\.transaction).sorted())
    #expect(transactions.max() == (history.last?.transaction ?? 0) + Int64(saves + Self.rounds))
    for (number, table) in [("16001", "ACHANGE"), ("16002", "ATRANSACTION")] {
      let sql = "SELECT Z_MAX - (SELECT MAX(Z_PK) FROM \(table)), Z_MAX - (SELECT COUNT(*) FROM \(table)) "
      #expect(try plain.run(sql + "FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") == [["0", "0"]], "\(table)")
    }
    // Both writers find what the other one has recorded.
    let own = try store.history().filter { $0.author == "swift" }
    #expect(own.count == saves)
    let others = try store.history().filter { $0.processName == "script" }
    #expect(others.count == Self.rounds)
    #expect(others.allSatisfy { $0.changes.contains { $0.updatedProperties == ["count"] } })
    #expect(try plain.defects() == [])
    #expect(
      try StoreReader.objects(of: file, isImmutable: false).objects["Component/p\(first)"]?.attributes["count"]
        == "\(count)")
  }
}
