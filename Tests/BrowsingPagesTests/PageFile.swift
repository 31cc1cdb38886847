import BrowsingPages
import Foundation
import KeyedArchiving
import ManagedObjects
import PropertyLists
import StorePages
import SystemFiles
import TestSupport
import Testing

/// A page in a separate file.
struct PageFile {
  let folder = TemporaryFolder(isInMemory: true)
  var path: String { folder.path("page.html") }
  var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

  init(_ write: (FileOutput) throws -> Void) throws {
    let replacement = try Replacement(of: folder.path("page.html"))
    try write(replacement.output)
    try replacement.commit()
  }

  init(_ archive: PropertyList, title: String = "Archive") throws {
    let data = try archive.data(format: .binary, options: .init(coercion: .reversible))
    try self.init(KeyedArchive(data), title: title)
  }

  init(_ archive: KeyedArchive, title: String = "Archive") throws {
    let page = ArchivePage(archive, title: title)
    try self.init { try page.write(to: $0) }
  }

  init(_ store: any PersistentStore, limit: Int? = nil) throws {
    var page = StorePage(store, title: "Contacts.store")
    page.rowLimit = limit
    page.facts = [("Type", "InMemory")]
    let complete = page
    try self.init { try complete.write(to: $0) }
  }

  /// The blocks of data: chunks of rows, then the head.
  var blocks: [Any] {
    get throws {
      try text.components(separatedBy: "<script type=\"application/json\"").dropFirst().map { block in
        guard let start = block.firstIndex(of: ">"), let end = block.range(of: "</script>") else { throw Broken() }
        let json = block[block.index(after: start)..<end.lowerBound]
        return try JSONSerialization.jsonObject(with: Data(json.utf8))
      }
    }
  }

  struct Broken: Error {}

  /// All rows.
  var rows: [[Any]] { get throws { try blocks.dropLast().flatMap { $0 as? [[Any]] ?? [] } } }
  var head: [String: Any] { get throws { try blocks.last as? [String: Any] ?? [:] } }

  /// The rows of a group, by key.
  func rows(of group: String) throws -> [Int: [Any]] {
    let groups = try head["groups"] as? [[String: Any]] ?? []
    guard let number = groups.firstIndex(where: { $0["name"] as? String == group }) else { return [:] }
    let own = try rows.filter { $0[0] as? Int == number }
    return Dictionary(uniqueKeysWithValues: own.map { ($0[1] as? Int ?? -1, $0) })
  }
}

/// Writes a screenshot to the folder given by `PAGE_SCREENSHOTS`.
func keep(_ screenshot: Data, as name: String) throws {
  guard let folder = ProcessInfo.processInfo.environment["PAGE_SCREENSHOTS"] else { return }
  try screenshot.write(to: URL(filePath: folder).appending(path: name + ".png"))
}

/// Sample archives.
enum SampleArchive {
  static func uid(_ value: UInt32) -> PropertyList { .uid(.init(value)) }

  static func described(_ name: String) -> PropertyList {
    ["$classname": .string(name), "$classes": [.string(name), "NSObject"]]
  }

  static func of(_ objects: [PropertyList], top: PropertyList = ["root": uid(1)]) -> PropertyList {
    ["$version": 100000, "$archiver": "NSKeyedArchiver", "$top": top, "$objects": .array(["$null"] + objects)]
  }

