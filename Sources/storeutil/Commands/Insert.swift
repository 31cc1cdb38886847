import ArgumentParser
import ManagedObjects
import ToolSupport

struct Insert: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "insert",
    abstract: "Insert an object.",
    discussion: """
      \(Assignment.help)

      Other attributes get the defaults of the model. The ID and the values of the new object are printed.

      Example: storeutil insert Notes.sqlite Note title='Shopping list' created=2026-01-31T12:00:00Z
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Argument(help: ArgumentHelp("The entity of the object.", valueName: "entity"))
  var entity: String

  @Argument(help: ArgumentHelp("The values of the object.", valueName: "key=value"))
  var assignments: [Assignment] = []

  @OptionGroup var change: ChangeArguments

  func run() throws {
    try change.change(storePath, opening) { context, opened in
      let object = try context.insert(opened.entity(entity).name)
      for assignment in assignments { try assignment.apply(to: object, in: opened) }
    }
  }
}
