import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// A value that contains two values of its type, or none.
private indirect enum Tree: SecureCoding, Hashable {
  static let archivedClass = ArchivedClass("Tree")

  case leaf
  case fork(Tree, Tree)

  init(coder: KeyedUnarchiver) throws {
    guard coder.containsValue(forKey: "left") else {
      self = .leaf
      return
    }
    self = .fork(try coder.decode(forKey: "left"), try coder.decode(forKey: "right"))
  }

  func encode(with coder: KeyedArchiver) throws {
    guard case .fork(let left, let right) = self else { return }
    try coder.encode(left, forKey: "left")
    try coder.encode(right, forKey: "right")
  }
}

/// The same, conforming only to `Codable`.
private struct Twig: Codable, Hashable { var twigs: [Twig] = [] }

private struct Branch: Codable, SecureCoding, Hashable {
  static let archivedClass = ArchivedClass("Branch")
  var twig: Twig
}

extension HandmadeArchive {
  /// Adds a value that contains the value of the level below twice.
  fileprivate mutating func addTwigs(levels: Int) -> PropertyList {
    var twig = addObject("NSDictionary", ["NS.keys": [add("twigs")], "NS.objects": [addArray([])]])
    for _ in 0..<levels {
      let twigs = addArray([twig, twig])
      twig = addObject("NSDictionary", ["NS.keys": [add("twigs")], "NS.objects": [twigs]])
    }
    return twig
  }
}

/// An object with a value, and one with a list of such objects.
private final class Holder: SecureCoding {
  static let archivedClass = ArchivedClass("Holder")
  let tree: Tree

  init(coder: KeyedUnarchiver) throws { tree = try coder.decode(forKey: "tree") }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(tree, forKey: "tree") }
}

