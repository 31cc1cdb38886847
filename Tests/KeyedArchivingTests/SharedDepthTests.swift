import ArchiveViews
import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing
import Typedstreams

/// A document whose depth is not visible on any path from its first element: an array of containers, each of which
/// contains the one before it. A reader that caches its results goes down a few levels at a time, and reaches all of
/// them.
private struct Ladder {
  /// The number of levels.
  let height: Int
  /// The number of levels between two of the elements.
  let step: Int
  /// The number of times that each element is in the array. A value that is decoded twice is cached.
  var copies = 1

  /// A binary property list of nested containers, every third of which is a dictionary.
  func propertyList() -> Data {
    func number(_ value: Int, _ width: Int) -> [UInt8] {
      (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var objects: [[UInt8]] = [[], [0x51, UInt8(ascii: "a")], [0x51, UInt8(ascii: "b")]]
    var elements: [Int] = []
    var inner = 2
    for level in 1...height {
      objects.append((level % 3 == 0 ? [0xD1] + number(1, 3) : [0xA1]) + number(inner, 3))
      inner = objects.count - 1
      if level % step == 0 { elements += Array(repeating: inner, count: copies) }
    }
    objects[0] = [0xAF, 0x12] + number(elements.count, 4) + elements.flatMap { number($0, 3) }
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += number(bytes.count, 4)
      bytes += object
    }
    let table = bytes.count
    let trailer = [0, 0, 0, 0, 0, 0, 4, 3] + number(objects.count, 8) + number(0, 8) + number(table, 8)
    return Data(bytes + offsets + trailer)
  }

  /// An archive of an array of objects, in which the objects are nested.
  func archive(_ nest: SharedDepthTests.Nest) throws -> Data {
    var archive = HandmadeArchive()
    let text = archive.add("text")
    let descriptions = nest.classNames.map { archive.addClass($0) }
    var inner = nest.isEndedByText ? text : PropertyList.reference(0)
    var elements: [PropertyList] = []
    for level in 1...height {
      var entries = nest.entries(inner, text, level)
      entries["$class"] = descriptions[level % descriptions.count]
      inner = archive.add(.dictionary(entries))
      if level % step == 0 { elements += Array(repeating: inner, count: copies) }
    }
    let root = archive.addArray(elements)
    return try archive.data(root: root)
  }
}

/// A value that is nested as deep as its bytes say.
private indirect enum Nested: Decodable {
  case leaf
  case list([Nested])
  case entries([String: Nested])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if (try? container.decode(String.self)) != nil || (try? container.decode(Int.self)) != nil {
      self = .leaf
    } else if let list = try? container.decode([Nested].self) {
      self = .list(list)
    } else {
      self = .entries(try container.decode([String: Nested].self))
    }
  }
}

/// A value that contains another of its type.
private indirect enum Shell: SecureCoding {
  static let archivedClass = ArchivedClass("Shell")

  case empty
  case around(Shell)

  init(coder: KeyedUnarchiver) throws {
    self = try coder.decodeIfPresent(Shell.self, forKey: "inner").map { .around($0) } ?? .empty
  }

  func encode(with coder: KeyedArchiver) throws {}
}

@Suite("Depth through shared values") struct SharedDepthTests {
  private static var threads: [(@escaping () throws -> Void) -> OnSmallStack.Outcome] {
    [{ OnSmallStack.run($0) }, { OnLargeStack.run($0) }]
  }

  /// The stacks for views, whose limits do not depend on the stack.
  private static var threadsOfViews: ArraySlice<(@escaping () throws -> Void) -> OnSmallStack.Outcome> {
    threads.prefix(LongForm.size(2, or: 1))
  }

  @Test(arguments: [1, 7, 500, 511, 512])
  func `a property list counts the levels of a subtree that was built before`(_ step: Int) throws {
    // At least twice 511, so that the elements in steps of 511 are too deep.
    let data = Ladder(height: LongForm.size(3000, or: 1100), step: step).propertyList()
    for run in Self.threads {
      let outcome = run {
        let error = #expect(throws: PropertyListError.self) { try PropertyList(data) }
        #expect(error?.kind == .nestedTooDeeply)
      }
      #expect(outcome.error == nil)
    }
  }

