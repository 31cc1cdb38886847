import Foundation
import ManagedObjects
import OrderedCollections
import SQLiteStore
import TestSupport

/// Countries and cities in a store of any kind, and everything that a context can read of them.
struct Atlas: Sendable {
  enum Kind: String, CaseIterable { case memory, xml, binary, sqlite }

  final class Country: ManagedObject {
    @Attribute var name: String
    @Relationship var cities: Set<City>
    @FetchedProperty("country == $FETCH_SOURCE AND area > 4", sortedBy: [.init("name")]) var large: [City]
  }

  final class City: ManagedObject {
    @Attribute var name: String
    @Attribute var area = 0
    @Relationship(inverse: \Country.cities) var country: Country?
  }

  let container: PersistentContainer
  let file: URL
  private let kind: Kind
  private let folder = TemporaryFolder(isInMemory: true)

  /// Creates a store with 3 countries and some cities: `city 0` in `country 0`, `city 1` in `country 1` and so on.
  init(_ kind: Kind, cities: Int = 8) throws {
    self.kind = kind
    file = folder.url.appending(path: "atlas.\(kind)")
    container = try Self.container(kind, file)
    try container.updateAndWait { context in
      let countries = try (0..<3).map { number in
        let country = try context.insert(Country.self)
        country.name = "country \(number)"
        return country
      }
      for number in 0..<cities {
        let city = try context.insert(City.self)
        city.name = "city \(number)"
        city.area = number
        city.country = countries[number % 3]
      }
    }
  }

  private static func container(_ kind: Kind, _ file: URL) throws -> PersistentContainer {
    let store: PersistentStoreDescription =
      switch kind {
      case .memory: .inMemory
      case .xml: .xml(file)
      case .binary: .binary(file)
      case .sqlite: .sqlite(file)
      }
    return try PersistentContainer(model: ManagedObjectModel(Country.self, City.self), stores: [store])
  }

  /// Returns a context of another coordinator, like another program. A store in memory has only one coordinator.
  func otherContext() throws -> ManagedObjectContext {
    kind == .memory ? container.newContext() : try Self.container(kind, file).newContext()
  }

  /// Returns a pinned context.
  func pinnedContext(_ token: QueryGenerationToken? = .current) throws -> ManagedObjectContext {
    let context = container.newContext()
    try context.setQueryGenerationFrom(token)
    return context
  }

  static func city(_ name: String, _ context: ManagedObjectContext) throws -> City? {
    try context.fetch(City.self).first { $0.name == name }
  }

  /// Inserts `new`, enlarges `city 1` and moves it to `country 0`, and deletes `city 2`.
  func change(_ context: ManagedObjectContext) throws {
    let new = try context.insert(City.self)
    new.name = "new"
    let cities = try context.fetch(City.self)
    for city in cities where city.name == "city 1" {
      city.area += 100
      city.country = try context.fetch(Country.self).first { $0.name == "country 0" }
    }
    for city in cities where city.name == "city 2" { try context.delete(city) }
    try context.save()
  }

  /// Returns what a context reads in different ways.
  ///
  /// - Parameter ids: The IDs of objects that may exist.
  static func contents(_ context: ManagedObjectContext, _ ids: [ManagedObjectID]) throws -> [String] {
    var lines: [String] = []
    let cities = FetchRequest("City", sortedBy: [.init("name"), .init("area")])
    for city in try context.fetch(City.self, sortedBy: [.init("name"), .init("area")]) {
      lines.append("\(city.name) \(city.area) \(city.country?.name ?? "-")")
    }
    lines.append("\(try context.count(for: cities)) cities")
    lines += try context.fetchObjectIDs(cities).map(\.uriRepresentation)
    // Faults that are read in batches, and faults that are read one by one.
    var request = cities
    request.predicate = try ManagedPredicate(format: "area > 2 OR country.name == 'country 1'")
    request.fetchBatchSize = 2
    lines += try context.fetch(request).map { "batch \($0["name"] ?? .null)" }
    request.fetchBatchSize = 0
    request.includesPropertyValues = false
    for city in try context.fetch(request) {
      try context.refresh(city, mergeChanges: false)
      lines.append("fault \(city["name"] ?? .null) \(city["area"] ?? .null)")
    }
    for country in try context.fetch(Country.self, sortedBy: [.init("name")]) {
      lines.append("\(country.name): \(country.cities.map(\.name).sorted()), large \(country.large.map(\.name))")
    }
    // The first request is one SQL statement; the other is executed in memory.
    for key in ["country.name", "name"] {
      var groups = FetchRequest("City", sortedBy: [.init(key)])
      let sum = try ManagedExpression(format: key == "name" ? "sum(modulus:by:(area, 7))" : "sum(area)")
      groups.resultType = .dictionaries
      groups.propertiesToGroupBy = [.property(key)]
      groups.propertiesToFetch = [.property(key), .expression(name: "sum", sum, type: .integer64)]
      lines += try context.fetchDictionaries(groups).map { "\($0)" }
    }
    for id in ids { lines.append("\(id.uriRepresentation) \((try? context.existingObject(with: id)) != nil)") }
    return lines
  }
}
