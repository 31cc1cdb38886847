import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import StoreInspection
import ToolSupport

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "diff",
    abstract: "Compare the objects of two stores of any kind.",
    discussion: """
      Objects are matched by primary key, or by the attribute that --key names. Primary keys differ between stores \
      that were not copied from each other, and can differ after convert: use --key for these. Prints a line for each \
      difference: - deleted, + inserted, ~ changed, with a line for each value that differs. The text after an object \
      ID is the first text attribute of the object. For a to-many relationship, += lists the objects that were added, \
      and -= those that were removed.

      Exit codes: 0 equal; 1 different; 2 an error occurred.

      Examples:
        storeutil diff Before.sqlite After.sqlite
        storeutil diff Notes.xml Notes.sqlite --model Notes.momd --key identifier --key Tag.name
      """)

  @Argument(file: "The older store.", "old")
  var old: String

  @Argument(file: "The newer store.", "new")
  var new: String

  @OptionGroup var opening: OpeningArguments

  @Option(
    help: ArgumentHelp(
      "Match objects by an attribute, in all entities that have it, or in one entity and its subentities. Can be given "
        + "once without an entity, and once for each entity.", valueName: "[entity.]key"))
  var key: [String] = []

  @Option(help: ArgumentHelp("Compare only objects of this entity; can be given several times.", valueName: "entity"))
  var entity: [String] = []

  @Flag(name: .shortAndLong, help: "Print nothing; the exit code is the result.")
  var quiet = false

  @Flag(name: .customLong("json"), help: "Print a JSON array with an object for each difference.")
  var isJSON = false

  @OptionGroup var plain: PlainArgument

  func validate() throws {
    try plain.checkGoes(withJSON: isJSON)
    if key.count(where: { !$0.contains(".") }) > 1 {
      throw ValidationError("Only one --key can be without an entity; write the others as Entity.key.")
    }
    let entities = key.compactMap { $0.contains(".") ? String($0.prefix { $0 != "." }) : nil }
    for (index, entity) in entities.enumerated() where entities[..<index].contains(entity) {
      throw ValidationError("--key names the entity \(entity.quoted) twice: use only one attribute for each entity.")
    }
  }

  func run() throws {
    let isEmpty: Bool
    do { isEmpty = try compare() } catch let error as ValidationError {
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
    let text = DifferenceText(old: ObjectTitles(difference.old), new: ObjectTitles(difference.new))
    for key in key {
      let parts = key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2 { difference.keys[parts[0]] = parts[1] } else { difference.key = key }
    }
    difference.entities = entity.isEmpty ? nil : Set(entity)
    var output = ListOutput(isJSON: isJSON, plain: plain.form)
    let summary = try difference.run { change in
      if !quiet { output.writeKeepingError(text.propertyList(change), line: text.lines(change)) }
    }
    if !quiet { try output.finish() }
    if !summary.isEmpty, key.isEmpty, difference.old.identifier != difference.new.identifier {
      note(
        "the stores have different UUIDs, and objects are matched by primary key; --key matches them by an attribute")
    }
    if summary.keylessCount > 0 {
      note("\(grouped(summary.keylessCount)) objects have no value of the key attribute, and are not matched")
    }
    if summary.duplicateCount > 0 {
      note("\(grouped(summary.duplicateCount)) objects have the same key as another, and are matched by primary key")
    }
    return summary.isEmpty
  }
}

/// Converts differences to lines of text and to JSON, both with the titles of objects.
private struct DifferenceText {
  let old: ObjectTitles
  let new: ObjectTitles

  /// Returns a line for the object, and one for each value that differs.
  func lines(_ change: StoreDifference.Change) -> String {
    switch change {
    case .inserted(let object): return "+ \(name(object, new))"
    case .deleted(let object): return "- \(name(object, old))"
    case .changed(let before, let after):
      return "~ \(name(after, new))"
        + after.values.map { property in
          let name = property.name.printable(limit: 100)
          let former = before.value(of: property.name)
          if case .objects(let references) = property.value, case .objects(let others)? = former,
            let lines = lines(name, from: others, to: references)
          {
            return lines
          }
          return "\n    \(name): \(former.map { text($0, old) } ?? "nil") -> \(text(property.value, new))"
        }.joined()
    }
  }

