import Foundation
import KeyedArchiving
import PropertyLists
import Testing

@Suite("Custom classes are exchanged with Foundation") struct CustomClassInterchangeTests {
  private static var full: OurVehicle {
    let vehicle = OurVehicle()
    vehicle.name = "train"
    (vehicle.wheels, vehicle.distance, vehicle.seats) = (.min, .max, -1)
    (vehicle.height, vehicle.weight, vehicle.isElectric) = (0.1, -1e300, true)
    vehicle.plate = Data([0, 255, 7])
    vehicle.built = Date(timeIntervalSinceReferenceDate: -0.5)
    let part = OurVehicle()
    part.name = "wagon"
    part.plate = Data([1])
    part.built = .distantFuture
    part.owner = OurVehicle()
    part.owner?.plate = Data([2])
    vehicle.parts = [part, OurVehicle()]
    vehicle.parts[1].plate = Data([3])
    vehicle.owner = OurVehicle()
    vehicle.owner?.plate = Data([4])
    return vehicle
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `values of every kind: Foundation writes, we read`(_ format: PropertyListFormat) throws {
    let data = try Foundations.archive(Vehicle(Self.full), format: format)
    #expect(try KeyedUnarchiver.unarchivedObject(of: OurVehicle.self, from: data) == Self.full)
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `values of every kind: we write, Foundation reads`(_ format: PropertyListFormat) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Self.full, outputFormat: format)
    #expect(OurVehicle(try Foundations.unarchive(Vehicle.self, data)) == Self.full)
  }

  @Test func `a class is read under another name`() throws {
    let theirs = try KeyedUnarchiver(forReadingFrom: Foundations.archive(Vehicle(Self.full)))
    theirs.setClass(OtherVehicle.self, forClassName: "InterchangeTests.Vehicle")
    #expect(try theirs.decode(OtherVehicle.self, forKey: "root").name == "train")

    let ours = try NSKeyedUnarchiver(
      forReadingFrom: KeyedArchiver.archivedData(withRootObject: OtherVehicle(name: "tram")))
    ours.requiresSecureCoding = true
    ours.setClass(NamedVehicle.self, forClassName: "OtherVehicle")
    #expect(ours.decodeObject(of: NamedVehicle.self, forKey: "root")?.name == "tram")
  }

