import ArgumentParser
import ManagedObjects
import ToolSupport

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "delete",
    abstract: "Delete objects.",
    discussion: """
      The delete rules of the model apply: they can delete related objects as well, or deny the deletion. All changes \
      are saved, or none.

      Examples:
        storeutil delete Notes.sqlite Note/p12 Note/p13
        storeutil delete Notes.sqlite --entity Note --where 'created < "2020-01-01"' --dry-run
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Argument(help: ArgumentHelp("The IDs of the objects.", valueName: "id"))
  var ids: [String] = []

  @OptionGroup var condition: ConditionArguments

  @OptionGroup var change: ChangeArguments

  func validate() throws {
    if ids.isEmpty, !condition.isGiven {
      throw ValidationError("Give the IDs of the objects to delete, or use --entity and --where.")
    }
  }

  func run() throws {
    try change.change(storePath, opening) { context, opened in
      let objects = try ids.map { try opened.object(opened.key($0), in: context) }
      // An object can be named twice, or can be deleted with another one.
      for object in objects where !object.isDeleted { try context.delete(object) }
      for object in try condition.objects(context, opened) where !object.isDeleted { try context.delete(object) }
    }
  }
}
