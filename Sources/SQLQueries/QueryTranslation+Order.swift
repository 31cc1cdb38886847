internal import ManagedObjects

/// Functions that translate sort descriptors to SQL.
extension QueryTranslation {
  /// Returns the terms of an ORDER BY clause: those of the sort descriptors, then the entity and the primary key.
  ///
  /// - Parameters:
  ///   - testsAll: True if the condition must be tested for all rows, even those beyond the limit. No index is then
  ///     used to sort.
  ///   - endsWithObject: False to leave out the entity and the primary key. Pass false for groups, which have neither.
  mutating func order(
    _ descriptors: [FetchRequest.SortDescriptor], testsAll: Bool, endsWithObject: Bool = true
  ) throws(Untranslatable) -> String {
    var terms: [String] = []
    for descriptor in descriptors {
      for sql in try columns(of: descriptor) {
        terms.append(
          dialect.term(
            testsAll ? dialect.unindexed(sql) : sql, isAscending: descriptor.isAscending,
            nullsAreReversed: descriptor.reversesNullOrder))
      }
    }
    if endsWithObject {
      let objects = entityAndNumber(of: root.alias, root.entities, root.table)
      // For a request with a range condition and without sort descriptors, SQLite could read all rows in the order of
      // their primary keys. `unindexed` makes it use the index of the attribute in the condition.
      terms.append(terms.isEmpty && hasIndexedRange ? dialect.unindexed(objects) : objects)
    }
    return terms.joined(separator: ", ")
  }

  /// Returns the SQL expressions that replace a sort descriptor in ORDER BY, the most significant first.
  private mutating func columns(of descriptor: FetchRequest.SortDescriptor) throws(Untranslatable) -> [String] {
    var operand = QueryOperand.object(root)
    if let keyPath = descriptor.keyPath, keyPath != "self" {
      guard let path = PredicateKeyPath(keyPath) else { throw Untranslatable() }
      operand = try self.operand(.keyPath(path))
    }
    switch try withNames(operand) {
    case .object(let object):
      return [entityOrder(by: object.referredEntity, object.entities), object.reference].compactMap(\.self)
    case .count(let collection, let isNullable): return [count(collection, isNullable: isNullable).sql]
    case .value(let value):
      guard !value.isExternal, let form = TextForm(descriptor.comparison) else { throw Untranslatable() }
      return try ordered(value, form)
    case .constant, .composite, .entity, .collection, .other: throw Untranslatable()
    }
  }

  /// Returns the SQL expressions to sort a value by, the most significant first. A string can need two: its first and
  /// its second form.
  ///
  /// - Parameter form: The first form of strings. Values of other types do not use it.
  func ordered(_ value: ValueTerm, _ form: TextForm) throws(Untranslatable) -> [String] {
    switch value.type.columnTraits.order {
    case .stored: return [value.sql]
    case .truthValue: return [dialect.truthValue(value.sql)]
    case .text:
      return try [form, form.second].compactMap(\.self).map { (form) throws(Untranslatable) in
        try self.form(form, value.sql)
      }
    case .url: return [try self.form(.url, value.sql)]
    }
  }

  private func form(_ form: TextForm, _ sql: String) throws(Untranslatable) -> String {
    guard let sql = dialect.form(form, sql) else { throw Untranslatable() }
    return sql
  }
}
