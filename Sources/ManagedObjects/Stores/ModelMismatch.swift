package import ObjectModels

/// A difference between a store and a model of another version, found when the store was opened with
/// ``PersistentStoreDescription/ignoresModelVersion``.
///
/// ```swift
/// var description = PersistentStoreDescription.sqlite(file)
/// description.ignoresModelVersion = true
/// let container = try PersistentContainer(model: model, stores: [description])
/// for mismatch in container.coordinator.stores[0].modelMismatches { print(mismatch) }
/// // Note.subtitle: the store does not have the property: it reads as "none"
/// // Draft: the model does not have the entity: 12 objects are ignored
/// ```
public struct ModelMismatch: Hashable, Sendable {
  /// A kind of difference.
  public enum Kind: Hashable, Sendable {
    /// The store does not have an entity of the model.
    case missingEntity
    /// The store does not have a property of the model. An attribute returns its default, or null. A relationship is
    /// empty.
    case missingProperty
    /// The store has a property in another form. Values that are not of the attribute's type are kept as they are:
    /// ``ManagedObjectClass/decodedValue(of:)`` throws. Or the form of binary data is guessed, because an SQLite store
    /// does not contain its model: external storage adds a byte to each value, but other data can begin with that byte.
    case changedProperty
    /// The store has an entity that the model does not have. Its objects are ignored.
    case unknownEntity
    /// The store has a property that the model does not have. Its values are ignored.
    case unknownProperty
    /// The store has references that the relationship cannot have. They are ignored.
    case ignoredReferences
    /// The store has rows that are not objects of an entity. They are ignored.
    case ignoredRows
  }

  /// The kind of difference.
  public var kind: Kind
  /// The name of the entity in the model. For ``Kind/unknownEntity``, the name of the entity in the store; for
  /// ``Kind/ignoredRows``, the name of the table.
  public var entity: String
  /// The name of the property; nil for a difference of the whole entity. For a property that the model does not have,
  /// this can be the name of its column, if the store does not contain its model.
  public var property: String?
  /// The number of objects that are ignored, or whose values or references are ignored; nil if it is unknown, or if
  /// nothing is ignored.
  public var objectCount: Int?
  /// An explanation, such as `the store does not have the property: it reads as 7`.
  public var reason: String

  /// Creates a mismatch.
  package init(
    _ kind: Kind, _ entity: String, _ property: String? = nil, objectCount: Int? = nil, _ reason: String
  ) {
    self.kind = kind
    self.entity = entity
    self.property = property
    self.objectCount = objectCount
    self.reason = reason
  }

  /// Creates the mismatch for a property of the model that has no values in the store.
  ///
  /// - Parameter reason: the reason why the values cannot be used; nil if the store does not have the property.
  package init(
    missing property: ManagedObjectModel.Entity.Property, of entity: ManagedObjectModel.Entity, _ reason: String? = nil
  ) {
    let substitute =
      switch property {
      case .attribute(let attribute): "it reads as \(attribute.initialValue)"
      case .relationship: "it is empty"
      }
    self.init(
      reason == nil ? .missingProperty : .changedProperty, entity.name, property.name,
      "\(reason ?? "the store does not have the property"): \(substitute)")
  }

  /// Creates the mismatch for an entity of the store that the model does not have.
  package init(unknownEntity name: String, objectCount: Int?) {
    let objects = objectCount.map { $0 == 1 ? "1 object is" : "\($0) objects are" } ?? "its objects are"
    self.init(
      .unknownEntity, name, objectCount: objectCount, "the model does not have the entity: \(objects) ignored")
  }

  /// Creates the mismatch for a property of the store that the model does not have.
  package init(unknownProperty name: String, of entity: String, objectCount: Int? = nil) {
    self.init(
      .unknownProperty, entity, name, objectCount: objectCount,
      "the model does not have the property: its values are ignored")
  }
}

extension ModelMismatch: CustomStringConvertible {
  /// The names of entity and property, and the reason.
  public var description: String { "\(entity)\(property.map { ".\($0)" } ?? ""): \(reason)" }
}

extension ManagedObjectError {
  /// Creates the error for a save to a store whose model version is ignored.
  package static func ignoringModelVersion(_ path: String) -> ManagedObjectError {
    ManagedObjectError(
      .save,
      "\(path.printable()) is open for reading only, because the version of its model is ignored: a save could lose "
        + "values that the model does not have; copy the objects to a new store instead")
  }
}
