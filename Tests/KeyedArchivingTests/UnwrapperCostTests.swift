import ArchiveViews
import Foundation
import KeyedArchiving
import Nibs
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// Small inputs that need more work, memory or stack than is available.
@Suite("The cost of nested data", .serialized) struct UnwrapperCostTests {
  /// The limit is 100 ms in optimized builds, where a reference second is about a quarter of a second.
  private static let limit: Duration = {
    var isDebug = false
    assert(
      {
        isDebug = true
        return true
      }())
    return isDebug ? ThreadClock.referenceSecond * LongForm.size(8, or: 1) : ThreadClock.referenceSecond * 4 / 10
  }()

  @Test("data on many paths is opened once") func openedOnce() throws {
    let names = (0..<LongForm.size(500, or: 30)).map { "key \($0)" }
    let archive = try KeyedArchiver.archivedData(
      withRootObject: Dictionary(uniqueKeysWithValues: names.map { ($0, [$0, "second"]) }))
    let broken = Data("bplist00".utf8)
    let document = try PropertyListDocument(PropertyList.array([.data(archive), .data(broken)]).data(format: .binary))
    var lookup = UnwrappedLookup(document)
    for name in names {
      let path = PropertyListKeyPath([.index(0), .key(name), .index(0)])
      #expect(try lookup.value(at: path).string == name)
      var unwrapper = Unwrapper()
      #expect(try unwrapper.value(at: path, in: document).string == name)
      #expect(throws: KeyedArchiveError.self) { try lookup.value(at: PropertyListKeyPath([.index(1), .key(name)])) }
    }
    #expect(lookup.unwrapper.openedCount == 1 && lookup.unwrapper.unreadableCount == 1)
  }

  /// A large number of repetitions. The short form has a twentieth of them, and a smaller limit of time.
  private static func many(_ count: Int) -> Int { LongForm.size(count, or: count / 20) }

  /// The number of nested archives or streams.
  private static let nestedCount = LongForm.size(300, or: 60)

  /// Nested lists, each in the data of another.
  private static func layers(_ count: Int, _ inner: PropertyList, _ format: PropertyListFormat) throws -> PropertyList {
    var list = inner
    for _ in 0..<count { list = .data(try PropertyList.array([list]).data(format: format)) }
    return list
  }

  /// A keyed archive of objects.
  private static func archive(_ objects: [PropertyList]) throws -> Data {
    let description: PropertyList = ["$classname": "NSArray", "$classes": ["NSArray"]]
    let list: PropertyList = [
      "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(PropertyList.UID(2))],
      "$objects": .array(["$null", description] + objects),
    ]
    return try list.data(format: .binary)
  }

  private static func nsArray(_ elements: [UInt32]) -> PropertyList {
    ["NS.objects": .array(elements.map { .uid(PropertyList.UID($0)) }), "$class": .uid(PropertyList.UID(1))]
  }

