import Foundation
import TestSupport
import Testing

/// The example on a terminal.
@Suite("The contacts example on a terminal", .serialized) struct ContactsBrowserTests {
  private let folder = TemporaryFolder(isInMemory: true)

  /// By default, a session uses only one of these, and not every session the same.
  static let kinds = ["xml", "store", "sqlite"]

  private func file(_ kind: String) -> String { "--file=" + folder.path("contacts." + kind) }

  private static let people = BookSample([
    ["N:Lovelace;Ada", "EMAIL:ada@example.org", "CATEGORIES:Work"], ["N:Babbage;Charles"], ["N:王;小明"], ["N:曾;国藩"],
    ["N:Ångström;Anders"], ["N:9;Note"], ["N:Пушкин;Александр"],
  ])

  private func fill(_ kind: String = "sqlite") throws {
    try Self.people.contents(kind).write(to: URL(filePath: folder.path("contacts." + kind)))
  }

  /// Returns the program after it has shown its first screen.
  private func browser(_ kind: String = "sqlite", lines: Int = 24, columns: Int = 80) async throws -> TerminalProgram {
    let browser = try TerminalProgram("contacts", [file(kind)], lines: lines, columns: columns)
    _ = try await browser.lines { $0.count == lines }
    return browser
  }

  /// The part of the lines that contains the list, without trailing spaces.
  private func list(_ lines: [String]) -> [String] {
    lines.dropFirst().dropLast(2).map { line in
      var text = line.split(separator: "│", omittingEmptySubsequences: false)[0].prefix(36)
      while text.last == " " { text.removeLast() }
      return String(text)
    }.filter { !$0.isEmpty }
  }

