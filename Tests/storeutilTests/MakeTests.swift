import Foundation
import ManagedObjects
import PropertyLists
import SQLiteStore
import TestSupport
import Testing

@Suite("storeutil convert, create, compile, model and migrate") struct MakeTests {
  private let library: Library

  init() throws { library = try Library() }

  /// All books and tags of a store, without the UUID of the store.
  private func objects(_ library: Library, _ store: String) throws -> [[[[AttributeValue]]]] {
    try [("Book", ["@entity", "title", "pages", "price", "cover", "author.name"]), ("Tag", ["name", "books.title"])]
      .map { entity, keys in try library.values(store, entity, keys) }
  }

  @Test(arguments: ["xml", "binary", "sqlite"]) func `convert keeps all objects in each kind of store`(_ type: String)
    throws
  {
    try library.run("convert", Library.store, "copy", "--type", type)
    let expected = try objects(library, Library.store)
    if type == "xml" || type == "binary" && LongForm.isWanted {
      // The error suggests another store.
      let folder = library.url.appending(path: "other")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in ["copy", Library.store] {
        try FileManager.default.copyItem(at: library.url.appending(path: name), to: folder.appending(path: name))
      }
      let other = try library.failure(["count", "other/copy", "Book"])
      #expect(other.status == 64 && other.errors.contains("such as other/Library.sqlite."))
      try FileManager.default.removeItem(at: folder.appending(path: Library.store))
      let none = try library.failure(["count", "other/copy", "Book"])
      #expect(none.errors.contains("use --model with the model file, or with an SQLite store that contains the model."))
    }
    #expect(try objects(library, "copy") == expected)
    // The model can be in a file or in a store.
    for model in LongForm.isWanted ? ["Library.xcdatamodel", Library.store] : [Library.store] {
      let books = ["fetch", "copy", "Book", "--csv", "--sort", "title", "--keys", "title", "--model", model]
      #expect(try library.run(books) == "title\r\n=1+1\r\n\"Notes, \"\"A\"\" to G\"\r\n")
    }
    try library.run("convert", "copy", "back.sqlite", "--type", "sqlite", "--model", "Library.xcdatamodel")
    #expect(try objects(library, "back.sqlite") == expected)
    if type == "sqlite" || LongForm.isWanted {
      let taken = try library.failure(["convert", Library.store, "copy"])
      #expect(taken.status == 1 && taken.errors.contains("already exists"))
    }
  }

  @Test func `convert needs little memory, and the new store appears when it is complete`() throws {
    let count = LongForm.size(20_000, or: 12_000)
    try library.runPython(
      """
      store.execute("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO ZTAG "
        "(Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'), 1, "
        "printf('%03000d', i) FROM n", (\(count),))
      """, on: "Library.sqlite")
    try library.makePlaces("Places.sqlite")
    let base = try library.cost("convert", "Places.sqlite", "base.sqlite").memory
    let peak = try library.cost("convert", Library.store, "large.sqlite").memory
    #expect(peak - base < 30 << 20, "\(count) objects of 3 KB took \(peak - base) bytes")
    #expect(try library.count("large.sqlite", "Tag") == count)
    #expect(try Tool.run("diff", Library.store, "large.sqlite", in: library.url).status == 0)
    let contents = try String(contentsOf: library.url.appending(path: "Library.xcdatamodel/contents"), encoding: .utf8)
      .replacing("<attribute name=\"pages\"", with: "<attribute name=\"length\" elementID=\"pages\"")
    try FileManager.default.createDirectory(
      at: library.url.appending(path: "New.xcdatamodel"), withIntermediateDirectories: true)
    try contents.write(to: library.url.appending(path: "New.xcdatamodel/contents"), atomically: true, encoding: .utf8)
    // A killed process leaves no store that looks complete. A terminated process leaves nothing.
    let before = Set(try FileManager.default.contentsOfDirectory(atPath: library.url.path))
    func left() throws -> Set<String> {
      Set(try FileManager.default.contentsOfDirectory(atPath: library.url.path)).subtracting(before)
    }
    let python = """
      import os, signal, subprocess, sys, time
      os.chdir(sys.argv[1])
      process = subprocess.Popen(sys.argv[3:])
      while not any(name.startswith(".stopped") for name in os.listdir(".")) and process.poll() is None: time.sleep(0.001)
      process.send_signal(getattr(signal, sys.argv[2]))
      print(process.wait())
      """
    let conversion = ["convert", Library.store, "stopped.sqlite"]
    let migration = ["migrate", Library.store, "--to", "New.xcdatamodel", "-o", "stopped.sqlite"]
    for (arguments, signal, status, names) in [
      (migration, "SIGTERM", "143\n", [] as Set), (conversion, "SIGTERM", "143\n", []),
      (conversion, "SIGKILL", "-9\n", [".stopped.sqlite-creation"]),
    ] {
      let stopped = try Program.runPython(
        ["-c", python, library.url.path, signal, Program.executable("storeutil").path] + arguments)
      #expect(stopped.text == status, "\(stopped.errors)")
      #expect(try left() == names)
    }
    // The next call removes the files of the killed process.
    try library.run("create", "Library.xcdatamodel", "stopped.sqlite")
    #expect(try left() == ["stopped.sqlite"])
  }

