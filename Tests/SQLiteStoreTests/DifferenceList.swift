import OrderedCollections
import PropertyLists

/// The first differences from the expected values, and the number of further ones.
struct DifferenceList {
  let limit: Int
  private var first: [String] = []
  private var count = 0

  init(limit: Int) { self.limit = limit }

  var lines: [String] { count > first.count ? first + ["and \(count - first.count) more"] : first }

  /// Adds a difference. Nil is a missing value.
  mutating func add(_ location: String, _ found: String?, _ expected: String?) {
    count += 1
    guard first.count < limit else { return }
    first.append("\(location): \(Self.shortened(found)), expected \(Self.shortened(expected))")
  }

  /// Adds the differences between two dictionaries. The order of entries is ignored.
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
  /// One line for a value that is a type and a text.
  fileprivate var shown: String {
    if let (type, text) = dictionary?.elements.first, dictionary?.count == 1 { return "\(type) \(text)" }
    return "\(self)"
  }

  /// True for the same value. Strings must have the same bytes.
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
