import ArgumentParser
import FoundationEssentials
import ManagedObjects
import SQLiteStore
import SystemFiles
import ToolSupport

struct Vacuum: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "vacuum",
    abstract: "Make the file of an SQLite store smaller.",
    discussion: """
      The file is rebuilt without free pages, in one transaction. Objects and their IDs stay the same, and other \
      programs can have the store open. While one of them reads, the file becomes smaller later. This needs free space \
      of up to twice the size of the file.

      Prints the size of the file before and after.

      Example: storeutil vacuum Notes.sqlite --analyze
      """)

  @Argument(file: "The file of the store.", "store")
  var path: String

  @OptionGroup var opening: OpeningArguments

  @Flag(help: "Also collect statistics about indexes, which can make requests faster.")
  var analyze = false

  func run() throws {
    try opening.refuseImmutable()
    guard let store = try opening.open(path, isReadOnly: false).store as? SQLiteStore else {
      throw ValidationError("\(path.printable()) is not an SQLite store; only these can be made smaller.")
    }
    let size = FileSystem.sizeOfRegularFile(path) ?? 0
    try store.vacuum()
    if analyze { try store.analyze() }
    note("\(grouped(size)) bytes before, \(grouped(FileSystem.sizeOfRegularFile(path) ?? 0)) bytes after")
  }
}
