internal import ObjectModels
public import Predicates

/// The objects that a batch request inserts, as dictionaries with the values of attributes.
///
/// A store reads them one at a time:
///
/// ```swift
/// var objects = rows.makeIterator(for: entity)
/// while let values = try objects.next() { print(values["title"] ?? .null) }
/// ```
public struct BatchRows {
  typealias Function = () throws(ManagedObjectError) -> [String: AttributeValue]?

  private let start: () -> Function

  init(_ start: @escaping () -> Function) { self.start = start }

  init(_ objects: some Sequence<[String: AttributeValue]>) {
    start = {
      var iterator = objects.makeIterator()
      return { iterator.next() }
    }
  }

  /// Returns an iterator over the objects. It checks the values, and converts them to the types of the attributes.
  ///
  /// - Parameter entity: the entity of the new objects.
  public func makeIterator(for entity: ManagedObjectModel.Entity) -> Iterator { Iterator(entity, start()) }

  /// An iterator over the values of new objects.
  public struct Iterator {
    private let entity: ManagedObjectModel.Entity
    private let attributes: [String: BatchAssignment.Target]
    private let function: BatchRows.Function
    private var isAtEnd = false

    fileprivate init(_ entity: ManagedObjectModel.Entity, _ function: @escaping BatchRows.Function) {
      self.entity = entity
      self.function = function
      var attributes: [String: BatchAssignment.Target] = [:]
      for attribute in entity.attributes where !attribute.isTransient {
        attributes[attribute.name] = BatchAssignment.Target(attribute)
      }
      self.attributes = attributes
    }

    /// Returns the values of the next object; nil at the end.
    ///
    /// - Throws: ``ManagedObjectError/Code/undefinedKey`` for a name that is not a stored attribute of the entity;
    ///   ``ManagedObjectError/Code/invalidValue`` for a value that the attribute cannot have; the errors of the
    ///   function that returns the objects.
    public mutating func next() throws(ManagedObjectError) -> [String: AttributeValue]? {
      guard var values = try nextValues() else { return nil }
      for (name, value) in values { values[name] = try target(name).normalized(value) }
      return values
    }

    /// Returns the values of the next object by the slots of its attributes; nil at the end.
    mutating func nextSlots() throws(ManagedObjectError) -> [(slot: Int, value: AttributeValue)]? {
      guard let values = try nextValues() else { return nil }
      var slots: [(slot: Int, value: AttributeValue)] = []
      slots.reserveCapacity(values.count)
      for (name, value) in values {
        let target = try target(name)
        slots.append((target.slot, try target.normalized(value)))
      }
      return slots
    }

    private mutating func nextValues() throws(ManagedObjectError) -> [String: AttributeValue]? {
      // The function must not be called again after it returned nil.
      if isAtEnd { return nil }
      let values = try function()
      isAtEnd = values == nil
      return values
    }

    private func target(_ name: String) throws(ManagedObjectError) -> BatchAssignment.Target {
      guard let target = attributes[name] else { throw BatchAssignment.unknown(name, entity) }
      return target
    }
  }
}

extension BatchRows.Iterator {
  /// Returns the values of at most `count` next objects, by the slots of their attributes; an empty array at the end.
  package mutating func next(
    atMost count: Int
  ) throws(ManagedObjectError) -> [[(slot: Int, value: AttributeValue)]] {
    var objects: [[(slot: Int, value: AttributeValue)]] = []
    while objects.count < count, let slots = try nextSlots() { objects.append(slots) }
    return objects
  }
}
