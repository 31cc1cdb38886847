import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing
import Typedstreams

/// A class with a version, which can refer to itself.
private final class Node: TypedstreamDecodable {
  static let typedstreamClasses = ["Node", "OldNode"]
  let name: String
  var next: Node?
  let weight: Int

  init(from groups: inout TypedstreamGroups) throws {
    name = try groups.decode()
    weight = groups.version >= 2 ? try groups.decode() : 1
    groups.publish(self)
    next = try groups.decodeIfPresent()
  }
}

/// The same, without publishing itself.
private final class ShyNode: TypedstreamDecodable {
  static let typedstreamClasses = ["Node"]
  let next: ShyNode?

  init(from groups: inout TypedstreamGroups) throws {
    _ = try groups.decodeValue()
    next = try groups.decodeIfPresent()
  }
}

private struct Pair: TypedstreamDecodable, SecureCoding, Hashable {
  static let typedstreamClasses = ["Pair"]
  var name: String
  var point: Archived.Point

  init(from groups: inout TypedstreamGroups) throws {
    name = try groups.decode()
    point = try groups.decode()
    guard groups.isAtEnd else { throw groups.failure(.invalidContents, "more than a pair") }
  }

  init(coder: KeyedUnarchiver) throws { throw coder.failure(.typeMismatch, "") }
  func encode(with coder: KeyedArchiver) throws {}
}

@Suite("Custom types from typedstreams") struct TypedstreamTypesTests {
  private func nodes(
    _ name: String = "Node", version: Int32 = 0,
    _ next: (inout TypedstreamBuilder, TypedstreamBuilder.Object) throws -> Void
  ) throws -> Data {
    try typedstream {
      try $0.beginGroup("@")
      let object = try $0.beginObject(TypedstreamClass(name, version: version))
      try $0.group("*", "a")
      if version >= 2 { try $0.group("i", 9) }
      try $0.beginGroup("@")
      try next(&$0, object)
      try $0.endObject()
      try $0.group("@", object)
    }
  }

