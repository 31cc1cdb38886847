extension ManagedPredicate {
  /// Creates a predicate from text. Arguments replace the placeholders in order.
  ///
  /// ```swift
  /// let predicate = try ManagedPredicate(format: "author.name BEGINSWITH[cd] %@ AND pages > %d", prefix, 100)
  /// ```
  ///
  /// `%@` takes any argument, `%K` a key path as a string, `%d`, `%f` and similar conversions a number. Placeholders
  /// inside quotes are not replaced. `$NAME` is a variable. `#name` is a key that is spelled like a reserved word,
  /// `#"a name"` a key that is not an identifier. The syntax is that of the Predicate Programming Guide.
  ///
  /// - Throws: ``ManagedPredicateError`` with the position in the text: ``ManagedPredicateError/Kind/syntax`` if the
  ///   text is not a predicate, ``ManagedPredicateError/Kind/argument`` for a missing, unused or unsuitable argument,
  ///   ``ManagedPredicateError/Kind/nestedTooDeeply`` for more than ``ManagedPredicate/greatestDepth`` levels.
  /// - Complexity: O(*n*) in the length of the text and of the arguments.
  public init(format: String, _ arguments: any PredicateArgument...) throws(ManagedPredicateError) {
    try self.init(format: format, arguments: arguments)
  }

  /// Creates a predicate from text, as ``init(format:_:)`` does. Use it if the number of arguments is not known in
  /// advance.
  ///
  /// ```swift
  /// let keys = filter.keys.sorted()
  /// let format = keys.map { _ in "%K == %@" }.joined(separator: " AND ")
  /// let predicate = try ManagedPredicate(format: format, arguments: keys.flatMap { [$0, filter[$0]] })
  /// ```
  ///
  /// - Throws: The errors of ``init(format:_:)``.
  public init(format: String, arguments: [any PredicateArgument]) throws(ManagedPredicateError) {
    var parser = try PredicateParser(format, arguments: arguments)
    self = try parser.wholePredicate().0
  }
}

extension ManagedExpression {
  /// Creates an expression from text, as ``ManagedPredicate/init(format:_:)`` does for predicates.
  ///
  /// ```swift
  /// let total = try ManagedExpression(format: "lines.@sum.price * (1 + %f)", 0.25)
  /// ```
  ///
  /// - Throws: The errors of ``ManagedPredicate/init(format:_:)``.
  public init(format: String, _ arguments: any PredicateArgument...) throws(ManagedPredicateError) {
    try self.init(format: format, arguments: arguments)
  }

  /// Creates an expression from text, as ``init(format:_:)`` does.
  ///
  /// - Throws: The errors of ``init(format:_:)``.
  public init(format: String, arguments: [any PredicateArgument]) throws(ManagedPredicateError) {
    var parser = try PredicateParser(format, arguments: arguments)
    self = try parser.wholeExpression()
  }
}
