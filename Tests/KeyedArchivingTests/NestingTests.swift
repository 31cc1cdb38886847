import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Synchronization
import TestSupport
import Testing

/// A value that contains another of its type.
private indirect enum Onion: SecureCoding {
  static let archivedClass = ArchivedClass("Onion")

  case heart
  case skin(Onion)

  init(coder: KeyedUnarchiver) throws {
    if let inner = try coder.decodeIfPresent(Onion.self, forKey: "inner") { self = .skin(inner) } else { self = .heart }
  }

  func encode(with coder: KeyedArchiver) throws {
    if case .skin(let inner) = self { try coder.encode(inner, forKey: "inner") }
  }
}

/// A Codable value that contains another of its type, in a collection.
private struct Peel: Codable { var inner: [String: [Peel]] }

private struct Fruit: Codable, SecureCoding {
  static let archivedClass = ArchivedClass("Fruit")
  var peel: Peel
}

/// An object that is decoded from the top of the archive, inside itself.
private final class Climber: SecureCoding {
  static let archivedClass = ArchivedClass("Climber")

  let next: Climber?

  init(coder: KeyedUnarchiver) throws {
    let key = try coder.decode(String.self, forKey: "next")
    next = key.isEmpty ? nil : try coder.decodeTopLevelObject(Climber.self, forKey: key)
  }

  func encode(with coder: KeyedArchiver) throws {}
}

/// A value that contains an archive of another.
private final class Parcel: SecureCoding {
  static let archivedClass = ArchivedClass("Parcel")

  private let data: Data
  private let inner: Parcel?

  init(_ data: Data) { (self.data, inner) = (data, nil) }

  init(_ inner: Parcel) { (data, self.inner) = (Data(), inner) }

  init(coder: KeyedUnarchiver) throws {
    data = try coder.decodeBytes(forKey: "data")
    inner = data.isEmpty ? nil : try KeyedUnarchiver.unarchivedObject(of: Parcel.self, from: data)
  }

  func encode(with coder: KeyedArchiver) throws {
    let data = try inner.map { try KeyedArchiver.archivedData(withRootObject: $0) } ?? data
    try coder.encodeBytes(data, forKey: "data")
  }
}

@Suite("Endlessly nested objects") struct NestingTests {
  /// How objects are nested in an archive, and their decoded type.
  struct Nest: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let className: String
    /// The contents of an object around another object.
    let entries: @Sendable (_ inner: PropertyList) -> OrderedDictionary<String, PropertyList>
    let decode: @Sendable (KeyedUnarchiver) throws -> any SecureCoding

    init(
      _ description: String, _ className: String,
      decode: @escaping @Sendable (KeyedUnarchiver) throws -> any SecureCoding,
      _ entries: @escaping @Sendable (_ inner: PropertyList) -> OrderedDictionary<String, PropertyList>
    ) {
      testDescription = description
      self.className = className
      self.entries = entries
      self.decode = decode
    }

    init<T: SecureCoding & SendableMetatype>(
      _ description: String, _ className: String, _ type: T.Type,
      _ entries: @escaping @Sendable (_ inner: PropertyList) -> OrderedDictionary<String, PropertyList>
    ) {
      self.init(description, className, decode: { try $0.decode(T.self, forKey: "root") }, entries)
    }

