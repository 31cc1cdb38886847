import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SystemFiles
import ToolSupport

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "import",
    abstract: "Add objects from a CSV or JSON file.",
    discussion: """
      All objects are saved in one transaction, or none. The rules of the model are enforced, and inverse \
      relationships are updated. The file has a form that fetch prints: a JSON array, a JSON object on each line, or \
      CSV whose first line names the attributes. Values can be in tagged forms (see Documentation/JSON.md) or plain. \
      In CSV, an empty field is nil, and "" is an empty text. Attributes that are missing from a record get the \
      defaults of the model in a new object, and keep their values in a changed object.

      A relationship is an object ID, such as Person/p3, or an array of IDs. A column author.name, or --map \
      COLUMN=author.name, finds the author by the value of its attribute; such an object can also be in the same file. \
      @id is read only with --key @id, and @entity names a subentity of ENTITY.

      With --key, a record changes the object of the store that has the same values of the key attributes. If there is \
      no such object, it adds one.

      Objects are written to SQLite in batches of 10 000, and only the keys of the others are in memory. XML and \
      binary stores are kept in memory as a whole. With --dry-run, each change is printed, and nothing is saved.

      Examples:
        storeutil import Notes.sqlite Person people.csv --map Name=name --ignore Remarks
        storeutil import Notes.sqlite Note notes.json --key title --dry-run
        storeutil fetch Notes.sqlite Note --keys title,created,author.name | storeutil import Copy.sqlite Note -
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Argument(help: ArgumentHelp("The entity of the objects.", valueName: "entity"))
  var entity: String

  @Argument(file: "The file; - for standard input.", "file")
  var file: String

  @Option(
    help: ArgumentHelp(
      "The format of the file, csv or json. Without it, the name or the beginning of the file decides.",
      valueName: "form"))
  var format: ImportFormat?

  @Option(
    help: ArgumentHelp(
      "Import a column into this property, or find the objects of a relationship by an attribute: author.name.",
      valueName: "column=property"))
  var map: [ColumnMapping] = []

  @Option(help: ArgumentHelp("Ignore a column.", valueName: "column"))
  var ignore: [String] = []

  @Option(
    help: ArgumentHelp(
      "Change the object whose ATTRIBUTE has the same value, instead of adding one. With several --key options, "
        + "the object must match all of them. @id finds objects by ID, and cannot be combined with others.",
      valueName: "attribute"))
  var key: [String] = []

  @Option(
    help: ArgumentHelp(
      "The time zone of dates without one: local, a name such as Europe/Berlin, or an offset such as +02:00. Without "
        + "this option, such dates are an error, except days, which begin in UTC.", valueName: "zone"))
  var timeZone: LocalTime?

  @Option(
    help: ArgumentHelp(
      "In CSV, TEXT separates the elements of an array, as in fetch --list-separator. Without it, arrays are JSON.",
      valueName: "text"))
  var listSeparator: String?

  @Flag(
    help: """
      In CSV, read an empty field as an empty text instead of nil. For attributes of other types, it is then an error.
      """)
  var emptyAsText = false

  @OptionGroup var change: ChangeArguments

  func validate() throws {
    if listSeparator == "" { throw ValidationError("--list-separator needs at least one character.") }
  }

  func run() throws {
    try opening.refuseImmutable()
    let input = try TextInput(file)
    let opened = try opening.open(
      storePath, isReadOnly: false, isTrial: change.dryRun, allowsTriggers: change.allowTriggers)
    let entity = try opened.entity(self.entity)
    let columns = try ImportColumns(entity, map, ignored: ignore)
    let values = ImportedValues(timeZone: timeZone, listSeparator: listSeparator)
    let drafting = try RecordDrafting(opened, entity, columns, values, keys: key)
    Signals.deferInterruption()
    Signals.endWaiting()
    let work = try ObjectImport(opened, entity, file: input.name, drafting, isDryRun: change.dryRun)
    do { try read(input, drafting, work) } catch {
      // A signal ends the input early, which may be the cause of the error.
      try NewStoreArguments.checkInterruption()
      throw error
    }
    try output(summary(work.counts))
  }

  private func read(_ input: TextInput, _ drafting: RecordDrafting, _ work: ObjectImport) throws {
    switch try format ?? ImportFormat(of: file, input) {
    case .csv:
      var reader: CSVRecordReader
      do { reader = try CSVRecordReader(input, readsEmptyAsText: emptyAsText) } catch { throw failure(error, input) }
      try drafting.check(reader.header, in: input.name)
      try work.run(&reader)
    case .json:
      if listSeparator != nil { throw ValidationError("--list-separator works only with CSV.") }
      if emptyAsText { throw ValidationError("--empty-as-text works only with CSV.") }
      var reader = JSONRecordReader(input)
      try work.run(&reader, finally: drafting.checkMappings)
    }
  }

  private func failure(_ error: PropertyListError, _ input: TextInput) -> any Error {
    guard error.position != nil else { return error }
    var failure = ImportError()
    failure.add(error, in: input.name, at: nil)
    return failure
  }

  private func summary(_ counts: ObjectImport.Counts) -> String {
    var parts = ["\(grouped(counts.inserted)) inserted"]
    if !key.isEmpty { parts += ["\(grouped(counts.updated)) updated", "\(grouped(counts.unchanged)) unchanged"] }
    return parts.joined(separator: ", ") + (change.dryRun ? "; nothing was saved" : "")
  }
}

/// The formats of files with objects.
enum ImportFormat: String, CaseIterable, ExpressibleByArgument {
  case csv, json

  /// Detects the format of a file by its name, or by its first visible character.
  init(of path: String, _ input: TextInput) throws(PropertyListError) {
    switch URL(filePath: path).pathExtension.lowercased() {
    case "csv": self = .csv
    case "json", "jsonl", "ndjson": self = .json
    default:
      try input.takeByteOrderMark()
      try input.skipWhitespace()
      let first = try input.peek()
      self = first == UInt8(ascii: "[") || first == UInt8(ascii: "{") ? .json : .csv
    }
  }
}