  @Test func `a property list of the maximum depth can be compared, hashed and written`() throws {
    // The array around the elements is also a level.
    let data = Ladder(height: 511, step: LongForm.size(1, or: 73)).propertyList()
    let outcome = OnSmallStack.run {
      let list = try PropertyList(data)
      #expect(try list == PropertyList(data) && Set([list]).contains(list))
      #expect(try PropertyList(list.data(format: .xml)) == list)
    }
    #expect(outcome.error == nil)
    let deeper = Ladder(height: 512, step: LongForm.size(1, or: 64)).propertyList()
    #expect(throws: PropertyListError.self) { try PropertyList(deeper) }
  }

  @Test func `property list readers, decoders and views do not exceed their depth limit`() throws {
    let looks: [(String, (PropertyListDocument) throws -> Void)] = [
      ("validate", { try $0.validate() }), ("tree", { _ = try PropertyList($0.root) }),
      ("XML", { _ = try $0.root.data(format: .xml) }), ("JSON", { _ = try $0.root.data(format: .json) }),
      ("binary", { _ = try $0.root.data(format: .binary) }),
      ("OpenStep", { _ = try $0.root.data(format: .openStep) }),
      ("Codable", { _ = try PropertyListDecoder().decode(Nested.self, from: $0) }),
      ("unwrapped", { _ = try $0.unwrapped() }),
    ]
    let ladders = LongForm.isWanted ? [(300, 7), (511, 100), (513, 100), (2000, 400)] : [(511, 100), (1100, 500)]
    for (height, step) in ladders {
      let data = Ladder(height: height, step: step).propertyList()
      for (name, look) in looks {
        for run in Self.threadsOfViews {
          let error = run { try look(PropertyListDocument(data)) }.error
          #expect(error == nil || Self.isLimit(error), "\(name), \(height) levels: \(String(describing: error))")
          #expect(height - step < 512 || error != nil || name == "unwrapped", "\(name), \(height) levels")
        }
      }
    }
  }

  private static func isLimit(_ error: (any Error)?) -> Bool {
    switch error {
    case let error as PropertyListError: error.kind == .nestedTooDeeply || error.kind == .limitExceeded
    case let error as KeyedArchiveError: error.kind == .nestedTooDeeply || error.kind == .limitExceeded
    // A decoder of a value can continue after the error of the limit, and then find another kind of value than
    // requested.
    case is DecodingError: true
    default: false
    }
  }

