import ArgumentParser
import FoundationEssentials
import ManagedObjects
import ToolSupport

struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "convert",
    abstract: "Write the objects of a store into a new store of another kind.",
    discussion: """
      In an SQLite store, each entity has its own series of primary keys, and objects keep their keys. In an XML or \
      binary store, all objects share one series: they keep their keys only if no two objects have the same one. The \
      new store has a UUID of its own, and appears when it is complete.

      Objects are written to SQLite in batches: a million objects take about 50 MB of memory. XML and binary stores \
      are built in memory: a million small objects take about 1 GB, and large values twice their size.

      Example: storeutil convert Notes.xml Notes.sqlite --type sqlite --model Notes.momd
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Argument(file: "The new file.", "file")
  var outfile: String

  @OptionGroup var kind: NewStoreArguments

  func run() throws {
    try kind.checkNew(outfile)
    let opened = try opening.open(storePath)
    try kind.create(outfile, opened.model) { target in
      try target.insertObjects(of: opened.store) { () throws(ManagedObjectError) in
        if Signals.interruptedBy != nil { throw ManagedObjectError(.operation, "the conversion was interrupted") }
      }
    }
  }
}
