import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("storeutil info, check, diff and history") struct InspectionVerbTests {
  private let folder = TemporaryFolder()
  private let model: ManagedObjectModel

  /// A store with two notes of a person, and another one in which one of the notes has another title.
  init() throws {
    model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note", [.attribute("title", .string), .relationship("author", to: "Person", inverse: "notes")]),
      EntityDescription(
        "Person",
        [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)]),
    ])
    try make("old.sqlite", titles: ["Milk", "\u{1B}[31mTea"])
    try make("new.sqlite", titles: ["Milk", "Coffee"])
  }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  private func make(_ name: String, titles: [String]) throws {
    let store = try SQLiteStore(folder.url.appending(path: name), model: model, access: .readWrite(tracksHistory: true))
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator: coordinator)
    context.transactionAuthor = "Ada"
    let person = try context.insert("Person")
    for title in titles {
      let note = try context.insert("Note")
      try note.setValue(.attribute(.string(title)), forKey: "title")
      try note.setValue(.object(person), forKey: "author")
      // Primary keys follow the order of saves.
      try context.save()
    }
  }

  private func run(_ arguments: String...) throws -> Program { try Program.run("storeutil", arguments) }

  private func json(_ program: Program) throws -> Any {
    try JSONSerialization.jsonObject(with: program.output, options: .fragmentsAllowed)
  }

  @Test func `info prints entities with counts, hashes and the history`() throws {
    let text = try run("info", path("old.sqlite"))
    #expect(text.status == 0 && text.errors.isEmpty)
    #expect(text.text.contains("hashes             those of the model") || text.text.contains("those of the model"))
    #expect(text.text.contains("2 saves of 4 objects") && text.text.contains("by Ada"))
    #expect(text.text.contains("\n  Note    2\n  Person  1\n"), "\(text.text)")
    let facts = try #require(try json(run("info", path("old.sqlite"), "--json")) as? [String: Any])
    #expect(facts["kind"] as? String == "SQLite" && facts["hashesEqual"] as? Bool == true)
    let entities = try #require(facts["entities"] as? [[String: Any]])
    #expect(entities.map { $0["ownCount"] as? Int } == [2, 1])
    try Data("text".utf8).write(to: folder.url.appending(path: "text"))
    #expect(try run("info", path("text")).status == 3)
    #expect(try run("info", path("gone")).status == 1)
    try model.compiledData().write(to: folder.url.appending(path: "a.mom"))
    let compiled = try run("info", path("a.mom"))
    #expect(compiled.status == 0 && compiled.text.contains("model (mom)") && compiled.text.contains("  Person"))
  }

  @Test func `check reports findings as lines, as JSON and by its exit code`() throws {
    let sound = try run("check", path("old.sqlite"), "--immutable")
    #expect(sound.status == 0 && !sound.text.contains("error"), "\(sound.text)")
    try SQLiteFile.change(folder.url.appending(path: "old.sqlite"), "UPDATE ZNOTE SET ZAUTHOR = 99")
    let damaged = try run("check", path("old.sqlite"), "--limit", "1")
    #expect(damaged.status == 1)
    #expect(damaged.text.contains("error dangling-reference Note/p1 author: it refers to row 99 of ZPERSON"))
    #expect(damaged.text.contains("error dangling-reference: 1 more") && !damaged.text.contains("Note/p2"))
    #expect(damaged.errors.contains("2 errors"))
    let report = try #require(try json(run("check", path("old.sqlite"), "--json")) as? [String: Any])
    #expect(report["errors"] as? Int == 2)
    let findings = try #require(report["findings"] as? [[String: Any]]).filter { $0["severity"] as? String == "error" }
    #expect(findings.map { $0["number"] as? Int } == [1, 2])
    #expect(
      findings.allSatisfy { $0["code"] as? String == "dangling-reference" && $0["column"] as? String == "ZAUTHOR" })
    #expect((findings[0]["object"] as? String)?.hasPrefix("x-coredata://") == true)
    #expect((report["counts"] as? [String: Int])?["dangling-reference"] == 2)
    try SQLiteFile.change(folder.url.appending(path: "new.sqlite"), "UPDATE ZNOTE SET Z_OPT = 0")
    #expect(try run("check", path("new.sqlite"), "--quick").status == 0)
    #expect(try run("check", path("new.sqlite"), "--strict").status == 1)
    let empty = try #require(try json(run("check", path("new.sqlite"), "--json")) as? [String: Any])
    #expect(empty["errors"] as? Int == 0)
    #expect(try run("check", path("new.sqlite"), "--limit", "0").status == 64)
    #expect(try run("check", path("gone")).status == 1)
  }

  @Test func `diff shows the first text of objects and of related objects`() throws {
    try FileManager.default.copyItem(atPath: path("old.sqlite"), toPath: path("moved.sqlite"))
    do {
      let context = try Library(in: folder).context("moved.sqlite", isReadOnly: false)
      let person = try context.add("Person", ["name": .string("Ada")])
      let request = FetchRequest("Note", where: try ManagedPredicate(format: "title = 'Milk'"))
      let note = try #require(try context.fetch(request).first)
      try note.setValue(.object(person), forKey: "author")
      try context.save()
    }
    let moved = try run("diff", path("old.sqlite"), path("moved.sqlite"))
    #expect(
      moved.text == """
        ~ Note/p1 "Milk"
            author: Person/p1 -> Person/p2 "Ada"
        ~ Person/p1
            notes -= [Note/p1 "Milk"]
        + Person/p2 "Ada"

        """, "\(moved.text)")
    let changes = try #require(
      try json(run("diff", path("old.sqlite"), path("moved.sqlite"), "--json", "--plain")) as? [[String: Any]])
    #expect(changes.map { $0["title"] as? String } == ["Milk", nil, "Ada"])
  }

  @Test func `diff reports differences as lines, as JSON and by its exit code`() throws {
    let same = try run("diff", path("old.sqlite"), path("old.sqlite"))
    #expect(same.status == 0 && same.output.isEmpty)
    let other = try run("diff", path("old.sqlite"), path("new.sqlite"))
    #expect(other.status == 1)
    #expect(other.text == "~ Note/p2 \"Coffee\"\n    title: \"\\u{1b}[31mTea\" -> \"Coffee\"\n")
    let quiet = try run("diff", path("old.sqlite"), path("new.sqlite"), "--quiet")
    #expect(quiet.status == 1 && quiet.output.isEmpty)
    let keyed = try run(
      "diff", path("old.sqlite"), path("new.sqlite"), "--key", "Note.title", "--entity", "Note", "--json")
    #expect(keyed.status == 1)
    let changes = try #require(try json(keyed) as? [[String: Any]])
    #expect(changes.map { $0["change"] as? String } == ["deleted", "inserted"])
    #expect(changes.map { $0["key"] as? String } == ["\u{1B}[31mTea", "Coffee"])
    #expect(try run("diff", path("old.sqlite"), path("gone")).status == 2)
    #expect(try run("diff", path("old.sqlite"), path("new.sqlite"), "--key", "gone").status == 2)
    #expect(try run("diff", path("old.sqlite"), path("new.sqlite"), "--key", "a", "--key", "b").status == 64)
    #expect(
      try run("diff", path("old.sqlite"), path("new.sqlite"), "--key", "Note.title", "--key", "Note.tag").status == 64)
  }

  @Test func `history prints saves and their changes`() throws {
    let text = try run("history", path("old.sqlite"))
    #expect(text.status == 0)
    let lines = text.text.split(separator: "\n")
    #expect(lines.count { $0.contains("author \"Ada\"") } == 2)
    #expect(lines.contains("  + Note/p2") && lines.contains("  ~ Person/p1: notes"), "\(text.text)")
    let saves = try #require(try json(run("history", path("old.sqlite"), "--json", "--after", "1")) as? [[String: Any]])
    #expect(saves.map { $0["number"] as? Int } == [2])
    let changes = try #require(saves[0]["changes"] as? [[String: Any]])
    #expect(Set(changes.compactMap { $0["kind"] as? String }) == ["insert", "update"])
    let none = try run("history", path("old.sqlite"), "--after", "2", "--json")
    #expect(none.text == "[]\n")
  }

  @Test func `history selects saves and changes`() throws {
    func numbers(_ options: String...) throws -> [Int?] {
      let arguments = ["history", path("old.sqlite"), "--json"] + options
      let result = try Program.run("storeutil", arguments)
      return try #require(try json(result) as? [[String: Any]]).map { $0["number"] as? Int }
    }
    #expect(try numbers("--newest-first") == [2, 1])
    #expect(try numbers("--newest-first", "--limit", "1") == [2])
    #expect(try numbers("--author", "Ada") == [1, 2] && numbers("--author", "Emmy") == [])
    let people = try run("history", path("old.sqlite"), "--entity", "Person")
    #expect(people.text.contains("Person/p1") && !people.text.contains("Note/p"), "\(people.text)")
    #expect(try run("history", path("old.sqlite"), "--author", "Emmy").errors.contains("no such saves"))
    #expect(try run("history", path("old.sqlite"), "--limit", "0").status == 64)
    #expect(try run("history", path("old.sqlite"), "--entity", "Gone").status == 64)
  }

  @Test(arguments: [false, true])
  func `an open store is read in its current state, with and without a log`(isLeft: Bool) throws {
    // The saved changes are only in the log. A program that ends without closing the store leaves it.
    let program = """
      import os, sqlite3, subprocess, sys
      c = sqlite3.connect(sys.argv[1])
      c.execute("UPDATE ZNOTE SET ZTITLE = 'Late' WHERE Z_PK = 1")
      c.commit()
      if len(sys.argv) == 2:
        os._exit(0)
      for verb in sys.argv[3:]:
        print(subprocess.run([sys.argv[2]] + verb.split("|"), capture_output=True, text=True).stdout)
      """
    let file = path("old.sqlite")
    let verbs = [
      "count|\(file)|Note|title = 'Late'", "check|\(file)|--json", "info|\(file)", "history|\(file)",
      "count|\(file)|Note|title = 'Late'|--immutable", "check|\(file)|--json|--immutable",
    ]
    let tool = Program.executable("storeutil").path
    let result = try Program.runPython(["-c", program, file] + (isLeft ? [] : [tool] + verbs))
    try #require(result.status == 0, "\(result.errors)")
    var texts = [result.text]
    if isLeft {
      // Like a copy of the store without that file.
      try FileManager.default.removeItem(atPath: file + "-shm")
      let before = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
      let data = try Data(contentsOf: URL(filePath: file))
      texts = try verbs.map { verb in
        try Program.run("storeutil", verb.split(separator: "|").map(String.init)).text
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == before)
      #expect(try Data(contentsOf: URL(filePath: file)) == data)
    }
    let text = texts.joined(separator: "\n")
    #expect(text.hasPrefix("1\n") && text.contains("those of the model") && text.contains("  + Note/p2"), "\(text)")
    #expect(text.split(separator: "\n").count { $0 == "1" } == 2 && text.matches(of: /"errors": 0/).count == 2)
  }

  @Test func `a store with a rollback journal is read, also after an unfinished save`() throws {
    let file = path("old.sqlite")
    let program = """
      import os, sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute("PRAGMA journal_mode = DELETE")
      c.execute("PRAGMA cache_size = 1")
      c.execute("BEGIN")
      c.execute("UPDATE ZNOTE SET ZTITLE = 'Lost'")
      c.execute("CREATE TABLE X AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
        "SELECT i, hex(randomblob(100)) FROM n")
      os._exit(0)
      """
    try #require(try Program.runPython(["-c", program, file]).status == 0)
    try #require((try Data(contentsOf: URL(filePath: file + "-journal"))).count > 0)
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    for options in [[], ["--immutable"]] {
      let count = try Program.run("storeutil", ["count", file, "Note", "title = 'Milk'"] + options)
      #expect(count.text == "1\n", "\(count.errors)")
      #expect(try Program.run("storeutil", ["info", file] + options).text.contains("an unfinished save"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == before)
  }

  @Test func `--tables reads a store without its model`() throws {
    try SQLiteFile.change(folder.url.appending(path: "new.sqlite"), "DELETE FROM Z_MODELCACHE")
    let failure = try run("count", path("new.sqlite"), "Note")
    #expect(
      failure.status == 3 && failure.errors.contains("use --model") && failure.errors.contains("or --tables to read"))
    let count = try run("count", path("new.sqlite"), "Note", "title == 'Milk'", "--tables")
    #expect(count.status == 0 && count.text == "1\n")
    #expect(try run("info", path("new.sqlite")).text.contains("derived from the tables"))
    #expect(try run("delete", path("new.sqlite"), "Note/p1", "--tables").status == 64)
  }
}
