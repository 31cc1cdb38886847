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
    abstract: "Create a store, empty or with the objects of a file.",
    discussion: """
      The file of --from is a JSON object with an array of objects for each entity. Values have the forms that fetch \
      prints. @id is any text that other objects of the file use to refer to the object; in the store, objects get new \
      IDs. A relationship is such a text or an array of them; a key such as author.name finds the author by an \
      attribute. An object needs no @id if no other object refers to it by one. The arrays that fetch prints can be \
      used as they are. On an error, no store is created.

        {
          "Person": [{"@id": "ada", "name": "Ada"}],
          "Note": [{"title": "On the engine", "author": "ada"}, {"title": "Letters", "author.name": "Ada"}]
        }

      Examples:
        storeutil create Notes.xcdatamodeld Notes.sqlite
        storeutil create Notes.xcdatamodeld Notes.sqlite --from notes.json
      """)

  @Argument(file: "The model file, or a store that contains the model.", "model")
  var model: String

  @Argument(file: "The new file.", "file")
  var outfile: String

  @OptionGroup var kind: NewStoreArguments

  @Option(file: "A JSON file with the objects of the store; - for standard input.", "file", name: .customLong("from"))
  var source: String?

  @Option(
    help: ArgumentHelp(
      "The time zone of dates without one in the file: local, a name such as Europe/Berlin, or an offset such as "
        + "+02:00.", valueName: "zone"))
  var timeZone: LocalTime?

  @Option(help: ArgumentHelp("The version to use of a model with several versions.", valueName: "name"))
  var version: String?

  @OptionGroup var opening: OpeningArguments

  func validate() throws {
    if timeZone != nil, source == nil { throw ValidationError("--time-zone works only with --from.") }
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
