internal import FoundationEssentials
package import KeyedArchiving
internal import OrderedCollections
package import PropertyLists

extension AttributeValue {
  /// Creates a value from an integer in a file. Integers that do not fit in `Int64` become decimal numbers.
  package init(_ integer: PropertyList.Integer) {
    self = Int64(exactly: integer).map { .integer($0) } ?? .decimal(Decimal(string: integer.description) ?? .nan)
  }

  /// Creates a value from an archived value. Returns nil for collections and objects.
  package init?(_ value: ArchivedValue) {
    switch value {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self.init(value)
    case .real(let value): self = .double(value)
    case .float(let value): self = .float(value)
    case .string(let value): self = .string(value)
    case .data(let value): self = .data(value)
    case .date(let value): self = .date(value)
    case .decimal(let value): self = .decimal(value)
    case .url(let value): self = .url(value)
    case .uuid(let value): self = .uuid(value)
    case .array, .dictionary, .set, .value, .object: return nil
    }
  }

  /// The value as an archived value.
  package var archivedValue: ArchivedValue {
    switch self {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(PropertyList.Integer(value))
    case .decimal(let value): .decimal(value)
    case .double(let value): .real(value)
    case .float(let value): .float(value)
    case .string(let value): .string(value)
    case .date(let value): .date(value)
    case .data(let value): .data(value)
    case .uuid(let value): .uuid(value)
    case .url(let value): .url(value)
    case .composite:
      .dictionary(
        OrderedDictionary(
          uniqueKeysWithValues: (leavesInOrder ?? []).map { (ArchivedValue.string($0.name), $0.value.archivedValue) }))
    }
  }
}
