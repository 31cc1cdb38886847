import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// Defects of Foundation's `NSKeyedArchiver` on Linux.
extension KnownDefectsTests {
  /// Foundation on Linux, NSKeyedArchiver: setClassName has no effect, because the name is stored and looked up under
  /// different descriptions of the class.
  @Test func `a class is archived under the name that was set for it`() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Link", for: ChainLink.self)
    try archiver.encode(ChainLink(next: ChainLink(next: nil)), forKey: "root")
    let data = try archiver.encodedData()
    let names = try objects(data).compactMap { $0["$classname"] }
    #expect(names == ["Link"])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(ChainLink.self, forClassName: "Link")
    #expect(try unarchiver.decode(ChainLink.self, forKey: "root").next?.next == nil)
  }

  /// Archives its number in place of itself.
  private final class Ticket: SecureCoding {
    static let archivedClass = ArchivedClass("Ticket")

    let number: String
    var askedCount = 0

    init(_ number: String) { self.number = number }

    init(coder: KeyedUnarchiver) throws { number = try coder.decode(String.self, forKey: "number") }

    func encode(with coder: KeyedArchiver) throws { try coder.encode(number, forKey: "number") }

    func replacementObject(for coder: KeyedArchiver) -> (any SecureCoding)? {
      askedCount += 1
      return number
    }
  }

  /// Foundation on Linux, NSKeyedArchiver: replacementObject(for:) is never called.
  @Test func `a replacement is requested once for each object`() throws {
    let ticket = Ticket("7")
    let data = try KeyedArchiver.archivedData(withRootObject: [ticket, ticket])
    #expect(ticket.askedCount == 1)
    #expect(try unarchive([String].self, data) == ["7", "7"])
    #expect(error(decoding: [Ticket].self, data)?.kind == .typeMismatch)
  }

  /// Foundation on Linux, NSKeyedArchiver: objects are identified by isEqual. Two NSMutableStrings with the same text
  /// become one plain string.
  @Test func `two equal mutable strings stay two, and mutable`() throws {
    let (first, second) = (Archived.Mutable("text"), Archived.Mutable("text"))
    #expect(first == second)
    let data = try KeyedArchiver.archivedData(withRootObject: [first, second, first])
    let list = try objects(data)
    #expect(list.filter { $0["NS.string"] == "text" }.count == 2)
    #expect(list.contains { $0["$classname"] == "NSMutableString" })
    #expect(!list.contains("text"))
    let decoded = try unarchive([Archived.Mutable<String>].self, data)
    try #require(decoded.count == 3)
    #expect(decoded[0] === decoded[2] && decoded[0] !== decoded[1])
    decoded[0].value += "!"
    #expect(decoded.map(\.value) == ["text!", "text", "text!"])
  }

  /// Foundation on Linux, NSKeyedArchiver: an object that is encoded conditionally before it is encoded unconditionally
  /// is dropped with its key.
  @Test(arguments: [true, false])
  func `an object whose first reference is conditional is archived`(_ isEncodedLater: Bool) throws {
    let node = TreeNode("node")
    let archiver = KeyedArchiver()
    try archiver.encodeConditionalObject(node, forKey: "maybe")
    if isEncodedLater { try archiver.encode(node, forKey: "surely") }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    #expect(unarchiver.containsValue(forKey: "maybe"))
    let decoded = try unarchiver.decodeIfPresent(TreeNode.self, forKey: "maybe")
    #expect(decoded?.name == (isEncodedLater ? "node" : nil))
    #expect(try unarchiver.decodeIfPresent(TreeNode.self, forKey: "surely") === decoded)
  }

  /// Foundation on Linux, NSKeyedArchiver: the string `$null` is decoded as nil.
  @Test func `the string $null is decoded as a string`() throws {
    let texts: [String?] = ["$null", nil, "$null", "$nul"]
    #expect(try unarchive([String?].self, KeyedArchiver.archivedData(withRootObject: texts)) == texts)
    let map = ["$null": "$null", "$class": "$class"]
    #expect(try unarchive([String: String].self, KeyedArchiver.archivedData(withRootObject: map)) == map)
    #expect(try unarchive(String.self, KeyedArchiver.archivedData(withRootObject: "$null")) == "$null")
  }

  /// An array of one array of one array, and so on.
  private static func nested(_ depth: Int) -> ArchivedValue {
    (0..<depth).reduce(into: .string("core")) { value, _ in value = .array([value]) }
  }

  /// Returns the number of arrays around the core. Releases the value level by level, because releasing it at once
  /// needs stack for each level.
  private static func depth(of value: consuming ArchivedValue) -> Int {
    var depth = 0
    while case .array(let elements) = value, let element = elements.first {
      value = element
      depth += 1
    }
    return depth
  }

  /// Foundation on Linux, NSKeyedArchiver: searching for equal objects takes the fourth power of the depth. 64 nested
  /// arrays take 6.6 seconds, 250 more than 100 seconds, and 30 000 overflow the stack.
  @Test(arguments: [250, 5_000, 30_000])
  func `nested arrays take linear time, and too many are an error`(_ depth: Int) throws {
    // The time of the thread with the small stack, also if an error is thrown.
    var time = Duration.zero
    let outcome = OnSmallStack.run(stackSize: 128 << 20) {
      let start = ThreadClock.now
      defer { time = ThreadClock.now - start }
      let value = Self.nested(depth)
      defer { _ = Self.depth(of: value) }
      let data = try KeyedArchiver.archivedData(withRootObject: value)
      return (try objects(data).count, Self.depth(of: try unarchive(ArchivedValue.self, data)))
    }
    if depth > KeyedArchiver.greatestDepth {
      #expect((outcome.error as? KeyedArchiveError)?.kind == .nestedTooDeeply)
    } else {
      let (objectCount, decodedDepth) = try #require(outcome.value as? (Int, Int), "\(outcome)")
      // Null, the arrays, the core and a class.
      #expect(objectCount == depth + 3)
      #expect(decodedDepth == depth)
    }
    #expect(time < ThreadClock.referenceSecond * 5)
  }

  /// Foundation on Linux, NSKeyedArchiver: the same comparison in a wide graph.
  @Test func `equal values are archived once, and equal objects separately, in linear time`() throws {
    let count = LongForm.size(30_000, or: 1_500)
    let growth = try ThreadClock.growth(from: count / 10, to: count) { count in
      let points = [Point](repeating: Point(x: 1, y: 2), count: count)
      let values = try KeyedArchiver.archivedData(withRootObject: points)
      // Null, the array, the point, and two classes.
      #expect(try objects(values).count == 5)
      #expect(try unarchive([Point].self, values) == points)
      let links = (0..<count).map { _ in ChainLink(next: nil) }
      let distinct = try KeyedArchiver.archivedData(withRootObject: links)
      #expect(try objects(distinct).count == count + 4)
      #expect(try Set(unarchive([ChainLink].self, distinct).map { ObjectIdentifier($0) }).count == count)
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }
}
