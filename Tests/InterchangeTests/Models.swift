import Foundation
import KeyedArchiving

/// A class of a program that uses Foundation.
class Vehicle: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }

  var name = ""
  var wheels: Int32 = 0
  var distance: Int64 = 0
  var seats = 0
  var height: Float = 0
  var weight = 0.0
  var isElectric = false
  var plate = Data()
  var built: Date?
  var parts: [Vehicle] = []
  var owner: Vehicle?

  override init() {}

  func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(wheels, forKey: "wheels")
    coder.encode(distance, forKey: "distance")
    coder.encode(seats, forKey: "seats")
    coder.encode(height, forKey: "height")
    coder.encode(weight, forKey: "weight")
    coder.encode(isElectric, forKey: "isElectric")
    plate.withUnsafeBytes {
      coder.encodeBytes($0.baseAddress?.assumingMemoryBound(to: UInt8.self), length: $0.count, forKey: "plate")
    }
    coder.encode(built as NSDate?, forKey: "built")
    coder.encode(parts as NSArray, forKey: "parts")
    coder.encode(owner, forKey: "owner")
  }

  required init?(coder: NSCoder) {
    super.init()
    name = coder.decodeObject(of: NSString.self, forKey: "name").map { $0 as String } ?? ""
    wheels = coder.decodeInt32(forKey: "wheels")
    distance = coder.decodeInt64(forKey: "distance")
    seats = coder.decodeInteger(forKey: "seats")
    height = coder.decodeFloat(forKey: "height")
    weight = coder.decodeDouble(forKey: "weight")
    isElectric = coder.decodeBool(forKey: "isElectric")
    plate = coder.withDecodedUnsafeBufferPointer(forKey: "plate") { $0.map { Data($0) } } ?? Data()
    built = coder.decodeObject(of: NSDate.self, forKey: "built") as Date?
    parts = coder.decodeObject(of: [NSArray.self, Vehicle.self], forKey: "parts") as? [Vehicle] ?? []
    owner = coder.decodeObject(of: Vehicle.self, forKey: "owner")
  }
}

final class Truck: Vehicle {
  override class var supportsSecureCoding: Bool { true }
}

/// The same class in a program that uses this package.
class OurVehicle: KeyedArchiving.SecureCoding, Equatable {
  class var archivedClass: ArchivedClass { ArchivedClass("InterchangeTests.Vehicle") }

  var name = ""
  var wheels: Int32 = 0
  var distance: Int64 = 0
  var seats = 0
  var height: Float = 0
  var weight = 0.0
  var isElectric = false
  var plate = Data()
  var built: Date?
  var parts: [OurVehicle] = []
  var owner: OurVehicle?

  init() {}

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(name, forKey: "name")
    try coder.encode(wheels, forKey: "wheels")
    try coder.encode(distance, forKey: "distance")
    try coder.encode(seats, forKey: "seats")
    try coder.encode(height, forKey: "height")
    try coder.encode(weight, forKey: "weight")
    try coder.encode(isElectric, forKey: "isElectric")
    try coder.encodeBytes(plate, forKey: "plate")
    try coder.encode(built, forKey: "built")
    try coder.encode(parts, forKey: "parts")
    try coder.encode(owner, forKey: "owner")
  }

  required init(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "name")
    wheels = try coder.decode(Int32.self, forKey: "wheels")
    distance = try coder.decode(Int64.self, forKey: "distance")
    seats = try coder.decode(Int.self, forKey: "seats")
    height = try coder.decode(Float.self, forKey: "height")
    weight = try coder.decode(Double.self, forKey: "weight")
    isElectric = try coder.decode(Bool.self, forKey: "isElectric")
    plate = try coder.decodeBytes(forKey: "plate")
    built = try coder.decodeIfPresent(Date.self, forKey: "built")
    parts = try coder.decode([OurVehicle].self, forKey: "parts")
    owner = try coder.decodeIfPresent(OurVehicle.self, forKey: "owner")
  }

  static func == (first: OurVehicle, second: OurVehicle) -> Bool {
    first.name == second.name && first.wheels == second.wheels && first.distance == second.distance
      && first.seats == second.seats && first.height == second.height && first.weight == second.weight
      && first.isElectric == second.isElectric && first.plate == second.plate && first.built == second.built
      && first.parts == second.parts && first.owner == second.owner
  }
}

final class OurTruck: OurVehicle {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("InterchangeTests.Truck", superclass: OurVehicle.archivedClass)
  }
}

/// The common properties of both vehicles, for comparison.
extension Vehicle {
  convenience init(_ other: OurVehicle) {
    self.init()
    (name, wheels, distance, seats) = (other.name, other.wheels, other.distance, other.seats)
    (height, weight, isElectric, plate) = (other.height, other.weight, other.isElectric, other.plate)
    (built, parts, owner) = (other.built, other.parts.map(Vehicle.init), other.owner.map(Vehicle.init))
  }
}

extension OurVehicle {
  convenience init(_ other: Vehicle) {
    self.init()
    (name, wheels, distance, seats) = (other.name, other.wheels, other.distance, other.seats)
    (height, weight, isElectric, plate) = (other.height, other.weight, other.isElectric, other.plate)
    (built, parts, owner) = (other.built, other.parts.map(OurVehicle.init), other.owner.map(OurVehicle.init))
  }
}
