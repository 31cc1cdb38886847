internal import FoundationEssentials
public import KeyedArchiving
internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// Decodes an object of any class that this package knows, or of one of ``TypedstreamUnarchiver/additionalTypes``. An
/// object of another class is decoded as ``Typedstream/Object`` if ``TypedstreamUnarchiver/keepsUnknownObjects`` is
/// true, or if ``Typedstream/Object`` was set for its class with ``TypedstreamUnarchiver/setClass(_:forClassName:)``.
extension ArchivedValue: TypedstreamDecodable {
  /// Empty, because ``TypedstreamUnarchiver`` decides which classes are allowed.
  public static var typedstreamClasses: [String] { [] }

  public init(from groups: inout TypedstreamGroups) throws {
    throw groups.failure(
      .typeMismatch, "ArchivedValue.init(from:) is not supported; use decode(_:) of TypedstreamGroups")
  }

  public static func _decode(
    _ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver
  ) throws -> ArchivedValue {
    let tables = unarchiver.tables
    let node = tables.nodes[position.node]
    if node.kind == .classReference {
      try unarchiver.spend(0)
      return .value(.className(tables.className(node.slot)))
    }
    let slot = try unarchiver.slot(at: position, for: ArchivedValue.self)
    let classSlot = Int(tables.slots[slot].classSlot)
    let name = tables.className(classSlot)
    let target = unarchiver.class(forClassName: name)
    if let type = unarchiver.additionalTypes.first(where: { unarchiver.admits($0, classSlot: classSlot) }) {
      return try object(type, position, unarchiver)
    }
    if target == nil, let value = try known(name, slot, position, unarchiver) { return value }
    guard target is Typedstream.Object.Type || target == nil && unarchiver.keepsUnknownObjects else {
      throw unarchiver.failure(
        .classNotAllowed, "the class of the object is neither known nor in additionalTypes", slot: slot)
    }
    try unarchiver.spend(0)
    return .object(Typedstream.Object(tables: tables, id: slot))
  }

  private static func object<T: TypedstreamDecodable & SecureCoding>(
    _ type: T.Type, _ position: TypedstreamPosition, _ unarchiver: TypedstreamUnarchiver
  ) throws -> ArchivedValue {
    .object(try T._decode(position, by: unarchiver))
  }

  /// Decodes an object of a Foundation class. Returns nil for an object of another class.
  private static func known(
    _ name: String, _ slot: Int, _ position: TypedstreamPosition, _ unarchiver: TypedstreamUnarchiver
  ) throws -> ArchivedValue? {
    switch name {
    case "NSString", "NSMutableString": .string(try String._decode(position, by: unarchiver))
    case "NSNumber": try number(slot, unarchiver)
    case "NSDictionary", "NSMutableDictionary":
      .dictionary(try OrderedDictionary<ArchivedValue, ArchivedValue>._decode(position, by: unarchiver))
    case "NSArray", "NSMutableArray": .array(try [ArchivedValue]._decode(position, by: unarchiver))
    case "NSSet", "NSMutableSet": .set(try OrderedSet<ArchivedValue>._decode(position, by: unarchiver))
    case "NSData", "NSMutableData": .data(try Data._decode(position, by: unarchiver))
    case "NSDate": .date(try Date._decode(position, by: unarchiver))
    case "NSURL": .url(try URL._decode(position, by: unarchiver))
    case "NSNull": try { _ in .null }(Archived.Null._decode(position, by: unarchiver))
    case "NSValue": .value(try Archived.Value._decode(position, by: unarchiver))
    case "NSColor": .object(try Archived.Color._decode(position, by: unarchiver))
    case "NSAttributedString", "NSMutableAttributedString":
      .object(try Archived.AttributedString._decode(position, by: unarchiver))
    default: nil
    }
  }

  /// Decodes an `NSNumber` by the type of its number. A one-byte number that is 0 or 1 is a Boolean, because Booleans
  /// are archived like this.
  private static func number(_ slot: Int, _ unarchiver: TypedstreamUnarchiver) throws -> ArchivedValue {
    try unarchiver.once(slot) {
      var groups = TypedstreamGroups(slot, of: unarchiver)
      let (type, number) = try groups.decodeNumber()
      switch number {
      case .float(let value): return .float(value)
      case .double(let value): return .real(value)
      case .integer(let value):
        if type == "c" || type == "B", let bit = Int(exactly: value), bit == 0 || bit == 1 { return .boolean(bit == 1) }
        return .integer(value)
      }
    }
  }
}

/// A typedstream object that is left undecoded, for classes without a Swift type in the program.
extension Typedstream.Object: TypedstreamDecodable {
  /// Empty, because an object of any class can be kept undecoded.
  public static var typedstreamClasses: [String] { [] }

  public init(from groups: inout TypedstreamGroups) throws { self = groups.object }

  public static func _decode(
    _ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver
  ) throws -> Typedstream.Object {
    let slot = try unarchiver.slot(at: position, for: Typedstream.Object.self)
    try unarchiver.admit(Typedstream.Object.self, slot)
    try unarchiver.spend(0)
    return Typedstream.Object(tables: unarchiver.tables, id: slot)
  }
}

/// Two objects are equal if they are the same object of the same stream. Their contents are not compared, because an
/// object may contain itself.
extension Typedstream.Object: Hashable {
  public static func == (first: Typedstream.Object, second: Typedstream.Object) -> Bool {
    first.id == second.id && first.tables === second.tables
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(tables))
    hasher.combine(id)
  }
}

/// Conforms to `SecureCoding` only to be allowed in `ArchivedValue.object(_:)`. It cannot be encoded into a keyed
/// archive.
extension Typedstream.Object: SecureCoding {
  /// `NSObject`, because the object can have any class.
  public static var archivedClass: ArchivedClass { ArchivedClass("NSObject", ancestors: []) }

  public init(coder: KeyedUnarchiver) throws {
    throw coder.failure(.typeMismatch, "an object of a typedstream cannot be decoded from a keyed archive")
  }

  /// Always throws, because an object of a typedstream has no form in a keyed archive.
  ///
  /// - Throws: `KeyedArchiveError.Kind.invalidValue`.
  public func encode(with coder: KeyedArchiver) throws {
    throw KeyedArchiveError(.invalidValue, "an object of a typedstream has no form in a keyed archive")
  }
}
