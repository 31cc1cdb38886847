package import ObjectModels
package import OrderedCollections
package import Predicates
internal import PropertyLists

/// The properties to fetch and the groups of a request, prepared to create its dictionaries: one for each object, or
/// one for each group.
///
/// If the properties to fetch include an aggregate such as `sum(pages)`, all objects are one group, unless the request
/// has properties to group by. Aggregates ignore null. Without values, `count` and `sum` are 0, and other aggregates
/// are null.
struct FetchProjection: Sendable {
  private let columns: [Column]
  private let groupKeys: [PreparedExpression]
  private let having: GroupCondition?
  private let isDistinct: Bool
  private let isGrouped: Bool
  /// A dictionary with all keys and null values.
  private let template: OrderedDictionary<String, RowValue>

  /// A key of a dictionary, and the expression of its value.
  fileprivate struct Column {
    let name: String
    /// The expression for the value. It can contain aggregates, unless the value is a property.
    let value: GroupExpression
    let type: AttributeType
  }

  /// True if one dictionary can represent several objects.
  var joinsObjects: Bool { isGrouped || isDistinct }

  /// Checks and prepares the properties to fetch and the groups of a request.
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` if the request cannot return dictionaries.
  init(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity, _ context: PreparationContext
  ) throws(ManagedObjectError) {
    let plan = try FetchPlan(request, of: entity)
    do {
      var columns: [Column] = []
      for column in plan.columns {
        columns.append(
          Column(name: column.name, value: try GroupExpression(column.value, plan, entity.model), type: column.type))
      }
      self.columns = columns
      var groupKeys: [PreparedExpression] = []
      for key in plan.groupKeys { groupKeys.append(try PreparedExpression(key, context)) }
      self.groupKeys = groupKeys
      having = try plan.having.map { having throws(ManagedPredicateError) in
        try GroupCondition(having, plan, entity.model)
      }
    } catch {
      throw ManagedObjectError(error)
    }
    isDistinct = request.returnsDistinctResults
    isGrouped = plan.isGrouped
    template = OrderedDictionary(uniqueKeysWithValues: plan.columns.map { ($0.name, RowValue.null) })
  }

  typealias Dictionary = OrderedDictionary<String, RowValue>

  /// Returns the dictionaries for sorted objects. Groups are in the order of their first objects.
  func dictionaries<Subject: PredicateSubject>(of subjects: [Subject]) throws(ManagedPredicateError) -> [Dictionary] {
    var all: [Dictionary] = []
    if !isGrouped {
      all.reserveCapacity(subjects.count)
      for subject in subjects { all.append(try dictionary(of: subject)) }
    } else if groupKeys.isEmpty {
      // The columns contain only aggregates and constants, so no object of the group is needed to evaluate them.
      all = [try dictionary(of: subjects, with: AttributeValue.null)]
    } else {
      for group in try groups(subjects) {
        if try having?.holds(for: group, with: group[0]) == false { continue }
        all.append(try dictionary(of: group, with: group[0]))
      }
    }
    guard isDistinct else { return all }
    var seen: Set<[PredicateValue<AttributeValue>]> = []
    return all.filter { seen.insert($0.values.map(\.comparable)).inserted }
  }

  private func dictionary(of subject: some PredicateSubject) throws(ManagedPredicateError) -> Dictionary {
    var dictionary = template
    for (index, column) in columns.enumerated() {
      dictionary.values[index] = try column.rowValue(column.value.value(with: subject))
    }
    return dictionary
  }

  /// Returns the dictionary of a group.
  ///
  /// - Parameter representative: an object with the values that all objects of the group share.
  private func dictionary<Subject: PredicateSubject, Representative: PredicateSubject>(
    of group: [Subject], with representative: Representative
  ) throws(ManagedPredicateError) -> Dictionary {
    var dictionary = template
    for (index, column) in columns.enumerated() {
      dictionary.values[index] = try column.rowValue(column.value.value(of: group, with: representative))
    }
    return dictionary
  }

  private func groups<Subject: PredicateSubject>(_ subjects: [Subject]) throws(ManagedPredicateError) -> [[Subject]] {
    var groups: [[Subject]] = []
    var groupIndices: [[PredicateValue<Subject>]: Int] = [:]
    for subject in subjects {
      var values: [PredicateValue<Subject>] = []
      for key in groupKeys { values.append(try key.value(with: subject)) }
      if let index = groupIndices[values] {
        groups[index].append(subject)
      } else {
        groupIndices[values] = groups.count
        groups.append([subject])
      }
    }
    return groups
  }
}

extension RowValue {
  /// The form of the value that is compared to find equal dictionaries.
  fileprivate var comparable: PredicateValue<AttributeValue> {
    switch self {
    case .attribute(let value): .value(value)
    default: .array(keys.map { .constant(.object($0)) })
    }
  }
}

extension FetchProjection.Column {
  /// Converts a value to the type of the column.
  func rowValue<Subject: PredicateSubject>(_ value: PredicateValue<Subject>) throws(ManagedPredicateError) -> RowValue {
    switch value {
    case .value(let value):
      if let result = type.result(value) { return .attribute(result) }
    case .object(let object):
      if case .object(let key)? = object.predicateConstant { return .toOne(key) }
    case .constant(.object(let key)): return .toOne(key)
    case .array, .set, .constant: break
    }
    throw ManagedPredicateError(
      .typeMismatch, "\(name.quoted) is \(value.kindName), which cannot be in a result dictionary as \(type.name)")
  }
}

extension AttributeType {
  /// Returns the result of an expression converted to this type; nil if that is not possible. A conversion to an
  /// integer drops the digits after the decimal point.
  package func result(_ value: AttributeValue) -> AttributeValue? {
    if let value = normalized(value) { return value }
    guard let integers, value.isNumber, let number = PredicateArithmetic.double(value),
      let integer = Int64(exactly: number.rounded(.towardZero)), integers.contains(integer)
    else { return nil }
    return .integer(integer)
  }
}

/// Functions that create dictionaries from rows that a store has found.
extension FetchRequest {
  /// Returns a request for the objects that the dictionaries of this request are created from.
  package func requestForObjects(_ entity: ManagedObjectModel.Entity) throws(ManagedObjectError) -> FetchRequest {
    var request = self
    // The offset and the limit count dictionaries, and one dictionary can represent several objects. So all objects are
    // fetched.
    if try !PreparedFetch(self, of: entity).isWindowedBeforeProjection {
      request.fetchLimit = 0
      request.fetchOffset = 0
    }
    request.resultType = .objects
    request.propertiesToFetch = nil
    request.propertiesToGroupBy = nil
    request.havingPredicate = nil
    return request
  }

  /// Returns the dictionaries of rows.
  ///
  /// - Parameter rows: the results of ``requestForObjects(_:)``.
  package func dictionaries<Source: RowSource>(
    of rows: [StoreRow], in source: Source, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [OrderedDictionary<String, RowValue>] {
    try PreparedFetch(self, of: entity).dictionaries(of: rows.map { RowSubject($0, source) })
  }
}
