import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// An object with every kind of reference.
private final class Node: SecureCoding, Hashable {
  static let archivedClass = ArchivedClass("Node")

  let name: String
  var next: Node?
  var list: [Node] = []
  var set: Set<Node> = []
  var map: [String: Node] = [:]
  var bond: Bond?
  var bonds: [Bond?] = []
  weak var owner: Node?

  init(_ name: String) { self.name = name }

  init(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "name")
    coder.publish(self)
    next = try coder.decodeIfPresent(Node.self, forKey: "next")
    list = try coder.decode([Node].self, forKey: "list")
    set = try coder.decode(Set<Node>.self, forKey: "set")
    map = try coder.decode([String: Node].self, forKey: "map")
    bond = try coder.decodeIfPresent(Bond.self, forKey: "bond")
    bonds = try coder.decode([Bond?].self, forKey: "bonds")
    owner = try coder.decodeIfPresent(Node.self, forKey: "owner")
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(name, forKey: "name")
    try coder.encode(next, forKey: "next")
    try coder.encode(list, forKey: "list")
    try coder.encode(set, forKey: "set")
    try coder.encode(map, forKey: "map")
    try coder.encode(bond, forKey: "bond")
    try coder.encode(bonds, forKey: "bonds")
    try coder.encodeConditionalObject(owner, forKey: "owner")
  }

  static func == (first: Node, second: Node) -> Bool { first === second }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The objects that this one refers to, in an order that depends only on names.
  var neighbours: [Node?] {
    [next, bond?.node] + list + set.sorted { $0.name < $1.name }
      + map.sorted { $0.key < $1.key }.map(\.value) + bonds.map { $0?.node }
  }

  var shape: [String] {
    [name, list.count.description, set.count.description, "\(map.keys.sorted())", "\(bonds.map { $0 == nil })"]
  }

  /// Removes all references that could form circles, so that everything is released.
  func isolate() { (next, list, set, map, bond, bonds) = (nil, [], [], [:], nil, []) }
}

/// A value that refers to an object.
private struct Bond: SecureCoding {
  static let archivedClass = ArchivedClass("Bond")

  let node: Node

  init(_ node: Node) { self.node = node }

  init(coder: KeyedUnarchiver) throws { node = try coder.decode(Node.self, forKey: "node") }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(node, forKey: "node") }
}

/// An object that refers to others and does not publish itself.
private final class Private: SecureCoding {
  static let archivedClass = ArchivedClass("Private")

  let other: Private?
  let all: [Private]

  init(coder: KeyedUnarchiver) throws {
    other = try coder.decodeIfPresent(Private.self, forKey: "other")
    all = try coder.decodeIfPresent([Private].self, forKey: "all") ?? []
  }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(other, forKey: "other") }
}

@Suite("Object graphs") struct ObjectGraphTests {
  /// The objects that can be reached from others, each once, in the order in which they are reached.
  private func reachable(_ roots: [Node]) -> [Node] {
    var found = roots
    var seen = Set(roots)
    var position = 0
    while position < found.count {
      for node in found[position].neighbours.compactMap({ $0 }) where seen.insert(node).inserted { found.append(node) }
      position += 1
    }
    return found
  }

