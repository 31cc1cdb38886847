internal import ObjectModels
public import OrderedCollections
public import PropertyLists

/// A property wrapper for a relationship of the class's entity.
///
/// ```swift
/// final class Note: ManagedObject {
///   @Relationship(inverse: \Person.notes) var author: Person?
/// }
///
/// final class Person: ManagedObject {
///   @Relationship(deleteRule: .cascade) var notes: Set<Note>
/// }
/// ```
///
/// The type of the property determines the kind of the relationship: an optional object is a to-one relationship, a set
/// is a to-many relationship, and an array is an ordered to-many relationship.
///
/// Name the inverse on one side only: the compiler does not accept it on both. A model made from the classes sets both
/// sides.
///
/// Reading a to-many relationship creates a set or an array of all its objects. To add or remove single objects, use
/// `add(_:to:)` and `remove(_:from:)` of ``ManagedObject`` instead.
@propertyWrapper
public struct Relationship<Value: RelationshipValue> {
  @usableFromInline let number: UInt16

  /// Creates a relationship.
  ///
  /// All arguments are evaluated when a model is made from the class, not for each object.
  ///
  /// ```swift
  /// @Relationship(deleteRule: .deny, isOptional: false, minimumCount: 1, maximumCount: 11) var players: Set<Person>
  /// ```
  ///
  /// - Parameters:
  ///   - inverse: the inverse relationship; nil without an inverse, or if the inverse names this one.
  ///   - deleteRule: the effect on the destination objects when the source object is deleted.
  ///   - isOptional: false if the relationship must not be empty. A to-many relationship may still be empty if
  ///     `minimumCount` is 0.
  ///   - minimumCount: the minimum number of objects in a to-many relationship that is not empty.
  ///   - maximumCount: the maximum number of objects in a to-many relationship; 0 for no limit.
  ///   - isTransient: true if the relationship is not saved in stores.
  ///   - renamedFrom: the name of the relationship in an earlier version of the model.
  ///   - hashModifier: a part of the version hash.
  ///   - userInfo: custom data for the relationship.
  @inlinable
  public init(
    inverse: @autoclosure () -> PartialKeyPath<Value.Destination>? = nil,
    deleteRule: @autoclosure () -> RelationshipDescription.DeleteRule = .nullify,
    isOptional: @autoclosure () -> Bool = true, minimumCount: @autoclosure () -> Int = 0,
    maximumCount: @autoclosure () -> Int = 0, isTransient: @autoclosure () -> Bool = false,
    renamedFrom: @autoclosure () -> String? = nil, hashModifier: @autoclosure () -> String? = nil,
    userInfo: @autoclosure () -> OrderedDictionary<String, PropertyList> = [:]
  ) {
    number =
      isRecordingProperties
      ? Self.record(inverse()) { description in
        description.deleteRule = deleteRule()
        description.traits.isOptional = isOptional()
        description.minimumCount = minimumCount()
        if Value.isToMany { description.maximumCount = maximumCount() }
        description.traits.isTransient = isTransient()
        description.traits.renamingIdentifier = renamedFrom()
        description.traits.versionHashModifier = hashModifier()
        description.traits.userInfo = userInfo()
      } : 0
  }

  /// Unavailable: the wrapper works only in classes that inherit from ``ManagedObject``.
  @available(*, unavailable, message: "@Relationship is for properties of classes that inherit from ManagedObject")
  public var wrappedValue: Value {
    get { Value(objects: []) }
    set {}
  }

  /// The value of the property of an object.
  @inlinable
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped property: ReferenceWritableKeyPath<Object, Value>,
    storage storage: ReferenceWritableKeyPath<Object, Self>
  ) -> Value {
    get {
      if Value.isToMany {
        if let objects = object.relatedObjects(at: storage) { return Value(objects: objects) }
      } else if let other = object.relatedObject(at: storage) {
        return Value(object: other)
      }
      return probe(object, object[keyPath: storage])
    }
    set {
      if Value.isToMany {
        object.setRelatedObjects(newValue.objects, at: storage)
      } else {
        object.setRelatedObject(newValue.object, at: storage)
      }
    }
  }

  /// Returns the value for an object whose entity does not have the relationship. If the object belongs to a
  /// ``ClassPrototype``, records the access and returns a prototype of the destination class. Otherwise, returns no
  /// objects.
  @usableFromInline @inline(never)
  static func probe(_ object: ManagedObject, _ wrapper: Self) -> Value {
    guard let reading = PropertyReading.of(object) else { return Value(objects: []) }
    var objects: [ManagedObject] = []
    if reading.round != .empty, let other = ClassPrototype(Value.Destination.self, reading: reading) {
      objects.append(other.object)
    }
    reading.add(object, wrapper, .relationship(isToMany: Value.isToMany, objects))
    return Value(objects: objects)
  }
}

extension Relationship: Sendable {}

extension Relationship: ManagedPropertyWrapper {
  @usableFromInline @inline(never)
  static func record(_ inverse: AnyKeyPath?, _ describe: (inout RelationshipDescription) -> Void) -> UInt16 {
    PropertyRecording.add {
      var description = RelationshipDescription("", to: "", isToMany: Value.isToMany, isOrdered: Value.isOrdered)
      describe(&description)
      var property = ClassProperty(.relationship(description))
      property.destination = Value.Destination.self
      if let inverse {
        if let path = PropertyPath(inverse), path.names.count == 1, case .relationship = path.last {
          property.inverse = path.names[0]
        } else {
          property.defects.append(
            .init(.unknownInverse, "its inverse is not a @Relationship property of \(Value.Destination.self)"))
        }
      }
      return property
    }
  }
}
