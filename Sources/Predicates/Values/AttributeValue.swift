public import FoundationEssentials

/// The value of an attribute, as rows hold it and as models have it for a default.
///
/// A transformable attribute is held as the bytes of its archive: what they lead to is made when an object is asked
/// for it, so that a row can go from one task to another.
public enum AttributeValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  /// Of an attribute of 16, 32 or 64 bits.
  case integer(Int64)
  case decimal(Decimal)
  case double(Double)
  case float(Float)
  case string(String)
  /// A moment, as seconds since 2001-01-01T00:00:00Z.
  case date(Date)
  /// Bytes; those of an archive for a transformable attribute.
  case data(Data)
  case uuid(UUID)
  case url(URL)
  /// The values of all elements of a composite attribute, by their names. Without any value it is ``null``, because
  /// stores have no other form for that.
  case composite([String: AttributeValue])
}

/// Values are equal if they are the same. What is no number is the same as itself, so that an object which has it is
/// not taken for changed. Texts are the same if all their scalars are: one that is only spelled differently, with
/// composed characters or not, is another value, and saved. Predicates have an equality of their own.
extension AttributeValue {
  public static func == (first: AttributeValue, second: AttributeValue) -> Bool {
    switch (first, second) {
    case (.null, .null): true
    case (.boolean(let first), .boolean(let second)): first == second
    case (.integer(let first), .integer(let second)): first == second
    case (.decimal(let first), .decimal(let second)): first == second
    case (.double(let first), .double(let second)): first == second || first.isNaN && second.isNaN
    case (.float(let first), .float(let second)): first == second || first.isNaN && second.isNaN
    case (.string(let first), .string(let second)): first == second && first.utf8.elementsEqual(second.utf8)
    case (.date(let first), .date(let second)):
      first == second
        || first.timeIntervalSinceReferenceDate.isNaN && second.timeIntervalSinceReferenceDate.isNaN
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
    case .date(let value):
      hasher.combine(value.timeIntervalSinceReferenceDate.isNaN ? .distantPast : value)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .url(let value): hasher.combine(value)
    case .composite(let leaves): hasher.combine(leaves)
    }
  }
}
