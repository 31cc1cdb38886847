import Foundation
import KeyedArchiving
import PropertyLists
import Testing

/// A class that is not final, without code for archiving, and a subclass with more properties.
private class Instrument: Codable, SecureCoding {
  var name: String

  init(name: String) { self.name = name }
}

private final class Guitar: Instrument {
  private enum Keys: CodingKey { case strings }
  var strings: Int

  init(name: String, strings: Int) {
    self.strings = strings
    super.init(name: name)
  }

  required init(from decoder: any Decoder) throws {
    strings = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .strings)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(strings, forKey: .strings)
  }
}

/// A generic type without code for archiving.
private struct Page<Element: Codable & Equatable>: Codable, SecureCoding, Equatable {
  var elements: [Element]
}

/// A generic class that is not final and has its own archiving code.
private class Crate<Content: SecureCoding>: SecureCoding {
  class var archivedClass: ArchivedClass { ArchivedClass("Crate") }
  var content: Content

  init(_ content: Content) { self.content = content }
  required init(coder: KeyedUnarchiver) throws { content = try coder.decode(Content.self, forKey: "content") }
  func encode(with coder: KeyedArchiver) throws { try coder.encode(content, forKey: "content") }
}

private final class LabelledCrate<Content: SecureCoding>: Crate<Content> {
  override class var archivedClass: ArchivedClass { ArchivedClass("LabelledCrate", superclass: super.archivedClass) }
}

private enum Suit: String, Codable, SecureCoding { case hearts, spades }

/// Types that conform in the ways that the article describes.
@Suite("Conforming types") struct ConformingTypesTests {
  private func again<T: SecureCoding>(_ value: T) throws -> T {
    try KeyedUnarchiver.unarchivedObject(of: T.self, from: KeyedArchiver.archivedData(withRootObject: value))
  }

  @Test func `a class that is not final, and its subclass, need no code`() throws {
    #expect(try again(Instrument(name: "drum")).name == "drum")
    let guitar = try again(Guitar(name: "lute", strings: 6))
    #expect(guitar.name == "lute" && guitar.strings == 6)
    let both = [Instrument(name: "drum"), Guitar(name: "lute", strings: 6)]
    let data = try KeyedArchiver.archivedData(withRootObject: both)
    let copies = try KeyedUnarchiver.unarchivedObject(
      [Instrument].self, of: [Instrument.self, Guitar.self], from: data)
    #expect(copies.map(\.name) == ["drum", "lute"] && (copies[1] as? Guitar)?.strings == 6)
    #expect(Guitar.archivedClass.ancestors == [Instrument.archivedClass.name, "NSObject"])
  }

  @Test func `several specializations of a generic type are in one archive`() throws {
    #expect(try again(Page(elements: [1, 2])) == Page(elements: [1, 2]))
    #expect(try again(Page(elements: ["a"])) == Page(elements: ["a"]))
    #expect(try again(Page(elements: [Page(elements: [Suit.hearts])])).elements[0].elements == [.hearts])
    #expect(Page<Int>.archivedClass.name != Page<String>.archivedClass.name)
    let archiver = KeyedArchiver()
    try archiver.encode([Page(elements: [1]), Page(elements: ["a"])] as [any SecureCoding], forKey: "pages")
    let pages = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
      .decode([any SecureCoding].self, of: [Page<Int>.self, Page<String>.self], forKey: "pages")
    #expect(pages[0] as? Page<Int> == Page(elements: [1]) && pages[1] as? Page<String> == Page(elements: ["a"]))
  }

  @Test func `a generic class, and its subclass`() throws {
    #expect(try again(Crate("text")).content == "text")
    #expect(try again(LabelledCrate([1])).content == [1])
    let data = try KeyedArchiver.archivedData(withRootObject: [Crate(1), LabelledCrate(2)])
    let types: [any SecureCoding.Type] = [Crate<Int>.self, LabelledCrate<Int>.self]
    let crates = try KeyedUnarchiver.unarchivedObject([Crate<Int>].self, of: types, from: data)
    #expect(crates.map(\.content) == [1, 2] && crates[1] is LabelledCrate<Int>)
  }
}
