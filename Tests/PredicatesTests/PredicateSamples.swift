import FoundationEssentials
import Predicates
import PropertyLists

/// A few people for predicates. Each is identified by the first letter of the key `id`.
enum PredicateSamples {
  static let people: [PropertyList] = [
    [
      "id": "a", "name": "Ann", "age": 30, "score": 7.5, "city": "Zürich", "tags": ["swift", "linux"],
      "email": "ann@example.com", "active": true, "born": .date(Date(timeIntervalSinceReferenceDate: 0)),
      "pets": [["name": "Rex", "kind": "dog", "age": 3], ["name": "Tom", "kind": "cat", "age": 5, "toys": ["ball"]]],
      "address": ["street": "Main St 1", "zip": "8001"], "nick": "annie",
    ],
    [
      "id": "b", "name": "Bob", "age": 25, "score": 3.25, "city": "São Paulo", "tags": ["mac"],
      "email": "BOB@EXAMPLE.ORG", "active": false, "born": .date(Date(timeIntervalSinceReferenceDate: 1000)),
      "pets": [], "address": ["street": "Elm Rd 22", "zip": "04001"], "nick": "bobby",
    ],
    [
      "id": "e", "name": "Ève", "age": 41, "score": 10, "city": "Lange Straße", "tags": [], "active": true,
      "email": "eve@example.com", "born": .date(Date(timeIntervalSinceReferenceDate: -1000)),
      "pets": [["name": "Ömer", "kind": "bird", "age": 1]],
    ],
    [
      "id": "d", "name": "Dan", "age": 30, "score": -2, "city": .null, "tags": ["swift", "mac", "web"],
      "active": false, "email": "dan@mail.example.com", "pets": [["name": "Rex", "kind": "cat", "age": 9]],
    ],
    [
      "id": "i", "name": "Ida", "score": 0.1, "city": "istanbul", "tags": ["linux"], "active": true,
      "email": "ida@example.net", "pets": [["name": "Pip", "kind": "dog", "age": 3, "toys": ["bone", "ball"]]],
    ],
  ]

  /// The letters of the people that match a predicate.
  static func found(_ format: String, _ arguments: [any PredicateArgument] = []) throws -> String {
    let predicate = try PreparedPredicate(ManagedPredicate(format: format, arguments: arguments))
    var letters = ""
    for person in people where try predicate.evaluate(with: person) {
      letters += person.dictionary?["id"]?.string ?? "?"
    }
    return letters
  }
}
