public import ManagedObjects
internal import ObjectModels
public import Predicates
internal import PropertyLists

/// A comparison of the objects of two stores. The stores can be of different kinds.
///
/// ```swift
/// var difference = StoreDifference(from: before, to: after)
/// difference.key = "identifier"
/// let summary = try difference.run { print($0) }
/// // - Note/p1 "a"
/// // ~ Note/p1 "b"
/// //     title: "Draft" -> "Final"
/// // + Note/p2 "c"
/// ```
///
/// Entities and properties with the same name are compared. Objects are matched by primary key, or by the value of a
/// key attribute, such as a unique identifier. They are read in batches, so only 16 bytes of each object stay in
/// memory.
public struct StoreDifference: Sendable {
  /// The older store.
  public let old: any PersistentStore
  /// The newer store.
  public let new: any PersistentStore
  /// The name of the key attribute of all entities that have it: objects with the same value match. Nil to match
  /// objects by primary key.
  public var key: String?
  /// The names of the key attributes of single entities, by entity name. These replace ``key``, also for the
  /// subentities of these entities.
  ///
  /// ```swift
  /// difference.keys = ["Note": "identifier", "Person": "email"]
  /// ```
  public var keys: [String: String] = [:]
  /// The names of the entities to compare; nil for all.
  public var entities: Set<String>?

  /// Creates a comparison of two stores.
  public init(from old: any PersistentStore, to new: any PersistentStore) {
    self.old = old
    self.new = new
  }

  /// A difference of two stores.
  public enum Change: Hashable, Sendable {
    /// An object that only the newer store has, with its values.
    case inserted(Object)
    /// An object that only the older store has, with its values.
    case deleted(Object)
    /// An object whose values differ.
    case changed(from: Object, to: Object)
  }

  /// An object of a store.
  public struct Object: Hashable, Sendable {
    /// The ID of the object in its store.
    public var id: ManagedObjectID
    /// The value of the object's key attribute; nil if the object has none, or is matched by primary key.
    public var key: AttributeValue?
    /// The values of an inserted or deleted object that are not empty; for a changed object, the values that differ.
    public var values: [Property]
  }

  /// A property of an object.
  public struct Property: Hashable, Sendable {
    /// The name of the property.
    public var name: String
    /// The value of the property.
    public var value: Value
  }

  /// The value of a property.
  public enum Value: Hashable, Sendable {
    case attribute(AttributeValue)
    /// The object that a to-one relationship refers to.
    case object(Reference?)
    /// The objects of a to-many relationship: in their order if the relationship is ordered, otherwise sorted by entity
    /// and key.
    case objects([Reference])

    /// True for a null value, and for a relationship without objects.
    public var isEmpty: Bool {
      switch self {
      case .attribute(.null), .object(nil): true
      case .objects(let references): references.isEmpty
      default: false
      }
    }
  }

  /// An object that a relationship refers to. Two references are equal if their objects match.
  public struct Reference: Hashable, Sendable {
    /// The name of the object's entity.
    public var entity: String
    /// The primary key of the object; 0 if ``key`` is not nil.
    public var number: Int64
    /// The value of the object's key attribute; nil if the object has none, or is matched by primary key.
    public var key: AttributeValue?
  }

  /// The numbers of objects that a comparison has found to be inserted, deleted, changed and equal.
  public struct Summary: Hashable, Sendable {
    /// The number of objects that only the newer store has.
    public internal(set) var insertedCount = 0
    /// The number of objects that only the older store has.
    public internal(set) var deletedCount = 0
    /// The number of objects whose values differ.
    public internal(set) var changedCount = 0
    /// The number of objects that are equal in both stores.
    public internal(set) var unchangedCount = 0
    /// The number of objects without a value in their key attribute. They match no object, so they also count as
    /// inserted or deleted.
    public internal(set) var keylessCount = 0
    /// The number of objects that have the same key attribute value as another object in the same store. They are
    /// matched in the order of their primary keys.
    public internal(set) var duplicateCount = 0

    /// True if no object is inserted, deleted or changed.
    public var isEmpty: Bool { insertedCount == 0 && deletedCount == 0 && changedCount == 0 }
  }

