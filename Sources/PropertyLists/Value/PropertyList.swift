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
}
