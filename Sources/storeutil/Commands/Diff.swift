import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import ToolSupport

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "diff",
    abstract: "Compare the objects of two stores, of any kinds.",
    discussion: """
      Objects are the same if they have the same number, or the same value of a key. A line for each difference: - \
      deleted, + inserted, ~ changed, with a line for each value that differs.

      Exit codes: 0 the same; 1 different; 2 trouble.

      Examples:
        storeutil diff Before.sqlite After.sqlite
        storeutil diff Notes.xml Notes.sqlite --model Notes.momd --key identifier --key Tag.name
      """)

  @Argument(
    help: ArgumentHelp("The older store.", valueName: "old"), completion: .file(), transform: FileName.argument)
  var old: String

  @Argument(
    help: ArgumentHelp("The newer store.", valueName: "new"), completion: .file(), transform: FileName.argument)
  var new: String

  @OptionGroup var opening: OpeningArguments

  @Option(
    help: ArgumentHelp(
      "Match objects by an attribute: of all entities that have it, or of one and those that inherit from it. Can be "
        + "given several times.", valueName: "[entity.]key"))
  var key: [String] = []

  @Option(help: ArgumentHelp("Compare the objects of an entity; can be given several times.", valueName: "entity"))
  var entity: [String] = []

  @Flag(name: .shortAndLong, help: "Print nothing; the exit code tells.")
  var quiet = false

  @Flag(name: .customLong("json"), help: "Print an array of JSON with an object for each difference.")
  var isJSON = false

  @OptionGroup var plain: PlainArgument

  func validate() throws {
    if plain.isGiven, !isJSON { throw ValidationError("--plain goes with --json.") }
    if key.count(where: { !$0.contains(".") }) > 1 {
      throw ValidationError("One --key without an entity is for all; others are written as Entity.key.")
    }
  }

  func run() throws {
    let isEmpty: Bool
    do {
      isEmpty = try compare()
    } catch let error as ValidationError {
      throw error
    } catch {
      guard StoreExit.exitCode(of: error) != nil else { throw error }
      note(StoreExit.text(of: error))
      throw ExitCode(ExitCodes.trouble)
    }
    if !isEmpty { throw ExitCode(ExitCodes.different) }
  }

  private func compare() throws -> Bool {
    var difference = StoreDifference(from: try opening.open(old).store, to: try opening.open(new).store)
    for text in key {
      let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2 { difference.keys[parts[0]] = parts[1] } else { difference.key = text }
    }
    difference.entities = entity.isEmpty ? nil : Set(entity)
    var buffer = BufferedOutput()
    var failure: PropertyListError?
    var isFirst = true
    let summary = try difference.run { change in
      if quiet || failure != nil { return }
      do throws(PropertyListError) {
        if isJSON {
          try buffer.write(isFirst ? "[\n" : ",\n")
          try buffer.write(change.propertyList.compactJSON(plain.form))
        } else {
          try buffer.write("\(change)\n")
        }
        isFirst = false
      } catch { failure = error }
    }
    if let failure { throw failure }
    if isJSON, !quiet { try buffer.write(isFirst ? "[]\n" : "\n]\n") }
    try buffer.flush()
    if summary.keylessCount > 0 { note("\(grouped(summary.keylessCount)) objects have no key, and match none") }
    if summary.duplicateCount > 0 {
      note("\(grouped(summary.duplicateCount)) objects have the key of another one, and are matched by their numbers")
    }
    return summary.isEmpty
  }
}

extension StoreDifference.Change {
  fileprivate var propertyList: PropertyList {
    switch self {
    case .inserted(let object): object.propertyList("inserted", object.values.map { ($0.name, $0.value.propertyList) })
    case .deleted(let object): object.propertyList("deleted", object.values.map { ($0.name, $0.value.propertyList) })
    case .changed(let old, let new):
      new.propertyList(
        "changed",
        new.values.map { property in
          let before = old.value(of: property.name)?.propertyList ?? .null
          return (property.name, ["old": before, "new": property.value.propertyList])
        })
    }
  }
}

extension StoreDifference.Object {
  fileprivate func propertyList(_ change: String, _ values: [(String, PropertyList)]) -> PropertyList {
    var fields: OrderedDictionary<String, PropertyList> = [
      "change": .string(change), "object": .string(id.uriRepresentation), "entity": .string(id.entity.name),
    ]
    if let key { fields["key"] = PropertyList(key) }
    fields["values"] = .dictionary(OrderedDictionary(values) { first, _ in first })
    return .dictionary(fields)
  }
}

extension StoreDifference.Value {
  fileprivate var propertyList: PropertyList {
    switch self {
    case .attribute(let value): PropertyList(value)
    case .object(let reference): reference?.propertyList ?? .null
    case .objects(let references): .array(references.map(\.propertyList))
    }
  }
}

extension StoreDifference.Reference {
  fileprivate var propertyList: PropertyList {
    if let key { return ["entity": .string(entity), "key": PropertyList(key)] }
    return ["entity": .string(entity), "number": .integer(PropertyList.Integer(number))]
  }
}