  @Test func `a class is written under another name`() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("InterchangeTests.NamedVehicle", for: OtherVehicle.self)
    try archiver.encode([OtherVehicle(name: "tram")], forKey: "root")
    let array = try Foundations.unarchive(NSArray.self, with: [NamedVehicle.self], archiver.encodedData())
    #expect((array[0] as? NamedVehicle)?.name == "tram")
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `objects are shared as before: Foundation writes, we read`(_ format: PropertyListFormat) throws {
    let (first, second) = (NamedVehicle(name: "a"), NamedVehicle(name: "a"))
    let data = try Foundations.archive(NSArray(array: [first, second, first]), format: format)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(OtherVehicle.self, forClassName: "InterchangeTests.NamedVehicle")
    let decoded = try unarchiver.decode([OtherVehicle].self, forKey: "root")
    #expect(decoded.count == 3 && decoded[0] === decoded[2] && decoded[0] !== decoded[1])
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `objects are shared as before: we write, Foundation reads`(_ format: PropertyListFormat) throws {
    let (first, second) = (OurVehicle(), OurVehicle())
    (first.plate, second.plate) = (Data([1]), Data([1]))
    for vehicle in [first, second] {
      vehicle.built = .distantPast
      vehicle.owner = second
    }
    second.owner = OurVehicle()
    second.owner?.plate = Data([1])
    second.owner?.built = .distantPast
    let data = try KeyedArchiver.archivedData(withRootObject: [first, second, first], outputFormat: format)
    let array = try Foundations.unarchive(NSArray.self, with: [Vehicle.self], data)
    let decoded = try #require(array as? [Vehicle])
    #expect(decoded.count == 3 && decoded[0] === decoded[2] && decoded[0] !== decoded[1])
    #expect(decoded[0].owner === decoded[1])
  }

  @Test func `a subclass in place of its superclass: we read it if it is allowed, Foundation always`() throws {
    let theirs = Truck()
    theirs.plate = Data([1])
    let data = try Foundations.archive(theirs)
    let read = try KeyedUnarchiver.unarchivedObject(of: [OurVehicle.self, OurTruck.self], from: data)
    #expect(read is OurTruck)
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: OurVehicle.self, from: data) } == .classNotAllowed)
    let ours = OurTruck()
    ours.plate = Data([1])
    ours.built = .distantPast
    ours.owner = OurVehicle()
    #expect(try Foundations.unarchive(Vehicle.self, KeyedArchiver.archivedData(withRootObject: ours)) is Truck)
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `several top-level values: Foundation writes, we read`(_ format: PropertyListFormat) throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.outputFormat = format == .binary ? .binary : .xml
    archiver.encode(NSArray(array: ["a"]), forKey: "array")
    archiver.encode(Int32(-3), forKey: "Int32")
    archiver.encode(Int64.max, forKey: "Int64")
    archiver.encode(7, forKey: "Int")
    archiver.encode(Float(0.1), forKey: "Float")
    archiver.encode(0.1, forKey: "Double")
    archiver.encode(true, forKey: "$Bool")
    archiver.encode(NSPoint(x: 1, y: 2.5), forKey: "point")
    archiver.encode(nil, forKey: "nil")
    archiver.finishEncoding()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(
      Set(unarchiver.topLevelKeys)
        == ["array", "Int32", "Int64", "Int", "Float", "Double", "$Bool", "point", "nil"])
    #expect(try unarchiver.decode([String].self, forKey: "array") == ["a"])
    #expect(try unarchiver.decode(Int32.self, forKey: "Int32") == -3)
    #expect(try unarchiver.decode(Int64.self, forKey: "Int64") == .max)
    #expect(try unarchiver.decode(Int.self, forKey: "Int") == 7)
    #expect(try unarchiver.decode(Float.self, forKey: "Float") == 0.1)
    #expect(try unarchiver.decode(Double.self, forKey: "Double") == 0.1)
    #expect(try unarchiver.decode(Bool.self, forKey: "$Bool"))
    #expect(try unarchiver.decode(String.self, forKey: "point") == "{1.0, 2.5}")
    #expect(unarchiver.containsValue(forKey: "nil"))
    #expect(try unarchiver.decodeIfPresent(String.self, forKey: "nil") == nil)
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `several top-level values: we write, Foundation reads`(_ format: PropertyListFormat) throws {
    let archiver = KeyedArchiver(outputFormat: format)
    try archiver.encode(["a"], forKey: "array")
    try archiver.encode(Int32(-3), forKey: "Int32")
    try archiver.encode(Int64.max, forKey: "Int64")
    try archiver.encode(7, forKey: "Int")
    try archiver.encode(Float(0.1), forKey: "Float")
    try archiver.encode(0.1, forKey: "Double")
    try archiver.encode(true, forKey: "$Bool")
    try archiver.encodeBytes(Data([1, 2]), forKey: "bytes")
    try archiver.encode("{1, 2.5}", forKey: "point")
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData())
    unarchiver.requiresSecureCoding = true
    #expect(unarchiver.decodeObject(of: [NSArray.self, NSString.self], forKey: "array") as? [String] == ["a"])
    #expect(unarchiver.decodeInt32(forKey: "Int32") == -3)
    #expect(unarchiver.decodeInt64(forKey: "Int64") == .max)
    #expect(unarchiver.decodeInteger(forKey: "Int") == 7)
    #expect(unarchiver.decodeFloat(forKey: "Float") == 0.1)
    #expect(unarchiver.decodeDouble(forKey: "Double") == 0.1)
    #expect(unarchiver.decodeBool(forKey: "$Bool"))
    #expect(unarchiver.decodePoint(forKey: "point") == NSPoint(x: 1, y: 2.5))
    #expect(unarchiver.withDecodedUnsafeBufferPointer(forKey: "bytes") { $0.map { Array($0) } } == [1, 2])
    #expect(!unarchiver.containsValue(forKey: "nothing"))
  }
}

/// A class with another name in the other program.
final class NamedVehicle: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  let name: String

  init(name: String) { self.name = name }

  func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }

  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = name as String
  }
}

private final class OtherVehicle: KeyedArchiving.SecureCoding {
  static let archivedClass = ArchivedClass("OtherVehicle")

  let name: String

  init(name: String) { self.name = name }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(name, forKey: "name") }

  init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
}
