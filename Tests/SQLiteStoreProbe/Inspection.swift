import CSQLite
import Foundation
import ManagedObjects
import SQLiteStore
import StoreInspection

/// A store of many rows, and the time and memory of inspecting it.
enum Inspection {
  static let model = Result {
    var rating = AttributeDescription("rating", .integer16, isOptional: false)
    rating.validations = [PropertyValidation(try ManagedPredicate(format: "SELF >= 0"), warning: .code(1620))]
    return try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        [
          .attribute("title", .string, isOptional: false), .attribute("date", .date), .attribute("length", .double),
          .attribute(rating), .attribute("token", .uuid), .relationship("author", to: "Person", inverse: "notes"),
        ]),
      EntityDescription(
        "Person",
        [
          .attribute("name", .string),
          .relationship("notes", to: "Note", inverse: "author", isToMany: true, isOrdered: true),
        ]),
    ])
  }

  /// Creates a store with a number of notes, and a person for each hundred.
  static func make(_ file: URL, notes: Int) throws {
    do { _ = try SQLiteStore(file, model: model.get()) }
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    let people = max(notes / 100, 1)
    let statements = """
      PRAGMA synchronous = OFF;
      BEGIN;
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < \(people))
        INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT x, 2, 1, 'Person ' || x FROM c;
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < \(notes))
        INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZDATE, ZLENGTH, ZRATING, ZTOKEN, ZAUTHOR, Z_FOK_AUTHOR)
        SELECT x, 1, 1, 'A note with the number ' || x, x * 1.5, x / 7.0, x % 5, randomblob(16), 1 + x % \(people),
          2048 + 1024 * (x / \(people)) FROM c;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(notes) WHERE Z_ENT = 1;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(people) WHERE Z_ENT = 2;
      COMMIT;
      PRAGMA wal_checkpoint(TRUNCATE);
      """
    guard sqlite3_open(file.path, &handle) == SQLITE_OK, sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK
    else { throw Usage() }
  }

  /// Prints the findings of a check, its time in milliseconds, and the peak memory of the process in kilobytes.
  static func check(_ file: URL) throws {
    let start = ContinuousClock.now
    let summary = try StoreCheck(file).run { _ in }
    say("findings \(summary.count)", start)
  }

  /// Prints the number of objects, the time and the memory.
  static func info(_ file: URL) throws {
    let start = ContinuousClock.now
    let info = try StoreInfo(file)
    say("objects \(info.objectCount ?? -1)", start)
  }

  /// Prints the number of objects that differ in two stores, the time and the memory.
  static func compare(_ file: URL, _ other: URL, key: String?) throws {
    let start = ContinuousClock.now
    let model = try model.get()
    var difference = StoreDifference(
      from: try SQLiteStore(file, model: model, access: .readOnly(writesNothing: true)),
      to: try SQLiteStore(other, model: model, access: .readOnly(writesNothing: true)))
    difference.keys = key.map { ["Note": $0] } ?? [:]
    let summary = try difference.run { _ in }
    say("changed \(summary.changedCount) unchanged \(summary.unchangedCount)", start)
  }

  private static func say(_ text: String, _ start: ContinuousClock.Instant) {
    let time = (ContinuousClock.now - start) / Duration.milliseconds(1)
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropFirst().first
    Probe.say("\(text) milliseconds \(Int(time)) kilobytes \(peak ?? "0")")
  }
}
