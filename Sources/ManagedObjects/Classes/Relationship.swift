internal import ObjectModels
public import OrderedCollections
public import PropertyLists

/// A property that is a relationship of the entity of its class.
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
/// An optional object makes a to-one relationship, a set a to-many one, and an array a to-many one with an order.
///
/// One side of two that are inverse names the other; the compiler does not let both do it, and a model made of the
/// classes knows it of both.
///
/// To read a to-many relationship makes a set or an array of all its objects. To add or remove single ones, use
/// `add(_:to:)` and `remove(_:from:)` of ``ManagedObject``, which cost the same for any number.
@propertyWrapper
public struct Relationship<Value: RelationshipValue> {
  @usableFromInline let number: UInt16

  /// A relationship.
  ///
  /// All arguments are asked for when a model is made of the class, and not for each object.
  ///
  /// - Parameters:
  ///   - inverse: the relationship back; nil if there is none, or if it names this one.
  ///   - deleteRule: what happens to the objects when the one that refers to them is deleted.
  ///   - isOptional: false if an object is not valid without any. A to-many relationship may be empty all the same
  ///     unless `minimumCount` says otherwise.
  ///   - minimumCount: the fewest objects of a to-many relationship that is not empty.
  ///   - maximumCount: the most objects of a to-many relationship; 0 for any number.
  ///   - isTransient: true if no store keeps it.
  ///   - renamedFrom: the name in an earlier version of the model.
  ///   - hashModifier: a part of the version hash.
  ///   - userInfo: what programs keep with it.
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

  /// A wrapper works in a class that inherits from ``ManagedObject``.
  @available(*, unavailable, message: "@Relationship is for properties of classes that inherit from ManagedObject")
  public var wrappedValue: Value {
    get { Value(objects: []) }
    set {}
  }

  /// The objects that an object refers to.
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

  /// The value of a prototype, which takes down what is read; of other objects, nothing.
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
            .init(.unknownInverse, "its inverse is no property of \(Value.Destination.self) with @Relationship"))
        }
      }
      return property
    }
  }
}
