public import FoundationEssentials
public import OrderedCollections

/// A property list: a mutable value to build, edit and compare.
///
/// The kinds are those of Core Foundation's property lists, plus ``null`` and ``uid(_:)``, which keyed archives use
/// to refer to objects. Copying a value takes constant time, whatever its size.
///
/// ```swift
/// var info: PropertyList = ["CFBundleName": "Notes", "LSRequiresIPhoneOS": true]
/// info.dictionary?["CFBundleVersion"] = "42"
/// let name = info["CFBundleName"]?.string   // "Notes"
/// try info.write(to: url, format: .xml)
/// ```
///
/// If you only read, use ``PropertyListDocument``, which creates a value only when you read it.
///
/// - Note: Numbers and dates are equal if their bits are equal: NaN equals itself, `0.0` and `-0.0` differ, and a
///   4-byte real differs from an 8-byte real of the same value. Strings are compared as Swift strings, by canonical
///   equivalence. Dictionaries are equal if they have the same entries in the same order.
public enum PropertyList: Sendable {
  /// Text.
  case string(String)
  /// An integer: any value of `Int64` or `UInt64`.
  case integer(Integer)
  /// An 8-byte real.
  case real(Double)
  /// A 4-byte real. Only the binary format distinguishes it from an 8-byte real.
  case float(Float)
  /// True or false. Distinct from the numbers 1 and 0.
  case boolean(Bool)
  /// A date, as seconds since 2001-01-01T00:00:00Z.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// An array of elements.
  case array([PropertyList])
  /// A dictionary, with its entries in the order of the file.
  case dictionary(OrderedDictionary<String, PropertyList>)
  /// A reference to an object in the object table of a keyed archive.
  case uid(UID)
  /// The null object of the binary format, or null of JSON. XML cannot represent it.
  case null

  /// The kinds of property list values.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case string, integer, real, boolean, date, data, array, dictionary, uid, null
  }

  /// The kind of this value. Reals of both widths are of kind ``Kind/real``.
  public var kind: Kind {
    switch self {
    case .string: .string
    case .integer: .integer
    case .real, .float: .real
    case .boolean: .boolean
    case .date: .date
    case .data: .data
    case .array: .array
    case .dictionary: .dictionary
    case .uid: .uid
    case .null: .null
    }
  }

  /// The index of an object in the object table of a keyed archive.
  ///
  /// Apple's reader accepts no value above `UInt32.max` (`CFBinaryPList.c`, `CFKeyedArchiverUIDCreate`).
  public struct UID: Hashable, Sendable, Comparable {
    /// The index.
    public var value: UInt32

    /// Creates a reference to the object at an index of the object table.
    public init(_ value: UInt32) { self.value = value }

    public static func < (lhs: UID, rhs: UID) -> Bool { lhs.value < rhs.value }
  }

  /// An integer of a property list. It represents every value of `Int64` and of `UInt64` exactly.
  ///
  /// Convert it with the exact initializers of the standard integer types, which return nil if the value does not fit:
  ///
  /// ```swift
  /// let integer: PropertyList.Integer = 8080
  /// let port = UInt16(exactly: integer)   // 8080
  /// let byte = UInt8(exactly: integer)    // nil
  /// ```
  public struct Integer: Hashable, Sendable {
    /// The value modulo 2^64.
    @usableFromInline let bits: UInt64
    @usableFromInline let isNegative: Bool

    /// Creates an integer from an `Int64`.
    public init(_ value: Int64) {
      bits = UInt64(bitPattern: value)
      isNegative = value < 0
    }

    /// Creates an integer from a `UInt64`.
    public init(_ value: UInt64) {
      bits = value
      isNegative = false
    }

    /// Creates an integer from an `Int`.
    public init(_ value: Int) { self.init(Int64(value)) }

    /// Creates an integer from a value of any integer type, or returns nil if `value` is below `Int64.min` or above
    /// `UInt64.max`.
    public init?(exactly value: some BinaryInteger) {
      if let value = Int64(exactly: value) {
        self.init(value)
      } else if let value = UInt64(exactly: value) {
        self.init(value)
      } else {
        return nil
      }
    }

    /// The value as an `Int128`. The conversion is always exact.
    @inlinable
    public var int128: Int128 { isNegative ? Int128(Int64(bitPattern: bits)) : Int128(bits) }
  }
}

extension PropertyList.Integer: Comparable {
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.int128 < rhs.int128 }
}

extension PropertyList.Integer: ExpressibleByIntegerLiteral {
  /// Creates an integer from a literal.
  ///
  /// - Precondition: The literal is a value of `Int64` or of `UInt64`.
  public init(integerLiteral value: Int128) {
    guard let integer = Self(exactly: value) else {
      preconditionFailure("the integer literal \(value) is outside the ranges of Int64 and UInt64")
    }
    self = integer
  }
}

extension PropertyList.Integer: CustomStringConvertible {
  /// The decimal digits.
  public var description: String { isNegative ? String(Int64(bitPattern: bits)) : String(bits) }
}

