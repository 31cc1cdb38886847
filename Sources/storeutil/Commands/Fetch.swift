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
      on standard error names the file. notes.@count is the number of objects of a to-many relationship.

      --group-by prints a line for each group of objects that have the same values: the keys that they are grouped by, \
      and aggregates of the group. @count is the number of its objects; @count.KEY, @sum.KEY, @avg.KEY, @min.KEY and \
      @max.KEY are about the values that are not null. Aggregates without --group-by are of all objects. Groups can be \
      sorted by whatever is printed.

      Examples:
        storeutil fetch Notes.sqlite Note 'title CONTAINS[cd] "milk"' --keys title,author.name --csv
        storeutil fetch Notes.sqlite Note 'author == "Person/p3"'
        storeutil fetch Notes.sqlite Note --sort created:desc --limit 10 --plain | jq -r '.[].created'
        storeutil fetch Notes.sqlite Note --csv --time-zone Europe/Berlin --list-separator ';'
        storeutil fetch Notes.sqlite Note --group-by author.name --keys author.name,@count --sort @count:desc
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

  @Option(
    name: .customLong("keys"),
    help: ArgumentHelp(
      "Print these key paths, with commas between them. Can be given several times.", valueName: "keys"))
  var keyLists: [String] = []

  @Option(
    help: ArgumentHelp("Print groups of objects that have the same values at these key paths.", valueName: "keys"))
  var groupBy: String?

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
    let keys = keyLists.isEmpty ? nil : keyLists.joined(separator: ",")
    var request = try self.request.request(entity, opened)
    let descriptors = try sort.map(Self.sortDescriptor)
    if let groups = try ObjectGroups(groupBy: groupBy, keys: keys, of: entity) {
      return try printGroups(groups, groups.request(request), descriptors, opened)
    }
    request.sortDescriptors = descriptors
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
        // If the output has failed, this throws the same error again.
        try writer.finish()
        throw error
      }
      progress.clear()
    }
    try writer.finish()
    try reader.defects.tell()
  }

  private func printGroups(
    _ groups: ObjectGroups, _ request: FetchRequest, _ descriptors: [FetchRequest.SortDescriptor], _ opened: OpenStore
  ) throws {
    if unwrap || skipUnreadable {
      throw ValidationError("--unwrap and --skip-unreadable are for objects, and not for groups.")
    }
    let reader = ObjectReader(opened)
    var values = try reader.groups(request)
    try groups.sort(&values, by: descriptors)
    var writer = form.writer(groups.columns.map(\.name), opened.model)
    for group in values.dropFirst(offset ?? 0).prefix(limit ?? .max) {
      try writer.write(group.map { reader.propertyList($0) }, of: nil)
    }
    try writer.finish()
  }

  private static func sortDescriptor(_ text: String) throws -> FetchRequest.SortDescriptor {
    for (ending, isAscending) in [(":desc", false), (":asc", true)] where text.hasSuffix(ending) {
      return FetchRequest.SortDescriptor(String(text.dropLast(ending.count)), isAscending: isAscending)
    }
    if text.contains(":") { throw ValidationError("--sort: behind the colon of \(text.quoted) is asc or desc.") }
    return FetchRequest.SortDescriptor(text)
  }
}

/// The options that select objects.
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
