internal import ObjectModels
public import Predicates

extension ManagedPredicate {
  /// Parses a predicate and checks it for the objects of a class.
  ///
  /// ```swift
  /// let predicate = try ManagedPredicate(format: "author.name BEGINSWITH[cd] %@", prefix, for: Note.self, in: model)
  /// ```
  ///
  /// - Parameters:
  ///   - format: the text, as in ``ManagedPredicate/init(format:_:)``.
  ///   - arguments: the values for `%@`, `%K` and `%d`.
  ///   - type: the class.
  ///   - model: the model with the class.
  /// - Throws: the errors of ``init(format:_:for:)``, with the position in the text;
  ///   ``ManagedPredicateError/Kind/unsupported`` without a position if the model does not have the class.
  public init<Object: ManagedObject>(
    format: String, _ arguments: any PredicateArgument..., for type: Object.Type, in model: ManagedObjectModel
  ) throws(ManagedPredicateError) {
    try self.init(format: format, arguments: arguments, for: type, in: model)
  }

  /// Parses a predicate whose arguments are in an array, and checks it: see ``init(format:_:for:in:)``.
  public init<Object: ManagedObject>(
    format: String, arguments: [any PredicateArgument], for type: Object.Type, in model: ManagedObjectModel
  ) throws(ManagedPredicateError) {
    guard let entity = model.entity(of: type) else {
      throw ManagedPredicateError(.unsupported, "the model has no entity for the class \(type)")
    }
    try self.init(format: format, arguments: arguments, for: entity)
  }
}
