import Foundation

/// Types whose coders use every method of the protocols.
enum CodableModels {
  enum Level: String, Codable, CaseIterable, Sendable {
    case low
    case high = "very high"
  }

  enum Number: Int8, Codable, Sendable {
    case one = 1
    case minus = -128
  }

  indirect enum Shape: Codable, Equatable, Sendable {
    case none
    case circle(radius: Double)
    case pair(Shape, Shape)
    case text(String?, count: Int?)
  }

  struct Empty: Codable, Equatable, Sendable {}

  struct Optionals: Codable, Equatable, Sendable {
    var integer: Int?
    var text: String?
    var date: Date?
    var list: [Int?] = []
    var nested: [String: Int?] = [:]
    var deep: Int??
  }

  /// Encodes nil, where synthesized code leaves the key out.
  struct ExplicitNil: Codable, Equatable, Sendable {
    var integer: Int?
    var level: Level?
    var list: [String]?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(integer, forKey: .integer)
      try container.encode(level, forKey: .level)
      try container.encodeNil(forKey: .list)
    }

    enum CodingKeys: CodingKey { case integer, level, list }
  }

  struct AllNumbers: Codable, Equatable, Sendable {
    var a: Int8 = -128
    var b: Int16 = -32768
    var c: Int32 = .min
    var d: Int64 = .min
    var e: Int = .max
    var f: UInt8 = 255
    var g: UInt16 = .max
    var h: UInt32 = .max
    var i: UInt64 = .max
    var j: UInt = .max
    var k: Double = .pi
    var l: Float = .pi
    var m: Bool = true
    var n: Float16 = 0.5
    var o: Double = .leastNonzeroMagnitude
    var p: Double = .greatestFiniteMagnitude
    var q: Float = .greatestFiniteMagnitude
    var r: Double = -.infinity
    var s: Float = -0.0
  }

  /// Keys that are also integers, and an empty key.
  struct StrangeKeys: Codable, Equatable, Sendable {
    var first = 1
    var second = 2
    var third = 3

    enum CodingKeys: String, CodingKey {
      case first = ""
      case second = "zwei.🙂"
      case third = "CF$UID"
    }
  }

  struct IntegerKeys: Codable, Equatable, Sendable {
    var first = 1
    var second = 2

    enum CodingKeys: Int, CodingKey {
      case first = 7
      case second = -1
    }
  }

  class Base: Codable {
    var name: String
    init(_ name: String) { self.name = name }
  }

  /// Encodes its superclass under the key `super`.
  final class Derived: Base, Equatable, @unchecked Sendable {
    let size: Int

    init(_ name: String, _ size: Int) {
      self.size = size
      super.init(name)
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      size = try container.decode(Int.self, forKey: .size)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try super.encode(to: container.superEncoder())
      try container.encode(size, forKey: .size)
    }

    enum CodingKeys: CodingKey { case size }

    static func == (lhs: Derived, rhs: Derived) -> Bool { lhs.name == rhs.name && lhs.size == rhs.size }
  }

  /// Alternates between nested containers, and encoders of superclasses in an array and under a key.
  struct Interleaved: Codable, Equatable, Sendable {
    var numbers = [1, 2]
    var texts = ["a", "b"]
    var level = Level.high
    var deep = "deep"

    enum CodingKeys: CodingKey { case list, table, level }
    enum TableKeys: CodingKey { case first, second, deep }

    init(numbers: [Int] = [1, 2]) { self.numbers = numbers }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      var table = container.nestedContainer(keyedBy: TableKeys.self, forKey: .table)
      try list.encode(numbers[0])
      try table.encode(texts[0], forKey: .first)
      var inner = list.nestedUnkeyedContainer()
      try list.encode(numbers[1])
      try inner.encode(true)
      var innerTable = list.nestedContainer(keyedBy: TableKeys.self)
      try innerTable.encodeNil(forKey: .first)
      try deep.encode(to: table.superEncoder(forKey: .deep))
      try level.encode(to: container.superEncoder(forKey: .level))
      try inner.encode(Float(0.5))
      try numbers.encode(to: list.superEncoder())
      // The same container again.
      var second = encoder.container(keyedBy: CodingKeys.self)
      var again = second.nestedContainer(keyedBy: TableKeys.self, forKey: .table)
      try again.encode(texts[1], forKey: .second)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var list = try container.nestedUnkeyedContainer(forKey: .list)
      let table = try container.nestedContainer(keyedBy: TableKeys.self, forKey: .table)
      numbers = [try list.decode(Int.self)]
      var inner = try list.nestedUnkeyedContainer()
      guard try inner.decode(Bool.self), try inner.decode(Float.self) == 0.5, inner.isAtEnd else {
        throw DecodingError.dataCorruptedError(in: inner, debugDescription: "other contents")
      }
      numbers.append(try list.decode(Int.self))
      let innerTable = try list.nestedContainer(keyedBy: TableKeys.self)
      guard try innerTable.decodeNil(forKey: .first), innerTable.allKeys == [.first] else {
        throw DecodingError.dataCorruptedError(in: list, debugDescription: "other contents")
      }
      guard try [Int](from: list.superDecoder()) == numbers, list.isAtEnd, list.currentIndex == list.count else {
        throw DecodingError.dataCorruptedError(in: list, debugDescription: "other contents")
      }
      texts = [try table.decode(String.self, forKey: .first), try table.decode(String.self, forKey: .second)]
      level = try Level(from: container.superDecoder(forKey: .level))
      deep = try String(from: table.superDecoder(forKey: .deep))
    }
  }

  /// Encodes a key twice, and then another.
  struct TwiceTheSameKey: Codable, Equatable, Sendable {
    var a = 2
    var b = "b"

    enum CodingKeys: CodingKey { case a, b }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode("another", forKey: .a)
      try container.encode(b, forKey: .b)
      try container.encode(a, forKey: .a)
    }

    init() {}
  }

  struct Wrapped<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  /// Records the contents of `userInfo`, and its coding path.
  struct Context: Codable, Equatable, Sendable {
    static let key = CodingUserInfoKey(rawValue: "test")!
    var found: String

    init(found: String) { self.found = found }

    init(from decoder: any Decoder) throws { found = Self.describe(decoder.userInfo, decoder.codingPath) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(Self.describe(encoder.userInfo, encoder.codingPath + container.codingPath))
    }

    private static func describe(_ userInfo: [CodingUserInfoKey: Any], _ path: [any CodingKey]) -> String {
      "\(userInfo[key] ?? "-") \(path.map { "\($0.stringValue)|\($0.intValue ?? -1)" })"
    }
  }

  /// Any value, decoded by trying one type after another.
  enum Anything: Codable, Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case array([Anything])
    case dictionary([String: Anything])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .boolean(value)
      } else if let value = try? container.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .real(value)
      } else if let value = try? container.decode(String.self) {
        self = .string(value)
      } else if let value = try? container.decode(Date.self) {
        self = .date(value)
      } else if let value = try? container.decode(Data.self) {
        self = .data(value)
      } else if let value = try? container.decode([Anything].self) {
        self = .array(value)
      } else {
        self = .dictionary(try container.decode([String: Anything].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .boolean(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .real(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .date(let value): try container.encode(value)
      case .data(let value): try container.encode(value)
      case .array(let value): try container.encode(value)
      case .dictionary(let value): try container.encode(value)
      }
    }

    static func random(depth: Int, using random: inout some RandomNumberGenerator) -> Anything {
      switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &random) {
      case 0: .null
      case 1: .boolean(.random(using: &random))
      case 2: .integer(.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
      case 3: .real(Double.random(in: -1000...1000, using: &random))
      case 4: .string(["", "a", "ä", "longer than fifteen bytes", "🙂", "<&>"].randomElement(using: &random)!)
      case 5: .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random).rounded()))
      case 6: .data(Data((0..<Int.random(in: 0..<9, using: &random)).map { _ in .random(in: 0...255, using: &random) }))
      case 7:
        .array((0..<Int.random(in: 0..<6, using: &random)).map { _ in Self.random(depth: depth - 1, using: &random) })
      default:
        .dictionary(
          Dictionary(
            uniqueKeysWithValues: (0..<Int.random(in: 0..<20, using: &random)).map {
              ("\($0)\(Bool.random(using: &random) ? "ü" : "")", Self.random(depth: depth - 1, using: &random))
            }))
      }
    }
  }
}
