public import KeyedArchiving
public import PropertyLists

/// Why there is no model.
public enum ManagedObjectModelError: Error, Sendable {
  /// All defects of a model.
  case invalid([Defect])
  /// All differences of models that were to be merged.
  case conflicts([Conflict])
  /// A compiled model, or a compiled mapping model, cannot be read or written.
  case archive(KeyedArchiveError)
  /// A source file is not one, or says something that means nothing: where and what.
  case source(PropertyListError)
  /// A file or a folder cannot be read or written.
  case file(PropertyListError)

  /// Something in a model that does not fit.
  public struct Defect: Hashable, Sendable {
    /// The sort of defect. Programs decide by it; people read ``message``.
    public enum Kind: Hashable, Sendable, CaseIterable {
      /// Two entities, or two properties of an entity, have one name.
      case duplicateName
      /// A name is empty, or one that properties cannot have.
      case forbiddenName
      /// A superentity that is not in the model.
      case unknownSuperentity
      /// An entity that inherits from itself.
      case inheritanceCycle
      /// A property that an entity has, and that it inherits too.
      case inheritedProperty
      /// The destination of a relationship is not in the model.
      case unknownDestination
      /// The inverse of a relationship is no relationship of the destination.
      case unknownInverse
      /// The inverse of a relationship leads elsewhere, or has another inverse.
      case inverseMismatch
      /// Counts of a relationship that no relationship can have.
      case impossibleCount
      /// A value that is not of the type of its attribute.
      case defaultValue
      /// A setting that only some types of attributes can have.
      case attributeType
      /// A constraint, an index, a configuration, a request or a mapping names what is not there.
      case unknownName
      /// Entities inherit so many properties that no program can mean it.
      case tooLarge
      /// An entity is another version than a mapping of it was made for.
      case versionMismatch
      /// A class declares a property as no property can be.
      case classProperty
      /// A class whose entity is not in the model.
      case unknownEntity
      /// A class and its entity say different things.
      case classMismatch
    }

    /// The sort of defect.
    public var kind: Kind
    /// The entity that has the defect.
    public var entity: String?
    /// The property that has it.
    public var property: String?
    /// The defect, in one line without the location.
    public var message: String

    /// A defect.
    public init(_ kind: Kind, entity: String? = nil, property: String? = nil, _ message: String) {
      self.kind = kind
      self.entity = entity
      self.property = property
      self.message = message
    }
  }

  /// Something that two models say differently.
  public enum Conflict: Hashable, Sendable {
    /// Both have an entity of this name, and the two are different.
    case entity(String)
    /// Both have a template of this name, and the two are different.
    case fetchRequestTemplate(String)
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
  /// All that is wrong, a line for each defect, with entity and property.
  public var description: String {
    switch self {
    case .invalid(let defects): defects.map(\.description).joined(separator: "\n")
    case .conflicts(let conflicts):
      conflicts.map { conflict in
        switch conflict {
        case .entity(let name): "the models have different entities \(name.quoted)"
        case .fetchRequestTemplate(let name): "the models have different fetch-request templates \(name.quoted)"
        }
      }.joined(separator: "\n")
    case .archive(let error): error.description
    case .source(let error), .file(let error): error.description
    }
  }
}
