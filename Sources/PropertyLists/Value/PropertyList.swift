public import FoundationEssentials
public import OrderedCollections

/// A property list: the mutable value that people build, edit and compare.
///
/// The kinds are those of Core Foundation's property lists, and the two that only the binary format has: ``uid(_:)``,
/// the reference of keyed archives, and ``null``. A copy costs one reference count, whatever the size of the value.
///
/// ```swift
/// var info: PropertyList = ["CFBundleName": "Notes", "LSRequiresIPhoneOS": true]
/// info.dictionary?["CFBundleVersion"] = "42"
/// ```
///
/// Machines that only read should use ``PropertyListDocument``, which allocates nothing per value.
///
/// - Note: Numbers and dates are equal when their bits are: not-a-number equals itself, `0.0` and `-0.0` differ, and a
///   4-byte real differs from the 8-byte real of the same value. Strings compare as Swift strings do, by canonical
///   equivalence. Dictionaries are equal when they have the same entries in the same order.
public enum PropertyList: Sendable {
  /// Text.
  case string(String)
  /// Any integer of `Int64` and of `UInt64`.
  case integer(Integer)
  /// An 8-byte real.
  case real(Double)
  /// A 4-byte real. Only the binary format can tell it from an 8-byte one.
  case float(Float)
  /// True or false; no number.
  case boolean(Bool)
  /// A moment, as seconds since 2001-01-01T00:00:00Z.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Elements in order.
  case array([PropertyList])
  /// Entries in the order of the file.
  case dictionary(OrderedDictionary<String, PropertyList>)
  /// A reference into the object table of a keyed archive.
  case uid(UID)
  /// The null object of the binary format. XML cannot represent it.
  case null

  /// The kinds of value a property list is made of.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case string, integer, real, boolean, date, data, array, dictionary, uid, null
  }

  /// The kind of this value; reals of both widths are ``Kind/real``.
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
  /// Apple's reader takes no value above `UInt32.max` (`CFBinaryPList.c`, `CFKeyedArchiverUIDCreate`).
  public struct UID: Hashable, Sendable, Comparable {
    /// The index.
    public var value: UInt32

    /// A reference to the object with this index.
    public init(_ value: UInt32) { self.value = value }

    public static func < (lhs: UID, rhs: UID) -> Bool { lhs.value < rhs.value }
  }

  /// An integer of a property list: every value of `Int64` and of `UInt64`, exactly.
  ///
  /// Read it with the exact initializers of the standard integers, which give nil when the value does not fit:
  ///
  /// ```swift
  /// let port = UInt16(exactly: integer)
  /// ```
  public struct Integer: Hashable, Sendable {
    /// The value modulo 2^64.
    @usableFromInline let bits: UInt64
    @usableFromInline let isNegative: Bool

    /// Every `Int64` is an integer of a property list.
    public init(_ value: Int64) {
      bits = UInt64(bitPattern: value)
      isNegative = value < 0
    }

    /// Every `UInt64` is an integer of a property list.
    public init(_ value: UInt64) {
      bits = value
      isNegative = false
    }

    /// Every `Int` is an integer of a property list.
    public init(_ value: Int) { self.init(Int64(value)) }

    /// Nil if `value` is below `Int64.min` or above `UInt64.max`.
    public init?(exactly value: some BinaryInteger) {
      if let value = Int64(exactly: value) {
        self.init(value)
      } else if let value = UInt64(exactly: value) {
        self.init(value)
      } else {
        return nil
      }
    }

    /// The value, wide enough for all of them.
    @inlinable
    public var int128: Int128 { isNegative ? Int128(Int64(bitPattern: bits)) : Int128(bits) }
  }
}

extension PropertyList.Integer: Comparable {
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.int128 < rhs.int128 }
}

extension PropertyList.Integer: ExpressibleByIntegerLiteral {
  /// - Precondition: the literal is a value of `Int64` or of `UInt64`.
  public init(integerLiteral value: Int128) {
    guard let integer = Self(exactly: value) else {
      preconditionFailure("the integer literal \(value) is outside Int64 and UInt64")
    }
    self = integer
  }
}

extension PropertyList.Integer: CustomStringConvertible {
  /// The decimal digits.
  public var description: String { isNegative ? String(Int64(bitPattern: bits)) : String(bits) }
}

extension BinaryInteger {
  /// The value of a property list's integer; nil if it does not fit.
  @inlinable
  public init?(exactly integer: PropertyList.Integer) {
    if integer.isNegative {
      self.init(exactly: Int64(bitPattern: integer.bits))
    } else {
      self.init(exactly: integer.bits)
    }
  }
}

/// Both are made with stacks of their own, so that the depth of a value costs no stack of the thread.
extension PropertyList: Hashable {
  /// - Complexity: O(*n*) in the number of values below the two.
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

  /// Whether two lists agree in all scalars, and have containers at the same indexes, which are left to compare.
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

  /// - Complexity: O(*n*) in the number of values below this one.
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
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension PropertyList: ExpressibleByIntegerLiteral {
  /// - Precondition: the literal is a value of `Int64` or of `UInt64`.
  public init(integerLiteral value: Int128) { self = .integer(Integer(integerLiteral: value)) }
}

extension PropertyList: ExpressibleByFloatLiteral {
  /// An 8-byte real.
  public init(floatLiteral value: Double) { self = .real(value) }
}

extension PropertyList: ExpressibleByBooleanLiteral {
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension PropertyList: ExpressibleByArrayLiteral {
  /// An array.
  public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
}

extension PropertyList: ExpressibleByDictionaryLiteral {
  /// The entries keep the order of the literal.
  ///
  /// - Precondition: no key stands twice in the literal.
  public init(dictionaryLiteral elements: (String, PropertyList)...) {
    self = .dictionary(OrderedDictionary(uniqueKeysWithValues: elements))
  }
}
