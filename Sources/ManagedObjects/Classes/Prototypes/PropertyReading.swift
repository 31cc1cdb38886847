internal import FoundationEssentials
internal import ObjectModels
internal import Predicates

/// A record of the properties that are read from a ``ClassPrototype``, to find the names in a key path such as
/// `\Note.author?.name`.
///
/// A key path to a wrapped property does not contain the property's name. So the key path is applied to a prototype:
/// the wrapper records the access here, and returns a value that can be recognized.
final class PropertyReading {
  /// The value that a property returned.
  enum Value {
    case attribute(AttributeType, AttributeValue)
    case relationship(isToMany: Bool, [ManagedObject])
    case fetched
  }

  struct Read {
    let object: ManagedObject
    let name: String
    let value: Value
  }

  /// A round of reading. A key path is applied in several rounds, in which properties return different values.
  enum Round: CaseIterable {
    case first, second
    /// Properties return missing values.
    case empty
  }

  let round: Round
  private(set) var reads: [Read] = []

  init(_ round: Round) { self.round = round }

  /// Returns the record of the reads of an object; nil if it is not a prototype, or if its reads are not recorded.
  static func of(_ object: ManagedObject) -> PropertyReading? {
    (object.shape.prototypeState as? ClassPrototype.State)?.reading
  }

  /// Records that a property was read.
  func add(_ object: ManagedObject, _ wrapper: some ManagedPropertyWrapper, _ value: Value) {
    let name = PropertyNames.of(type(of: object))[wrapper.number] ?? ""
    reads.append(Read(object: object, name: name, value: value))
  }
}

extension PropertyReading.Round {
  /// Returns the value that properties of a type return in this round. A computed property that uses the value probably
  /// returns a different one: numbers are large, and have another sign in each round. Strings have white space at both
  /// ends, and letters of both cases.
  func probe(_ type: AttributeType) -> AttributeValue {
    guard self != .empty else { return .null }
    let sign = self == .first ? 1 : -1
    let text = self == .first ? " Probe ß 31357 " : "\tZweite  probe\n"
    switch type {
    case .boolean: return .boolean(self == .first)
    case .integer16, .integer32, .integer64: return .integer(Int64(sign * 31_357))
    case .double: return .double(Double(sign) * 31_357.25)
    case .float: return .float(Float(sign) * 31_357.25)
    case .decimal: return .decimal(Decimal(sign * 31_357) / 4)
    case .string: return .string(text)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(sign) * 3_135_731_357.25))
    case .binary: return .data(Data(text.utf8))
    case .uuid: return .uuid(UUID(uuid: (UInt8(sign + 2), 3, 1, 3, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .uri: return .url(URL(filePath: "/probe/\(sign)", directoryHint: .notDirectory))
    case .undefined, .transformable, .objectID, .composite: return .null
    }
  }
}

/// The properties that a key path leads through.
struct PropertyPath {
  let names: [String]
  let last: PropertyReading.Value

  /// Finds the property names of a key path.
  ///
  /// - Returns: nil if the key path does not lead to properties of a model, for example because it leads to a computed
  ///   property. A computed property is recognized by its result: it differs from the value that the prototype returned
  ///   to the computed property.
  init?(_ keyPath: AnyKeyPath) {
    guard let type = Swift.type(of: keyPath).rootType as? ManagedObject.Type, let prototype = ClassPrototype(type),
      let found = Self.reads(of: keyPath, prototype, .first), let last = found.last
    else { return nil }
    names = found.map(\.name)
    self.last = last.value
    for round in [PropertyReading.Round.second, .empty] {
      // In the round `empty`, the first object of a chain of optional objects is missing, so the chain ends there.
      if round == .empty, names.count > 1 { continue }
      guard Self.reads(of: keyPath, prototype, round)?.map(\.name) == names else { return nil }
    }
  }

  /// Applies a key path to a prototype, and returns the property reads that this causes. Returns nil unless the reads
  /// form a chain: the first one reads from the prototype, each later one from the object that the previous read
  /// returned, and the last one returns the value of the key path.
  private static func reads(
    of keyPath: AnyKeyPath, _ prototype: ClassPrototype, _ round: PropertyReading.Round
  ) -> [PropertyReading.Read]? {
    let reading = PropertyReading(round)
    prototype.state.reading = reading
    let result = withExtendedLifetime(reading) { prototype.object[keyPath: keyPath] }
    guard let result, let last = reading.reads.last else { return nil }
    var object = prototype.object
    for (index, read) in reading.reads.enumerated() {
      guard read.object === object, !read.name.isEmpty else { return nil }
      if index == reading.reads.count - 1 { break }
      guard case .relationship(isToMany: false, let objects) = read.value, let next = objects.first else { return nil }
      object = next
    }
    return isValue(result, last.value) ? reading.reads : nil
  }

  private static func isValue(_ result: Any, _ value: PropertyReading.Value) -> Bool {
    let mirror = Mirror(reflecting: result)
    let isNil = mirror.displayStyle == .optional && mirror.children.isEmpty
    switch value {
    // A value that only a transformer can store has no stored form to compare.
    case .attribute(_, .null): return isNil || result is any TransformedAttributeValue
    case .attribute(_, let value):
      guard let result = result as? any AttributeCoding, let found = try? result.attributeValue else { return false }
      return found == value
    case .relationship(_, let objects):
      if isNil { return objects.isEmpty }
      if let object = result as? ManagedObject { return objects.count == 1 && objects[0] === object }
      guard let found = result as? any RelationshipValue else { return false }
      return found.objects == objects
    case .fetched: return true
    }
  }
}
