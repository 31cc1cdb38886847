import Foundation
import TestSupport
import Testing

/// The example program. Each step is a separate process, so only its file keeps the data.
@Suite("The contacts example") struct ContactsTests {
  /// By default, a session of several processes uses only one of these, and not every session the same.
  static let kinds = ["xml", "store", "sqlite"]

  private static let people = BookSample([
    ["N:Lovelace;Ada", "EMAIL:ada@example.org", "BDAY:1815-12-10", "CATEGORIES:Work"],
    ["N:Babbage;Charles", "BDAY:1791-12-26", "CATEGORIES:work"], ["N:du Châtelet;Émilie", "NOTE:Physics"],
    ["N:Dijkstra;Edsger", "EMAIL:ewd@example.nl"], ["N:Ångström;Anders"], ["N:9;Note", "CATEGORIES:Numbers"],
    ["N:10;Note"],
  ])

  /// An address book in its own folder.
  private struct Book {
    let kind: String
    let folder = TemporaryFolder(isInMemory: true)
    var url: URL { folder.url.appending(path: "contacts." + kind) }
    var file: String { "--file=" + url.path }

    init(_ kind: String) { self.kind = kind }

    /// Returns a new book with several people.
    static func filled(_ kind: String) throws -> Book {
      let book = Book(kind)
      try ContactsTests.people.contents(kind).write(to: book.url)
      return book
    }

    func callAsFunction(_ arguments: String...) throws -> Program { try Program.run("contacts", arguments + [file]) }

    /// Returns the output of a command that must succeed.
    func text(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
      let run = try Program.run("contacts", arguments + [file])
      #expect(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
      return run.text
    }

    var contents: Data? { try? Data(contentsOf: url) }
  }

