public import FoundationEssentials
public import PropertyLists

/// The names of entities, properties and warnings in a language: Core Data's `localizationDictionary`.
///
/// | key | what it is for |
/// |---|---|
/// | `Entity/NAME` | an entity |
/// | `Property/NAME/Entity/ENTITY` | a property of an entity, and of those that inherit it |
/// | `Property/NAME` | a property of any entity |
/// | `ErrorString/TEXT` | the warning of a validation |
/// | `ErrorString/CODE` | an error without a warning, by the number of its code |
///
/// ``ManagedObjectError/description(in:)`` is an error in these words. The last form is one of this library; the others
/// are Core Data's.
public struct ModelLocalization: Hashable, Sendable {
  /// The texts by key.
  public var entries: [String: String]

  /// Texts by key.
  public init(_ entries: [String: String] = [:]) { self.entries = entries }

  /// The texts of a `.strings` file, or of any other property list with a dictionary of strings.
  ///
  /// - Throws: `PropertyListError` for bytes that are no property list, and for a value that is no string.
  public init(strings data: Data) throws(PropertyListError) {
    guard let dictionary = try PropertyList(data).dictionary else {
      throw PropertyListError(.wrongKind, "texts by key are due")
    }
    entries = [:]
    for (key, value) in dictionary {
      guard let text = value.string else {
        throw PropertyListError(.wrongKind, "the value is no string", keyPath: PropertyListKeyPath([.key(key)]))
      }
      entries[key] = text
    }
  }

  /// The name of an entity; its own name if there is no other.
  public func name(of entity: ManagedObjectModel.Entity) -> String { entries["Entity/\(entity.name)"] ?? entity.name }

  /// The name of a property of an entity; its own name if there is no other.
  ///
  /// - Complexity: O(*n*) in the number of entities that the entity inherits from.
  public func name(ofProperty name: String, in entity: ManagedObjectModel.Entity) -> String {
    var next: ManagedObjectModel.Entity? = entity
    while let entity = next {
      if let text = entries["Property/\(name)/Entity/\(entity.name)"] { return text }
      next = entity.superentity
    }
    return entries["Property/\(name)"] ?? name
  }

  /// The text of a warning; the warning itself if there is no other.
  public func text(ofWarning warning: String) -> String { entries["ErrorString/\(warning)"] ?? warning }
}
