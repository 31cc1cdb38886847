import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// A protocol of types that are archived together.
private protocol Figure: SecureCoding {
  var name: String { get }
}

private struct Disc: Figure, Codable, Hashable {
  static let archivedClass = ArchivedClass("Disc")
  var radius: Double
  var name: String { "disc of \(radius)" }
}

private final class Label: Figure {
  static let archivedClass = ArchivedClass("Label")
  let name: String

  init(_ name: String) { self.name = name }
  init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
  func encode(with coder: KeyedArchiver) throws { try coder.encode(name, forKey: "name") }
}

/// A class with subclasses, compared by contents.
private class Animal: SecureCoding, Hashable {
  class var archivedClass: ArchivedClass { ArchivedClass("Animal") }
  let name: String

  init(_ name: String) { self.name = name }
  required init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
  func encode(with coder: KeyedArchiver) throws { try coder.encode(name, forKey: "name") }

  static func == (first: Animal, second: Animal) -> Bool {
    type(of: first) == type(of: second) && first.name == second.name
  }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private final class Cat: Animal {
  override class var archivedClass: ArchivedClass { ArchivedClass("Cat", superclass: super.archivedClass) }
}

private final class Dog: Animal {
  override class var archivedClass: ArchivedClass { ArchivedClass("Dog", superclass: super.archivedClass) }
}

@Suite("Decoding with several types") struct SeveralTypesTests {
  private static var pets: [any SecureCoding.Type] { [Cat.self, Dog.self] }
  private static var figures: [any SecureCoding.Type] { [Disc.self, Label.self] }
  private let cat = Cat("Tom")
  private let dog = Dog("Rex")

  /// The values that are archived and decoded.
  private func again<T: SecureCoding>(_ value: T) throws -> T {
    try KeyedUnarchiver.unarchivedObject(T.self, of: Self.pets, from: KeyedArchiver.archivedData(withRootObject: value))
  }

  @Test func `subclasses, in every collection and at the root`() throws {
    #expect(try again(cat as Animal) == cat)
    #expect(try again([cat, dog] as [Animal]) == [cat, dog])
    #expect(try again(["a": cat, "b": dog] as [String: Animal]) == ["a": cat, "b": dog])
    #expect(try again([cat: 1, dog: 2] as [Animal: Int]) == [cat: 1, dog: 2])
    #expect(try again([cat, dog] as Set<Animal>) == [cat, dog])
    #expect(try again([cat, dog] as OrderedSet<Animal>) == [cat, dog])
    #expect(try again([1: dog] as OrderedDictionary<Int, Animal>) == [1: dog])
    #expect(try again(dog as Animal?) == dog)
    #expect(try again([cat, nil, dog] as [Animal?]) == [cat, nil, dog])
    #expect(try again(["a": [[cat], [], [dog, cat]]] as [String: [[Animal]]]) == ["a": [[cat], [], [dog, cat]]])
  }

  @Test func `an object that several references lead to is one object`() throws {
    let pets = try again(["a": [cat, cat], "b": [cat]] as [String: [Animal]])
    #expect(pets["a"]?[0] === pets["a"]?[1] && pets["a"]?[0] === pets["b"]?[0])
  }

  @Test func `values of a protocol, in collections on both sides`() throws {
    let archiver = KeyedArchiver()
    let (disc, label) = (Disc(radius: 2), Label("text"))
    try archiver.encode([disc, label] as [any Figure], forKey: "array")
    try archiver.encode(["d": disc, "l": label] as [String: any Figure], forKey: "dictionary")
    try archiver.encode(disc as (any Figure)?, forKey: "optional")
    try archiver.encode(nil as (any Figure)?, forKey: "nothing")
    try archiver.encode(label as any Figure, forKey: "one")
    try archiver.encode(["x": [ArchivedValue.object(disc), .object(label)]], forKey: "deeper")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    let types = Self.figures
    #expect(
      try unarchiver.decode([any Figure].self, of: types, forKey: "array").map(\.name) == ["disc of 2.0", "text"])
    let dictionary = try unarchiver.decode([String: any Figure].self, of: types, forKey: "dictionary")
    #expect(dictionary["d"] as? Disc == disc && dictionary["l"]?.name == "text")
    #expect(try unarchiver.decode((any Figure)?.self, of: types, forKey: "optional")?.name == "disc of 2.0")
    #expect(try unarchiver.decode((any Figure)?.self, of: types, forKey: "nothing") == nil)
    #expect(try unarchiver.decodeIfPresent((any Figure).self, of: types, forKey: "nothing") == nil)
    #expect(try unarchiver.decodeIfPresent((any Figure).self, of: types, forKey: "absent") == nil)
    #expect(try unarchiver.decodeIfPresent((any Figure).self, of: types, forKey: "one")?.name == "text")
    #expect(try unarchiver.decode((any Figure).self, of: types, forKey: "one").name == "text")
    #expect(try unarchiver.decode([String: [any Figure]].self, of: types, forKey: "deeper")["x"]?.count == 2)
  }

