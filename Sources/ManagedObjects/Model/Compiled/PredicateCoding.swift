internal import KeyedArchiving

extension KeyedUnarchiver {
  func decodePredicate(forKey key: String) throws -> ManagedPredicate? {
    guard try decodeIfPresent(ArchivedValue.self, forKey: key) != nil else { return nil }
    throw failure(.classNotAllowed, "predicates are not read yet")
  }

  func decodePredicates(forKey key: String) throws -> [ManagedPredicate] {
    guard try decodeIfPresent(ArchivedValue.self, forKey: key) != nil else { return [] }
    throw failure(.classNotAllowed, "predicates are not read yet")
  }

  func decodeExpression(forKey key: String) throws -> ManagedExpression? {
    guard try decodeIfPresent(ArchivedValue.self, forKey: key) != nil else { return nil }
    throw failure(.classNotAllowed, "expressions are not read yet")
  }
}

extension KeyedArchiver {
  func encode(_ predicate: ManagedPredicate?, forKey key: String) throws {
    try encode(String?.none, forKey: key)
  }

  func encode(_ predicates: [ManagedPredicate], forKey key: String) throws {}

  func encode(_ expression: ManagedExpression?, forKey key: String) throws {
    try encode(String?.none, forKey: key)
  }
}
