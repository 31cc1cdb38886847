import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SQLiteStore
import SystemFiles
import ToolSupport

struct Create: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "create",
    abstract: "Make a store, with the objects of a file or without objects.",
    discussion: """
      The file of --from is an object of JSON with an array of objects for each entity. Values have the forms that fetch \
      writes. @id is any text by which other objects of the file refer to an object; the objects get names of their own \
      in the store. A relationship is such a text or an array of them, or author.name finds the author by a value. An \
      object without @id is one that no other refers to by a text. The arrays that fetch prints can be put together as \
      they are. On an error there is no new store.

        {
          "Person": [{"@id": "ada", "name": "Ada"}],
          "Note": [{"title": "On the engine", "author": "ada"}, {"title": "Letters", "author.name": "Ada"}]
        }

      Examples:
        storeutil create Notes.xcdatamodeld Notes.sqlite
        storeutil create Notes.xcdatamodeld Notes.sqlite --from notes.json
      """)

  @Argument(file: "The file of the model, or of a store with the model.", "model")
  var model: String

  @Argument(file: "The new file.", "file")
  var outfile: String

  @OptionGroup var kind: NewStoreArguments

  @Option(file: "The objects of the store, in a file of JSON; - for standard input.", "file", name: .customLong("from"))
  var source: String?

  @Option(
    help: ArgumentHelp(
      "The zone of dates in the file that have none: local, a name such as Europe/Berlin, or +02:00.", valueName: "zone"
    ))
  var timeZone: LocalTime?

  @Option(help: ArgumentHelp("Of a model with several versions, this one.", valueName: "name"))
  var version: String?

  @OptionGroup var opening: OpeningArguments

  func validate() throws {
    if timeZone != nil, source == nil { throw ValidationError("--time-zone goes with --from.") }
  }

  func run() throws {
    let model = try NamedModel(model, version: version, opening).model
    guard let source else { return try kind.create(outfile, model) }
    try kind.checkNew(outfile)
    let input = try TextInput(source)
    var count = 0
    try kind.create(outfile, model) { store in
      Signals.endWaiting()
      let opened = OpenStore(store)
      let drafting = RecordDrafting(opened, ImportedValues(timeZone: timeZone, listSeparator: nil))
      let work = try ObjectImport(opened, nil, file: input.name, drafting, isDryRun: false)
      var reader = JSONRecordReader(input, hasEntities: true)
      try work.run(&reader)
      count = work.counts.inserted
    }
    try output("\(grouped(count)) inserted")
  }
}
