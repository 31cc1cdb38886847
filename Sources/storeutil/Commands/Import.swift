import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SystemFiles
import ToolSupport

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "import",
    abstract: "Add objects from a file of CSV or JSON.",
    discussion: """
      All objects are saved in one transaction, or none. The rules of the model hold, and inverse relationships follow. \
      The file has the forms that fetch writes: an array of JSON, an object of JSON on each line, or CSV whose first \
      line names the attributes. Values can be in tagged forms (see Documentation/JSON.md) or plain. In CSV, an empty \
      field is nil, and "" is an empty text. Attributes that a record does not have get the defaults of the model, or \
      stay as they are.

      A relationship is an object ID, such as Person/p3, or an array of IDs. A column author.name, or --map \
      COLUMN=author.name, finds the author by the value of its attribute; such an object can also be in the same file. \
      @id is read only with --key @id, and @entity names an entity that inherits from ENTITY.

      With --key, an object of the store with the same values of the key attributes is changed, and others are added.

      Into a store in SQLite, objects go 10 000 at a time, and only keys of the others are in memory. Other stores are in \
      memory as a whole. With --dry-run, all is done and taken back, and each change is printed.

      Examples:
        storeutil import Notes.sqlite Person people.csv --map Name=name --ignore Remarks
        storeutil import Notes.sqlite Note notes.json --key title --dry-run
        storeutil fetch Notes.sqlite Note --keys title,created,author.name | storeutil import Copy.sqlite Note -
      """)

  @OptionGroup var store: StoreArguments

  @Argument(help: ArgumentHelp("The entity of the objects.", valueName: "entity"))
  var entity: String

  @Argument(file: "The file; - for standard input.", "file")
  var file: String

  @Option(
    help: ArgumentHelp(
      "The form of the file, csv or json. Without it, the name says so, or how the file begins.", valueName: "form"))
  var format: ImportFormat?

  @Option(
    help: ArgumentHelp(
      "The property that a column is for, or an attribute of the objects that a relationship refers to: author.name.",
      valueName: "column=property"))
  var map: [ColumnMapping] = []

  @Option(help: ArgumentHelp("Leave out a column.", valueName: "column"))
  var ignore: [String] = []

  @Option(
    help: ArgumentHelp(
      "Change the object that has the same value of ATTRIBUTE, instead of adding one. Of several, all values are the same. "
        + "@id finds objects by ID.", valueName: "attribute"))
  var key: [String] = []

  @Option(
    help: ArgumentHelp(
      "The zone of dates that have none: local, a name such as Europe/Berlin, or +02:00. Without it such dates are an "
        + "error, but for days, which begin in UTC.", valueName: "zone"))
  var timeZone: LocalTime?

  @Option(
    help: ArgumentHelp(
      "In CSV, TEXT is between the elements of an array, as fetch --list-separator writes them. Without it, arrays are "
        + "JSON.", valueName: "text"))
  var listSeparator: String?

  @Flag(
    help: """
      In CSV, an empty field is an empty text, and not nil. For attributes of other types it is an error then.
      """)
  var emptyAsText = false

  @OptionGroup var change: ChangeArguments

  func validate() throws {
    if listSeparator == "" { throw ValidationError("--list-separator takes at least one character.") }
  }

  func run() throws {
    try store.opening.refuseImmutable()
    let input = try TextInput(file)
    let opened = try store.open(isReadOnly: false, isTrial: change.dryRun, allowsTriggers: change.allowTriggers)
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
      if listSeparator != nil { throw ValidationError("--list-separator is for CSV.") }
      if emptyAsText { throw ValidationError("--empty-as-text is for CSV.") }
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
