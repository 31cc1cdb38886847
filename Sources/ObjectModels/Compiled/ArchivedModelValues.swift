internal import FoundationEssentials
internal import KeyedArchiving
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

extension AttributeValue {
  /// Creates the default value of an attribute from an archived value. The value of a transformable attribute becomes
  /// the bytes of a separate keyed archive. An object in any other attribute becomes such bytes too, so that objects of
  /// all classes are kept.
  ///
  /// If the attribute has a value transformer of its own, data is the stored form of the default value.
  init(_ value: ArchivedValue, for attribute: AttributeDescription) throws {
    let type = attribute.type
    if case .null = value {
      self = .null
    } else if case .data(let data) = value, attribute.customTransformerName != nil {
      self = .data(data)
    } else if type == .composite, let composite = AttributeValue(composite: value) {
      self = composite
    } else if type == .transformable || type == .composite {
      self = .data(try KeyedArchiver.archivedData(withRootObject: value))
    } else {
      self = try Self(value) ?? .data(KeyedArchiver.archivedData(withRootObject: value))
    }
  }

  /// Returns the default value of an attribute as an archived value, the form that compiled models contain.
  func archived(for attribute: AttributeDescription) throws -> ArchivedValue? {
    switch self {
    case .null: return nil
    case .data(let value) where attribute.customTransformerName != nil:
      // The stored form of a value transformer is an archive, or data of any other kind.
      guard let root = try? Self.root(ofArchive: value) else { return .data(value) }
      if case .data = root { return .data(value) }
      return root
    case .data(let value) where attribute.type == .transformable: return try Self.root(ofArchive: value)
    default: return archivedValue
    }
  }

  private static func root(ofArchive archive: Data) throws -> ArchivedValue {
    let coder = try KeyedUnarchiver(forReadingFrom: archive)
    try coder.allowOpaqueObjects(in: archive)
    return try coder.decode(ArchivedValue.self, forKey: KeyedArchiver.rootObjectKey)
  }
}

extension KeyedUnarchiver {
  /// The Foundation classes for which ``ArchivedValue`` has cases.
  private static let foundationClasses: Set<String> = [
    "NSNull", "NSNumber", "NSDecimalNumber", "NSDecimalNumberPlaceholder", "NSString", "NSMutableString", "NSData",
    "NSMutableData", "NSDate", "NSURL", "NSUUID", "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary",
    "NSSet", "NSMutableSet", "NSValue", "NSError",
  ]

  /// Allows objects of all classes of the archive in `data` wherever an ``ArchivedValue`` is decoded. They are decoded
  /// as opaque objects, except those of Foundation's classes and of the classes for which `known` returns true.
  func allowOpaqueObjects(in data: Data, except known: (String) -> Bool = { _ in false }) throws {
    for counted in try KeyedArchive(data).classes {
      let name = counted.description.name
      if !Self.foundationClasses.contains(name), !known(name) { setClass(OpaqueObject.self, forClassName: name) }
    }
  }
}

/// Creates user info from archived values.
extension PropertyList {
  static func userInfo(_ entries: OrderedDictionary<String, ArchivedValue>) -> OrderedDictionary<String, PropertyList> {
    entries.mapValues { PropertyList(archived: $0, depth: 0) }
  }

  /// Creates a property list from an archived value. A value that property lists cannot represent becomes the bytes of
  /// a separate archive.
  private init(archived value: ArchivedValue, depth: Int) {
    switch value {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .float(let value): self = .float(value)
    case .string(let value): self = .string(value)
    case .data(let value): self = .data(value)
    case .date(let value): self = .date(value)
    case .array(let elements) where depth < 64:
      self = .array(elements.map { PropertyList(archived: $0, depth: depth + 1) })
    case .dictionary(let entries) where depth < 64 && entries.keys.allSatisfy(\.isString):
      var dictionary: OrderedDictionary<String, PropertyList> = [:]
      for (key, value) in entries {
        if case .string(let key) = key { dictionary[key] = PropertyList(archived: value, depth: depth + 1) }
      }
      self = .dictionary(dictionary)
    default: self = (try? KeyedArchiver.archivedData(withRootObject: value)).map { .data($0) } ?? .null
    }
  }

  fileprivate var archived: ArchivedValue {
    switch self {
    case .null, .uid: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .float(let value): .float(value)
    case .string(let value): .string(value)
    case .data(let value): .data(value)
    case .date(let value): .date(value)
    case .array(let elements): .array(elements.map(\.archived))
    case .dictionary(let entries):
      .dictionary(OrderedDictionary(uniqueKeysWithValues: entries.map { (ArchivedValue.string($0), $1.archived) }))
    }
  }
}

extension ArchivedValue {
  fileprivate var isString: Bool { if case .string = self { true } else { false } }
}

extension OrderedDictionary<String, PropertyList> {
  /// The user info as archived values.
  var archived: OrderedDictionary<String, ArchivedValue> { mapValues(\.archived) }
}
