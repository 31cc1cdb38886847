internal import FoundationEssentials
internal import ManagedObjects

/// Functions that translate comparisons of attributes to SQL that calls no function ("plain SQL"). The results are
/// exactly those of evaluation in memory.
///
/// SQL and evaluation in memory both compare numbers by their exact values. But in memory, strings are equal if they
/// are canonically equivalent in Unicode, and SQL compares bytes. A comparison with a string is therefore translated
/// only if all equivalent strings are known.
extension QueryTranslation {
  /// Translates a comparison of an attribute with a constant; nil if plain SQL cannot express it.
  mutating func comparison(
    _ value: ValueTerm, _ comparator: PredicateComparator, _ options: PredicateOptions, _ constant: PredicateConstant
  ) -> String? {
    if comparator == .between {
      guard case .array(let bounds) = constant, bounds.count == 2, options.isEmpty else { return nil }
      return attempt { (translation) throws(Untranslatable) in
        guard let first = translation.comparison(value, .greaterThanOrEqual, options, bounds[0]),
          let second = translation.comparison(value, .lessThanOrEqual, options, bounds[1])
        else { throw Untranslatable() }
        return translation.dialect.all([first, second])
      }
    }
    guard case .value(let constant) = constant else { return nil }
    switch constant {
    case .null: return comparison(value, comparator)
    case .string(let text): return value.type == .string ? comparison(value, comparator, options, text) : nil
    default: break
    }
    guard comparator.isOrder || comparator.isEquality else { return nil }
    switch value.type {
    case .boolean: return truth(value, comparator, constant)
    case .float: return float(value, comparator, constant)
    case .decimal: return decimal(value, comparator, constant)
    default:
      guard let bound = value.bound(constant) else { return nil }
      return comparison(value, comparator, bind(bound))
    }
  }

  /// Translates a comparison of an attribute with null.
  private func comparison(_ value: ValueTerm, _ comparator: PredicateComparator) -> String? {
    // In these cases, the value can be null although the column is not NULL: if its external file is missing. Reading a
    // text that is not a URL fails.
    if value.isExternal || value.type == .uri { return nil }
    switch comparator {
    case .equal: return dialect.isNull(value.sql)
    case .notEqual: return dialect.isNotNull(value.sql)
    default: return comparator.isOrder ? dialect.fails : nil
    }
  }

  /// Translates a comparison of an attribute with a bound value that is not NULL.
  private mutating func comparison(_ value: ValueTerm, _ comparator: PredicateComparator, _ bound: String) -> String {
    switch comparator {
    // In this form SQLite can use an index of the joined table.
    case .equal where !value.isThere && value.isColumn: return dialect.order(value.sql, .equal, bound, isColumn: true)
    case .equal: return dialect.equal(value.sql, bound)
    case .notEqual: return dialect.notEqual(value.sql, bound)
    default:
      noteRange(value)
      return dialect.order(value.sql, comparator, bound, isColumn: value.isColumn)
    }
  }

  /// Sets ``hasIndexedRange`` if a value in a range condition is an indexed attribute of the fetched entity.
  private mutating func noteRange(_ value: ValueTerm) {
    guard !hasIndexedRange, value.isColumn, let (index, name) = value.attribute, root.entities.lowerBound == index
    else { return }
    var entity: ManagedObjectModel.Entity? = ManagedObjectModel.Entity(model: schema.model, index: index)
    while let owner = entity, !hasIndexedRange {
      hasIndexedRange = owner.definition.hasIndex(beginningWith: name)
      entity = owner.superentity
    }
  }