  @Test(arguments: LongForm.isWanted ? kinds : ["sqlite"])
  func `people are listed by the first Latin letter, also names in other scripts`(_ kind: String) async throws {
    try fill(kind)
    let browser = try await browser(kind)
    let lines = try await browser.lines { $0.count == 24 && $0[23].contains("q quit") }
    #expect(lines[0] == " contacts.\(kind)   7")
    #expect(
      list(lines) == [
        "#", "> Note 9", "A", "  Anders Ångström", "B", "  Charles Babbage", "L", "  Ada Lovelace", "P",
        "  Александр Пушкин", "W", "  王小明", "Z", "  曾国藩",
      ])
    // The command sorts in the same way.
    let plain = try Program.run("contacts", ["list", file(kind)]).text
    #expect(plain.contains("W\n  王小明\nZ\n  曾国藩\n"))
    browser.type("L")
    let ada = try await browser.lines { $0.contains { $0.contains("> Ada") } }
    #expect(ada[2].hasSuffix("│ e-mail: ada@example.org"))
    browser.type("X")
    #expect(try await browser.lines { $0.contains { $0.contains("> 曾国藩") } }.contains { $0.contains("> 曾国藩") })
    browser.type("q")
    #expect(try await browser.exitCode() == 0)
    // The terminal is restored.
    #expect(String(decoding: browser.output, as: UTF8.self).hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test("the list is searched while the user types") func search() async throws {
    try fill()
    let browser = try await browser()
    for (typed, found) in [
      ("/an", ["A", "> Anders Ångström", "P", "  Александр Пушкин", "W", "  王小明", "Z", "  曾国藩"]),
      ("g", ["A", "> Anders Ångström", "W", "  王小明"]),
      ("s", ["A", "> Anders Ångström"]), ("zz", ["no people found"]), ("\u{15}@exa", ["L", "> Ada Lovelace"]),
      ("\u{15}", ["#", "  Note 9", "A", "  Anders Ångström", "B", "  Charles Babbage", "L", "> Ada Lovelace"]),
    ] {
      browser.type(typed)
      let lines = try await browser.lines { list($0).starts(with: found) && $0.last?.hasPrefix("Enter") == true }
      #expect(list(lines).starts(with: found), "\(typed): \(list(lines))")
    }
  }

  @Test(arguments: LongForm.isWanted ? kinds : ["sqlite"])
  func `adding, changing and deleting can be undone`(_ kind: String) async throws {
    try fill(kind)
    let browser = try await browser(kind)
    func message(_ keys: String, _ text: String) async throws {
      browser.type(keys)
      let lines = try await browser.lines { $0.count == 24 && $0[22].hasPrefix(text) }
      #expect(lines.count == 24 && lines[22].hasPrefix(text), "\(lines)")
    }
    func shown(_ person: String) throws -> String { try Program.run("contacts", ["show", person, file(kind)]).text }
    let picture = folder.url.appending(path: "picture")
    try Data(count: 5000).write(to: picture)
    try await message("aGrace\t\t@\r", "the last name is missing")
    // The form is still open, with the typed text.
    browser.type("\u{1B}[Z")
    try await message("Hopper\r", "the e-mail address \"@\" is not like")
    try await message("\t\u{15}ada@example.org\r", "Ada Lovelace already has the address")
    try await message("\u{15}grace@example.mil\t1906-12-09\tNavy, Work\t\t\(picture.path)\r", "Add Grace Hopper")
    let grace = "Grace Hopper\ne-mail: grace@example.mil\nborn: 1906-12-09\npicture: 5000 bytes\ngroups: Navy, Work\n"
    #expect(try shown("grace") == grace)
    try await message("e\t\u{15}Murray Hopper\r", "Change Grace Murray Hopper")
    #expect(try shown("grace").hasPrefix("Grace Murray Hopper\n"))
    try await message("d", "Delete Grace Murray Hopper")
    if LongForm.isWanted { #expect(try shown("grace") == "") }
    try await message("u", "Undone: Delete Grace Murray Hopper")
    try await message("u", "Undone: Change Grace Murray Hopper")
    #expect(try shown("grace") == grace)
    try await message("u", "Undone: Add Grace Hopper")
    try await message("u", "Nothing to undo")
    if LongForm.isWanted { #expect(try shown("grace") == "") }
    #expect(try Program.run("contacts", ["group", "list", file(kind)]).text == "Work\t1\n")
    try await message("r", "Redone: Add Grace Hopper")
    #expect(try shown("grace") == grace)
  }

  @Test("changes by other processes appear immediately", arguments: LongForm.isWanted ? kinds : ["xml"])
  func others(_ kind: String) async throws {
    try fill(kind)
    let first = try await browser(kind)
    let second = try await browser(kind, lines: 30, columns: 50)
    for browser in [first, second] { _ = try await browser.lines { $0.last?.hasPrefix("/ search") == true } }
    #expect(try Program.run("contacts", ["add", "Emmy", "Noether", file(kind)]).status == 0)
    for browser in [first, second] {
      let lines = try await browser.lines { $0.contains { $0.hasPrefix("  Emmy Noether") } }
      #expect(lines[0] == " contacts.\(kind)   8")
      #expect(lines.contains { $0.hasPrefix("  Emmy Noether") })
    }
    first.type("Ld")
    let lines = try await second.lines { !$0.contains { $0.hasPrefix("  Ada") } }
    #expect(lines[0] == " contacts.\(kind)   7")
    // An object that another process has changed can be changed here.
    second.type("Nd")
    #expect(try await first.lines { $0[0].hasSuffix("6") }[0].hasSuffix(" 6"))
    // Before its own deletion appears, the second screen also has 7 people, but not Ada.
    first.type("u")
    let undone = try await second.lines { $0.contains { $0.hasPrefix("  Ada Lovelace") } }
    #expect(undone[0].hasSuffix(" 7"), "\(undone)")
  }

  @Test("control characters in contacts do not reach the terminal") func hostile() async throws {
    let name = "\u{1B}]0;owned\u{07}\u{9B}31m\u{202E}x"
    try #require(
      try Program.run("contacts", ["add", name, "Ab\u{1B}[2Jc", "--notes", name, file("sqlite")]).status == 0)
    let browser = try await browser()
    let lines = try await browser.lines { $0.last?.hasPrefix("/ search") == true }
    #expect(lines[0] == " contacts.sqlite   1")
    let output = String(decoding: browser.output, as: UTF8.self)
    #expect(!output.contains("\u{1B}]") && !output.contains("\u{07}") && !output.contains("\u{9B}"))
    #expect(!output.contains("\u{202E}") && output.components(separatedBy: "\u{1B}[2J").count <= 3)
  }

  @Test("a very small terminal works") func small() async throws {
    try fill()
    let sizes = [(1, 1), (5, 200), (3, 10), (60, 4)]
    for (lines, columns) in sizes.prefix(LongForm.size(sizes.count, or: 2)) {
      let browser = try await browser(lines: lines, columns: columns)
      browser.type("aGrace\tHopper\u{3}")
      browser.type("/an\r")
      browser.type("\u{1B}[6~\u{1B}[5~")
      browser.type("q")
      #expect(try await browser.exitCode() == 0)
    }
  }

  @Test("pasted text and unknown keys are not commands") func pasted() async throws {
    try fill()
    let browser = try await browser()
    // Alt-d, F1 and a paste in the list, then a paste in a form.
    browser.type("\u{1B}d\u{1B}OP\u{1B}[200~ddd\rq\u{1B}[201~")
    browser.type("a\u{1B}[200~Grace\nMurray\u{1B}[201~\u{1B}OP\tHopper\r")
    let lines = try await browser.lines { $0.count == 24 && $0[22].hasPrefix("Add") }
    #expect(lines[0] == " contacts.sqlite   8" && lines[22] == "Add Grace Murray Hopper")
  }

  @Test("the form shows that its person was deleted", arguments: LongForm.isWanted ? kinds : ["sqlite"])
  func gone(_ kind: String) async throws {
    try fill(kind)
    let browser = try await browser(kind)
    browser.type("Le")
    _ = try await browser.lines { $0.last?.hasPrefix("Enter save") == true }
    try #require(try Program.run("contacts", ["remove", "ada", file(kind)]).status == 0)
    _ = try await browser.lines { $0[0].hasSuffix(" 6") }
    browser.type("Augusta \r")
    let lines = try await browser.lines { $0.count == 24 && !$0[22].isEmpty }
    #expect(!lines[22].hasPrefix("Change") && lines[23].hasPrefix("Enter save"), "\(lines)")
    #expect(lines.contains { $0.contains("Ada Lovelace was deleted") })
  }

  /// Returns the message after a key or a change by another program.
  private func message(_ browser: TerminalProgram, _ start: String) async throws -> String {
    let lines = try await browser.lines { $0.count == 24 && $0[22].hasPrefix(start) }
    return lines.count == 24 ? lines[22] : ""
  }

  private func run(_ arguments: String..., kind: String = "sqlite") throws {
    let run = try Program.run("contacts", arguments + [file(kind)])
    try #require(run.status == 0, "\(run.errors)")
  }

  @Test("undo keeps the name that another process changed") func otherName() async throws {
    try fill()
    let browser = try await browser()
    browser.type("Le\u{15}Augusta\r")
    #expect(try await message(browser, "Change") == "Change Augusta Lovelace")
    try run("edit", "augusta", "--last-name", "Byron")
    _ = try await browser.lines { $0.contains { $0.contains("> Augusta Byron") } }
    browser.type("u")
    #expect(try await message(browser, "Undone") == "Undone: Change Augusta Lovelace")
    let text = try Program.run("contacts", ["list", file("sqlite")]).text
    #expect(text.contains("B\n  Charles Babbage\n  Ada Byron <ada@example.org>\nP\n"), "\(text)")
    browser.type("r")
    #expect(try await message(browser, "Redone") == "Redone: Change Augusta Lovelace")
    try run("remove", "augusta")
    _ = try await browser.lines { $0[0].hasSuffix(" 6") }
    browser.type("u")
    #expect(try await message(browser, "Another program has changed this") != "")
  }

  @Test("editing a person keeps groups that another process added") func otherGroups() async throws {
    try fill()
    let browser = try await browser()
    browser.type("Le\t\t\t\t")
    _ = try await browser.lines { $0.last?.hasPrefix("Enter save") == true }
    try run("group", "add", "Navy", "ada")
    browser.type(", Fun\r")
    // This process may learn of the other save only now.
    if try await browser.lines(when: { !$0[22].isEmpty })[22].hasPrefix("another program") { browser.type("\r") }
    #expect(try await message(browser, "Change") == "Change Ada Lovelace")
    #expect(try Program.run("contacts", ["show", "ada", file("sqlite")]).text.contains("groups: Fun, Navy, Work\n"))
    browser.type("e\t\t\t\t\u{15}Navy, Fun")
    _ = try await browser.lines { lines in
      lines.last?.hasPrefix("Enter save") == true && lines.contains { $0.contains("Navy, Fun") }
    }
    browser.type("\r")
    let saved = try await browser.lines { !$0[22].isEmpty }
    #expect(saved[22] == "Change Ada Lovelace", "\(saved)")
    #expect(try Program.run("contacts", ["show", "ada", file("sqlite")]).text.contains("groups: Fun, Navy\n"))
  }

  @Test(arguments: LongForm.isWanted ? kinds : ["store"])
  func `d does not delete the person that replaced a deleted one`(_ kind: String) async throws {
    try fill(kind)
    let browser = try await browser(kind)
    browser.type("L")
    _ = try await browser.lines { $0.contains { $0.contains("> Ada") } }
    try run("remove", "ada", kind: kind)
    #expect(try await message(browser, "Ada") == "Ada Lovelace is no longer in the list")
    browser.type("d/")
    var lines = try await browser.lines { $0.last?.hasPrefix("Enter keep") == true }
    #expect(lines[0].hasSuffix(" 6"))
    browser.type("\rd")
    lines = try await browser.lines { $0[0].hasSuffix(" 5") }
    #expect(lines[22].hasPrefix("Delete ") && lines[0].hasSuffix(" 5"))
  }

  @Test("when the shown group is deleted, all people are shown", arguments: LongForm.isWanted ? kinds : ["store"])
  func lostGroup(_ kind: String) async throws {
    try fill(kind)
    let browser = try await browser(kind)
    browser.type("\t")
    #expect(try await browser.lines { $0[0].contains("in Work") }[0] == " contacts.\(kind)   1 in Work")
    try run("group", "remove", "Work", kind: kind)
    #expect(try await browser.lines { !$0[0].contains("in Work") }[0] == " contacts.\(kind)   7")
  }

  @Test(arguments: LongForm.isWanted ? kinds : ["sqlite"])
  func `a removed file is reported immediately, and used again when it is back`(_ kind: String) async throws {
    try fill(kind)
    let browser = try await browser(kind)
    let (file, aside) = (folder.path("contacts." + kind), folder.path("aside"))
    try FileManager.default.moveItem(atPath: file, toPath: aside)
    let failure = try await browser.lines { $0.count == 24 && $0[22].contains("removed") }
    #expect(failure.count == 24 && failure[22].contains("removed"))
    try FileManager.default.moveItem(atPath: aside, toPath: file)
    let lines = try await browser.lines { $0[22].isEmpty }
    #expect(lines[22].isEmpty && lines.contains { $0.contains("Ada Lovelace") })
    browser.type("Ld")
    #expect(try await message(browser, "Delete").hasPrefix("Delete Ada Lovelace"))
  }

  @Test(arguments: LongForm.isWanted ? [SIGHUP, SIGINT, SIGTERM, SIGUSR1] : [SIGINT, SIGUSR1])
  func `a signal restores the terminal`(_ signal: Int32) async throws {
    try fill()
    let browser = try await browser()
    browser.send(signal)
    #expect(try await browser.exitCode() == nil)
    #expect(browser.endingSignal == signal)
    #expect(String(decoding: browser.output, as: UTF8.self).hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test("the terminal is used again after a stop") func stopped() async throws {
    try fill()
    let browser = try await browser()
    func count(_ text: String) -> Int {
      String(decoding: browser.output, as: UTF8.self).components(separatedBy: text).count - 1
    }
    for signal in [SIGSTOP, SIGTSTP] {
      let before = count("Ada Lovelace")
      browser.send(signal)
      // Before a stop that it can handle, the program restores the terminal.
      if signal == SIGTSTP { _ = try await browser.lines { _ in count("\u{1B}[?1049l") == 1 } }
      let lines = try await browser.lines { _ in
        browser.send(SIGCONT)
        return count("Ada Lovelace") > before
      }
      #expect(count("Ada Lovelace") > before && lines.last?.hasPrefix("/ search") == true)
    }
    #expect(count("\u{1B}[?1049l") == 1)
    browser.type("q")
    #expect(try await browser.exitCode() == 0)
  }
}
