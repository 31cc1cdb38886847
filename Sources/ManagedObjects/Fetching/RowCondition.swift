internal import ObjectModels
internal import Predicates

/// A condition that uses only attributes of a row, as the predicates of most requests do. It is tested with the row
/// itself, so no ``RowSubject`` is needed. The rows must be of one entity, because slots differ between entities.
indirect enum RowCondition {
  case constant(Bool)
  case all([RowCondition])
  case any([RowCondition])
  case not(RowCondition)
  case test(slot: Int, ConstantTest)

  /// Creates the condition from a prepared one. Returns nil if the prepared condition does more than compare attributes
  /// of the row with constants.
  init?(_ condition: PreparedCondition, of entity: ManagedObjectModel.Entity) {
    switch condition {
    case .constant(let value): self = .constant(value)
    case .all(let parts):
      guard let parts = Self.conditions(parts, of: entity) else { return nil }
      self = .all(parts)
    case .any(let parts):
      guard let parts = Self.conditions(parts, of: entity) else { return nil }
      self = .any(parts)
    case .not(let part):
      guard let part = RowCondition(part, of: entity) else { return nil }
      self = .not(part)
    case .key(let key, let test):
      guard let attribute = entity.attribute(named: key.name) else { return nil }
      self = .test(slot: attribute.slot, test)
    case .test, .comparison, .tolerant: return nil
    }
  }

  private static func conditions(
    _ parts: [PreparedCondition], of entity: ManagedObjectModel.Entity
  ) -> [RowCondition]? {
    let conditions = parts.compactMap { RowCondition($0, of: entity) }
    return conditions.count == parts.count ? conditions : nil
  }

  func holds(_ row: StoreRow) throws(ManagedPredicateError) -> Bool {
    switch self {
    case .test(let slot, let test):
      guard slot < row.values.count, case .attribute(let value) = row.values[slot] else {
        return try test.result(.null)
      }
      return try test.result(value)
    case .constant(let value): return value
    case .all(let parts):
      for part in parts where try !part.holds(row) { return false }
      return true
    case .any(let parts):
      for part in parts where try part.holds(row) { return true }
      return false
    case .not(let part): return try !part.holds(row)
    }
  }
}
