import ArgumentParser
import ManagedObjects
import ToolSupport

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "delete",
    abstract: "Delete objects.",
    discussion: """
      The delete rules of the model hold: others may be deleted with an object, and one that is needed is not deleted. \
      All is saved, or nothing.

      Examples:
        storeutil delete Notes.sqlite Note/p12 Note/p13
        storeutil delete Notes.sqlite --entity Note --where 'created < "2020-01-01"' --dry-run
      """)

  @OptionGroup var store: StoreArguments

  @Argument(help: ArgumentHelp("The names of the objects.", valueName: "id"))
  var ids: [String] = []

  @OptionGroup var condition: ConditionArguments

  @OptionGroup var change: ChangeArguments

  func validate() throws {
    if ids.isEmpty, !condition.isGiven {
      throw ValidationError("Name the objects to delete by their IDs, or by --where.")
    }
  }

  func run() throws {
    try change.change(store) { context, opened in
      let objects = try ids.map { try opened.object(opened.key($0), in: context) }
      // An object can be named twice, or can be deleted with another one.
      for object in objects where !object.isDeleted { try context.delete(object) }
      for object in try condition.objects(context, opened) where !object.isDeleted { try context.delete(object) }
    }
  }
}
