import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

private class Ticket: SecureCoding {
  class var archivedClass: ArchivedClass { ArchivedClass("Ticket") }

  required init(coder: KeyedUnarchiver) throws {}
  func encode(with coder: KeyedArchiver) throws {}
}

/// Has the class name of its superclass.
private final class SeasonTicket: Ticket {}

private final class Note: SecureCoding {
  static let archivedClass = ArchivedClass("Note")

  let info: [String: ArchivedValue]

  init(coder: KeyedUnarchiver) throws { info = try coder.decode([String: ArchivedValue].self, forKey: "info") }
  func encode(with coder: KeyedArchiver) throws {}
}

@Suite("Which types an archive's objects may be") struct AdmissionTests {
  @Test func `a class description whose $classes begins with another class is malformed`() throws {
    for classes in [["Evil", "Ticket", "NSObject"], ["NSObject", "Ticket"], ["Evil"], []] {
      var archive = HandmadeArchive()
      let description = archive.add(["$classname": "Ticket", "$classes": .array(classes.map { .string($0) })])
      let object = archive.add(["$class": description])
      let error = archiveError { _ = try archive.decode(Ticket.self, root: object) }
      #expect(error?.kind == .malformed, "\(classes)")
      // An archiver that renames a class can keep the names of its ancestors.
      let unarchiver = try archive.unarchiver(root: object)
      unarchiver.setClass(Ticket.self, forClassName: "Ticket")
      _ = try unarchiver.decode(Ticket.self, forKey: "root")
    }
  }

  @Test("a class that inherits its superclass's class name is not decoded, in any order of the types")
  func inheritedName() throws {
    var archive = HandmadeArchive()
    let object = archive.addObject("Ticket")
    let error = archiveError { _ = try archive.decode(SeasonTicket.self, root: object) }
    #expect(error?.kind == .classNotAllowed)
    #expect(error?.message.contains("override archivedClass") == true)
    for types in [[SeasonTicket.self, Ticket.self], [Ticket.self, SeasonTicket.self]] {
      let unarchiver = try archive.unarchiver(root: object)
      let ticket = try unarchiver.decode(of: types, forKey: "root")
      #expect(type(of: ticket) == Ticket.self)
    }
    // Its own name, even if only in this archive, distinguishes it from the other.
    let unarchiver = try archive.unarchiver(root: object)
    unarchiver.setClass(SeasonTicket.self, forClassName: "Ticket")
    #expect(type(of: try unarchiver.decode(SeasonTicket.self, forKey: "root")) == SeasonTicket.self)
  }

  @Test func `types that a call adds are allowed only for that call`() throws {
    var archive = HandmadeArchive()
    let ticket = archive.addObject("Ticket")
    let list = archive.addArray([ticket, archive.add("text")])
    archive.top = ["list": list, "again": list]
    let unarchiver = try archive.unarchiver()
    // Often enough that the arrays are cached.
    for _ in 0..<3 {
      for key in ["list", "again"] {
        let error = archiveError { _ = try unarchiver.decode([ArchivedValue].self, forKey: key) }
        #expect(error?.kind == .classNotAllowed)
        let values = try unarchiver.decode([ArchivedValue].self, additionalTypes: [Ticket.self], forKey: key)
        guard case .object(let object) = values.first else {
          Issue.record("\(values)")
          continue
        }
        #expect(object is Ticket && values.last == .string("text"))
      }
    }
    #expect(unarchiver.additionalTypes.isEmpty)
    #expect(archiveError { _ = try unarchiver.decode(Int.self, additionalTypes: [Ticket.self], forKey: "none") } != nil)
    #expect(unarchiver.additionalTypes.isEmpty)
  }

  @Test func `types that a call adds are also allowed inside the decoded value`() throws {
    var archive = HandmadeArchive()
    let entries: OrderedDictionary<String, PropertyList> = [
      "NS.keys": [archive.add("key")], "NS.objects": [archive.addObject("Ticket")],
    ]
    let note = archive.addObject("Note", ["info": archive.addObject("NSDictionary", entries)])
    let error = archiveError { _ = try archive.decode(Note.self, root: note) }
    #expect(error?.kind == .classNotAllowed && error?.className == "Ticket")
    let unarchiver = try archive.unarchiver(root: note)
    let decoded = try unarchiver.decode(Note.self, additionalTypes: [Ticket.self], forKey: "root")
    #expect(decoded.info.count == 1)
  }

  @Test func `the description of a value is short, even if its parts are shared`() throws {
    let file = (0..<60).reduce(ArchivedValue.string("leaf")) { inner, _ in .array([inner, inner, .integer(1)]) }
    for text in ["\(file)", String(reflecting: file), String(reflecting: [file])] {
      #expect(text.utf8.count < 3000)
    }
    let value = ArchivedValue.dictionary([
      .string("a"): .array([.null, .boolean(true), .integer(5), .real(1.5), .data(Data(count: 3))]),
      .integer(1): .set([.string("b")]), .string("c"): .dictionary([:]),
    ])
    #expect("\(value)" == #"["a": [null, true, 5, 1.5, <data, 3 bytes>], 1: {"b"}, "c": [:]]"#)
  }
}