  /// Returns a line for the objects that were removed from a relationship, and a line for those that were added to it.
  /// Returns nil if only the order of the objects differs.
  private func lines(
    _ name: String, from old: [StoreDifference.Reference], to new: [StoreDifference.Reference]
  ) -> String? {
    let (before, after) = (Set(old), Set(new))
    let (removed, added) = (old.filter { !after.contains($0) }, new.filter { !before.contains($0) })
    if removed.isEmpty, added.isEmpty { return nil }
    return [("-=", removed, self.old), ("+=", added, self.new)].map { sign, references, titles in
      references.isEmpty ? "" : "\n    \(name) \(sign) \(text(.objects(references), titles))"
    }.joined()
  }

  private func name(_ object: StoreDifference.Object, _ titles: ObjectTitles) -> String {
    // An object that is matched by an attribute is shown with that attribute, and needs no title.
    object.key == nil ? "\(object)\(quoted(object.id.entity.name, object.id.key.number, titles))" : "\(object)"
  }

  private func quoted(_ entity: String, _ number: Int64, _ titles: ObjectTitles) -> String {
    titles.title(entity, number).map { " \(String($0.prefix(60)).quoted)" } ?? ""
  }

  private func text(_ reference: StoreDifference.Reference, _ titles: ObjectTitles) -> String {
    reference.key == nil ? "\(reference)\(quoted(reference.entity, reference.number, titles))" : "\(reference)"
  }

  private func text(_ value: StoreDifference.Value, _ titles: ObjectTitles) -> String {
    switch value {
    case .attribute(let value): return value.description
    case .object(let reference): return reference.map { text($0, titles) } ?? "nil"
    case .objects(let references):
      let shown = references.prefix(20).map { text($0, titles) }.joined(separator: ", ")
      return "[\(shown)\(references.count > 20 ? ", … \(grouped(references.count - 20)) more" : "")]"
    }
  }

  func propertyList(_ change: StoreDifference.Change) -> PropertyList {
    switch change {
    case .inserted(let object): return propertyList("inserted", object, new, values(object, new))
    case .deleted(let object): return propertyList("deleted", object, old, values(object, old))
    case .changed(let before, let after):
      let values: [(String, PropertyList)] = after.values.map { property in
        let former = before.value(of: property.name).map { propertyList($0, old) } ?? .null
        return (property.name, ["old": former, "new": propertyList(property.value, new)])
      }
      return propertyList("changed", after, new, values)
    }
  }

  private func values(
    _ object: StoreDifference.Object, _ titles: ObjectTitles
  ) -> [(String, PropertyList)] { object.values.map { ($0.name, propertyList($0.value, titles)) } }

  private func propertyList(
    _ change: String, _ object: StoreDifference.Object, _ titles: ObjectTitles, _ values: [(String, PropertyList)]
  ) -> PropertyList {
    let entity = object.id.entity.name
    var fields: OrderedDictionary<String, PropertyList> = [
      "change": .string(change), "object": .string(object.id.uriRepresentation), "entity": .string(entity),
    ]
    if let key = object.key { fields["key"] = PropertyList(key) }
    if let title = titles.title(entity, object.id.key.number) { fields["title"] = .string(title) }
    fields["values"] = .dictionary(OrderedDictionary(values) { first, _ in first })
    return .dictionary(fields)
  }

  private func propertyList(_ value: StoreDifference.Value, _ titles: ObjectTitles) -> PropertyList {
    switch value {
    case .attribute(let value): PropertyList(value)
    case .object(let reference): reference.map { propertyList($0, titles) } ?? .null
    case .objects(let references): .array(references.map { propertyList($0, titles) })
    }
  }

  private func propertyList(_ reference: StoreDifference.Reference, _ titles: ObjectTitles) -> PropertyList {
    if let key = reference.key { return ["entity": .string(reference.entity), "key": PropertyList(key)] }
    var fields: OrderedDictionary<String, PropertyList> = [
      "entity": .string(reference.entity), "number": .integer(PropertyList.Integer(reference.number)),
    ]
    if let title = titles.title(reference.entity, reference.number) { fields["title"] = .string(title) }
    return .dictionary(fields)
  }
}
