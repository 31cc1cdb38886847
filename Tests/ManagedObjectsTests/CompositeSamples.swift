import Foundation
import ManagedObjects
import TestSupport

/// A model with composite attributes, one of them nested and one with a single element.
enum CompositeSamples {
  static let ids = (1...3).compactMap { UUID(uuidString: "00000000-0000-0000-0000-00000000000\($0)") }

  static let author: AttributeDescription = {
    var place = AttributeDescription("place", .composite)
    place.elements = [
      AttributeDescription("city", .string), AttributeDescription("floor", .integer16),
      AttributeDescription("site", .uri),
    ]
    var author = AttributeDescription("author", .composite)
    author.elements = [
      AttributeDescription("name", .string), AttributeDescription("id", .uuid), AttributeDescription("age", .integer32),
      AttributeDescription("mass", .float), AttributeDescription("price", .decimal),
      AttributeDescription("born", .date), AttributeDescription("isKnown", .boolean), place,
    ]
    return author
  }()

  static func composite(_ name: String, _ elements: [AttributeDescription]) -> AttributeDescription {
    var attribute = AttributeDescription(name, .composite)
    attribute.elements = elements
    return attribute
  }

  static let model = StoreModels.model([
    EntityDescription(
      "Drink",
      [
        .attribute("title", .string), .attribute("id", .uuid), .attribute(author),
        .attribute(composite("glass", [AttributeDescription("glass", .string)])),
        .relationship("base", to: "Drink", inverse: "mixes"),
        .relationship("mixes", to: "Drink", inverse: "base", isToMany: true),
      ])
  ])

  /// Returns a complete composite value for the attribute `author`.
  static func author(
    _ name: AttributeValue = .null, id: AttributeValue = .null, age: AttributeValue = .null,
    mass: AttributeValue = .null, price: AttributeValue = .null, born: AttributeValue = .null,
    isKnown: AttributeValue = .null, city: AttributeValue = .null, floor: AttributeValue = .null,
    site: AttributeValue = .null
  ) -> AttributeValue {
    let place: AttributeValue =
      [city, floor, site].allSatisfy { $0 == .null } ? .null : .composite(["city": city, "floor": floor, "site": site])
    return .composite([
      "name": name, "id": id, "age": age, "mass": mass, "price": price, "born": born, "isKnown": isKnown,
      "place": place,
    ])
  }

  /// Inserts five drinks: `a` and `b` have authors with all values, `c` one with a name, `d` one with a city, and `e`
  /// has no author. `b` and `c` are mixes of `a`, and `e` is a mix of `d`.
  static func fill(_ context: ManagedObjectContext) throws {
    let authors: [(String, AttributeValue)] = [
      (
        "a",
        author(
          "Ada", id: .uuid(ids[0]), age: 36, mass: .float(0.1), price: .decimal(12.5),
          born: .date(Date(timeIntervalSinceReferenceDate: -1000)), isKnown: true, city: "Oslo", floor: 3,
          site: .url(URL(string: "https://example.com/ada")!))
      ),
      (
        "b",
        author(
          "Bob", id: .uuid(ids[1]), age: 70, mass: .float(2), price: .decimal(3),
          born: .date(Date(timeIntervalSinceReferenceDate: 0.5)), isKnown: false, city: "Rome", floor: -1,
          site: .url(URL(string: "https://example.com/bob")!))
      ),
      ("c", author("ada")), ("d", author(city: "Oslo")), ("e", .null),
    ]
    var drinks: [ManagedObject] = []
    for (title, author) in authors {
      let drink = try context.insert("Drink")
      try drink.setValue(.string(title), forKey: "title")
      try drink.setValue(.uuid(ids[2]), forKey: "id")
      try drink.setValue(author, forKey: "author")
      if title < "c" { try drink.setValue(.string(title.uppercased()), forKeyPath: "glass.glass") }
      drinks.append(drink)
    }
    for (drink, base) in [(1, 0), (2, 0), (4, 3)] {
      try drinks[drink].setValue(.object(drinks[base]), forKey: "base")
    }
    try context.save()
  }

  /// Returns the titles of the drinks that a request finds, in one string.
  static func titles(_ request: FetchRequest, _ context: ManagedObjectContext) throws -> String {
    try context.fetch(request).map { drink in
      if case .attribute(.string(let title))? = drink["title"] { title } else { "?" }
    }.joined()
  }
}
