import Foundation
import ManagedObjects
import ManagedObjectsSamples
import OrderedCollections

/// Objects of the model of ``FetchSamples`` with random values and relationships.
struct RandomObjects {
  private var numbers: RandomNumbers
  private let model = SampleStores.model
  private(set) var rows: [StoreRow] = []

  init(seed: Int, count: Int) {
    numbers = RandomNumbers(seed)
    let entities = ["Person", "Employee", "Note", "Task", "Tag", "Group"]
    for name in entities {
      guard let entity = model[name] else { continue }
      for _ in 0..<(name == "Group" || name == "Tag" ? count / 4 : count) {
        let key = RowKey(store: StoreNumber(rawValue: 1), entityIndex: entity.index, number: Int64(rows.count + 1))
        var row = StoreRow(key: key, version: 1, values: entity.emptyValues)
        for attribute in entity.attributes { row.values[attribute.slot] = .attribute(value(attribute.type)) }
        rows.append(row)
      }
    }
    // The rows of an entity are consecutive.
    rows.sort { $0.key < $1.key }
    relate()
    rows = rows.withSingleOwners("links")
  }

  static let texts = [
    "", "a", "A", "Ann", "ann", "An", "K", "\u{212A}", "k", ";", "\u{37E}", "`", "é", "e\u{301}", "É", "e", "E", "ß",
    "ss", "SS", "ﬁ", "fi", "Straße", "STRASSE", "Å", "\u{212B}", "A\u{30A}", "a*", "a?b", "axb", "100%", "10", "9",
    "Note 9", "Note 10", "x'y\"z", "日本", "\u{1F600}", "é\u{323}", "e\u{323}\u{301}", "\r\n", "a\u{0}b", "Zoë",
  ]
  static let integers: [Int64] = [0, 1, -1, 2, 5, 7, 30, -30, 1000]
  static let longs: [Int64] = [
    0, 1, -1, 9_007_199_254_740_992, 9_007_199_254_740_993, -9_007_199_254_740_993, .max, .min, .max - 1,
  ]
  static let doubles: [Double] = [
    0, -0.0, 0.1, 0.5, -2.5, 1.7, 2, 30, 9_007_199_254_740_992, 1e300, -1e300, .infinity, -.infinity,
    .leastNonzeroMagnitude, 0x1p63,
  ]
  static let floats: [Float] = [
    0, 0.1, 0.5, -2.5, 1.7, 2, 30, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 16_777_216,
  ]
  static let decimals = [
    "0", "0.1", "12.5", "-3.25", "30", "100000000000000000000", "9007199254740993", "0.3", "0.30000000000000004", "1",
  ].map { Decimal(string: $0) ?? 0 }
  static let dates: [Double] = [0, -1000, 1000, 0.5, 300_000_000, -0.25]
  static let blobs = [Data(), Data([0]), Data([0, 1]), Data([1]), Data([255, 0]), Data("a".utf8)]
  static let uuids = [
    "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "00000000-0000-0000-0000-000000000000",
    "7FFFFFFF-C36C-495A-93FC-0C247A3E6E5F", "80000000-C36C-495A-93FC-0C247A3E6E5F",
  ].compactMap { UUID(uuidString: $0) }
  static let urls = ["https://example.com/ann", "http://a.b", "file:///x", "mailto:a@b.c"].compactMap {
    URL(string: $0)
  }

  private mutating func value(_ type: AttributeType) -> AttributeValue {
    if numbers.once(in: 5) { return .null }
    return switch type {
    case .string: .string(numbers.pick(Self.texts))
    case .integer16, .integer32: .integer(numbers.pick(Self.integers))
    case .integer64: .integer(numbers.pick(Self.longs))
    case .double: .double(numbers.pick(Self.doubles))
    case .float: .float(numbers.pick(Self.floats))
    case .decimal: .decimal(numbers.pick(Self.decimals))
    case .boolean: .boolean(Bool.random(using: &numbers))
    case .date: .date(Date(timeIntervalSinceReferenceDate: numbers.pick(Self.dates)))
    case .binary, .transformable: .data(numbers.pick(Self.blobs))
    case .uuid: .uuid(numbers.pick(Self.uuids))
    case .uri: .url(numbers.pick(Self.urls))
    case .undefined, .objectID, .composite: .null
    }
  }

  private mutating func relate() {
    for index in rows.indices {
      let entity = ManagedObjectModel.Entity(model: model, index: Int(rows[index].key.entityIndex))
      for relationship in entity.relationships {
        let destination = entity.destination(of: relationship)
        let range = destination.index..<destination.record.endOfSubentities
        let others = rows.indices.filter { range.contains(Int(rows[$0].key.entityIndex)) }
        // Each pair is set from one side only.
        switch relationship.name {
        case "boss", "author":
          if !numbers.once(in: 4), let other = others.randomElement(using: &numbers) {
            set(index, relationship, other, entity)
          }
        case "tags", "groups", "links":
          for _ in 0..<numbers.below(4) {
            if let other = others.randomElement(using: &numbers) { set(index, relationship, other, entity) }
          }
        default: break
        }
      }
    }
  }

  private mutating func set(
    _ index: Int, _ relationship: ManagedObjectModel.Entity.Relationship, _ other: Int,
    _ entity: ManagedObjectModel.Entity
  ) {
    insert(rows[other].key, relationship, index)
    if let inverse = entity.inverse(of: relationship) { insert(rows[index].key, inverse, other) }
  }

  private mutating func insert(_ key: RowKey, _ relationship: ManagedObjectModel.Entity.Relationship, _ index: Int) {
    switch rows[index].values[relationship.slot] {
    case .toMany(let keys): rows[index].values[relationship.slot] = .toMany(keys.union([key]))
    case .orderedToMany(var keys):
      keys.append(key)
      rows[index].values[relationship.slot] = .orderedToMany(keys)
    default: rows[index].values[relationship.slot] = .toOne(key)
    }
  }
}
