import Foundation
import KeyedArchiving
import Nibs
import OrderedCollections
import PropertyLists
import TestSupport
import Testing
import Typedstreams

@Suite("Archives in the data of typedstreams") struct TypedstreamNestedTests {
  /// A class that both kinds of archive have.
  private final class Box: SecureCoding, TypedstreamDecodable {
    static let archivedClass = ArchivedClass("Box")
    static let typedstreamClasses = ["Box"]
    let number: Int

    init(_ number: Int) { self.number = number }
    init(coder: KeyedUnarchiver) throws { number = try coder.decode(Int.self, forKey: "number") }
    init(from groups: inout TypedstreamGroups) throws { number = try groups.decode() }
    func encode(with coder: KeyedArchiver) throws { try coder.encode(number, forKey: "number") }
  }

  /// A pair of values of a custom class.
  private struct Pair: TypedstreamDecodable {
    static let typedstreamClasses = ["Pair"]
    let found: MessageBody.DetectionResult
    let number: Int

    init(from groups: inout TypedstreamGroups) throws {
      found = try groups.decode()
      number = try groups.decode()
    }
  }

  private static func keyed<T: SecureCoding>(_ value: T) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: value)
  }

  /// A stream of an `NSData`.
  private static func stream(_ data: Data) throws -> Data { try typedstream(of: .data(data)) }

  /// A stream of bytes that are not an object.
  private static func rawStream(_ data: Data) throws -> Data {
    try typedstream { try $0.group("[\(data.count)c]", data) }
  }

  /// A stream of an array that contains one `NSData` several times.
  private static func shared(_ data: Data, count: Int) throws -> Data {
    try typedstream {
      try $0.object("NSArray") {
        try $0.group("i", count)
        let object = try $0.object("NSData") {
          try $0.group("i", data.count)
          try $0.group("[\(data.count)c]", data)
        }
        for _ in 1..<count { try $0.group("@", object) }
      }
    }
  }

  private static let result = MessageBody.DetectionResult(type: "Unit", text: "W", range: 2..<3, value: "watt")

  @Test(arguments: [true, false])
  func `a keyed archive is opened by the call that decodes the value`(_ isObject: Bool) throws {
    let stream = isObject ? Self.stream : Self.rawStream
    #expect(try untypedstream(String.self, stream(Self.keyed("text"))) == "text")
    #expect(try untypedstream(Int.self, stream(Self.keyed(300))) == 300)
    #expect(try untypedstream(Bool.self, stream(Self.keyed(true))))
    #expect(try untypedstream(Double.self, stream(Self.keyed(0.5))) == 0.5)
    #expect(try untypedstream(Float.self, stream(Self.keyed(Float(0.5)))) == 0.5)
    #expect(try untypedstream([String: Int].self, stream(Self.keyed(["a": 1]))) == ["a": 1])
    #expect(try untypedstream(Int?.self, stream(Self.keyed(5))) == 5)
    let rect = Archived.Rect(x: 1, y: 2, width: 3, height: 4)
    #expect(try untypedstream(Archived.Rect.self, stream(Self.keyed(rect))) == rect)
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: stream(Self.keyed(Self.result)))
    #expect(try unarchiver.decode(MessageBody.DetectionResult.self) == Self.result && unarchiver.isAtEnd)
  }

  @Test func `an archive without a root has the value of its only key`() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(Self.result, forKey: "dd-result")
    let data = try Self.stream(archiver.encodedData())
    #expect(try TypedstreamUnarchiver(forReadingFrom: data).decode() == Self.result)
    let several = KeyedArchiver()
    try several.encode(1, forKey: "a")
    try several.encode(2, forKey: "b")
    #expect(typedstreamError(decoding: Int.self, try Self.stream(several.encodedData()))?.kind == .valueNotFound)
  }

  @Test func `an archive can be wherever a value can: in collections, objects and groups`() throws {
    let data = ArchivedValue.data(try Self.keyed(7))
    #expect(try untypedstream([Int].self, typedstream(of: .array([.integer(1), data, data]))) == [1, 7, 7])
    #expect(try untypedstream([String: Int].self, typedstream(of: .dictionary([.string("a"): data]))) == ["a": 7])
    let pair = try typedstream {
      try $0.object("Pair") { try $0.group("@i", ArchivedValue.data(Self.keyed(Self.result)), 5) }
    }
    let decoded = try untypedstream(Pair.self, pair)
    #expect(decoded.found == Self.result && decoded.number == 5)
    let several = try TypedstreamUnarchiver(forReadingFrom: Self.stream(Self.keyed("x")))
    #expect(try several.decode(of: [Int.self, String.self]) as? String == "x")
  }

  @Test(arguments: [PropertyListFormat.binary, .xml])
  func `a typedstream or a property list can be nested in any number of layers`(_ format: PropertyListFormat) throws {
    let list: PropertyList = ["a": 1, "b": [2.5]]
    let data = try Self.stream(list.data(format: format))
    #expect(try untypedstream(PropertyList.self, data) == list)
    let numbers = try Self.stream(PropertyList.array([1, 2]).data(format: format))
    #expect(try untypedstream([Int].self, numbers) == [1, 2])
    #expect(typedstreamError(decoding: [String].self, numbers)?.kind == .typeMismatch)
    #expect(typedstreamError(decoding: Archived.Color.self, numbers)?.kind == .typeMismatch)
    var layers = numbers
    for _ in 0..<20 { layers = try Self.stream(layers) }
    #expect(try untypedstream([Int].self, layers) == [1, 2])
  }

  @Test func `data stays data where data or any value is requested`() throws {
    let data = try Self.keyed(1)
    #expect(try untypedstream(Data.self, Self.stream(data)) == data)
    #expect(try untypedstream(Data.self, Self.rawStream(data)) == data)
    #expect(try untypedstream(ArchivedValue.self, Self.stream(data)) == .data(data))
    // Other bytes are not an archive.
    #expect(typedstreamError(decoding: String.self, try Self.stream(Data("text".utf8)))?.kind == .classNotAllowed)
    #expect(typedstreamError(decoding: String.self, try Self.rawStream(Data("text".utf8)))?.kind == .typeMismatch)
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: Self.stream(data))
    unarchiver.setClass(Box.self, forClassName: "NSData")
    #expect(throws: TypedstreamError.self) { try unarchiver.decode(Int.self) }
  }

  @Test func `shared data is decoded as one object`() throws {
    let boxes = try untypedstream([Box].self, Self.shared(Self.keyed(Box(3)), count: 2))
    #expect(boxes.map(\.number) == [3, 3] && boxes[0] === boxes[1])
  }

  @Test(arguments: [true, false]) func `a class that is not allowed is an error with its path`(_ isObject: Bool) throws
  {
    let data = try (isObject ? Self.stream : Self.rawStream)(Self.keyed(["a": Box(1)]))
    let offset = try #require(data.range(of: Data("bplist00".utf8))).lowerBound
    let error = typedstreamError(decoding: [String: String].self, data)
    #expect(error?.kind == .classNotAllowed && error?.byteOffset == offset, "\(String(describing: error))")
    #expect(error?.archiveError?.className == "Box" && error?.message.contains("root") == true)
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: data)
    unarchiver.additionalTypes = []
    #expect(throws: TypedstreamError.self) { try unarchiver.decode([String: ArchivedValue].self) }
  }

  @Test func `a damaged archive is an error with its path`() throws {
    let archive = try Self.keyed("text")
    for broken in [Data(archive.dropLast()), Data("bplist00 and no more".utf8), Data("NIBArchive and no more".utf8)] {
      let data = try Self.stream(broken)
      let error = typedstreamError(decoding: String.self, data)
      #expect(error?.byteOffset == data.range(of: broken)?.lowerBound && error?.archiveError != nil)
    }
    let inner = try Self.stream(Data([1])).dropLast()
    let data = try Self.stream(inner)
    let error = typedstreamError(decoding: String.self, data)
    #expect(error?.byteOffset == data.range(of: inner)?.lowerBound && error?.kind == .malformed)
  }

  @Test func `nested archives count towards the limits`() throws {
    let count = LongForm.size(20_000, or: 4_000)
    let shared = try Self.shared(Self.keyed(Array(0..<1000)), count: count)
    let list = PropertyList.array(Array(repeating: .string(String(repeating: "x", count: 500)), count: 500))
    let sharedLists = try Self.shared(list.data(format: .binary), count: count)
    var layers = try Self.keyed(1)
    for _ in 0..<800 { layers = try Self.stream(layers) }
    for decode in [
      { _ = try untypedstream([[Int]].self, shared) }, { _ = try untypedstream([[String]].self, sharedLists) },
    ] {
      var error: TypedstreamError?
      let duration = ThreadClock.measure {
        do { try decode() } catch let found { error = found as? TypedstreamError }
      }
      #expect(error?.kind == .limitExceeded && error?.byteOffset != nil, "\(String(describing: error))")
      #expect(duration < ThreadClock.referenceSecond * 10)
    }
    let error = typedstreamError(decoding: Int.self, layers)
    #expect(error?.kind == .limitExceeded || error?.kind == .nestedTooDeeply)
    let alone = try Self.stream(Self.keyed(Array(0..<1000)))
    let limits = ParsingLimits(expandedSize: 200, expansionRatio: 1)
    #expect(throws: TypedstreamError.self) {
      try TypedstreamUnarchiver.unarchivedObject(of: [Int].self, from: alone, limits: limits)
    }
  }

  @Test func `layers are decoded or refused on a small stack`() throws {
    var layers = try Self.keyed(1)
    for _ in 0..<300 { layers = try Self.stream(layers) }
    let data = layers
    let outcome = OnSmallStack.run { try untypedstream(Int.self, data) }
    let kind = (outcome.error as? TypedstreamError)?.kind
    #expect(outcome.value as? Int == 1 || kind == .nestedTooDeeply || kind == .limitExceeded, "\(outcome)")
  }
}

