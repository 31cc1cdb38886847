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
/// The property also returns this default if the stored value is not of its type, such as a raw value that an
/// enumeration does not have, or data that is not an archive. The stored value is kept until the property is set. One
/// error for each such value is added to ``ManagedObjectContext/misuse``; ``ManagedObjectClass/decodedValue(of:)``
/// throws it.
///
/// If a new value cannot be stored, for example because it cannot be archived, the property keeps its old value, and
/// saving the object fails until the property is set again.
///
/// The option `.transformed(by:)` stores values in the form that a value transformer makes: see
/// ``AttributeTransformer``.
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
      guard let value = object.attributeValue(at: storage) else {
        return otherValue(object, object[keyPath: storage], storage)
      }
      return Value(attributeValue: value) ?? substitute(for: value, object, storage)
    }
    set {
      do {
        if object.setAttributeValue(try newValue.attributeValue, at: storage) { return }
        setOtherValue(newValue, nil, object, storage)
      } catch {
        setOtherValue(newValue, error, object, storage)
      }
    }
  }

  /// Returns the value to use if the stored value is null, or is not of the property's type: the model's default, or
  /// else `Value.missingValue`.
  @usableFromInline @inline(never)
  static func substitute(for stored: AttributeValue, _ object: ManagedObject, _ storage: AnyKeyPath) -> Value {
    object.slot(at: storage).map { object.substitute(for: stored, slot: $0) } ?? Value.missingValue
  }

  /// Returns the value if the attribute has a value transformer, or if the object's entity does not have the attribute.
  @usableFromInline @inline(never)
  static func otherValue(_ object: ManagedObject, _ wrapper: Self, _ storage: AnyKeyPath) -> Value {
    guard let slot = object.slot(at: storage) else { return probe(object, wrapper) }
    object.noteRead(.value(slot))
    guard case .attribute(let stored) = object.value(ofSlot: slot) else { return Value.missingValue }
    return object.decoded(stored, slot: slot) ?? object.substitute(for: stored, slot: slot)
  }

  /// Sets the value of an attribute that has a value transformer. Does nothing if the entity does not have the
  /// attribute.
  ///
  /// - Parameter error: the error that storing the value without a transformer has caused; nil if it can be stored. If
  ///   the attribute does not have a transformer, the value is refused with this error.
  @usableFromInline @inline(never)
  static func setOtherValue(
    _ value: Value, _ error: ManagedObjectError?, _ object: ManagedObject, _ storage: AnyKeyPath
  ) {
    guard let slot = object.slot(at: storage) else { return }
    do throws(ManagedObjectError) {
      if let stored = try object.transformed(value, slot: slot) {
        object.setAttribute(stored, slot: slot)
      } else if let error {
        throw error
      }
    } catch {
      object.refuseValue(error, slot: slot)
    }
  }

  /// Returns the value for an object whose entity does not have the attribute. If the object belongs to a
  /// ``ClassPrototype``, records the access and returns a value that identifies the property. Otherwise, returns
  /// `Value.missingValue`.
  private static func probe(_ object: ManagedObject, _ wrapper: Self) -> Value {
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
      var property = ClassProperty(
        .attribute(AttributeDescription("", Value.attributeType, isOptional: Value.isOptionalAttribute)))
      property.hidesMissingValue = !Value.isOptionalAttribute && !isZero(Value.missingValue)
      property.valueType = Value.Base.self
      for option in options() { option?.apply(&property) }
      if let value = defaultValue() { setDefault(value, of: &property) }
      if property.transformer != nil, !property.description.traits.validations.isEmpty {
        property.defects.append(
          .init(.attributeType, "the values of an attribute with a value transformer cannot have limits or predicates"))
      }
      return property
    }
  }

  private static func setDefault(_ value: Value, of property: inout ClassProperty) {
    guard case .attribute(var attribute) = property.description else { return }
    do throws(ManagedObjectError) {
      if let transformer = property.transformer {
        attribute.defaultValue = try transformer.stored(value)
      } else {
        attribute.defaultValue = try value.attributeValue
      }
      property.description = .attribute(attribute)
    } catch {
      // A missing transformer is reported as another defect.
      if property.missingTransformer != nil { return }
      property.defects.insert(.init(.defaultValue, "the default value is not valid: \(error.message)"), at: 0)
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
