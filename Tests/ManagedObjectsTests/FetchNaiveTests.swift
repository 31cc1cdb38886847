import FoundationEssentials
import ManagedObjectsSamples
import PredicatesSamples
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Fetch requests compared with a naive implementation") struct FetchNaiveTests {
  private static let samples = FetchSamples.shared

  /// Returns the values at the end of a path: one for each chain of objects, nil if a chain ends early.
  private static func values(_ path: [String], from key: RowKey) -> [AttributeValue?] {
    guard let first = path.first, let row = samples.row(key) else { return [nil] }
    let entity = ManagedObjectModel.Entity(model: samples.model, index: Int(key.entityIndex))
    guard let property = entity.property(named: first) else { return [nil] }
    let value = row.values[property.slot]
    switch value {
    case .attribute(let value): return [value == .null ? nil : value]
    case .toOne(nil): return [nil]
    default: return value.keys.flatMap { values(Array(path.dropFirst()), from: $0) }
    }
  }

  /// Creates conditions on people, both as text and as Swift functions.
  private struct Maker {
    typealias Condition = (format: String, holds: (RowKey) -> Bool)

    var numbers: RandomNumbers

    mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &numbers)] }

    mutating func condition(_ depth: Int) -> Condition {
      switch depth == 0 ? 9 : Int.random(in: 0..<6, using: &numbers) {
      case 0:
        let (one, other) = (condition(depth - 1), condition(depth - 1))
        return ("(\(one.format) AND \(other.format))", { one.holds($0) && other.holds($0) })
      case 1:
        let (one, other) = (condition(depth - 1), condition(depth - 1))
        return ("(\(one.format) OR \(other.format))", { one.holds($0) || other.holds($0) })
      case 2:
        let one = condition(depth - 1)
        return ("NOT \(one.format)", { !one.holds($0) })
      default: return leaf()
      }
    }

    /// Returns a condition on a path of to-one or to-many relationships.
    private mutating func leaf() -> Condition {
      let (test, holds, attributes) = self.test()
      let attribute = pick(attributes.person)
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0:
        let relationship = pick(["notes", "reports", "reports.notes"])
        let limit = Int.random(in: 0...3, using: &numbers)
        let path = relationship.split(separator: ".").map(String.init)
        // In a path of several steps, the elements of the first step are counted.
        return ("\(relationship).@count > \(limit)", { Self.count(Array(path.prefix(1)), $0) > limit })
      case 1, 2:
        let way = pick(["notes", "boss.notes", "reports.notes", "reports", "boss.reports", "notes.author"])
        let end = way.hasSuffix("notes") ? pick(attributes.note) : attribute
        let path = (way + "." + end).split(separator: ".").map(String.init)
        let word = pick(["ANY", "ALL", "NONE"])
        return (
          "\(word) \(path.joined(separator: ".")) \(test)",
          { key in
            let found = Self.elements(path, key)
            return word == "ALL" ? found.allSatisfy(holds) : found.contains(where: holds) == (word == "ANY")
          }
        )
      default:
        let way = pick(["", "boss.", "boss.boss."])
        let path = (way + attribute).split(separator: ".").map(String.init)
        return ("\(path.joined(separator: ".")) \(test)", { holds(FetchNaiveTests.values(path, from: $0)[0]) })
      }
    }

    private static func count(_ path: [String], _ key: RowKey) -> Int { row(key, path[0])?.keys.count ?? 0 }

    private static func row(_ key: RowKey, _ property: String) -> RowValue? {
      let entity = ManagedObjectModel.Entity(model: samples.model, index: Int(key.entityIndex))
      return entity.property(named: property).flatMap { samples.row(key)?.values[$0.slot] }
    }

    /// Returns the values that ANY and ALL test. There are none if the path starts with an empty to-one relationship.
    private static func elements(_ path: [String], _ key: RowKey) -> [AttributeValue?] {
      if path[0] == "boss", row(key, "boss")?.keys.isEmpty == true { return [] }
      return FetchNaiveTests.values(path, from: key)
    }

    private typealias Test = (
      format: String, holds: (AttributeValue?) -> Bool, attributes: (person: [String], note: [String])
    )

    private mutating func test() -> Test {
      let numeric = (person: ["age", "height", "balance", "weight", "salary"], note: ["pages", "rating"])
      let texts = (person: ["name", "nick", "office"], note: ["title", "text"])
      let number = pick([0, 1.5, 1.7, 2, 12.5, 25, 30, 60.5, 100])
      let text = pick(["Ann", "an", "E", "Plan 9", "l", "", "Z"])
      func compare(_ operation: @escaping (Double, Double) -> Bool) -> (AttributeValue?) -> Bool {
        { Self.number($0).map { operation($0, number) } ?? false }
      }
      func compare(_ operation: @escaping (String) -> Bool) -> (AttributeValue?) -> Bool {
        { if case .string(let value)? = $0 { operation(value) } else { false } }
      }
      let choices: [Test] = [
        ("== \(number)", compare(==), numeric), ("< \(number)", compare(<), numeric),
        (">= \(number)", compare(>=), numeric), ("!= \(number)", { !compare(==)($0) }, numeric),
        ("BETWEEN {\(number), 50}", { compare(>=)($0) && Self.number($0)! <= 50 }, numeric),
        ("IN {1, \(number)}", { compare(==)($0) || Self.number($0) == 1 }, numeric), ("== nil", { $0 == nil }, numeric),
        ("== '\(text)'", compare { $0 == text }, texts), ("!= '\(text)'", { !compare { $0 == text }($0) }, texts),
        ("> '\(text)'", compare { $0 > text }, texts), ("BEGINSWITH '\(text)'", compare { $0.hasPrefix(text) }, texts),
        ("ENDSWITH '\(text)'", compare { $0.hasSuffix(text) }, texts),
        ("CONTAINS '\(text)'", compare { text.isEmpty || $0.contains(text) }, texts),
        ("CONTAINS[c] '\(text)'", compare { text.isEmpty || $0.lowercased().contains(text.lowercased()) }, texts),
        ("!= nil", { $0 != nil }, texts),
      ]
      return pick(choices)
    }

    private static func number(_ value: AttributeValue?) -> Double? {
      switch value {
      case .integer(let value)?: Double(value)
      case .double(let value)?: value
      case .float(let value)?: Double(value)
      case .decimal(let value)?: Double(value.description)
      default: nil
      }
    }
  }

  @Test func `random predicates find the same objects as Swift functions`() throws {
    var maker = Maker(numbers: RandomNumbers(state: 11))
    let entity = try #require(Self.samples.model["Person"])
    let everybody = entity.selfAndDescendants.flatMap { Self.samples.rows(ofEntity: $0.index) }
    for _ in 0..<LongForm.size(all: 200_000, 20_000, or: 400) {
      let condition = maker.condition(3)
      let expected = everybody.filter { condition.holds($0.key) }.map { Self.samples.names[$0.key] ?? "?" }
      #expect(
        try FetchSamples.found("Person", condition.format) == expected.joined(separator: " "), "\(condition.format)")
    }
  }
}
