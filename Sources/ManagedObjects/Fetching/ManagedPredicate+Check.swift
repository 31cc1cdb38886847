internal import ObjectModels
public import Predicates

extension ManagedPredicate {
  /// A predicate from text, checked against the entity of the objects that it is about.
  ///
  /// ```swift
  /// let predicate = try ManagedPredicate(format: "author.name BEGINSWITH[cd] %@", prefix, for: model["Note"]!)
  /// ```
  ///
  /// - Parameters:
  ///   - format: the text, as in ``init(format:_:)``.
  ///   - arguments: what stands for `%@`, `%K` and `%d`.
  ///   - entity: the entity of the objects.
  /// - Throws: ``ManagedPredicateError`` with the position in the text, of syntax as of what ``check(for:)`` finds.
  public init(
    format: String, _ arguments: any PredicateArgument..., for entity: ManagedObjectModel.Entity
  ) throws(ManagedPredicateError) {
    try self.init(format: format, arguments: arguments, for: entity)
  }

  /// As ``init(format:_:for:)``.
  public init(
    format: String, arguments: [any PredicateArgument], for entity: ManagedObjectModel.Entity
  ) throws(ManagedPredicateError) {
    var parser = try PredicateParser(format, arguments: arguments)
    let (predicate, positions) = try parser.wholePredicate()
    var check = PredicateCheck(entity, text: format)
    try check.check(predicate, positions)
    self = predicate
  }

  /// Checks that the predicate can be evaluated with the objects of an entity: that they have the keys, that what is
  /// compared is of kinds that can be, that functions have the arguments they need, and variables a value.
  ///
  /// Keys of sub-entities are allowed, and null for objects that do not have them.
  ///
  /// - Throws: ``ManagedPredicateError``.
  public func check(for entity: ManagedObjectModel.Entity) throws(ManagedPredicateError) {
    let predicate = withoutDeepRows
    _ = try predicate.height(within: Self.greatestDepth)
    var check = PredicateCheck(entity)
    try check.check(predicate)
  }
}