  @Test func `a row of an entity of another table is an error`() throws {
    try library.execute("UPDATE ZBOOK SET Z_ENT = 1 WHERE Z_PK = 1; UPDATE ZTAG SET Z_ENT = 1", on: Library.store)
    for arguments in [
      ["convert", Library.store, "copy.xml", "--type", "xml"], ["convert", Library.store, "copy.sqlite"],
      ["fetch", Library.store, "Book", "--csv"],
    ] {
      let failure = try library.failure(arguments)
      #expect(failure.status == 2)
      #expect(failure.errors.contains("has the entity number 1, which does not belong to the table"))
    }
    let page = try Tool.run("html", Library.store, "-o", "page.html", in: library.url)
    #expect(page.status == 1 && page.errors.contains("Tag cannot be read: "))
    // The page does not count the entity as empty.
    let html = try String(contentsOf: library.url.appending(path: "page.html"), encoding: .utf8)
    let groups = html.components(separatedBy: "{\"name\":\"Tag\",\"total\":0")
    #expect(groups.count == 2)
    #expect(groups[1].components(separatedBy: "\"total\":")[0].contains("\"isUnreadable\":true"))
    let difference = try Tool.run("diff", Library.store, Library.store, in: library.url)
    #expect(difference.status == 2 && !difference.wasKilled)
  }