  private static let inputs: [(name: String, make: @Sendable () throws -> PropertyList)] = [
    // More than the limit, which is 512.
    ("data that is too deep", { try layers(LongForm.size(1000, or: 550), 1, .binary) }),
    // A table with room for all smaller UIDs would need a gigabyte.
    ("a UID of 28 bits in data", { try layers(1, .uid(PropertyList.UID(0x0fff_ffff)), .binary) }),
    (
      "a UID of 28 bits next to data",
      { ["uid": .uid(PropertyList.UID(0x0fff_ffff)), "data": try layers(1, 1, .binary)] }
    ),
    (
      "archives in archives",
      {
        var data = Data("end".utf8)
        for _ in 0..<nestedCount { data = try archive([nsArray([3]), .data(data)]) }
        return .data(data)
      }
    ),
    (
      "streams in streams",
      {
        var data = Data("end".utf8)
        for _ in 0..<nestedCount { data = try typedstream(of: .data(data)) }
        return .data(data)
      }
    ),
    (
      "data that doubles in each list",
      {
        var list = PropertyList.data(Data("hello".utf8))
        for _ in 0..<40 { list = .data(try PropertyList.array([list, list]).data(format: .binary)) }
        return list
      }
    ),
    (
      "arrays that double in one list",
      {
        var list: PropertyList = ["x"]
        for _ in 0..<LongForm.size(16, or: 12) { list = [list, list] }
        return .data(try list.data(format: .binary))
      }
    ),
    (
      "data with many references",
      {
        let data = PropertyList.data(try archive([nsArray([3]), "x"]))
        return .array(Array(repeating: data, count: many(20_000)))
      }
    ),
    (
      "an archive with many references in an archive",
      {
        .data(try archive([nsArray(Array(repeating: 3, count: many(5000))), .data(archive([nsArray([3]), "x"]))]))
      }
    ),
    (
      "many damaged archives",
      {
        .array(try (0..<many(2000)).map { .data(try archive([nsArray([3]), .string("\($0)")]).dropLast(9)) })
      }
    ),
    (
      "data with long paths",
      {
        let key = String(repeating: "k", count: many(20_000))
        var list = PropertyList.array((0..<many(5000)).map { .data(Data("bplist00\($0)".utf8)) })
        for _ in 0..<300 { list = [list] }
        return PropertyList.dictionary([key: list])
      }
    ),
    (
      "a nib whose objects share all values",
      {
        let values = (0..<200).map { (keyIndex: 0, value: NIBArchive.Value.int8(Int8($0 % 100))) }
        let objects = (0..<many(2000)).map { _ in (classIndex: 0, values: 0..<200) }
        let nib = try NIBArchive(objects: objects, keys: ["a"], values: values, classNames: [.init("NSObject")])
        return .data(try nib.data())
      }
    ),
    (
      "a stream whose strings are used many times",
      {
        let text = String(repeating: "N", count: 3000)
        let data = try typedstream { for _ in 0..<many(3000) { try $0.group(":", text) } }
        return .data(data)
      }
    ),
  ]

  @Test(arguments: inputs.indices) func `small inputs cost little, whatever is requested`(_ index: Int) throws {
    let (name, make) = Self.inputs[index]
    let document = try PropertyListDocument(PropertyList.array([make()]).data(format: .binary))
    let looks: [(inout Unwrapper) throws -> Void] = [
      { _ = try $0.document(document) }, { _ = try $0.archive(in: document) }, { _ = try $0.check(document) },
      { _ = try $0.typedstreams(in: document) },
      { _ = try $0.value(at: PropertyListKeyPath("0.0.0.0"), in: document) },
    ]
    for (number, look) in looks.enumerated() {
      let before = peakMemory
      var error: (any Error)?
      let duration = ThreadClock.measure {
        var unwrapper = Unwrapper(limits: ParsingLimits(expandedSize: LongForm.size(1 << 19, or: 1 << 15)))
        do { try look(&unwrapper) } catch let failure { error = failure }
      }
      #expect(error == nil || error is KeyedArchiveError, "\(name): \(String(describing: error))")
      #expect(duration < Self.limit, "\(name), look \(number): \(duration)")
      // Other suites may allocate memory at the same time.
      #expect(peakMemory - before < 256 << 20, "\(name), look \(number)")
    }
  }

  @Test func `a nib in data is opened, unless it would become too large`() throws {
    let list: PropertyList = ["nib": .data(try NIBArchive.label().data())]
    let document = try PropertyListDocument(list.data(format: .binary))
    var unwrapper = Unwrapper()
    let opened = try unwrapper.document(document)
    #expect(unwrapper.openedCount == 1 && opened.root.count == 1)
    #expect(try opened.root.value(forKey: "nib")?.kind == .dictionary)
    var nested = list
    for _ in 0..<600 { nested = ["x": .data(try nested.data(format: .binary))] }
    let deep = try PropertyListDocument(nested.data(format: .binary))
    let error = #expect(throws: KeyedArchiveError.self) { try deep.unwrapped() }
    #expect(error?.kind == .nestedTooDeeply)
    let values = (0..<2000).map { (keyIndex: 0, value: NIBArchive.Value.int8(Int8($0 % 100))) }
    let objects = (0..<2000).map { _ in (classIndex: 0, values: 0..<2000) }
    let nib = try NIBArchive(objects: objects, keys: ["a"], values: values, classNames: [.init("NSObject")])
    let largeList: PropertyList = ["nib": .data(try nib.data())]
    let large = try PropertyListDocument(largeList.data(format: .binary))
    var other = Unwrapper()
    #expect(try other.document(large) === large)
    #expect(other.unreadable.first?.error.kind == .limitExceeded && other.unreadable.first?.path.description == "nib")
  }
}
