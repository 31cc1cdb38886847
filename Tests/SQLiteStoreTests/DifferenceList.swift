import OrderedCollections
import PropertyLists

/// What is not as expected: the first lines, and how many more there are.
struct DifferenceList {
  let limit: Int
  private var first: [String] = []
  private var count = 0

  init(limit: Int) { self.limit = limit }

  var lines: [String] { count > first.count ? first + ["and \(count - first.count) more"] : first }

  /// Adds a difference; nil for what is not there.
  mutating func add(_ location: String, _ found: String?, _ expected: String?) {
    count += 1
    guard first.count < limit else { return }
    first.append("\(location): \(Self.shortened(found)), expected \(Self.shortened(expected))")
  }

  /// Adds what differs in the entries of dictionaries, whose order does not count.
  mutating func compare(
    _ found: OrderedDictionary<String, PropertyList>, _ expected: OrderedDictionary<String, PropertyList>,
    at location: String
  ) {
    for key in Set(found.keys).union(expected.keys).sorted() {
      let (own, other) = (found[key], expected[key])
      if let own = own?.dictionary, let other = other?.dictionary {
        compare(own, other, at: "\(location).\(key)")
      } else if own?.isIdentical(to: other) != true {
        add("\(location).\(key)", own?.shown, other?.shown)
      }
    }
  }

  private static func shortened(_ text: String?) -> String {
    guard let text else { return "nothing" }
    return text.utf8.count > 400 ? "\(text.prefix(400))… (\(text.utf8.count) bytes)" : text
  }
}

extension PropertyList {
  /// One line for what has a type and a text.
  fileprivate var shown: String {
    if let (type, text) = dictionary?.elements.first, dictionary?.count == 1 { return "\(type) \(text)" }
    return "\(self)"
  }

  /// True for the same value. Strings of other bytes that only look the same are others.
  fileprivate func isIdentical(to other: PropertyList?) -> Bool {
    switch (self, other) {
    case (.string(let own), .string(let other)?): own.utf8.elementsEqual(other.utf8)
    case (.array(let own), .array(let other)?):
      own.count == other.count && zip(own, other).allSatisfy { $0.isIdentical(to: $1) }
    case (.dictionary(let own), .dictionary(let other)?):
      own.count == other.count && own.allSatisfy { $1.isIdentical(to: other[$0]) }
    default: self == other
    }
  }
}
