import KeyedArchiving
import TestSupport
import Typedstreams

/// Creates a random stream of objects and values, deterministic for a seed.
struct RandomStream {
  private var random: SeededGenerator
  private var builder: TypedstreamBuilder
  private var objects: [TypedstreamBuilder.Object] = []
  private var budget: Int

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    builder = TypedstreamBuilder(systemVersion: seed.isMultiple(of: 3) ? 1000 : Int32(seed % 900))
    budget = seed.isMultiple(of: 50) ? 600 : Int(seed % 40)
  }

  private enum Shape {
    case leaf(Character)
    case data(Int)
    indirect case array(Int, Shape)
    case structure(String, [Shape])

    var text: String {
      switch self {
      case .leaf(let letter): String(letter)
      case .data(let count): "[\(count)c]"
      case .array(let count, let element): "[\(count)\(element.text)]"
      case .structure(let name, let fields): "{\(name)\(fields.map(\.text).joined())}"
      }
    }
  }

  mutating func make() throws -> Typedstream {
    for _ in 0..<Int.random(in: 0...3, using: &random) { try group(depth: 0) }
    return try builder.finish()
  }

  private mutating func group(depth: Int) throws {
    let types = (0..<Int.random(in: 0...4, using: &random)).map { _ in type(depth: 0) }
    try builder.beginGroup(types.map(\.text).joined())
    for type in types { try value(type, depth: depth) }
  }

  private mutating func type(depth: Int) -> Shape {
    switch Int.random(in: 0..<(depth < 3 ? 12 : 8), using: &random) {
    case 8: .data(Int.random(in: 0...300, using: &random))
    case 9: .array(Int.random(in: 0...3, using: &random), .structure("?=", [.leaf("i"), type(depth: depth + 1)]))
    case 10: .structure("", [.leaf("f"), .leaf("d")])
    case 11: .structure("_Name=", (0..<Int.random(in: 0...3, using: &random)).map { _ in type(depth: depth + 1) })
    case 5...7: .leaf("@")
    default: .leaf("cCsSiIlLqQfdB*:%+#!@".randomElement(using: &random) ?? "i")
    }
  }

  private mutating func value(_ type: Shape, depth: Int) throws {
    switch type {
    case .leaf(let letter): try leaf(letter, depth: depth)
    case .data(let count): try builder.append(data: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    case .array(let count, let element): for _ in 0..<count { try value(element, depth: depth) }
    case .structure(_, let fields): for field in fields { try value(field, depth: depth) }
    }
  }

  private mutating func leaf(_ letter: Character, depth: Int) throws {
    switch letter {
    case "c": try builder.append(Int8.random(in: .min ... .max, using: &random))
    case "C", "B": try builder.append(UInt8.random(in: .min ... .max, using: &random))
    case "s": try builder.append(Int16(truncatingIfNeeded: integer()))
    case "S": try builder.append(UInt16(truncatingIfNeeded: integer()))
    case "i", "l": try builder.append(Int32(truncatingIfNeeded: integer()))
    case "I", "L": try builder.append(UInt32(truncatingIfNeeded: integer()))
    case "q": try builder.append(integer())
    case "Q": try builder.append(UInt64(bitPattern: integer()))
    case "f": try builder.append(Float(real()))
    case "d": try builder.append(real())
    case "*", ":", "%", "+": try Bool.random(using: &random) ? builder.append(text()) : builder.appendNull()
    case "#": try Bool.random(using: &random) ? builder.append(randomClass()) : builder.appendNull()
    case "@": try object(depth: depth)
    default: break
    }
  }

  private mutating func object(depth: Int) throws {
    budget -= 1
    if let old = objects.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 || budget < 0 {
      return try builder.append(old)
    }
    guard budget > 0, depth < 100 else { return try builder.appendNull() }
    objects.append(try builder.beginObject(randomClass()))
    for _ in 0..<Int.random(in: 0...3, using: &random) { try group(depth: depth + 1) }
    try builder.endObject()
  }

  private mutating func randomClass() -> TypedstreamClass {
    var made: TypedstreamClass? = Bool.random(using: &random) ? .object : nil
    for _ in 0...Int.random(in: 0...3, using: &random) {
      let name = "C\(Int.random(in: 0...30, using: &random))"
      made = TypedstreamClass(name, version: Int32.random(in: -1...200, using: &random), superclass: made)
    }
    return made ?? .object
  }

  private mutating func integer() -> Int64 {
    let bits = Int64.random(in: .min ... .max, using: &random)
    return bits >> Int64.random(in: 0...63, using: &random)
  }

  private mutating func real() -> Double {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: Double(integer())
    case 1: [0, -0.0, .infinity, .nan, 0.1, .leastNonzeroMagnitude].randomElement(using: &random) ?? 0
    default: Double.random(in: -1e6...1e6, using: &random)
    }
  }

  private mutating func text() -> String {
    String((0..<Int.random(in: 0...200, using: &random)).map { _ in "abcé😀\0".randomElement(using: &random) ?? "a" })
  }
}
