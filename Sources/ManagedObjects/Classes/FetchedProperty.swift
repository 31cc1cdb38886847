internal import ObjectModels
internal import Predicates

/// A property wrapper for a fetched property of the class's entity: the objects that match a request.
///
/// ```swift
/// final class Note: ManagedObject {
///   @Relationship(inverse: \Person.notes) var author: Person?
///   @FetchedProperty("author == $FETCH_SOURCE.author", sortedBy: [.init("date")]) var fellows: [Note]
/// }
/// ```
///
/// `$FETCH_SOURCE` is the object with the property. `$FETCHED_PROPERTY` is the description of the property: its `name`
/// and its `userInfo`, for example. See ``ManagedObject/fetchedObjects(named:)`` for all its keys. The request is
/// executed on each access.
@propertyWrapper
public struct FetchedProperty<Destination: ManagedObject> {
  @usableFromInline let number: UInt16

  /// Creates a fetched property.
  ///
  /// All arguments are evaluated when a model is made from the class, not for each object.
  ///
  /// - Parameters:
  ///   - format: the predicate; see ``ManagedPredicate/init(format:_:)``. If it is not a predicate, making a model
  ///     throws.
  ///   - sortedBy: the sort descriptors, the most important one first.
  ///   - limit: the maximum number of objects; 0 for all.
  @inlinable
  public init(
    _ format: @autoclosure () -> String, sortedBy: @autoclosure () -> [FetchRequest.SortDescriptor] = [],
    limit: @autoclosure () -> Int = 0
  ) {
    number = isRecordingProperties ? Self.record(format, sortedBy, limit) : 0
  }

  /// Unavailable: the wrapper works only in classes that inherit from ``ManagedObject``.
  @available(*, unavailable, message: "@FetchedProperty is for properties of classes that inherit from ManagedObject")
  public var wrappedValue: [Destination] { [] }

  /// The objects that match the request. If the fetch fails, there are none, and the error is added to
  /// ``ManagedObjectContext/misuse``.
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