@Suite("Detecting kinds of archives") struct AnyUnarchiverTests {
  @Test func `the kind is detected by the bytes`() throws {
    let keyed = try KeyedArchiver.archivedData(withRootObject: ["a": 1])
    let stream = try typedstream(of: .dictionary([.string("a"): .integer(1)]))
    let nested = try typedstream(of: .data(keyed))
    let list: PropertyList = ["a": 1]
    let formats: [PropertyListFormat] = [.binary, .xml, .json]
    let lists = try formats.map { try list.data(format: $0) }
    for data in [keyed, stream, nested] + lists {
      #expect(try AnyUnarchiver.unarchivedObject(of: [String: Int].self, from: data) == ["a": 1])
    }
  }

  @Test func `a class that is not allowed is refused`() throws {
    let keyed = try KeyedArchiver.archivedData(withRootObject: Date())
    #expect(throws: KeyedArchiveError.self) { try AnyUnarchiver.unarchivedObject(of: String.self, from: keyed) }
    let stream = try typedstream(of: .date(Date()))
    #expect(throws: TypedstreamError.self) { try AnyUnarchiver.unarchivedObject(of: String.self, from: stream) }
    let nothing = Data([0xFF, 0x00, 0x12])
    #expect(throws: KeyedArchiveError.self) { try AnyUnarchiver.unarchivedObject(of: String.self, from: nothing) }
    // A type that no typedstream contains, and a stream without data.
    let error = #expect(throws: TypedstreamError.self) {
      try AnyUnarchiver.unarchivedObject(of: MessageBody.DetectionResult.self, from: stream)
    }
    #expect(error?.kind == .typeMismatch && error?.byteOffset != nil)
  }
}

