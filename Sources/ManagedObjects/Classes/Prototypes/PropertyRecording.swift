internal import ObjectModels
internal import Synchronization

/// A record of the properties that wrappers describe while a ``ClassPrototype`` is created.
///
/// In a prototype, each wrapper stores the number that is assigned to it here. In any other object, a wrapper has the
/// number 0, and its initializer only checks that nothing is recorded.
final class PropertyRecording: Sendable {
  @TaskLocal private static var current: PropertyRecording?
  private static let count = Atomic<Int>(0)

  /// True if wrappers record their descriptions; false if only their numbers are needed.
  private let describes: Bool
  private let state = Mutex(State())

  private struct State {
    var count: UInt16 = 0
    var properties: [UInt16: ClassProperty] = [:]
  }

  init(describes: Bool) { self.describes = describes }

  /// True while a prototype is being created, possibly in another thread.
  static var isActive: Bool { count.load(ordering: .relaxed) != 0 }

  /// Records the wrappers that are created in `body`.
  func callAsFunction<Result>(_ body: () -> Result) -> Result {
    Self.count.add(1, ordering: .relaxed)
    defer { Self.count.subtract(1, ordering: .relaxed) }
    return Self.$current.withValue(self, operation: body)
  }

  /// Assigns a number to the wrapper that is being created, and records its description if needed.
  ///
  /// - Returns: the number; 0 if this task is not creating a prototype.
  static func add(_ describe: () -> ClassProperty) -> UInt16 {
    guard let recording = current else { return 0 }
    let number = recording.state.withLock { state in
      if state.count < .max { state.count += 1 }
      return state.count
    }
    guard recording.describes else { return number }
    // Called without holding the lock, because a description may need the names of other classes.
    let property = describe()
    recording.state.withLock { $0.properties[number] = property }
    return number
  }

  /// The recorded properties, by number.
  var properties: [UInt16: ClassProperty] { state.withLock { $0.properties } }
}

/// True while a prototype is being created, possibly in another thread.
@usableFromInline var isRecordingProperties: Bool { PropertyRecording.isActive }

/// The description of a property by its wrapper.
struct ClassProperty: Sendable {
  /// The property, without a name.
  var description: PropertyDescription
  /// The class of the destination of a relationship or fetched property.
  var destination: ManagedObject.Type?
  /// The name of the inverse of a relationship.
  var inverse: String?
  /// True if the property has a fetch index.
  var isIndexed = false
  /// True if the property has a uniqueness constraint.
  var isUnique = false
  /// True if the property cannot show that the attribute has no value, because its type is not optional, and
  /// `missingValue` of the type is not 0 or false. The attribute must then be mandatory in the model.
  var hidesMissingValue = false
  /// The value transformer of an attribute.
  var transformer: (any AttributeTransformer.Type)?
  /// The type of an attribute's values, without optionality.
  var valueType: Any.Type?
  /// The defects of the wrapper's arguments.
  var defects: [ManagedObjectModelError.Defect] = []

  init(_ description: PropertyDescription) { self.description = description }

  /// If the attribute can store its values only with a value transformer and does not have one, the defect to report;
  /// otherwise nil.
  var missingTransformer: ManagedObjectModelError.Defect? {
    guard transformer == nil, let valueType, valueType is any TransformedAttributeValue.Type else { return nil }
    return .init(
      .classProperty, "values of type \(valueType) need a value transformer: use the option .transformed(by:)")
  }
}

/// A property wrapper that describes a property of the model.
protocol ManagedPropertyWrapper {
  /// The number that ``PropertyRecording`` assigned to the wrapper in a prototype; 0 in other objects.
  var number: UInt16 { get }
}