  @Test func `a custom type is decoded by class version, in the order of its groups`() throws {
    let old = try untypedstream(Node.self, nodes { builder, _ in try builder.appendNull() })
    #expect(old.name == "a" && old.weight == 1 && old.next == nil)
    let new = try untypedstream(Node.self, nodes("OldNode", version: 2) { builder, _ in try builder.appendNull() })
    #expect(new.weight == 9)
    let data = try nodes("Other") { builder, _ in try builder.appendNull() }
    #expect(typedstreamError(decoding: Node.self, data)?.kind == .classNotAllowed)
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Node.self, forClassName: "Other")
    #expect(try unarchiver.decode(Node.self).name == "a")
    let renamed = try TypedstreamUnarchiver(forReadingFrom: nodes { builder, _ in try builder.appendNull() })
    renamed.setClass(Pair.self, forClassName: "Node")
    #expect(throws: TypedstreamError.self) { try renamed.decode(Node.self) }
    #expect(renamed.class(forClassName: "Node") is Pair.Type)
  }

  @Test func `shared objects are decoded once, also in circles if they publish themselves`() throws {
    let data = try nodes { builder, object in try builder.append(object) }
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: data)
    let node = try unarchiver.decode(Node.self)
    #expect(node.next === node)
    #expect(try unarchiver.decode(Node.self) === node)
    node.next = nil
    let error = typedstreamError(decoding: ShyNode.self, data)
    #expect(error?.kind == .circularReference && error?.objectID == 0 && error?.byteOffset == 19)
    let mixed = try TypedstreamUnarchiver(forReadingFrom: nodes { builder, _ in try builder.appendNull() })
    _ = try mixed.decode(Node.self)
    let other = #expect(throws: TypedstreamError.self) { try mixed.decode(ShyNode.self) }
    #expect(other?.kind == .classNotAllowed)
  }

  @Test func `the contents of groups have descriptions`() throws {
    struct Curious: TypedstreamDecodable {
      static let typedstreamClasses = ["Child"]

      init(from groups: inout TypedstreamGroups) throws {
        #expect(groups.className == "Child" && groups.version == 3)
        #expect(groups.version(ofClass: "Parent") == 5 && groups.version(ofClass: "NSObject") == 0)
        #expect(groups.version(ofClass: "Other") == nil)
        #expect(groups.object.groups.map(\.encoding) == ["i", "", "{?=ff}@"])
        #expect(groups.nextType == "i")
        #expect(throws: TypedstreamError.self) { try groups.decode(String.self) }
        #expect(try groups.decode() == 5)
        #expect(groups.nextType == "{?=ff}")
        #expect(try groups.decodeValue().type == "{?=ff}")
        #expect(try groups.decode(of: [Int.self, Date.self]) as? Int == 6)
        #expect(groups.isAtEnd && groups.nextType == nil)
        let error = #expect(throws: TypedstreamError.self) { try groups.decodeValue() }
        #expect(error?.kind == .valueNotFound && error?.className == "Child")
      }
    }
    let data = try typedstream {
      let parent = TypedstreamClass("Parent", version: 5)
      try $0.object(TypedstreamClass("Child", version: 3, superclass: parent)) {
        try $0.group("i", 5)
        try $0.group("")
        try $0.group("{?=ff}@", 1, 2, ArchivedValue.integer(6))
      }
    }
    _ = try untypedstream(Curious.self, data)
  }

  @Test func `an unknown type among others is decoded only if it is allowed`() throws {
    let data = try typedstream {
      try $0.object("NSArray") {
        try $0.group("i", 2)
        try $0.object("Pair") { try $0.group("+{_NSPoint=ff}", "a", 1, 2) }
        try $0.group(.integer(1))
      }
    }
    #expect(typedstreamError(decoding: [ArchivedValue].self, data)?.className == "Pair")

    let known = try TypedstreamUnarchiver(forReadingFrom: data)
    known.additionalTypes = [Pair.self]
    guard case .object(let pair) = try known.decode([ArchivedValue].self)[0] else {
      throw CocoaError(.coderInvalidValue)
    }
    #expect((pair as? Pair)?.point == .init(x: 1, y: 2))

    for isNamed in [true, false] {
      let opaque = try TypedstreamUnarchiver(forReadingFrom: data)
      if isNamed {
        opaque.setClass(Typedstream.Object.self, forClassName: "Pair")
      } else {
        opaque.keepsUnknownObjects = true
      }
      let values = try opaque.decode([ArchivedValue].self)
      guard case .object(let object) = values[0] else { throw CocoaError(.coderInvalidValue) }
      #expect((object as? Typedstream.Object)?.class.name == "Pair" && values[1] == .integer(1))
      #expect(values[0] == values[0])
      #expect(throws: KeyedArchiveError.self) { try KeyedArchiver.archivedData(withRootObject: values[0]) }
    }
    let wanted = try TypedstreamUnarchiver(forReadingFrom: data)
    wanted.keepsUnknownObjects = true
    #expect(throws: TypedstreamError.self) { try wanted.decode([String].self) }
    #expect(try untypedstream(Typedstream.Object.self, data).class.name == "NSArray")
  }
}

