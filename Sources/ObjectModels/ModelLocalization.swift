public import FoundationEssentials
public import PropertyLists

/// Localized names of entities and properties, and localized warnings: Core Data's `localizationDictionary`.
///
/// | key | what it is for |
/// |---|---|
/// | `Entity/NAME` | an entity |
/// | `Property/NAME/Entity/ENTITY` | a property of an entity, and of those that inherit it |
/// | `Property/NAME` | a property of any entity |
/// | `ErrorString/TEXT` | the warning of a validation |
/// | `ErrorString/CODE` | an error without a warning, by the number of its code |
///
/// Use it with `ManagedObjectError.description(in:)`. The last form of key exists only in this library. The others come
/// from Core Data.
///
/// ```swift
/// let german = ModelLocalization(["Entity/Note": "Notiz", "Property/title": "Titel"])
/// if let note = model["Note"] {
///   print(german.name(of: note), german.name(ofProperty: "title", in: note))   // Notiz Titel
/// }
/// ```
public struct ModelLocalization: Hashable, Sendable {
  /// The strings, by key.
  public var entries: [String: String]

  /// Creates a localization from strings by key.
  public init(_ entries: [String: String] = [:]) { self.entries = entries }

  /// Creates a localization from a `.strings` file, or from any other property list that is a dictionary of strings.
  ///
  /// ```swift
  /// let url = URL(filePath: "de.lproj/NotesModel.strings")
  /// let german = try ModelLocalization(strings: Data(contentsOf: url))
  /// ```
  ///
  /// - Throws: `PropertyListError` if the data is not a property list, or a value is not a string.
  public init(strings data: Data) throws(PropertyListError) {
    guard let dictionary = try PropertyList(data).dictionary else {
      throw PropertyListError(.wrongKind, "expected a dictionary of strings")
    }
    entries = [:]
    for (key, value) in dictionary {
      guard let text = value.string else {
        throw PropertyListError(.wrongKind, "the value is not a string", keyPath: PropertyListKeyPath([.key(key)]))
      }
      entries[key] = text
    }
  }

  /// Returns the localized name of an entity, or its own name if it has no localized one.
  public func name(of entity: ManagedObjectModel.Entity) -> String { entries["Entity/\(entity.name)"] ?? entity.name }

  /// Returns the localized name of a property of an entity, or its own name if it has no localized one.
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

  /// Returns the localized text of a warning, or the warning itself if it has no localized text.
  public func text(ofWarning warning: String) -> String { entries["ErrorString/\(warning)"] ?? warning }
}
