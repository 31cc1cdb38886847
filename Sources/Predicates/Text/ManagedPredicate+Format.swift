extension ManagedPredicate {
  /// A predicate from text, with arguments at their positions.
  ///
  /// ```swift
  /// let predicate = try ManagedPredicate(format: "author.name BEGINSWITH[cd] %@ AND pages > %d", prefix, 100)
  /// ```
  ///
  /// `%@` takes any argument, `%K` a key path as a string, `%d` and `%f` and their like a number. Text in quotes is
  /// taken as it is. `$NAME` is a variable. `#name` is a key that is called as a reserved word; `#"a name"` is one that
  /// is no word at all. The syntax is that of the Predicate Programming Guide.
  ///
  /// - Throws: ``ManagedPredicateError`` with the position in the text.
  /// - Complexity: O(*n*) in the length of the text and of the arguments.
  public init(format: String, _ arguments: any PredicateArgument...) throws(ManagedPredicateError) {
    try self.init(format: format, arguments: arguments)
  }

  /// As ``init(format:_:)``.
  public init(format: String, arguments: [any PredicateArgument]) throws(ManagedPredicateError) {
    var parser = try PredicateParser(format, arguments: arguments)
    self = try parser.wholePredicate().0
  }
}

extension ManagedExpression {
  /// An expression from text, with arguments at their positions, as in ``ManagedPredicate/init(format:_:)``.
  ///
  /// - Throws: ``ManagedPredicateError`` with the position in the text.
  public init(format: String, _ arguments: any PredicateArgument...) throws(ManagedPredicateError) {
    try self.init(format: format, arguments: arguments)
  }

  /// As ``init(format:_:)``.
  public init(format: String, arguments: [any PredicateArgument]) throws(ManagedPredicateError) {
    var parser = try PredicateParser(format, arguments: arguments)
    self = try parser.wholeExpression()
  }
}