/// A part of a value counts each time that it occurs, even if the archive contains it once.
@Suite("Values that expand beyond their archives") struct ExpandedSizeTests {
  /// A way to archive nested pairs with `1 << levels` leaves.
  struct Pairs: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The archive, and the number of values that are decoded from it.
    let archive: @Sendable (_ levels: Int) throws -> (data: Data, size: Int)
    let decode: @Sendable (KeyedUnarchiver) throws -> Void
  }

  private static func archive(
    levels: Int, leaf: (inout HandmadeArchive) -> PropertyList,
    pair: (inout HandmadeArchive, PropertyList) -> PropertyList
  ) throws -> Data {
    var archive = HandmadeArchive()
    var value = leaf(&archive)
    for _ in 0..<levels { value = pair(&archive, value) }
    return try archive.data(root: value)
  }

  static let pairs: [Pairs] = [
    Pairs(testDescription: "arrays of any values") { levels in
      let data = try archive(levels: levels) {
        $0.add(1)
      } pair: {
        $0.addArray([$1, $1])
      }
      return (data, 2 << levels)
    } decode: {
      _ = try $0.decode(ArchivedValue.self, forKey: "root")
    },
    Pairs(testDescription: "an enumeration") { levels in
      let data = try archive(levels: levels) {
        $0.addObject("Tree")
      } pair: {
        $0.addObject("Tree", ["left": $1, "right": $1])
      }
      return (data, 2 << levels)
    } decode: {
      _ = try $0.decode(Tree.self, forKey: "root")
    },
    Pairs(testDescription: "values of dictionaries") { levels in
      let data = try archive(levels: levels) {
        $0.add(1)
      } pair: {
        let keys = [$0.add("left"), $0.add("right")]
        return $0.addObject("NSDictionary", ["NS.keys": .array(keys), "NS.objects": [$1, $1]])
      }
      // Each pair has two keys of 9 bytes each.
      return (data, 20 << levels)
    } decode: {
      _ = try $0.decode(ArchivedValue.self, forKey: "root")
    },
    Pairs(testDescription: "Codable structures") { levels in
      var archive = HandmadeArchive()
      let root = archive.addObject("Branch", ["twig": archive.addTwigs(levels: levels)])
      return (try archive.data(root: root), 4 << levels)
    } decode: {
      _ = try $0.decode(Branch.self, forKey: "root")
    },
    Pairs(testDescription: "a Codable structure without a class") { levels in
      var archive = HandmadeArchive()
      let root = archive.addTwigs(levels: levels)
      return (try archive.data(root: root), 4 << levels)
    } decode: {
      _ = try $0.decodeDecodable(Twig.self, forKey: "root")
    },
    Pairs(testDescription: "an array of several types") { levels in
      let data = try archive(levels: levels) {
        $0.add(1)
      } pair: {
        $0.addArray([$1, $1])
      }
      return (data, 2 << levels)
    } decode: {
      _ = try $0.decode([any SecureCoding].self, of: [[ArchivedValue].self, Int.self], forKey: "root")
    },
    Pairs(testDescription: "a property list") { levels in
      var file = HandmadeBinary()
      var list = file.add(integer: 1)
      for _ in 0..<levels { list = file.add(array: [list, list]) }
      let name = file.add(dictionary: [file.add(string: "$classname"): file.add(string: "Holder")])
      let holder = file.add(dictionary: [file.add(string: "list"): list, file.add(string: "$class"): file.add(uid: 2)])
      let objects = file.add(array: [file.add(string: "$null"), holder, name])
      let root = file.addArchive(objects: objects, root: file.add(uid: 1))
      return (file.data(root: root), 2 << levels)
    } decode: {
      _ = try $0.decode(ListHolder.self, forKey: "root")
    },
  ]

  private struct ListHolder: SecureCoding {
    static let archivedClass = ArchivedClass("Holder")
    let list: PropertyList

    init(coder: KeyedUnarchiver) throws { list = try coder.decodePropertyList(forKey: "list") }

    func encode(with coder: KeyedArchiver) throws { try coder.encode(propertyList: list, forKey: "list") }
  }

  private func kind(_ pairs: Pairs, _ data: Data, _ limits: ParsingLimits) throws -> KeyedArchiveError.Kind? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    return archiveError { try pairs.decode(unarchiver) }?.kind
  }

  @Test(arguments: pairs)
  func `a few hundred bytes that expand to millions are refused by default`(_ pairs: Pairs) throws {
    for levels in LongForm.isWanted ? [20, 22, 26, 60] : [60] {
      let (data, _) = try pairs.archive(levels)
      #expect(data.count < 8192)
      var refusal: KeyedArchiveError.Kind?
      let duration = try ThreadClock.measure { refusal = try kind(pairs, data, ParsingLimits()) }
      #expect(refusal == .limitExceeded, "\(levels) levels")
      #expect(duration < ThreadClock.referenceSecond * 10)
    }
  }

  @Test(arguments: pairs)
  func `the limits define the refused size, for any decoded type`(_ pairs: Pairs) throws {
    for limit in LongForm.isWanted ? [5000, 20_000, 100_000, 1_000_000] : [5000, 20_000] {
      let limits = ParsingLimits(expandedSize: limit, expansionRatio: 1)
      for levels in [8, 10, 12, 14, 16, 18, 20, 26] {
        let (data, size) = try pairs.archive(levels)
        let kind = try kind(pairs, data, limits)
        if size <= limit / 2 { #expect(kind == nil, "\(size) values, at most \(limit)") }
        if size > 2 * limit { #expect(kind == .limitExceeded, "\(size) values, at most \(limit)") }
      }
    }
  }

  @Test func `a value counts once for each object of a class that holds it`() throws {
    var archive = HandmadeArchive()
    var tree = archive.addObject("Tree")
    for _ in 0..<15 { tree = archive.addObject("Tree", ["left": tree, "right": tree]) }
    let holder = archive.addClass("Holder")
    let holders = (0..<1000).map { _ in archive.add(["tree": tree, "$class": holder]) }
    let few = archive.addArray(Array(holders.prefix(4)))
    let many = archive.addArray(holders)
    let manyTimesOne = archive.addArray(Array(repeating: holders[0], count: 1000))
    #expect(throws: Never.self) { try archive.decode([Holder].self, root: few) }
    #expect(throws: Never.self) { try archive.decode([Holder].self, root: manyTimesOne) }
    #expect(archiveError { _ = try archive.decode([Holder].self, root: many) }?.kind == .limitExceeded)
  }

  @Test func `the error has the limit and the path`() throws {
    let (data, _) = try Self.pairs[0].archive(26)
    let error = archiveError { _ = try KeyedUnarchiver.unarchivedObject(of: ArchivedValue.self, from: data) }
    #expect(error?.message.contains("expandedSize") == true)
    #expect(error?.path?.components.isEmpty == false)
  }

  @Test func `a caller can allow any size`() throws {
    // More than the default limit.
    let side = LongForm.size(1000, or: 750)
    let grid = Array(repeating: Array(repeating: 0, count: side), count: side)
    let data = try KeyedArchiver.archivedData(withRootObject: grid)
    let error = archiveError { _ = try KeyedUnarchiver.unarchivedObject(of: [[Int]].self, from: data) }
    #expect(error?.kind == .limitExceeded)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: ParsingLimits(expandedSize: 1 << 20))
    #expect(try unarchiver.decode([[Int]].self, forKey: "root") == grid)
  }
}