@Suite("Limits of typedstreams") struct TypedstreamLimitTests {
  @Test func `exceeding a limit is an error about the object or group that was decoded`() throws {
    let limits = ParsingLimits(expandedSize: 10, expansionRatio: 1)
    let numbers = Piece.stream(Piece.new("i"), [1], Piece.new("[100i]"), Array(repeating: 0, count: 100))
    let unarchiver = try TypedstreamUnarchiver(forReadingFrom: Data(numbers), limits: limits)
    _ = try unarchiver.decode(Int.self)
    let error = #expect(throws: TypedstreamError.self) { try unarchiver.decode([Int].self) }
    #expect(error?.kind == .limitExceeded && error?.byteOffset == 20)
    let array = try typedstream(of: .array((0..<100).map { .integer(.init($0)) }))
    let whole = #expect(throws: TypedstreamError.self) {
      try TypedstreamUnarchiver(Typedstream(array), limits: limits).decode([Int].self)
    }
    #expect(whole?.kind == .limitExceeded && (whole?.byteOffset ?? 0) > 16 && whole?.objectID != nil)
  }

  @Test func `an error about a stream in memory has no offset`() throws {
    var builder = TypedstreamBuilder()
    try builder.group(.array((0..<100).map { .integer(.init($0)) }))
    let stream = try builder.finish()
    let error = #expect(throws: TypedstreamError.self) {
      try TypedstreamUnarchiver(stream, limits: ParsingLimits(expandedSize: 10, expansionRatio: 1)).decode([Int].self)
    }
    #expect(error?.kind == .limitExceeded && error?.byteOffset == nil)
    let message = #expect(throws: TypedstreamError.self) { try MessageBody(stream) }
    #expect(message?.kind == .classNotAllowed && message?.byteOffset == nil)
  }

  @Test func `the limits apply to nested sets, which are hashed at each level`() throws {
    func sets(_ count: Int) throws -> Data {
      try typedstream { builder in
        var last: TypedstreamBuilder.Object?
        try builder.object("NSArray") {
          try $0.group("i", count)
          for _ in 0..<count {
            last = try $0.object("NSSet") {
              try $0.group("I", last == nil ? 0 : 1)
              if let last { try $0.group("@", last) }
            }
          }
        }
        // The last one first, so that it is decoded through all others.
        try builder.beginGroup("@")
        if let last { try builder.append(last) }
      }
    }
    func last(_ data: Data) throws -> ArchivedValue {
      let unarchiver = try TypedstreamUnarchiver(forReadingFrom: data)
      _ = try unarchiver.decode(Typedstream.Object.self)
      return try unarchiver.decode(ArchivedValue.self)
    }
    guard case .set = try last(sets(100)) else { return #expect(Bool(false), "no set") }
    let data = try sets(5000)
    var error: TypedstreamError?
    let duration = ThreadClock.measure {
      do { _ = try last(data) } catch let found { error = found as? TypedstreamError }
    }
    #expect(error?.kind == .limitExceeded || error?.kind == .nestedTooDeeply)
    #expect(duration < ThreadClock.referenceSecond * 15)
  }

  @Test func `finding the offset takes no longer with many objects`() throws {
    struct Number: TypedstreamDecodable {
      static let typedstreamClasses = ["Number"]
      init(from groups: inout TypedstreamGroups) throws { _ = try groups.decode(of: [String.self, Int.self]) }
    }
    let growth = try ThreadClock.growth(from: 1_000, to: LongForm.size(20_000, or: 8_000)) { count in
      try typedstream {
        try $0.object("NSArray") {
          try $0.group("i", count)
          for number in 0..<count { try $0.object("Number") { try $0.group("i", number) } }
        }
      }
    } work: { data in
      let numbers = try untypedstream([Number].self, data)
      #expect(numbers.count >= 1_000)
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }
}