  /// Compares the stores.
  ///
  /// ```swift
  /// let summary = try difference.run { change in
  ///   guard case .changed(let old, let new) = change else { return }
  ///   for property in new.values {
  ///     print(property.name, old.value(of: property.name) ?? "", property.value)  // title "Draft" "Final"
  ///   }
  /// }
  /// print(summary.isEmpty)  // false
  /// ```
  ///
  /// - Parameter body: Called for each difference, sorted by the name of the entity, and then by the value of the key
  ///   attribute or by primary key.
  /// - Throws: ``ManagedObjectError`` if a store cannot be read, ``ManagedObjectError/Code/undefinedKey`` if a key
  ///   attribute or an entity of ``entities`` does not exist, and the error of `body`.
  /// - Complexity: O(*n* log *n*) in the number of objects of both stores.
  public func run(_ body: (Change) throws(ManagedObjectError) -> Void) throws(ManagedObjectError) -> Summary {
    for (name, attribute) in keys.sorted(by: { $0.key.precedes($1.key) }) {
      let known = [old.model, new.model].compactMap { $0.entity(named: name) }
      if known.isEmpty || known.contains(where: { $0.attribute(named: attribute)?.isTransient != false }) {
        throw ManagedObjectError(
          .undefinedKey, "the entity \(name.quoted) has no attribute \(attribute.quoted)", key: attribute)
      }
    }
    let oldNames = old.model.entities.map(\.name)
    let names = Set(oldNames).union(new.model.entities.map(\.name))
    if let entities, let missing = entities.subtracting(names).min(by: { $0.precedes($1) }) {
      throw ManagedObjectError(.undefinedKey, "neither store has the entity \(missing.quoted)", key: missing)
    }
    if let key, !names.contains(where: { keyName($0) == key }) {
      throw ManagedObjectError(.undefinedKey, "no entity has an attribute \(key.quoted)", key: key)
    }
    var summary = Summary()
    for name in names.sorted(by: { $0.precedes($1) }) where entities?.contains(name) ?? true {
      try EntityDifference(self, name).run(&summary, body)
    }
    return summary
  }

  /// Returns the name of an entity's key attribute; nil if its objects are matched by primary key.
  func keyName(_ entityName: String) -> String? {
    var candidates: [String?] = []
    for model in [old.model, new.model] {
      guard let entity = model.entity(named: entityName) else { continue }
      var found: String?
      var next: ManagedObjectModel.Entity? = entity
      while let ancestor = next, found == nil {
        found = keys[ancestor.name]
        next = ancestor.superentity
      }
      if found == nil, let key, entity.attribute(named: key).map({ !$0.isTransient }) == true { found = key }
      candidates.append(found)
    }
    // An attribute that only one of the models has cannot match objects.
    guard let first = candidates.first, candidates.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

extension StoreDifference.Object {
  /// Returns the value of a property; nil if ``values`` does not contain it.
  public func value(of name: String) -> StoreDifference.Value? { values.first { $0.name == name }?.value }
}

extension StoreDifference.Reference: CustomStringConvertible {
  /// The entity, and the primary key or the value of the key attribute: `Note/p12`, `Note "a1"`.
  public var description: String { "\(entity.printable(limit: 100))\(key.map { " \($0)" } ?? "/p\(number)")" }
}

extension StoreDifference.Value: CustomStringConvertible {
  /// The value in one line. Of a to-many relationship, at most 20 objects are shown.
  public var description: String {
    switch self {
    case .attribute(let value): value.description
    case .object(let reference): reference?.description ?? "nil"
    case .objects(let references):
      "[\(references.prefix(20).map(\.description).joined(separator: ", "))\(references.count > 20 ? ", …" : "")]"
    }
  }
}

extension StoreDifference.Object: CustomStringConvertible {
  /// The entity, the primary key, and the value of the key attribute, if there is one: `Note/p12`, `Note/p12 "a1"`.
  public var description: String { "\(id)\(key.map { " \($0)" } ?? "")" }
}

extension StoreDifference.Change: CustomStringConvertible {
  /// A line for the object, and for a changed object, a line for each value that differs.
  public var description: String {
    switch self {
    case .inserted(let object): "+ \(object)"
    case .deleted(let object): "- \(object)"
    case .changed(let old, let new):
      "~ \(new)"
        + new.values.map { property in
          "\n    \(property.name.printable(limit: 100)): \(old.value(of: property.name)?.description ?? "nil") "
            + "-> \(property.value)"
        }.joined()
    }
  }
}
