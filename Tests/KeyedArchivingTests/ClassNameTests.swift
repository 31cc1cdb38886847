import Foundation
import KeyedArchiving
import PropertyLists
import Testing

private class Vehicle: SecureCoding {
  class var archivedClass: ArchivedClass { ArchivedClass("Vehicle") }
  init() {}
  required init(coder: KeyedUnarchiver) throws {}
  func encode(with coder: KeyedArchiver) throws {}
}

private final class Bicycle: Vehicle {}

private class Plant: SecureCoding {
  init() {}
  required init(coder: KeyedUnarchiver) throws {}
  func encode(with coder: KeyedArchiver) throws {}
}

private final class Tree: Plant {}

@Suite("The class names of archives") struct ClassNameTests {
  @Test func `a subclass with its superclass's class name is refused, because it would be decoded as the superclass`()
    throws
  {
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchiver.archivedData(withRootObject: Bicycle()) }
    #expect(error?.kind == .invalidValue)
    let archiver = KeyedArchiver()
    archiver.setClassName("Vehicle", for: Bicycle.self)
    try archiver.encode(Bicycle(), forKey: "root")
    _ = try KeyedUnarchiver.unarchivedObject(of: Vehicle.self, from: archiver.encodedData())
  }

  @Test func `classes that declare no name have their superclasses as ancestors`() throws {
    #expect(Tree.archivedClass.name.hasSuffix(".Tree"))
    #expect(Tree.archivedClass.ancestors == [Plant.archivedClass.name, "NSObject"])
    let copy = try KeyedUnarchiver.unarchivedObject(
      of: Tree.self, from: KeyedArchiver.archivedData(withRootObject: Tree()))
    #expect(type(of: copy) == Tree.self)
  }

  @Test func `two types with the same class name are refused`() throws {
    struct First: SecureCoding {
      static let archivedClass = ArchivedClass("ClassNameTests.Same")
      init() {}
      init(coder: KeyedUnarchiver) throws {}
      func encode(with coder: KeyedArchiver) throws {}
    }
    func local(_ flag: Bool) -> any SecureCoding {
      if flag {
        struct Local: Codable, SecureCoding { var a = 1 }
        return Local()
      }
      struct Local: Codable, SecureCoding { var b = 2 }
      return Local()
    }
    let error = #expect(throws: KeyedArchiveError.self) {
      let archiver = KeyedArchiver()
      try archiver.encode([local(true), local(false)], forKey: "root")
    }
    #expect(error?.kind == .invalidValue)
  }

  @Test func `a class without ancestors is described by its own name`() throws {
    struct Lone: SecureCoding {
      static let archivedClass = ArchivedClass("Lone", ancestors: [])
      init() {}
      init(coder: KeyedUnarchiver) throws {}
      func encode(with coder: KeyedArchiver) throws {}
    }
    #expect(
      try objects(KeyedArchiver.archivedData(withRootObject: Lone()))[2]
        == ["$classname": "Lone", "$classes": ["Lone"]])
  }
}

@Suite("Nil in collections") struct NothingTests {
  @Test func `nil is archived as NSNull, and decoded as nil`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [1, nil, 2, nil])
    let list = try objects(data)
    #expect(list[1]["NS.objects"]?.array?.contains(.uid(.init(0))) == false)
    #expect(list.contains(["$classname": "NSNull", "$classes": ["NSNull", "NSObject"]]))
    #expect(try KeyedUnarchiver.unarchivedObject(of: [Int?].self, from: data) == [1, nil, 2, nil])
    let entries: [String: Int?] = ["a": 1, "b": nil]
    let dictionary = try KeyedArchiver.archivedData(withRootObject: entries)
    #expect(try KeyedUnarchiver.unarchivedObject(of: [String: Int?].self, from: dictionary) == entries)
    #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(of: [Int].self, from: data) }
  }
}

@Suite("Objects that are refused after publishing themselves") struct RefusedObjectTests {
  final class Parent: SecureCoding {
    static let archivedClass = ArchivedClass("Parent")
    var percent: Int
    var child: Child?

    init(percent: Int) { self.percent = percent }

    init(coder: KeyedUnarchiver) throws {
      percent = try coder.decode(Int.self, forKey: "percent")
      coder.publish(self)
      child = try coder.decode(Child.self, forKey: "child")
      guard percent <= 100 else { throw coder.failure(.invalidContents, "\(percent) percent") }
    }

    func encode(with coder: KeyedArchiver) throws {
      try coder.encode(percent, forKey: "percent")
      try coder.encode(child, forKey: "child")
    }
  }

  final class Child: SecureCoding {
    static let archivedClass = ArchivedClass("Child")
    weak var parent: Parent?
    var keeps: Parent?

    init(parent: Parent) { self.parent = parent }

    init(coder: KeyedUnarchiver) throws { keeps = try coder.decodeIfPresent(Parent.self, forKey: "parent") }

    func encode(with coder: KeyedArchiver) throws { try coder.encode(parent, forKey: "parent") }
  }

  @Test func `the object cannot be reached through other objects`() throws {
    let parent = Parent(percent: 101)
    parent.child = Child(parent: parent)
    let archiver = KeyedArchiver()
    try archiver.encode(parent, forKey: "parent")
    try archiver.encode(parent.child, forKey: "child")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    #expect(throws: KeyedArchiveError.self) { try unarchiver.decode(Parent.self, forKey: "parent") }
    #expect(throws: KeyedArchiveError.self, "the child leads to the same parent, which is refused again") {
      try unarchiver.decode(Child.self, forKey: "child")
    }
  }
}
