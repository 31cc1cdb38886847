package import KeyedArchiving
internal import OrderedCollections

extension PredicateConstant {
  /// Creates a constant from an archived value.
  package init(_ value: ArchivedValue, in coder: KeyedUnarchiver, depth: Int = 1) throws {
    _ = try coder.checkedHeight(depth)
    func element(_ value: ArchivedValue) throws -> PredicateConstant {
      try PredicateConstant(value, in: coder, depth: depth + 1)
    }
    switch value {
    case .array(let elements): self = .array(try elements.map(element))
    case .set(let elements): self = .set(Set(try elements.map(element)))
    case .dictionary(let entries):
      var constants: [String: PredicateConstant] = [:]
      for (key, value) in entries {
        guard case .string(let key) = key else {
          throw coder.failure(.invalidContents, "a dictionary in a predicate has a key that is not a string")
        }
        constants[key] = try element(value)
      }
      self = .dictionary(constants)
    case .object(let object):
      guard let object = object as? OpaqueObject else { throw Self.unknown(coder) }
      self = .opaque(object)
    default:
      guard let value = AttributeValue(value) else { throw Self.unknown(coder) }
      self = .value(value)
    }
  }

  private static func unknown(_ coder: KeyedUnarchiver) -> KeyedArchiveError {
    coder.failure(.invalidContents, "a constant in a predicate has a type that attributes do not support")
  }

  /// Returns the constant as an archived value. The entries of dictionaries are sorted by key. The elements of sets are
  /// sorted as in predicate text.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for an object, because its key is meaningless outside its
  ///   context.
  package func archivedValue() throws(KeyedArchiveError) -> ArchivedValue {
    switch self {
    case .value(let value): return value.archivedValue
    case .array(let elements): return .array(try Self.archived(elements))
    case .set(let elements):
      return .set(OrderedSet(try Self.archived(PredicateWriter.sorted(elements).map(\.element))))
    case .dictionary(let entries):
      var values: OrderedDictionary<ArchivedValue, ArchivedValue> = [:]
      for (key, value) in entries.sorted(by: { $0.key < $1.key }) { values[.string(key)] = try value.archivedValue() }
      return .dictionary(values)
    case .object: throw KeyedArchiveError(.invalidValue, "a predicate with a managed object cannot be archived")
    case .opaque(let object): return .object(object)
    }
  }

  private static func archived(_ constants: [PredicateConstant]) throws(KeyedArchiveError) -> [ArchivedValue] {
    var values: [ArchivedValue] = []
    for constant in constants { values.append(try constant.archivedValue()) }
    return values
  }
}
