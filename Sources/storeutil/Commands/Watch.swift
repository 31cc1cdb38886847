import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SystemFiles
import ToolSupport

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "watch",
    abstract: "Print the objects that other programs save.",
    discussion: """
      Prints a line for each object that is inserted, changed or deleted, with the properties that have new values, \
      until you press Control-C. Nothing is written, and the store is not locked. The files of the store are checked \
      five times a second.

      If the store has a history, each save is printed with its properties, and in JSON with its author. For other \
      stores, the versions of objects are compared: several saves between two checks are one change, and to-many \
      relationships in SQLite are not listed among the properties. This takes memory for each object: about 100 bytes, \
      and 8 for each property.

      Examples:
        storeutil watch Notes.sqlite --entity Note
        storeutil watch Notes.sqlite --json | jq -r 'select(.change == "deleted") | .object'
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Option(
    help: ArgumentHelp(
      "Print only objects of this entity and its subentities. Can be given several times.",
      valueName: "entity"))
  var entity: [String] = []

  @Flag(name: .customLong("json"), help: "Print a JSON object on each line.")
  var isJSON = false

  @OptionGroup var plain: PlainArgument

  /// The time between two checks of the files, in microseconds.
  private static let interval: UInt32 = 200_000

  func validate() throws {
    try plain.checkGoes(withJSON: isJSON)
    if opening.isImmutable {
      throw ValidationError("--immutable cannot be used with watch, which is for stores that change.")
    }
    if opening.tables {
      throw ValidationError("--tables cannot be used with watch, which needs the model of the store.")
    }
  }

  func run() throws {
    Signals.deferInterruption()
    var watch = try StoreWatch(storePath, opening)
    let entities = try entity.map { try watch.entity($0) }
    let source = watch.usesHistory ? "its history" : "the versions of its objects"
    note("watching \(storePath.printable()) by \(source); press Control-C to end")
    while Signals.interruptedBy == nil {
      for change in try watch.changes() {
        let isWanted = entities.isEmpty || entities.contains { change.id.entity.isKind(of: $0) }
        if isWanted { try output(isJSON ? json(change) : change.line) }
      }
      _ = usleep(Self.interval)
    }
  }

  private func json(_ change: StoreWatch.Change) throws(PropertyListError) -> String {
    String(decoding: try change.propertyList.compactJSON(plain.form), as: UTF8.self)
  }
}

extension StoreWatch.Change {
  fileprivate var line: String {
    let names = properties.map { $0.printable() }.joined(separator: ", ")
    return "\(kind.rawValue) \(id)" + (names.isEmpty ? "" : ": \(names)")
  }

  fileprivate var propertyList: PropertyList {
    var fields: OrderedDictionary<String, PropertyList> = [
      "change": .string(kind.rawValue), "object": .string(id.uriRepresentation), "entity": .string(id.entity.name),
    ]
    if kind == .changed { fields["properties"] = .array(properties.map { .string($0) }) }
    if let transaction {
      fields["transaction"] = .integer(PropertyList.Integer(transaction.number))
      fields["date"] = .date(transaction.date)
      for (name, text) in [
        ("author", transaction.author), ("context", transaction.contextName), ("process", transaction.processName),
      ] { if let text { fields[name] = .string(text) } }
    }
    return .dictionary(fields)
  }
}
