import Foundation
import TestSupport
import Testing

/// An example that stores data in a file: how to add it, how to show it, and the expected output.
struct Example: CustomTestStringConvertible, Sendable {
  let program: String
  let add: [String]
  let find: [String]
  let found: String
  /// A file name with another extension than XML's.
  let other: String

  static let contacts = Example(
    program: "contacts", add: ["Ada", "Lovelace"], find: ["find", "ada"], found: "Ada Lovelace\n", other: "other.sqlite"
  )
  static let notes = Example(
    program: "notes", add: ["milk", "Buy milk"], find: ["list"], found: "milk\tBuy milk\n", other: "other.plist")

  var testDescription: String { program }
}

/// The name of the file that the program creates.
@Suite("The storage options of the examples") struct ExampleStoreTests {
  private let folder = TemporaryFolder(isInMemory: true)

  /// The environment in which the folder for data is in the folder of the test.
  private var environment: [String: String] { ["XDG_DATA_HOME": folder.path("data")] }

  private func add(_ example: Example, _ options: String...) throws -> Program {
    try Program.run(example.program, ["add"] + options + example.add, environment: environment, in: folder.url)
  }

  private func find(_ example: Example, _ options: String...) throws -> Program {
    try Program.run(example.program, example.find + options, environment: environment, in: folder.url)
  }

  /// The first bytes of a file of each kind, and its default name.
  static let kinds: [(Example, String, String, String)] = [
    (.contacts, "xml", "<?xml", "contacts.xml"), (.contacts, "binary", "bplist00", "contacts.store"),
    (.contacts, "sqlite", "SQLite format 3", "contacts.sqlite"), (.notes, "archive", "bplist00", "notes.archive"),
    (.notes, "plist", "<?xml", "notes.plist"), (.notes, "xml", "<?xml", "notes.xml"),
    (.notes, "binary", "bplist00", "notes.store"), (.notes, "sqlite", "SQLite format 3", "notes.sqlite"),
    (.notes, "table", "SQLite format 3", "notes.db"),
  ]

  /// Returns all kinds, or in the normal form only those with the given default names.
  private static func wanted(or short: String...) -> [(Example, String, String, String)] {
    LongForm.isWanted ? kinds : kinds.filter { short.contains($0.3) }
  }

  @Test(
    "--store chooses the kind of file, whatever its name",
    arguments: wanted(or: "notes.plist", "contacts.sqlite", "notes.db"))
  func whateverItsName(_ example: Example, _ kind: String, _ start: String, _ name: String) throws {
    // A name of another kind.
    let file = kind == "xml" ? example.other : "other.xml"
    #expect(try add(example, "--store", kind, "--file", file).status == 0)
    #expect(folder.names == [file])
    #expect(try Data(contentsOf: folder.url.appending(path: file)).starts(with: Data(start.utf8)))
    #expect(try find(example, "--store", kind, "--file", file).text == example.found)
    // The extension is that of another kind.
    #expect(try find(example, "--file", file).status == 1)
    #expect(folder.names == [file])
  }

  @Test(
    "without a name, each kind has its own file in the folder for data",
    arguments: wanted(or: "notes.archive", "contacts.store", "notes.xml"))
  func noName(_ example: Example, _ kind: String, _ start: String, _ name: String) throws {
    #expect(try add(example, "--store", kind).status == 0)
    #expect(folder.names == ["data"])
    let file = "data/\(example.program)/\(name)"
    let parent = folder.url.appending(path: file).deletingLastPathComponent()
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == [name])
    let attributes = try FileManager.default.attributesOfItem(atPath: parent.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    #expect(try find(example, "--store", kind).text == example.found)
    // The extension decides the kind.
    #expect(try find(example, "--file", file).text == example.found)
  }

  @Test(arguments: [Example.contacts, .notes]) func `a store in memory writes no file`(_ example: Example) throws {
    #expect(try add(example, "--store", "memory").status == 0)
    let list = try Program.run(example.program, ["list", "--store", "memory"], in: folder.url)
    #expect(list.status == 0 && list.text == "" && folder.names.isEmpty)
  }

  @Test func `a store in memory also reports invalid values`() throws {
    let run = try Program.run("contacts", ["add", "--store", "memory", "Ada", ""], in: folder.url)
    #expect(run.errors == "Error: the last name is missing\n" && folder.names.isEmpty)
  }

  @Test(arguments: [
    ("contacts", ["list", "--store", "floppy"], "'floppy' is invalid for '--store <store>'"),
    ("contacts", ["list", "--store", "memory", "--file", "a"], "A store in memory has no file"),
    ("notes", ["list", "--store", "floppy"], "'floppy' is invalid for '--store <store>'"),
    ("notes", ["list", "--store", "memory", "--file", "a"], "A store in memory has no file"),
    ("notes", ["list", "--store"], "Missing value for '--store <store>'"),
  ])
  func `the help lists the kinds`(_ program: String, _ arguments: [String], _ message: String) throws {
    let run = try Program.run(program, arguments, in: folder.url)
    #expect(run.status == 64)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(folder.names.isEmpty)
  }
}
