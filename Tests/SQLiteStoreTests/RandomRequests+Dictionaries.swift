import ManagedObjects

extension RandomRequests {
  /// Returns a request for dictionaries of people, or of groups of people.
  mutating func dictionaries() -> FetchRequest {
    var request = self.request()
    request.resultType = .dictionaries
    request.returnsDistinctResults = numbers.once(in: 4)
    if numbers.once(in: 2) {
      request.propertiesToFetch = values(of: Self.single, 1 + numbers.below(4))
      return request
    }
    request.sortDescriptors = []
    var values: [FetchRequest.FetchedValue] = []
    if !numbers.once(in: 4) {
      let keys = self.values(of: Self.keys, 1 + numbers.below(2))
      request.propertiesToGroupBy = keys
      values = keys
      if numbers.once(in: 2), case .property(let path)? = keys.first {
        request.sortDescriptors = [FetchRequest.SortDescriptor(path, isAscending: numbers.once(in: 2))]
      }
    }
    values += self.values(of: Self.aggregates, 1 + numbers.below(3))
    if request.propertiesToGroupBy != nil, numbers.once(in: 3) {
      values.append(.expression(name: "c", .function(.count, [.evaluatedObject]), type: .undefined))
      request.havingPredicate = .comparing(
        .variable("c"), numbers.pick([.greaterThan, .lessThanOrEqual]), .value(.integer(Int64(numbers.below(4)))))
    }
    request.propertiesToFetch = values
    return request
  }

  /// Returns some elements of a list, without duplicates.
  private mutating func values(of all: [FetchRequest.FetchedValue], _ count: Int) -> [FetchRequest.FetchedValue] {
    var picked: [FetchRequest.FetchedValue] = []
    for _ in 0..<count {
      let value = numbers.pick(all)
      if !picked.contains(value) { picked.append(value) }
    }
    return picked
  }

  /// Returns a function of a path, with a name.
  private static func function(
    _ name: String, _ function: PredicateFunction, _ path: String
  ) -> FetchRequest.FetchedValue {
    .expression(name: name, .function(function, [self.path(path)]), type: .undefined)
  }

  private static let single: [FetchRequest.FetchedValue] = [
    .property("name"), .property("age"), .property("born"), .property("boss"), .property("boss.name"),
    .property("boss.boss.nick"), .property("notes.@count"), .property("boss.reports.@count"),
    function("pages", .sum, "notes.pages"), function("oldest", .maximum, "reports.age"),
    function("fans", .count, "boss.reports.notes"), .property("groups.@count"),
  ]

  private static let keys: [FetchRequest.FetchedValue] = [
    .property("age"), .property("name"), .property("member"), .property("boss"), .property("boss.age"),
    .property("notes.@count"), .property("boss.notes.@count"),
  ]

  private static let aggregates: [FetchRequest.FetchedValue] = [
    function("s", .sum, "age"), function("n", .count, "boss"), function("m", .minimum, "born"),
    function("a", .average, "age"), function("x", .maximum, "notes.@count"), function("y", .sum, "boss.age"),
    function("z", .maximum, "boss.name"), function("v", .sum, "reports.@count"),
  ]
}
