internal import ObjectModels
internal import Predicates
internal import PropertyLists

/// The sort descriptors of a request, prepared to sort.
///
/// The values to sort by are read once for each object. Null comes before all other values, as in SQLite, and last in
/// descending order. ``FetchRequest/SortDescriptor/reversesNullOrder`` reverses this.
struct FetchOrder: Sendable {
  private let keys: [Key]

  /// A prepared sort descriptor.
  fileprivate struct Key {
    let value: PreparedExpression
    let comparison: FetchRequest.SortComparison
    let isAscending: Bool
    let reversesNullOrder: Bool
  }

  /// Prepares sort descriptors.
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` for a key path or a method that cannot be used to sort.
  init(_ descriptors: [FetchRequest.SortDescriptor], _ context: PreparationContext) throws(ManagedObjectError) {
    var keys: [Key] = []
    for descriptor in descriptors {
      guard descriptor.comparison.isKnown else {
        throw ManagedObjectError(
          .unsupportedRequest, "a request cannot be sorted by the method \(descriptor.comparison.selector.quoted)",
          key: descriptor.keyPath)
      }
      var expression = ManagedExpression.evaluatedObject
      if let text = descriptor.keyPath, text != "self" {
        guard let path = PredicateKeyPath(text) else {
          throw ManagedObjectError(.unsupportedRequest, "\(text.quoted) is not a key path to sort by", key: text)
        }
        expression = .keyPath(path)
      }
      do {
        keys.append(
          Key(
            value: try PreparedExpression(expression, context), comparison: descriptor.comparison,
            isAscending: descriptor.isAscending, reversesNullOrder: descriptor.reversesNullOrder))
      } catch {
        throw ManagedObjectError(error)
      }
    }
    self.keys = keys
  }

  /// True if there are no sort keys.
  var isEmpty: Bool { keys.isEmpty }

  /// An element to sort.
  private struct Item {
    /// The first bits of the value of the first sort key, from ``Key/lead(of:)``. They decide most comparisons.
    let lead: SortValue.Lead
    let index: Int
  }

  /// If the limit of a request is less than this number, the first results are found without sorting all results.
  private static let fewElements = 256

  func sorted<Element, Subject: PredicateSubject>(
    _ elements: [Element], first limit: Int, by subject: (Element) -> Subject
  ) throws(ManagedPredicateError) -> [Element] {
    guard let firstKey = keys.first, elements.count > 1 else { return elements }
    // The values of each key are adjacent in memory.
    var columns = keys.map { _ in
      var column: [SortValue] = []
      column.reserveCapacity(elements.count)
      return column
    }
    var items: [Item] = []
    items.reserveCapacity(elements.count)
    var leadsTellAll = keys.count == 1
    for (index, element) in elements.enumerated() {
      let subject = subject(element)
      for (keyIndex, key) in keys.enumerated() { columns[keyIndex].append(try key.sortValue(of: subject)) }
      items.append(Item(lead: firstKey.lead(of: columns[0][index]), index: index))
      if !columns[0][index].isWhole { leadsTellAll = false }
    }
    let precedes = { (first: Item, second: Item) in
      if first.lead != second.lead { return first.lead < second.lead }
      return leadsTellAll ? first.index < second.index : isInOrder(first.index, second.index, columns)
    }
    if limit < min(Self.fewElements, elements.count) {
      items = Self.first(limit, of: items, by: precedes)
    } else {
      items.sort(by: precedes)
    }
    return items.map { elements[$0.index] }
  }

  /// Returns true if the first element comes before the second one. Called only if the leads of the elements are equal.
  /// Compares the values of all sort keys; if these are equal, compares the indices of the elements.
  @inline(never)
  private func isInOrder(_ first: Int, _ second: Int, _ columns: [[SortValue]]) -> Bool {
    for keyIndex in keys.indices {
      let order = keys[keyIndex].order(of: columns[keyIndex][first], columns[keyIndex][second])
      if order != .equal { return order == .less }
    }
    return first < second
  }

  private static func first(_ limit: Int, of items: [Item], by precedes: (Item, Item) -> Bool) -> [Item] {
    var first: [Item] = []
    first.reserveCapacity(limit + 1)
    for item in items {
      if first.count == limit {
        guard let last = first.last, precedes(item, last) else { continue }
        first.removeLast()
      }
      first.insert(item, at: first.partitioningIndex { precedes(item, $0) })
    }
    return first
  }

  func order<Subject: PredicateSubject>(
    of first: Subject, _ second: Subject
  ) throws(ManagedPredicateError) -> PredicateOrder {
    for key in keys {
      let order = try key.order(of: key.sortValue(of: first), key.sortValue(of: second))
      if order != .equal { return order }
    }
    return .equal
  }

  // Sorting by values that were read earlier.

  /// Returns the values that an object is sorted by, the most important first.
  func values<Subject: PredicateSubject>(of subject: Subject) throws(ManagedPredicateError) -> [SortValue] {
    var values: [SortValue] = []
    values.reserveCapacity(keys.count)
    for key in keys { values.append(try key.sortValue(of: subject)) }
    return values
  }

  /// Compares two objects by their ``values(of:)``.
  func order(_ first: [SortValue], _ second: [SortValue]) -> PredicateOrder {
    for (keyIndex, key) in keys.enumerated() {
      let order = key.order(of: first[keyIndex], second[keyIndex])
      if order != .equal { return order }
    }
    return .equal
  }
}

extension FetchOrder.Key {
  func sortValue<Subject: PredicateSubject>(of subject: Subject) throws(ManagedPredicateError) -> SortValue {
    switch try value.value(with: subject) {
    case .value(let value): return SortValue(value, comparison)
    case .object(let object): return SortValue(object: object)
    case let value: throw ManagedPredicateError(.typeMismatch, "cannot sort by \(value.kindName)")
    }
  }

  /// Returns the ``SortValue/lead`` of a value, with inverted bits for a descending order. If two values have different
  /// leads, the value with the smaller lead comes first.
  func lead(of value: SortValue) -> SortValue.Lead {
    if value.isNull { return isAscending == reversesNullOrder ? .greatest : .least }
    return isAscending ? value.lead : value.lead.complement
  }

  func order(of first: SortValue, _ second: SortValue) -> PredicateOrder {
    let (one, other) = (lead(of: first), lead(of: second))
    if one != other { return one < other ? .less : .greater }
    if first.isWhole, second.isWhole { return .equal }
    let order = comparison.order(first, second)
    return isAscending ? order : order.reversed
  }
}