  @Test(arguments: LongForm.isWanted ? kinds : ["xml"])
  func `people are added, shown, changed and removed`(_ kind: String) throws {
    let book = try Book.filled(kind)
    #expect(
      try book.text(
        "add", "Grace", "Hopper", "--email", "grace@example.mil", "--birthday", "1906-12-09", "--notes", "Found a moth",
        "--group", "Navy", "--group", "work"
      ).isEmpty)
    #expect(
      try book.text("show", "grace@example.mil")
        == "Grace Hopper\ne-mail: grace@example.mil\nborn: 1906-12-09\ngroups: Navy, Work\nFound a moth\n")
    #expect(try book.text("show", "CHATE") == "Émilie du Châtelet\nPhysics\n")
    #expect(try book.text("edit", "ada", "--last-name", "King", "--birthday", "", "--notes", "Countess").isEmpty)
    #expect(try book.text("show", "king") == "Ada King\ne-mail: ada@example.org\ngroups: Work\nCountess\n")
    #expect(try book.text("remove", "ada king").isEmpty)
    #expect(try book("show", "ada").errors == "Error: no person matches \"ada\"\n")
    #expect(try book.text("group", "list") == "Navy\t1\nNumbers\t1\nWork\t2\n")
    #expect(book.folder.names == ["contacts." + kind])
  }

  @Test(arguments: LongForm.isWanted ? kinds : ["sqlite"])
  func `only commands that add create the file`(_ kind: String) throws {
    let book = Book(kind)
    let commands = [
      ["list"], ["edit", "ada"], ["group", "add", "Work", "ada"], ["find", "ada"], ["show", "ada"], ["remove", "ada"],
    ]
    for arguments in commands.prefix(LongForm.size(commands.count, or: 3)) {
      let run = try Program.run("contacts", arguments + [book.file])
      #expect(run.status == 1)
      #expect(run.errors == "Error: there is no file \(book.folder.path("contacts." + kind))\n")
    }
    #expect(book.folder.names == [])
    #expect(try book.text("add", "Ada", "Lovelace").isEmpty)
    #expect(try book.text("find", "ada") == "Ada Lovelace\n")
  }

  @Test(arguments: kinds) func `the list is sorted by first letter, as people sort`(_ kind: String) throws {
    let book = try Book.filled(kind)
    #expect(
      try book.text("list") == """
        #
          Note 9
          Note 10
        A
          Anders Ångström
        B
          Charles Babbage
        D
          Edsger Dijkstra <ewd@example.nl>
          Émilie du Châtelet
        L
          Ada Lovelace <ada@example.org>

        """)
  }

  /// Words and conditions, and the people who meet them.
  private static let searches: [([String], String)] = [
    (["e", "d"], "Edsger Dijkstra <ewd@example.nl>, Émilie du Châtelet"),
    (["ADA@"], "Ada Lovelace <ada@example.org>"),
    (["--where", "SUBQUERY(groups, $g, $g.members.@count > 1).@count > 0", "ada"], "Ada Lovelace <ada@example.org>"),
    (["--born-before", "1800-01-01"], "Charles Babbage"), (["em"], "Émilie du Châtelet"),
    (["chat"], "Émilie du Châtelet"), (["--where", "birthday != nil AND email == nil"], "Charles Babbage"),
    (["--where", "ANY groups.name ==[c] 'WORK'"], "Charles Babbage, Ada Lovelace <ada@example.org>"),
    (
      ["--where", "groups.@count == 1 AND firstName MATCHES '[A-D].*'"],
      "Charles Babbage, Ada Lovelace <ada@example.org>"
    ),
  ]

  @Test(arguments: searches.prefix(LongForm.size(searches.count, or: 4)))
  func `people are found by words and by conditions`(_ arguments: [String], _ expected: String) throws {
    let book = try Book.filled("xml")
    let run = try Program.run("contacts", ["find"] + arguments + [book.file])
    #expect(run.text.split(separator: "\n").joined(separator: ", ") == expected, "\(run.errors)")
    #expect(run.status == 0)
  }

  @Test func `finding no one is a failure without a message`() throws {
    let book = try Book.filled("xml")
    let run = try book("find", "nobody")
    #expect(run.status == 1 && run.text == "" && run.errors == "")
  }

  @Test func `an invalid condition is reported with its position`() throws {
    let book = Book("xml")
    _ = try book.text("add", "Ada", "Lovelace")
    _ = try book.text("remove", "ada")
    let run = try book("find", "--where", "lastName BEGINSWITH AND email == nil")
    #expect(run.status == 1)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines.dropFirst() == ["  lastName BEGINSWITH AND email == nil", "                      ^"], "\(run.errors)")
    // The condition is checked even if the book is empty.
    let conditions = [
      ("email == nil AND name == 'Ada'", 18), ("ANY groups.title == 'Work'", 12), ("birthday < 5", 10),
    ]
    for (condition, mark) in conditions.prefix(LongForm.size(conditions.count, or: 1)) {
      let unknown = try book("find", "--where", condition)
      #expect(unknown.status == 1)
      let lines = unknown.errors.split(separator: "\n")
      #expect(
        lines.dropFirst() == ["  \(condition)", "\(String(repeating: " ", count: mark + 1))^"], "\(unknown.errors)")
    }
  }

  /// Commands with invalid values, and the messages.
  private static let refusals: [([String], String)] = [
    (["add", "Ada", ""], "the last name is missing"),
    (["add", "Ada", "L", "--email", "EWD@example.nl"], "Edsger Dijkstra already has the address EWD@example.nl"),
    (["edit", "edsger", "--birthday", "1930-02-30"], "\"1930-02-30\" is not a date such as 1815-12-10"),
    (["show", "note"], "\"note\" matches several people:\n  Note 9\n  Note 10"),
    (["add", "Ada", "L", "--email", "ada"], "the e-mail address \"ada\" is not like ada@example.org"),
    (["add", "Ada", String(repeating: "l", count: 81)], "the last name is too long: it has 81 characters"),
    (["add", "Ada", "L", "--birthday", "2400-01-01"], "the birthday is in the future"),
    (["edit", "edsger", "--email", "@"], "the e-mail address \"@\" is not like ada@example.org"),
    (["edit", "charles", "--email", "ewd@example.nl"], "Edsger Dijkstra already has the address ewd@example.nl"),
    (
      ["add", "Ada", "", "--email", "ada"],
      "the last name is missing\nthe e-mail address \"ada\" is not like ada@example.org"
    ),
    (["add", "Ada", "L", "--group", ""], "the name of the group is missing"),
    (["group", "add", "Work", "nobody"], "no person matches \"nobody\""),
    (["group", "remove", "Family"], "the group \"Family\" does not exist"),
    (["picture", "get", "edsger", "/nowhere"], "Edsger Dijkstra has no picture"),
    (["picture", "set", "edsger", "/nowhere"], "cannot read the file /nowhere"),
    (["import", "/nowhere"], "cannot read the file /nowhere"),
  ]

  @Test(
    "invalid values are reported in plain language, and change nothing",
    arguments: refusals.prefix(LongForm.size(refusals.count, or: 4)))
  func notValid(_ arguments: [String], _ message: String) throws {
    let book = try Book.filled("xml")
    let before = book.contents
    let run = try Program.run("contacts", arguments + [book.file])
    #expect(run.status == 1)
    #expect(run.errors == "Error: \(message)\n")
    #expect(book.contents == before)
  }

  @Test(arguments: LongForm.isWanted ? kinds : ["store"])
  func `groups are filled, emptied and removed, but their people stay`(_ kind: String) throws {
    let book = try Book.filled(kind)
    #expect(try book.text("group", "add", "Family", "ada", "émilie").isEmpty)
    #expect(try book.text("group", "list", "family") == "Émilie du Châtelet\nAda Lovelace <ada@example.org>\n")
    #expect(try book.text("group", "remove", "Family", "ada").isEmpty)
    #expect(try book.text("group", "list") == "Family\t1\nNumbers\t1\nWork\t2\n")
    #expect(try book.text("group", "remove", "Work").isEmpty)
    #expect(try book.text("group", "list") == "Family\t1\nNumbers\t1\n")
    #expect(try book.text("show", "ada") == "Ada Lovelace\ne-mail: ada@example.org\nborn: 1815-12-10\n")
  }

  @Test(arguments: LongForm.isWanted ? kinds : ["sqlite"]) func `pictures are stored unchanged`(_ kind: String) throws {
    let book = try Book.filled(kind)
    let picture = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let url = book.folder.url.appending(path: "ada.png")
    try picture.write(to: url)
    #expect(try book.text("picture", "set", "ada", url.path).isEmpty)
    try FileManager.default.removeItem(at: url)
    #expect(try book.text("show", "ada").contains("\npicture: 200000 bytes\n"))
    #expect(try book.text("picture", "get", "ada", url.path).isEmpty)
    #expect(try Data(contentsOf: url) == picture)
    #expect(try book("picture", "get", "ada", "/nowhere/ada").errors == "Error: cannot write the file /nowhere/ada\n")
    #expect(try book.text("picture", "set", "ada").isEmpty)
    #expect(try book("picture", "get", "ada", url.path).status == 1)
  }

  @Test(
    "cards are imported; a card with an error is skipped with all its values",
    arguments: LongForm.isWanted ? kinds : ["sqlite"])
  func cards(_ kind: String) throws {
    let book = try Book.filled(kind)
    let cards = book.folder.url.appending(path: "cards.vcf")
    try Data(
      """
      BEGIN:VCARD
      VERSION:4.0
      N:Hopper;Grace;;;
      EMAIL;TYPE=work:grace@example.mil
      BDAY:19061209
      NOTE:Found a moth\\, once\\nin a re
       lay
      CATEGORIES:Navy,Work
      END:VCARD
      BEGIN:VCARD
      N:;Nobody
      CATEGORIES:Lost
      END:VCARD
      BEGIN:VCARD
      N:Other;Ada
      EMAIL:ada@example.org
      CATEGORIES:Doubles
      END:VCARD
      BEGIN:VCARD
      N:Hamilton;Margaret
      EMAIL:GRACE@example.mil
      END:VCARD
      BEGIN:VCARD
      N:Noether;Emmy
      END:VCARD

      """.replacingOccurrences(of: "\n", with: "\r\n").utf8
    ).write(to: cards)
    let run = try book("import", cards.path)
    #expect(run.status == 1)
    #expect(run.text == "2 added\n")
    #expect(
      run.errors == """
        line 10: the last name is missing
        line 14: Ada Lovelace already has the address ada@example.org
        line 19: Grace Hopper already has the address GRACE@example.mil

        """)
    #expect(
      try book.text("show", "hopper") == """
        Grace Hopper
        e-mail: grace@example.mil
        born: 1906-12-09
        groups: Navy, Work
        Found a moth, once
        in a relay

        """)
    #expect(try book.text("group", "list") == "Navy\t1\nNumbers\t1\nWork\t3\n")
    #expect(try book.text("find", "emmy") == "Emmy Noether\n")
  }

  @Test(
    "a file that is not vCard is an error with a line, and adds nothing",
    arguments: [
      ("BEGIN:VCARD\nN:A;B\n", "line 1: the card has no END line"), ("N:A;B\n", "line 1: N is outside a card"),
      ("BEGIN:VCARD\nBEGIN:VCARD\n", "line 2: BEGIN is inside another card"), ("hello\n", "line 1: expected a colon"),
      ("BEGIN:VCARD\nBDAY:1906\nEND:VCARD\n", "line 2: 1906 is not a date"),
    ])
  func notCards(_ text: String, _ message: String) throws {
    let book = try Book.filled("xml")
    let before = book.contents
    let cards = book.folder.url.appending(path: "cards.vcf")
    try Data(text.utf8).write(to: cards)
    let run = try book("import", cards.path)
    #expect(run.status == 1)
    #expect(run.errors == "Error: \(message)\n")
    #expect(book.contents == before)
  }

  @Test(
    "processes that add people to the same groups lose nothing", .serialized,
    arguments: LongForm.isWanted ? kinds : ["xml"])
  func processes(_ kind: String) async throws {
    let book = Book(kind)
    let count = LongForm.size(12, or: 4)
    let runs = try await Program.runAtTheSameTime(
      "contacts",
      (0..<count).map {
        [
          "add", "Number", "N\($0)", "--email", "n\($0)@example.org", "--group", "All", "--group", "G\($0 % 2)",
          book.file,
        ]
      })
    for run in runs { #expect(run.status == 0, "\(run.errors)") }
    #expect(try book.text("group", "list") == "All\t\(count)\nG0\t\(count / 2)\nG1\t\(count / 2)\n")
    let found = (0..<count).map { "Number N\($0) <n\($0)@example.org>\n" }
    #expect(try book.text("find", "number") == found.joined())
  }

  @Test(.serialized, arguments: LongForm.isWanted ? kinds : ["sqlite"])
  func `of processes that add the same address, one succeeds`(_ kind: String) async throws {
    let book = Book(kind)
    let count = LongForm.size(5, or: 3)
    let runs = try await Program.runAtTheSameTime(
      "contacts", (0..<count).map { ["add", "Ada", "N\($0)", "--email", "ada@example.org", book.file] })
    #expect(runs.count { $0.status == 0 } == 1)
    for run in runs where run.status != 0 {
      #expect(run.errors.contains("already has the address ada@example.org"), "\(run.errors)")
    }
    #expect(try book.text("find", "ada").split(separator: "\n").count == 1)
  }
}
