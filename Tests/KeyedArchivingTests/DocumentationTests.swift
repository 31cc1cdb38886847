import Foundation
import KeyedArchiving
import PropertyLists
import Testing

/// What the README and the articles show, run.
@Suite("The examples of the documentation")
struct DocumentationTests {
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

  @Test("a Codable type needs no code")
  func codable() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Settings(volume: 0.5))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Settings.self, from: data).volume == 0.5)
  }

  @Test("persons who are friends of each other")
  func friends() throws {
    let (kim, lee) = (Person(name: "Kim", born: .distantPast), Person(name: "Lee", born: .distantFuture))
    (kim.friends, lee.friends) = ([lee], [kim])
    defer { (kim.friends, lee.friends) = ([], []) }
    let copy = try KeyedUnarchiver.unarchivedObject(
      of: Person.self, from: KeyedArchiver.archivedData(withRootObject: kim))
    #expect(copy.friends[0].name == "Lee")
    #expect(copy.friends[0].friends[0] === copy)
    copy.friends = []
  }

  @Test("errors say where, as the README has it")
  func errors() throws {
    let invoices = [Invoice(total: 1), Invoice(total: 2), Invoice(total: 3), Invoice(total: 4)]
    var archive = try PropertyList(KeyedArchiver.archivedData(withRootObject: invoices))
    let objects = try #require(archive["$objects"]?.array)
    let total = try #require(objects.lastIndex { $0["NS.mantissa"] != nil })
    archive.dictionary?["$objects"]?.array?[total] = "a lot"
    let data = try archive.data(format: .binary)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(of: [Invoice].self, from: data)
    }
    #expect(error?.description == "root[3].total: a string, where Decimal is due (object 11)")
    #expect(error?.code == 4864)
  }

  @Test("errors of a type's own checks say where")
  func checks() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: ["load": Progress(percent: 101)])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(of: [String: Progress].self, from: data)
    }
    #expect(error?.description == "root.load.percent: 101 percent (object 3, Progress)")
  }
}

extension DocumentationTests {
  @Test("the tree that the article shows")
  func tree() throws {
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
