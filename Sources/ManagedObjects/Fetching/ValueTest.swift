internal import ObjectModels
package import OrderedCollections
package import Predicates
@_spi(_Unicode) internal import Swift

/// A predicate whose objects are lists of values: for stores that look for objects by themselves, and know only parts
/// of predicates.
///
/// The values are those of the predicate's variables.
package struct ValueTest: Sendable {
  private let predicate: PreparedPredicate
  /// The comparison, if the predicate is one of the only variable with a constant.
  private let test: ConstantTest?

  /// - Parameter variables: the names of the variables that the values are for, in their order.
  package init(_ predicate: ManagedPredicate, variables: [String]) throws(ManagedPredicateError) {
    self.predicate = try PreparedPredicate(predicate, PreparationContext(parameters: variables))
    if case .test(.variable(0), .direct, let test) = self.predicate.condition, variables.count == 1 {
      self.test = test
    } else {
      test = nil
    }
  }

  /// True if the predicate holds for some values.
  package func holds(_ values: [PredicateValue<AttributeValue>]) throws(ManagedPredicateError) -> Bool {
    try predicate.evaluate(with: AttributeValue.null, parameters: values)
  }

  /// True if the predicate of one variable holds for a value.
  @inline(__always)
  package func holds(_ value: AttributeValue) throws(ManagedPredicateError) -> Bool {
    if let test { return try test.result(value) }
    return try holds([.value(value)])
  }
}

extension AttributeValue {
  /// -1, 0 or 1 for a value before another, equal to it, or after it; nil if they have no order.
  package func comparison(with other: AttributeValue) -> Int? {
    switch order(to: other) {
    case .less: -1
    case .equal: 0
    case .greater: 1
    case nil: nil
    }
  }
}

/// The keys that texts are sorted by.
extension String {
  /// The form by which texts are compared in the order of a sort descriptor, byte by byte.
  package func sortForm(_ comparison: FetchRequest.SortComparison) -> String {
    comparison.form(of: self) ?? plainSortForm
  }

  /// The form in which Swift compares strings, scalar by scalar.
  var plainSortForm: String {
    if utf8Span.span.isASCII { return self }
    var form = UnicodeScalarView()
    form.append(contentsOf: _nfc)
    return String(form)
  }

  /// The form by which texts of the same ``sortForm(_:)`` are compared, byte by byte; nil if they are equal.
  package func secondSortForm(_ comparison: FetchRequest.SortComparison) -> String? {
    comparison.secondForm(of: self)
  }
}

/// Checks that stores make.
extension FetchRequest {
  /// Checks the request. See ``check(against:)``.
  package func checkFit(_ entity: ManagedObjectModel.Entity) throws(ManagedObjectError) { try check(for: entity) }

  /// True if the predicate has no more levels than a number.
  package func isWithin(height: Int) -> Bool {
    guard let predicate else { return true }
    return (try? predicate.height(within: height)) != nil
  }

  /// True for keys that stand for the object itself where an entity has no property of the name.
  package static func isKeyOfObject(_ key: String) -> Bool { EntityKey.ofObjectItself.contains(key) }
}

/// Dictionaries of rows that a store has found.
extension FetchRequest {
  /// The request for the objects that the dictionaries of this one are made of.
  package func requestForObjects(_ entity: ManagedObjectModel.Entity) throws(ManagedObjectError) -> FetchRequest {
    var request = self
    // Several objects can make one dictionary: all are looked at.
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

  /// - Parameter rows: what ``requestForObjects(_:)`` finds.
  package func dictionaries<Source: RowSource>(
    of rows: [StoreRow], in source: Source, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [OrderedDictionary<String, RowValue>] {
    try PreparedFetch(self, of: entity).dictionaries(of: rows.map { RowSubject($0, source) })
  }
}
