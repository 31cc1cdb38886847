import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// An object that does not match its class.
struct Hostile: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let kind: KeyedArchiveError.Kind
  let decode: @Sendable (SourceLocation) throws -> KeyedArchiveError?

  /// - Parameters:
  ///   - fields: the fields of the object, without its class.
  ///   - others: the objects that it refers to, from UID 3.
  init<T: SecureCoding>(
    _ name: String, _ type: T.Type, _ className: PropertyList, _ kind: KeyedArchiveError.Kind,
    _ fields: OrderedDictionary<String, PropertyList>, _ others: [PropertyList] = []
  ) {
    testDescription = name
    self.kind = kind
    decode = { error(decoding: type, try archive(className, fields, others), sourceLocation: $0) }
  }
}

/// Makes hostile objects of a class.
struct HostileClass<T: SecureCoding>: Sendable {
  let type: T.Type
  let className: PropertyList
  /// The prefix of the name of each object.
  let subject: String
  let others: [PropertyList]

  init(_ type: T.Type, _ className: PropertyList, _ subject: String, _ others: [PropertyList] = []) {
    (self.type, self.className, self.subject, self.others) = (type, className, subject, others)
  }

  func callAsFunction(
    _ name: String, _ kind: KeyedArchiveError.Kind, _ fields: OrderedDictionary<String, PropertyList>
  ) -> Hostile {
    Hostile("\(subject) \(name)", type, className, kind, fields, others)
  }
}

@Suite("Hostile contents") struct HostileContentsTests {
  @Test(arguments: Hostile.collections)
  func `hostile collections are errors with their path`(_ hostile: Hostile) throws { try check(hostile) }

  @Test(arguments: Hostile.values)
  func `hostile values are errors with their path`(_ hostile: Hostile) throws { try check(hostile) }

  @Test(arguments: Hostile.times)
  func `hostile dates, locales and time zones are errors with their path`(_ hostile: Hostile) throws {
    try check(hostile)
  }

  @Test(arguments: Hostile.others)
  func `hostile contents of other classes are errors with their path`(_ hostile: Hostile) throws { try check(hostile) }

  private func check(_ hostile: Hostile, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let error = try #require(try hostile.decode(sourceLocation))
    #expect(error.kind == hostile.kind, "\(error)")
    #expect(!error.message.isEmpty && !error.message.contains("\n"))
    #expect(error.path?.components.first == .key("root"))
    #expect(error.uid != nil)
  }

  @Test func `contents of a class that is not allowed are not read`() throws {
    let data = try archive("NSURL", ["NS.relative": "x"])
    #expect(error(decoding: Archived.IndexSet.self, data)?.kind == .classNotAllowed)
    #expect(error(decoding: Archived.Value.self, data)?.kind == .classNotAllowed)
    #expect(error(decoding: Archived.Unit.self, data)?.kind == .classNotAllowed)
    #expect(
      error(decoding: Archived.Mutable<Archived.IndexSet>.self, try archive("NSIndexSet", [:]))?.kind
        == .classNotAllowed)
  }

  /// Nested errors, each the underlying error of the next.
  @Test func `contents that are too deep for the stack are an error`() throws {
    var objects: [PropertyList] = []
    let count = UInt32(LongForm.size(20_000, or: 2_000))
    for index in 0..<count {
      let next = 3 * index + 4
      objects.append([
        "NSDomain": .uid(3 * count + 1), "NSCode": 1, "NSUserInfo": .uid(next - 2), "$class": .uid(3 * count + 2),
      ])
      objects.append(["NS.keys": [.uid(3 * count + 1)], "NS.objects": [.uid(next)], "$class": .uid(3 * count + 3)])
      objects.append("unused")
    }
    objects += ["domain", classDescription(["NSError", "NSObject"]), classDescription(["NSDictionary", "NSObject"])]
    let data = try archive(objects)
    let outcome = OnSmallStack.run { try unarchive(Archived.Error.self, data) }
    #expect((outcome.error as? KeyedArchiveError)?.kind == .nestedTooDeeply)
  }

  /// A number replaces the object. Its value is not a length.
  @Test(arguments: [Int64.max, .min, -1] as [Int64], [true, false])
  func `a number in place of an object is an error`(_ number: Int64, _ isReal: Bool) throws {
    let value: PropertyList = isReal ? .real(Double(bitPattern: UInt64(bitPattern: number))) : .integer(.init(number))
    let data = try archive([["NS.objects": [.uid(3), .uid(3)], "$class": .uid(2)], Description.array, value])
    #expect(error(decoding: [Date].self, data)?.kind == .typeMismatch)
    #expect(error(decoding: [UUID].self, data)?.kind == .typeMismatch)
    #expect(error(decoding: [URL].self, data)?.kind == .typeMismatch)
    #expect(error(decoding: [Archived.Unit].self, data)?.kind == .typeMismatch)
  }

  /// A circle of errors.
  @Test func `circular contents are an error`() throws {
    let data = try archive(
      "NSError", ["NSDomain": .uid(3), "NSCode": 1, "NSUserInfo": .uid(4)],
      ["domain", ["NS.keys": [.uid(3)], "NS.objects": [.uid(1)], "$class": .uid(5)], Description.dictionary])
    #expect(error(decoding: Archived.Error.self, data)?.kind == .circularReference)
    let url = try archive("NSURL", ["NS.base": .uid(1), "NS.relative": "x"])
    #expect(error(decoding: URL.self, url)?.kind == .circularReference)
    let color = try archive("NSColor", ["NSColor": .uid(1)])
    #expect(error(decoding: Archived.Color.self, color)?.kind == .circularReference)
  }
}
