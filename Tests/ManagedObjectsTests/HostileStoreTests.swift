import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Hostile store files") struct HostileStoreTests {
  let model = StoreModels.all

  /// Returns the format of a kind of store, and a small file in it.
  private func file(_ kind: FileStoreKind) throws -> (format: any StoreFileFormat, bytes: [UInt8]) {
    let folder = TemporaryFolder(isInMemory: true)
    let url = folder.url.appending(path: "store")
    let store = try kind.open(url)
    try store.insert(["Person", "Note", "Everything"]) { keys in
      [
        ["name": .string("A\u{1}&"), "notes": .toMany([keys[1]]), "shelf": .orderedToMany([keys[1]])],
        ["author": .toOne(keys[0]), "shelfOwner": .toOne(keys[0])],
        [
          "int16": .integer(7), "double": .attribute(.double(0.5)), "binary": .attribute(.data(Data([1, 2, 3]))),
          "uri": .attribute(.url(URL(string: "a:b")!)), "undefined": .attribute(.boolean(true)),
          "decimal": .attribute(.decimal(12)), "date": .attribute(.date(Date(timeIntervalSinceReferenceDate: 1))),
        ],
      ]
    }
    let format: any StoreFileFormat = kind == .xml ? try XMLStoreFormat(model) : BinaryStoreFormat()
    return (format, [UInt8](try Data(contentsOf: url)))
  }

  @Test(arguments: FileStoreKind.allCases)
  func `a damaged file is read or throws an error`(kind: FileStoreKind) throws {
    let (format, bytes) = try file(kind)
    let empty = RowTable(model: model, storeNumber: .next())
    var random = SeededGenerator(seed: 14)
    let count = LongForm.size(all: 1_000_000, 3000, or: 150)
    // In XML, mostly the objects are damaged, because the metadata is long.
    let start = kind == .xml ? Data(bytes).range(of: Data("</databaseInfo>".utf8))!.upperBound : 0
    var accepted = 0
    let time = ThreadClock.measure {
      for _ in 0..<count {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          if Int.random(in: 0..<4, using: &random) > 0, start < damaged.count {
            var end = Array(damaged[start...])
            end.damage(using: &random)
            damaged.replaceSubrange(start..., with: end)
          } else {
            damaged.damage(using: &random)
          }
        }
        do {
          let contents = try format.read(Data(damaged), into: empty, configuration: nil)
          accepted += 1
          if let defect = contents.table._checkInvariants() { Issue.record("\(defect): \(damaged)") }
          // A file that was accepted can be written again.
          if accepted % 16 == 0 { _ = try format.write(contents, old: Data(damaged), changed: []) }
        } catch {
          if (error as? ManagedObjectError)?.message.isEmpty != false { Issue.record("\(error)") }
        }
      }
    }
    #expect(accepted > 0 && accepted < count)
    if LongForm.isWanted { print("\(kind): \(count) files in \(time), \(accepted) of them read") }
  }

  /// Returns a binary store with entities encoded by hand.
  private func binary(_ entities: [BinaryEntity]) throws -> Data {
    let metadata = StoreMetadata(identifier: "A", type: "Binary", model: model, configuration: nil)
    let archiver = KeyedArchiver()
    try archiver.encode(1, forKey: BinaryStoreFormat.Key.version)
    try archiver.encodeBytes(
      PropertyList.dictionary(metadata.values).data(format: .binary), forKey: BinaryStoreFormat.Key.metadata)
    try archiver.encode(Int64(5), forKey: BinaryStoreFormat.Key.lastNumber)
    try archiver.encode(entities, forKey: BinaryStoreFormat.Key.entities)
    return try archiver.encodedData()
  }

  private func note(
    count: Int = 1, numbers: [UInt8] = [1], versions: [UInt8] = [], nulls: [UInt8] = [1], content: [UInt8] = [],
    author: [UInt8]? = nil, name: String = "Note", type: Int = -1
  ) -> BinaryEntity {
    BinaryEntity(
      name: name, count: count, numbers: Data(numbers), versions: Data(versions),
      columns: [
        BinaryColumn(name: "author", type: type, nulls: Data(author == nil ? [1] : []), values: Data(author ?? [])),
        BinaryColumn(name: "content", type: 700, nulls: Data(nulls), values: Data(content)),
        BinaryColumn(name: "shelfOwner", type: -1, nulls: Data([1]), values: Data()),
      ])
  }

  @Test func `an inconsistent binary store throws an error with the position of the defect`() throws {
    let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
    let cases: [([BinaryEntity], String)] = [
      ([note(name: "Nobody")], "missing from the model"), ([note(name: "Thing")], "it is abstract"),
      ([note(), note()], "twice"),
      ([note(count: 0)], "object count 0"), ([note(count: -1)], "object count -1"),
      ([note(count: .max)], "bytes of object numbers"), ([note(count: 2)], "object count 2"),
      ([note(numbers: [0])], "not in ascending order"),
      ([note(numbers: [1, 1])], "more values"),
      ([note(numbers: [0x81])], "truncated"),
      ([note(count: 2, numbers: huge + huge, nulls: [3])], "not in ascending order"),
      ([note(numbers: huge + [0x80])], "more values"),
      ([note(numbers: [UInt8](repeating: 0x80, count: 20))], "64 bits"),
      ([note(versions: [0])], "version"), ([note(versions: [1, 1])], "more values"),
      ([note(nulls: [1, 1])], "Note.content: a null bitmap of 2 bytes"),
      ([note(nulls: [0])], "Note.content: the values are truncated"),
      ([note(nulls: [0], content: [5, 65])], "truncated"), ([note(nulls: [0], content: huge)], "truncated"),
      ([note(nulls: [0], content: [1, 0xFF])], "not UTF-8"), ([note(content: [1])], "more values"),
      ([note(author: [0, 1])], "another entity"), ([note(author: [7, 1])], "does not lead to an object"),
      ([note(author: [0, 0])], "does not lead to an object"),
      ([note(type: -2)], "column type -2"),
      ([BinaryEntity(name: "Note", count: 1, numbers: Data([1]), versions: Data(), columns: [])], "columns"),
    ]
    for (entities, message) in cases {
      let data = try binary(entities)
      let error = #expect(throws: ManagedObjectError.self) {
        try BinaryStoreFormat().read(data, into: RowTable(model: model, storeNumber: .next()), configuration: nil)
      }
      #expect(
        error?.code == .open && error?.message.contains(message) == true, "\(message): \(String(describing: error))")
    }
    let contents = try BinaryStoreFormat().read(
      binary([note(numbers: [3], versions: [4], nulls: [0], content: [1, 65])]),
      into: RowTable(model: model, storeNumber: .next()), configuration: nil)
    #expect(contents.table.rowsByNumber.map(\.version) == [4] && contents.lastNumber == 5)
  }

  @Test func `a reference to an object that is missing from a binary store throws`() throws {
    let person = BinaryEntity(
      name: "Person", count: 1, numbers: Data([1]), versions: Data(),
      columns: ["favourite", "friends", "name", "notes", "shelf"].map { name in
        let type = ["favourite": -1, "name": 700, "shelf": -3][name] ?? -2
        return BinaryColumn(
          name: name, type: type, nulls: Data(type == -1 || type == 700 ? [1] : []),
          values: Data(type == -1 || type == 700 ? [] : [0]))
      })
    let data = try binary([person, note(author: [0, 2])])
    let error = #expect(throws: ManagedObjectError.self) {
      try BinaryStoreFormat().read(data, into: RowTable(model: model, storeNumber: .next()), configuration: nil)
    }
    #expect(error?.message.contains("Note.author: object 1 refers to object 2") == true, "\(String(describing: error))")
    let good = try BinaryStoreFormat().read(
      binary([person, note(author: [0, 1])]), into: RowTable(model: model, storeNumber: .next()), configuration: nil)
    // The inverse side is added.
    #expect(good.table.rowsByNumber.count == 2)
    let notes = try #require(model["Person"]?.property(named: "notes"))
    #expect(good.table.rows(ofEntity: model["Person"]!.index)[0].values[notes.slot].keys.count == 1)
  }

  @Test func `deep nesting, long tags and many attributes are rejected in linear time`() throws {
    let format = try XMLStoreFormat(model)
    let head = XMLStoreTests.text("").replacingOccurrences(of: "\n</database>", with: "")
    let size = LongForm.size(all: 1 << 22, 1 << 19, or: 1 << 18)
    for piece in [
      "<object>", "<object type=\"NOTE\" id=\"z1\" ",
      "<object type=\"NOTE\" id=\"z1\"><relationship name=\"author\" idrefs=\"",
      "<![CDATA[", "<!--", "&amp;", "]]>", "<object type=\"", "\u{FFFE}", "<a b=\"", "<x a=\"1\" ",
    ] {
      let data = Data((head + String(repeating: piece, count: size / piece.utf8.count)).utf8)
      let time = ThreadClock.measure {
        #expect(throws: ManagedObjectError.self) {
          try format.read(data, into: RowTable(model: model, storeNumber: .next()), configuration: nil)
        }
      }
      #expect(time < ThreadClock.referenceSecond * 5, "\(piece)")
    }
  }
}
