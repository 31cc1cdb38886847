import Foundation
import KeyedArchiving
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@testable import class SQLiteStore.Database

@Suite("Values that cannot be decoded") struct UndecodableValueTests {
  enum Level: Int16, Codable, CaseIterable, AttributeConvertible { case low, high }

  enum Color: String, CaseIterable, AttributeConvertible { case red, green }

  struct Options: OptionSet, AttributeConvertible { let rawValue: Int16 }

  struct Settings: Codable, Hashable, SecureCoding, AttributeConvertible {
    var volume: Double
    static let missingValue = Settings(volume: 0.5)
  }

  /// A number of 16 bits in an attribute of 64 bits.
  struct Small: RawRepresentable, AttributeConvertible {
    var rawValue: Int16
    static var attributeType: AttributeType { .integer64 }
    static let missingValue = Small(rawValue: -1)
  }

  /// A UUID in an attribute for text.
  struct TextID: Equatable, AttributeConvertible {
    var id: UUID
    static let missingValue = TextID(id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    static var attributeType: AttributeType { .string }
    var attributeValue: AttributeValue { .string(id.uuidString) }

    init(id: UUID) { self.id = id }

    init?(attributeValue: AttributeValue) {
      guard case .string(let text) = attributeValue, let id = UUID(uuidString: text) else { return nil }
      self.id = id
    }
  }

  final class Item: ManagedObject {
    @Attribute var title: String?
    @Attribute var level = Level.high
    @Attribute var optionalLevel: Level?
    @Attribute var color = Color.red
    @Attribute var options: Options = []
    @Attribute var settings = Settings.missingValue
    @Attribute var optionalSettings: Settings?
    @Attribute var words: [String] = []
    @Attribute var names: [String: Int]?
    @Attribute var small = Small.missingValue
    @Attribute var optionalSmall: Small?
    @Attribute var short: Int16 = 0
    @Attribute var textID = TextID.missingValue
    var isHigh: Bool { level == .high }
    @Relationship var other: Item?
  }

  static let broken = AttributeValue.data(Data("no archive".utf8))

  /// The properties with values that their types do not have.
  static let values: [(key: String, value: AttributeValue)] = [
    ("level", .integer(77)), ("optionalLevel", .integer(78)), ("color", .string("blue")), ("settings", broken),
    ("optionalSettings", broken), ("words", broken), ("names", broken), ("small", .integer(40_000)),
    ("optionalSmall", .integer(-40_000)), ("textID", .string("x")),
  ]

  let folder = TemporaryFolder()

  /// Returns a coordinator whose store has one object with the values.
  private func coordinator(
    _ kind: StoreKind = .memory, _ values: [(key: String, value: AttributeValue)] = Self.values
  ) throws -> PersistentStoreCoordinator {
    let coordinator = try kind.coordinator(ManagedObjectModel(Item.self), folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    let item = try context.insert(Item.self)
    for (key, value) in values { try item.setValue(value, forKey: key) }
    try context.save()
    #expect(context.misuse.isEmpty)
    return coordinator
  }

  private func item(_ context: ManagedObjectContext) throws -> Item { try #require(context.fetch(Item.self).first) }

  private func readAll(_ item: Item) {
    #expect(item.level == .high && item.optionalLevel == nil && item.color == .red && item.options == [])
    #expect(item.settings.volume == 0.5 && item.optionalSettings == nil && item.words == [] && item.names == nil)
    #expect(item.small.rawValue == -1 && item.optionalSmall == nil && item.textID == .missingValue)
  }

  @Test(arguments: StoreKind.allCases)
  func `each value is reported once and read as the default`(kind: StoreKind) throws {
    let context = ManagedObjectContext(coordinator: try coordinator(kind))
    let item = try item(context)
    for _ in 0..<100 { readAll(item) }
    #expect(context.misuse.map(\.key) == Self.values.map(\.key))
    #expect(context.misuse.map(\.value) == Self.values.map(\.value))
    #expect(context.misuse.allSatisfy { $0.code == .coderReadCorrupt && $0.objectID == item.objectID })
    #expect(!context.hasChanges)
  }

  @Test func `the error has the cause`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator())
    let item = try item(context)
    readAll(item)
    let archives = context.misuse.filter { $0.value == Self.broken }
    #expect(archives.count == 4 && archives.allSatisfy { $0.underlyingError is KeyedArchiveError })
    #expect(context.misuse[0].description == "Item/p1 level: expected Level, found 77")
    #expect(context.misuse[0].underlyingError == nil)
    #expect(context.misuse[1].description == "Item/p1 optionalLevel: expected Level, found 78")
    #expect(archives[0].message.hasPrefix("expected an archive of Settings, found <10 bytes: 6e6f20"))
  }

  @Test func `values are reported once when the object is fetched again or saved`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator(.memory, []))
    let new = try context.insert(Item.self)
    try new.setValue(.integer(77), forKey: "level")
    #expect(new.level == .high && context.misuse.count == 1)
    try context.save()
    let id = new.objectID
    #expect(new.level == .high && context.misuse.count == 1)
    try context.refresh(new, mergeChanges: false)
    #expect(new.level == .high && context.misuse.count == 1)
    let other = ManagedObjectContext(coordinator: context.coordinator)
    for _ in 0..<10 { #expect(try other.existingObject(Item.self, with: id).level == .high) }
    #expect(other.misuse.count == 1)
  }

