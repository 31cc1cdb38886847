public import KeyedArchiving
public import ProgramFolders
public import PropertyLists

/// An error that is thrown when a model cannot be created, read, merged or written.
///
/// ```swift
/// do {
///   let note = EntityDescription("Note", [.relationship("author", to: "Person")])
///   _ = try ManagedObjectModel(entities: [note])
/// } catch .invalid(let defects) {
///   for defect in defects { print(defect) }   // Note.author: its destination "Person" is not in the model
/// } catch {
///   print(error)
/// }
/// ```
public enum ManagedObjectModelError: Error, Sendable {
  /// All defects of a model.
  case invalid([Defect])
  /// All conflicts between models that were merged.
  case conflicts([Conflict])
  /// A compiled model, or a compiled mapping model, cannot be read or written.
  case archive(KeyedArchiveError)
  /// A source file is invalid. The error has the position.
  case source(PropertyListError)
  /// A file or a folder cannot be read or written.
  case file(PropertyListError)
  /// A model is not in the resources that were searched, or they cannot be read.
  case resource(ProgramFoldersError)

  /// A defect of a model.
  public struct Defect: Hashable, Sendable {
    /// The kind of defect, for use in code. The text for people is ``message``.
    public enum Kind: Hashable, Sendable, CaseIterable {
      /// Two entities, or two properties of an entity, have the same name.
      case duplicateName
      /// A name is empty, or not allowed for a property.
      case forbiddenName
      /// The superentity is not in the model.
      case unknownSuperentity
      /// An entity inherits from itself.
      case inheritanceCycle
      /// A property of an entity has the same name as an inherited one.
      case inheritedProperty
      /// The destination of a relationship is not in the model.
      case unknownDestination
      /// The destination of a relationship has no relationship with the name of the inverse.
      case unknownInverse
      /// The inverse of a relationship has a different destination or a different inverse.
      case inverseMismatch
      /// The minimum or maximum count of a relationship is not valid.
      case impossibleCount
      /// A default value does not have the type of its attribute.
      case defaultValue
      /// A setting is not available for the type of an attribute.
      case attributeType
      /// A constraint, an index, a configuration, a request or a mapping refers to a name that does not exist.
      case unknownName
      /// The number of properties, including inherited ones, exceeds the limit.
      case tooLarge
      /// The version of an entity is not the one for which a mapping was made.
      case versionMismatch
      /// A class declares a property in a way that is not supported.
      case classProperty
      /// The entity of a class is not in the model.
      case unknownEntity
      /// The declarations of a class and its entity are different.
      case classMismatch
    }

    /// The kind of defect.
    public var kind: Kind
    /// The entity that has the defect.
    public var entity: String?
    /// The property that has the defect.
    public var property: String?
    /// The description of the defect, in one line without the location.
    public var message: String

    /// Creates a defect.
    public init(_ kind: Kind, entity: String? = nil, property: String? = nil, _ message: String) {
      self.kind = kind
      self.entity = entity
      self.property = property
      self.message = message
    }
  }

  /// A difference between two models that prevents merging.
  public enum Conflict: Hashable, Sendable {
    /// Both models have an entity with this name, and the entities are different.
    case entity(String)
    /// Both models have a template with this name, and the templates are different.
    case fetchRequestTemplate(String)
    /// Both models have registered a value transformer with this name, and the transformers are different.
    case attributeTransformer(String)
  }
}

extension ManagedObjectModelError.Defect: CustomStringConvertible {
  /// The location, then the message: `Note.author: …`.
  public var description: String {
    guard let entity else { return message }
    let location = [entity, property].compactMap { $0?.printable(limit: 100) }.joined(separator: ".")
    return "\(location): \(message)"
  }
}

extension ManagedObjectModelError: CustomStringConvertible {
  /// All defects, one per line, with entity and property.
  public var description: String {
    switch self {
    case .invalid(let defects): defects.map(\.description).joined(separator: "\n")
    case .conflicts(let conflicts):
      conflicts.map { conflict in
        switch conflict {
        case .entity(let name): "the models have different entities named \(name.quoted)"
        case .fetchRequestTemplate(let name): "the models have different fetch-request templates named \(name.quoted)"
        case .attributeTransformer(let name): "the models have different value transformers named \(name.quoted)"
        }
      }.joined(separator: "\n")
    case .archive(let error): error.description
    case .source(let error), .file(let error): error.description
    case .resource(let error): error.description
    }
  }
}