  @Test func `a type that is not named is refused, and the error says where`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: ["a": [cat], "b": [cat, dog]] as OrderedDictionary)
    let error = archiveError {
      _ = try KeyedUnarchiver.unarchivedObject([String: [Animal]].self, of: [Cat.self], from: data)
    }
    #expect(error?.kind == .classNotAllowed && error?.className == "Dog")
    #expect(error?.path?.description == "root.b.1")
    // The superclass counts only if it is allowed.
    let plain = try KeyedArchiver.archivedData(withRootObject: [Animal("any"), cat])
    #expect(
      archiveError { _ = try KeyedUnarchiver.unarchivedObject([Animal].self, of: Self.pets, from: plain) }?.className
        == "Animal")
    #expect(try KeyedUnarchiver.unarchivedObject([Animal].self, of: Self.pets + [Animal.self], from: plain).count == 2)
    #expect(
      archiveError { _ = try KeyedUnarchiver.unarchivedObject([Animal].self, of: [], from: plain) }?.kind
        == .classNotAllowed)
    // A type that is allowed, but not the requested one.
    let text = try KeyedArchiver.archivedData(withRootObject: ["text"])
    let mismatch = archiveError {
      _ = try KeyedUnarchiver.unarchivedObject([any Figure].self, of: Self.figures + [String.self], from: text)
    }
    #expect(mismatch?.kind == .typeMismatch && mismatch?.path?.description == "root.0")
  }

  @Test func `invalid collections, with missing or duplicate elements, are errors`() throws {
    var archive = HandmadeArchive()
    let cat = archive.addObject("Cat", ["name": archive.add("Tom")])
    func kind<T>(_ type: T.Type, _ root: PropertyList) throws -> KeyedArchiveError.Kind? {
      let unarchiver = try archive.unarchiver(root: root)
      return archiveError { _ = try unarchiver.decode(type, of: Self.pets, forKey: "root") }?.kind
    }
    #expect(try kind([Animal].self, cat) == .classNotAllowed)
    #expect(try kind(Set<Animal>.self, archive.addArray([cat])) == .classNotAllowed)
    #expect(try kind([Animal].self, archive.add("text")) == .typeMismatch)
    #expect(try kind([Animal].self, .reference(0)) == .valueNotFound)
    #expect(try kind([Animal].self, archive.addObject("NSArray")) == .valueNotFound)
    let twice = archive.addObject("NSSet", ["NS.objects": [cat, cat]])
    #expect(try kind(Set<Animal>.self, twice) == .invalidContents)
    let uneven = archive.addObject("NSDictionary", ["NS.keys": [archive.add("a")], "NS.objects": []])
    #expect(try kind([String: Animal].self, uneven) == .invalidContents)
  }

  @Test func `a circle of collections ends`() throws {
    var archive = HandmadeArchive()
    let root = archive.addArray([])
    archive.objects[root.index].dictionary?["NS.objects"] = [root]
    let unarchiver = try archive.unarchiver(root: root)
    let error = archiveError { _ = try unarchiver.decode([[[[Animal]]]].self, of: Self.pets, forKey: "root") }
    #expect(error?.kind == .circularReference)
  }
}

/// The complete archive with Apple's names.
extension SeveralTypesTests {
  @Test func `arrays and dictionaries at the root`() throws {
    let array = try KeyedArchiver.archivedData(withRootObject: [cat, dog] as [Animal])
    let cats = try KeyedArchiver.archivedData(withRootObject: [cat])
    #expect(try KeyedUnarchiver.unarchivedArrayOfObjects(ofClass: Cat.self, from: cats) == [cat])
    #expect(try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: Self.pets, from: array) as? [Animal] == [cat, dog])
    let dictionary = try KeyedArchiver.archivedData(withRootObject: ["t": cat])
    #expect(
      try KeyedUnarchiver.unarchivedDictionary(ofKeyClass: String.self, objectClass: Cat.self, from: dictionary)
        == ["t": cat])
    let mixed = try KeyedArchiver.archivedData(
      withRootObject: [ArchivedValue.integer(1): ArchivedValue.object(cat), .string("a"): .object(dog)])
    let entries = try KeyedUnarchiver.unarchivedDictionary(
      ofKeyClasses: [Int.self, String.self], objectClasses: Self.pets, from: mixed)
    #expect(entries[1] as? Cat == cat && entries["a"] as? Dog == dog && entries.count == 2)
    let error = archiveError {
      _ = try KeyedUnarchiver.unarchivedDictionary(ofKeyClasses: [Int.self], objectClasses: Self.pets, from: mixed)
    }
    #expect(error?.kind == .typeMismatch)
  }

  @Test func `keys that cannot be hashed are an error`() throws {
    var archive = HandmadeArchive()
    let key = archive.addObject("Label", ["name": archive.add("text")])
    let root = archive.addObject("NSDictionary", ["NS.keys": [key], "NS.objects": [archive.add("value")]])
    let error = archiveError {
      _ = try KeyedUnarchiver.unarchivedDictionary(
        ofKeyClasses: [Label.self], objectClasses: [String.self], from: archive.data(root: root))
    }
    #expect(error?.kind == .typeMismatch)
  }

  @Test func `limits hold for all of them`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [cat, dog] as [Animal])
    let limits = ParsingLimits(inputSize: 10)
    for decode: (ParsingLimits) throws -> Void in [
      { _ = try KeyedUnarchiver.unarchivedObject(of: [Cat].self, from: data, limits: $0) },
      { _ = try KeyedUnarchiver.unarchivedObject(of: Self.pets, from: data, limits: $0) },
      { _ = try KeyedUnarchiver.unarchivedObject([Animal].self, of: Self.pets, from: data, limits: $0) },
      { _ = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: Self.pets, from: data, limits: $0) },
      {
        _ = try KeyedUnarchiver.unarchivedDictionary(
          ofKeyClass: String.self, objectClass: Cat.self, from: data, limits: $0)
      },
    ] {
      guard case .propertyList(let error)? = archiveError({ try decode(limits) })?.kind else {
        Issue.record("no limit")
        continue
      }
      #expect(error.kind == .limitExceeded)
    }
  }
}
