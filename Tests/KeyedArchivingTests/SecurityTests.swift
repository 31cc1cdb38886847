import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Synchronization
import Testing

/// A type that is never allowed in these tests. An archive that creates one has succeeded.
private final class Intruder: SecureCoding {
  static let archivedClass = ArchivedClass("Intruder", superclass: Visitor.archivedClass)
  static let madeCount = Mutex(0)

  init(coder: KeyedUnarchiver) throws { Self.madeCount.withLock { $0 += 1 } }

  func encode(with coder: KeyedArchiver) throws {}
}

/// A type that is decoded only where it is allowed. One of its properties can contain another type.
private class Visitor: SecureCoding, Hashable {
  class var archivedClass: ArchivedClass { ArchivedClass("Visitor") }

  let companion: Visitor?

  init() { companion = nil }

  required init(coder: KeyedUnarchiver) throws {
    companion = try coder.decodeIfPresent(Visitor.self, forKey: "companion")
  }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(companion, forKey: "companion") }

  static func == (first: Visitor, second: Visitor) -> Bool { first === second }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private final class Guest: Visitor {
  override class var archivedClass: ArchivedClass { ArchivedClass("Guest", superclass: super.archivedClass) }
}

@Suite("Types that an archive can create") struct SecurityTests {
  /// Archives with a forbidden object somewhere, and calls that request something else there.
  static let breaks: [HandmadeRoot] = [
    HandmadeRoot("the root", Visitor.self) { $0.addObject("Intruder") },
    HandmadeRoot("an object that a subclass was named for", Guest.self) { $0.addObject("Intruder") },
    HandmadeRoot("what an object consists of", Visitor.self) {
      $0.addObject("Visitor", ["companion": $0.addObject("Intruder")])
    },
    HandmadeRoot("an element of an array", [Visitor].self) {
      $0.addArray([$0.addObject("Visitor"), $0.addObject("Intruder")])
    },
    HandmadeRoot("an element of an array in an array", [[Visitor?]].self) {
      $0.addArray([$0.addArray([.reference(0), $0.addObject("Intruder")])])
    },
    HandmadeRoot("an element of an array of several types") {
      _ = try $0.decode([any SecureCoding].self, of: [Visitor.self, Guest.self, String.self], forKey: "root")
    } _: {
      $0.addArray([$0.add("text"), $0.addObject("Guest"), $0.addObject("Intruder")])
    },
    HandmadeRoot("one of several types") {
      _ = try $0.decode(of: [Visitor.self, Guest.self, ArchivedValue.self], forKey: "root")
    } _: {
      $0.addObject("Intruder")
    },
    HandmadeRoot("a key of a dictionary", [Visitor: String].self) {
      $0.addObject("NSDictionary", ["NS.keys": [$0.addObject("Intruder")], "NS.objects": [$0.add("value")]])
    },
    HandmadeRoot("a value of a dictionary", OrderedDictionary<String, Visitor>.self) {
      $0.addObject("NSDictionary", ["NS.keys": [$0.add("key")], "NS.objects": [$0.addObject("Intruder")]])
    },
    HandmadeRoot("an element of a set", Set<Visitor>.self) {
      $0.addObject("NSSet", ["NS.objects": [$0.addObject("Intruder")]])
    },
    HandmadeRoot("an element of an ordered set", OrderedSet<Visitor>.self) {
      $0.addObject("NSOrderedSet", ["NS.object.0": $0.addObject("Intruder")])
    },
    HandmadeRoot("what a value of any type consists of", ArchivedValue.self) {
      $0.addArray([$0.addObject("NSSet", ["NS.objects": [$0.addObject("Intruder")]])])
    },
    HandmadeRoot("a value of any type, when others were added") {
      $0.additionalTypes = [Visitor.self, Guest.self]
      _ = try $0.decode(ArchivedValue.self, forKey: "root")
    } _: {
      $0.addArray([$0.addObject("Visitor"), $0.addObject("Intruder")])
    },
    HandmadeRoot("the text of a string", String.self) {
      $0.addObject("NSMutableString", ["NS.string": $0.addObject("Intruder")])
    },
    HandmadeRoot("the bytes of data", Data.self) {
      $0.addObject("NSMutableData", ["NS.data": $0.addObject("Intruder")])
    },
    HandmadeRoot("the base of a URL", URL.self) {
      $0.addObject("NSURL", ["NS.base": $0.addObject("Intruder"), "NS.relative": $0.add("a")])
    },
  ]

  @Test(arguments: breaks)
  func `a class that is not allowed is refused, and not created`(_ attempt: HandmadeRoot) throws {
    var archive = HandmadeArchive()
    let root = attempt.build(&archive)
    for format in PropertyListFormat.allCases {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archive.data(root: root, format: format))
      let error = archiveError { try attempt.decode(unarchiver) }
      #expect(error?.kind == .classNotAllowed)
      #expect(error?.className == "Intruder")
      #expect(error?.code == 4864)
      #expect(error?.uid.map { archive.objects[Int($0.value)].kind } == .dictionary)
    }
    #expect(Intruder.madeCount.withLock { $0 } == 0)
  }
}

