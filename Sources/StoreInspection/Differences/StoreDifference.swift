public import ManagedObjects
internal import ObjectModels
public import Predicates
internal import PropertyLists

/// Compares the objects of two stores, of any kinds.
///
/// ```swift
/// var difference = StoreDifference(from: before, to: after)
/// difference.key = "identifier"
/// let summary = try difference.run { print($0) }
/// ```
///
/// Entities and properties are compared by their names. Objects are the same if they have the same number, or the same
/// value of a key attribute. Objects are read in batches, in the order of what they are matched by, so that 16 bytes of
/// each are in memory at once, and no more.
public struct StoreDifference: Sendable {
  /// The older store.
  public let old: any PersistentStore
  /// The newer store.
  public let new: any PersistentStore
  /// The attribute that objects of all entities that have it are matched by; nil for the numbers of objects.
  public var key: String?
  /// The attributes that objects of entities are matched by, by the name of the entity. Entities that inherit from one
  /// are matched as it is.
  public var keys: [String: String] = [:]
  /// The names of the entities that are compared; nil for all.
  public var entities: Set<String>?

  /// A comparison of two stores.
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
    /// An object with other values.
    case changed(from: Object, to: Object)
  }

  /// An object of a store.
  public struct Object: Hashable, Sendable {
    /// The name of the object in its store.
    public var id: ManagedObjectID
    /// The value that it is matched by; nil for its number.
    public var key: AttributeValue?
    /// The values of a new or deleted object that are not empty; of a changed one, those that differ.
    public var values: [Property]
  }

  /// A property of an object.
  public struct Property: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: Value
  }

  /// The value of a property.
  public enum Value: Hashable, Sendable {
    case attribute(AttributeValue)
    /// The object that a to-one relationship refers to.
    case object(Reference?)
    /// The objects of a to-many relationship: in their order if it is ordered, otherwise by name.
    case objects([Reference])

    /// True for no value, and no object.
    public var isEmpty: Bool {
      switch self {
      case .attribute(.null), .object(nil): true
      case .objects(let references): references.isEmpty
      default: false
      }
    }
  }

  /// An object that another one refers to. Two are equal if they are matched.
  public struct Reference: Hashable, Sendable {
    /// The name of the entity.
    public var entity: String
    /// The number; 0 for an object that is matched by a key.
    public var number: Int64
    /// The value that it is matched by; nil for its number.
    public var key: AttributeValue?
  }

  /// The sums of a comparison.
  public struct Summary: Hashable, Sendable {
    /// The number of objects that only the newer store has.
    public internal(set) var insertedCount = 0
    /// The number of objects that only the older store has.
    public internal(set) var deletedCount = 0
    /// The number of objects with other values.
    public internal(set) var changedCount = 0
    /// The number of objects that are the same.
    public internal(set) var unchangedCount = 0
    /// The number of objects without a value of their key. They are matched with none.
    public internal(set) var keylessCount = 0
    /// The number of objects that have the key of another one. They are matched in the order of their numbers.
    public internal(set) var duplicateCount = 0

    /// True if the stores have the same objects.
    public var isEmpty: Bool { insertedCount == 0 && deletedCount == 0 && changedCount == 0 }
  }

  /// Compares the stores.
  ///
  /// - Parameter body: gets each difference: entity by entity, by name, and in the order of what objects are matched
  ///   by.
  /// - Throws: ``ManagedObjectError`` for a store that cannot be read, and ``ManagedObjectError/Code/undefinedKey`` for
  ///   a key that is no attribute of its entity.
  /// - Complexity: O(*n* log *n*) in the objects of both stores.
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
      throw ManagedObjectError(.undefinedKey, "there is no entity \(missing.quoted)", key: missing)
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

  /// The attribute that objects of an entity are matched by; nil for their numbers.
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
    // An attribute that only one of the models has matches nothing.
    guard let first = candidates.first, candidates.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

extension StoreDifference.Object {
  /// The value of a property among those that the object is given with.
  public func value(of name: String) -> StoreDifference.Value? { values.first { $0.name == name }?.value }
}

extension StoreDifference.Reference: CustomStringConvertible {
  /// The entity, and the number or the key: `Note/p12`, `Note "a1"`.
  public var description: String { "\(entity.printable(limit: 100))\(key.map { " \($0)" } ?? "/p\(number)")" }
}

extension StoreDifference.Value: CustomStringConvertible {
  /// The value as people read it, on one line.
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
  /// The entity, the number, and the key: `Note/p12`, `Note/p12 "a1"`.
  public var description: String { "\(id)\(key.map { " \($0)" } ?? "")" }
}

extension StoreDifference.Change: CustomStringConvertible {
  /// A line for the object, and one for each value that differs.
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
