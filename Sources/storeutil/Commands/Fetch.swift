import ArgumentParser
import ManagedObjects
import PropertyLists
import ToolSupport

struct Fetch: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "fetch",
    abstract: "Print the objects of an entity.",
    discussion: """
      A predicate is written as NSPredicate has it. Beyond that, a text that is compared with an object is its name: \
      author == "Person/p3", SELF IN {"p3", "p4"}; and one that is compared with a UUID, a URL or a date stands for \
      that: taken > "2026-06-01".

      On a terminal objects are rows of a table; elsewhere they are JSON, \
      with the name of an object as "@id", and of its entity as "@entity". Dates are {"$date": …}, data {"$data": …} and \
      floats {"$float": …} there, as plistutil --coerce writes them, and plain texts and numbers with --plain; a to-one \
      relationship is the name of an object or null, a to-many one an array of names. Decimal numbers, UUIDs and URLs are \
      text; a composite attribute is an object with its leaves. Documentation/JSON.md has all forms.

      Key paths of --keys go through relationships: author.name, notes.title, which is an array. Tables and CSV leave out \
      to-many relationships unless they are named. A value whose file beside the store is missing is null, and an error \
      on standard error names the file.

      Examples:
        storeutil fetch Notes.sqlite Note 'title CONTAINS[cd] "milk"' --keys title,author.name --csv
        storeutil fetch Notes.sqlite Note 'author == "Person/p3"'
        storeutil fetch Notes.sqlite Note --sort created:desc --limit 10 --plain | jq -r '.[].created'
        storeutil fetch Notes.sqlite Note --csv --time-zone Europe/Berlin --list-separator ';'
      """)

  @OptionGroup var store: StoreArguments
  @OptionGroup var request: RequestArguments

  @Option(
    help: ArgumentHelp("Sort by a key path, descending with :desc; the first counts most.", valueName: "key[:desc]"))
  var sort: [String] = []

  @Option(help: ArgumentHelp("Print at most N objects.", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Leave out the first N objects.", valueName: "n"))
  var offset: Int?

  @Option(help: ArgumentHelp("Print these key paths, with commas between them.", valueName: "keys"))
  var keys: String?

  @Flag(
    help: """
      Open property lists, keyed archives, typedstreams and compiled nibs in binary and transformable values, as deep as \
      they go.
      """)
  var unwrap = false

  @Flag(
    help: """
      Leave out objects with values that cannot be read, and name them on standard error; the exit code is 2 then. \
      Without it, the first such object is an error, after the objects before it are printed.
      """)
  var skipUnreadable = false

  @OptionGroup var form: FormArguments

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is at least 0.") }
    if let offset, offset < 0 { throw ValidationError("--offset is at least 0.") }
  }

  func run() throws {
    let opened = try store.open()
    let entity = try opened.entity(request.entity)
    var request = try self.request.request(entity, opened)
    request.sortDescriptors = try sort.map(Self.sortDescriptor)
    request.fetchOffset = offset ?? 0
    request.fetchLimit = limit ?? 0
    let columns =
      try keys.map { try ObjectColumn.columns($0, of: entity) }
      ?? ObjectColumn.all(of: entity, includesToMany: form.form.includesToMany)
    var writer = form.writer(columns.map(\.name), opened.model)
    let reader = ObjectReader(opened, unwraps: unwrap, skipsUnreadable: skipUnreadable)
    if limit != 0 {
      let keys = try reader.keys(request)
      var progress = ProgressBar(total: keys.count, unit: "objects")
      do {
        try reader.forEach(keys, columns) { key, values in
          try writer.write(values, of: key)
          progress.advance()
        }
      } catch {
        progress.clear()
        // An error of the output comes again.
        try writer.finish()
        throw error
      }
      progress.clear()
    }
    try writer.finish()
    try reader.faults.tell()
  }

  private static func sortDescriptor(_ text: String) throws -> FetchRequest.SortDescriptor {
    for (ending, isAscending) in [(":desc", false), (":asc", true)] where text.hasSuffix(ending) {
      return FetchRequest.SortDescriptor(String(text.dropLast(ending.count)), isAscending: isAscending)
    }
    if text.contains(":") { throw ValidationError("--sort: behind the colon of \(text.quoted) is asc or desc.") }
    return FetchRequest.SortDescriptor(text)
  }
}

/// Which objects are meant.
struct RequestArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The entity of the objects.", valueName: "entity"))
  var entity: String

  @Argument(help: ArgumentHelp("The condition that they meet, such as 'age > 30'.", valueName: "predicate"))
  var predicate: String?

  @Flag(help: "Leave out objects of entities that inherit from it.")
  var excludeSubentities = false

  func request(_ entity: ManagedObjectModel.Entity, _ opened: OpenStore) throws -> FetchRequest {
    var request = FetchRequest(entity.name)
    request.predicate = try predicate.map { try opened.predicate($0, for: entity) }
    request.includesSubentities = !excludeSubentities
    return request
  }
}
