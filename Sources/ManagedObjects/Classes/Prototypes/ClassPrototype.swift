internal import ObjectModels
internal import Predicates
internal import Synchronization

/// An object without a context, which is asked what properties its class has.
struct ClassPrototype {
  let object: ManagedObject
  let recording: PropertyRecording
  let state = State()

  /// The entity of prototypes, which has no properties: so nothing that a prototype is asked for is found.
  private static let entity = try? ManagedObjectModel(entities: [EntityDescription("Prototype")])["Prototype"]

  /// Makes a prototype.
  ///
  /// - Parameters:
  ///   - reading: takes down what is read of the prototype. The caller keeps it.
  ///   - describes: true if the wrappers of the properties are to say what they are.
  /// - Returns: never nil.
  init?(_ type: ManagedObject.Type, reading: PropertyReading? = nil, describes: Bool = false) {
    guard let entity = Self.entity else { return nil }
    let shape = EntityShape(entity, objectClass: type, context: nil)
    shape.prototypeState = state
    let creation = ManagedObject.Creation(
      shape: shape, key: RowKey(store: .none, entityIndex: entity.index, number: -1))
    let recording = PropertyRecording(describes: describes)
    let object = recording { type.init(creation) }
    object.status = .prototype
    // Properties that its initializer read are of no interest.
    state.reading = reading
    self.object = object
    self.recording = recording
  }

  /// The state that the shape of a prototype keeps.
  final class State {
    /// The record of what is read. It is weak, because a record keeps the prototypes that were read, and so their
    /// shapes and this state.
    weak var reading: PropertyReading?
  }

  /// The wrapped properties, by the class that declares them: the superclass first.
  ///
  /// A class can keep what a mirror shows of it to itself; then there are none.
  func levels() -> [Level] {
    var levels: [Level] = []
    var mirror: Mirror? = Mirror(reflecting: object)
    while let level = mirror, let type = level.subjectType as? ManagedObject.Type, type != ManagedObject.self {
      var names: [(number: UInt16, name: String)] = []
      for case (let label?, let wrapper as any ManagedPropertyWrapper) in level.children {
        names.append((wrapper.number, label.hasPrefix("_") ? String(label.dropFirst()) : label))
      }
      levels.append(Level(type: type, names: names))
      mirror = level.superclassMirror
    }
    return levels.reversed()
  }

  /// The properties that a class declares itself, in the order of their declarations.
  struct Level: Sendable {
    let type: ManagedObject.Type
    let names: [(number: UInt16, name: String)]
  }
}

/// The names of properties by the numbers of their wrappers, which are the same for all prototypes of a class.
enum PropertyNames {
  private static let known = Mutex<[ObjectIdentifier: [UInt16: String]]>([:])

  static func of(_ type: ManagedObject.Type) -> [UInt16: String] {
    if let names = known.withLock({ $0[ObjectIdentifier(type)] }) { return names }
    let levels = ClassPrototype(type)?.levels() ?? []
    let names = Dictionary(levels.flatMap(\.names), uniquingKeysWith: { first, _ in first })
    known.withLock { $0[ObjectIdentifier(type)] = names }
    return names
  }

  /// The name of the property whose wrapper is at a key path.
  static func name(ofWrapperAt storage: AnyKeyPath) -> String? {
    guard let type = type(of: storage).rootType as? ManagedObject.Type, let prototype = ClassPrototype(type),
      let wrapper = prototype.object[keyPath: storage] as? any ManagedPropertyWrapper
    else { return nil }
    return of(type)[wrapper.number]
  }
}
