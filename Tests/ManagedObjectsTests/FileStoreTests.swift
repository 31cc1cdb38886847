import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("File stores") struct FileStoreTests {
  let model = StoreModels.all
  let folder = TemporaryFolder(isInMemory: true)
  var url: URL { folder.url.appending(path: "store") }

  /// Values of each type, including limits and special values.
  static let values: [String: [AttributeValue]] = [
    "int16": [.integer(-32768), .integer(32767), .integer(0), .null],
    "int32": [.integer(Int64(Int32.min)), .integer(Int64(Int32.max))],
    "int64": [.integer(.min), .integer(.max), .integer(-1), .integer(9_007_199_254_740_993)],
    "bool": [.boolean(true), .boolean(false)],
    "decimal": [
      .decimal(0), .decimal(Decimal(string: "-12345678901234567890123456789012345678")!),
      .decimal(Decimal(string: "0.1")!), .decimal(Decimal(string: "1e100")!), .decimal(Decimal(string: "-7e-120")!),
    ],
    "double": [
      .double(0), .double(-0.0), .double(.pi), .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude),
      .double(.infinity), .double(-.infinity), .double(1e16), .double(123_456_789),
    ],
    "float": [.float(0.1), .float(.greatestFiniteMagnitude), .float(.leastNonzeroMagnitude), .float(-.infinity)],
    "string": [
      "", " ", "\n", "\r", "\r\n", "\t a \t", "]]>", "<&>\"'", "\u{0}\u{1}\u{1F}\u{7F}\u{85}\u{2028}",
      "\u{FFFE}\u{FFFF}\u{FFFD}",
      "C:\\temp", "\\", "\\\\", "\\u0041", "\\u0001", "\\u005c", "\\\u{1}", "\\u005cu0001", "\\u00", "\\u", "\\uFFFE",
      "é e\u{301} 😀 \u{10FFFF}", "x\u{FEFF}", String(repeating: "long ", count: 1000), "\u{1}u0041", "\\\\u0001",
    ].map { .string($0) },
    "date": [
      .date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: 285423412.79862899)),
      .date(Date(timeIntervalSinceReferenceDate: -1e10)), .date(Date(timeIntervalSinceReferenceDate: .infinity)),
    ],
    "binary": [0, 1, 2, 3, 56, 57, 58, 59, 114, 1000].map {
      .data(Data((0..<$0).map { UInt8(truncatingIfNeeded: $0 * 7) }))
    },
    "uuid": [.uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)],
    "uri": [.url(URL(string: "https://example.com/a?b=c&d=%20e#f")!), .url(URL(string: "file:///tmp/x")!)],
    "transformable": [.data(Data([1, 2, 3]))],
    "undefined": [
      .integer(3), .string("x"), .boolean(true), .double(1.5), .float(2.5), .data(Data([9])), .decimal(7),
      .date(Date(timeIntervalSinceReferenceDate: 5)), .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!),
      .url(URL(string: "a:b")!), .null,
    ],
  ]

  @Test(arguments: FileStoreKind.allCases)
  func `a file store keeps every value of every type`(kind: FileStoreKind) throws {
    let store = try kind.open(url)
    let all = Self.values.sorted { $0.key < $1.key }.flatMap { name, values in values.map { (name, $0) } }
    try store.insert(all.map { _ in "Everything" }) { _ in all.map { [$0: .attribute($1)] } }
    let again = try kind.open(url)
    #expect(try again.comparableRows() == store.comparableRows())
    #expect(try again.comparableRows().count == all.count)
    // `==` does not distinguish −0 from 0, nor strings with different but equivalent scalars.
    for (first, second) in zip(try again.comparableRows(), try store.comparableRows()) {
      for (first, second) in zip(first.values, second.values) {
        switch (first, second) {
        case (.attribute(.double(let first)), .attribute(.double(let second))):
          #expect(first.bitPattern == second.bitPattern)
        case (.attribute(.string(let first)), .attribute(.string(let second))):
          #expect(Array(first.utf8) == Array(second.utf8))
        default: continue
        }
      }
    }
    // The same rows result in the same bytes.
    let bytes = try Data(contentsOf: url)
    again.setMetadata(["x": .boolean(true)])
    try again.save(StoreChanges())
    again.setMetadata([:])
    try again.save(StoreChanges())
    #expect(try Data(contentsOf: url) == bytes)
    #expect(again.file._checkInvariants() == nil)
  }

  @Test(arguments: FileStoreKind.allCases) func `a file store keeps NaN values`(kind: FileStoreKind) throws {
    let bits: [UInt64] = [0x7FF8_0000_0000_0000, 0xFFF8_0000_0000_0000, 0x7FF8_0000_0000_1234]
    let keys = try kind.open(url).insert(bits.map { _ in "Everything" } + ["Everything"]) { _ in
      bits.map { ["double": .attribute(.double(Double(bitPattern: $0)))] } + [["decimal": .attribute(.decimal(.nan))]]
    }
    let store = try kind.open(url)
    for (key, bits) in zip(keys, bits) {
      guard case .attribute(.double(let value))? = try store.value(store.key(key), "double") else {
        Issue.record("no double")
        continue
      }
      #expect(value.bitPattern == bits)
    }
    guard case .attribute(.decimal(let value))? = try store.value(store.key(keys[3]), "decimal") else {
      Issue.record("no decimal number")
      return
    }
    #expect(value.isNaN)
  }

  /// Saves objects with all kinds of relationships.
  @discardableResult
  private func insertPeople(_ store: any PersistentStore) throws -> [RowKey] {
    try store.insert(["Person", "Note", "Employee", "Note", "Note"]) { keys in
      [
        [
          "name": .string("Ann"), "notes": .toMany([keys[1], keys[3]]), "friends": .toMany([keys[2], keys[0]]),
          "favourite": .toOne(keys[4]), "shelf": .orderedToMany([keys[4], keys[1], keys[3]]),
        ],
        ["author": .toOne(keys[0]), "shelfOwner": .toOne(keys[0]), "content": .string("one")],
        ["name": .string("Bob"), "friends": .toMany([keys[0]]), "notes": .toMany([keys[4]])],
        ["author": .toOne(keys[0]), "shelfOwner": .toOne(keys[0])],
        ["author": .toOne(keys[2]), "shelfOwner": .toOne(keys[0])],
      ]
    }
  }

  @Test(arguments: StoreKind.inFiles)
  func `a store keeps relationships, and row versions if its format has them`(kind: StoreKind) throws {
    let store = try kind.open(url)
    let keys = try insertPeople(store)
    try store.update(keys[1], ["content": .string("two")])
    let again = try kind.open(url)
    var expected = try store.comparableRows()
    if kind == .xml { for index in expected.indices { expected[index].version = 1 } }
    #expect(try again.comparableRows() == expected)
    #expect(
      try again.value(again.key(keys[0]), "shelf")?.keys.map(\.number) == [keys[4], keys[1], keys[3]].map(\.number))
  }

  @Test(arguments: StoreKind.inFiles)
  func `a new store has metadata and never reuses a primary key`(kind: StoreKind) throws {
    let store = try kind.open(url)
    #expect(try kind.metadata(url) == store.metadata)
    #expect(UUID(uuidString: store.identifier)?.uuidString == store.identifier)
    let keys = try store.insert(["Note", "Note"]) { _ in [[:], [:]] }
    #expect(keys.map(\.number) == (kind == .xml ? [102, 103] : [1, 2]))
    try store.delete([keys[1]])
    let again = try kind.open(url)
    #expect(again.identifier == store.identifier)
    #expect(try again.makeKeys([again.model["Note"]!.index])[0].number == keys[1].number + 1)
  }

  @Test(arguments: StoreKind.inFiles)
  func `a store keeps the metadata of programs and unknown metadata`(kind: StoreKind) throws {
    let store = try kind.open(url)
    let mine: OrderedDictionary<String, PropertyList> = [
      "zebra": .array([.string("a\nb"), .dictionary(["k": .data(Data(count: 100))])]), "empty": .dictionary([:]),
      "none": .array([]), "text": .string(" <&> "), "real": .real(0.1),
    ]
    store.setMetadata(mine)
    try store.save(StoreChanges())
    let again = try kind.open(url)
    for (key, value) in mine { #expect(again.metadata[key] == value) }
    try insertPeople(again)
    #expect(try kind.metadata(url) == again.metadata)
    #expect(again.metadata[StoreMetadataKey.versionHashesDigest] == .string(model.versionHashesDigest))
    #expect(again.metadata[StoreMetadataKey.identifier] == .string(store.identifier))
  }

  @Test(arguments: StoreKind.inFiles)
  func `a store has only the entities of its configuration`(kind: StoreKind) throws {
    let store = try kind.open(url, configuration: "people")
    try insertPeople(store)
    #expect(errorCode { try store.insert(["Everything"]) { _ in [[:]] } } == .invalidState)
    #expect(try kind.open(url, configuration: "people").comparableRows().count == 5)
    let mismatch = thrownError { _ = try kind.open(url) }
    #expect(mismatch?.code == .incompatibleVersionHash)
    #expect(mismatch?.differingEntities == ["Everything", "Thing"])
    #expect(errorCode { _ = try kind.open(url, configuration: "nobody") } == .open)
  }

  @Test(arguments: StoreKind.inFiles)
  func `opening a store of another model throws an error with the differing entities`(kind: StoreKind) throws {
    let first = StoreModels.model([EntityDescription("A", [.attribute("x", .string)]), EntityDescription("B")])
    let second = StoreModels.model([EntityDescription("A", [.attribute("x", .integer16)]), EntityDescription("B")])
    try kind.open(url, first).insert(["A"]) { _ in [["x": .string("y")]] }
    let error = thrownError { _ = try kind.open(url, second) }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(error?.differingEntities == ["A"])
  }

  @Test(arguments: StoreKind.inFiles) func `a read-only store is not written and not created`(kind: StoreKind) throws {
    #expect(errorCode { _ = try kind.open(url, isReadOnly: true) } == .noSuchFile)
    #expect(folder.names == [])
    try insertPeople(kind.open(url))
    let bytes = try Data(contentsOf: url)
    let store = try kind.open(url, isReadOnly: true)
    #expect(try store.comparableRows().count == 5)
    #expect(errorCode { try store.insert(["Note"]) { _ in [[:]] } } == .save)
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test(arguments: FileStoreKind.allCases)
  func `a file store creates missing folders only when it is opened`(kind: FileStoreKind) throws {
    let program = folder.url.appending(path: "program")
    let url = program.appending(path: "data/store")
    #expect(thrownError { _ = try kind.open(url, isReadOnly: true) }?.code == .noSuchFile)
    #expect(folder.names == [])
    let store = try kind.open(url)
    try insertPeople(store)
    #expect(try kind.open(url).comparableRows().count == 5)
    // The folder can be missing because its volume has been unmounted.
    try FileManager.default.removeItem(at: program)
    #expect(errorCode { try store.insert(["Note"]) { _ in [[:]] } } == .save)
    #expect(folder.names == [])
    // The path of the folder is a file.
    try Data().write(to: program)
    #expect(thrownError { _ = try kind.open(url) }?.code == .open)
  }

  @Test(arguments: FileStoreKind.allCases)
  func `opening a file that is not a store of this type throws and leaves it unchanged`(kind: FileStoreKind) throws {
    let list = PropertyList.dictionary(["a": .integer(1)])
    let files: [(Data, ManagedObjectError.Code)] = [
      (Data("SQLite format 3\0 and so on".utf8), .storeTypeMismatch), (Data("CoreData\0\0".utf8), .storeTypeMismatch),
      (try list.data(format: .binary), .storeTypeMismatch), (try list.data(format: .xml), .storeTypeMismatch),
      (Data("garbage".utf8), .open), (Data(), .open), (Data(count: 1000), .open),
    ]
    for (data, code) in files {
      try data.write(to: url)
      let error = thrownError { _ = try kind.open(url) }
      #expect(error?.code == code, "\(data): \(String(describing: error))")
      #expect(errorCode { _ = try kind.metadata(url) } == code)
      #expect(try Data(contentsOf: url) == data)
    }
    try FileManager.default.removeItem(at: url)
    let other: FileStoreKind = kind == .xml ? .binary : .xml
    _ = try other.open(url)
    #expect(thrownError { _ = try kind.open(url) }?.code == .storeTypeMismatch)
    #expect(thrownError { _ = try kind.open(folder.url) }?.code == .open)
    #expect(thrownError { _ = try kind.open(URL(string: "https://example.com")!) }?.code == .open)
    #expect(thrownError { _ = try kind.metadata(folder.url.appending(path: "none")) }?.code == .noSuchFile)
  }

  @Test(arguments: FileStoreKind.allCases)
  func `opening a missing file throws if createsFile is false`(kind: FileStoreKind) throws {
    var description = kind == .xml ? PersistentStoreDescription.xml(url) : .binary(url)
    description.createsFile = false
    let missing = thrownError { _ = try PersistentContainer(model: model, stores: [description]) }
    #expect(missing?.code == .noSuchFile && missing?.fileURL == url)
    #expect(folder.names == [])
    _ = try kind.open(url)
    let container = try PersistentContainer(model: model, stores: [description])
    #expect(try container.performAndWait { try $0.count(for: FetchRequest("Note")) } == 0)
  }

  @Test(arguments: FileStoreKind.allCases)
  func `each error of opening a store contains its path once`(kind: FileStoreKind) throws {
    func check(
      _ code: ManagedObjectError.Code, _ url: URL? = nil, sourceLocation: SourceLocation = #_sourceLocation,
      _ body: (PersistentStoreDescription) throws -> Void
    ) {
      let url = url ?? self.url
      let error = thrownError { try body(kind == .xml ? .xml(url) : .binary(url)) }
      #expect(error?.code == code && error?.fileURL == url, sourceLocation: sourceLocation)
      let name = url.isFileURL ? url.path : url.absoluteString
      #expect(
        error?.description.components(separatedBy: name).count == 2, "\(error?.description ?? "none")",
        sourceLocation: sourceLocation)
    }
    func open(_ description: PersistentStoreDescription) throws {
      _ = try PersistentContainer(model: model, stores: [description])
    }
    check(.open, folder.url) { try open($0) }
    check(.open, URL(string: "https://example.com/store")!) { try open($0) }
    check(.noSuchFile) { _ in _ = try kind.metadata(url) }
    check(.open) { description in
      var description = description
      description.configuration = "nobody"
      try open(description)
    }
    for (data, code) in [
      (Data("SQLite format 3\0".utf8), .storeTypeMismatch), (Data("garbage".utf8), .open),
      (Data("<?xml version=\"1.0\"?><database>".utf8), kind == .xml ? .open : .storeTypeMismatch),
      (try PropertyList.dictionary(["a": 1]).data(format: .binary), .storeTypeMismatch),
    ] as [(Data, ManagedObjectError.Code)] {
      try data.write(to: url)
      check(code) { try open($0) }
      check(code) { _ in _ = try kind.metadata(url) }
    }
    try FileManager.default.removeItem(at: url)
    _ = try kind.open(url, StoreModels.model([EntityDescription("Other")]))
    check(.incompatibleVersionHash) { try open($0) }
    check(.migration) { description in
      var description = description
      description.migration = { _ throws(ManagedObjectError) in throw ManagedObjectError(.migration, "not today") }
      try open(description)
    }
    try FileManager.default.removeItem(at: url)
    check(.invalidState) { _ = try PersistentContainer(model: model, stores: [$0, $0]) }
    check(.invalidState) { _ in
      let other = StoreModels.model([EntityDescription("Other")])
      try PersistentStoreCoordinator(model: other).add(kind.open(url))
    }
    let store = try kind.open(url)
    try Data("garbage".utf8).write(to: url)
    check(.open) { _ in _ = try store.fetch(FetchRequest("Note"), of: #require(model["Note"])) }
  }

  @Test(arguments: FileStoreKind.allCases)
  func `a reference to a deleted object is kept in the file`(kind: FileStoreKind) throws {
    let store = try kind.open(url)
    let keys = try insertPeople(store)
    try store.delete([keys[4]])
    #expect(try store.value(keys[0], "favourite") == .toOne(keys[4]))
    let again = try kind.open(url)
    #expect(try again.value(again.key(keys[0]), "favourite") == .toOne(again.key(keys[4])))
    #expect(try again.value(again.key(keys[0]), "shelf")?.keys.count == 2)
    // A row can also get a reference to an unknown object with any number, and the file can still be read.
    let unknown = RowKey(store: store.number, entityIndex: Int(keys[4].entityIndex), number: 5000)
    try store.update(keys[0], ["favourite": .toOne(unknown)])
    let third = try kind.open(url)
    #expect(try third.comparableRows().count == 4 && third.makeKeys([0])[0].number > 5000)
    #expect(try third.value(third.key(keys[0]), "favourite") == .toOne(third.key(unknown)))
  }
}
