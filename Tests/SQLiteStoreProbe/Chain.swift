import Foundation
import ManagedObjects
import SQLiteStore

/// Links that are saved one after another. Each save changes several objects and both sides of relationships. The
/// number of the last link determines the expected contents of the store.
struct Chain {
  static let model: ManagedObjectModel = {
    let link = EntityDescription(
      "Link",
      [
        .attribute("number", .integer64),
        .relationship("items", to: "Item", inverse: "link", isToMany: true, isOrdered: true, deleteRule: .cascade),
        .relationship("tags", to: "Tag", inverse: "links", isToMany: true),
        .relationship("previous", to: "Link", inverse: "next"), .relationship("next", to: "Link", inverse: "previous"),
      ])
    let item = EntityDescription(
      "Item", [.attribute("name", .string), .relationship("link", to: "Link", inverse: "items")])
    let tag = EntityDescription(
      "Tag",
      [
        .attribute("number", .integer64), .attribute("last", .integer64, defaultValue: .integer(0)),
        .relationship("links", to: "Link", inverse: "tags", isToMany: true, isOrdered: true),
      ])
    let counter = EntityDescription(
      "Counter", [.attribute("name", .string), .attribute("count", .integer64), .attribute("data", .binary)])
    do { return try ManagedObjectModel(entities: [link, item, tag, counter]) } catch { fatalError("\(error)") }
  }()

  private let context: ManagedObjectContext
  private var tags: [ManagedObject] = []
  private var links: [ManagedObject] = []

  /// Continues with the contents of a file.
  init(_ file: URL, tracksHistory: Bool? = nil) throws {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    try coordinator.add(SQLiteStore(file, model: Self.model, access: .readWrite(tracksHistory: tracksHistory)))
    context = ManagedObjectContext(coordinator: coordinator)
    tags = try fetch("Tag")
    if tags.isEmpty {
      for number in 0..<3 {
        let tag = try context.insert("Tag")
        try tag.setValue(.integer(Int64(number)), forKey: "number")
        tags.append(tag)
      }
      try context.save()
    }
    links = try fetch("Link")
  }

  private func fetch(_ entity: String) throws -> [ManagedObject] {
    try context.fetch(FetchRequest(entity, sortedBy: [.init("number")]))
  }

  /// Saves the next link.
  ///
  /// - Returns: its number.
  mutating func save() throws -> Int64 {
    guard case .attribute(.integer(let last))? = tags[0]["last"] else { throw Usage() }
    let number = last + 1
    for tag in tags { try tag.setValue(.integer(number), forKey: "last") }
    let link = try context.insert("Link")
    try link.setValue(.integer(number), forKey: "number")
    var items: [ManagedObject] = []
    for index in 0..<3 {
      let item = try context.insert("Item")
      try item.setValue(.string("\(number).\(index)"), forKey: "name")
      items.append(item)
    }
    if let previous = links.last, case .array(let old)? = previous["items"], case .object(let first)? = old.first {
      items.append(first)
      try link.setValue(.object(previous), forKey: "previous")
    }
    try link.setValue(.array(items.map { .object($0) }), forKey: "items")
    try link.setValue(.set([0, 1].map { .object(tags[Int((number + $0) % 3)]) }), forKey: "tags")
    links.append(link)
    if links.count > 5 { try context.delete(links.removeFirst()) }
    try context.save()
    return number
  }
}
