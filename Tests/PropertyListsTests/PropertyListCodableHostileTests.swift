import Foundation
import TestSupport
import Testing

import struct PropertyLists.PropertyListDecoder
import struct PropertyLists.PropertyListEncoder

@testable import PropertyLists

@Suite("Codable and hostile input") struct PropertyListCodableHostileTests {
  /// Nests as deeply as a file says.
  struct Branch: Codable {
    var children: [Branch]?
  }

  /// Nests in itself without a container in between.
  struct Onion: Codable {
    init(from decoder: any Decoder) throws { self = try decoder.singleValueContainer().decode(Onion.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self)
    }
    init() {}
  }

  final class Link: Codable {
    var next: Link?
    init(_ next: Link?) { self.next = next }
  }

  static func context(_ body: () throws -> Void) -> (path: [any CodingKey], underlying: PropertyListError?)? {
    do {
      try body()
      return nil
    } catch DecodingError.dataCorrupted(let context) {
      return (context.codingPath, context.underlyingError as? PropertyListError)
    } catch EncodingError.invalidValue(_, let context) {
      return (context.codingPath, context.underlyingError as? PropertyListError)
    } catch {
      Issue.record(error)
      return nil
    }
  }

  /// A binary file of these objects. The first is the root, and references are bytes.
  static func file(_ objects: [[UInt8]]) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [objects.count, 0, table] { bytes += (0..<8).map { UInt8(number >> (56 - 8 * $0) & 0xFF) } }
    return Data(bytes)
  }

  static let childrenKey = [0x58] + Array("children".utf8)

  @Test func `values can be as deep as the limit, and no deeper`() throws {
    var tree: PropertyList = [:]
    for _ in 0..<255 { tree = ["children": [tree]] }
    let data = try tree.data(format: .binary, options: .init(depth: 2000))
    #expect(throws: Never.self) { try PropertyListDecoder().decode(Branch.self, from: data) }
    #expect(throws: Never.self) { try PropertyListDecoder().decode(Branch.self, from: tree) }
    for _ in 0..<2 { tree = ["children": [tree]] }
    let deeper = try tree.data(format: .binary, options: .init(depth: 2000))
    let failure = Self.context { _ = try PropertyListDecoder().decode(Branch.self, from: deeper) }
    #expect(failure?.underlying?.kind == .nestedTooDeeply)
    #expect(failure?.path.count == 512)
    let treeFailure = Self.context { _ = try PropertyListDecoder().decode(Branch.self, from: tree) }
    #expect(treeFailure?.underlying?.kind == .nestedTooDeeply)
    var decoder = PropertyListDecoder()
    decoder.readingOptions.limits.depth = 600
    #expect(throws: Never.self) { try decoder.decode(Branch.self, from: deeper) }
    #expect(throws: Never.self) { try decoder.decode(Branch.self, from: tree) }
  }

  @Test func `an object that contains itself is an error`() throws {
    let data = Self.file([[0xD1, 1, 2], Self.childrenKey, [0xA1, 0]])
    let failure = Self.context { _ = try PropertyListDecoder().decode(Branch.self, from: data) }
    #expect(failure?.underlying?.kind == .circularReference)
  }

  @Test func `decoding repeatedly shared references ends`() throws {
    // Each level contains the next one twice.
    var objects: [[UInt8]] = []
    for level in 0..<60 as Range<UInt8> {
      let next = 2 * level + 2
      objects += [[0xD1, 121, 2 * level + 1], [0xA2, next, next]]
    }
    let data = Self.file(objects + [[0xD0], Self.childrenKey])
    var decoder = PropertyListDecoder()
    decoder.readingOptions.limits.expandedSize = LongForm.size(1 << 19, or: 1 << 14)
    decoder.readingOptions.limits.expansionRatio = LongForm.size(128, or: 4)
    let failure = Self.context { _ = try decoder.decode(Branch.self, from: data) }
    #expect(failure?.underlying?.kind == .limitExceeded)
  }

  @Test func `endlessly nested types are an error, not a stack overflow`() throws {
    let decoding = Self.context { _ = try PropertyListDecoder().decode(Onion.self, from: 1) }
    #expect(decoding?.underlying?.kind == .nestedTooDeeply)
    #expect(Self.context { _ = try PropertyListEncoder().encode(Onion()) } != nil)
    let circle = Link(nil)
    circle.next = circle
    let encoding = Self.context { _ = try PropertyListEncoder().encode(circle) }
    circle.next = nil
    #expect(encoding?.underlying?.kind == .nestedTooDeeply)
    #expect(encoding?.path.count == 512)
  }

  @Test(arguments: [100, 400, 1900])
  func `deep values on a small stack are decoded, or are an error`(_ depth: Int) throws {
    let outcome = OnSmallStack.run {
      var decoder = PropertyListDecoder()
      decoder.readingOptions.limits.depth = 2000
      var encoder = PropertyListEncoder()
      encoder.writingOptions.depth = 2000
      var tree: PropertyList = [:]
      for _ in 0..<depth / 2 { tree = ["children": [tree]] }
      do {
        let branch = try decoder.decode(Branch.self, from: tree)
        #expect(try encoder.encodeToPropertyList(branch) == tree)
      } catch let error where error is DecodingError || error is EncodingError {
        #expect(depth > 100)
      }
    }
    #expect(outcome.error == nil)
  }

  @Test func `a defect of a binary file is an error with its path`() throws {
    var data = try PropertyList.dictionary(["list": [1, "some text"]]).data(format: .binary)
    let offset = try #require(data.firstRange(of: Data("some".utf8))?.lowerBound)
    data[offset] = 0xFF
    struct Lists: Decodable { var list: [Element] }
    enum Element: Decodable {
      case value
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? container.decode(Int.self)) == nil { _ = try container.decode(String.self) }
        self = .value
      }
    }
    let failure = Self.context { _ = try PropertyListDecoder().decode(Lists.self, from: data) }
    #expect(failure?.path.map(\.stringValue) == ["list", "Index 1"])
    #expect(failure?.underlying?.kind == .malformed)
    #expect(failure?.underlying?.byteOffset == offset)
    #expect(Self.context { _ = try PropertyListDecoder().decode(Lists.self, from: Data()) }?.underlying != nil)
  }

  @Test func `a duplicate key whose choice would be random is an error`() throws {
    let document = Data("<plist version=\"1.0\"><dict><key>a</key><true/><key>a</key><false/></dict></plist>".utf8)
    let failure = Self.context { _ = try PropertyListDecoder().decode([String: Bool].self, from: document) }
    #expect(failure?.underlying?.kind == .duplicateKey)
    var decoder = PropertyListDecoder()
    decoder.readingOptions.duplicateKeys = .keepLast
    #expect(try decoder.decode([String: Bool].self, from: document) == ["a": false])
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `damaged files never trap, and decode like their trees`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let original = [UInt8](try PropertyListEncoder().encode(PropertyListCodableTests.window))
    let branch = Branch(children: [Branch(children: nil), Branch(children: [Branch(children: [])])])
    let branches = [UInt8](try PropertyListEncoder().encode(branch))
    for _ in 0..<LongForm.size(2000, or: 200) {
      var bytes = original
      bytes.damage(using: &random)
      expectSame(PropertyListCodableTests.Window.self, Data(bytes))
      bytes = branches
      bytes.damage(using: &random)
      expectSame(Branch.self, Data(bytes))
    }
  }

  /// A file that cannot be read completely may be decoded, because only requested parts are read.
  private func expectSame<T: Codable>(_ type: T.Type, _ data: Data) {
    let decoded = Result { try PropertyListDecoder().decode(T.self, from: data) }
    if case .failure(let error) = decoded {
      #expect(error is DecodingError, "\(data.base64EncodedString())")
    }
    guard let tree = try? PropertyList(data) else { return }
    let fromTree = Result { try PropertyListDecoder().decode(T.self, from: tree) }
    // As bytes, because NaN is not equal to itself.
    let bytes = [decoded, fromTree].map { result in try? PropertyListEncoder().encode(result.get()) }
    #expect(bytes[0] == bytes[1], "\(data.base64EncodedString())")
  }
}
