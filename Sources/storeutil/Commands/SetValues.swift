import ArgumentParser
import ManagedObjects
import ToolSupport

struct SetValues: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "set",
    abstract: "Change values of objects.",
    usage: """
      storeutil set [<options>] <store> <id> <key=value> …
      storeutil set <store> --entity <entity> --where <predicate> <key=value> …
      """,
    discussion: """
      \(Assignment.help)

      --null KEY removes a value. The rules of the model are enforced, and inverse relationships are updated. All \
      changes are saved in one transaction, or none. With --entity and --where, all objects that meet the condition \
      are changed, and their number is printed; --dry-run also prints each change.

      Examples:
        storeutil set Notes.sqlite Note/p12 title='Shopping list' author=Person/p3 tags+=Tag/p1
        storeutil set Notes.sqlite --entity Note --where 'author = nil' author=Person/p3 isRead=no
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Argument(help: ArgumentHelp("The ID of the object; leave it out with --where.", valueName: "id"))
  var idOrAssignment: String?

  @Argument(help: ArgumentHelp("The new value of a property; can be given several times.", valueName: "key=value"))
  var otherAssignments: [Assignment] = []

  @Option(help: ArgumentHelp("Remove the value of KEY.", valueName: "key"))
  var null: [String] = []

  @OptionGroup var condition: ConditionArguments

  @OptionGroup var change: ChangeArguments

  /// The ID of the object; nil with `--where`.
  private var id: String? { condition.isGiven ? nil : idOrAssignment }

  private func assignments() throws -> [Assignment] {
    guard condition.isGiven, let idOrAssignment else { return otherAssignments }
    guard let first = Assignment(argument: idOrAssignment) else {
      throw ValidationError("\(idOrAssignment.quoted) is not KEY=VALUE; an object ID cannot be combined with --where.")
    }
    return [first] + otherAssignments
  }

  func validate() throws {
    if !condition.isGiven, idOrAssignment == nil {
      throw ValidationError("Give the ID of the object to change, or use --entity and --where.")
    }
    let keys = try assignments().map(\.key)
    if let key = null.first(where: keys.contains) {
      throw ValidationError("--null \(key.printable()) contradicts \(key.printable())=VALUE.")
    }
    if keys.isEmpty, null.isEmpty { throw ValidationError("Give a value to set, such as title=Milk.") }
  }

  func run() throws {
    let assignments = try assignments()
    var (foundCount, changedCount) = (0, 0)
    try change.change(storePath, opening, isBrief: condition.isGiven) { context, opened in
      let objects =
        try id.map { [try opened.object(opened.key($0), in: context)] } ?? condition.objects(context, opened)
      var progress = ProgressBar(total: objects.count, unit: "objects")
      var assigned: [AssignedRelationship] = []
      for object in objects {
        for assignment in assignments {
          try assignment.apply(to: object, in: opened)
          guard objects.count > 1, assignment.operation == .set, let value = object[assignment.key],
            object.entity.relationship(named: assignment.key)?.definition.inverse != nil
          else { continue }
          assigned.append(AssignedRelationship(object: object, name: assignment.key, value: value))
        }
        for key in null { try object.removeValue(key) }
        if !object.changedValues().isEmpty { changedCount += 1 }
        progress.advance()
      }
      progress.clear()
      if let lost = assigned.first(where: { !$0.isKept }) {
        throw ManagedObjectError(
          .invalidValue,
          "this relationship was changed again when it was set for another object, because of its inverse",
          objectID: lost.object.objectID, key: lost.name)
      }
      foundCount = objects.count
    }
    if condition.isGiven {
      let found = foundCount == 1 ? "1 object" : "\(grouped(foundCount)) objects"
      try output(
        "\(changedCount == foundCount ? "" : "\(grouped(changedCount)) of ")\(found) changed"
          + (change.dryRun ? "; nothing was saved" : ""))
    }
  }
}

extension ManagedObject {
  /// Removes a value: sets an attribute, or an element of a composite attribute, to null, or clears a relationship.
  final func removeValue(_ key: String) throws {
    guard let property = entity.property(named: key) else {
      if try entity.element(at: key) == nil { throw ValidationError(Assignment.unknown(key, entity)) }
      return try setValue(AttributeValue.null, forKeyPath: key)
    }
    if case .relationship(let relationship) = property, relationship.definition.isToMany {
      return try setValue(relationship.definition.isOrdered ? .array([]) : .set([]), forKey: key)
    }
    try setValue(AttributeValue.null, forKey: key)
  }
}
