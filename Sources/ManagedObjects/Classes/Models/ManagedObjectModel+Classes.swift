internal import ObjectModels
public import OrderedCollections

/// Models made of classes.
extension ManagedObjectModel {
  /// Makes a model of classes.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(Note.self, Person.self)
  /// ```
  ///
  /// Each class makes an entity, with the properties that have a wrapper: ``Attribute``, ``Relationship`` and
  /// ``FetchedProperty``. Other properties are the program's own, and are not kept. A class that inherits from another
  /// class of the list makes a sub-entity; of a superclass that is not in the list the properties are those of the
  /// entity. What wrappers do not say is said in ``ManagedObject/describe(_:)``.
  ///
  /// - Throws: ``ManagedObjectModelError/invalid(_:)`` with all that does not fit.
  public convenience init(_ classes: ManagedObject.Type...) throws(ManagedObjectModelError) {
    try self.init(classes: classes)
  }

  /// Makes a model of classes, as ``init(_:)``, with what else a model has.
  ///
  /// - Parameters:
  ///   - classes: the classes, in any order.
  ///   - configurations: the names of the entities of each configuration.
  ///   - fetchRequestTemplates: requests by name.
  ///   - versionIdentifiers: what the model says that it is a version of.
  public convenience init(
    classes: [ManagedObject.Type], configurations: OrderedDictionary<String, [String]> = [:],
    fetchRequestTemplates: OrderedDictionary<String, FetchRequest> = [:], versionIdentifiers: [String] = []
  ) throws(ManagedObjectModelError) {
    let model = ClassModel(classes)
    var contents = Contents(
      entities: model.entities, configurations: configurations, fetchRequestTemplates: fetchRequestTemplates,
      versionIdentifiers: versionIdentifiers)
    contents.classes = model.classesByEntity
    // Defects of the classes are reported together with those of the entities.
    var defects = model.defects
    do {
      if defects.isEmpty {
        try self.init(contents)
        return
      }
      _ = try ManagedObjectModel(contents)
    } catch .invalid(let others) {
      defects += others.filter { !defects.contains($0) }
    }
    throw .invalid(defects)
  }

  /// The entity of a class; nil if it has none in the model.
  ///
  /// - Complexity: O(*n*) in the number of entities.
  public func entity(of type: ManagedObject.Type) -> Entity? {
    if let entity = self[type.entityName], classes[entity.index] == type { return entity }
    return classes.firstIndex { $0 == type }.map { Entity(model: self, index: $0) }
  }
}
