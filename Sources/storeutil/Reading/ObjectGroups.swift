import ArgumentParser
import ManagedObjects
import OrderedCollections
import PropertyLists

/// Groups of objects with equal values, and the counts, sums and other aggregates of each group.
struct ObjectGroups {
  /// The keys that are printed: keys for grouping, and aggregates.
  let columns: [Column]
  private let groupKeys: [String]

  /// A printed key.
  struct Column {
    /// The key as it was written: `author.name`, `@count`, `@sum.amount`.
    let name: String
    fileprivate let value: FetchRequest.FetchedValue
  }

  private static let functions: [String: PredicateFunction] = [
    "@count": .count, "@sum": .sum, "@avg": .average, "@min": .minimum, "@max": .maximum,
  ]

  /// Creates groups for the options of `fetch`. Returns nil if the options request objects instead of groups.
  ///
  /// - Throws: `ValidationError` for a key that the entity does not have.
  init?(groupBy: String?, keys: String?, of entity: ManagedObjectModel.Entity) throws {
    let names = keys.map(Self.names) ?? []
    guard groupBy != nil || names.contains(where: Self.isOperator) else { return nil }
    let groupKeys = groupBy.map(Self.names) ?? []
    if groupBy != nil, groupKeys.isEmpty { throw ValidationError("--group-by needs at least one key.") }
    if keys != nil, names.isEmpty { throw ValidationError("--keys needs at least one key.") }
    for key in groupKeys {
      let column = ObjectColumn(key)
      try column.check(entity, option: "--group-by")
      if let last = column.keys.last, [ObjectColumn.id, ObjectColumn.entity].contains(last) {
        throw ValidationError("--group-by: objects can be grouped by properties, but not by \(last).")
      }
    }
    self.groupKeys = groupKeys
    columns = try (keys == nil ? groupKeys + ["@count"] : names).map { name in
      guard let (function, path) = Self.aggregate(name) else {
        if Self.isOperator(name) {
          throw ValidationError(
            "--keys: \(name.quoted) is not an aggregate. Aggregates are @count, @count.KEY, @sum.KEY, @avg.KEY, "
              + "@min.KEY and @max.KEY.")
        }
        guard groupKeys.contains(name) else {
          throw ValidationError(
            "--keys: \(name.quoted) can differ within a group: name it in --group-by, or print an aggregate of it "
              + "such as @min.\(name).")
        }
        return Column(name: name, value: .property(name))
      }
      var argument = ManagedExpression.evaluatedObject
      if let path {
        try ObjectColumn(path).check(entity, option: "--keys")
        try Self.checkAggregate(path, of: entity)
        guard let keyPath = PredicateKeyPath(path) else {
          throw ValidationError("--keys: \(path.quoted) is not a key path.")
        }
        argument = .keyPath(keyPath)
      }
      return Column(name: name, value: .expression(name: name, .function(function, [argument]), type: .undefined))
    }
  }

  /// Throws `ValidationError` for a path that leads to several values of each object.
  private static func checkAggregate(_ path: String, of entity: ManagedObjectModel.Entity) throws {
    let keys = ObjectColumn(path).keys
    var entity = entity
    for (index, key) in keys.enumerated() {
      guard case .relationship(let relationship)? = entity.property(named: key) else { return }
      if relationship.isToMany, index + 1 == keys.count || keys[index + 1] != "@count" {
        throw ValidationError(
          "--keys: \(path.quoted) has several values for each object, because \(key.quoted) is a to-many relationship. "
            + "To aggregate their number, use @sum.\(keys[...index].joined(separator: ".")).@count.")
      }
      entity = entity.destination(of: relationship)
    }
  }

  private static func names(_ list: String) -> [String] { list.split(separator: ",").map(\.trimmingWhitespace) }

  /// Returns true for a key that begins with an operator such as `@sum`. The name of a property cannot begin like this.
  private static func isOperator(_ name: String) -> Bool {
    name.hasPrefix("@") && name != ObjectColumn.id && name != ObjectColumn.entity
  }

  /// Returns the function of a key such as `@sum.amount`, and the key path after it; nil for other keys.
  private static func aggregate(_ name: String) -> (PredicateFunction, String?)? {
    let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let function = functions[String(parts[0])] else { return nil }
    if parts.count == 1 { return function == .count ? (function, nil) : nil }
    return (function, String(parts[1]))
  }

  /// Returns a request that groups the objects of another request.
  func request(_ request: FetchRequest) -> FetchRequest {
    var request = request
    request.resultType = .dictionaries
    request.propertiesToFetch = columns.map(\.value)
    request.propertiesToGroupBy = groupKeys.isEmpty ? nil : groupKeys.map { .property($0) }
    return request
  }

  /// Sorts groups by printed keys. The first key has the highest priority. Equal groups keep their order.
  ///
  /// - Throws: `ValidationError` for a key that is not printed.
  func sort(_ groups: inout [[RowValue]], by descriptors: [FetchRequest.SortDescriptor]) throws {
    let order = try descriptors.map { descriptor in
      guard let column = columns.firstIndex(where: { $0.name == descriptor.keyPath }) else {
        throw ValidationError(
          "--sort: groups can be sorted only by printed keys; \((descriptor.keyPath ?? "").quoted) is not in --keys.")
      }
      return (column: column, isAscending: descriptor.isAscending)
    }
    if order.isEmpty { return }
    let sorted = groups.enumerated().sorted { first, second in
      for (column, isAscending) in order {
        let (one, other) = (first.element[column], second.element[column])
        if one.isBefore(other) { return isAscending }
        if other.isBefore(one) { return !isAscending }
      }
      return first.offset < second.offset
    }
    groups = sorted.map(\.element)
  }
}

extension RowValue {
  /// Returns true if the value comes before another one in ascending order. Null comes first.
  fileprivate func isBefore(_ other: RowValue) -> Bool {
    switch (self, other) {
    case (.attribute(let first), .attribute(let second)):
      first == .null || second == .null ? first == .null && second != .null : first.isLess(than: second)
    case (.toOne(let first?), .toOne(let second?)): first < second
    case (.attribute(.null), .toOne(_?)), (.toOne(nil), .toOne(_?)): true
    default: false
    }
  }
}
