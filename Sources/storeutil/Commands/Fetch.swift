import ArgumentParser
import ManagedObjects
import PropertyLists
import SQLiteStore
import ToolSupport

struct Fetch: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "fetch",
    abstract: "Print the objects of an entity.",
    discussion: """
      A predicate has the syntax of NSPredicate. In addition, a string that is compared with an object is an object \
      ID: author == "Person/p3", SELF IN {"p3", "p4"}. A string that is compared with a UUID, a URL or a date is \
      converted to that type: taken > "2026-06-01".

      On a terminal, objects are printed as a table; otherwise as JSON, with the object ID as "@id" and the entity as \
      "@entity". In JSON, dates are {"$date": …}, data {"$data": …} and floats {"$float": …}, as plistutil --coerce \
      writes them; with --plain, they are plain text and numbers. A to-one relationship is an object ID or null, and a \
      to-many relationship is an array of object IDs. Decimal numbers, UUIDs and URLs are text; a composite attribute \
      is an object of its elements. Documentation/JSON.md describes all forms.

      Key paths of --keys can go through relationships: author.name is a value, notes.title an array, and notes.@count \
      the number of objects of a to-many relationship. Tables and CSV leave out to-many relationships unless --keys \
      names them. A value is null if its file next to the store is missing; an error on standard error names the file.

      --group-by prints a line for each group of objects that have the same values: the keys of the group, and \
      aggregates. @count is the number of objects; @count.KEY, @sum.KEY, @avg.KEY, @min.KEY and @max.KEY use the \
      values that are not null. Without --group-by, aggregates cover all objects. Groups can be sorted by any printed \
      key or aggregate.

      Examples:
        storeutil fetch Notes.sqlite Note 'title CONTAINS[cd] "milk"' --keys title,author.name --csv
        storeutil fetch Notes.sqlite Note 'author == "Person/p3"'
        storeutil fetch Notes.sqlite Note --sort created:desc --limit 10 --plain | jq -r '.[].created'
        storeutil fetch Notes.sqlite Note --csv --time-zone Europe/Berlin --list-separator ';'
        storeutil fetch Notes.sqlite Note --group-by author.name --keys author.name,@count --sort @count:desc
        storeutil fetch Notes.sqlite Note 'title == "Milk"' --explain
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments
  @OptionGroup var request: RequestArguments

  @Option(
    help: ArgumentHelp(
      "Sort by a key path, in descending order with :desc. The first --sort has priority.", valueName: "key[:desc]"))
  var sort: [String] = []

  @Option(help: ArgumentHelp("Print at most N objects.", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Skip the first N objects.", valueName: "n"))
  var offset: Int?

  @Option(
    name: .customLong("keys"),
    help: ArgumentHelp(
      "Print these key paths, separated by commas. Can be given several times.", valueName: "keys"))
  var keyLists: [String] = []

  @Option(
    help: ArgumentHelp("Print groups of objects that have the same values at these key paths.", valueName: "keys"))
  var groupBy: String?

  @Flag(
    help: """
      Open property lists, keyed archives, typedstreams and compiled nibs in binary and transformable values, to any \
      depth, and JSON, in which SwiftData keeps arrays.
      """)
  var unwrap = false

  @Flag(
    help: """
      Skip objects with values that cannot be read, and report them on standard error; the exit code is then 2. \
      Without this option, the first such object ends the output with an error.
      """)
  var skipUnreadable = false

  @Flag(name: .customLong("sql"), help: "Print the SQL statement that finds the objects instead of the objects.")
  var printsSQL = false

  @Flag(help: "Print the SQL statement, SQLite's plan for it, and hints, for example if an index is missing.")
  var explain = false

  @OptionGroup var form: FormArguments

  func validate() throws {
    if printsSQL, explain { throw ValidationError("--explain includes the statement of --sql: use one of them.") }
    if let limit, limit < 0 { throw ValidationError("--limit must be at least 0.") }
    if let offset, offset < 0 { throw ValidationError("--offset must be at least 0.") }
  }

  func run() throws {
    let opened = try opening.open(storePath)
    let entity = try opened.entity(request.entity)
    let keys = keyLists.isEmpty ? nil : keyLists.joined(separator: ",")
    var request = try self.request.request(entity, opened)
    let descriptors = try sort.map(Self.sortDescriptor)
    if let groups = try ObjectGroups(groupBy: groupBy, keys: keys, of: entity) {
      if printsSQL || explain { return try printStatement(of: groups.request(request), opened) }
      return try printGroups(groups, groups.request(request), descriptors, opened)
    }
    request.sortDescriptors = descriptors
    request.fetchOffset = offset ?? 0
    request.fetchLimit = limit ?? 0
    if printsSQL || explain {
      request.resultType = .objectIDs
      return try printStatement(of: request, opened)
    }
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

  private func printStatement(of request: FetchRequest, _ opened: OpenStore) throws {
    guard let store = opened.store as? SQLiteStore else {
      throw ValidationError("--sql and --explain need an SQLite store.")
    }
    let explanation = try store.explain(request)
    if explain { return try output(explanation.description) }
    guard !explanation.statement.sql.isEmpty else {
      throw ManagedObjectError(.unsupportedRequest, "SQL cannot express the request")
    }
    try output(explanation.statement.sql)
  }

  private func printGroups(
    _ groups: ObjectGroups, _ request: FetchRequest, _ descriptors: [FetchRequest.SortDescriptor], _ opened: OpenStore
  ) throws {
    if unwrap || skipUnreadable {
      throw ValidationError("--unwrap and --skip-unreadable cannot be combined with groups.")
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
    if text.contains(":") { throw ValidationError("--sort: expected asc or desc after the colon in \(text.quoted).") }
    return FetchRequest.SortDescriptor(text)
  }
}

/// The options that select objects.
struct RequestArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The entity of the objects.", valueName: "entity"))
  var entity: String

  @Argument(help: ArgumentHelp("The condition that the objects meet, such as 'age > 30'.", valueName: "predicate"))
  var predicate: String?

  @Flag(help: "Leave out objects of subentities.")
  var excludeSubentities = false

  func request(_ entity: ManagedObjectModel.Entity, _ opened: OpenStore) throws -> FetchRequest {
    var request = FetchRequest(entity.name)
    request.predicate = try predicate.map { try opened.predicate($0, for: entity) }
    request.includesSubentities = !excludeSubentities
    return request
  }
}
