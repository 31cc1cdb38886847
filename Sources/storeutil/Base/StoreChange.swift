import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import ToolSupport

/// The options for changing a store.
struct ChangeArguments: ParsableArguments {
  @Flag(
    name: .shortAndLong,
    help: """
      Print the changes, and save nothing. All checks of a save are made, so that anything that prevents the save is \
      reported.
      """)
  var dryRun = false

  @Flag(
    help: """
      Save even if the store has triggers, views or virtual tables that are not Core Data's. A save runs such \
      triggers, whatever they do.
      """)
  var allowTriggers = false

  /// Changes objects of a store in one transaction, and prints the changes.
  ///
  /// - Parameter isBrief: true to print the changes only in a dry run.
  func change(
    _ path: String, _ opening: OpeningArguments, isBrief: Bool = false,
    _ body: (ManagedObjectContext, OpenStore) throws -> Void
  ) throws {
    try opening.refuseImmutable()
    let opened = try opening.open(path, isReadOnly: false, isTrial: dryRun, allowsTriggers: allowTriggers)
    let context = try opened.context(keepsChanges: !dryRun)
    try body(context, opened)
    for object in context.insertedObjects.union(context.updatedObjects) { try object.fillTransientValues() }
    let changes = dryRun || !isBrief ? ChangeList(context) : nil
    try context.save()
    try changes?.print()
  }
}

extension ManagedObject {
  /// If a required transient attribute has no value, sets it to a value such as 0 or empty text, so that the object can
  /// be saved. Stores do not contain the values of transient attributes; only the program that owns the store knows
  /// them.
  final func fillTransientValues() throws(ManagedObjectError) {
    for attribute in entity.attributes where attribute.definition.isTransient && !attribute.definition.isOptional {
      guard self[attribute.definition.name] == .null, let value = attribute.definition.type.emptyValue else { continue }
      try setValue(value, forKey: attribute.definition.name)
    }
  }
}

extension AttributeType {
  /// The value that ``ManagedObject/fillTransientValues()`` sets for an attribute of this type; nil if it sets no
  /// value.
  fileprivate var emptyValue: AttributeValue? {
    switch self {
    case .integer16, .integer32, .integer64: .integer(0)
    case .decimal: .decimal(0)
    case .double: .double(0)
    case .float: .float(0)
    case .string: .string("")
    case .boolean: .boolean(false)
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .binary, .transformable: .data(Data())
    case .uuid: .uuid(UUID())
    case .undefined, .uri, .objectID, .composite: nil
    }
  }
}

/// The changes of a context as text, with one line for each changed object, and one for each of its properties.
struct ChangeList {
  private let inserted: [ManagedObject]
  private let updated: [ManagedObject]
  private let deleted: [String]
  private var changes: [ManagedObject: [Change]] = [:]

  private struct Change {
    let key: String
    let old: ManagedObject.Value
    let new: ManagedObject.Value
  }

  init(_ context: ManagedObjectContext) {
    context.processPendingChanges()
    func sorted(_ objects: Set<ManagedObject>) -> [ManagedObject] {
      objects.sorted { $0.objectID.key < $1.objectID.key }
    }
    inserted = sorted(context.insertedObjects)
    updated = sorted(context.updatedObjects)
    deleted = sorted(context.deletedObjects).map { "deleted \($0.objectID)" }
    for object in inserted + updated {
      let old = object.committedValues()
      let new = object.changedValues()
      changes[object] = object.entity.properties.filter { !$0.isTransient }.compactMap { property in
        new[property.name].map { Change(key: property.name, old: old[property.name] ?? .null, new: $0) }
      }
    }
  }

  /// Prints the changes. Must be called after the save, when new objects have their permanent IDs.
  func print() throws(PropertyListError) {
    var lines: [String] = []
    for object in inserted {
      lines.append("inserted \(object.objectID)")
      for change in changes[object] ?? [] { lines.append("  \(change.key.printable()) = \(Self.text(change.new))") }
    }
    for object in updated {
      lines.append("changed \(object.objectID)")
      for change in changes[object] ?? [] { lines.append("  \(change.key.printable()) \(Self.text(change))") }
    }
    lines += deleted
    try output(lines.isEmpty ? "nothing changed" : lines.joined(separator: "\n"))
  }

  private static func text(_ change: Change) -> String {
    guard let old = change.old.elements, let new = change.new.elements else {
      return "= \(text(change.new)) (was \(text(change.old)))"
    }
    let (before, after) = (Set(old), Set(new))
    let added = new.filter { !before.contains($0) }
    let removed = old.filter { !after.contains($0) }
    let parts = [("+=", added), ("-=", removed)].filter { !$0.1.isEmpty }.map { "\($0) \(list($1))" }
    return parts.isEmpty ? "= \(list(new)), in another order" : parts.joined(separator: " ")
  }

  private static func text(_ value: ManagedObject.Value) -> String {
    switch value {
    case .attribute(let value): value.description
    case .object(let object): "\(object.objectID)"
    case .array(let values), .set(let values): list(values)
    }
  }

  private static func list(_ values: [ManagedObject.Value]) -> String {
    values.prefix(20).map(text).joined(separator: ",") + (values.count > 20 ? ",… (\(values.count))" : "")
  }
}

extension ManagedObject.Value {
  /// The objects of a to-many relationship; nil for another value.
  fileprivate var elements: [Self]? {
    switch self {
    case .array(let elements), .set(let elements): elements
    case .attribute, .object: nil
    }
  }
}
