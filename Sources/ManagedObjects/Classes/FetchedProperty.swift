internal import ObjectModels
internal import Predicates

/// A property that is a fetched property of the entity of its class: the objects that a request finds.
///
/// ```swift
/// final class Note: ManagedObject {
///   @Relationship(inverse: \Person.notes) var author: Person?
///   @FetchedProperty("author == $FETCH_SOURCE.author", sortedBy: [.init("date")]) var fellows: [Note]
/// }
/// ```
///
/// `$FETCH_SOURCE` stands for the object whose property it is, and `$FETCHED_PROPERTY` for the description of the
/// property. The request is executed each time that the property is read.
@propertyWrapper
public struct FetchedProperty<Destination: ManagedObject> {
  @usableFromInline let number: UInt16

  /// A fetched property.
  ///
  /// All arguments are asked for when a model is made of the class, and not for each object.
  ///
  /// - Parameters:
  ///   - format: what is true of the objects; see ``ManagedPredicate/init(format:_:)``. A model of a class with one
  ///     that is none is an error.
  ///   - sortedBy: the order of the objects, the most important key first.
  ///   - limit: the most objects; 0 for all.
  @inlinable
  public init(
    _ format: @autoclosure () -> String, sortedBy: @autoclosure () -> [FetchRequest.SortDescriptor] = [],
    limit: @autoclosure () -> Int = 0
  ) {
    number = isRecordingProperties ? Self.record(format, sortedBy, limit) : 0
  }

  /// A wrapper works in a class that inherits from ``ManagedObject``.
  @available(*, unavailable, message: "@FetchedProperty is for properties of classes that inherit from ManagedObject")
  public var wrappedValue: [Destination] { [] }

  /// The objects that the request finds.
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped property: KeyPath<Object, [Destination]>,
    storage storage: ReferenceWritableKeyPath<Object, Self>
  ) -> [Destination] {
    if let reading = PropertyReading.of(object) {
      reading.add(object, object[keyPath: storage], .fetched)
      return []
    }
    return object.fetchedObjects(at: storage).compactMap { $0 as? Destination }
  }
}

extension FetchedProperty: Sendable {}

extension FetchedProperty: ManagedPropertyWrapper {
  @usableFromInline @inline(never)
  static func record(
    _ format: () -> String, _ sortedBy: () -> [FetchRequest.SortDescriptor], _ limit: () -> Int
  ) -> UInt16 {
    PropertyRecording.add {
      var request = FetchRequest("", sortedBy: sortedBy())
      request.fetchLimit = limit()
      var defects: [ManagedObjectModelError.Defect] = []
      do throws(ManagedPredicateError) {
        request.predicate = try ManagedPredicate(format: format(), arguments: [])
      } catch {
        defects.append(.init(.classProperty, error.description))
      }
      var property = ClassProperty(.fetched(FetchedPropertyDescription("", request)))
      property.destination = Destination.self
      property.defects = defects
      return property
    }
  }
}
