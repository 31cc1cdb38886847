import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import StoreInspection
import ToolSupport

struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "history",
    abstract: "Print the history of a store's changes.",
    discussion: """
      Prints a line for each save, and a line for each object that it inserted, changed or deleted, with the changed \
      properties that the store has recorded. A store has a history only if its program has enabled it. Nothing is \
      written.

      Example: storeutil history Notes.sqlite --entity Note --newest-first --limit 10
      """)

  @Argument(file: "The file of the store.", "store")
  var path: String

  @Option(file: "The model of the store, if the store does not contain it.", "model")
  var model: String?

  @Option(help: ArgumentHelp("Print only saves with a greater number than NUMBER.", valueName: "number"))
  var after: Int64 = 0

  @Option(help: ArgumentHelp("Print only saves by the author NAME.", valueName: "name"))
  var author: String?

  @Option(
    help: ArgumentHelp("Print only changes to objects of this entity, and saves with such changes.", valueName: "name"))
  var entity: String?

  @Option(help: ArgumentHelp("Print at most NUMBER saves.", valueName: "number"))
  var limit: Int?

  @Flag(help: "Print the last save first.")
  var newestFirst = false

  @OptionGroup var immutable: ImmutableArgument

  @Flag(name: .customLong("json"), help: "Print a JSON array with an object for each save.")
  var isJSON = false

  @OptionGroup var plain: PlainArgument

  func validate() throws {
    try plain.checkGoes(withJSON: isJSON)
    if let limit, limit < 1 { throw ValidationError("--limit must be greater than 0.") }
  }

  private var request: HistoryRequest {
    var request = HistoryRequest(after: .number(after))
    if let author { request.author = .oneOf([author]) }
    if let entity { request.entityNames = [entity] }
    request.fetchLimit = limit ?? 0
    request.isNewestFirst = newestFirst
    return request
  }

  func run() throws {
    let url = URL(filePath: path)
    let writesNothing = immutable.writesNothing(path)
    var history = StoreHistory(url, model: try ModelFile.model(model, of: url, writesNothing: writesNothing))
    history.writesNothing = writesNothing
    var output = ListOutput(isJSON: isJSON, plain: plain.form)
    try history.run(request) { transaction in
      output.writeKeepingError(transaction.propertyList, line: transaction.lines.joined(separator: "\n"))
    }
    try output.finish()
    let selects = author != nil || entity != nil
    if output.isEmpty, !isJSON { note("no \(selects ? "such saves" : "history")\(after > 0 ? " after \(after)" : "")") }
  }
}

extension StoreHistory.Transaction {
  fileprivate var lines: [String] {
    var head = "\(number)  \(date.map { "\(AttributeValue.date($0))" } ?? "(the save is missing)")"
    for (name, text) in [
      ("author", author), ("context", contextName), ("process", processName), ("bundle", bundleIdentifier),
    ] { if let text { head += "  \(name) \(text.quoted)" } }
    return [head]
      + changes.map { change in
        let entity = change.entity?.printable() ?? "entity \(change.entityNumber)"
        var line = "  \(change.mark) \(entity)/p\(change.number)"
        if let names = change.updatedProperties, !names.isEmpty {
          line += ": " + names.map { $0.printable() }.joined(separator: ", ")
        }
        for (name, value) in change.tombstone.sorted(by: { $0.key < $1.key }) {
          line += "  \(name.printable()) = \(value)"
        }
        return line
      }
  }

  fileprivate var propertyList: PropertyList {
    var fields: OrderedDictionary<String, PropertyList> = [
      "number": .integer(PropertyList.Integer(number)), "date": date.map { .date($0) } ?? .null,
    ]
    for (name, text) in [
      ("author", author), ("context", contextName), ("process", processName), ("bundle", bundleIdentifier),
    ] { if let text { fields[name] = .string(text) } }
    fields["changes"] = .array(changes.map(\.propertyList))
    return .dictionary(fields)
  }
}

extension StoreHistory.Change {
  fileprivate var mark: String {
    switch kind {
    case .insert: "+"
    case .update: "~"
    case .delete: "-"
    case nil: "?"
    }
  }

  fileprivate var propertyList: PropertyList {
    let name =
      switch kind {
      case .insert: "insert"
      case .update: "update"
      case .delete: "delete"
      case nil: "unknown"
      }
    var fields: OrderedDictionary<String, PropertyList> = ["kind": .string(name)]
    if let objectURI { fields["object"] = .string(objectURI) }
    if let entity {
      fields["entity"] = .string(entity)
    } else {
      fields["entityNumber"] = .integer(PropertyList.Integer(entityNumber))
    }
    fields["number"] = .integer(PropertyList.Integer(number))
    if let updatedProperties { fields["properties"] = .array(updatedProperties.map { .string($0) }) }
    if !tombstone.isEmpty {
      let values = tombstone.sorted { $0.key < $1.key }.map { ($0.key, PropertyList($0.value)) }
      fields["tombstone"] = .dictionary(OrderedDictionary(uniqueKeysWithValues: values))
    }
    return .dictionary(fields)
  }
}