  /// How objects are nested in an archive of an array, and the decoded type of the array.
  struct Nest: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The classes of the objects, repeated from the innermost outwards.
    let classNames: [String]
    /// True if the innermost object is a string, false if it is nil.
    let isEndedByText: Bool
    let decode: @Sendable (KeyedUnarchiver) throws -> Void
    /// The contents of an object around another object.
    let entries:
      @Sendable (_ inner: PropertyList, _ text: PropertyList, _ level: Int) -> OrderedDictionary<String, PropertyList>
  }

  static let nests: [Nest] = [
    Nest(
      testDescription: "objects", classNames: ["ChainLink"], isEndedByText: false,
      decode: { for link in try $0.decode([ChainLink].self, forKey: "root") { ChainLink.release(link) } },
      entries: { inner, _, _ in ["next": inner] }),
    Nest(
      testDescription: "values", classNames: ["Shell"], isEndedByText: false,
      decode: { _ = try $0.decode([Shell].self, forKey: "root") }, entries: { inner, _, _ in ["inner": inner] }),
    Nest(
      testDescription: "arrays of any values", classNames: ["NSArray"], isEndedByText: true,
      decode: { _ = try $0.decode(ArchivedValue.self, forKey: "root") },
      entries: { inner, _, _ in ["NS.objects": [inner]] }
    ),
    Nest(
      testDescription: "dictionaries", classNames: ["NSDictionary"], isEndedByText: true,
      decode: { _ = try $0.decode(ArchivedValue.self, forKey: "root") },
      entries: { inner, text, _ in ["NS.keys": [text], "NS.objects": [inner]] }),
    Nest(
      testDescription: "URLs", classNames: ["NSURL"], isEndedByText: false,
      decode: { _ = try $0.decode([URL].self, forKey: "root") },
      entries: { inner, text, _ in ["NS.base": inner, "NS.relative": text] }),
    Nest(
      testDescription: "errors", classNames: ["NSError", "NSDictionary"], isEndedByText: true,
      decode: { _ = try $0.decode(ArchivedValue.self, forKey: "root") },
      entries: { inner, text, level in
        level % 2 == 1
          ? ["NS.keys": [text], "NS.objects": [inner]] : ["NSDomain": text, "NSCode": 1, "NSUserInfo": inner]
      }),
    Nest(
      testDescription: "Codable values", classNames: ["NSDictionary"], isEndedByText: true,
      decode: { _ = try $0.decodeDecodable([Nested].self, forKey: "root") },
      entries: { inner, text, _ in ["NS.keys": [text], "NS.objects": [inner]] }),
  ]

  @Test(arguments: nests)
  func `objects and values count the levels of objects that were decoded before, on any thread`(_ nest: Nest) throws {
    // A small stack has room for 630 levels, a large one for 10 000.
    let ladders = LongForm.isWanted ? [(10_500, 100), (1500, 500), (560, 50)] : [(750, 250), (560, 140)]
    for (height, step) in ladders {
      for copies in 1...2 {
        let data = try Ladder(height: height, step: step, copies: copies).archive(nest)
        for (index, run) in Self.threads.enumerated() {
          // The short form decodes single elements only where the last is too deep.
          guard LongForm.isWanted || copies == 2 || height > 630 && index == 0 else { continue }
          let error = run { try nest.decode(KeyedUnarchiver(forReadingFrom: data)) }.error
          #expect(error == nil || Self.isLimit(error), "\(height), \(step), \(copies): \(String(describing: error))")
          let isTooDeep = height > 10_000 || height > 630 && index == 0
          #expect(!isTooDeep || error != nil, "\(height), \(step), \(copies)")
        }
      }
    }
  }

  @Test func `values of the maximum depth of a small stack can be compared and hashed`() throws {
    let data = try Ladder(height: 600, step: 50, copies: 2).archive(Self.nests[2])
    let outcome = OnSmallStack.run {
      let value = try KeyedUnarchiver.unarchivedObject(of: ArchivedValue.self, from: data)
      let other = try KeyedUnarchiver.unarchivedObject(of: ArchivedValue.self, from: data)
      #expect(value == other)
      #expect(value.hashValue == other.hashValue)
      #expect(try KeyedArchiver.archivedData(withRootObject: value).count > 600)
    }
    #expect(outcome.error == nil)
  }

  @Test func `a property list in an object keeps its depth`() throws {
    let list = (0..<60).reduce(PropertyList.integer(1)) { inner, _ in [inner] }
    let outcome = OnSmallStack.run {
      let archiver = KeyedArchiver()
      try archiver.encode(Carrier(list: list, depth: 590), forKey: "deep")
      try archiver.encode(Carrier(list: list, depth: 20), forKey: "flat")
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
      #expect(try unarchiver.decode(Carrier.self, forKey: "flat").innermost == list)
      let error = archiveError { _ = try unarchiver.decode(Carrier.self, forKey: "deep") }
      #expect(error?.kind == .nestedTooDeeply)
    }
    #expect(outcome.error == nil)
  }
}

/// An object of a typedstream that refers to another.
private final class Car: TypedstreamDecodable {
  static let typedstreamClasses = ["Car"]
  var next: Car?

  init(from groups: inout TypedstreamGroups) throws { next = try groups.decodeIfPresent() }

