import Foundation
import ManagedObjects
import SQLiteStore

final class Owner: ManagedObject {
  @Attribute var name: String
  @Attribute var city: String?
  @Relationship var items: Set<Item>
}

final class Item: ManagedObject {
  @Attribute(.indexed) var title: String
  @Attribute var text: String?
  @Attribute var number: Int
  @Attribute var price: Double
  @Attribute var date: Date
  @Relationship(inverse: \Owner.items) var owner: Owner?
}

/// The values of an item, for every implementation.
struct ItemValues {
  var title: String
  var text: String?
  var number: Int
  var price: Double
  var date: Date

  init(_ number: Int) {
    title = "Item \(number)"
    text = "What there is to say about item \(number)"
    self.number = number
    price = Double(number) / 8
    date = Date(timeIntervalSinceReferenceDate: Double(number) * 977.25)
  }

  init(title: String, text: String?, number: Int, price: Double, date: Date) {
    self.title = title
    self.text = text
    self.number = number
    self.price = price
    self.date = date
  }

  /// The number of items of each owner.
  static let countOfAnOwner = 10
}

/// The values of an owner.
struct OwnerValues {
  var name: String
  var city: String?

  init(_ number: Int) {
    name = "Owner \(number)"
    city = "City \(number % 97)"
  }
}

/// The storage of objects.
enum Storage: String {
  case memory, sqlite, xml, binary

  /// Returns a new container for a store in a folder. A store in memory starts empty each time.
  func container(in folder: URL) throws -> PersistentContainer {
    let file = file(in: folder)
    let store: PersistentStoreDescription =
      switch self {
      case .memory: .inMemory
      case .sqlite: .sqlite(file)
      case .xml: .xml(file)
      case .binary: .binary(file)
      }
    return try PersistentContainer(model: ManagedObjectModel(Owner.self, Item.self), stores: [store])
  }

  func file(in folder: URL) -> URL { folder.appendingPathComponent("store") }

  /// Removes the files of a folder, and returns the sum of their sizes in bytes.
  static func empty(_ folder: URL) throws -> Int {
    var sum = 0
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let path = folder.appendingPathComponent(file).path
      sum += try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      try FileManager.default.removeItem(atPath: path)
    }
    return sum
  }
}

extension ManagedObjectContext {
  /// Inserts items and their owners, and saves them.
  func fill(_ count: Int) throws {
    var owner: Owner?
    for number in 0..<count {
      if number % ItemValues.countOfAnOwner == 0 {
        let values = OwnerValues(number / ItemValues.countOfAnOwner)
        owner = try insert(Owner.self)
        owner?.name = values.name
        owner?.city = values.city
      }
      let values = ItemValues(number)
      let item = try insert(Item.self)
      item.title = values.title
      item.text = values.text
      item.number = values.number
      item.price = values.price
      item.date = values.date
      item.owner = owner
    }
    try save()
  }
}
