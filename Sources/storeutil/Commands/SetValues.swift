import ArgumentParser
import ManagedObjects
import ToolSupport

struct SetValues: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "set",
    abstract: "Change values of an object.",
    discussion: """
      \(Assignment.help)

      The rules of the model hold, and inverse relationships follow. All is saved, or nothing.

      Example: storeutil set Notes.sqlite Note/p12 title='Shopping list' author=Person/p3 tags+=Tag/p1
      """)

  @OptionGroup var store: StoreArguments

  @Argument(help: ArgumentHelp("The name of the object.", valueName: "id"))
  var id: String

  @Argument(help: ArgumentHelp("What to change.", valueName: "key=value"))
  var assignments: [Assignment] = []

  @Option(help: ArgumentHelp("Take the value of KEY away.", valueName: "key"))
  var null: [String] = []

  @OptionGroup var change: ChangeArguments

  func validate() throws {
    if assignments.isEmpty, null.isEmpty { throw ValidationError("Nothing to change: there is no KEY=VALUE.") }
  }

  func run() throws {
    try change.change(store) { context, opened in
      let object = try opened.object(opened.key(id), in: context)
      for assignment in assignments { try assignment.apply(to: object, in: opened) }
      for key in null { try object.removeValue(key) }
    }
  }
}

extension ManagedObject {
  /// Takes a value away: of an attribute it is null then, and a relationship leads to nothing.
  final func removeValue(_ key: String) throws {
    guard let property = entity.property(named: key) else {
      throw ValidationError(Assignment.unknown(key, entity))
    }
    if case .relationship(let relationship) = property, relationship.definition.isToMany {
      return try setValue(relationship.definition.isOrdered ? .array([]) : .set([]), forKey: key)
    }
    try setValue(AttributeValue.null, forKey: key)
  }
}
