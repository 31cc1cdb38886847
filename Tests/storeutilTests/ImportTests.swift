import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("storeutil import") struct ImportTests {
  private let library: Library

  init() throws { library = try Library() }

  // MARK: The same values

  @Test(arguments: [["--json"], ["--json", "--plain"], ["--csv"], ["--csv", "--time-zone", "Asia/Kolkata"]])
  func `values of every type are the same after export and import`(_ form: [String]) throws {
    try library.makeValues()
    let exported = try library.run(["fetch", "values.sqlite", "Value", "--sort", "name"] + form)
    try library.write(exported, to: "exported")
    #expect(try library.run("import", "copy.sqlite", "Value", "exported") == "5 inserted\n")
    let copied = try library.values("copy.sqlite", "Value", Library.valueKeys)
    let original = try library.values("values.sqlite", "Value", Library.valueKeys)
    // The text shows the sign of a zero.
    #expect(copied == original && "\(copied)" == "\(original)")
    if form == ["--csv"] || LongForm.isWanted { #expect(try library.isSound("copy.sqlite")) }
  }

  @Test func `combining marks after quotation marks, commas and separators are kept`() throws {
    let names = ["x\"\u{301}y", "a;\u{301}b", ",\u{301}", "\"\u{301}"]
    do {
      let context = try library.context(Library.store, isReadOnly: false)
      for name in names { try context.add("Tag", ["name": .string(name)]) }
      _ = try library.context("copy.sqlite", model: "Library.xcdatamodel", isReadOnly: false)
    }
    try library.write(try library.run("fetch", Library.store, "Tag", "--keys", "name", "--csv"), to: "tags.csv")
    #expect(try library.run("import", "copy.sqlite", "Tag", "tags.csv") == "5 inserted\n")
    let copied = try library.values("copy.sqlite", "Tag", ["name"])
    #expect(Set(copied) == Set((names + ["old"]).map { [[AttributeValue.string($0)]] }))
    try library.change(Library.store, "Book", where: "pages = 66", ["title": .string(";\u{301}")])
    let titles = ["fetch", Library.store, "Tag", "--csv", "--keys", "books.title", "--list-separator", ";"]
    let separated = try Program.run("storeutil", titles, in: library.url)
    #expect(separated.status == 2 && separated.errors.contains("contains the list separator"))
  }

  @Test(
    "local times can be ambiguous or skipped by the clocks",
    arguments: [
      // The earlier of two moments, independent of the row before it.
      ("Europe/Berlin", "2026-07-01 00:00\n2026-10-25 02:30", ["2026-06-30T22:00:00Z", "2026-10-25T00:30:00Z"]),
      ("Europe/Berlin", "2026-01-01 00:00\n2026-10-25 02:30", ["2025-12-31T23:00:00Z", "2026-10-25T00:30:00Z"]),
      // The clocks change from 23:59:59 to 01:00:00.
      ("America/Sao_Paulo", "2018-11-04\n2018-11-05", ["2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"]),
      ("Europe/Berlin", "2026-06-01 09:30:00.1", ["2026-06-01T07:30:00.1Z"]),
    ])
  func localTimes(_ zone: String, _ lines: String, _ expected: [String]) throws {
    let names = lines.split(separator: "\n").enumerated().map { "x\($0),\($1)\n" }
    try library.write("name,born\n" + names.joined(), to: "a.csv")
    try library.run("import", Library.store, "Author", "a.csv", "--time-zone", zone)
    let found = try library.run(
      "fetch", Library.store, "Author", "name BEGINSWITH 'x'", "--keys", "born", "--sort", "name", "--csv")
    #expect(found == "born\r\n" + expected.map { $0 + "\r\n" }.joined())
  }

  @Test func `empty lines before JSON and after CSV are ignored`() throws {
    try library.write("\n\n [{\"name\": \"Grace\"}]", to: "authors")
    #expect(try library.run("import", Library.store, "Author", "authors") == "1 inserted\n")
    try library.write("name,born\r\nMary,\r\n\r\n\r\nJean,\r\n\r\n", to: "authors.csv")
    #expect(try library.run("import", Library.store, "Author", "authors.csv") == "2 inserted\n")
  }

  @Test(arguments: [["--json"], ["--csv"]]) func `the elements of composite attributes are imported`(_ form: [String])
    throws
  {
    try library.makeDrinks()
    let model = ["--model", "Drinks.xcdatamodel"]
    let exported = try library.run(["fetch", "drinks.sqlite", "Drink", "--sort", "title"] + form + model)
    try library.write(exported, to: "exported")
    try library.run("create", "Drinks.xcdatamodel", "drinks.xml", "--type", "xml")
    #expect(try library.run(["import", "drinks.xml", "Drink", "exported"] + model) == "2 inserted\n")
    let imported = try library.values("drinks.xml", "Drink", ["title", "author"], model: model[1])
    #expect(try imported == library.values("drinks.sqlite", "Drink", ["title", "author"], model: model[1]))
  }

  @Test(arguments: ["sqlite", "xml", "binary"])
  func `importing exported objects changes nothing`(_ type: String) throws {
    let store = try library.makeLibrary(type)
    for (entity, count) in LongForm.cases([("Book", 2), ("Author", 1), ("Tag", 1)], every: type == "sqlite" ? 1 : 3) {
      try library.write(library.run(["fetch", store] + Library.modelOption + [entity]), to: "all.json")
      #expect(
        try library.run(["import", store] + Library.modelOption + [entity, "all.json", "--key", "@id"])
          == "0 inserted, 0 updated, \(count) unchanged\n")
    }
  }

  // MARK: Relationships

  @Test func `relationships are found by value or by object ID`() throws {
    try library.write(
      """
      title,Writer,tagged
      First,Grace,1
      "Second, and last",Ada Łovelace,2
      Third,,3
      Fourth,Grace,4
      """.replacing("\n", with: "\r\n"), to: "books.csv")
    try library.context(Library.store, isReadOnly: false).add("Author", ["name": .string("Grace")])
    let unowned = try library.failure([
      "import", Library.store, "Book", "books.csv", "--map", "Writer=author.name", "--ignore", "tagged",
    ])
    #expect(unowned.status == 2)
    #expect(unowned.errors.contains("books.csv:4:1: author: the relationship is required, but has no object"))
    try library.edit("books.csv") { $0.replacing("Third,,", with: "Third,Grace,") }
    #expect(
      try library.run("import", Library.store, "Book", "books.csv", "--map", "Writer=author.name", "--ignore", "tagged")
        == "4 inserted\n")
    #expect(
      try library.values(Library.store, "Author", ["books.title"], where: "name = 'Grace'")
        == [[[.string("First"), .string("Fourth"), .string("Third")]]])
    try library.write(
      #"[{"name": "new", "books.title": ["First"]}, {"name": "other", "books": ["Book/p4"]}]"#,
      to: "tags.json")
    #expect(try library.run("import", Library.store, "Tag", "tags.json") == "2 inserted\n")
    try library.write("name,books.title\nthird,Third;Fourth\n", to: "separated.csv")
    #expect(try library.run("import", Library.store, "Tag", "separated.csv", "--list-separator", ";") == "1 inserted\n")
    #expect(try library.count(Library.store, "Tag", "books.@count > 0") == 4)
    #expect(try library.isSound(Library.store))
  }

  @Test(arguments: ["sqlite", "xml", "binary"]) func `objects of a file can refer to each other in any order`(
    _ type: String
  ) throws {
    try library.makePlaces("places", type: type)
    let model = ["--model", "Places.xcdatamodel"]
    try library.write(
      #"{"name": "Cup", "within.name": "Table"} {"name": "Table", "within.name": "Home"}"#
        + #"{"name": "Desk", "height": 1, "within.name": "Cup"}"#,
      to: "places.jsonl")
    #expect(
      try library.run(["import", "places", "Place", "places.jsonl", "--key", "name"] + model)
        == "2 inserted, 1 updated, 0 unchanged\n")
    #expect(
      try library.values("places", "Place", ["name", "height", "within.name"], model: model[1]) == [
        [[.string("Cup")], [.null], [.string("Table")]], [[.string("Desk")], [.double(1)], [.string("Cup")]],
        [[.string("Home")], [.null], [.null]], [[.string("Table")], [.null], [.string("Home")]],
      ])
  }

  // MARK: Changes of objects

  @Test func `--key changes the object with the same key`() throws {
    try library.write("title,pages,author.name\n=1+1,66,Ada Łovelace\nNew,1,Ada Łovelace\n", to: "books.csv")
    let call = ["import", Library.store, "Book", "books.csv", "--key", "title"]
    #expect(try library.run(call) == "1 inserted, 1 updated, 0 unchanged\n")
    #expect(try library.run(call) == "0 inserted, 0 updated, 2 unchanged\n")
    #expect(try library.count(Library.store, "Comic", "pages == 66 AND inColor == YES") == 1)
    // With several key attributes, an object must match all of them.
    try library.edit("books.csv") { $0.replacing("New,1,", with: "New,2,") }
    #expect(try library.run(call + ["--key", "pages"]) == "1 inserted, 0 updated, 1 unchanged\n")
    let ambiguous = try library.failure(call)
    #expect(ambiguous.status == 2)
    #expect(ambiguous.errors.contains("books.csv:3:1: several objects have the key: Book/p3, Book/p4"))
  }

  @Test func `@entity names a subentity`() throws {
    try library.write(
      #"""
      [
        {"@entity": "Comic", "title": "C", "inColor": true, "weight": 0.5, "author": "Author/1"},
        {"title": "B", "inColor": null, "author": "Author/1"}
      ]
      """#, to: "books.json")
    #expect(try library.run("import", Library.store, "Book", "books.json") == "2 inserted\n")
    #expect(try library.count(Library.store, "Comic", "title == 'C' AND weight == 0.5") == 1)
    #expect(
      try library.values(Library.store, "Book", ["@entity"], where: "title == 'B'") == [[[.string("Book")]]])
    try library.edit("books.json") { $0.replacing("\"inColor\": null", with: "\"inColor\": false") }
    let failure = try library.failure(["import", Library.store, "Book", "books.json"])
    #expect(failure.status == 2 && failure.errors.contains("books.json:3:3: Book has no \"inColor\""))
  }

  // MARK: All or nothing

  @Test(arguments: ["sqlite", "xml", "binary"])
  func `--dry-run saves nothing and prints the same changes`(_ type: String) throws {
    let store = try library.makeLibrary(type)
    let before = try library.contents(store)
    try library.write("name,born\nGrace,1906-12-09\nAda Łovelace,\n", to: "authors.csv")
    let call = ["import", store] + Library.modelOption + ["Author", "authors.csv", "--key", "name"]
    let text = try library.run(call + ["--dry-run"])
    let lines = text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("inserted Author/p") } && lines.contains("  name = \"Grace\""))
    #expect(
      lines.contains { $0.hasPrefix("changed Author/p") }
        && lines.contains { $0.hasPrefix("  born = nil (was 1815-12-10") })
    #expect(text.hasSuffix("\n1 inserted, 1 updated, 0 unchanged; nothing was saved\n"))
    #expect(try library.contents(store) == before)
    if type == "sqlite" || LongForm.isWanted {
      #expect(try library.run(call) == "1 inserted, 1 updated, 0 unchanged\n")
    }
  }

  /// A text that `import` refuses, the exit code, a part of the message, and additional arguments.
  struct Refusal: Sendable {
    let text: String
    let status: Int32
    let message: String
    let arguments: [String]

    init(_ text: String, _ status: Int32, _ message: String, _ arguments: String...) {
      (self.text, self.status, self.message, self.arguments) = (text, status, message, arguments)
    }

    var file: String { text.hasPrefix("[") ? "a.json" : "a.csv" }
  }

  private static let refusals = [
    Refusal("name\nGrace\nx\n", 2, "a.csv:3:1: name: "),
    Refusal("name,born\nGrace,1906-13-09\n", 2, "a.csv:2:7: born: expected Date"),
    Refusal("name,born\nGrace,1906-12-09 10:00\n", 2, "no time zone: use --time-zone"),
    Refusal(
      "name,born\nGrace,2026-03-29 02:30\n", 2, "the time zone skips this time",
      "--time-zone", "Europe/Berlin"),
    Refusal(
      "name,born\nGrace,2011-12-30\n", 2, "the time zone skips this time", "--time-zone", "Pacific/Apia"),
    Refusal("name\nGrace\n", 64, "zone.tab", "--time-zone", "zone.tab"),
    Refusal("born\n1906-12-09\n", 2, "a.csv:2:1: name: a value is missing"),
    Refusal("name,born\nGrace\n", 3, "a.csv:2:1: expected 2 fields"),
    Refusal("name,born\nGrace,\"19", 3, "a.csv:2:7: the file ends within the quoted field"),
    Refusal("name\nGr\"ace\n", 3, "a.csv:2:3: a quotation mark in a field"),
    Refusal("name\n\"Grace\"x\n", 3, "a.csv:2:8: expected a comma"),
    Refusal("name,name\n", 3, "a.csv:1:6: the column \"name\" occurs twice"),
    Refusal("", 3, "a.csv:1:1: the file is empty"),
    Refusal("nmae\nGrace\n", 64, "did you mean name?"),
    Refusal("name,born\nGrace,\n", 64, "both for name", "--map", "born=name"),
    Refusal("a,b,name\nAuthor/1,Author/1,x\n", 64, "both for @id", "--map", "a=@id", "--map", "b=@id", "--key", "@id"),
    Refusal("name\nGrace\n", 64, "not have the column \"Nam\"", "--map", "Nam=name"),
    Refusal(
      "name\nGrace\nGrace\n", 2, "a.csv:3:1: the object at 2:1 has the same key: name \"Grace\"", "--key", "name"),
    Refusal("name,born\nGrace,\n", 2, "a.csv:2:1: born has no value", "--key", "born"),
    Refusal(
      "name,books.title\nGrace,[]\nOther,\"[\"\"None\"\"]\"\n", 2, "a.csv:3:7: books: no Book has title \"None\""),
    Refusal(#"[{"name": "Grace"}, {"name": 5}]"#, 2, "a.json:1:21: name: expected"),
    Refusal(#"[{"name": "Grace"}, {"name": "Ot"#, 3, "a.json:1:21: the file ends"),
    Refusal(#"[{"name": "Grace"} {"name": "Ot"}]"#, 3, "a.json:1:20: expected a"),
    Refusal(#"[{"name": "Grace"}, 5]"#, 3, "a.json:1:21: expected an object"),
    Refusal("[{\"name\":\n  Grace}]", 3, "a.json:2:3:"),
    Refusal(#"[{"name": "Grace"}] x"#, 3, "a.json:1:21: expected the end"),
    Refusal(#"[{"name": "Grace", "name": "x"}]"#, 3, "a.json:1:"),
    Refusal(#"[{"name": "Grace", "books": ["Book/p77"]}]"#, 2, "the store has no object Book/p77"),
    Refusal(#"[{"name": "Grace", "books": ["Tag/p1"]}]"#, 2, "books: "),
    Refusal(
      #"[{"name": "Grace", "works": ["Emma"]}]"#, 2, "--map works=books.ATTRIBUTE finds objects by an attribute.",
      "--map", "works=books"),
    Refusal(
      #"[{"@id": "Author/p7", "name": "Grace"}]"#, 2, "a.json:1:2: the store has no object Author/p7",
      "--key", "@id"),
    Refusal(#"[{"name": "Grace"}]"#, 64, "--immutable", "--immutable"),
  ]

  private static let similarRefusal = Refusal(
    #"[{"name": "Grace"}]"#, 64, "not have the column \"Nam\"", "--map", "Nam=name")

  @Test(arguments: refusals + (LongForm.isWanted ? [similarRefusal] : []))
  func `an error leaves the store unchanged`(_ refusal: Refusal) throws {
    let before = try library.contents(Library.store)
    try library.write(refusal.text, to: refusal.file)
    let failure = try library.failure(["import", Library.store, "Author", refusal.file] + refusal.arguments)
    #expect(failure.status == refusal.status && failure.errors.contains(refusal.message), "\(failure)")
    #expect(try library.contents(Library.store) == before)
  }

  @Test(arguments: [[0xFF], [0xFE, 0xFF], [0xC3]] as [[UInt8]])
  func `text that is not UTF-8 leaves the store unchanged`(_ bytes: [UInt8]) throws {
    let before = try library.contents(Library.store)
    let files: [(String, Data)] = [
      ("a.csv", Data("name\nGrace\n".utf8) + bytes + Data("\n".utf8)), ("b.csv", Data(bytes) + Data("name\n".utf8)),
      ("a.json", Data(#"[{"name": "Grace"#.utf8) + bytes + Data(#""}]"#.utf8)),
    ]
    // In the short form, each place has other bytes.
    let places = [[0xFF]: 0, [0xFE, 0xFF]: 1, [0xC3]: 2] as [[UInt8]: Int]
    let place = try #require(places[bytes])
    for (name, data) in LongForm.isWanted ? files : [files[place]] {
      try data.write(to: library.url.appending(path: name))
      let failure = try library.failure(["import", Library.store, "Author", name])
      #expect([3, 64].contains(failure.status) && failure.errors.contains(":"), "\(name): \(failure)")
    }
    #expect(try library.contents(Library.store) == before)
  }

  @Test(arguments: ["sqlite", "xml"])
  func `a duplicate of a unique value is reported with its record`(_ type: String) throws {
    try library.makePlaces("places", type: type)
    let before = try library.contents("places")
    try library.write("name\nShelf\nHome\n", to: "names.csv")
    let failure = try library.failure(["import", "places", "Place", "names.csv", "--model", "Places.xcdatamodel"])
    #expect(failure.status == 2 && failure.errors.contains("names.csv:3:1: another object has the same values"))
    #expect(try library.contents("places") == before)
  }

  // MARK: Many objects

  @Test func `memory does not grow with the number of objects`() throws {
    try library.makePlaces("places.sqlite")
    var memory: [Int] = []
    let counts = LongForm.isWanted ? [12_000, 60_000] : [10_100, 20_200]
    for count in counts {
      try library.write("name\n" + (0..<count).map { "\(count)-\($0)\n" }.joined(), to: "many.csv")
      memory.append(try library.cost("import", "places.sqlite", "Place", "many.csv").memory)
    }
    #expect(try library.count("places.sqlite", "Place") == counts[0] + counts[1] + 2)
    // The objects of each batch would take 10 MB, and there are one or four more.
    #expect(memory[1] - memory[0] < LongForm.size(12, or: 6) << 20, "\(memory)")
  }

  @Test func `a mandatory relationship can refer to a much later record`() throws {
    try library.makePlaces("other.sqlite")
    try library.edit("Places.xcdatamodel/contents") {
      $0.replacing("name=\"within\" optional=\"YES\"", with: "name=\"within\"")
    }
    _ = try library.context("places.sqlite", model: "Places.xcdatamodel", isReadOnly: false)
    let count = Library.manyCount
    // The last place refers to the first.
    try library.write(
      "name,within.name\n" + (0..<count).map { "p\($0),p\(($0 + 1) % count)\n" }.joined(), to: "many.csv")
    #expect(try library.run("import", "places.sqlite", "Place", "many.csv") == "\(Library.manyText) inserted\n")
    #expect(try library.isSound("places.sqlite"))
    let others = LongForm.size(count, or: 100)
    try library.write("name,within.name\n" + (0..<others).map { "q\($0),\n" }.joined(), to: "none.csv")
    let failure = try library.failure(["import", "places.sqlite", "Place", "none.csv"])
    #expect(failure.status == 2 && failure.errors.contains("none.csv:2:1: within: "), "\(failure)")
  }

  @Test func `two records cannot take the same object through an inverse, at any distance`() throws {
    try library.makePlaces("other.sqlite")
    try library.edit("Places.xcdatamodel/contents") { $0.replacing("toMany=\"YES\"", with: "maxCount=\"1\"") }
    _ = try library.context("places.sqlite", model: "Places.xcdatamodel", isReadOnly: false)
    for count in [100, Library.manyCount] {
      let records = (0..<count).map { "\(count)p\($0),\([3, count - 1].contains($0) ? "\(count)p5" : "")\n" }
      try library.write("name,within.name\n" + records.joined(), to: "many.csv")
      let before = try library.contents("places.sqlite")
      let failure = try library.failure(["import", "places.sqlite", "Place", "many.csv"])
      #expect(failure.status == 2 && failure.errors.contains("many.csv:5:"), "\(failure)")
      #expect(failure.errors.contains("another object of the file has replaced this value"), "\(failure)")
      #expect(try library.contents("places.sqlite") == before)
    }
  }

  @Test(arguments: ["sqlite", "xml"])
  func `a decimal key that the store has rounded is found`(_ type: String) throws {
    try library.makeValues()
    try library.write(#"[{"name": "long", "decimal": "1234567890123456789.12"}]"#, to: "a.json")
    let call = ["import", "values.\(type)", "Value", "a.json", "--key", "decimal", "--model", "Values.xcdatamodel"]
    #expect(try library.run(call) == "1 inserted, 0 updated, 0 unchanged\n")
    #expect(try library.run(call).hasPrefix("0 inserted"))
  }

  @Test(arguments: LongForm.isWanted ? ["sqlite", "xml", "binary"] : ["sqlite", "xml"])
  func `several processes that import at once add each key once`(_ type: String) async throws {
    try library.makeValues()
    try library.write("name,i16\n" + (0..<20).map { "new \($0),\($0)\n" }.joined(), to: "a.csv")
    let folder = library.url
    let model = ["--model", "Values.xcdatamodel"]
    let call = ["import", "values.\(type)", "Value", "a.csv", "--key", "name"] + model
    let texts = try await withThrowingTaskGroup(of: Program.self) { group in
      for _ in 0..<LongForm.size(4, or: 3) { group.addTask { try Program.run("storeutil", call, in: folder) } }
      return try await group.reduce(into: []) { $0.append($1.text) }
    }
    #expect(texts.count { $0 == "20 inserted, 0 updated, 0 unchanged\n" } == 1, "\(texts)")
    #expect(try library.count("values.\(type)", "Value", "name BEGINSWITH 'new '", model: model[1]) == 20)
  }

  @Test func `all batches are saved in one transaction`() throws {
    try library.makePlaces("places.sqlite")
    // Each refers to the next one, which may be in another batch.
    func places(_ count: Int) -> String {
      "name,within.name\n" + (0..<count).map { "p\($0),\($0 + 1 < count ? "p\($0 + 1)" : "Home")\n" }.joined()
    }
    let count = Library.manyCount
    let before = try library.contents("places.sqlite")
    try library.write(places(count) + "Desk,\n", to: "taken.csv")
    let failure = try library.failure(["import", "places.sqlite", "Place", "taken.csv"])
    #expect(failure.status == 2 && failure.errors.contains("taken.csv:\(count + 2):1: another object"), "\(failure)")
    #expect(try library.contents("places.sqlite") == before)
    try library.write(places(count), to: "many.csv")
    #expect(try library.run("import", "places.sqlite", "Place", "many.csv") == "\(Library.manyText) inserted\n")
    #expect(try library.count("places.sqlite", "Place", "within = nil") == 1)
    #expect(
      try library.values("places.sqlite", "Place", ["within.name"], where: "name = 'p9999'") == [[[.string("p10000")]]])
    let call = ["import", "places.sqlite", "Place", "many.csv", "--key", "name"]
    if LongForm.isWanted { #expect(try library.run(call) == "0 inserted, 0 updated, 12 000 unchanged\n") }
    try library.edit("many.csv") { $0.replacing("\np10050,p10051\n", with: "\np10050,Home\n") }
    let unchanged = LongForm.isWanted ? "11 999" : "10 099"
    #expect(try library.run(call) == "0 inserted, 1 updated, \(unchanged) unchanged\n")
    #expect(try library.isSound("places.sqlite"))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends an import that waits for input`(_ signal: Int32) throws {
    let pipe = library.url.appending(path: "pipe").path
    try #require(mkfifo(pipe, 0o600) == 0)
    // Also opened for reading, so that the other end is never closed.
    let descriptor = open(pipe, O_RDWR)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let before = try library.contents(Library.store)
    let store = library.url.appending(path: Library.store).path
    let process = try ChildProcess("storeutil", ["import", store, "Author", pipe, "--format", "csv"])
    let text = Array("name\nGrace\n".utf8)
    try #require(write(descriptor, text, text.count) == text.count)
    // The process has read the text.
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(eventually { poll(&request, 1, 0) == 0 || process.ended != nil })
    process.signal(signal)
    #expect(process.waitUntilExit() == .exited(128 + signal), "\(process.errors)")
    #expect(try library.contents(Library.store) == before)
  }

  @Test func `the format of standard input is detected`() throws {
    for (input, count) in [("name\nGrace\n", 1), (" [{\"name\": \"Ada\"}]", 1), ("\u{FEFF}{\"name\":\"A B\"}\n", 1)] {
      let arguments = ["import", Library.store, "Author", "-"]
      let result = try Program.run("storeutil", arguments, input: Data(input.utf8), in: library.url)
      #expect(result.text == "\(count) inserted\n", "\(input): \(result.errors)")
    }
    #expect(try library.count(Library.store, "Author") == 4)
  }
}

extension Library {
  /// A number of objects that an import writes in more than one batch, and the same number as the tool prints it.
  static let manyCount = LongForm.size(12_000, or: 10_100)
  static let manyText = LongForm.isWanted ? "12 000" : "10 100"

  static let modelOption = ["--model", "Library.xcdatamodel"]

  /// The attributes of the entity `Value`.
  static let valueKeys = [
    "name", "i16", "i32", "i64", "decimal", "double", "float", "string", "boolean", "date", "binary", "uuid", "uri",
    "transformable",
  ]

  func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: url.appending(path: name)) }

  func edit(_ name: String, _ body: (String) -> String) throws {
    try write(body(String(contentsOf: url.appending(path: name), encoding: .utf8)), to: name)
  }

  /// The bytes of a store's files.
  func contents(_ store: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasPrefix(store) }
    return Dictionary(uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: url.appending(path: $0))) })
  }

  /// True if the check of a store finds no errors.
  func isSound(_ store: String) throws -> Bool { try Program.run("storeutil", ["check", store], in: url).status == 0 }

  /// Returns a store of the library of a type.
  func makeLibrary(_ type: String) throws -> String {
    if type == "sqlite" { return Library.store }
    try makeObjects("library.\(type)")
    return "library.\(type)"
  }

  /// Creates the stores `values.sqlite`, `values.xml` and `values.binary`, with objects that have values of every type,
  /// and `copy.sqlite`, without objects.
  func makeValues() throws { try copyFiles(of: Self.valueStores) }

  private static let valueStores: Result<TemporaryFolder, any Error> = Result {
    let library = Library(in: .keptUntilExit())
    try library.makeOriginalValues()
    return library.folder
  }

  private func makeOriginalValues() throws {
    let types = [
      "i16": "Integer 16", "i32": "Integer 32", "i64": "Integer 64", "decimal": "Decimal", "double": "Double",
      "float": "Float", "string": "String", "boolean": "Boolean", "date": "Date", "binary": "Binary", "uuid": "UUID",
      "uri": "URI", "transformable": "Transformable", "name": "String",
    ]
    // A default shows whether a missing value is nil or the default.
    let attributes = types.sorted { $0.key < $1.key }.map { name, type in
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\""
        + (name == "i32" ? " defaultValueString=\"7\"" : "") + "/>"
    }
    let folder = url.appending(path: "Values.xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try write(
      "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\"><entity name=\"Value\">"
        + attributes.joined() + "</entity></model>", to: "Values.xcdatamodel/contents")
    _ = try context("copy.sqlite", model: "Values.xcdatamodel", isReadOnly: false)
    for type in ["sqlite", "xml", "binary"] { try makeValues(of: "values.\(type)") }
  }

  private func makeValues(of store: String) throws {
    let context = try context(store, model: "Values.xcdatamodel", isReadOnly: false)
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let url = try #require(URL(string: "https://example.com/?a=%20b#c"))
    let path = try #require(URL(string: "a/b"))
    let decimal = try #require(Decimal(string: "12345678901234.567"))
    // 2026-06-01T12:30:15.25Z, 0001-01-01T00:00:00Z and 1900-02-28T23:59:59Z
    let dates = [802_009_815.25, -63_113_904_000, -3_182_198_401].map { Date(timeIntervalSinceReferenceDate: $0) }
    try context.add(
      "Value",
      [
        "name": .string("a"), "i16": .integer(-32768), "i32": .integer(2_147_483_647), "i64": .integer(.min),
        "decimal": .decimal(decimal), "double": .double(0.1), "float": .float(0.1),
        "string": .string("a, \"b\"\r\nc"), "boolean": .boolean(true), "date": .date(dates[0]),
        "binary": .data(Data([0, 1, 2, 0xFF])), "uuid": .uuid(uuid), "uri": .url(url),
        "transformable": .data(Data("bplist".utf8)),
      ])
    try context.add(
      "Value",
      [
        "name": .string("b"), "i16": .integer(32767), "i32": .integer(-2_147_483_648), "i64": .integer(.max),
        "decimal": .decimal(-0.5), "double": .double(1e300), "float": .float(-3.4e38), "string": .string(""),
        "boolean": .boolean(false), "date": .date(dates[1]), "binary": .data(Data()), "uri": .url(path),
        "transformable": .data(Data()),
      ])
    try context.add(
      "Value",
      [
        "name": .string("c"), "double": .double(.infinity), "float": .float(-.infinity), "string": .string(" null "),
        "date": .date(dates[2]), "decimal": .decimal(Decimal(sign: .plus, exponent: 20, significand: 1)),
      ])
    try context.add(
      "Value",
      [
        "name": .string("d"), "double": .double(-0.0), "float": .float(16_777_216),
        "string": .string("\u{1F600}e\u{301}\t\u{7}"), "i64": .integer(9_007_199_254_740_993),
      ])
    try context.add("Value", ["name": .string("e"), "i32": .null])
  }
}
