internal import ObjectModels
public import Predicates

extension ManagedPredicate {
  /// Parses a predicate and checks it for the objects of an entity.
  ///
  /// ```swift
  /// let predicate = try ManagedPredicate(format: "author.name BEGINSWITH[cd] %@", prefix, for: model["Note"]!)
  /// ```
  ///
  /// In addition to its properties, each object has the keys `self`, `objectID` and `entity`. The keys of an entity are
  /// `name`, `userInfo` and `kinds`, the names of the entity and of those that it inherits from:
  ///
  /// - `owner.entity.name == "Company"` and `owner.entity == %@` are true for this entity only;
  /// - `"Company" IN owner.entity.kinds` is also true for entities that inherit from it.
  ///
  /// A property of the model that is called `entity` takes precedence.
  ///
  /// - Parameters:
  ///   - format: the text, as in ``ManagedPredicate/init(format:_:)``.
  ///   - arguments: the values for `%@`, `%K` and `%d`.
  ///   - entity: the entity of the objects.
  /// - Throws: ``ManagedPredicateError`` with the position in the text, for errors in the syntax and those of
  ///   ``check(for:)``.
  public init(
    format: String, _ arguments: any PredicateArgument..., for entity: ManagedObjectModel.Entity
  ) throws(ManagedPredicateError) {
    try self.init(format: format, arguments: arguments, for: entity)
  }

  /// Parses a predicate whose arguments are in an array, and checks it: see ``init(format:_:for:)``.
  public init(
    format: String, arguments: [any PredicateArgument], for entity: ManagedObjectModel.Entity
  ) throws(ManagedPredicateError) {
    var parser = try PredicateParser(format, arguments: arguments)
    let (predicate, positions) = try parser.wholePredicate()
    var check = PredicateCheck(entity, text: format)
    try check.check(predicate, positions)
    self = predicate
  }

  /// Checks that the predicate can be evaluated with the objects of an entity: that the keys exist, that the types of
  /// compared values fit, that functions have valid arguments, and that variables have values.
  ///
  /// Keys of subentities are allowed. They are null for objects that do not have them.
  ///
  /// ```swift
  /// let predicate = try ManagedPredicate(format: "title > 3")
  /// do throws(ManagedPredicateError) {
  ///   try predicate.check(for: model["Note"]!)
  /// } catch {
  ///   print(error.kind)                                    // typeMismatch
  /// }
  /// ```
  ///
  /// - Throws: ``ManagedPredicateError`` if the check fails.
  public func check(for entity: ManagedObjectModel.Entity) throws(ManagedPredicateError) {
    let predicate = withoutDeepRows
    _ = try predicate.height(within: Self.greatestDepth)
    var check = PredicateCheck(entity)
    try check.check(predicate)
  }
}