extension BinaryInteger {
  /// Creates an integer from an integer of a property list, or returns nil if this type cannot represent the value.
  @inlinable
  public init?(exactly integer: PropertyList.Integer) {
    if integer.isNegative {
      self.init(exactly: Int64(bitPattern: integer.bits))
    } else {
      self.init(exactly: integer.bits)
    }
  }
}

/// Equality and hashing use explicit stacks instead of recursion, so that deep values do not overflow the thread's
/// stack.
extension PropertyList: Hashable {
  /// Returns true if two values are equal. A note at ``PropertyList`` says how numbers, dates, strings and dictionaries
  /// are compared.
  ///
  /// - Complexity: O(*n*) in the number of values that the two contain.
  public static func == (lhs: PropertyList, rhs: PropertyList) -> Bool {
    guard lhs.isContainer, rhs.isContainer else { return areEqualScalars(lhs, rhs) }
    var pairs = [(lhs, rhs)]
    while let (first, second) = pairs.popLast() {
      switch (first, second) {
      case (.array(let a), .array(let b)):
        guard haveEqualScalars(a, b, containers: &pairs) else { return false }
      case (.dictionary(let a), .dictionary(let b)):
        guard a.keys == b.keys, haveEqualScalars(a.values.elements, b.values.elements, containers: &pairs) else {
          return false
        }
      default:
        guard areEqualScalars(first, second) else { return false }
      }
    }
    return true
  }

  package var isContainer: Bool {
    switch self {
    case .array, .dictionary: true
    default: false
    }
  }

  /// Compares the elements of two arrays, except the contents of containers. Returns true if all scalars are equal and
  /// containers of the same kind are at the same indexes. Appends each pair of containers to `containers`, to be
  /// compared later.
  private static func haveEqualScalars(
    _ first: [PropertyList], _ second: [PropertyList], containers: inout [(PropertyList, PropertyList)]
  ) -> Bool {
    guard first.count == second.count else { return false }
    for (a, b) in zip(first, second) {
      switch (a, b) {
      case (.array, .array), (.dictionary, .dictionary): containers.append((a, b))
      default:
        guard areEqualScalars(a, b) else { return false }
      }
    }
    return true
  }

  private static func areEqualScalars(_ lhs: PropertyList, _ rhs: PropertyList) -> Bool {
    switch (lhs, rhs) {
    case (.string(let a), .string(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.boolean(let a), .boolean(let b)): a == b
    case (.date(let a), .date(let b)): a.secondsBitPattern == b.secondsBitPattern
    case (.data(let a), .data(let b)): a == b
    case (.uid(let a), .uid(let b)): a == b
    case (.null, .null): true
    default: false
    }
  }

  /// Hashes this value and all values that it contains.
  ///
  /// - Complexity: O(*n*) in the number of values that this one contains.
  public func hash(into hasher: inout Hasher) {
    guard isContainer else {
      hasher.combine(kind)
      return hashScalar(into: &hasher)
    }
    var containers = [self]
    while let next = containers.popLast() {
      hasher.combine(next.kind)
      switch next {
      case .array(let elements): Self.hash(elements, into: &hasher, containers: &containers)
      case .dictionary(let entries):
        hasher.combine(entries.keys)
        Self.hash(entries.values.elements, into: &hasher, containers: &containers)
      default: next.hashScalar(into: &hasher)
      }
    }
  }

  private static func hash(_ elements: [PropertyList], into hasher: inout Hasher, containers: inout [PropertyList]) {
    hasher.combine(elements.count)
    for element in elements {
      switch element {
      case .array, .dictionary: containers.append(element)
      default:
        hasher.combine(element.kind)
        element.hashScalar(into: &hasher)
      }
    }
  }

  private func hashScalar(into hasher: inout Hasher) {
    switch self {
    case .string(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .float(let value): hasher.combine(value.bitPattern)
    case .boolean(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value.secondsBitPattern)
    case .data(let value): hasher.combine(value)
    case .uid(let value): hasher.combine(value)
    case .null, .array, .dictionary: break
    }
  }
}

extension Date {
  fileprivate var secondsBitPattern: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
}

extension PropertyList: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension PropertyList: ExpressibleByIntegerLiteral {
  /// Creates an integer.
  ///
  /// - Precondition: The literal is a value of `Int64` or of `UInt64`.
  public init(integerLiteral value: Int128) { self = .integer(Integer(integerLiteral: value)) }
}

extension PropertyList: ExpressibleByFloatLiteral {
  /// Creates an 8-byte real.
  public init(floatLiteral value: Double) { self = .real(value) }
}

extension PropertyList: ExpressibleByBooleanLiteral {
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension PropertyList: ExpressibleByArrayLiteral {
  /// Creates an array.
  public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
}

extension PropertyList: ExpressibleByDictionaryLiteral {
  /// Creates a dictionary whose entries keep the order of the literal.
  ///
  /// - Precondition: The keys of the literal are distinct.
  public init(dictionaryLiteral elements: (String, PropertyList)...) {
    self = .dictionary(OrderedDictionary(uniqueKeysWithValues: elements))
  }
}