/// The types of class names.
extension SecurityTests {
  @Test func `a listed class does not allow another`() throws {
    var archive = HandmadeArchive()
    let uuid = archive.addUUID()
    let visitor = archive.addObject("Visitor", ["companion": uuid])
    let error = archiveError { _ = try archive.decode(Visitor.self, root: visitor) }
    #expect(error?.kind == .classNotAllowed && error?.className == "NSUUID")
    #expect(error?.path?.description == "root.companion")
    #expect(archiveError { _ = try archive.decode(URL.self, root: uuid) }?.kind == .classNotAllowed)
    #expect(archiveError { _ = try archive.decode([UUID].self, root: uuid) }?.kind == .classNotAllowed)
  }

  @Test func `a list of types applies to the objects of the call, not to their contents`() throws {
    var archive = HandmadeArchive()
    let guest = archive.addObject("Guest")
    let visitor = archive.addObject("Visitor", ["companion": guest])
    let unarchiver = try archive.unarchiver(root: visitor)
    let error = archiveError { _ = try unarchiver.decode(of: [Visitor.self, Guest.self], forKey: "root") }
    #expect(error?.kind == .classNotAllowed && error?.className == "Guest")
  }

  @Test func `a subclass is accepted only where it is allowed`() throws {
    var archive = HandmadeArchive()
    let guest = archive.addObject("Guest")
    #expect(archiveError { _ = try archive.decode(Visitor.self, root: guest) }?.kind == .classNotAllowed)
    #expect(try archive.decode(Guest.self, root: guest).companion == nil)
    let unarchiver = try archive.unarchiver(root: guest)
    #expect(try unarchiver.decode(Visitor.self, of: [Visitor.self, Guest.self], forKey: "root") is Guest)
  }

  @Test func `an object that was decoded with a broad list is refused with a narrow one`() throws {
    var archive = HandmadeArchive()
    let uuid = archive.addUUID()
    let guest = archive.addObject("Guest")
    archive.top = ["uuid": uuid, "guest": guest]
    let array = archive.addArray([uuid, guest])
    let unarchiver = try archive.unarchiver(root: array)
    let list = try unarchiver.decode(
      [any SecureCoding].self, of: [UUID.self, Guest.self, Visitor.self], forKey: "root")
    #expect(list.count == 2)
    // Requested often enough to be cached.
    for _ in 0..<3 {
      #expect(try unarchiver.decode(UUID.self, forKey: "uuid").uuid.15 == 15)
      #expect(archiveError { _ = try unarchiver.decode(URL.self, forKey: "uuid") }?.kind == .classNotAllowed)
      #expect(archiveError { _ = try unarchiver.decode(String.self, forKey: "uuid") }?.kind == .classNotAllowed)
      #expect(archiveError { _ = try unarchiver.decode(Visitor.self, forKey: "guest") }?.kind == .classNotAllowed)
    }
    #expect(try unarchiver.decode(Guest.self, forKey: "guest") === list[1] as? Guest)
  }

  @Test func `an object is one object, also when two types have the name of its class`() throws {
    final class Double: SecureCoding {
      static let archivedClass = ArchivedClass("Guest")
      init(coder: KeyedUnarchiver) {}
      func encode(with coder: KeyedArchiver) {}
    }
    let unarchiver = try HandmadeArchive.unarchiver { $0.addObject("Guest") }
    let guest = try unarchiver.decode(Guest.self, forKey: "root")
    #expect(archiveError { _ = try unarchiver.decode(Double.self, forKey: "root") }?.kind == .classNotAllowed)
    #expect(try unarchiver.decode(Guest.self, forKey: "root") === guest)
  }

  @Test func `an empty list of types allows nothing`() throws {
    let unarchiver = try HandmadeArchive.unarchiver { $0.addObject("Guest") }
    #expect(archiveError { _ = try unarchiver.decode(of: [], forKey: "root") }?.kind == .classNotAllowed)
    let text = try HandmadeArchive.unarchiver { $0.add("text") }
    #expect(archiveError { _ = try text.decode(of: [], forKey: "root") }?.kind == .typeMismatch)
  }

