import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import ToolSupport

/// How a verb changes a store.
struct ChangeArguments: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print what would change, and save nothing.")
  var dryRun = false

  /// Changes objects of a store, all in one transaction, and prints the changes.
  func change(_ arguments: StoreArguments, _ body: (ManagedObjectContext, OpenStore) throws -> Void) throws {
    let opened = try arguments.open(isReadOnly: dryRun)
    let context = try opened.context()
    // A save into a parent checks the rules of the model, and leaves the store alone.
    let working = dryRun ? ManagedObjectContext(parent: context) : context
    try body(working, opened)
    let lines = ChangeList(working, opened)
    if dryRun {
      try working.save()
    } else {
      try working.obtainPermanentIDs(for: Array(working.insertedObjects))
      try working.save()
    }
    try lines.print()
  }
}

/// The changes of a context, for people and scripts: a line for each object and each of its properties.
struct ChangeList {
  private let inserted: [ManagedObject]
  private let updated: [ManagedObject]
  private var deleted: [String]
  private var changes: [ObjectIdentifier: [String]] = [:]

  init(_ context: ManagedObjectContext, _ opened: OpenStore) {
    context.processPendingChanges()
    func sorted(_ objects: Set<ManagedObject>) -> [ManagedObject] {
      objects.sorted { $0.objectID.key < $1.objectID.key }
    }
    inserted = sorted(context.insertedObjects)
    updated = sorted(context.updatedObjects)
    deleted = sorted(context.deletedObjects).map { "\($0.objectID)" }
    for object in inserted + updated {
      let old = object.committedValues()
      changes[ObjectIdentifier(object)] = object.changedValues().sorted { $0.key < $1.key }.map { key, value in
        let before = object.isInserted ? "" : " (was \(Self.text(old[key] ?? .null)))"
        return "\(key.printable()) = \(Self.text(value))\(before)"
      }
    }
  }

  private static func text(_ value: ManagedObject.Value) -> String {
    switch value {
    case .attribute(let value): value.description
    case .object(let object): "\(object.objectID)"
    case .array(let values), .set(let values):
      "[" + values.prefix(20).map(text).joined(separator: ", ") + (values.count > 20 ? ", …" : "") + "]"
    }
  }

  /// To be called after the save, when new objects have the names that stay.
  func print() throws(PropertyListError) {
    var lines: [String] = []
    for (verb, objects) in [("inserted", inserted), ("changed", updated)] {
      for object in objects {
        lines.append("\(verb) \(object.objectID)")
        lines += (changes[ObjectIdentifier(object)] ?? []).map { "  \($0)" }
      }
    }
    lines += deleted.map { "deleted \($0)" }
    try output(lines.isEmpty ? "nothing changed" : lines.joined(separator: "\n"))
  }
}
