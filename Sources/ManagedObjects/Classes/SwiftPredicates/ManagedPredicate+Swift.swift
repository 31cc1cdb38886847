public import FoundationEssentials
public import Predicates

extension ManagedPredicate {
  /// The condition of a `#Predicate` about objects of a class.
  ///
  /// ```swift
  /// let name = "Ada"
  /// let predicate = try ManagedPredicate(#Predicate<Note> { $0.author?.name == name && $0.pages > 3 })
  /// ```
  ///
  /// It is the predicate that the format string of the same meaning makes: `author.name == %@ AND pages > 3`. What is
  /// captured can be a value of any type that attributes have, an object or the ID of one, or a collection of those.
  /// It has the rules of predicates where Swift has others: the length of a string is counted in units of UTF-16, and
  /// no comparison with a missing value is true. A missing value is unwrapped as one, and is no error.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unsupported`` for what predicates have no form for, with its name;
  ///   ``ManagedPredicateError/Kind/unknownKey`` for a property that is not one of a model.
  public init<Object: ManagedObject>(_ predicate: Predicate<Object>) throws(ManagedPredicateError) {
    var translation = PredicateTranslation()
    translation.bind(predicate.variable, to: .evaluatedObject)
    self = try translation.condition(predicate.expression).withoutDeepRows
    _ = try height(within: ManagedPredicate.greatestDepth)
  }
}
