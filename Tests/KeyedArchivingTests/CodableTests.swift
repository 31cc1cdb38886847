import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

private struct Settings: Codable, SecureCoding, Equatable {
  enum Theme: String, Codable { case light, dark }

  enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case point
  }

  struct Window: Codable, Equatable {
    var title: String
    var frame: [Double]
  }

  static let archivedClass = ArchivedClass("Settings")

  var volume: Double
  var scale: Float
  var count: UInt64
  var isMuted: Bool
  var name: String
  var changed: Date
  var home: URL
  var theme: Theme
  var shapes: [Shape]
  var windows: [Window]
  var limits: [String: Int]
  var named: [String: Window]
  var note: String?
  var nothing: Int?

  static let example = Settings(
    volume: 0.5, scale: 1.5, count: .max, isMuted: true, name: "$null",
    changed: Date(timeIntervalSinceReferenceDate: 1.25),
    home: URL(string: "https://example.com/a")!, theme: .dark, shapes: [.circle(radius: 2), .point],
    windows: [Window(title: "A", frame: [0, 1]), Window(title: "B", frame: [])], limits: ["a": 1, "b": -2],
    named: ["first": Window(title: "A", frame: [0, 1])], note: "text", nothing: nil)
}

private class Animal: Codable {
  var name: String

  init(name: String) { self.name = name }
}

private final class Dog: Animal, SecureCoding {
  static let archivedClass = ArchivedClass("Dog", ancestors: ["Animal", "NSObject"])
  var trick: String

  init(name: String, trick: String) {
    self.trick = trick
    super.init(name: name)
  }

  private enum Keys: CodingKey { case trick }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    trick = try container.decode(String.self, forKey: .trick)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(trick, forKey: .trick)
    try super.encode(to: container.superEncoder())
  }
}

private struct Tree: Codable, Equatable { var children: [Tree] }

private struct Forest: Codable, SecureCoding {
  static let archivedClass = ArchivedClass("Forest")
  var tree: Tree
}

private struct Token: Codable, SecureCoding, Equatable {
  static let archivedClass = ArchivedClass("Token")
  var text: String

  init(text: String) { self.text = text }

  init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

private struct Pair: Codable, SecureCoding, Equatable {
  static let archivedClass = ArchivedClass("Pair")
  var first: Int
  var second: String?

  init(_ first: Int, _ second: String?) { (self.first, self.second) = (first, second) }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    first = try container.decode(Int.self)
    second = try container.decodeNil() ? nil : container.decode(String.self)
    guard container.isAtEnd else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "more") }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(first)
    if let second { try container.encode(second) } else { try container.encodeNil() }
  }
}

private enum Suit: String, Codable, SecureCoding { case hearts, spades }