  @Test func `a failed conversion leaves no file`() throws {
    let file = library.url.appending(path: "broken.sqlite")
    try FileManager.default.copyItem(at: library.url.appending(path: Library.store), to: file)
    try library.execute("UPDATE ZBOOK SET ZTITLE = zeroblob(3) WHERE Z_PK = 2", on: "broken.sqlite")
    let before = try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted()
    for type in ["sqlite", "xml", "binary"] {
      #expect(try library.failure(["convert", "broken.sqlite", "copy", "--type", type]).status == 2)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted() == before)
  }

  @Test func `convert refuses a store that lacks the file of a value`() throws {
    let file = try library.makeStoreWithExternalData("external.sqlite")
    let failure = try library.failure(["convert", "external.sqlite", "copy.xml", "--type", "xml"])
    #expect(failure.status == 1 && failure.errors.contains("Book/p1 cover: the value is in the file"))
    #expect(failure.errors.contains("\(file.lastPathComponent), which is missing"))
    #expect(!FileManager.default.fileExists(atPath: library.url.appending(path: "copy.xml").path))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([7]).write(to: file)
    try library.run("convert", "external.sqlite", "copy.xml", "--type", "xml")
    #expect(try library.values("copy.xml", "Book", ["cover"]) == [[[.data(Data([7]))]]])
  }

  @Test func `create takes the model of a store`() throws {
    try library.run("create", Library.store, "new.sqlite")
    let models = try ["new.sqlite", Library.store].map { try library.model($0) }
    #expect(models[0].entityVersionHashesByName == models[1].entityVersionHashesByName)
    #expect(try library.count("new.sqlite", "Book") == 0)
  }

  @Test func `a store of a source model opens with the compiled model`() throws {
    try library.run("compile", "Library.xcdatamodel", "-o", "Library.mom")
    let hashes = try library.run("hashes", "Library.mom")
    #expect(hashes == (try library.run("hashes", Library.store)) && hashes.split(separator: "\n").count == 4)
    let json = try Tool.json("hashes", "Library.xcdatamodel", "--json", in: library.url)
    #expect(json.dictionary?.count == 4 && json["Book"]?.string?.count == 64)
    #expect(try library.run("count", Library.store, "Tag", "--model", "Library.mom") == "1\n")
    try library.run("create", "Library.mom", "new.sqlite")
    #expect(try library.count("new.sqlite", "Tag") == 0)
  }

  @Test func `model prints each format`() throws {
    #expect(try library.run("model", Library.store).contains("entity Comic < Book"))
    let json = try Tool.json("model", Library.store, "--format", "json", in: library.url)
    #expect(json["entities"]?.dictionary?.keys.elementsEqual(["Author", "Book", "Comic", "Tag"]) == true)
    #expect(try library.run("model", "Library.xcdatamodel", "--format", "dot").hasPrefix("digraph"))
    let sql = try library.run("model", Library.store, "--format", "sql")
    #expect(sql.contains("CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "))
    let swift = try library.run("model", "Library.xcdatamodel", "--format", "swift")
    #expect(swift.contains("class Book: ManagedObject {") && swift.contains("enum LibraryModel {"))
    try library.run("model", "Library.xcdatamodel", "--format", "swift", "--public", "-o", "Classes")
    let folder = library.url.appending(path: "Classes")
    let files = ["Author.swift", "Book.swift", "Comic.swift", "LibraryModel.swift", "Tag.swift"]
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == files)
    let comic = try String(contentsOf: folder.appending(path: "Comic.swift"), encoding: .utf8)
    #expect(comic.contains("public final class Comic: Book {"))
    try library.run("model", "Library.xcdatamodel", "--format", "swift", "-o", "Library.swift")
    #expect(try String(contentsOf: library.url.appending(path: "Library.swift"), encoding: .utf8) == swift)
    let wrong = try library.failure(["model", "Library.xcdatamodel", "--public"])
    #expect(wrong.errors.contains("--public works only with --format swift."))
    let hashes = try library.model(Library.store).entityVersionHashesByName
    for format in ["xcdatamodel", "mom"] {
      try library.run("model", Library.store, "--format", format, "-o", "Again.\(format)")
      #expect(try library.model("Again.\(format)").entityVersionHashesByName == hashes)
    }
  }

  @Test(arguments: [true, false]) func `migrate changes a store to another version of its model`(makesNew: Bool) throws
  {
    let model = library.url.appending(path: "Library.xcdatamodel/contents")
    let text = try String(contentsOf: model, encoding: .utf8)
      .replacing("<attribute name=\"pages\"", with: "<attribute name=\"length\" elementID=\"pages\"")
    let folder = library.url.appending(path: "New.xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try text.write(to: folder.appending(path: "contents"), atomically: true, encoding: .utf8)
    if makesNew || LongForm.isWanted {
      let wrong = try library.failure(["count", Library.store, "Book", "--model", "New.xcdatamodel"])
      #expect(wrong.status == 3 && wrong.errors.contains("Book"))
    }
    let options = makesNew ? ["-o", "new.sqlite"] : []
    let result = try Program.run(
      "storeutil", ["migrate", Library.store, "--to", "New.xcdatamodel"] + options, in: library.url)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try library.count(makesNew ? "new.sqlite" : Library.store, "Book", "length = 66") == 1)
    if makesNew {
      #expect(try library.count(Library.store, "Book", "pages = 66") == 1)
    } else {
      #expect(try library.failure(["count", Library.store, "Book", "pages = 66"]).status == 64)
    }
  }

