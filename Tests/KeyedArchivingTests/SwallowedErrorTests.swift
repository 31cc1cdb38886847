import Foundation
import KeyedArchiving
import PropertyLists
import Synchronization
import TestSupport
import Testing

/// A type that decodes two parts, continues after errors, and fails.
private final class Doubter: SecureCoding {
  static let archivedClass = ArchivedClass("Doubter")
  static let triedCount = Mutex(0)

  init(coder: KeyedUnarchiver) throws {
    Self.triedCount.withLock { $0 += 1 }
    _ = try? coder.decode(Doubter.self, forKey: "a")
    _ = try? coder.decode(Doubter.self, forKey: "b")
    throw coder.failure(.invalidContents, "a doubt")
  }

  func encode(with coder: KeyedArchiver) throws {}
}

/// An object that cannot be decoded.
private final class Refuser: SecureCoding {
  static let archivedClass = ArchivedClass("Refuser")

  init(coder: KeyedUnarchiver) throws { throw coder.failure(.invalidContents, "a refusal") }

  func encode(with coder: KeyedArchiver) throws {}
}

/// A `Doubter` that conforms only to `Decodable`.
private struct Doubt: Decodable {
  private enum Key: CodingKey { case a, b }

  init(from decoder: any Decoder) throws {
    Doubter.triedCount.withLock { $0 += 1 }
    let container = try decoder.container(keyedBy: Key.self)
    _ = try? container.decode(Doubt.self, forKey: .a)
    _ = try? container.decode(Doubt.self, forKey: .b)
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "a doubt"))
  }
}

/// A value of several possible types, which are tried one after another.
private enum Anything: Codable, Equatable {
  case number(Int)
  case text(String)
  case list([Anything])
  case entries([String: Anything])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Int.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([Anything].self) {
      self = .list(value)
    } else {
      self = .entries(try container.decode([String: Anything].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .entries(let value): try container.encode(value)
    }
  }
}

@Suite("Types that swallow errors", .serialized) struct SwallowedErrorTests {
  /// The number of levels of values that refer twice to the next level. 16 levels have more paths than the number of
  /// failures that is allowed.
  private static let depths = LongForm.isWanted ? [30, 400] : [16]

  @Test(arguments: depths) func `failures are counted, however often types try again`(_ depth: Int) throws {
    var archive = HandmadeArchive()
    let description = archive.addClass("Doubter")
    var inner = PropertyList.reference(0)
    for _ in 0..<depth { inner = archive.add(["a": inner, "b": inner, "$class": description]) }
    let data = try archive.data(root: inner)
    Doubter.triedCount.withLock { $0 = 0 }
    let error = archiveError { _ = try KeyedUnarchiver.unarchivedObject(of: Doubter.self, from: data) }
    #expect(error?.kind == .limitExceeded || error?.kind == .invalidContents)
    #expect(Doubter.triedCount.withLock { $0 } < 17_000 + data.count)
  }

  @Test(arguments: depths) func `failures of Decodable types are counted`(_ depth: Int) throws {
    var archive = HandmadeArchive()
    let (a, b) = (archive.add("a"), archive.add("b"))
    let description = archive.addClass("NSDictionary")
    var inner = a
    for _ in 0..<depth {
      inner = archive.add(["NS.keys": [a, b], "NS.objects": [inner, inner], "$class": description])
    }
    let data = try archive.data(root: inner)
    Doubter.triedCount.withLock { $0 = 0 }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(throws: (any Error).self) { try unarchiver.decodeDecodable(Doubt.self, forKey: "root") }
    #expect(Doubter.triedCount.withLock { $0 } < 35_000 + data.count)
  }

  @Test func `a program can fail at the top level any number of times`() throws {
    var archive = HandmadeArchive()
    let refuser = archive.addObject("Refuser")
    let visitor = archive.add("text")
    archive.top["other"] = visitor
    let unarchiver = try archive.unarchiver(root: refuser)
    var failureCount = 0
    for _ in 0..<17_000 {
      do { _ = try unarchiver.decode(Refuser.self, forKey: "root") } catch { failureCount += 1 }
    }
    #expect(failureCount == 17_000)
    #expect(try unarchiver.decode(String.self, forKey: "other") == "text")
  }

  @Test func `types that try several types decode large archives`() throws {
    let record = Anything.entries(["id": .number(1), "tags": .list([.text("a"), .entries(["b": .number(2)])])])
    let value = Anything.list(Array(repeating: record, count: 3000))
    let archiver = KeyedArchiver()
    try archiver.encodeEncodable(value, forKey: "root")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    #expect(try unarchiver.decodeDecodable(Anything.self, forKey: "root") == value)
  }

  @Test func `an error has the path to its value, also after caught errors`() throws {
    let unarchiver = try HandmadeArchive.unarchiver {
      let text = $0.add("text")
      return $0.addArray([$0.addArray([text, text]), $0.addArray([text, $0.addUUID()])])
    }
    _ = archiveError { _ = try unarchiver.decode([[Int]].self, forKey: "root") }
    let error = archiveError { _ = try unarchiver.decode([[String]].self, forKey: "root") }
    #expect(error?.path?.description == "root[1][1]" || error?.path?.description == "root.1.1")
    let same = archiveError { _ = try unarchiver.decode([[String]].self, forKey: "root") }
    #expect(error == same && error?.hashValue == same?.hashValue)
  }
}