@Suite("Codable types in archives") struct CodableTests {
  @Test(arguments: [PropertyListFormat.binary, .xml])
  func `a Codable type without code is archived and decoded`(_ format: PropertyListFormat) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Settings.example, outputFormat: format)
    #expect(try KeyedUnarchiver.unarchivedObject(of: Settings.self, from: data) == .example)
  }

  @Test func `the keys are the property names, and numbers are inline`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Settings.example)
    let object = try #require(try PropertyList(data)["$objects"]?[1]?.dictionary)
    #expect(Set(object.keys).isSuperset(of: ["volume", "scale", "name", "windows", "$class"]))
    #expect(object["volume"] == .real(0.5))
    #expect(object["scale"] == .float(1.5))
    #expect(object["count"] == .integer(.init(UInt64.max)))
    #expect(object["isMuted"] == true)
    #expect(object["nothing"] == nil)
  }

  @Test func `a superclass has its own container`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Dog(name: "Rex", trick: "roll"))
    let dog = try KeyedUnarchiver.unarchivedObject(of: Dog.self, from: data)
    #expect(dog.name == "Rex")
    #expect(dog.trick == "roll")
  }

  @Test func `values without keys are numbered as by Apple's archiver`() throws {
    let token = try KeyedArchiver.archivedData(withRootObject: Token(text: "abc"))
    #expect(try PropertyList(token)["$objects"]?[1]?["$0"] == .uid(.init(2)))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Token.self, from: token) == Token(text: "abc"))
    for pair in [Pair(1, "x"), Pair(2, nil)] {
      let data = try KeyedArchiver.archivedData(withRootObject: pair)
      #expect(try KeyedUnarchiver.unarchivedObject(of: Pair.self, from: data) == pair)
    }
  }

  @Test func `an enumeration with raw values is archived as its raw value`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [Suit.spades, .hearts])
    #expect(try KeyedUnarchiver.unarchivedObject(of: [String].self, from: data) == ["spades", "hearts"])
    #expect(try KeyedUnarchiver.unarchivedObject(of: [Suit].self, from: data) == [.spades, .hearts])
    let other = try KeyedArchiver.archivedData(withRootObject: "clubs")
    #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(of: Suit.self, from: other) }
  }

  @Test func `a plain Codable value can be encoded under a key`() throws {
    let archiver = KeyedArchiver()
    let tree = Tree(children: [Tree(children: []), Tree(children: [Tree(children: [])])])
    try archiver.encodeEncodable(tree, forKey: "tree")
    try archiver.encodeEncodable(Settings.Theme.dark, forKey: "theme")
    try archiver.encodeEncodable([1: "a", 2: "b"], forKey: "numbers")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    #expect(try unarchiver.decodeDecodable(Tree.self, forKey: "tree") == tree)
    #expect(try unarchiver.decodeDecodable(Settings.Theme.self, forKey: "theme") == .dark)
    #expect(try unarchiver.decodeDecodable([Int: String].self, forKey: "numbers") == [1: "a", 2: "b"])
  }

  @Test func `a missing value, or one of another type, is an error with its path`() throws {
    var settings = try PropertyList(KeyedArchiver.archivedData(withRootObject: Settings.example))
    settings.dictionary?["$objects"]?.array?[1].dictionary?["volume"] = "loud"
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(of: Settings.self, from: settings.data(format: .binary))
    }
    #expect(error?.kind == .typeMismatch)
    #expect(error?.description.hasPrefix("root.volume: ") == true, "\(error?.description ?? "")")
    settings.dictionary?["$objects"]?.array?[1].dictionary?["volume"] = nil
    #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(of: Settings.self, from: settings.data(format: .binary))
    }
  }

  /// `Tree` is only Codable, so the nesting of the archive depends on the decoder.
  private func forest(_ tree: [PropertyList]) throws -> Data {
    let description: (String) -> PropertyList = { ["$classname": .string($0), "$classes": [.string($0), "NSObject"]] }
    return try PropertyList.dictionary([
      "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(.init(1))],
      "$objects": .array(
        [
          "$null", ["tree": .uid(.init(6)), "$class": .uid(.init(2))], description("Forest"),
          description("NSDictionary"),
          description("NSArray"), "children",
        ] + tree),
    ]).data(format: .binary)
  }

  private func node(children: PropertyList) -> [PropertyList] {
    [["NS.keys": [.uid(.init(5))], "NS.objects": [children], "$class": .uid(.init(3))]]
  }

  @Test func `a value that contains itself is an error`() throws {
    let data = try forest(
      node(children: .uid(.init(7))) + [["NS.objects": [.uid(.init(6))], "$class": .uid(.init(4))]])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(of: Forest.self, from: data)
    }
    #expect(error?.kind == .circularReference)
  }

  @Test func `endlessly nested or excessively shared values are errors`() throws {
    var deep: [PropertyList] = []
    for level in 0..<LongForm.size(50_000, or: 2_000) {
      deep += node(children: .uid(.init(UInt32(7 + 2 * level))))
      deep.append(["NS.objects": [.uid(.init(UInt32(8 + 2 * level)))], "$class": .uid(.init(4))])
    }
    deep += node(children: .uid(.init(UInt32(7 + deep.count))))
    deep.append(["NS.objects": [], "$class": .uid(.init(4))])
    let deepForest = try forest(deep)
    let outcome = OnSmallStack.run { try KeyedUnarchiver.unarchivedObject(of: Forest.self, from: deepForest) }
    #expect((outcome.error as? KeyedArchiveError)?.kind == .nestedTooDeeply)

    var shared: [PropertyList] = []
    for level in 0..<60 {
      shared += node(children: .uid(.init(UInt32(7 + 2 * level))))
      let next = PropertyList.uid(.init(UInt32(8 + 2 * level)))
      shared.append(["NS.objects": [next, next], "$class": .uid(.init(4))])
    }
    shared += node(children: .uid(.init(UInt32(7 + shared.count))))
    shared.append(["NS.objects": [], "$class": .uid(.init(4))])
    let limits = ParsingLimits(expandedSize: LongForm.size(1 << 19, or: 1 << 14))
    let size = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(of: Forest.self, from: forest(shared), limits: limits)
    }
    #expect(size?.kind == .limitExceeded)
  }

  @Test func `a value nested too deeply to be archived is an error`() throws {
    var tree = Tree(children: [])
    for _ in 0..<3000 { tree = Tree(children: [tree]) }
    let result = OnSmallStack.run { try KeyedArchiver.archivedData(withRootObject: Forest(tree: tree)) }
    #expect((result.error as? KeyedArchiveError)?.kind == .nestedTooDeeply)
  }

  /// Encodes another value of its type in place of itself, without a key.
  private indirect enum Link: Encodable {
    case end
    case next(Link)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .end: try container.encode(1)
      case .next(let link): try container.encode(link)
      }
    }
  }

  @Test func `values that encode each other endlessly are errors`() throws {
    var link = Link.end
    for _ in 0..<3000 { link = .next(link) }
    let result = OnSmallStack.run { try KeyedArchiver().encodeEncodable(link, forKey: "link") }
    #expect((result.error as? KeyedArchiveError)?.kind == .nestedTooDeeply)
  }

  private struct Repeating: Encodable {
    private enum Keys: CodingKey { case key }

    func encode(to encoder: any Encoder) throws {
      for number in 1...2 {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(number, forKey: .key)
      }
    }
  }

  @Test("a key that is encoded twice in a value without a class is an error, not an unreadable archive")
  func repeatedKey() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver().encodeEncodable([Repeating()], forKey: "values")
    }
    #expect(error?.kind == .duplicateKey)
  }

  private struct Plain: Codable, Hashable { var number: Int }

  @Test func `sets and dictionaries of values without a class are archived deterministically`() throws {
    let numbers = Array(0..<20)
    let plain = numbers.map(Plain.init)
    func archive(_ order: [Int], capacity: Int) throws -> Data {
      var set = Set<Plain>(minimumCapacity: capacity)
      var named = [String: Plain](minimumCapacity: capacity)
      var counted = [Plain: Int](minimumCapacity: capacity)
      for number in order {
        set.insert(plain[number])
        named["\(number)"] = plain[number]
        counted[plain[number]] = number
      }
      let archiver = KeyedArchiver()
      try archiver.encodeEncodable(set, forKey: "set")
      try archiver.encodeEncodable(named, forKey: "named")
      try archiver.encodeEncodable(counted, forKey: "counted")
      let data = try archiver.encodedData()
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      #expect(try unarchiver.decodeDecodable(Set<Plain>.self, forKey: "set") == set)
      #expect(try unarchiver.decodeDecodable([String: Plain].self, forKey: "named") == named)
      #expect(try unarchiver.decodeDecodable([Plain: Int].self, forKey: "counted") == counted)
      return data
    }
    let first = try archive(numbers, capacity: 20)
    #expect(try archive(numbers.reversed(), capacity: 20) == first)
    #expect(try archive(numbers, capacity: 2000) == first)
  }
}
