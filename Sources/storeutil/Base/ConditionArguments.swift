import ArgumentParser
import ManagedObjects
import ToolSupport

/// The options for changing or deleting all objects that meet a condition.
struct ConditionArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The entity of the objects to select with --where.", valueName: "entity"))
  var entity: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Select the objects that meet a condition.", valueName: "predicate"))
  var predicate: String?

  /// True if objects are selected by a condition.
  var isGiven: Bool { entity != nil && predicate != nil }

  func validate() throws {
    if (entity == nil) != (predicate == nil) { throw ValidationError("--entity and --where must be used together.") }
  }

  /// Returns the objects that meet the condition. Returns an empty array if no condition is given.
  func objects(_ context: ManagedObjectContext, _ opened: OpenStore) throws -> [ManagedObject] {
    guard let entity, let predicate else { return [] }
    let found = try opened.entity(entity)
    let condition = try opened.predicate(predicate, for: found)
    return try context.fetch(FetchRequest(found.name, where: condition))
  }
}
