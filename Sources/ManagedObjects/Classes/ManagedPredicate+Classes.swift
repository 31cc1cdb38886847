internal import ObjectModels
public import Predicates

extension ManagedPredicate {
  /// A predicate from text, checked against the class of the objects that it is about.
  ///
  /// ```swift
  /// let predicate = try ManagedPredicate(format: "author.name BEGINSWITH[cd] %@", prefix, for: Note.self, in: model)
  /// ```
  ///
  /// - Parameters:
  ///   - format: the text, as in ``init(format:_:)``.
  ///   - arguments: what stands for `%@`, `%K` and `%d`.
  ///   - type: the class.
  ///   - model: the model that says what the objects of the class have.
  /// - Throws: ``ManagedPredicateError`` with the position in the text, as ``init(format:_:for:)``;
  ///   ``ManagedPredicateError/Kind/unsupported`` without one if the class is none of the model's.
  public init<Object: ManagedObject>(
    format: String, _ arguments: any PredicateArgument..., for type: Object.Type, in model: ManagedObjectModel
  ) throws(ManagedPredicateError) {
    try self.init(format: format, arguments: arguments, for: type, in: model)
  }

  /// As ``init(format:_:for:in:)``.
  public init<Object: ManagedObject>(
    format: String, arguments: [any PredicateArgument], for type: Object.Type, in model: ManagedObjectModel
  ) throws(ManagedPredicateError) {
    guard let entity = model.entity(of: type) else {
      throw ManagedPredicateError(.unsupported, "the model has no entity for the class \(type)")
    }
    try self.init(format: format, arguments: arguments, for: entity)
  }
}
