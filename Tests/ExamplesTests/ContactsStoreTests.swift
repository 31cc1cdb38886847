import Foundation
import TestSupport
import Testing

/// Which file the program makes.
@Suite("The contacts example keeps contacts where it is asked to") struct ContactsStoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  private func contacts(_ arguments: String...) throws -> Program {
    try Program.run("contacts", arguments, in: folder.url)
  }

  /// How a file of each kind begins, and the name that it has if none is given.
  static let kinds = [
    ("xml", "<?xml", "contacts.xml"), ("binary", "bplist00", "contacts.store"),
    ("sqlite", "SQLite format 3", "contacts.sqlite"),
  ]

  @Test("in a file of the kind that is asked for, whatever its name", arguments: kinds)
  func whateverItsName(_ kind: String, _ start: String, _ name: String) throws {
    // The name of another kind.
    let file = kind == "xml" ? "other.sqlite" : "other.xml"
    #expect(try contacts("add", "--store", kind, "--file", file, "Ada", "Lovelace").status == 0)
    #expect(folder.names == [file])
    #expect(try Data(contentsOf: folder.url.appending(path: file)).starts(with: Data(start.utf8)))
    #expect(try contacts("find", "ada", "--store", kind, "--file", file).text == "Ada Lovelace\n")
    // By its name it is another one.
    #expect(try contacts("find", "ada", "--file", file).status == 1)
    #expect(folder.names == [file])
  }

  @Test("in a file of its own for each kind, if no name is given", arguments: kinds)
  func noName(_ kind: String, _ start: String, _ name: String) throws {
    #expect(try contacts("add", "--store", kind, "Ada", "Lovelace").status == 0)
    #expect(folder.names == [name])
    // Its name tells its kind.
    #expect(try contacts("find", "ada", "--file", name).text == "Ada Lovelace\n")
  }

  @Test func `in memory, and nowhere else`() throws {
    #expect(try contacts("add", "--store", "memory", "Ada", "Lovelace").status == 0)
    let list = try contacts("list", "--store", "memory")
    #expect(list.status == 0 && list.text == "" && folder.names.isEmpty)
    // What the book would not take is said there, too.
    #expect(try contacts("add", "--store", "memory", "Ada", "").errors == "Error: the last name is missing\n")
  }

  @Test(arguments: [
    (["list", "--store", "floppy"], "'floppy' is invalid for '--store <store>'"),
    (["list", "--store", "memory", "--file", "a"], "A store in memory has no file"),
  ])
  func `and says what it can be asked for`(_ arguments: [String], _ message: String) throws {
    let run = try Program.run("contacts", arguments, in: folder.url)
    #expect(run.status == 64)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(folder.names.isEmpty)
  }
}