  @Test(arguments: [true, false]) func `migrate drops values only with --drop`(makesNew: Bool) throws {
    let model = library.url.appending(path: "Library.xcdatamodel/contents")
    let text = try String(contentsOf: model, encoding: .utf8)
      .replacing("<attribute name=\"pages\"", with: "<attribute name=\"length\"")
    let folder = library.url.appending(path: "New.xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try text.write(to: folder.appending(path: "contents"), atomically: true, encoding: .utf8)
    let arguments = ["migrate", Library.store, "--to", "New.xcdatamodel"] + (makesNew ? ["-o", "new.sqlite"] : [])
    let refused = try library.failure(arguments)
    let loss = "\"Book.pages\" is missing from the new model; 1 object has a value\n"
    #expect(refused.status == 2 && refused.errors.contains(loss) && refused.errors.contains("--drop migrates"))
    #expect(try library.count(Library.store, "Book", "pages = 66") == 1)
    let result = try Program.run("storeutil", arguments + ["--drop"], in: library.url)
    #expect(result.status == 0 && result.errors == "dropped: " + loss)
    #expect(try library.count(makesNew ? "new.sqlite" : Library.store, "Book", "length = nil") == 2)
  }

  @Test func `migrate deletes the history only with --new-history`() throws {
    let url = library.url.appending(path: Library.store)
    do {
      let model = try SQLiteStore.model(inFile: url)
      let container = try PersistentContainer(model: model, stores: [.sqlite(url, tracksHistory: true)])
      let context = container.newContext()
      for book in try context.fetch(FetchRequest("Book")) { try context.delete(book) }
      try context.save()
    }
    let folder = library.url.appending(path: "New.xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try String(contentsOf: library.url.appending(path: "Library.xcdatamodel/contents"), encoding: .utf8)
      .replacing(
        "<attribute name=\"pages\"",
        with: "<attribute name=\"zoom\" optional=\"YES\" attributeType=\"String\"/><attribute name=\"pages\""
      )
      .write(to: folder.appending(path: "contents"), atomically: true, encoding: .utf8)
    for (file, options, count) in [("kept.sqlite", [], 1), ("new.sqlite", ["--new-history"], 0)] {
      let result = try Program.run(
        "storeutil", ["migrate", Library.store, "--to", "New.xcdatamodel", "-o", file] + options, in: library.url)
      #expect(result.status == 0, "\(result.errors)")
      let migrated = library.url.appending(path: file)
      let store = try SQLiteStore(migrated, model: SQLiteStore.model(inFile: migrated))
      #expect(try store.history().count == count, "\(file)")
    }
  }

  @Test func `user info that is not text is written as text, with a note`() throws {
    let folder = TemporaryFolder()
    var note = EntityDescription("Note", [.attribute("title", .string)])
    note.userInfo = ["flag": true, "list": [1, "a"], "text": "b"]
    try ManagedObjectModel(entities: [note]).compiledData().write(to: folder.url.appending(path: "a.mom"))
    let result = try Tool.run("model", "a.mom", "--format", "xcdatamodel", in: folder.url)
    #expect(result.status == 0 && result.text.contains(#"key="flag" value="true""#), "\(result.errors)")
    let source = try ManagedObjectModel(source: result.output)
    #expect(source["Note"]?.definition.userInfo == ["flag": "true", "list": "[1,\"a\"]", "text": "b"])
    let notes = result.errors.split(separator: "\n")
    #expect(notes.count == 2 && notes[0].hasPrefix("note: the value for \"flag\" in the user info of Note"))
    #expect(notes[0].hasSuffix("it is written as the string \"true\""))
  }

  @Test(arguments: [
    ["compile", "Library.xcdatamodel", "-o", "new.momd"], ["compile", "Library.xcdatamodel", "-o", "new.mom"],
    ["model", "Library.xcdatamodel", "-f", "xcdatamodel", "-o", "new.xcdatamodel"],
    ["create", "Library.xcdatamodel", "new.sqlite"], ["convert", Library.store, "new.sqlite"],
    ["html", Library.store, "-o", "new.html"],
  ])
  func `a full disk leaves no new file`(_ arguments: [String]) throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted()
    let script = "cd \"$0\" && ulimit -f 0 && exec \"$@\""
    let tool = Program.executable("storeutil").path
    // Standard error is a file, which also has no room.
    let result = try Program.run(
      URL(filePath: "/bin/bash"), ["-c", script + " 2>/dev/null", library.url.path, tool] + arguments)
    #expect(result.status == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted() == before)
  }

  #if os(Linux)
    @Test func `file names that are not UTF-8 work`() throws {
      let script = """
        set -e; cd "$1"; N=$(printf 'a\\377b'); storeutil() { "$0" "$@"; }
        storeutil create Library.xcdatamodel "$N.sqlite"; storeutil insert "$N.sqlite" Author name=Ada
        storeutil count "$N.sqlite" Author; storeutil convert "$N.sqlite" "$N.xml" --type xml
        storeutil count "$N.xml" Author --model Library.xcdatamodel; storeutil check "$N.sqlite"
        storeutil migrate "$N.sqlite" --to Library.xcdatamodel -o "new$N.sqlite"; storeutil count "new$N.sqlite" Author
        storeutil diff "$N.sqlite" "new$N.sqlite"; storeutil html "$N.sqlite" -o "$N.html"; storeutil info "$N.sqlite"
        """
      let result = try Program.run(
        URL(filePath: "/bin/bash"), ["-c", script, Program.executable("storeutil").path, library.url.path])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.text.contains("\n1\n1\n1\n"), "\(result.text)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: library.url.path).allSatisfy { !$0.hasSuffix("-creation") })
    }
  #endif

  @Test func `the only matching model next to a store is used`() throws {
    try library.run("convert", Library.store, "copy.xml", "--type", "xml")
    let old = library.url.appending(path: "old.sqlite")
    try FileManager.default.copyItem(at: library.url.appending(path: Library.store), to: old)
    try library.execute("DROP TABLE Z_MODELCACHE", on: "old.sqlite")
    for (store, step) in [("copy.xml", 1), ("old.sqlite", 3)] {
      let note = "note: \(store) does not contain its model; using Library.xcdatamodel\n"
      for arguments in LongForm.cases([["count", store, "Book"], ["hashes", store], ["check", store]], every: step) {
        let result = try Program.run("storeutil", arguments, in: library.url)
        #expect(result.status == 0 && result.errors.hasPrefix(note), "\(arguments) \(result.errors)")
      }
      #expect(try library.run("info", store).contains("Library.xcdatamodel, next to the store"))
      if store == "old.sqlite", !LongForm.isWanted { continue }
      #expect(try Tool.json("info", store, "--json", in: library.url)["modelFile"] == "Library.xcdatamodel")
      try library.run("count", store, "Book", "--model", Library.store)
    }
    let other = library.url.appending(path: "Another.xcdatamodel")
    try FileManager.default.copyItem(at: library.url.appending(path: "Library.xcdatamodel"), to: other)
    let several = try library.failure(["count", "copy.xml", "Book"])
    #expect(several.status == 64 && several.errors.contains("the model file, such as Another.xcdatamodel."))
    #expect(try library.failure(["count", "old.sqlite", "Book"]).status == 3)
    // A model that does not match is ignored.
    let text = try String(contentsOf: other.appending(path: "contents"), encoding: .utf8)
    try text.replacing("name=\"pages\"", with: "name=\"length\"")
      .write(to: other.appending(path: "contents"), atomically: true, encoding: .utf8)
    #expect(try Tool.run("count", "copy.xml", "Book", in: library.url).text == "2\n")
  }

  @Test func `a leftover log is read without loading it into memory`() throws {
    let large = library.url.appending(path: "large")
    try FileManager.default.createDirectory(at: large, withIntermediateDirectories: true)
    try library.runPython(
      """
      import shutil
      store.execute("PRAGMA wal_autocheckpoint = 0")
      store.execute("UPDATE ZBOOK SET ZCOVER = zeroblob(60000000) WHERE Z_PK = 1")
      store.execute("UPDATE ZBOOK SET ZPAGES = 67 WHERE Z_PK = 1")
      store.commit()
      for end in ["", "-wal"]: shutil.copy(sys.argv[1] + end, sys.argv[2] + end)
      """, on: "Library.sqlite", "large/Library.sqlite")
    let base = try library.cost("count", Library.store, "Tag")
    let cost = try library.cost("count", "large/Library.sqlite", "Book", "pages = 67")
    #expect(cost.memory - base.memory < 30 << 20)
    // The log is copied once.
    #expect(cost.written < 90_000_000)
    #expect(try library.run("count", "large/Library.sqlite", "Book", "pages = 67") == "1\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: large.path).sorted()
        == ["Library.sqlite", "Library.sqlite-wal"])
  }

