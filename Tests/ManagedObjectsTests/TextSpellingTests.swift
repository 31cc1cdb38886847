import Foundation
import ManagedObjects
import ManagedObjectsSamples
import TestSupport
import Testing

/// "é" can be one scalar or two. A program reads exactly the string it saved, and predicates treat both forms as equal.
@Suite("Strings with equal characters and different scalars") struct TextSpellingTests {
  private static let composed = "caf\u{e9}"
  private static let decomposed = "cafe\u{301}"
  private static let model: ManagedObjectModel = {
    var file = EntityDescription("File", [.attribute("name", .string), .attribute("size", .integer64)])
    file.uniquenessConstraints = [["name"]]
    return StoreModels.model([file])
  }()

  private static func scalars(_ object: ManagedObject) -> [Unicode.Scalar] {
    guard case .attribute(.string(let text))? = object["name"] else { return [] }
    return Array(text.unicodeScalars)
  }

  @Test(arguments: [nil, FileStoreKind.xml, .binary])
  func `a change of only the scalars is saved`(kind: FileStoreKind?) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let url = folder.url.appending(path: "store")
    func coordinator() throws -> PersistentStoreCoordinator {
      let coordinator = PersistentStoreCoordinator(model: Self.model)
      try coordinator.add(kind?.open(url, Self.model) ?? InMemoryStore(model: Self.model))
      return coordinator
    }
    let first = try coordinator()
    let context = ManagedObjectContext(coordinator: first)
    let file = try context.insert("File")
    try file.setValue(.string(Self.composed), forKey: "name")
    try context.save()
    let reader = ManagedObjectContext(coordinator: kind == nil ? first : try coordinator())
    let same = try #require(try reader.fetch(FetchRequest("File")).first)
    #expect(Self.scalars(same) == Array(Self.composed.unicodeScalars))
    try file.setValue(.string(Self.decomposed), forKey: "name")
    #expect(context.updatedObjects == [file] && file.changedValues().keys.sorted() == ["name"])
    try context.save()
    // The other context detects that the value is different.
    try same.setValue(.integer(1), forKey: "size")
    #expect(errorCode { try reader.save() } == .merge)
    reader.mergePolicy = .objectTrump
    try reader.save()
    let last = ManagedObjectContext(coordinator: kind == nil ? first : try coordinator())
    let read = try #require(try last.fetch(FetchRequest("File")).first)
    #expect(Self.scalars(read) == Array(Self.decomposed.unicodeScalars) && read["size"] == .attribute(.integer(1)))
  }

  @Test func `strings with different scalars do not violate a constraint`() throws {
    let context = try ManagedObjectContext(InMemoryStore(model: Self.model))
    for name in [Self.composed, Self.decomposed] { try context.insert("File").setValue(.string(name), forKey: "name") }
    try context.save()
    for name in [Self.composed, Self.decomposed] {
      for format in ["name == %@", "name IN {'x', %@}", "name IN {'x', %@, nil}", "{%@} CONTAINS name", "name LIKE %@"]
      {
        let request = FetchRequest("File", where: try ManagedPredicate(format: format, name))
        #expect(try context.count(for: request) == 2, "\(format)")
      }
    }
    try context.insert("File").setValue(.string(Self.decomposed), forKey: "name")
    #expect(errorCode { try context.save() } == .constraintMerge)
  }
}