    /// An archive with objects nested to a depth.
    func archive(depth: Int) throws -> Data {
      var archive = HandmadeArchive()
      let text = archive.add("text")
      let description = archive.addClass(className)
      // The innermost object is a string, or nil where only objects of the class are allowed.
      var inner = className.hasPrefix("NS") && className != "NSURL" ? text : PropertyList.reference(0)
      archive.objects.reserveCapacity(depth + 3)
      for _ in 0..<depth {
        var entries = entries(inner)
        entries["$class"] = description
        inner = archive.add(.dictionary(entries))
      }
      return try archive.data(root: inner)
    }
  }

  static let nests: [Nest] = [
    Nest("objects", "ChainLink", ChainLink.self) { ["next": $0] },
    Nest("values", "Onion", Onion.self) { ["inner": $0] },
    Nest("arrays of any values", "NSArray", ArchivedValue.self) { ["NS.objects": [$0]] },
    Nest("sets", "NSSet", ArchivedValue.self) { ["NS.objects": [$0]] },
    Nest("values of dictionaries", "NSDictionary", ArchivedValue.self) {
      ["NS.keys": [.reference(1)], "NS.objects": [$0]]
    },
    Nest("keys of dictionaries", "NSDictionary", ArchivedValue.self) {
      ["NS.keys": [$0], "NS.objects": [.reference(1)]]
    },
    Nest("mutable arrays", "NSMutableArray") {
      $0.additionalTypes = [Archived.Mutable<[ArchivedValue]>.self]
      return try $0.decode(ArchivedValue.self, forKey: "root")
    } _: {
      ["NS.objects": [$0]]
    },
    Nest("the bases of URLs", "NSURL", URL.self) { ["NS.base": $0, "NS.relative": .reference(1)] },
    Nest("the causes of errors", "NSError", Archived.Error.self) {
      // Each error also has a user info.
      ["NSDomain": .reference(1), "NSCode": 1, "NSUserInfo": $0, "NS.keys": [], "NS.objects": []]
    },
    Nest("colors of colors", "NSColor", Archived.Color.self) { ["NSColor": $0] },
    Nest("Codable values", "NSDictionary") {
      try $0.decodeDecodable(Peel.self, forKey: "root") as? any SecureCoding ?? true
    } _: {
      ["NS.keys": [.reference(1)], "NS.objects": [$0]]
    },
  ]

  @Test(arguments: nests)
  func `archives are decoded, or are nested too deeply, on any thread`(_ nest: Nest) throws {
    // A small stack has room for 630 levels, a large one for 10 000.
    for depth in LongForm.isWanted ? [10, 100, 1000, 10_100] : [10, 600, 2000] {
      let data = try nest.archive(depth: depth)
      let work = { try decode(nest, data) }
      for outcome in depth == 2000 ? [OnSmallStack.run(work)] : onBothStacks(work) {
        #expect(depth <= 1000 || outcome.error != nil)
        #expect(depth > 10 || !outcome.isTooDeep)
      }
    }
  }

  /// The results of work on a small and a large stack.
  private func onBothStacks(_ work: @escaping () throws -> Void) -> [OnSmallStack.Outcome] {
    [OnSmallStack.run(work), OnLargeStack.run(work)]
  }

  /// Decodes on this thread, and hashes, compares, archives and releases the result.
  private func decode(_ nest: Nest, _ data: Data) throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let value = try nest.decode(unarchiver)
    _ = try KeyedArchiver.archivedData(withRootObject: ArchivedValue.object(value))
    if let link = value as? ChainLink { ChainLink.release(link) }
  }

  /// For release builds. Debug builds need more stack.
  private static let smallStack = 3 * 512 << 10

  private func isReadAgain<T: SecureCoding>(_ value: T, onStackOf size: Int) -> Bool {
    nonisolated(unsafe) let value = value
    let outcome = OnSmallStack.run(stackSize: size) {
      let data = try KeyedArchiver.archivedData(withRootObject: value)
      _ = try KeyedUnarchiver.unarchivedObject(of: T.self, from: data)
    }
    #expect(outcome.error == nil || outcome.isTooDeep)
    return outcome.error == nil
  }

  @Test func `600 levels are decoded on a thread with 512 KB of stack`() throws {
    let outcome = OnLargeStack.run {
      let chain = ChainLink.chain(length: 600)
      var (onion, array) = (Onion.heart, ArchivedValue.null)
      var peel = Peel(inner: [:])
      for _ in 0..<600 {
        onion = .skin(onion)
        array = .array([array])
        peel = Peel(inner: ["a": [peel]])
      }
      for size in [512 << 10, Self.smallStack] {
        #expect(isReadAgain(chain, onStackOf: size))
        #expect(isReadAgain(onion, onStackOf: size))
        #expect(isReadAgain(array, onStackOf: size))
      }
      // Each level also has a dictionary and an array.
      #expect(isReadAgain(Fruit(peel: peel), onStackOf: Self.smallStack))
      ChainLink.release(chain)
    }
    #expect(outcome.error == nil)
  }

  @Test func `a shared array has its full depth in each value`() throws {
    let outcome = OnLargeStack.run {
      let inner = (0..<400).reduce(ArchivedValue.null) { value, _ in .array([value]) }
      let outer = (0..<400).reduce(inner) { value, _ in .array([value]) }
      nonisolated(unsafe) let value = ArchivedValue.array([inner, inner, outer])
      let outcome = OnSmallStack.run { _ = try KeyedArchiver.archivedData(withRootObject: value) }
      #expect(outcome.isTooDeep)
      // The large stack has room for it.
      let data = try KeyedArchiver.archivedData(withRootObject: value)
      #expect(try KeyedUnarchiver.unarchivedObject(of: ArchivedValue.self, from: data) == value)
    }
    #expect(outcome.error == nil)
  }

  @Test func `a thread can unarchive what it can archive`() throws {
    let outcome = OnLargeStack.run {
      for depth in stride(from: 580, through: 660, by: LongForm.size(4, or: 8)) {
        let chain = ChainLink.chain(length: depth)
        nonisolated(unsafe) let link = chain
        // The same thread, because another one may get more stack than it requests.
        let outcome = OnSmallStack.run {
          let data = try KeyedArchiver.archivedData(withRootObject: link)
          let error = archiveError { _ = try KeyedUnarchiver.unarchivedObject(of: ChainLink.self, from: data) }
          #expect(error == nil, "\(depth) levels")
        }
        #expect(outcome.error == nil || outcome.isTooDeep)
        ChainLink.release(chain)
      }
    }
    #expect(outcome.error == nil)
  }

  @Test func `the bounds of another thread's stack are found`() throws {
    let outcome = OnLargeStack.run {
      let chain = Watcher.chain(length: 600)
      nonisolated(unsafe) let watcher = chain
      let outcome = OnSmallStack.run {
        Watcher.expected.withLock { $0 = Thread.current }
        _ = try KeyedUnarchiver.unarchivedObject(
          of: Watcher.self, from: KeyedArchiver.archivedData(withRootObject: watcher))
      }
      #expect(outcome.error == nil)
    }
    #expect(outcome.error == nil)
  }

  @Test func `a long chain of objects is refused quickly, on any thread`() throws {
    let data = try Self.nests[0].archive(depth: LongForm.size(300_000, or: 12_000))
    let work: () throws -> Void = {
      let duration = ThreadClock.measure {
        let error = archiveError { _ = try KeyedUnarchiver.unarchivedObject(of: ChainLink.self, from: data) }
        #expect(error?.kind == .nestedTooDeeply)
        #expect((error?.description.utf8.count ?? 1000) < 1000)
      }
      #expect(duration < ThreadClock.referenceSecond * 10)
    }
    try work()
    #expect(OnSmallStack.run(work).error == nil)
    #expect(OnLargeStack.run(work).error == nil)
  }

  @Test func `nesting through the top of the archive is also limited`() throws {
    var archive = HandmadeArchive()
    let description = archive.addClass("Climber")
    let count = LongForm.size(100_000, or: 12_000)
    for index in 0..<count {
      let key = archive.add(.string(index == 0 ? "" : "\(index - 1)"))
      archive.top["\(index)"] = archive.add(["next": key, "$class": description])
    }
    let data = try archive.data()
    let outcomes = onBothStacks {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      _ = try unarchiver.decode(Climber.self, forKey: "10")
      _ = try unarchiver.decode(Climber.self, forKey: "\(count - 1)")
    }
    for outcome in outcomes { #expect(outcome.isTooDeep) }
  }

  @Test func `values are archived, or are nested too deeply, on any thread`() throws {
    for depth in [10, 100, 1000, 3000] {
      // Values are released recursively, so they are created and released where there is enough stack.
      let outcome = OnLargeStack.run {
        var onion = Onion.heart
        var (array, set) = (ArchivedValue.null, ArchivedValue.null)
        var peel = Peel(inner: [:])
        for _ in 0..<depth {
          onion = .skin(onion)
          array = .array([array])
          set = .set([set, .integer(1)])
          peel = Peel(inner: ["a": [peel]])
        }
        let fruit = Fruit(peel: peel)
        for value in [onion, array, set, fruit] as [any SecureCoding] {
          let outcomes = onBothStacks {
            _ = try KeyedArchiver.archivedData(withRootObject: ArchivedValue.object(value))
          }
          for outcome in outcomes {
            #expect(outcome.error == nil || outcome.isTooDeep && depth >= 100, "\(depth) of \(type(of: value))")
          }
        }
      }
      #expect(outcome.error == nil)
    }
  }

  @Test func `nesting of archives in archives is also limited`() throws {
    // An archive in data is stored unchanged, so each level adds a few hundred bytes.
    var data = Data()
    for _ in 0..<LongForm.size(1500, or: 400) { data = try KeyedArchiver.archivedData(withRootObject: Parcel(data)) }
    let large = data
    let outcomes = onBothStacks { _ = try KeyedUnarchiver.unarchivedObject(of: Parcel.self, from: large) }
    for outcome in outcomes { #expect(outcome.error == nil || outcome.isTooDeep) }
    var parcel = Parcel(Data())
    for _ in 0..<LongForm.size(400, or: 150) { parcel = Parcel(parcel) }
    nonisolated(unsafe) let deep = parcel
    let moreOutcomes = onBothStacks { _ = try KeyedArchiver.archivedData(withRootObject: deep) }
    for outcome in moreOutcomes { #expect(outcome.error == nil || outcome.isTooDeep) }
  }

  @Test func `sets of objects that refer to each other through sets are sorted, on any thread`() throws {
    let count = LongForm.size(300, or: 60)
    let outcomes = onBothStacks {
      let members = (0..<count).map { Member($0) }
      for member in members { member.friends = Set(members.prefix(5) + [members[(member.number + 1) % count]]) }
      let data = try KeyedArchiver.archivedData(withRootObject: members[0])
      let copy = try KeyedUnarchiver.unarchivedObject(of: Member.self, from: data)
      #expect(copy.friends.count == members[0].friends.count)
      for member in members { member.friends = [] }
      copy.isolate()
    }
    for outcome in outcomes { #expect(outcome.error == nil || outcome.isTooDeep) }
  }
}

extension OnSmallStack.Outcome {
  fileprivate var isTooDeep: Bool { (error as? KeyedArchiveError)?.kind == .nestedTooDeeply }
}

/// A value that records the thread that creates it.
private indirect enum Watcher: SecureCoding {
  static let archivedClass = ArchivedClass("Watcher")
  static let expected = Mutex<Thread?>(nil)

  case last
  case before(Watcher)

  static func chain(length: Int) -> Watcher { (1..<length).reduce(.last) { chain, _ in .before(chain) } }

  init(coder: KeyedUnarchiver) throws {
    #expect(Thread.current === Self.expected.withLock { $0 })
    if let next = try coder.decodeIfPresent(Watcher.self, forKey: "next") { self = .before(next) } else { self = .last }
  }

  func encode(with coder: KeyedArchiver) throws {
    if case .before(let next) = self { try coder.encode(next, forKey: "next") }
  }
}

/// An object with a set of others.
private final class Member: SecureCoding, Hashable {
  static let archivedClass = ArchivedClass("Member")

  let number: Int
  var friends: Set<Member> = []

  init(_ number: Int) { self.number = number }

  init(coder: KeyedUnarchiver) throws {
    number = try coder.decode(Int.self, forKey: "number")
    coder.publish(self)
    friends = try coder.decode(Set<Member>.self, forKey: "friends")
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(number, forKey: "number")
    try coder.encode(friends, forKey: "friends")
  }

  /// Releases everything that it refers to.
  func isolate() {
    var rest = [self]
    while let member = rest.popLast() {
      rest += member.friends
      member.friends = []
    }
  }

  static func == (first: Member, second: Member) -> Bool { first === second }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