  @Test(arguments: [true, false])
  func `a dry run does not change a store or the leftover files next to it`(hasIndex: Bool) throws {
    let folder = library.url.appending(path: "left")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try library.runPython(
      """
      import shutil
      store.execute("PRAGMA wal_autocheckpoint = 0")
      store.execute("UPDATE ZBOOK SET ZPAGES = 67 WHERE Z_PK = 1")
      store.commit()
      for end in ["", "-wal", "-shm"]: shutil.copy(sys.argv[1] + end, sys.argv[2] + end)
      """, on: Library.store, "left/\(Library.store)")
    let store = folder.appending(path: Library.store)
    if !hasIndex { try FileManager.default.removeItem(atPath: store.path + "-shm") }
    func files() throws -> [String: Data] {
      // The index file contains locks, not data.
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return try Dictionary(
        uniqueKeysWithValues: names.map { name in
          (name, name.hasSuffix("-shm") ? Data() : try Data(contentsOf: folder.appending(path: name)))
        })
    }
    let before = try files()
    let printed = try library.run("set", store.path, "Book/p1", "title=x", "pages=68", "--dry-run")
    #expect(printed.contains("pages = 68 (was 67)"))
    #expect(try library.run("delete", store.path, "Comic/p2", "--dry-run").contains("deleted Comic/p2"))
    #expect(try files() == before)
    // A damaged index file is no reason to create files.
    try Data(before[Library.store]?.prefix(5000) ?? Data()).write(to: folder.appending(path: "cut.sqlite"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(try library.failure(["set", "left/cut.sqlite", "Book/p1", "title=x", "--dry-run"]).status != 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
  }

  @Test func `reading leaves no files next to a store`() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted()
    try library.run("fetch", Library.store, "Book")
    try library.run("model", Library.store)
    try library.run("hashes", Library.store)
    try library.run("info", Library.store)
    // The summary on standard error reports no errors.
    #expect(try Tool.run("check", Library.store, in: library.url).status == 0)
    try library.run("show", Library.store, "Book/p1", "--model", Library.store)
    try library.run("migrate", Library.store, "--to", "Library.xcdatamodel", "-o", "migrated.sqlite")
    try FileManager.default.removeItem(at: library.url.appending(path: "migrated.sqlite"))
    try library.run("complete", "zsh", "3", "storeutil", "fetch", Library.store, "")
    #expect(try FileManager.default.contentsOfDirectory(atPath: library.url.path).sorted() == before)
  }
}