  /// Translates a comparison of two attributes; nil if plain SQL cannot express it.
  func comparison(
    _ first: ValueTerm, _ comparator: PredicateComparator, _ options: PredicateOptions, _ second: ValueTerm
  ) -> String? {
    guard options.isEmpty, let kind = first.plainKind, kind == second.plainKind else { return nil }
    switch comparator {
    case .equal: return dialect.equal(plain(first), plain(second))
    case .notEqual: return dialect.notEqual(plain(first), plain(second))
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      guard first.isColumn, second.isColumn else { return nil }
      return dialect.all([
        dialect.isNotNull(first.sql), dialect.isNotNull(second.sql),
        dialect.order(plain(first), comparator, plain(second)),
      ])
    default: return nil
    }
  }

  /// Returns SQL for a value. A Boolean is 0 or 1, even if the file has another number.
  func plain(_ value: ValueTerm) -> String {
    value.type == .boolean ? dialect.truthValue(value.sql) : value.sql
  }

  /// Returns a condition that is true if an attribute has one of several values; nil if plain SQL cannot express it.
  mutating func membership(of value: ValueTerm, in constants: [PredicateConstant]) -> String? {
    let dialect = dialect
    return attempt { (translation) throws(Untranslatable) in
      guard !value.isExternal else { throw Untranslatable() }
      var bound: [SQLValue] = []
      var hasNull = false
      for constant in constants {
        guard case .value(let constant) = constant else { throw Untranslatable() }
        if case .null = constant {
          hasNull = true
        } else if let equals = value.equals(constant) {
          bound += equals
        } else {
          throw Untranslatable()
        }
      }
      guard bound.count <= Self.greatestListLength || bound.allSatisfy(\.hasPlainJSON) else { throw Untranslatable() }
      var conditions: [String] = hasNull ? [dialect.isNull(value.sql)] : []
      if !bound.isEmpty {
        let isIn: String
        if bound.allSatisfy(\.hasPlainJSON) {
          let list = translation.bind(.text("[" + bound.map(\.plainJSON).joined(separator: ",") + "]"))
          isIn = dialect.isIn(value.sql, list: list)
        } else {
          isIn = dialect.isIn(value.sql, bound.map { translation.bind($0) })
        }
        conditions.append(dialect.notNull(value.sql, isIn, isColumn: value.isColumn))
      }
      return dialect.any(conditions)
    }
  }

  /// The maximum number of values in a list that cannot be bound as one JSON array. Each of its values needs a
  /// parameter.
  private static let greatestListLength = 500

  /// Translates a comparison of a Boolean attribute with a constant. Every number in the column except 0 is true.
  private func truth(_ value: ValueTerm, _ comparator: PredicateComparator, _ constant: AttributeValue) -> String? {
    guard case .integer(let number) = constant.canonical else { return nil }
    switch (comparator, number) {
    case (.equal, 0): return dialect.equal(value.sql, dialect.fails)
    case (.notEqual, 0): return dialect.notEqual(value.sql, dialect.fails)
    case (.equal, 1): return dialect.isTrue(value.sql)
    case (.notEqual, 1): return dialect.not(dialect.isTrue(value.sql))
    case (.equal, _): return dialect.fails
    case (.notEqual, _): return dialect.holds
    default: return dialect.order(dialect.truthValue(value.sql), comparator, "\(number)", isColumn: false)
    }
  }

  /// Translates a comparison of a float attribute with a constant. The column can store a double with more digits than
  /// a float. So a float is compared as the range of all doubles that round to it.
  private mutating func float(
    _ value: ValueTerm, _ comparator: PredicateComparator, _ constant: AttributeValue
  ) -> String? {
    guard let number = constant.exactDouble else { return nil }
    let (least, greatest) = number.floats
    let dialect = dialect
    func compare(_ translation: inout QueryTranslation, _ comparator: PredicateComparator, _ bound: Double?) -> String {
      guard let bound else { return dialect.fails }
      translation.noteRange(value)
      return dialect.order(value.sql, comparator, translation.bind(.real(bound)), isColumn: value.isColumn)
    }
    switch comparator {
    case .lessThanOrEqual: return compare(&self, .lessThanOrEqual, greatest?.greatestDouble)
    case .greaterThanOrEqual: return compare(&self, .greaterThanOrEqual, least?.leastDouble)
    case .lessThan:
      return compare(
        &self, .lessThanOrEqual, least == greatest ? least?.lower?.greatestDouble : greatest?.greatestDouble)
    case .greaterThan:
      return compare(&self, .greaterThanOrEqual, least == greatest ? least?.upper?.leastDouble : least?.leastDouble)
    default:
      var equal = dialect.fails
      if let least, least == greatest {
        equal = dialect.all([
          compare(&self, .greaterThanOrEqual, least.leastDouble),
          compare(&self, .lessThanOrEqual, least.greatestDouble),
        ])
      }
      return comparator == .equal ? equal : dialect.not(equal)
    }
  }

