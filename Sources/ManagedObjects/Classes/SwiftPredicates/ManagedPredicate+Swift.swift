public import FoundationEssentials
public import Predicates

extension ManagedPredicate {
  /// Converts a `#Predicate` on objects of a class.
  ///
  /// ```swift
  /// let name = "Ada"
  /// let predicate = try ManagedPredicate(#Predicate<Note> { $0.author?.name == name && $0.pages > 3 })
  /// ```
  ///
  /// The result equals the predicate of the corresponding format string: `author.name == %@ AND pages > 3`. The
  /// predicate can capture a value of any attribute type, an object or its ID, or a collection of those. Where Swift's
  /// rules differ, the rules of predicates apply: the length of a string is counted in UTF-16 code units, and
  /// comparisons with missing values are false. Unwrapping a missing value does not fail.
  ///
  /// `$0.owner is Company` becomes `"Company" IN owner.entity.kinds`. It is true if the owner has the entity of the
  /// class `Company`, or an entity that inherits from it. For other owners, `($0.owner as? Company)?.size` is null, and
  /// so is the result of `as!`. A request throws if the model does not have the entity of the class.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unsupported`` with the name of a feature that predicates do not have;
  ///   ``ManagedPredicateError/Kind/unknownKey`` for a property that is not in a model.
  public init<Object: ManagedObject>(_ predicate: Predicate<Object>) throws(ManagedPredicateError) {
    var translation = PredicateTranslation()
    translation.bind(predicate.variable, to: .evaluatedObject)
    self = try translation.condition(predicate.expression).withoutDeepRows
    _ = try height(within: ManagedPredicate.greatestDepth)
  }
}
