internal import ObjectModels

/// A property that is an attribute of the entity of its class.
///
/// ```swift
/// final class Note: ManagedObject {
///   @Attribute var date: Date
///   @Attribute(.minimumLength(1), .indexed) var title = "Untitled"
///   @Attribute var content: String?
/// }
/// ```
///
/// A type that is not optional makes a mandatory attribute. The value after `=` is the default in the model, and so the
/// value of new objects. Options and default are evaluated when a model is made of the class, not for each object.
///
/// If the attribute has no value, as can be in files of other programs, the property reads as the default of the model;
/// without a default, as ``AttributeConvertible/missingValue``.
///
/// Reading and writing look up no name. The slot of the value in the object is found once, by the key path that the
/// compiler makes, and kept.
@propertyWrapper
public struct Attribute<Value: AttributeConvertible> {
  /// A setting of the attribute besides its type. See ``AttributeOption``.
  public typealias Option = AttributeOption<Value>

  @usableFromInline let number: UInt16

  /// An attribute without a default.
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

  /// An attribute with a default.
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

  /// A wrapper works in a class that inherits from ``ManagedObject``.
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
      return Value(attributeValue: value) ?? defaultValue(object, storage)
    }
    set {
      do { object.setAttributeValue(try newValue.attributeValue, at: storage) } catch {
        object.refuseValue(error, at: storage)
      }
    }
  }

  /// The value of an attribute without one.
  @usableFromInline @inline(never)
  static func defaultValue(_ object: ManagedObject, _ storage: AnyKeyPath) -> Value {
    let value = object.initialValue(at: storage)
    if case .null = value { return Value.missingValue }
    return Value(attributeValue: value) ?? Value.missingValue
  }

  /// The value of a prototype, which takes down what is read; of other objects, one for a property that their entity
  /// does not have.
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
        defects.append(.init(.defaultValue, "the default value: \(error.message)"))
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
