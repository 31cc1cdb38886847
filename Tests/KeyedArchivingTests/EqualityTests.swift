import Foundation
import KeyedArchiving
import OrderedCollections
import TestSupport
import Testing

@Suite("Equality independent of order") struct EqualityTests {
  private let ascending: OrderedDictionary<String, ArchivedValue> = [
    "a": .integer(1), "b": .dictionary([.string("x"): .null, .string("y"): .boolean(true)]),
  ]
  private let descending: OrderedDictionary<String, ArchivedValue> = [
    "b": .dictionary([.string("y"): .boolean(true), .string("x"): .null]), "a": .integer(1),
  ]
  private let other: OrderedDictionary<String, ArchivedValue> = [
    "b": .dictionary([.string("y"): .boolean(true), .string("x"): .integer(0)]), "a": .integer(1),
  ]

  private func expect<T: Hashable>(_ make: (OrderedDictionary<String, ArchivedValue>) throws -> T) rethrows {
    let (first, second, third) = (try make(ascending), try make(descending), try make(other))
    #expect(first == second && first.hashValue == second.hashValue)
    #expect(first != third)
    #expect(Set([first, second, third]).count == 2)
  }

  @Test func `attributes of text`() throws {
    expect { Archived.AttributedString("ab", attributes: $0) }
    expect { Archived.AttributedString.Run(length: 1, attributes: $0) }
    try expect { attributes in
      try Archived.AttributedString(
        "ab", runs: [.init(length: 1, attributes: attributes), .init(length: 1, attributes: ["c": .null])])
    }
    #expect(Archived.AttributedString("ab") != Archived.AttributedString("ab", attributes: ascending))
  }

  @Test func `errors, exceptions and notifications`() {
    expect { Archived.Error(domain: "d", code: 1, userInfo: $0) }
    expect { userInfo in
      Archived.Exception(name: "n", userInfo: userInfo.reduce(into: [:]) { $0[.string($1.key)] = $1.value })
    }
    expect { userInfo in
      Archived.Notification(name: "n", userInfo: userInfo.reduce(into: [:]) { $0[.string($1.key)] = $1.value })
    }
    #expect(Archived.Error(domain: "d", code: 1) != Archived.Error(domain: "d", code: 1, userInfo: [:]))
    #expect(Archived.Error(domain: "d", code: 1) != Archived.Error(domain: "d", code: 2))
  }

  @Test func `sets of any values`() {
    let first = ArchivedValue.set([.integer(1), .string("a")])
    let second = ArchivedValue.set([.string("a"), .integer(1)])
    #expect(first == second && first.hashValue == second.hashValue)
    #expect(ArchivedValue.array([.integer(1), .string("a")]) != .array([.string("a"), .integer(1)]))
  }

  @Test func `nested dictionaries, in linear time`() {
    func chain(_ depth: Int, _ isReversed: Bool) -> ArchivedValue {
      var value = ArchivedValue.integer(0)
      for _ in 0..<depth {
        let entries: [(ArchivedValue, ArchivedValue)] = [(.string("next"), value), (.string("other"), .null)]
        value = .dictionary(OrderedDictionary(uniqueKeysWithValues: isReversed ? entries.reversed() : entries))
      }
      return value
    }
    let duration = ThreadClock.measure {
      #expect(chain(200, false) == chain(200, true))
      #expect(chain(200, false).hashValue == chain(200, true).hashValue)
      #expect(chain(200, false) != chain(199, true))
    }
    #expect(duration < ThreadClock.referenceSecond * 10)
  }
}