  private func expectSame(_ first: [Node], _ second: [Node], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(Set(first).count == Set(second).count, sourceLocation: sourceLocation)
    let (all, others) = (reachable(first), reachable(second))
    #expect(all.map(\.shape) == others.map(\.shape), sourceLocation: sourceLocation)
    let pairs = Dictionary(zip(all, others)) { node, _ in node }
    for (node, other) in zip(all, others) {
      #expect(
        node.neighbours.map { $0.flatMap { pairs[$0] } } == other.neighbours, "\(node.name)",
        sourceLocation: sourceLocation)
      let owner = node.owner.flatMap { pairs[$0] }
      #expect(owner == other.owner, "\(node.name)", sourceLocation: sourceLocation)
    }
  }

  @Test func `a root array that equals an inner one`() throws {
    let (alice, bob) = (Node("alice"), Node("bob"))
    (alice.list, bob.list) = ([bob], [alice])
    for format in PropertyListFormat.allCases {
      let data = try KeyedArchiver.archivedData(withRootObject: [alice], outputFormat: format)
      let decoded = try KeyedUnarchiver.unarchivedObject(of: [Node].self, from: data)
      expectSame([alice], decoded)
      for node in decoded.flatMap(\.list) { node.isolate() }
    }
    alice.isolate()
  }

  @Test func `a value that contains an object that contains an equal value`() throws {
    let node = Node("a")
    node.bond = Bond(node)
    let data = try KeyedArchiver.archivedData(withRootObject: Bond(node))
    let decoded = try KeyedUnarchiver.unarchivedObject(of: Bond.self, from: data)
    #expect(decoded.node.bond?.node === decoded.node)
    decoded.node.isolate()
    node.isolate()
  }

  @Test(arguments: 0..<UInt64(LongForm.size(200, or: 20)))
  func `any graph is decoded to the same graph`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let nodes = (0..<Int.random(in: 1...12, using: &random)).map { Node("node \($0)") }
    for node in nodes {
      func any() -> Node { nodes.randomElement(using: &random)! }
      func some() -> [Node] { (0..<[0, 0, 0, 1, 1, 2, 3].randomElement(using: &random)!).map { _ in any() } }
      if Bool.random(using: &random) { node.next = any() }
      node.list = some()
      node.set = Set(some())
      for other in some() { node.map[other.name] = other }
      if Int.random(in: 0..<3, using: &random) == 0 { node.bond = Bond(any()) }
      node.bonds = some().map { Bool.random(using: &random) ? Bond($0) : nil }
    }
    let roots = Array(nodes.prefix(Int.random(in: 1...3, using: &random)))
    let all = reachable(roots)
    for node in all where Bool.random(using: &random) { node.owner = all.randomElement(using: &random) }
    defer { for node in nodes { node.isolate() } }

    let data = try KeyedArchiver.archivedData(withRootObject: roots)
    let decoded = try KeyedUnarchiver.unarchivedObject(of: [Node].self, from: data)
    expectSame(roots, decoded)
    for node in reachable(decoded) { node.isolate() }
  }

  @Test func `sets of circular objects are archived deterministically and quickly`() throws {
    let count = LongForm.size(150, or: 20)
    var archives: Set<Data> = []
    let duration = try ThreadClock.measure {
      for _ in 0..<4 {
        let nodes = (0..<count).map { Node("\($0)") }
        for (index, node) in nodes.enumerated() {
          node.next = nodes[index / 2]
          node.list = [nodes[index / 3]]
          node.set = Set((1...6).map { nodes[(index * $0 + 3) % count] })
        }
        defer { for node in nodes { node.isolate() } }
        archives.insert(try KeyedArchiver.archivedData(withRootObject: nodes))
      }
    }
    #expect(archives.count == 1)
    #expect(duration < ThreadClock.referenceSecond * LongForm.size(120, or: 10))
  }

  /// A value with a set of values of its type.
  private struct Branch: SecureCoding, Hashable {
    static let archivedClass = ArchivedClass("Branch")

    var number: Int
    var branches: Set<Branch> = []

    init(depth: Int, number: Int) {
      self.number = number
      if depth > 0 { for index in 0..<2 { branches.insert(Branch(depth: depth - 1, number: 2 * number + index)) } }
    }

    init(coder: KeyedUnarchiver) throws {
      number = try coder.decode(Int.self, forKey: "number")
      branches = try coder.decode(Set<Branch>.self, forKey: "branches")
    }

    func encode(with coder: KeyedArchiver) throws {
      try coder.encode(number, forKey: "number")
      try coder.encode(branches, forKey: "branches")
    }
  }

  @Test func `nested sets are sorted quickly and deterministically`() throws {
    var archives: Set<Data> = []
    let duration = try ThreadClock.measure {
      let depth = LongForm.size(7, or: 3)
      for _ in 0..<3 {
        archives.insert(try KeyedArchiver.archivedData(withRootObject: Branch(depth: depth, number: 1)))
      }
    }
    #expect(archives.count == 1)
    #expect(duration < ThreadClock.referenceSecond * LongForm.size(120, or: 10))
    let size = LongForm.size(20, or: 10)
    let sets = Set(
      (0..<size).map { first in
        Set((0..<size).map { UUID(uuid: (UInt8(first), UInt8($0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) })
      })
    let data = try KeyedArchiver.archivedData(withRootObject: sets)
    for _ in 0..<LongForm.size(5, or: 2) {
      let again = Set(sets.shuffled().map { Set($0.shuffled()) })
      #expect(try KeyedArchiver.archivedData(withRootObject: again) == data)
    }
  }

  @Test func `an object with only a conditional reference is nil`() throws {
    let (node, owner) = (Node("a"), Node("owner"))
    node.owner = owner
    let data = try KeyedArchiver.archivedData(withRootObject: node)
    #expect(try KeyedUnarchiver.unarchivedObject(of: Node.self, from: data).owner == nil)
    let archiver = KeyedArchiver()
    try archiver.encode(node, forKey: "node")
    try archiver.encode(owner, forKey: "owner")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    let decoded = try unarchiver.decode(Node.self, forKey: "node")
    #expect(decoded.owner?.name == "owner")
    #expect(try unarchiver.decode(Node.self, forKey: "owner") === decoded.owner)
  }
}

/// Circles of unpublished objects.
extension ObjectGraphTests {
  static let circles: [HandmadeRoot] = [
    HandmadeRoot("an object that consists of itself", Private.self) { $0.addObject("Private", ["other": $0.next]) },
    HandmadeRoot("two objects that consist of each other", Private.self) {
      let first = $0.next.index
      return $0.addObject("Private", ["other": $0.addObject("Private", ["other": .reference(first + 2)])])
    },
    HandmadeRoot("an object in its own array", Private.self) {
      let first = $0.next.index
      return $0.addObject("Private", ["all": $0.addArray([.reference(first + 2)])])
    },
    HandmadeRoot("an array in itself", [[ArchivedValue]].self) { $0.addArray([$0.next]) },
    HandmadeRoot("an array of any values in itself", ArchivedValue.self) { $0.addArray([$0.next]) },
    HandmadeRoot("an array of several types in itself") {
      _ = try $0.decode([any SecureCoding].self, of: [[String].self, ArchivedValue.self], forKey: "root")
    } _: {
      $0.addArray([$0.next])
    },
    HandmadeRoot("a set in itself", ArchivedValue.self) { $0.addObject("NSSet", ["NS.objects": [$0.next]]) },
    HandmadeRoot("a dictionary that is its own key", ArchivedValue.self) {
      $0.addObject("NSDictionary", ["NS.keys": [$0.next], "NS.objects": [.reference(1)]])
    },
    HandmadeRoot("a dictionary that is its own value", [String: ArchivedValue].self) {
      let key = $0.add("key")
      return $0.addObject("NSDictionary", ["NS.keys": [key], "NS.objects": [$0.next]])
    },
    HandmadeRoot("an ordered set in itself", OrderedSet<OrderedSet<OrderedSet<String>>>.self) {
      $0.addObject("NSOrderedSet", ["NS.object.0": $0.next])
    },
    HandmadeRoot("a URL that is its own base", URL.self) {
      let text = $0.add("text")
      return $0.addObject("NSURL", ["NS.base": $0.next, "NS.relative": text])
    },
    HandmadeRoot("two URLs that are each other's base", ArchivedValue.self) {
      let text = $0.add("text")
      let first = $0.next.index
      let other = $0.addObject("NSURL", ["NS.base": .reference(first + 2), "NS.relative": text])
      return $0.addObject("NSURL", ["NS.base": other, "NS.relative": text])
    },
    HandmadeRoot("a string that is its own text", String.self) {
      $0.addObject("NSMutableString", ["NS.string": $0.next])
    },
    HandmadeRoot("data that are their own bytes", Data.self) { $0.addObject("NSMutableData", ["NS.data": $0.next]) },
    HandmadeRoot("a number that is its own number", Int.self) { $0.addObject("NSNumber", ["NS.intval": $0.next]) },
    HandmadeRoot("a date that is its own time", Date.self) { $0.addObject("NSDate", ["NS.time": $0.next]) },
    HandmadeRoot("a UUID that is its own bytes", UUID.self) { $0.addObject("NSUUID", ["NS.uuidbytes": $0.next]) },
  ]

  @Test(arguments: circles)
  func `a circle of unpublished objects is an error, and stays one`(_ circle: HandmadeRoot) throws {
    let unarchiver = try HandmadeArchive.unarchiver(circle.build)
    for _ in 0..<3 {
      let error = archiveError { try circle.decode(unarchiver) }
      let isRefused = error?.kind == .circularReference || error?.kind == .classNotAllowed
      #expect(isRefused, "\(error?.description ?? "was decoded")")
    }
  }

  @Test func `a circle through values and collections is decoded if its objects publish themselves`() throws {
    let node = Node("a")
    (node.next, node.list, node.set, node.map, node.bond) = (node, [node, node], [node], ["self": node], Bond(node))
    (node.owner, node.bonds) = (node, [Bond(node), nil])
    let data = try KeyedArchiver.archivedData(withRootObject: node)
    let decoded = try KeyedUnarchiver.unarchivedObject(of: Node.self, from: data)
    expectSame([node], [decoded])
    #expect(decoded.neighbours.allSatisfy { $0 == nil || $0 === decoded } && decoded.owner === decoded)
    decoded.isolate()
    node.isolate()
  }

  @Test func `a mutable array can contain itself`() throws {
    let unarchiver = try HandmadeArchive.unarchiver { $0.addArray([$0.next, $0.next], className: "NSMutableArray") }
    unarchiver.additionalTypes = [Archived.Mutable<[ArchivedValue]>.self]
    let array = try unarchiver.decode(Archived.Mutable<[ArchivedValue]>.self, forKey: "root")
    #expect(array.value.count == 2)
    for case .object(let element) in array.value { #expect(element as? Archived.Mutable<[ArchivedValue]> === array) }
    array.value = []
  }
}
