import ArchiveViews
import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Defects of other software than Foundation on Linux.
extension KnownDefectsTests {
  /// Swift's runtime on Apple's systems: the base classes of its collections could be decoded from an archive
  /// (https://github.com/swiftlang/swift/pull/24394).
  @Test(arguments: ["Array", "MutableArray", "Dictionary", "Set", "String", "Enumerator"])
  func `the private classes of Swift's collections are never created`(_ kind: String) throws {
    let base = "__SwiftNativeNS\(kind)Base"
    for name in ["Swift.\(base)", "_TtCs\(base.utf8.count)\(base)", base] {
      let data = try archive([
        ["NS.objects": [], "NS.keys": [], "NS.string": "text", "$class": .uid(2)],
        classDescription([.string(name), .string("NS\(kind)"), "NSObject"]),
      ])
      let types: [any SecureCoding.Type] = [
        [Int].self, [String: Int].self, Set<Int>.self, String.self, ArchivedValue.self,
        Archived.Mutable<[Int]>.self,
      ]
      for type in types {
        let failure = archiveError { _ = try KeyedUnarchiver.unarchivedObject(of: [type], from: data) }
        #expect(failure?.kind == .classNotAllowed && failure?.className == name)
      }
    }
  }

  /// GNUstep: secure coding was not enforced until July 2026 (https://github.com/gnustep/libs-base/issues/639).
  /// Archiving with it returns nil, and archiving without it ignores the error parameter.
  @Test func `no decoding call bypasses the allowed classes, and archiving returns data or throws`() throws {
    let data = try Self.widget()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let types: [any SecureCoding.Type] = [UUID.self, ArchivedValue.self]
    let ways: [() throws -> Void] = [
      { _ = try KeyedUnarchiver.unarchivedObject(of: UUID.self, from: data) },
      { _ = try KeyedUnarchiver.unarchivedObject(of: types, from: data) },
      { _ = try unarchiver.decode(UUID.self, forKey: "root") },
      { _ = try unarchiver.decodeIfPresent(UUID.self, forKey: "root") },
      { _ = try unarchiver.decode(of: types, forKey: "root") },
      { _ = try unarchiver.decodeIfPresent(of: types, forKey: "root") },
      { _ = try unarchiver.decode([any SecureCoding].self, of: types, forKey: "root") },
      { _ = try unarchiver.decodeTopLevelObject(UUID.self, forKey: "root") },
      { _ = try unarchiver.decodeTopLevelObject(of: types, forKey: "root") },
      { _ = try unarchiver.decodeBytes(forKey: "root") },
    ]
    for way in ways { #expect(archiveError(way)?.kind == .classNotAllowed) }
    #expect(try unarchive(UUID?.self, KeyedArchiver.archivedData(withRootObject: UUID?.none)) == nil)
    #expect(error(encoding: Date(timeIntervalSinceReferenceDate: .nan))?.kind == .invalidValue)
  }

  /// GNUstep: NSDate is written as a native date, NSRegularExpression with `pattern` and `options`,
  /// NSPersonNameComponents with keys without `NS.`.
  @Test func `GNUstep's archives are read, and written as Apple's`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 7)
    #expect(try unarchive(Date.self, archive([.date(date)])) == date)
    #expect(try objects(KeyedArchiver.archivedData(withRootObject: date))[1]["NS.time"] == 7.0)

    let expression = try unarchive(
      Archived.RegularExpression.self,
      archive("NSRegularExpression", ["pattern": .uid(3), "options": 1], ["a+"]))
    #expect(expression == .init(pattern: "a+", options: 1))
    let written = try objects(KeyedArchiver.archivedData(withRootObject: expression))[1]
    #expect(written["NSPattern"] != nil && written["NSOptions"] == 1 && written["pattern"] == nil)