@Suite("Hostile typedstreams") struct TypedstreamCostTests {
  @Test func `repeated references to the same arrays are refused`() throws {
    // Each array contains the previous one ten times.
    let data = try typedstream { builder in
      var last: TypedstreamBuilder.Object?
      for _ in 0..<12 {
        last = try builder.object("NSArray") {
          try $0.group("i", last == nil ? 0 : 10)
          if let last { for _ in 0..<10 { try $0.group("@", last) } }
        }
      }
    }
    let limits = ParsingLimits(expandedSize: LongForm.size(1 << 19, or: 1 << 14))
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: data, limits: limits)
    let time = ThreadClock.measure {
      for _ in 0..<5 { _ = try? unarchiver.decode(ArchivedValue.self) }
      var error: TypedstreamError?
      while !unarchiver.isAtEnd, error == nil {
        do { _ = try unarchiver.decode(ArchivedValue.self) } catch let found as TypedstreamError { error = found } catch
        {}
      }
      #expect(error?.kind == .limitExceeded)
    }
    #expect(time < ThreadClock.referenceSecond * 30)
  }

  @Test func `repeated references to one long string are refused`() throws {
    let data = try typedstream { builder in
      try builder.group(.string(String(repeating: "x", count: 100_000)))
      let text = ArchivedValue.string(String(repeating: "x", count: 100_000))
      try builder.group(.array(Array(repeating: text, count: LongForm.size(20_000, or: 2_000))))
    }
    let limits = LongForm.isWanted ? ParsingLimits() : ParsingLimits(expandedSize: 1 << 16, expansionRatio: 16)
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: data, limits: limits)
    _ = try unarchiver.decode(String.self)
    let error = #expect(throws: TypedstreamError.self) { try unarchiver.decode([String].self) }
    #expect(error?.kind == .limitExceeded)
  }

  @Test func `runs with large sets of attributes are refused`() throws {
    let runs = LongForm.size(40_000, or: 10_000)
    let data = try typedstream { builder in
      try builder.object("NSAttributedString") { builder in
        try builder.group(.string(String(repeating: "x", count: runs)))
        for number in 0..<runs {
          try builder.group("iI", 1, 1)
          if number == 0 {
            try builder.group(.dictionary(.init(uniqueKeysWithValues: (0..<5000).map { (.string("\($0)"), .null) })))
          }
        }
      }
    }
    #expect(typedstreamError(decoding: Archived.AttributedString.self, data)?.kind == .limitExceeded)
  }

  @Test func `a chain of objects is decoded or refused on any thread`() throws {
    let count = LongForm.size(20_000, or: 2_000)
    let data = try typedstream { builder in
      try builder.object("NSArray") {
        try $0.group("i", count)
        var last: TypedstreamBuilder.Object?
        for _ in 0..<count {
          last = try $0.object("NSArray") {
            try $0.group("i", last == nil ? 0 : 1)
            if let last { try $0.group("@", last) }
          }
        }
      }
    }
    let outcome = OnSmallStack.run { try untypedstream(ArchivedValue.self, data) }
    let error = outcome.error as? TypedstreamError
    #expect(error?.kind == .nestedTooDeeply || error?.kind == .limitExceeded, "\(outcome)")
  }

  @Test func `the maximum nesting is decoded or refused on a small stack`() throws {
    // Creating the value needs more stack than a test's thread may have.
    let made = OnSmallStack.run(stackSize: 16 << 20) {
      var deep = ArchivedValue.array([])
      for _ in 0..<500 { deep = .array([deep]) }
      return try typedstream(of: deep)
    }
    let data = try #require(made.value as? Data)
    let outcome = OnSmallStack.run {
      var value = try untypedstream(ArchivedValue.self, data)
      var depth = 0
      while case .array(let elements) = value, let first = elements.first {
        depth += 1
        value = first
      }
      return depth
    }
    #expect(outcome.value as? Int == 500 || (outcome.error as? TypedstreamError)?.kind == .nestedTooDeeply)
  }

  @Test func `any bytes are decoded or refused`() throws {
    var random = SeededGenerator(seed: 18)
    var values: [ArchivedValue] = [
      .object(
        Archived.AttributedString("a😀b", attributes: ["a": .array([.integer(1), .real(0.5)]), "b": .data(Data([1]))])),
      .dictionary([.string("a"): .url(URL(string: "https://a/b")!), .integer(1): .set([.null, .boolean(true)])]),
      .array([.value(.rect(.init(x: 1, y: 2, width: 3, height: 4))), .date(Date(timeIntervalSinceReferenceDate: 1))]),
    ]
    values.append(.array(values))
    let streams = try values.map { [UInt8](try typedstream(of: $0)) }
    var decoded = 0
    let rounds = LongForm.size(200_000, or: 400)
    for round in 0..<rounds {
      var bytes = streams[round % streams.count]
      for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.damage(using: &random) }
      guard let stream = try? Typedstream(bytes: bytes) else { continue }
      let unarchiver = TypedstreamUnarchiver(stream)
      unarchiver.keepsUnknownObjects = round.isMultiple(of: 3)
      guard let value = try? unarchiver.decode(ArchivedValue.self) else { continue }
      decoded += 1
      #expect(value == value || "\(value)".contains("nan"))
    }
    #expect(decoded > rounds / 200)
  }
}
