import Foundation
import PropertyLists

/// Types whose encoding and decoding are measured.
enum CodableGrowth {
  struct Record: Codable, Hashable {
    var name: String
    var number: Int
    var price: Double
    var date: Date
    var tags: [String]
    var note: String?
  }

  static func records(_ count: Int) -> [Record] {
    (0..<count).map {
      Record(
        name: "record \($0)", number: $0, price: Double($0) / 4, date: Date(timeIntervalSinceReferenceDate: Double($0)),
        tags: ["tag \($0 % 7)", "equal"], note: $0 % 2 == 0 ? nil : "a note")
    }
  }

  /// A linked list, at most as long as the depth limit allows.
  final class Chain: Codable {
    var name = "link"
    var next: Chain?

    init(_ next: Chain?) { self.next = next }
  }

  /// A value of several possible types.
  enum Scalar: Codable {
    case integer(Int)
    case string(String)
    case list([Scalar])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Int.self) {
        self = .integer(value)
      } else if let value = try? container.decode(String.self) {
        self = .string(value)
      } else {
        self = .list(try container.decode([Scalar].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .integer(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .list(let values): try container.encode(values)
      }
    }
  }

  static func chains(_ size: Int) -> [Chain] {
    (0...size / 100).map { _ in
      (0..<100).reduce(Chain(nil)) { next, _ in Chain(next) }
    }
  }

  static func scalars(_ size: Int) -> [Scalar] {
    (0...size / 4).map { .list([.integer($0), .string("text \($0)"), .list([.integer(1), .string("inner")])]) }
  }
}

extension GrowthTable {
  /// `PropertyListEncoder` and `PropertyListDecoder`.
  static var codableLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    func add<T: Codable>(_ shape: String, _ type: T.Type, _ value: @escaping (Int) -> T) {
      for format in [GrowthFormat.xml, .binary] {
        lines.append(
          GrowthLine("PropertyListEncoder", "\(format.rawValue), \(shape)") { size, _ in
            let value = value(size)
            var encoder = PropertyLists.PropertyListEncoder()
            encoder.outputFormat = format.format
            return { [encoder] in keep(try encoder.encode(value)) }
          })
        lines.append(
          GrowthLine("PropertyListDecoder", "\(format.rawValue), \(shape)") { size, _ in
            var encoder = PropertyLists.PropertyListEncoder()
            encoder.outputFormat = format.format
            let data = try encoder.encode(value(size))
            return { keep(try PropertyLists.PropertyListDecoder().decode(type, from: data)) }
          })
      }
      lines.append(
        GrowthLine("PropertyListEncoder.encodeToPropertyList", shape) { size, _ in
          let value = value(size)
          return { keep(try PropertyLists.PropertyListEncoder().encodeToPropertyList(value)) }
        })
      lines.append(
        GrowthLine("PropertyListDecoder, of a tree", shape) { size, _ in
          let tree = try PropertyLists.PropertyListEncoder().encodeToPropertyList(value(size))
          return { keep(try PropertyLists.PropertyListDecoder().decode(type, from: tree)) }
        })
    }
    add("structures", [CodableGrowth.Record].self) { CodableGrowth.records($0) }
    add("a dictionary", [String: Int].self) { .init(uniqueKeysWithValues: (0..<$0).map { ("key \($0)", $0) }) }
    add("a set", Set<String>.self) { Set((0..<$0).map { "element \($0)" }) }
    add("a set of structures", Set<CodableGrowth.Record>.self) { Set(CodableGrowth.records($0)) }
    add("a dictionary of integer keys", [Int: String].self) {
      .init(uniqueKeysWithValues: (0..<$0).map { ($0, "value") })
    }
    add("a dictionary of structures as keys", [CodableGrowth.Record: Int].self) {
      .init(uniqueKeysWithValues: CodableGrowth.records($0).enumerated().map { ($0.element, $0.offset) })
    }
    add("integers", [Int].self) { Array(0..<$0) }
    add("strings", [String].self) { (0..<$0).map { "string \($0)" } }
    add("long data", [Data].self) { [Data(repeating: 7, count: $0 * 100)] }
    add("chains of 100 levels", [CodableGrowth.Chain].self) { CodableGrowth.chains($0) }
    add("values of several types", [CodableGrowth.Scalar].self) { CodableGrowth.scalars($0) }
    return lines
  }
}
