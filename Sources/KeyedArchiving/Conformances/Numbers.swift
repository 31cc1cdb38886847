internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// The class of all numbers: `NSNumber`, which is stored directly in the object table.
private let numberClass = ArchivedClass(
  "NSNumber", ancestors: ["NSValue", "NSObject"], aliases: ["NSDecimalNumber", "NSDecimalNumberPlaceholder"],
  natives: .numbers)

enum ArchivedNumber {
  case integer(PropertyList.Integer)
  case real(Double)
  case decimal(Decimal)

  init?(_ node: FlatNode) {
    switch node.kind {
    case .integer, .unsignedInteger: self = .integer(node.integer)
    case .real: self = .real(node.real)
    case .float: self = .real(Double(node.float))
    case .boolean: self = .integer(node.boolean ? 1 : 0)
    default: return nil
    }
  }

  /// Decodes the contents of a number that is stored as an object: a decimal number, or a number from a coder that is
  /// not a keyed archiver, such as that of compiled nibs.
  init(coder: KeyedUnarchiver) throws {
    if coder.containsRaw("NS.mantissa") {
      self = .decimal(try Decimal(coder: coder))
    } else if let value = try coder.decodeIfPresent(Bool.self, forRawKey: "NS.boolval") {
      self = .integer(value ? 1 : 0)
    } else if let value = try coder.decodeIfPresent(Int64.self, forRawKey: "NS.intval") {
      self = .integer(PropertyList.Integer(value))
    } else {
      self = .real(try coder.decode(Double.self, forRawKey: "NS.dblval"))
    }
  }

  func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    switch self {
    case .integer(let value): T(exactly: value)
    case .real(let value): T(exactly: value)
    // The description of a whole number has only digits, so that `T` can parse it.
    case .decimal(let value): T(value.description)
    }
  }

  /// The number as a double. A decimal number is rounded. Nil for an integer that a double cannot represent exactly.
  var double: Double? {
    switch self {
    case .integer(let value): value.exact()
    case .real(let value): value
    case .decimal(let value): Double(value.description)
    }
  }
}

extension PropertyList.Integer {
  /// Returns the integer as a floating-point number, or nil if the type cannot represent it exactly.
  package func exact<Real: BinaryFloatingPoint>(_ type: Real.Type = Real.self) -> Real? {
    if let value = Int64(exactly: self) { return Real(exactly: value) }
    return UInt64(exactly: self).flatMap { Real(exactly: $0) }
  }
}

extension ArchivedNumber: CustomStringConvertible {
  var description: String {
    switch self {
    case .integer(let value): value.description
    case .real(let value): value.description
    case .decimal(let value): value.description
    }
  }
}

extension KeyedUnarchiver {
  /// Returns the number that a reference leads to, or nil for another value.
  @inline(__always)
  fileprivate func number(at reference: ArchivedReference) throws -> ArchivedNumber? {
    guard let number = ArchivedNumber(try resolve(reference.node)) else { return nil }
    try spend(0)
    try weigh(1)
    return number
  }

  @inline(__always)
  fileprivate func exactly<T: FixedWidthInteger>(_ number: ArchivedNumber) throws -> T {
    guard let value = number.integer(T.self) else { throw doesNotFit(number, T.self) }
    return value
  }

  @inline(__always)
  fileprivate func double(_ number: ArchivedNumber) throws -> Double {
    guard let value = number.double else { throw doesNotFit(number, Double.self) }
    return value
  }

  fileprivate func float(_ number: ArchivedNumber) throws -> Float {
    guard let double = number.double else { throw doesNotFit(number, Float.self) }
    let value = Float(double)
    if case .integer = number, Double(value) != double { throw doesNotFit(number, Float.self) }
    guard value.isInfinite == double.isInfinite else { throw doesNotFit(number, Float.self) }
    return value
  }

  fileprivate func boolean(_ number: ArchivedNumber) throws -> Bool {
    guard case .integer(let value) = number else { throw doesNotFit(number, Bool.self) }
    return value != 0
  }

  fileprivate func doesNotFit(_ number: ArchivedNumber, _ type: Any.Type) -> KeyedArchiveError {
    failure(.numberOutOfRange, "the number \(number) does not fit in \(type)")
  }
}

/// An integer type of up to 64 bits. All integer types are archived in the same form.
public protocol _ArchivedInteger: SecureCoding, FixedWidthInteger, Codable {}

extension _ArchivedInteger {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(rawKey: "NS.intval") { _ in .integer(self) } }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  @inline(__always)
  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Self {
    let object = try coder.resolve(reference.node)
    // This path is for most integers, and avoids a generic conversion.
    if object.kind == .integer, let value = Self(exactly: Int64(bitPattern: object.payload)) {
      try coder.spend(0)
      try coder.weigh(1)
      return value
    }
    guard let number = try coder.number(at: reference) else { return try coder.value(Self.self, at: reference) }
    return try coder.exactly(number)
  }

  @inline(__always)
  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    ArchivedReference(node: .uid(try coder.pool.object(ofScalar: .integer(self))))
  }
}

extension Int: _ArchivedInteger {}
extension Int8: _ArchivedInteger {}
extension Int16: _ArchivedInteger {}
extension Int32: _ArchivedInteger {}
extension Int64: _ArchivedInteger {}
extension UInt: _ArchivedInteger {}
extension UInt8: _ArchivedInteger {}
extension UInt16: _ArchivedInteger {}
extension UInt32: _ArchivedInteger {}
extension UInt64: _ArchivedInteger {}

/// A floating-point number of 8 bytes. A decimal number is rounded. An integer is decoded if a double can represent it
/// exactly.
extension Double: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(real: self, forRawKey: "NS.dblval") }

  public init(coder: KeyedUnarchiver) throws { self = try coder.double(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Double {
    guard let number = try coder.number(at: reference) else { return try coder.value(Double.self, at: reference) }
    return try coder.double(number)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    ArchivedReference(node: .uid(try coder.pool.object(ofScalar: .real(self))))
  }
}

/// A floating-point number of 4 bytes. A number of 8 bytes and a decimal number are rounded. A number that is too
/// large, and an integer that cannot be represented exactly, are errors.
extension Float: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(real: Double(self), forRawKey: "NS.dblval") }

  public init(coder: KeyedUnarchiver) throws { self = try coder.float(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Float {
    guard let number = try coder.number(at: reference) else { return try coder.value(Float.self, at: reference) }
    return try coder.float(number)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    ArchivedReference(node: .uid(try coder.pool.object(ofScalar: .float(self))))
  }
}

/// A Boolean. Integers are decoded too: all except 0 are true.
extension Bool: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(boolean: self, forRawKey: "NS.boolval") }

  public init(coder: KeyedUnarchiver) throws { self = try coder.boolean(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Bool {
    guard let number = try coder.number(at: reference) else { return try coder.value(Bool.self, at: reference) }
    return try coder.boolean(number)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    ArchivedReference(node: .uid(try coder.pool.object(ofScalar: .boolean(self))))
  }
}
