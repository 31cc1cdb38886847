internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// What all numbers are archived as: `NSNumber`, which is the number itself in the object table.
private let numberClass = ArchivedClass(
  "NSNumber", ancestors: ["NSValue", "NSObject"], aliases: ["NSDecimalNumber", "NSDecimalNumberPlaceholder"],
  natives: .numbers)

/// A number that an archive holds.
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

  /// The contents of an object: a decimal number, or what coders that are no keyed archivers write.
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
    // Digits and nothing else, if the number is whole.
    case .decimal(let value): T(value.description)
    }
  }

  /// The number as a double: nil for an integer that a double cannot hold exactly.
  var double: Double? {
    switch self {
    case .integer(let value):
      if let value = Int64(exactly: value) {
        Double(exactly: value)
      } else {
        UInt64(exactly: value).flatMap { Double(exactly: $0) }
      }
    case .real(let value): value
    case .decimal(let value): Double(value.description)
    }
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
  /// The number behind a reference, of any kind.
  @inline(__always)
  fileprivate func number<T: SecureCoding>(_ type: T.Type, at reference: ArchivedReference) throws -> ArchivedNumber? {
    let object = try resolve(reference.node)
    if let number = ArchivedNumber(object) {
      try spend(0)
      try weigh(1)
      return number
    }
    return nil
  }

  @inline(__always)
  fileprivate func integer<T: FixedWidthInteger & SecureCoding>(
    _ type: T.Type, at reference: ArchivedReference
  ) throws -> T {
    let object = try resolve(reference.node)
    // Most are, and no conversion is generic then.
    if object.kind == .integer, let value = T(exactly: Int64(bitPattern: object.payload)) {
      try spend(0)
      try weigh(1)
      return value
    }
    guard let number = try number(type, at: reference) else { return try value(type, at: reference) }
    return try exactly(number)
  }

  @inline(__always)
  fileprivate func exactly<T: FixedWidthInteger>(_ number: ArchivedNumber) throws -> T {
    guard let value = number.integer(T.self) else { throw doesNotFit(number, T.self) }
    return value
  }

  fileprivate func doesNotFit(_ number: ArchivedNumber, _ type: Any.Type) -> KeyedArchiveError {
    failure(.numberOutOfRange, "\(number) is no value of \(type)")
  }
}

extension KeyedArchiver {
  fileprivate func encode(number: some FixedWidthInteger) throws {
    try encode(rawKey: "NS.intval") { _ in .integer(number) }
  }

  fileprivate func reference(toNumber number: some FixedWidthInteger) throws -> ArchivedReference {
    ArchivedReference(node: .uid(try pool.number(.integer(number))))
  }
}

// One after the other, because a protocol's extension cannot make its types conform to another.

extension Int: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Int {
    try coder.integer(Int.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

extension Int8: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Int8 {
    try coder.integer(Int8.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

extension Int16: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Int16 {
    try coder.integer(Int16.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

extension Int32: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Int32 {
    try coder.integer(Int32.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

extension Int64: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Int64 {
    try coder.integer(Int64.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

extension UInt: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> UInt {
    try coder.integer(UInt.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

extension UInt8: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> UInt8 {
    try coder.integer(UInt8.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

extension UInt16: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> UInt16 {
    try coder.integer(UInt16.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

extension UInt32: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> UInt32 {
    try coder.integer(UInt32.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

extension UInt64: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(number: self) }

  public init(coder: KeyedUnarchiver) throws { self = try coder.exactly(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> UInt64 {
    try coder.integer(UInt64.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toNumber: self) }
}

/// A number of 8 bytes. Integers are decoded if they are exact.
extension Double: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(real: self, forRawKey: "NS.dblval") }

  public init(coder: KeyedUnarchiver) throws {
    let number = try ArchivedNumber(coder: coder)
    guard let value = number.double else { throw coder.doesNotFit(number, Double.self) }
    self = value
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Double {
    guard let number = try coder.number(Double.self, at: reference) else {
      return try coder.value(Double.self, at: reference)
    }
    guard let value = number.double else { throw coder.doesNotFit(number, Double.self) }
    return value
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    ArchivedReference(node: .uid(try coder.pool.number(.real(self))))
  }
}

/// A number of 4 bytes. One of 8 bytes is rounded to it; what is too large, and integers that are not exact, are
/// errors.
extension Float: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(real: Double(self), forRawKey: "NS.dblval") }

  public init(coder: KeyedUnarchiver) throws { self = try coder.float(try ArchivedNumber(coder: coder)) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Float {
    guard let number = try coder.number(Float.self, at: reference) else {
      return try coder.value(Float.self, at: reference)
    }
    return try coder.float(number)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    ArchivedReference(node: .uid(try coder.pool.number(.float(self))))
  }
}

extension KeyedUnarchiver {
  fileprivate func float(_ number: ArchivedNumber) throws -> Float {
    guard let double = number.double else { throw doesNotFit(number, Float.self) }
    let value = Float(double)
    let isLost = value.isInfinite != double.isInfinite
    if case .integer = number, Double(value) != double { throw doesNotFit(number, Float.self) }
    guard !isLost else { throw doesNotFit(number, Float.self) }
    return value
  }
}

/// A truth value. Integers are decoded too: all but 0 are true.
extension Bool: SecureCoding {
  public static var archivedClass: ArchivedClass { numberClass }

  public func encode(with coder: KeyedArchiver) throws { try coder.encode(boolean: self, forRawKey: "NS.boolval") }

  public init(coder: KeyedUnarchiver) throws {
    let number = try ArchivedNumber(coder: coder)
    guard case .integer(let value) = number else { throw coder.doesNotFit(number, Bool.self) }
    self = value != 0
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Bool {
    guard let number = try coder.number(Bool.self, at: reference) else {
      return try coder.value(Bool.self, at: reference)
    }
    guard case .integer(let value) = number else { throw coder.doesNotFit(number, Bool.self) }
    return value != 0
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    ArchivedReference(node: .uid(try coder.pool.number(.boolean(self))))
  }
}
