import ArchiveViews
import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

/// The common protocol of shapes.
private protocol Drawable: SecureCoding {
  var color: String { get }
}

extension Shape: Drawable {}

/// The code of the README and the articles.
@Suite("The documentation examples of keyed archives") struct DocumentationTests {
  struct Settings: Codable, SecureCoding { var volume: Double }

  final class Person: SecureCoding {
    static let archivedClass = ArchivedClass("Person")
    var name: String
    var born: Date
    var friends: [Person]

    init(name: String, born: Date) { (self.name, self.born, friends) = (name, born, []) }

    func encode(with coder: KeyedArchiver) throws {
      try coder.encode(name, forKey: "name")
      try coder.encode(born, forKey: "born")
      try coder.encode(friends, forKey: "friends")
    }

    init(coder: KeyedUnarchiver) throws {
      name = try coder.decode(String.self, forKey: "name")
      born = try coder.decode(Date.self, forKey: "born")
      friends = []
      coder.publish(self)
      friends = try coder.decode([Person].self, forKey: "friends")
    }
  }

  struct Invoice: SecureCoding {
    static let archivedClass = ArchivedClass("Invoice")
    var total: Decimal

    init(total: Decimal) { self.total = total }
    init(coder: KeyedUnarchiver) throws { total = try coder.decode(Decimal.self, forKey: "total") }
    func encode(with coder: KeyedArchiver) throws { try coder.encode(total, forKey: "total") }
  }

  struct Progress: SecureCoding {
    static let archivedClass = ArchivedClass("Progress")
    var percent: Int

    init(percent: Int) { self.percent = percent }
    init(coder: KeyedUnarchiver) throws {
      percent = try coder.decode(Int.self, forKey: "percent")
      guard (0...100).contains(percent) else { throw coder.failure(.invalidContents, "\(percent) percent") }
    }
    func encode(with coder: KeyedArchiver) throws { try coder.encode(percent, forKey: "percent") }
  }

  @Test func `a Codable type needs no code`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Settings(volume: 0.5))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Settings.self, from: data).volume == 0.5)
  }

  @Test func `people who are friends of each other`() throws {
    let (kim, lee) = (Person(name: "Kim", born: .distantPast), Person(name: "Lee", born: .distantFuture))
    (kim.friends, lee.friends) = ([lee], [kim])
    defer { (kim.friends, lee.friends) = ([], []) }
    let copy = try KeyedUnarchiver.unarchivedObject(
      of: Person.self, from: KeyedArchiver.archivedData(withRootObject: kim))
    #expect(copy.friends[0].name == "Lee")
    #expect(copy.friends[0].friends[0] === copy)
    copy.friends = []
  }

  @Test func `errors have a path, as in the README`() throws {
    let invoices = [Invoice(total: 1), Invoice(total: 2), Invoice(total: 3), Invoice(total: 4)]
    var archive = try PropertyList(KeyedArchiver.archivedData(withRootObject: invoices))
    let objects = try #require(archive["$objects"]?.array)
    let total = try #require(objects.lastIndex { $0["NS.mantissa"] != nil })
    archive.dictionary?["$objects"]?.array?[total] = "a lot"
    let data = try archive.data(format: .binary)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(of: [Invoice].self, from: data)
    }
    #expect(error?.description == "root[3].total: expected Decimal, found a string (object 11)")
    #expect(error?.code == 4864)
  }

  @Test func `errors of a type's own checks have a path`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: ["load": Progress(percent: 101)])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(of: [String: Progress].self, from: data)
    }
    #expect(error?.description == "root.load.percent: 101 percent (object 3, Progress)")
  }
}

extension DocumentationTests {
  @Test func `several types, and objects of unknown classes, as in the README`() throws {
    let archiver = KeyedArchiver()
    try archiver.encode([Circle(color: "red", radius: 1), Square(color: "blue")] as [any Drawable], forKey: "root")
    let drawing = try archiver.encodedData()
    let shapes = try KeyedUnarchiver.unarchivedObject(
      [any Drawable].self, of: [Circle.self, Square.self], from: drawing)
    #expect(shapes.map { $0.color } == ["red", "blue"])

    let document = try Fixtures.data("archives/attributed-font.bplist")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: document)
    unarchiver.setClass(OpaqueObject.self, forClassName: "NSFont")
    // The text of the fixture has more attributes than a font.
    for name in ["NSMutableParagraphStyle", "NSTextTab", "NSTextAttachment", "NSTextAttachmentCell"] {
      unarchiver.setClass(OpaqueObject.self, forClassName: name)
    }
    let text = try unarchiver.decode(Archived.AttributedString.self, forKey: "root")
    #expect(text.runs.count == 2)
  }

  /// An old archive lacks one property.
  private struct Look: Codable, SecureCoding {
    static let archivedClass = ArchivedClass("Look")
    var volume: Double
    var theme = "light"
    var note: String?

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      volume = try container.decode(Double.self, forKey: .volume)
      theme = try container.decodeIfPresent(String.self, forKey: .theme) ?? "light"
      note = try container.decodeIfPresent(String.self, forKey: .note)
    }
  }

  @Test func `a property that is missing from an old archive gets its default`() throws {
    let archive = try HandmadeArchive.unarchiver { $0.addObject("Look", ["volume": 0.5]) }
    let look = try archive.decode(Look.self, forKey: "root")
    #expect(look.volume == 0.5 && look.theme == "light" && look.note == nil)
  }

  @Test func `the surprises that the article describes`() throws {
    func again<T: SecureCoding>(_ value: T) throws -> T {
      try KeyedUnarchiver.unarchivedObject(of: T.self, from: KeyedArchiver.archivedData(withRootObject: value))
    }
    let components = try again(DateComponents(year: 2026, month: 2))
    #expect(components.calendar == nil && components.date == nil && components.year == 2026)
    // One run has a dictionary, several runs have an array of dictionaries.
    let run = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: Archived.AttributedString("ab", attributes: ["a": .integer(1)])))
    #expect(try run.classes.map(\.description.name) == ["NSDictionary", "NSAttributedString"])
    // Equal values are archived once.
    let equal = try KeyedArchiver.archivedData(withRootObject: [Invoice(total: 1), Invoice(total: 1)])
    #expect(try KeyedArchive(equal).classes.first { $0.description.name == "Invoice" }?.instanceCount == 1)
  }

  @Test func `the tree that the article shows`() throws {
    final class Person: SecureCoding {
      static let archivedClass = ArchivedClass("Person")
      var name: String
      var friends: [Person] = []
      init(_ name: String) { self.name = name }
      init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
      func encode(with coder: KeyedArchiver) throws {
        try coder.encode(name, forKey: "name")
        try coder.encode(friends, forKey: "friends")
      }
    }
    let (ada, charles) = (Person("Ada"), Person("Charles"))
    (ada.friends, charles.friends) = ([charles], [ada])
    defer { (ada.friends, charles.friends) = ([], []) }
    let archive = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: ada))
    #expect(
      try archive.tree() == """
        root: #1 Person
          name: "Ada"
          friends: [
            Person
              name: "Charles"
              friends: [
                → #1
              ]
          ]
        """)
    #expect(archive.check().isEmpty)
  }
}