  /// One pixel.
  static let picture = Data(
    base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")!

  /// Two people who know each other through one array, a date, a picture, data and a dictionary.
  static let people = of([
    [
      "name": uid(2), "friends": uid(3), "born": uid(10), "photo": .data(picture), "token": .data(Data(0..<40)),
      "$class": uid(6),
    ], "Ada",
    ["NS.objects": [uid(1), uid(4)], "$class": uid(7)],
    ["name": uid(5), "friends": uid(3), "settings": uid(8), "$class": uid(6)], "Charles", described("Model.Person"),
    described("NSArray"), ["NS.keys": [uid(12)], "NS.objects": [uid(5)], "$class": uid(9)], described("NSDictionary"),
    ["NS.time": 0.5, "$class": uid(11)], described("NSDate"), "nickname",
  ])

  /// Names and values of a hostile file.
  static let hostileTexts = [
    "</script><script>alert('ran')</script>", "<img src=x onerror=alert('ran')>", "\"'><svg onload=alert('ran')>",
    "javascript:alert('ran')", "\u{2028}\u{2029}alert('ran')//", "\u{202E}gnp.exe\u{2066}\u{200F}",
    "\u{0}nul\u{7}\u{1B}[31m",
    "<!-- --!> <![CDATA[ ]]>", "&lt;script&gt;&#60;b&#62;", "__proto__", "constructor", "\\u003cscript\\u003e\\",
    String(decoding: [0xFFFE, 0xFDD0] as [UInt16], as: UTF16.self), "${alert('ran')}`", "#/object/1?x=%zz",
    "a/b?c#d%2F",
  ]
}

/// A sample store: accounts of people who know each other.
enum SampleStore {
  static let model: ManagedObjectModel? = try? ManagedObjectModel(entities: [
    EntityDescription(
      "Account",
      [.attribute("name", .string), .relationship("people", to: "Person", inverse: "account", isToMany: true)]),
    EntityDescription(
      "Person",
      [
        .attribute("name", .string), .attribute("age", .integer16), .attribute("born", .date),
        .attribute("balance", .decimal), .attribute("photo", .binary), .attribute("settings", .transformable),
        .attribute("site", .uri), .attribute("notes", .string),
        .relationship("account", to: "Account", inverse: "people"),
        .relationship("friends", to: "Person", inverse: "friendOf", isToMany: true, isOrdered: true),
        .relationship("friendOf", to: "Person", inverse: "friends", isToMany: true),
      ]),
  ])

  /// - Parameter count: the number of people.
  static func store(_ count: Int) throws -> InMemoryStore {
    guard let model, let account = model.entity(named: "Account"), let person = model.entity(named: "Person") else {
      throw PageFile.Broken()
    }
    let store = try InMemoryStore(model: model)
    let accounts = try store.makeKeys(Array(repeating: account.index, count: 3))
    let people = try store.makeKeys(Array(repeating: person.index, count: count))
    let settings = try SampleArchive.people.data(format: .binary, options: .init(coercion: .reversible))
    var changes = StoreChanges()
    for (number, key) in accounts.enumerated() {
      var values = account.emptyValues
      set(&values, account, "name", .attribute(.string("Account \(number)")))
      let members = people.indices.filter { $0 % 3 == number }.map { people[$0] }
      set(&values, account, "people", .toMany(Set(members)))
      changes.inserted.append(StoreRow(key: key, version: 1, values: values))
    }
    for (number, key) in people.enumerated() {
      var values = person.emptyValues
      set(&values, person, "name", .attribute(.string("Person \(String(format: "%05d", number * 7919 % 100_000))")))
      set(&values, person, "age", .attribute(.integer(Int64(number % 90))))
      set(&values, person, "born", .attribute(.date(Date(timeIntervalSinceReferenceDate: Double(number) * 86400))))
      set(&values, person, "balance", .attribute(.decimal(Decimal(number) / 100)))
      if number % 7 != 3 { set(&values, person, "notes", .attribute(.string("a note about number \(number)"))) }
      if number % 1000 == 0 {
        set(&values, person, "photo", .attribute(.data(SampleArchive.picture)))
        set(&values, person, "settings", .attribute(.data(settings)))
      }
      if number == 1 { set(&values, person, "site", .attribute(.url(URL(string: "javascript:alert('ran')")!))) }
      set(&values, person, "account", .toOne(accounts[number % 3]))
      set(&values, person, "friends", .orderedToMany([people[(number + 1) % count], people[number / 2]]))
      changes.inserted.append(StoreRow(key: key, version: 1, values: values))
    }
    try store.save(changes)
    return store
  }

  /// A store of any model, with one row for each of the entities.
  ///
  /// - Parameter values: returns the values of each row from the keys of all rows.
  static func store(
    _ model: ManagedObjectModel, _ entities: [String], _ values: ([RowKey]) -> [[String: RowValue]]
  ) throws -> InMemoryStore {
    let store = try InMemoryStore(model: model)
    let entities = try entities.map { name in try #require(model.entity(named: name)) }
    let keys = try store.makeKeys(entities.map(\.index))
    var changes = StoreChanges()
    for (index, own) in values(keys).enumerated() {
      var values = entities[index].emptyValues
      for (name, value) in own { set(&values, entities[index], name, value) }
      changes.inserted.append(StoreRow(key: keys[index], version: 1, values: values))
    }
    try store.save(changes)
    return store
  }

  private static func set(
    _ values: inout [RowValue], _ entity: ManagedObjectModel.Entity, _ name: String, _ value: RowValue
  ) {
    guard let slot = entity.property(named: name)?.slot else { return }
    values[slot] = value
  }
}