  @Test func `the type that a class is mapped to is created only if it is requested`() throws {
    var archive = HandmadeArchive()
    let old = archive.addObject("OldGuest")
    let unarchiver = try archive.unarchiver(root: old)
    #expect(archiveError { _ = try unarchiver.decode(Guest.self, forKey: "root") }?.kind == .classNotAllowed)
    unarchiver.setClass(Guest.self, forClassName: "OldGuest")
    #expect(unarchiver.class(forClassName: "OldGuest") is Guest.Type)
    #expect(archiveError { _ = try unarchiver.decode(Visitor.self, forKey: "root") }?.kind == .classNotAllowed)
    #expect(archiveError { _ = try unarchiver.decode(ArchivedValue.self, forKey: "root") }?.kind == .classNotAllowed)
    #expect(try unarchiver.decode(Guest.self, forKey: "root").companion == nil)
    unarchiver.setClass(nil, forClassName: "OldGuest")
    #expect(unarchiver.class(forClassName: "OldGuest") == nil)
    #expect(archiveError { _ = try unarchiver.decode(Guest.self, forKey: "root") }?.kind == .classNotAllowed)
  }

  @Test func `a class that is mapped to another type is not its own type any more`() throws {
    let unarchiver = try HandmadeArchive.unarchiver { $0.addObject("Visitor") }
    unarchiver.setClass(Guest.self, forClassName: "Visitor")
    #expect(archiveError { _ = try unarchiver.decode(Visitor.self, forKey: "root") }?.kind == .classNotAllowed)
    #expect(try unarchiver.decode(Guest.self, forKey: "root").companion == nil)
  }

  @Test(arguments: [
    ("_TtC6Module5Class", "Module.Class"), ("Module.Class", "_TtC6Module5Class"),
    ("_TtCC6Module5Outer5Inner", "Module.Outer.Inner"),
    ("_TtC6ModuleP33_0123456789ABCDEF0123456789ABCDEF5Class", "Module.Class"),
    ("_TtC7Größe5Class", "Größe.Class"),
  ])
  func `the spellings of a Swift class are one name`(_ written: String, _ mapped: String) throws {
    let unarchiver = try HandmadeArchive.unarchiver { $0.addObject(written) }
    #expect(archiveError { _ = try unarchiver.decode(Guest.self, forKey: "root") }?.kind == .classNotAllowed)
    unarchiver.setClass(Guest.self, forClassName: mapped)
    #expect(unarchiver.class(forClassName: written) is Guest.Type)
    #expect(try unarchiver.decode(Guest.self, forKey: "root").companion == nil)
  }

  @Test(arguments: [
    "_Tt", "_TtC", "_TtC6Module", "_TtC6Module5Classy", "_TtC6Module6Class", "_TtC6Module5Class5Class",
    "_TtC99999999999999999999Module",
    "_TtC6Module-5Class", "_TtC6ModuleP5Class", "_TtC1é5Class", "_TtGC6Module5ClassSi_", "Module.Class ",
    "module.Class", "\0Module.Class",
    "_TtC6Module٥Class", "",
  ])
  func `names that resemble Swift names are other names`(_ name: String) throws {
    let unarchiver = try HandmadeArchive.unarchiver { $0.addObject(name) }
    unarchiver.setClass(Guest.self, forClassName: "Module.Class")
    #expect(archiveError { _ = try unarchiver.decode(Guest.self, forKey: "root") }?.kind == .classNotAllowed)
  }

  @Test func `a class hint leads to its type, if that is requested`() throws {
    var archive = HandmadeArchive()
    let description = archive.addClass("UnknownGuest", hints: ["Other", "Guest"])
    let object = archive.add(["$class": description])
    #expect(try archive.decode(Guest.self, root: object).companion == nil)
    let error = archiveError { _ = try archive.decode(Visitor.self, root: object) }
    #expect(error?.kind == .classNotAllowed && error?.className == "UnknownGuest")
  }

  @Test func `the class name has priority over hints, in any order of the types`() throws {
    var archive = HandmadeArchive()
    let object = archive.add(["$class": archive.addClass("Visitor", hints: ["Guest"])])
    for types in [[Guest.self, Visitor.self], [Visitor.self, Guest.self]] as [[any SecureCoding.Type]] {
      let decoded = try archive.unarchiver(root: object).decode(of: types, forKey: "root")
      #expect(type(of: decoded) == Visitor.self)
    }
  }

  @Test
  func `values in the object table are accepted by their own types`() throws {
    let values: [(PropertyList, any SecureCoding.Type)] = [
      ("text", String.self), (.data(Data([1])), Data.self), (1, Int.self), (1.5, Double.self), (true, Bool.self),
      (.date(Date(timeIntervalSinceReferenceDate: 1)), Date.self),
    ]
    for (value, type) in values {
      let unarchiver = try HandmadeArchive.unarchiver { $0.add(value) }
      #expect(throws: Never.self) { try unarchiver.decode(of: [Visitor.self, type], forKey: "root") }
      for other in [UUID.self, Visitor.self, [String].self, Set<Int>.self, Archived.Null.self]
        as [any SecureCoding.Type]
      {
        #expect(archiveError { _ = try unarchiver.decode(of: [other], forKey: "root") }?.kind == .typeMismatch)
      }
    }
  }
}
