internal import ObjectModels
internal import Predicates
internal import Synchronization

/// An object without a context, which is created to find the properties of its class.
struct ClassPrototype {
  let object: ManagedObject
  let recording: PropertyRecording
  let state = State()

  /// The entity of all prototypes. The entity has no properties, so each wrapper that is read finds no value, and
  /// records the access instead.
  private static let entity = try? ManagedObjectModel(entities: [EntityDescription("Prototype")])["Prototype"]

  /// Creates a prototype.
  ///
  /// - Parameters:
  ///   - reading: records the properties that are read. The caller must retain it.
  ///   - describes: true if the wrappers record descriptions of their properties.
  /// - Returns: nil only if the model for prototypes could not be made, which does not happen.
  init?(_ type: ManagedObject.Type, reading: PropertyReading? = nil, describes: Bool = false) {
    guard let entity = Self.entity else { return nil }
    let shape = EntityShape(entity, objectClass: type, context: nil)
    shape.prototypeState = state
    let creation = ManagedObject.Creation(
      shape: shape, key: RowKey(store: .none, entityIndex: entity.index, number: -1))
    let recording = PropertyRecording(describes: describes)
    let object = recording { type.init(creation) }
    object.status = .prototype
    // Reads by the class's initializer are not recorded.
    state.reading = reading
    self.object = object
    self.recording = recording
  }

  /// The state of a prototype. The ``EntityShape`` of the prototype's object retains it.
  final class State {
    /// The record of the properties that are read; nil if reads are not recorded. The reference is weak, because the
    /// record retains the prototypes that were read, these retain their shapes, and a shape retains this state.
    weak var reading: PropertyReading?
  }

  /// Returns the wrapped properties by declaring class, beginning with the topmost superclass.
  ///
  /// Empty if the class has a custom mirror that hides them.
  func levels() -> [Level] {
    var levels: [Level] = []
    var mirror: Mirror? = Mirror(reflecting: object)
    while let level = mirror, let type = level.subjectType as? ManagedObject.Type, type != ManagedObject.self {
      var names: [(number: UInt16, name: String)] = []
      for case (let label?, let wrapper as any ManagedPropertyWrapper) in level.children {
        names.append((wrapper.number, Self.propertyName(label)))
      }
      levels.append(Level(type: type, names: names))
      mirror = level.superclassMirror
    }
    return levels.reversed()
  }

  /// Returns the name of the property whose wrapper has a label such as `_title`. The label of a raw identifier is in
  /// backticks.
  private static func propertyName(_ label: String) -> String {
    var name = label[...]
    if name.hasPrefix("`"), name.hasSuffix("`") { name = name.dropFirst().dropLast() }
    return String(name.hasPrefix("_") ? name.dropFirst() : name)
  }

  /// The properties that a class itself declares, in the order of their declarations.
  struct Level: Sendable {
    let type: ManagedObject.Type
    let names: [(number: UInt16, name: String)]
  }
}

/// The names of properties, by the numbers that ``PropertyRecording`` assigned to their wrappers. The numbers are the
/// same for all prototypes of a class.
enum PropertyNames {
  private static let known = Mutex<[ObjectIdentifier: [UInt16: String]]>([:])

  static func of(_ type: ManagedObject.Type) -> [UInt16: String] {
    if let names = known.withLock({ $0[ObjectIdentifier(type)] }) { return names }
    let levels = ClassPrototype(type)?.levels() ?? []
    let names = Dictionary(levels.flatMap(\.names), uniquingKeysWith: { first, _ in first })
    known.withLock { $0[ObjectIdentifier(type)] = names }
    return names
  }

  /// Returns the name of the property whose wrapper is at a key path; nil if it cannot be found.
  static func name(ofWrapperAt storage: AnyKeyPath) -> String? {
    guard let type = type(of: storage).rootType as? ManagedObject.Type, let prototype = ClassPrototype(type),
      let wrapper = prototype.object[keyPath: storage] as? any ManagedPropertyWrapper
    else { return nil }
    return of(type)[wrapper.number]
  }
}
