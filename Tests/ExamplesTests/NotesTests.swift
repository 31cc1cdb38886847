import Foundation
import KeyedArchiving
import ManagedObjects
import PropertyLists
import SQLiteStore
import TestSupport
import Testing

/// The example program. Each step is a separate process, so only its file keeps the data.
@Suite("The notes example") struct NotesTests {
  private let folder = TemporaryFolder(isInMemory: true)

  /// The model of the program's stores, built separately.
  private static var model: ManagedObjectModel {
    get throws {
      var note = EntityDescription(
        "Note",
        [
          .attribute("key", .string, isOptional: false), .attribute("added", .date, isOptional: false),
          .attribute("title", .string, isOptional: false), .attribute("author", .string, isOptional: false),
          .attribute("text", .string, isOptional: false), .attribute("changed", .date, isOptional: false),
          .attribute("isPublished", .boolean, isOptional: false),
          .relationship("tags", to: "Tag", inverse: "notes", isToMany: true, isOrdered: true),
        ])
      note.uniquenessConstraints = [["key"]]
      var tag = EntityDescription(
        "Tag",
        [
          .attribute("name", .string, isOptional: false),
          .relationship("notes", to: "Note", inverse: "tags", isToMany: true),
        ])
      tag.uniquenessConstraints = [["name"]]
      return try ManagedObjectModel(entities: [note, tag])
    }
  }

  private func notes(_ arguments: String...) throws -> Program { try Program.run("notes", arguments) }

  /// The file extensions. By default, a session of several processes uses only one of them.
  static let kinds = ["plist", "archive", "xml", "store", "sqlite", "db"]

  /// The kinds of files that several processes can change at the same time.
  static let sharedKinds = ["xml", "store", "sqlite", "db"]

  @Test(arguments: LongForm.isWanted ? kinds : ["sqlite"])
  func `notes are added, shown, changed, removed and listed in all kinds of file`(_ kind: String) throws {
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

  @Test(arguments: LongForm.isWanted ? kinds : ["archive"])
  func `an existing or missing key is an error and changes nothing`(_ kind: String) throws {
    let file = "--file=" + folder.path("notes." + kind)
    try #require(try notes("add", file, "a", "First").status == 0)
    let before = try Data(contentsOf: folder.url.appending(path: "notes." + kind))
    for arguments in [
      ["add", file, "a", "Second"], ["show", file, "b"], ["edit", file, "b"], ["remove", file, "b"],
    ] {
      let run = try Program.run("notes", arguments)
      #expect(run.status == 1)
      #expect(run.errors.hasPrefix("Error: the note \""))
    }
    #expect(try Data(contentsOf: folder.url.appending(path: "notes." + kind)) == before)
  }

  @Test func `a file with other contents is an error, and is left unchanged`() throws {
    let url = folder.url.appending(path: "notes.archive")
    try KeyedArchiver.archive(["a": URL(filePath: "/")], to: url)
    let before = try Data(contentsOf: url)
    let run = try notes("add", "--file=\(url.path)", "a", "First")
    #expect(run.status == 1)
    #expect(run.errors.contains("NSURL"))
    #expect(try Data(contentsOf: url) == before)
  }

  @Test(arguments: LongForm.isWanted ? ["xml", "store", "sqlite"] : ["store"])
  func `a tag is one object for all notes, and is deleted with the last one`(_ kind: String) throws {
    let url = folder.url.appending(path: "notes." + kind)
    let file = "--file=" + url.path
    func tags() throws -> Int {
      let store: PersistentStoreDescription = kind == "xml" ? .xml(url) : kind == "store" ? .binary(url) : .sqlite(url)
      let container = try PersistentContainer(model: Self.model, stores: [store])
      return try container.performAndWait { try $0.count(for: FetchRequest("Tag")) }
    }
    try #require(try notes("add", file, "a", "First", "--tag", "home", "--tag", "shop").status == 0)
    try #require(try notes("add", file, "b", "Second", "--tag", "shop").status == 0)
    #expect(try tags() == 2)
    try #require(try notes("edit", file, "a", "--tag", "shop").status == 0)
    #expect(try tags() == 1)
    try #require(try notes("remove", file, "a").status == 0)
    try #require(try notes("remove", file, "b").status == 0)
    #expect(try tags() == 0)
  }

  @Test(.serialized, arguments: LongForm.isWanted ? sharedKinds : ["db"])
  func `processes that add notes at the same time lose none`(_ kind: String) async throws {
    let file = "--file=" + folder.path("notes." + kind)
    let count = LongForm.size(12, or: 4)
    let runs = try await Program.runAtTheSameTime(
      "notes", (0..<count).map { ["add", file, "key\($0)", "Note", "--tag", "shop", "--tag", "tag\($0 % 3)"] })
    for run in runs { #expect(run.status == 0, "\(run.errors)") }
    #expect(try notes("list", file).text.split(separator: "\n").count == count)
    for number in count - LongForm.size(3, or: 1)..<count {
      #expect(try notes("show", file, "key\(number)").text.contains("\ntags: shop, tag\(number % 3)\n"))
    }
  }

  @Test(.serialized, arguments: LongForm.isWanted ? sharedKinds : ["xml"])
  func `processes that change one note at the same time lose no change`(_ kind: String) async throws {
    let file = "--file=" + folder.path("notes." + kind)
    try #require(try notes("add", file, "a", "First").status == 0)
    let runs = try await Program.runAtTheSameTime(
      "notes",
      [
        ["edit", file, "a", "--title", "Second"], ["edit", file, "a", "--author", "Kael"],
        ["edit", file, "a", "--text", "Milk"], ["edit", file, "a", "--published"],
        ["edit", file, "a", "--tag", "shop"],
      ])
    for run in runs { #expect(run.status == 0, "\(run.errors)") }
    let shown = try notes("show", file, "a").text
    #expect(shown.hasPrefix("Second (published)\nby Kael, changed "))
    #expect(shown.hasSuffix("\ntags: shop\nMilk\n"))
  }

  @Test func `a store of another program is an error, and is left unchanged`() throws {
    let url = folder.url.appending(path: "notes.xml")
    _ = try XMLStore(url, model: ManagedObjectModel(entities: [EntityDescription("Invoice")]))
    let before = try Data(contentsOf: url)
    let run = try notes("list", "--file=\(url.path)")
    #expect(run.status == 1)
    #expect(run.errors.contains("Invoice") && run.errors.contains("Note"))
    #expect(try Data(contentsOf: url) == before)
  }
}