  /// Releases a chain from its end, without recursion.
  static func release(_ cars: [Car]) {
    for car in cars {
      var next: Car? = car
      while let car = next {
        next = car.next
        car.next = nil
      }
    }
  }
}

extension SharedDepthTests {
  @Test(arguments: [(560, 40), (1500, 100), (10_500, 100)])
  func `objects of a typedstream count the levels of objects that were decoded before`(_ height: Int, _ step: Int)
    throws
  {
    let data = try typedstream { builder in
      var inner: TypedstreamBuilder.Object?
      for _ in 0..<(height / step) {
        var outermost: TypedstreamBuilder.Object?
        for _ in 0..<step {
          try builder.beginGroup("@")
          let car = try builder.beginObject(TypedstreamClass("Car", version: 0))
          outermost = outermost ?? car
        }
        try builder.beginGroup("@")
        if let inner { try builder.append(inner) } else { try builder.appendNull() }
        for _ in 0..<step { try builder.endObject() }
        inner = outermost
      }
    }
    for (index, run) in Self.threads.enumerated() {
      let error = run {
        let unarchiver = try TypedstreamUnarchiver(forReadingFrom: data)
        var cars: [Car] = []
        defer { Car.release(cars.reversed()) }
        while !unarchiver.isAtEnd { cars.append(try unarchiver.decode(Car.self)) }
      }.error
      #expect(error == nil || (error as? TypedstreamError)?.kind == .nestedTooDeeply)
      let isTooDeep = height > 10_000 || height > 630 && index == 0
      #expect(isTooDeep == (error != nil))
    }
  }

  @Test(arguments: nests) func `views of archives do not exceed their depth limit`(_ nest: Nest) throws {
    // More levels than a small stack has room for.
    let data = try Ladder(height: LongForm.size(3000, or: 700), step: LongForm.size(100, or: 175)).archive(nest)
    let looks: [(String, (KeyedArchive) throws -> Void)] = [
      ("tree", { _ = try $0.tree() }), ("JSON", { _ = try $0.jsonData() }), ("check", { _ = $0.check() }),
      ("unwrapped", { _ = try $0.unwrapped().jsonData() }),
      ("JSON that is read again", { _ = try PropertyList($0.jsonData(), format: .json) }),
    ]
    for (name, look) in looks {
      for run in Self.threadsOfViews {
        let error = run { try look(KeyedArchive(data)) }.error
        #expect(error == nil || Self.isLimit(error), "\(name): \(String(describing: error))")
      }
    }
  }

  /// The example of the article "Decode what you do not trust".
  private final class Page {
    var next: Page?

    init(_ next: Page?) { self.next = next }

    deinit {
      var page = next.take()
      while page != nil, isKnownUniquelyReferenced(&page) { page = page?.next.take() }
    }
  }

  @Test func `a class that releases its chain step by step needs no deep stack`() {
    let outcome = OnSmallStack.run {
      var page: Page?
      for _ in 0..<200_000 { page = Page(page) }
      page = nil
    }
    #expect(outcome.error == nil)
  }
}

/// A value with a property list in its innermost object.
private indirect enum Carrier: SecureCoding {
  static let archivedClass = ArchivedClass("Carrier")

  case list(PropertyList)
  case carrier(Carrier)

  init(list: PropertyList, depth: Int) { self = (0..<depth).reduce(.list(list)) { inner, _ in .carrier(inner) } }

  var innermost: PropertyList {
    switch self {
    case .list(let list): list
    case .carrier(let inner): inner.innermost
    }
  }

  init(coder: KeyedUnarchiver) throws {
    self =
      coder.containsValue(forKey: "inner")
      ? .carrier(try coder.decode(Carrier.self, forKey: "inner"))
      : .list(try coder.decodePropertyList(forKey: "list"))
  }

  func encode(with coder: KeyedArchiver) throws {
    switch self {
    case .list(let list): try coder.encode(propertyList: list, forKey: "list")
    case .carrier(let inner): try coder.encode(inner, forKey: "inner")
    }
  }
}
