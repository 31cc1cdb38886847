import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

/// The example program, run as a process once for each step, so that what it keeps survives only in its file.
@Suite("The notes example")
struct NotesTests {
  private func notes(_ arguments: String...) throws -> Program { try Program.run("notes", arguments) }

  @Test("notes are made, found, changed, removed and listed, in both kinds of file", arguments: ["plist", "archive"])
  func notesAreMade(_ kind: String) throws {
    let folder = try TemporaryFolder()
    let file = "--file=" + folder.path("notes." + kind)
    #expect(try notes("list", file).text == "")
    #expect(
      try notes(
        "add", file, "milk", "Buy milk", "--author", "Kael", "--text", "Two bottles", "--tag", "shop", "--tag", "home"
      )
      .status == 0)
    #expect(try notes("add", file, "call", "Call Zoë").status == 0)
    #expect(try notes("list", file).text == "milk\tBuy milk\ncall\tCall Zoë\n")

    #expect(try notes("edit", file, "milk", "--text", "Three bottles", "--published").status == 0)
    let shown = try notes("show", file, "milk").text
    #expect(shown.hasPrefix("Buy milk (published)\nby Kael, changed "))
    #expect(shown.hasSuffix("\ntags: shop, home\nThree bottles\n"))

    #expect(try notes("remove", file, "milk").status == 0)
    #expect(try notes("list", file).text == "call\tCall Zoë\n")
    #expect(folder.names == ["notes." + kind])
  }

  @Test("a key that is taken, or that nobody has, is an error and changes nothing")
  func aKeyThatIsTaken() throws {
    let folder = try TemporaryFolder()
    let file = "--file=" + folder.path("notes.archive")
    try #require(try notes("add", file, "a", "First").status == 0)
    let before = try Data(contentsOf: folder.url.appending(path: "notes.archive"))
    for arguments in [
      ["add", file, "a", "Second"], ["show", file, "b"], ["edit", file, "b"], ["remove", file, "b"],
    ] {
      let run = try Program.run("notes", arguments)
      #expect(run.status == 1)
      #expect(run.errors.hasPrefix("Error: there is "))
    }
    #expect(try Data(contentsOf: folder.url.appending(path: "notes.archive")) == before)
  }

  @Test("a file with anything else in it is an error, and stays as it is")
  func otherFiles() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "notes.archive")
    try KeyedArchiver.archive(["a": URL(filePath: "/")], to: url)
    let before = try Data(contentsOf: url)
    let run = try notes("add", "--file=\(url.path)", "a", "First")
    #expect(run.status == 1)
    #expect(run.errors.contains("NSURL"))
    #expect(try Data(contentsOf: url) == before)
  }
}