  @Test func `another value is reported again`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator())
    let item = try item(context)
    _ = item.level
    try item.setValue(.integer(5), forKey: "level")
    #expect(item.level == .high && item.level == .high)
    #expect(context.misuse.map(\.value) == [.integer(77), .integer(5)])
    // Archives that differ only at the end of long data.
    let start = Data(repeating: 1, count: 1000)
    for end in [1, 2, 2] as [UInt8] {
      try item.setValue(.data(start + [end]), forKey: "words")
      #expect(item.words == [])
    }
    #expect(context.misuse.count == 4)
  }

  @Test(arguments: StoreKind.allCases)
  func `a save of other changes keeps the stored values`(kind: StoreKind) throws {
    let coordinator = try coordinator(kind)
    let context = ManagedObjectContext(coordinator: coordinator)
    let item = try item(context)
    readAll(item)
    item.title = "changed"
    try context.save()
    let other = try self.item(ManagedObjectContext(coordinator: coordinator))
    for (key, value) in Self.values { #expect(other[key] == .attribute(value)) }
    #expect(other.title == "changed")
  }

  @Test(arguments: StoreKind.allCases)
  func `setting the value that was read stores it`(kind: StoreKind) throws {
    let coordinator = try coordinator(kind)
    let context = ManagedObjectContext(coordinator: coordinator)
    let item = try item(context)
    item.level = item.level
    item.optionalLevel = item.optionalLevel
    item.color = item.color
    item.settings = item.settings
    item.optionalSettings = item.optionalSettings
    item.words = item.words
    item.names = item.names
    item.small = item.small
    item.optionalSmall = item.optionalSmall
    item.textID = item.textID
    #expect(Set(item.changedValues().keys) == Set(Self.values.map(\.key)))
    try context.save()
    let after = ManagedObjectContext(coordinator: coordinator)
    readAll(try self.item(after))
    #expect(after.misuse.isEmpty)
    #expect(try self.item(after)["optionalLevel"] == .null && self.item(after)["level"] == .attribute(.integer(1)))
  }

  @Test func `decodedValue returns the value or throws the error`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator())
    let item = try item(context)
    #expect(try item.decodedValue(of: \.title) == nil && item.decodedValue(of: \.short) == 0)
    let error = try #require(thrownError { _ = try item.decodedValue(of: \.level) })
    #expect(error.code == .coderReadCorrupt && error.key == "level" && error.value == .integer(77))
    #expect(error.objectID == item.objectID)
    #expect(errorCode { _ = try item.decodedValue(of: \.optionalLevel) } == .coderReadCorrupt)
    let archive = thrownError { _ = try item.decodedValue(of: \.optionalSettings) }
    #expect(archive?.underlyingError is KeyedArchiveError)
    item.level = .low
    item.settings = Settings(volume: 2)
    #expect(try item.decodedValue(of: \.level) == .low && item.decodedValue(of: \.settings).volume == 2)
    // No value is not an error: the default is returned, as the property does.
    try item.setValue(AttributeValue.null, forKey: "level")
    #expect(try item.decodedValue(of: \.level) == .high && item.level == .high)
    #expect(context.misuse.isEmpty)
  }

  @Test func `decodedValue throws for other properties and for objects without a row`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator())
    let item = try item(context)
    #expect(errorCode { _ = try item.decodedValue(of: \.isHigh) } == .undefinedKey)
    let id = item.objectID
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let lost = try #require(try other.object(with: id) as? Item)
    try context.delete(item)
    try context.save()
    #expect(errorCode { _ = try lost.decodedValue(of: \.level) } == .referentialIntegrity)
  }

  @Test(arguments: StoreKind.allCases)
  func `predicates and sorting use the stored values`(kind: StoreKind) throws {
    let context = ManagedObjectContext(coordinator: try coordinator(kind))
    let high = try context.insert(Item.self)
    try context.save()
    let level = Level.high
    #expect(try context.fetch(Item.self, where: #Predicate { $0.level == level }) == [high])
    #expect(try context.fetch(Item.self, where: #Predicate { $0.level != level }).count == 1)
    #expect(try context.fetch(Item.self, where: ManagedPredicate(format: "level > 70")).count == 1)
    #expect(try context.fetch(Item.self, sortedBy: .descending(\.level)).last == high)
    #expect(context.misuse.isEmpty)
  }

  @Test func `a number that does not fit the attribute stays in the store`() throws {
    let file = folder.url.appending(path: "numbers.sqlite")
    let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(Item.self))
    try coordinator.add(StoreKind.sqlite.open(file, coordinator.model))
    let first = ManagedObjectContext(coordinator: coordinator)
    _ = try first.insert(Item.self)
    try first.save()
    try Database(path: file.path, .readWrite).execute("UPDATE ZITEM SET ZSHORT = 100000")
    let context = ManagedObjectContext(coordinator: coordinator)
    let item = try item(context)
    #expect(item.short == 0 && item.short == 0)
    #expect(context.misuse.map(\.value) == [.integer(100_000)])
    #expect(errorCode { _ = try item.decodedValue(of: \.short) } == .coderReadCorrupt)
    item.title = "other"
    try context.save()
    #expect(try self.item(ManagedObjectContext(coordinator: coordinator))["short"] == .attribute(.integer(100_000)))
    item.short = 0
    #expect(item.hasChanges)
    try context.save()
    let after = ManagedObjectContext(coordinator: coordinator)
    #expect(try self.item(after).short == 0 && after.misuse.isEmpty)
  }

  @Test func `all bits of an option set are kept`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator(.memory, [("options", .integer(96))]))
    let item = try item(context)
    #expect(item.options.rawValue == 96)
    item.options.insert(Options(rawValue: 1))
    try context.save()
    #expect(item["options"] == .attribute(.integer(97)) && context.misuse.isEmpty)
  }
}
