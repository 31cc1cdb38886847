@_spi(Archives) internal import PropertyLists

/// A number in a stream: an inline value, or the value of an `NSNumber`.
enum TypedstreamNumber {
  case integer(PropertyList.Integer)
  case float(Float)
  case double(Double)

  init?(_ node: TypedstreamTables.Node) {
    switch node.kind {
    case .integer: self = .integer(PropertyList.Integer(Int64(bitPattern: node.payload)))
    case .unsignedInteger: self = .integer(PropertyList.Integer(node.payload))
    case .float: self = .float(Float(bitPattern: UInt32(truncatingIfNeeded: node.payload)))
    case .double: self = .double(Double(bitPattern: node.payload))
    default: return nil
    }
  }

  func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    switch self {
    case .integer(let value): T(exactly: value)
    case .float(let value): T(exactly: value)
    case .double(let value): T(exactly: value)
    }
  }

  /// The number as a double. Nil for an integer that a double cannot represent exactly.
  var double: Double? {
    switch self {
    case .integer(let value): value.exact()
    case .float(let value): Double(value)
    case .double(let value): value
    }
  }
}

extension TypedstreamNumber: CustomStringConvertible {
  var description: String {
    switch self {
    case .integer(let value): value.description
    case .float(let value): value.description
    case .double(let value): value.description
    }
  }
}

extension TypedstreamUnarchiver {
  /// Returns the number at a position: an inline number of any type, or the number in an `NSNumber`. Returns nil for
  /// data that contains an archive; the caller then decodes the number from that archive.
  fileprivate func number(at position: TypedstreamPosition, for type: any TypedstreamDecodable.Type) throws
    -> TypedstreamNumber?
  {
    if let number = TypedstreamNumber(tables.nodes[position.node]) { return number }
    guard let slot = try slot(of: type, at: position) else { return nil }
    return try once(slot) {
      var groups = TypedstreamGroups(slot, of: self)
      return try groups.decodeNumber().number
    }
  }

  fileprivate func integer<T: FixedWidthInteger & TypedstreamDecodable>(
    _ type: T.Type, at position: TypedstreamPosition
  ) throws -> T {
    guard let number = try number(at: position, for: type) else { return try nested(type, at: position) }
    guard let value = number.integer(type) else { throw outOfRange(number, type, at: position) }
    return value
  }

  fileprivate func outOfRange(
    _ number: TypedstreamNumber, _ type: Any.Type, at position: TypedstreamPosition
  ) -> TypedstreamError {
    failure(.numberOutOfRange, "the number \(number) does not fit in \(type)", at: position)
  }
}

extension TypedstreamGroups {
  /// Decodes the contents of an `NSValue`: a type, and a value of that type. Returns the position of the value.
  mutating func decodeTyped() throws -> (type: String, position: TypedstreamPosition) {
    let type = try decode(String.self)
    let position = try nextPosition()
    try require(nextType == type, "expected a value of the type \(type.quoted), found \(nextType?.quoted ?? "")")
    cursor.advance(unarchiver.tables)
    try finish()
    return (type, position)
  }

  /// Decodes the contents of an `NSNumber`.
  mutating func decodeNumber() throws -> (type: String, number: TypedstreamNumber) {
    let (type, position) = try decodeTyped()
    guard let number = TypedstreamNumber(unarchiver.tables.nodes[position.node]) else {
      throw failure(.invalidContents, "expected a number, found a value of the type \(type.quoted)")
    }
    return (type, number)
  }

  fileprivate mutating func decodeInteger<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    let number = try decodeNumber().number
    guard let value = number.integer(type) else {
      throw failure(.numberOutOfRange, "the number \(number) does not fit in \(type)")
    }
    return value
  }
}

/// A Swift integer type that numbers of a stream can be decoded as.
public protocol TypedstreamInteger: TypedstreamDecodable, FixedWidthInteger {}

extension TypedstreamInteger {
  public static var typedstreamClasses: [String] { ["NSNumber"] }

  public init(from groups: inout TypedstreamGroups) throws { self = try groups.decodeInteger(Self.self) }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Self {
    try unarchiver.integer(Self.self, at: position)
  }
}

extension Int: TypedstreamInteger {}
extension Int8: TypedstreamInteger {}
extension Int16: TypedstreamInteger {}
extension Int32: TypedstreamInteger {}
extension Int64: TypedstreamInteger {}
extension UInt: TypedstreamInteger {}
extension UInt8: TypedstreamInteger {}
extension UInt16: TypedstreamInteger {}
extension UInt32: TypedstreamInteger {}
extension UInt64: TypedstreamInteger {}

/// A Boolean is decoded from a number of any type that is 0 or 1.
extension Bool: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSNumber"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let value = try groups.decodeInteger(Int.self)
    guard value == 0 || value == 1 else {
      throw groups.failure(.numberOutOfRange, "the number \(value) does not fit in Bool")
    }
    self = value == 1
  }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Bool {
    guard let number = try unarchiver.number(at: position, for: Bool.self) else {
      return try unarchiver.nested(Bool.self, at: position)
    }
    guard let value = number.integer(Int.self), value == 0 || value == 1 else {
      throw unarchiver.outOfRange(number, Bool.self, at: position)
    }
    return value == 1
  }
}

extension Double: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSNumber"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let number = try groups.decodeNumber().number
    guard let value = number.double else {
      throw groups.failure(.numberOutOfRange, "the number \(number) does not fit in Double")
    }
    self = value
  }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Double {
    guard let number = try unarchiver.number(at: position, for: Double.self) else {
      return try unarchiver.nested(Double.self, at: position)
    }
    guard let value = number.double else { throw unarchiver.outOfRange(number, Double.self, at: position) }
    return value
  }
}

/// A `Float` is decoded from a number of any type. A floating-point number of 8 bytes is rounded. An integer must fit
/// in a `Float` exactly.
extension Float: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSNumber"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let number = try groups.decodeNumber().number
    guard let value = Self.float(number) else {
      throw groups.failure(.numberOutOfRange, "the number \(number) does not fit in Float")
    }
    self = value
  }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Float {
    guard let number = try unarchiver.number(at: position, for: Float.self) else {
      return try unarchiver.nested(Float.self, at: position)
    }
    guard let value = Self.float(number) else { throw unarchiver.outOfRange(number, Float.self, at: position) }
    return value
  }

  private static func float(_ number: TypedstreamNumber) -> Float? {
    switch number {
    case .integer(let value): value.exact()
    case .float(let value): value
    case .double(let value): Float(value)
    }
  }
}
