public import FoundationEssentials
package import KeyedArchiving
internal import OrderedCollections
internal import PropertyLists

/// The value of an attribute, in a row or as a default value in a model.
///
/// ```swift
/// let address = AttributeValue.composite(["city": .string("Oslo"), "zip": .null])
/// print(address)                                                 // {city: "Oslo", zip: nil}
/// print(AttributeValue.integer(1) == AttributeValue.double(1))   // false: the types are different
/// ```
///
/// A transformable attribute is stored as the bytes of its archive. They are decoded when the value is read from an
/// object, so that a row can be sent from one task to another.
public enum AttributeValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  /// The value of an attribute of 16, 32 or 64 bits.
  case integer(Int64)
  case decimal(Decimal)
  case double(Double)
  case float(Float)
  case string(String)
  /// A date, stored as seconds since 2001-01-01T00:00:00Z.
  case date(Date)
  /// Bytes. For a transformable attribute, the bytes of its archive.
  case data(Data)
  case uuid(UUID)
  case url(URL)
  /// The values of all elements of a composite attribute, by name. A composite without values is ``null``, because
  /// stores have no other form for it.
  case composite([String: AttributeValue])

  /// True if the values are the same. Objects use this operator to find out if they have changed. NaN equals itself.
  /// Strings are equal only if all their Unicode scalars are equal: composed and decomposed forms are different values,
  /// so that a change from one form to the other is saved. Predicates use another equality.
  public static func == (first: AttributeValue, second: AttributeValue) -> Bool {
    switch (first, second) {
    case (.null, .null): true
    case (.boolean(let first), .boolean(let second)): first == second
    case (.integer(let first), .integer(let second)): first == second
    case (.decimal(let first), .decimal(let second)): first == second
    case (.double(let first), .double(let second)): first == second || first.isNaN && second.isNaN
    case (.float(let first), .float(let second)): first == second || first.isNaN && second.isNaN
    case (.string(let first), .string(let second)):
      first.hasSameBytes(as: second)
    case (.date(let first), .date(let second)):
      first == second || first.timeIntervalSinceReferenceDate.isNaN && second.timeIntervalSinceReferenceDate.isNaN
    case (.data(let first), .data(let second)): first == second
    case (.uuid(let first), .uuid(let second)): first == second
    case (.url(let first), .url(let second)): first == second
    case (.composite(let first), .composite(let second)): first == second
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.isNaN ? .nan : value)
    case .float(let value): hasher.combine(value.isNaN ? .nan : value)
    case .string(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.isNaN ? .distantPast : value)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .url(let value): hasher.combine(value)
    case .composite(let leaves): hasher.combine(leaves)
    }
  }
}

extension String {
  /// Returns true if two strings have the same UTF-8. Unlike equal strings, they cannot differ in normalization.
  fileprivate func hasSameBytes(as other: String) -> Bool {
    let bytes = utf8Span.rawBytes
    let otherBytes = other.utf8Span.rawBytes
    // Most equal strings share their storage.
    return bytes.byteCount == otherBytes.byteCount
      && (bytes.isIdentical(to: otherBytes) || bytes.hasSameBytes(as: otherBytes))
  }
}

extension AttributeValue: CustomStringConvertible {
  /// The value in a readable form on one line: `3`, `"Untitled"`, `2026-01-31T12:00:00Z`, `<4 bytes: 00ff0102>`, `nil`.
  ///
  /// Strings are in quotation marks, and invisible characters are escaped. Long strings and data are shortened. The
  /// value of a composite attribute is `{city: "Oslo", zip: nil}`, ordered by name.
  public var description: String {
    switch self {
    case .null: "nil"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .decimal(let value): value.description
    case .double(let value): "\(value)"
    case .float(let value): "\(value)"
    case .string(let value): "\"\(value.printable(limit: 200))\""
    case .date(let value): Self.text(seconds: value.timeIntervalSinceReferenceDate)
    case .data(let value): Self.text(value)
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString.printable(limit: 200)
    case .composite:
      "{" + (leavesInOrder ?? []).map { "\($0.printable(limit: 100)): \($1)" }.joined(separator: ", ") + "}"
    }
  }

  private static func text(seconds: Double) -> String { DateText.text(seconds) ?? "\(seconds) seconds from 2001" }

  private static func text(_ data: Data) -> String {
    if data.isEmpty { return "<0 bytes>" }
    let digits = data.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let count = data.count == 1 ? "1 byte" : "\(data.count) bytes"
    return "<\(count): \(digits)\(data.count > 16 ? "…" : "")>"
  }
}

/// Decodes values of composite attributes, and finds their elements. Files that store one value per attribute contain
/// such a value as a keyed archive of a dictionary. In memory, Core Data represents it by a dictionary.
extension AttributeValue {
  /// The maximum depth of nested composite values, as in models.
  private static let greatestDepth = 16

  /// Decodes the value of a composite attribute from an archived dictionary. Returns nil for other bytes.
  package init?(archivedComposite data: Data) {
    guard let coder = try? KeyedUnarchiver(forReadingFrom: data),
      let value = try? coder.decode(ArchivedValue.self, forKey: KeyedArchiver.rootObjectKey)
    else { return nil }
    // An archive has at least one byte for each entry, unless it refers to an object several times.
    self.init(composite: value, count: data.count)
  }

  /// Creates the value of a composite attribute from a dictionary. An empty dictionary becomes null. Returns nil for
  /// other values, and if the dictionary and those in it have more than `count` entries.
  package init?(composite value: ArchivedValue, count: Int = 10_000) {
    var rest = count
    self.init(composite: value, &rest, depth: 0)
  }

  private init?(composite value: ArchivedValue, _ rest: inout Int, depth: Int) {
    guard case .dictionary(let entries) = value, depth < Self.greatestDepth else { return nil }
    var leaves: [String: AttributeValue] = [:]
    for (key, value) in entries {
      rest -= 1
      guard rest >= 0, case .string(let name) = key,
        let leaf = AttributeValue(value) ?? AttributeValue(composite: value, &rest, depth: depth + 1)
      else { return nil }
      leaves[name] = leaf
    }
    self = leaves.isEmpty ? .null : .composite(leaves)
  }

  /// Returns the value at a path of element names: this value for an empty path, null if an element is missing.
  package func leaf(at path: ArraySlice<String>) -> AttributeValue {
    guard let name = path.first else { return self }
    guard case .composite(let leaves) = self, let leaf = leaves[name] else { return .null }
    return leaf.leaf(at: path.dropFirst())
  }

  /// The elements of a composite value, ordered by name; nil for other values.
  package var leavesInOrder: [(name: String, value: AttributeValue)]? {
    guard case .composite(let leaves) = self else { return nil }
    return leaves.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { (name: $0.key, value: $0.value) }
  }
}
