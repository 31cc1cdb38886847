import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("Values in an SQLite store") struct SQLiteValueTests {
  let folder = TemporaryFolder(isInMemory: true)
  var file: URL { folder.url.appending(path: "store.sqlite") }

  private static let model: ManagedObjectModel = {
    var external = AttributeDescription("external", .binary)
    external.allowsExternalBinaryDataStorage = true
    let everything = EntityDescription(
      "Everything",
      [
        .attribute("int16", .integer16), .attribute("int32", .integer32), .attribute("int64", .integer64),
        .attribute("bool", .boolean), .attribute("decimal", .decimal), .attribute("double", .double),
        .attribute("float", .float), .attribute("string", .string), .attribute("date", .date),
        .attribute("binary", .binary), .attribute("uuid", .uuid), .attribute("uri", .uri),
        .attribute("transformable", .transformable), .attribute(external),
      ])
    do { return try ManagedObjectModel(entities: [everything]) } catch { fatalError("\(error)") }
  }()

  /// Returns bytes of all values.
  private static func bytes(_ count: Int) -> AttributeValue {
    let all = Data((0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 2) })
    var data = Data()
    while data.count < count { data.append(all) }
    return .data(Data(data.prefix(count)))
  }

  private func context() throws -> ManagedObjectContext {
    try ManagedObjectContext(SQLiteStore(file, model: Self.model))
  }

  /// Values of each type, including limits and special values, that are the same after a save.
  static let values: [String: [AttributeValue]] = [
    "int16": [.integer(-32_768), .integer(32_767), .integer(0)],
    "int32": [.integer(Int64(Int32.min)), .integer(Int64(Int32.max))],
    "int64": [.integer(.min), .integer(.max), .integer(-1), .integer(9_007_199_254_740_993)],
    "bool": [.boolean(true), .boolean(false)],
    "decimal": [
      "0", "-1", "0.1", "12.25", "9223372036854775807", "-9223372036854775808", "1e100", "-7e-120", "123456.789",
    ]
    .map { .decimal(Decimal(string: $0)!) },
    "double": [
      0, -0.0, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude, .infinity, -.infinity,
      1e16,
      123_456_789, 0.1, 9_007_199_254_740_992, -1e300, 5,
    ].map { .double($0) },
    "float": [0, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.infinity, 16_777_216].map { .float($0) },
    "string": [
      "", " ", "\n", "\r\n", "a\u{0}b", "\u{0}", "\u{0}\u{1}\u{1F}\u{7F}\u{85}\u{2028}", "\u{FFFE}\u{FFFF}\u{FFFD}",
      "\u{D7FF}\u{E000}", "é e\u{301} 😀 \u{10FFFF}", "\u{1FFFF}\u{2FFFE}\u{3FFFF}\u{E0001}\u{F0000}\u{100000}",
      "\u{FEFF}x",
      "'; DROP TABLE ZEVERYTHING; --", "\"", "NULL", "12", "1e5", "x'00'",
      String(repeating: "long 😀", count: LongForm.size(200_000, or: 20_000)),
    ].map { .string($0) },
    "date": [
      0, 285_423_412.798_628_99, -1e10, 1e17, -63_114_076_800, 0.1, -0.000_001, .infinity, -.infinity,
    ].map { .date(Date(timeIntervalSinceReferenceDate: $0)) },
    "binary": [0, 1, 2, 38, 1_000, 1_000_000].map(bytes),
    "external": [0, 1, 2, 38, 1_000, 1_000_000].map(bytes),
    "uuid": ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "00000000-0000-0000-0000-000000000000"].map {
      .uuid(UUID(uuidString: $0)!)
    },
    "uri": [
      "https://example.com/a?b=c&d=%20e#f", "file:///tmp/x", "mailto:a@b", "a:b", "relative/path?x", "#f",
      "http://[::1]:80/",
      "x-coredata://E8AFD1EB-9427-4A64-ABDA-AA06F7B1092C/Session/p1",
    ].map { .url(URL(string: $0)!) },
    "transformable": [.data(Data()), .data(Data([1, 2, 3]))],
  ]

  @Test(arguments: values.keys.sorted()) func `a value is the same after the file is reopened`(name: String) throws {
    let values = try #require(Self.values[name])
    let first = try context()
    for value in values + [.null] { try first.insert("Everything").setValue(value, forKey: name) }
    try first.save()
    let numbers = try PlainSQLite(file).column("SELECT Z_OPT FROM ZEVERYTHING")
    #expect(numbers.allSatisfy { $0 == "1" } && numbers.count == values.count + 1)
    let second = try context()
    let objects = try second.fetch(FetchRequest("Everything")).sorted { number($0) < number($1) }
    // New objects get their numbers in the order of insertion.
    for (object, value) in zip(objects, values + [.null]) {
      #expect(object[name] == .attribute(value))
      if case .attribute(.string(let found))? = object[name], case .string(let text) = value {
        // `==` does not distinguish strings with different but equivalent scalars.
        #expect(Array(found.utf8) == Array(text.utf8))
      }
    }
    // Changes the values to null and back, by updates.
    for object in objects { try object.setValue(AttributeValue.null, forKey: name) }
    try second.save()
    for (object, value) in zip(objects, values) { try object.setValue(value, forKey: name) }
    try second.save()
    let third = try context()
    for (object, value) in zip(objects, values) {
      let id = try #require(third.coordinator.objectID(forURI: object.objectID.uriRepresentation))
      #expect(try third.existingObject(with: id)[name] == .attribute(value))
    }
  }

  private func number(_ object: ManagedObject) -> Int {
    object.objectID.uriRepresentation.split(separator: "/p").last.flatMap { Int($0) } ?? 0
  }

  static let rounded: [(String, AttributeValue, AttributeValue)] = [
    (
      "decimal", .decimal(Decimal(string: "12345678901234567890123456789012345678")!),
      .decimal(Decimal(string: "12345678901234568000000000000000000000")!)
    ),
    (
      "decimal", .decimal(Decimal(string: "0.12345678901234567890123")!),
      .decimal(Decimal(string: "0.12345678901234568")!)
    ),
    ("decimal", .decimal(Decimal(string: "-9223372036854775809")!), .decimal(Decimal(string: "-9223372036854776000")!)),
    (
      "decimal", .decimal(.greatestFiniteMagnitude),
      .decimal(Decimal(string: "340282366920938450000000000000000000000e127")!)
    ),
    (
      "decimal", .decimal(-.greatestFiniteMagnitude),
      .decimal(Decimal(string: "-340282366920938450000000000000000000000e127")!)
    ),
    (
      "decimal", .decimal(Decimal(string: "10000000000000000000000e127")!),
      .decimal(Decimal(string: "10000000000000000000000e127")!)
    ),
    ("uri", .url(URL(string: "b", relativeTo: URL(string: "http://a/"))!), .url(URL(string: "http://a/b")!)),
  ]

  @Test(arguments: rounded)
  func `a saved object has the rounded value`(name: String, value: AttributeValue, expected: AttributeValue) throws {
    let context = try context()
    let object = try context.insert("Everything")
    for _ in 0..<2 {
      try object.setValue(value, forKey: name)
      try object.setValue(.string("x"), forKey: "string")
      try context.save()
      #expect(object[name] == .attribute(expected) && !object.hasChanges)
      let other = try self.context()
      #expect(try other.fetch(FetchRequest("Everything")).first?[name] == .attribute(expected))
      // The same by an update.
      try object.setValue(AttributeValue.null, forKey: name)
      try context.save()
    }
  }

  @Test(arguments: ["double", "float", "date", "decimal"], [true, false])
  func `NaN is an error with the object and the property`(name: String, isNew: Bool) throws {
    let value: AttributeValue =
      switch name {
      case "double": .double(.nan)
      case "float": .float(.nan)
      case "date": .date(Date(timeIntervalSinceReferenceDate: .nan))
      default: .decimal(.nan)
      }
    let context = try context()
    let object = try context.insert("Everything")
    if !isNew { try context.save() }
    try object.setValue(value, forKey: name)
    let other = try context.insert("Everything")
    try other.setValue(.string("other"), forKey: "string")
    // `#require(throws:)` would describe the error, and Foundation traps for a date that is NaN.
    guard case .failure(let error) = Result(catching: { () throws(ManagedObjectError) in try context.save() }) else {
      Issue.record("it was saved")
      return
    }
    #expect(error.code == .invalidValue && error.key == name && error.value != nil)
    #expect(error.objectID != nil && (isNew || error.objectID == object.objectID))
    #expect(try PlainSQLite(file).column("SELECT COUNT(*) FROM ZEVERYTHING") == [isNew ? "0" : "1"])
    // The context keeps all changes.
    try object.setValue(AttributeValue.null, forKey: name)
    try context.save()
    #expect(try PlainSQLite(file).column("SELECT COUNT(*) FROM ZEVERYTHING") == ["2"])
  }
}
