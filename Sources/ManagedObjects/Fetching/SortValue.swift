internal import FoundationEssentials
internal import ObjectModels
internal import Predicates
@_spi(_Unicode) internal import Swift

/// A value to sort by, prepared for comparison.
///
/// Values of different kinds, which occur only in attributes of undefined type, are in the order of ``Kind``.
struct SortValue {
  /// The kind and the first bits of the value. If two leads differ, the value with the smaller one comes first.
  let lead: Lead
  /// True if the lead represents the whole value. Two such values with the same lead are equal.
  let isWhole: Bool
  let content: Content

  struct Lead: Equatable {
    let first: UInt64
    let second: UInt64

    @inline(__always)
    static func < (one: Lead, other: Lead) -> Bool {
      one.first != other.first ? one.first < other.first : one.second < other.second
    }

    static let least = Lead(first: 0, second: 0)
    static let greatest = Lead(first: .max, second: .max)
    var complement: Lead { Lead(first: ~first, second: ~second) }
  }

  enum Content {
    /// Null, a number, or another value that is compared directly.
    case value(AttributeValue)
    /// A string, and the form of it that is compared, such as the case-folded string.
    case text(String, form: String)
    case object(RowKey)
  }

  private enum Kind: UInt64 {
    case null = 0
    case number, date, string, data, uuid, url, object
  }

  /// Creates a sort value with a lead of its kind and bits.
  ///
  /// - Parameter bits: the first 128 bits of the value. The lead contains the first 124 of them.
  private init(_ kind: Kind, _ bits: (UInt64, UInt64), isWhole: Bool, _ content: Content) {
    lead = Lead(first: kind.rawValue << 60 | bits.0 >> 4, second: bits.0 << 60 | bits.1 >> 4)
    self.isWhole = isWhole
    self.content = content
  }

  init(_ value: AttributeValue, _ comparison: FetchRequest.SortComparison) {
    switch value {
    case .null: self.init(.null, (0, 0), isWhole: true, .value(value))
    case .boolean, .integer, .decimal, .double, .float:
      let number = PredicateArithmetic.double(value) ?? .nan
      self.init(.number, (Self.bits(number), 0), isWhole: Self.isExact(value), .value(value))
    case .date(let date):
      self.init(.date, (Self.bits(date.timeIntervalSinceReferenceDate), 0), isWhole: true, .value(value))
    case .string(let text):
      let bytes: (first: UInt64, second: UInt64, isWhole: Bool)
      if let form = comparison.form(of: text) {
        bytes = Self.bits(form.utf8)
        self.init(
          .string, (bytes.first, bytes.second), isWhole: bytes.isWhole && comparison.isOfForms,
          .text(text, form: form))
      } else {
        bytes = text.utf8Span.span.isASCII ? Self.bits(text.utf8) : Self.canonicalBits(text)
        self.init(.string, (bytes.first, bytes.second), isWhole: bytes.isWhole, .value(value))
      }
    case .data(let data):
      let bytes = Self.bits(data)
      self.init(.data, (bytes.first, bytes.second), isWhole: bytes.isWhole, .value(value))
    case .uuid: self.init(.uuid, (0, 0), isWhole: false, .value(value))
    case .url: self.init(.url, (0, 0), isWhole: false, .value(value))
    // Composite values have no order. Requests cannot be sorted by them.
    case .composite: self.init(.null, (0, 0), isWhole: true, .value(value))
    }
  }

  /// Creates the sort value of an object itself: its key.
  init(object: some PredicateSubject) {
    guard case .object(let key)? = object.predicateConstant else {
      self.init(.null, (0, 0), isWhole: true, .value(.null))
      return
    }
    self.init(.object, (0, 0), isWhole: false, .object(key))
  }

  var isNull: Bool { lead == .least }

  /// True for a number that a double represents exactly.
  private static func isExact(_ value: AttributeValue) -> Bool {
    switch value {
    case .boolean, .double, .float: true
    case .integer(let value): value.magnitude < 1 << 53
    default: false
    }
  }

  /// Returns bits that have the order of the numbers if they are compared as integers. NaN comes first.
  private static func bits(_ value: Double) -> UInt64 {
    if value.isNaN { return 0 }
    let bits = (value == 0 ? 0 : value).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  /// Returns the first 16 bytes, padded with zeros. `isWhole` is true if the value has at most 15 bytes and no zero
  /// byte, so that the result represents the whole value.
  private static func bits(_ bytes: some Sequence<UInt8>) -> (first: UInt64, second: UInt64, isWhole: Bool) {
    var (first, second): (UInt64, UInt64) = (0, 0)
    var count: UInt64 = 0
    var isWhole = true
    for byte in bytes {
      if byte == 0 { isWhole = false }
      if count < 8 { first |= UInt64(byte) << (56 - 8 * count) } else { second |= UInt64(byte) << (120 - 8 * count) }
      count += 1
      if count == 16 { return (first, second, false) }
    }
    return (first, second, isWhole)
  }

  /// Returns the first 16 bytes of a string in normalization form C, which Swift compares. See ``bits(_:)``.
  private static func canonicalBits(_ text: String) -> (first: UInt64, second: UInt64, isWhole: Bool) {
    bits(text._nfc.prefix(16).lazy.flatMap { UTF8.encode($0) ?? UTF8.encodedReplacementCharacter })
  }
}
