internal import ObjectModels
internal import Synchronization

/// Records the descriptions that property wrappers give while a prototype of their class is made.
///
/// It gives each wrapper a number, which the wrapper keeps. Wrappers of other objects have none, and cost the look at
/// one number.
final class PropertyRecording: Sendable {
  @TaskLocal private static var current: PropertyRecording?
  private static let count = Atomic<Int>(0)

  /// True if wrappers are to say what they are. False if only their numbers are needed.
  private let describes: Bool
  private let state = Mutex(State())

  private struct State {
    var count: UInt16 = 0
    var properties: [UInt16: ClassProperty] = [:]
  }

  init(describes: Bool) { self.describes = describes }

  /// False unless a prototype is being made, maybe in another thread.
  static var isActive: Bool { count.load(ordering: .relaxed) != 0 }

  /// Records what is made in `body`.
  func callAsFunction<Result>(_ body: () -> Result) -> Result {
    Self.count.add(1, ordering: .relaxed)
    defer { Self.count.subtract(1, ordering: .relaxed) }
    return Self.$current.withValue(self, operation: body)
  }

  /// Records a wrapper.
  ///
  /// - Returns: its number; 0 if nothing is recorded in this thread.
  static func add(_ describe: () -> ClassProperty) -> UInt16 {
    guard let recording = current else { return 0 }
    let number = recording.state.withLock { state in
      if state.count < .max { state.count += 1 }
      return state.count
    }
    guard recording.describes else { return number }
    // Not in the lock: a description may ask for names of other classes.
    let property = describe()
    recording.state.withLock { $0.properties[number] = property }
    return number
  }

  /// The recorded properties, by number.
  var properties: [UInt16: ClassProperty] { state.withLock { $0.properties } }
}

/// True if a prototype is being made, maybe in another thread.
@usableFromInline var isRecordingProperties: Bool { PropertyRecording.isActive }

/// A property of a class, as its wrapper says it.
struct ClassProperty: Sendable {
  /// The property, without a name.
  var description: PropertyDescription
  /// The class of the objects that a relationship or a fetched property leads to.
  var destination: ManagedObject.Type?
  /// The name of the inverse of a relationship.
  var inverse: String?
  /// True if values are to be found fast.
  var isIndexed = false
  /// True if no two objects may have the same value.
  var isUnique = false
  /// True for an attribute whose missing value looks like one that is there and is not 0.
  var hidesMissingValue = false
  /// The defects of the wrapper's arguments.
  var defects: [ManagedObjectModelError.Defect] = []

  init(_ description: PropertyDescription) { self.description = description }
}

/// A wrapper of a property that models know.
protocol ManagedPropertyWrapper {
  /// The number that a prototype's recording gave it; 0 for wrappers of other objects.
  var number: UInt16 { get }
}
