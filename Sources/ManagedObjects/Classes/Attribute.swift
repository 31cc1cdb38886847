internal import ObjectModels

/// A property wrapper for an attribute of the class's entity.
///
/// ```swift
/// final class Note: ManagedObject {
///   @Attribute var date: Date
///   @Attribute(.minimumLength(1), .indexed) var title = "Untitled"
///   @Attribute var content: String?
/// }
/// ```
///
/// If the type is not optional, the attribute is mandatory. The value after `=` is the default in the model, and so the
/// value of new objects. Options and default are evaluated when a model is made from the class, not for each object.
///
/// If the attribute has no value, as is possible in files that other programs wrote, the property returns the model's
/// default, or ``AttributeConvertible/missingValue`` if the model has no default.
///
/// The property returns the same if the stored value is not a value of its type, such as a raw value that an enumeration
/// does not have, or data that is not an archive. The stored value is kept, and is overwritten only when the property
/// is set. ``ManagedObjectContext/misuse`` gets one error for each such value;
/// ``ManagedObjectClass/decodedValue(of:)`` throws it.
///
/// If a new value cannot be stored, for example because it cannot be archived, the property keeps its old value, and
/// saving the object fails until the property is set again.
///
/// Reading or setting the property does not look up its name: the index of the value in the object is found once and
/// cached.
@propertyWrapper
public struct Attribute<Value: AttributeConvertible> {
  /// A setting of the attribute. See ``AttributeOption``.
  public typealias Option = AttributeOption<Value>

  @usableFromInline let number: UInt16

  /// Creates an attribute without a default.
  @inlinable
  public init(
    _ first: @autoclosure () -> Option? = nil, _ second: @autoclosure () -> Option? = nil,
    _ third: @autoclosure () -> Option? = nil, _ fourth: @autoclosure () -> Option? = nil,
    _ fifth: @autoclosure () -> Option? = nil, _ sixth: @autoclosure () -> Option? = nil
  ) {
    number =
      isRecordingProperties
      ? Self.record(defaultValue: { nil }, options: { [first(), second(), third(), fourth(), fifth(), sixth()] }) : 0
  }

  /// Creates an attribute with a default.
  @inlinable
  public init(
    wrappedValue: @autoclosure () -> Value, _ first: @autoclosure () -> Option? = nil,
    _ second: @autoclosure () -> Option? = nil, _ third: @autoclosure () -> Option? = nil,
    _ fourth: @autoclosure () -> Option? = nil, _ fifth: @autoclosure () -> Option? = nil,
    _ sixth: @autoclosure () -> Option? = nil
  ) {
    number =
      isRecordingProperties
      ? Self.record(
        defaultValue: { wrappedValue() }, options: { [first(), second(), third(), fourth(), fifth(), sixth()] }) : 0
  }

  /// Unavailable: the wrapper works only in classes that inherit from ``ManagedObject``.
  @available(*, unavailable, message: "@Attribute is for properties of classes that inherit from ManagedObject")
  public var wrappedValue: Value {
    get { Value.missingValue }
    set {}
  }

  /// The value of the property of an object.
  @inlinable
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped property: ReferenceWritableKeyPath<Object, Value>,
    storage storage: ReferenceWritableKeyPath<Object, Self>
  ) -> Value {
    get {
      guard let value = object.attributeValue(at: storage) else { return probe(object, object[keyPath: storage]) }
      return Value(attributeValue: value) ?? substitute(for: value, object, storage)
    }
    set {
      do { object.setAttributeValue(try newValue.attributeValue, at: storage) } catch {
        object.refuseValue(error, at: storage)
      }
    }
  }

  /// Returns the value of a property whose attribute has no value, or a value that is not of the property's type: the
  /// model's default, or the missing value of the type.
  @usableFromInline @inline(never)
  static func substitute(for stored: AttributeValue, _ object: ManagedObject, _ storage: AnyKeyPath) -> Value {
    object.slot(at: storage).map { object.substitute(for: stored, slot: $0) } ?? Value.missingValue
  }

  /// Returns the value for an object whose entity does not have the attribute. If the object belongs to a
  /// ``ClassPrototype``, records the access and returns a value by which the property can be recognized. Otherwise,
  /// returns the missing value of the type.
  @usableFromInline @inline(never)
  static func probe(_ object: ManagedObject, _ wrapper: Self) -> Value {
    guard let reading = PropertyReading.of(object) else { return Value.missingValue }
    let result = Value(attributeValue: reading.round.probe(Value.attributeType)) ?? Value.missingValue
    reading.add(object, wrapper, .attribute(Value.attributeType, (try? result.attributeValue) ?? .null))
    return result
  }
}

extension Attribute: Sendable {}

extension Attribute: ManagedPropertyWrapper {
  @usableFromInline @inline(never)
  static func record(defaultValue: () -> Value?, options: () -> [Option?]) -> UInt16 {
    PropertyRecording.add {
      var description = AttributeDescription("", Value.attributeType, isOptional: Value.isOptionalAttribute)
      var defects: [ManagedObjectModelError.Defect] = []
      do throws(ManagedObjectError) {
        if let value = defaultValue() { description.defaultValue = try value.attributeValue }
      } catch {
        defects.append(.init(.defaultValue, "the default value is not valid: \(error.message)"))
      }
      var property = ClassProperty(.attribute(description))
      property.defects = defects
      property.hidesMissingValue = !Value.isOptionalAttribute && !isZero(Value.missingValue)
      for option in options() { option?.apply(&property) }
      return property
    }
  }

  private static func isZero(_ value: Value) -> Bool {
    switch try? value.attributeValue {
    case .boolean(false), .integer(0), .double(0), .float(0): true
    case .decimal(let value): value.isZero
    default: false
    }
  }
}