    let parts = ["namePrefix", "givenName", "middleName", "familyName", "nameSuffix", "nickname"]
    let fields = OrderedDictionary(uniqueKeysWithValues: parts.map { ($0, PropertyList.string($0)) })
    let name = try unarchive(Archived.PersonNameComponents.self, archive("NSPersonNameComponents", fields))
    #expect(
      name
        == .init(
          namePrefix: "namePrefix", givenName: "givenName", middleName: "middleName", familyName: "familyName",
          nameSuffix: "nameSuffix", nickname: "nickname"))
    let keys = try objects(KeyedArchiver.archivedData(withRootObject: name))[1].dictionary.map { Set($0.keys) }
    #expect(keys == Set(parts.map { "NS.\($0)" } + ["$class"]))
  }

  /// GNUstep: a key that is encoded twice raises an exception, which Swift cannot catch.
  @Test func `a key that is encoded twice is a thrown error`() throws {
    let archiver = KeyedArchiver()
    try archiver.encode("first", forKey: "key")
    let failure = archiveError {
      try archiver.encode("second", forKey: "key")
      _ = try archiver.encodedData()
    }
    #expect(failure?.kind == .duplicateKey)
  }

  /// libplist: counts and offsets overflowed in many calculations; checks for circular containers and depths over 512
  /// came later (https://github.com/libimobiledevice/libplist).
  @Test func `overflowing counts, circular containers and great depth are errors`() throws {
    for promised in [Int.max, 1 << 62, 1 << 61, 1 << 32, 1 << 31] {
      for marker in [0x40, 0x50, 0x60, 0xA0, 0xD0] as [UInt8] {
        var file = HandmadeBinary()
        let list = file.add(marker: marker, promising: promised)
        let root = file.addArchive(objects: file.add(array: [file.add(string: "$null")]), root: list)
        let unarchiver = try KeyedUnarchiver(forReadingFrom: file.data(root: root))
        let failure = archiveError { _ = try unarchiver.decodePropertyList(forKey: "root") }
        guard case .propertyList(let cause) = failure?.kind else {
          Issue.record("\(marker), \(promised): \(failure?.description ?? "was decoded")")
          continue
        }
        #expect(cause.kind == .malformed)
      }
    }

    var circle = HandmadeBinary()
    let array = circle.add(array: [circle.next])
    let root = circle.addArchive(objects: circle.add(array: [circle.add(string: "$null"), array]), root: array)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: circle.data(root: root))
    #expect(archiveError { _ = try unarchiver.decodePropertyList(forKey: "root") }?.kind == .nestedTooDeeply)
    #expect(throws: PropertyListError.self) { try PropertyList(circle.data(root: root)) }

    for (depth, isTooDeep) in [(512, false), (513, true), (20_000, true)] {
      var file = HandmadeBinary()
      let core = file.add(string: "core")
      let top = (0..<depth).reduce(core) { list, _ in file.add(array: [list]) }
      let root = file.addArchive(objects: file.add(array: [file.add(string: "$null")]), root: top)
      let unarchiver = try KeyedUnarchiver(forReadingFrom: file.data(root: root))
      let failure = archiveError { _ = try unarchiver.decodePropertyList(forKey: "root") }
      #expect(failure?.kind == (isTooDeep ? .nestedTooDeeply : nil), "\(depth)")
    }
  }

  /// Three nodes that each refer to all others, as an array.
  private static func circle() throws -> KeyedArchive {
    let (a, b, c) = (TreeNode("a"), TreeNode("b"), TreeNode("c"))
    (a.children, b.children, c.children) = ([b, c], [c, a], [a, b])
    (a.friend, b.friend, c.friend) = (a, c, a)
    defer { for node in [a, b, c] { (node.children, node.friend) = ([], nil) } }
    return try KeyedArchive(KeyedArchiver.archivedData(withRootObject: a))
  }

  private static let edges: Set<String> = ["a→b", "a→c", "b→c", "b→a", "c→a", "c→b", "a⇢a", "b⇢c", "c⇢a"]

  /// ydkhatri/nska_deserialize: it breaks a circle by omitting a reference, so that the reference back is lost.
  @Test func `the tree and the JSON of an archive have every reference of a circle`() throws {
    let archive = try Self.circle()
    let tree = try archive.tree()
    // The root and nine edges are ten references. Three of them show a node, the others refer to one.
    #expect(tree.components(separatedBy: "TreeNode").count - 1 == 3, "\(tree)")
    #expect(tree.components(separatedBy: "→ #").count - 1 == 7, "\(tree)")

    let json = try JSONSerialization.jsonObject(with: archive.jsonData()) as? [String: Any]
    var names: [Int: String] = [:]
    var edges: [(from: Int, arrow: String, to: Int)] = []
    func visit(_ value: Any?) throws -> Int {
      let node = try #require(value as? [String: Any])
      if let reference = node["$ref"] as? Int { return reference }
      let uid = try #require(node["$uid"] as? Int)
      names[uid] = node["name"] as? String
      let children = try #require((node["children"] as? [String: Any])?["NS.objects"] as? [Any])
      for child in children { edges.append((uid, "→", try visit(child))) }
      edges.append((uid, "⇢", try visit(node["friend"])))
      return uid
    }
    let root = try visit((json?["$top"] as? [String: Any])?["root"])
    #expect(names[root] == "a")
    #expect(edges.count == Self.edges.count)
    #expect(Set(edges.map { "\(names[$0.from] ?? "?")\($0.arrow)\(names[$0.to] ?? "?")" }) == Self.edges)
  }

  /// Apple, long ago: the allowed classes of a collection did not apply to its contents
  /// (https://github.com/lionheart/openradar-mirror/issues/3765).
  @Test func `the type of a collection restricts its elements`() throws {
    let widget: [PropertyList] = [["size": 1, "$class": .uid(4)], classDescription("Widget"), "key"]
    func refused<T: SecureCoding>(
      _ type: T.Type, _ className: PropertyList, _ fields: OrderedDictionary<String, PropertyList>
    ) throws {
      let failure = error(decoding: type, try archive(className, fields, widget))
      #expect(failure?.kind == .classNotAllowed && failure?.className == "Widget", "\(type)")
    }
    let objects: PropertyList = [.uid(5), .uid(3)]
    try refused([String].self, "NSArray", ["NS.objects": objects])
    try refused([String?].self, "NSMutableArray", ["NS.objects": objects])
    try refused([ArchivedValue].self, "NSArray", ["NS.objects": objects])
    try refused(ArchivedValue.self, "NSArray", ["NS.objects": objects])
    try refused(Set<String>.self, "NSSet", ["NS.objects": objects])
    try refused(OrderedSet<String>.self, "NSOrderedSet", ["NS.object.0": .uid(5), "NS.object.1": .uid(3)])
    try refused(
      Archived.CountedSet<String>.self, "NSCountedSet", ["NS.count": 1, "NS.object0": .uid(3), "NS.count0": 1])
    try refused([String: String].self, "NSDictionary", ["NS.keys": [.uid(5)], "NS.objects": [.uid(3)]])
    try refused([String: String].self, "NSDictionary", ["NS.keys": [.uid(3)], "NS.objects": [.uid(5)]])
    try refused(Archived.Mutable<[String]>.self, "NSMutableArray", ["NS.objects": objects])
  }
}
