import Foundation
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@Suite("storeutil fetch, search, count, show and html") struct FetchTests {
  private let library: Library

  init() throws { library = try Library() }

  @Test func `JSON has the ID, the entity and the own properties of each object`() throws {
    let books = try Tool.json("fetch", Library.store, "Book", "--sort", "pages:desc", in: library.url).array ?? []
    #expect(books.count == 2)
    #expect(books[0]["@entity"] == "Book" && books[0]["title"] == "Notes, \"A\" to G" && books[0]["pages"] == 66)
    #expect(books[0]["price"] == "12.5" && books[0]["cover"] == .null && books[0]["inColor"] == nil)
    let author = try #require(books[0]["author"]?.string)
    #expect(author.hasPrefix("x-coredata://") && author.hasSuffix("/Author/p1"))
    #expect(books[1]["@entity"] == "Comic" && books[1]["inColor"] == true)
    #expect(books[1]["cover"] == .data(Data([0, 1, 2])))
    let text = try library.run("fetch", Library.store, "Author", "--json")
    #expect(
      text.hasPrefix("[\n{\"@id\":\"x-coredata://") && text.contains(#""born":{"$date":"#) && text.hasSuffix("}\n]\n"))
    let options = PropertyListReadingOptions(restoresCoercedValues: true)
    let found = try PropertyList(Data(text.utf8), format: .json, options: options)[0]
    #expect(found?["born"] == .date(Date(timeIntervalSince1970: -4_861_728_000)))
    #expect(found?["books"]?.array?.compactMap { $0.string?.suffix(8) } == ["/Book/p1", "Comic/p2"])
    #expect(try library.run("fetch", Library.store, "Book", "pages > 100") == "[]\n")
  }

  @Test func `--sql and --explain print the statement instead of the objects`() throws {
    let sql = try library.run("fetch", Library.store, "Book", "pages > 5", "--limit", "3", "--sql")
    #expect(sql.hasPrefix("SELECT ") && sql.contains("\"ZPAGES\"") && sql.contains("LIMIT"), "\(sql)")
    #expect(sql.split(separator: "\n").count == 1)
    let explained = try library.run("fetch", Library.store, "Book", "pages > 5", "--explain")
    #expect(
      explained.contains(";\n-- ") && explained.contains("-- Hint: no index serves the condition"), "\(explained)")
    let groups = ["fetch", Library.store, "Book", "--group-by", "pages", "--keys", "pages,@count"]
    #expect(try library.run(groups + ["--explain"]).hasPrefix("-- Hint: SQL cannot express the request: "))
    #expect(try library.failure(groups + ["--sql"]).errors.contains("SQL cannot express the request"))
    #expect(try library.failure(["fetch", Library.store, "Book", "--sql", "--explain"]).status == 64)
  }

  @Test func `CSV quotes fields only if necessary, and leaves out to-many relationships`() throws {
    let text = try library.run(
      "fetch", Library.store, "Book", "--sort", "title", "--csv", "--keys", "title,author.name,cover,pages,inColor")
    #expect(
      text == """
        title,author.name,cover,pages,inColor\r
        =1+1,Ada Łovelace,AAEC,,true\r
        "Notes, ""A"" to G",Ada Łovelace,,66,\r

        """)
    let all = try library.run("fetch", Library.store, "Author", "--csv").split(separator: "\r\n")
    #expect(all[0] == "@id,@entity,born,name" && all[1].hasSuffix(",Author,1815-12-10T00:00:00Z,Ada Łovelace"))
    // Arrays are JSON, whatever they contain.
    let tags = try library.run("fetch", Library.store, "Tag", "--csv", "--keys", "books,books.author.name,books.pages")
    let line = tags.split(separator: "\r\n")[1]
    #expect(
      line.contains("/Book/p1\"\",\"\"x-coredata://")
        && line.hasSuffix("/Comic/p2\"\"]\",\"[\"\"Ada Łovelace\"\",\"\"Ada Łovelace\"\"]\",\"[66,null]\""), "\(line)")
  }

  @Test func `--list-separator joins elements that do not contain the separator`() throws {
    let keys = ["fetch", Library.store, "Tag", "--csv", "--keys", "books.title,books.pages"]
    #expect(
      try library.run(keys + ["--list-separator", ";"])
        == "books.title,books.pages\r\n\"Notes, \"\"A\"\" to G;=1+1\",66;\r\n")
    let failure = try Program.run("storeutil", keys + ["--list-separator", "to"], in: library.url)
    #expect(failure.status == 2 && failure.errors.contains("Tag/p1 books.title: \"Notes, \"A\" to G\" contains"))
    for options in [["--list-separator", ""], ["--json", "--list-separator", ";"]] {
      #expect(try library.failure(["fetch", Library.store, "Tag"] + options).status == 64)
    }
  }

  @Test func `--plain prints dates, data and floats without their types`() throws {
    try library.change(Library.store, "Comic", where: "TRUEPREDICATE", ["weight": .float(1.5)])
    let comic = try library.run("fetch", Library.store, "Comic", "--keys", "cover,weight,price,author.born", "--plain")
    #expect(
      comic == """
        [
        {"cover":"AAEC","weight":1.5,"price":null,"author.born":"1815-12-10T00:00:00Z"}
        ]

        """)
    let tagged = try library.run("fetch", Library.store, "Comic", "--keys", "weight")
    #expect(tagged == "[\n{\"weight\":{\"$float\":1.5}}\n]\n")
    for options in LongForm.cases([["--csv"], ["--plist"]], every: 2) {
      #expect(try library.failure(["fetch", Library.store, "Tag", "--plain"] + options).status == 64)
    }
    #expect(try library.run("show", Library.store, "Comic/p2", "--json", "--plain").contains("\"cover\": \"AAEC\""))
    #expect(try library.failure(["show", Library.store, "Comic/p2", "--plain"]).status == 64)
  }

  @Test(arguments: [
    ("+02:00", "2026-06-01T11:30:00+02:00"), ("-0330", "2026-06-01T06:00:00-03:30"),
    ("UTC", "2026-06-01T09:30:00+00:00"), ("Europe/Berlin", "2026-06-01T11:30:00+02:00"),
    ("America/New_York", "2026-06-01T05:30:00-04:00"),
  ])
  func `--time-zone takes an offset or a name`(_ zone: String, _ text: String) throws {
    if zone.contains("/"), !FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/\(zone)") { return }
    let born = Date(timeIntervalSince1970: 1_780_306_200)
    try library.change(Library.store, "Author", where: "TRUEPREDICATE", ["born": .date(born)])
    let keys = ["fetch", Library.store, "Author", "--keys", "born", "--time-zone=\(zone)"]
    #expect(try library.run(keys + ["--csv"]) == "born\r\n\(text)\r\n")
    // The other forms print any time zone in the same way.
    if zone != "UTC", !LongForm.isWanted { return }
    #expect(try library.run(keys + ["--plain"]) == "[\n{\"born\":\"\(text)\"}\n]\n")
    #expect(try library.failure(keys + ["--json"]).status == 64)
  }

  @Test(arguments: ["Nowhere/Else", "../passwd", "+25:00", "+02:60"])
  func `an unknown time zone is an error`(_ zone: String) throws {
    #expect(try library.failure(["fetch", Library.store, "Author", "--csv", "--time-zone=\(zone)"]).status == 64)
  }

  @Test func `fetch stops at an unreadable object, or skips it with --skip-unreadable`() throws {
    do {
      let context = try library.context(Library.store, isReadOnly: false)
      for name in ["b", "c", "d"] { try context.add("Tag", ["name": .string(name)]) }
    }
    try library.execute("UPDATE ZTAG SET ZNAME = zeroblob(3) WHERE Z_PK IN (2, 4)", on: Library.store)
    let arguments = ["fetch", Library.store, "Tag", "--keys", "name", "--csv"]
    let stopped = try Program.run("storeutil", arguments, in: library.url)
    #expect(stopped.status != 0 && stopped.text == "name\r\nold\r\n" && stopped.errors.contains("row 2, column"))
    let skipping = try Program.run("storeutil", arguments + ["--skip-unreadable"], in: library.url)
    #expect(skipping.status == 2 && skipping.text == "name\r\nold\r\nc\r\n")
    #expect(skipping.errors.contains("Tag/p2") && skipping.errors.contains("Tag/p4"))
    // The output is still JSON.
    let json = try Program.run("storeutil", ["fetch", Library.store, "Tag", "--keys", "name"], in: library.url)
    #expect(json.text == "[\n{\"name\":\"old\"}\n]\n")
  }

  @Test func `search finds texts and UUIDs in any attribute of several stores`() throws {
    try library.makePlaces("Places.sqlite")
    let author = try Tool.run("search", "ada ł", Library.store, "Places.sqlite", in: library.url)
    #expect(author.status == 0 && author.text == "Library.sqlite: Author/p1 name: Ada Łovelace\n", "\(author.text)")
    for text in LongForm.cases([Library.home.lowercased(), Library.home], every: 2) {
      let home = try Tool.run("search", text, Library.store, "Places.sqlite", in: library.url)
      #expect(home.status == 0 && home.text == "Places.sqlite: Place/p1 identifier: \(Library.home)\n")
    }
    let link = try Tool.run("search", "Example.com", "Places.sqlite", in: library.url)
    #expect(link.status == 0 && link.text == "Places.sqlite: Place/p1 link: https://example.com/\n", "\(link.errors)")
    let json = try Tool.json("search", "HOME", Library.store, "Places.sqlite", "--json", in: library.url)
    #expect(json.array?.count == 1 && json[0]?["attribute"] == "name" && json[0]?["store"] == "Places.sqlite")
    #expect(try Tool.run("search", "nothing", Library.store, in: library.url).status == 1)
    let partly = try Tool.run("search", "home", "missing.sqlite", "Places.sqlite", in: library.url)
    #expect(partly.status == 1 && partly.text.contains("Place/p1") && partly.errors.contains("missing.sqlite"))
  }

  @Test func `--plist leaves out null values`() throws {
    let text = try library.run("fetch", Library.store, "Book", "--plist", "--sort", "pages")
    let books = try PropertyList(Data(text.utf8), format: .xml).array ?? []
    #expect(books.count == 2 && books[0]["pages"] == nil && books[1]["pages"] == 66)
    #expect(books[0]["cover"] == .data(Data([0, 1, 2])))
  }

  @Test func `a text that XML does not allow is an error that names the object`() throws {
    try library.change(Library.store, "Comic", where: "TRUEPREDICATE", ["title": .string("a\u{1}b")])
    let failure = try library.failure(["fetch", Library.store, "Book", "--plist", "--keys", "pages,title"])
    #expect(failure.status == 2)
    #expect(
      failure.errors == """
        storeutil: error: Comic/p2 title: XML does not allow the control character U+0001; --json and --csv can print \
        values that XML does not allow

        """, "\(failure.errors)")
    let nested = try library.failure(["fetch", Library.store, "Author", "--plist", "--keys", "books.title"])
    #expect(nested.errors.contains("Author/p1 books\\.title.1: XML"), "\(nested.errors)")
    let books = try Tool.json("fetch", Library.store, "Book", "inColor = true", in: library.url)
    #expect(books[0]?["title"] == "a\u{1}b")
  }

  @Test func `--limit, --offset and --exclude-subentities restrict the objects`() throws {
    func titles(_ arguments: String...) throws -> [String] {
      let text = try Program.run(
        "storeutil", ["fetch", Library.store, "Book", "--keys", "title", "--csv", "--sort", "title"] + arguments,
        in: library.url
      ).text
      return text.split(separator: "\r\n").dropFirst().map(String.init)
    }
    #expect(try titles("--limit", "1") == ["=1+1"])
    #expect(try titles("--offset", "1") == ["\"Notes, \"\"A\"\" to G\""])
    #expect(try titles("--limit", "0") == [])
    #expect(try titles("--exclude-subentities") == ["\"Notes, \"\"A\"\" to G\""])
  }

  @Test func `--unwrap opens archives in data`() throws {
    let inner = try PropertyList.dictionary(["deep": [1, "two"]]).data(format: .binary)
    let outer = try PropertyList.dictionary(["inner": .data(inner)]).data(format: .binary)
    try outer.write(to: library.url.appending(path: "cover"))
    try library.run("set", Library.store, "Book/p1", "cover=@cover")
    let closed = try Tool.json("fetch", Library.store, "Book", "pages = 66", in: library.url)[0]
    #expect(closed?["cover"] == .data(outer))
    let opened = try Tool.json("fetch", Library.store, "Book", "pages = 66", "--unwrap", in: library.url)[0]
    #expect(opened?["cover"] == ["inner": ["deep": [1, "two"]]])
    #expect(try library.run("show", Library.store, "Book/p1", "--unwrap").contains("\"two\""))
  }

  @Test func `data that looks like an archive but cannot be opened is reported`() throws {
    let inner = try PropertyList.dictionary(["deep": 1]).data(format: .binary)
    let broken = inner.dropLast(8) + Data(repeating: 0xFF, count: 8)
    let partly = try PropertyList.dictionary(["good": .data(inner), "bad": .data(broken)]).data(format: .binary)
    try library.change(Library.store, "Book", where: "pages = 66", ["cover": .data(broken)])
    try library.change(Library.store, "Comic", where: "TRUEPREDICATE", ["cover": .data(partly)])
    for arguments in [
      ["fetch", Library.store, "Book", "--keys", "cover,author.books.cover", "--unwrap"],
      ["show", Library.store, "Book/1", "--unwrap"], ["html", Library.store, "-o", "page.html"],
    ] {
      let result = try Program.run("storeutil", arguments, in: library.url)
      let lines = result.errors.split(separator: "\n")
      #expect(result.status == 0 && lines.count == (arguments[0] == "show" ? 1 : 2), "\(result.errors)")
      #expect(
        lines.contains {
          $0.contains("Book/p1 cover: ") && $0.contains("note: ") && $0.contains("the data is kept as data: ")
        })
      if arguments[0] != "show" {
        #expect(lines.contains { $0.contains("Comic/p2 cover: ") && $0.contains("the data at bad is kept as data: ") })
      }
    }
    let page = try String(contentsOf: library.url.appending(path: "page.html"), encoding: .utf8)
    #expect(page.contains("Book/p1 cover: the data is kept as data: "))
    // The contents are not requested.
    try library.run("fetch", Library.store, "Book")
  }

  @Test func `html reports values whose file is missing`() throws {
    let file = try library.makeStoreWithExternalData("external.sqlite")
    let result = try Tool.run("html", "external.sqlite", "-o", "page.html", in: library.url)
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("storeutil: error: Book/p1 cover: the value is in the file "))
    #expect(result.errors.hasSuffix("_EXTERNAL_DATA/\(file.lastPathComponent), which is missing\n"))
    let page = try String(contentsOf: library.url.appending(path: "page.html"), encoding: .utf8)
    #expect(page.contains("Book/p1 cover: the value is in the file "))
    #expect(page.contains("\(file.lastPathComponent), which is missing"))
  }

  @Test func `html reports rows that belong to no entity`() throws {
    try library.execute("UPDATE ZBOOK SET Z_ENT = 99 WHERE Z_PK = 1", on: Library.store)
    let result = try Tool.run("html", Library.store, "-o", "page.html", in: library.url)
    #expect(result.status == 1)
    #expect(result.errors == "storeutil: error: Book: 1 row of its table belongs to no entity of the model\n")
    let page = try String(contentsOf: library.url.appending(path: "page.html"), encoding: .utf8)
    #expect(page.contains("Book: 1 row of its table belongs to no entity"))
  }

  @Test func `fetch and show report each value whose file is missing once`() throws {
    let file = try library.makeStoreWithExternalData("external.sqlite")
    let store = "external.sqlite"
    for arguments in [
      ["fetch", store, "Book"], ["fetch", store, "Book", "--keys", "cover,author.books.cover"],
      ["show", store, "Book/1"],
    ] {
      let result = try Program.run("storeutil", arguments, in: library.url)
      #expect(result.status == 1 && !result.text.isEmpty)
      #expect(result.errors.hasPrefix("storeutil: error: Book/p1 cover: the value is in the file "))
      #expect(result.errors.hasSuffix("_EXTERNAL_DATA/\(file.lastPathComponent), which is missing\n"))
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
    // The value is not requested.
    try library.run("fetch", store, "Book", "--keys", "title")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([7]).write(to: file)
    #expect(try library.run("fetch", store, "Book", "--keys", "cover", "--csv") == "cover\r\nBw==\r\n")
  }

  @Test func `count prints the number of objects`() throws {
    #expect(try library.run("count", Library.store, "Book") == "2\n")
    #expect(try library.run("count", Library.store, "Book", "--exclude-subentities") == "1\n")
    #expect(try library.run("count", Library.store, "Book", "author.name BEGINSWITH[cd] 'adá ł'") == "2\n")
  }

  @Test func `show prints all properties of an object, and references without an inverse`() throws {
    let text = try library.run("show", Library.store, "Book/p1")
    #expect(text.contains("/Book/p1\n") && text.contains("  pages: 66\n") && text.contains("  cover: nil\n"))
    #expect(text.contains("  author → x-coredata://") && text.contains("← Tag.books x-coredata://"))
    let json = try Tool.json("show", Library.store, "Author/p1", "--json", in: library.url)
    #expect(json["books"]?.array?.count == 2 && json["@sources"] == [:])
  }

  @Test func `control characters of values are escaped, but kept in JSON`() throws {
    let title = "\u{1B}]0;pwned\u{7}\u{202E}evil\nline"
    try library.change(Library.store, "Book", where: "pages = 66", ["title": .string(title)])
    let shown = try library.run("show", Library.store, "Book/p1")
    #expect(!shown.contains("\u{1B}") && !shown.contains("\u{7}") && !shown.contains("\u{202E}"))
    #expect(try Tool.json("show", Library.store, "Book/p1", "--json", in: library.url)["title"] == .string(title))
    let failure = try library.failure(["fetch", Library.store, "\u{1B}[31mX"])
    #expect(failure.status == 64 && !failure.errors.contains("\u{1B}"))
  }

  @Test(arguments: ["--csv", "--plist", "--json"])
  func `other formats than tables are also escaped on a terminal`(_ form: String) throws {
    let title = "\u{9B}31mevil\u{202E}" + (form == "--plist" ? "" : "\u{1B}]0;pwned\u{7}")
    try library.change(Library.store, "Book", where: "pages = 66", ["title": .string(title)])
    let python = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    let tool = Program.executable("storeutil").path
    let store = library.url.appending(path: Library.store).path
    let shown = try Program.runPython(
      ["-c", python, tool, "fetch", store, "Book", "title CONTAINS 'evil'", "--keys", "title", form])
    #expect(shown.status == 0 && shown.text.contains("31mevil"))
    for command in ["\u{9B}", "\u{202E}", "\u{1B}", "\u{7}"] { #expect(!shown.text.contains(command)) }
  }

  @Test(arguments: ["text", "json", "dot", "sql", "xcdatamodel"])
  func `names in a model are escaped on a terminal`(_ form: String) throws {
    let model = library.url.appending(path: "Library.xcdatamodel")
    let text = try String(contentsOf: model.appending(path: "contents"), encoding: .utf8)
      .replacing("\"Tag\"", with: "\"evil\u{9B}31m\u{202E}\"")
    try text.write(to: model.appending(path: "contents"), atomically: true, encoding: .utf8)
    let python = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    let shown = try Program.runPython(
      ["-c", python, Program.executable("storeutil").path, "model", model.path, "--format", form])
    #expect(shown.status == 0 && shown.text.lowercased().contains("evil"))
    for command in ["\u{9B}", "\u{202E}"] { #expect(!shown.text.contains(command)) }
    // Files and pipes get the name unchanged, except in forms that escape it.
    if !LongForm.isWanted, !["text", "sql"].contains(form) { return }
    let piped = try library.run("model", "Library.xcdatamodel", "--format", form)
    #expect(piped.contains("\u{9B}") == ["sql", "xcdatamodel"].contains(form))
  }

  @Test func `entity names can contain slashes and quotation marks`() throws {
    let model = library.url.appending(path: "Odd.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try """
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="a/b&quot;c"><attribute name="x" optional="YES" attributeType="String"/></entity>
    </model>
    """.write(to: model.appending(path: "contents"), atomically: true, encoding: .utf8)
    _ = try library.context("odd.sqlite", model: "Odd.xcdatamodel", isReadOnly: false)
    #expect(try library.run("insert", "odd.sqlite", "a/b\"c", "x=1") == "inserted a/b\"c/p1\n  x = \"1\"\n")
    let object = try Tool.json("fetch", "odd.sqlite", "a/b\"c", in: library.url)[0]
    #expect(try library.run("show", "odd.sqlite", object?["@id"]?.string ?? "").contains("x: 1"))
    try library.run("delete", "odd.sqlite", "a/b\"c/1")
    #expect(try library.failure(["show", "odd.sqlite", "/1"]).status == 64)
  }
}
