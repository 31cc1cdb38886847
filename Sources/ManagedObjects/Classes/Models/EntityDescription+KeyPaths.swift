public import ObjectModels

/// Functions that add constraints and indexes of several properties, for ``ManagedObject/describe(_:)``. For a single
/// attribute, use ``AttributeOption/unique`` and ``AttributeOption/indexed``.
extension EntityDescription {
  /// Adds a uniqueness constraint: no two objects may have equal values for all these attributes and to-one
  /// relationships.
  ///
  /// ```swift
  /// final class Note: ManagedObject {
  ///   @Attribute var title: String
  ///   @Relationship(inverse: \Person.notes) var owner: Person?
  ///
  ///   override class func describe(_ entity: inout EntityDescription) {
  ///     entity.addUniquenessConstraint(\Note.owner, \Note.title)
  ///   }
  /// }
  /// ```
  ///
  /// If a key path does not lead to a property of the entity, making the model throws
  /// ``ManagedObjectModelError/Defect/Kind/unknownName``.
  ///
  /// - Complexity: O(*n*) in the number of properties of the class.
  public mutating func addUniquenessConstraint<Object: ManagedObject>(_ properties: PartialKeyPath<Object>...) {
    uniquenessConstraints.append(properties.map { Self.name($0) })
  }

  /// Adds a fetch index for fast lookups and sorting by these properties, the most significant first.
  ///
  /// ```swift
  /// override class func describe(_ entity: inout EntityDescription) {
  ///   entity.addFetchIndex(\Note.date, \Note.title)         // byDateAndTitleIndex
  /// }
  /// ```
  ///
  /// For descending order or a partial index, append a ``FetchIndexDescription`` to `fetchIndexes`. If a key path
  /// does not lead to a property of the entity, making the model throws
  /// ``ManagedObjectModelError/Defect/Kind/unknownName``.
  ///
  /// - Parameters:
  ///   - properties: the properties.
  ///   - name: the name of the index; nil for a name such as `byDateAndTitleIndex`.
  /// - Complexity: O(*n*) in the number of properties of the class.
  public mutating func addFetchIndex<Object: ManagedObject>(
    _ properties: PartialKeyPath<Object>..., named name: String? = nil
  ) {
    let names = properties.map { Self.name($0) }
    let ofProperties = names.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And")
    fetchIndexes.append(
      FetchIndexDescription(name ?? "by\(ofProperties)Index", names.map { .init(.property($0)) }))
  }

  /// Returns the name of the property at a key path. If the property has no wrapper, for example because it is
  /// computed, returns a text that is not a valid name, so that creating the model fails with an error.
  private static func name<Object: ManagedObject>(_ keyPath: PartialKeyPath<Object>) -> String {
    PropertyPath(keyPath)?.names.joined(separator: ".") ?? "a property of \(Object.self) without a wrapper"
  }
}