  /// Translates a comparison of a decimal attribute with a constant. The column stores the double that is nearest to
  /// the decimal. Reading it returns the shortest decimal that has this nearest double.
  private mutating func decimal(
    _ value: ValueTerm, _ comparator: PredicateComparator, _ constant: AttributeValue
  ) -> String? {
    guard let (stored, order) = constant.storedDecimal else { return nil }
    switch comparator {
    case .equal: return order == 0 ? comparison(value, .equal, bind(stored)) : dialect.fails
    case .notEqual: return order == 0 ? comparison(value, .notEqual, bind(stored)) : dialect.holds
    case .lessThan, .lessThanOrEqual:
      let isWithin = order < 0 || order == 0 && comparator == .lessThanOrEqual
      return comparison(value, isWithin ? .lessThanOrEqual : .lessThan, bind(stored))
    default:
      let isWithin = order > 0 || order == 0 && comparator == .greaterThanOrEqual
      return comparison(value, isWithin ? .greaterThanOrEqual : .greaterThan, bind(stored))
    }
  }

  private mutating func comparison(
    _ value: ValueTerm, _ comparator: PredicateComparator, _ options: PredicateOptions, _ text: String
  ) -> String? {
    let isLiteral = options.contains(.normalized)
    if !isLiteral, options.contains(.caseInsensitive) || options.contains(.diacriticInsensitive) { return nil }
    switch comparator {
    case .equal, .notEqual:
      guard let equals = isLiteral ? [text] : text.canonicalEquals else { return nil }
      if equals.count == 1 { return comparison(value, comparator, bind(.text(text))) }
      let isIn = dialect.notNull(
        value.sql, dialect.isIn(value.sql, equals.map { bind(.text($0)) }), isColumn: value.isColumn)
      return comparator == .equal ? isIn : dialect.not(isIn)
    case .beginsWith:
      // The range condition can use an index, and finds all matches. The function then tests each row that was found.
      guard value.isColumn, !text.isEmpty, text.canonicalEquals?.count == 1, let end = text.afterPrefix,
        let test = try? ValueTest(
          .comparing(.variable("text"), .beginsWith, .value(.string(text)), options: options), variables: ["text"])
      else { return nil }
      let parameter = bind(.test(test, [.attribute(.string, isExternal: false)]))
      guard let holds = dialect.test(parameter, [value.sql]) else { return nil }
      return dialect.all([
        dialect.order(value.sql, .greaterThanOrEqual, bind(.text(text))),
        dialect.order(value.sql, .lessThan, bind(.text(end))), holds,
      ])
    default: return nil
    }
  }
}

extension EntityDescription {
  /// True if an index or a uniqueness constraint of the entity begins with the attribute.
  fileprivate func hasIndex(beginningWith name: String) -> Bool {
    fetchIndexes.contains { $0.elements.first?.content == .property(name) }
      || uniquenessConstraints.contains { $0.first == name }
  }
}

extension PredicateComparator {
  fileprivate var isOrder: Bool { [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual].contains(self) }
  fileprivate var isEquality: Bool { [.equal, .notEqual].contains(self) }
}
