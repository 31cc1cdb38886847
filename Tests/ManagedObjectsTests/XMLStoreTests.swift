import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("XML stores") struct XMLStoreTests {
  static let model: ManagedObjectModel = {
    var person = EntityDescription(
      "Person",
      [
        .attribute("firstName", .string), .attribute("age", .integer16), .attribute("photo", .binary),
        .attribute("id", .uuid), .attribute("any", .undefined), .attribute("born", .date),
        .relationship("notes", to: "Note", inverse: "author", isToMany: true),
        .relationship("boss", to: "Person", inverse: "boss"),
      ])
    var author = RelationshipDescription("author", to: "Person", inverse: "notes")
    author.minimumCount = 1
    return StoreModels.model([person, EntityDescription("Note", [.relationship(author)])])
  }()

  let folder = TemporaryFolder(isInMemory: true)
  var url: URL { folder.url.appending(path: "store.xml") }

  static func text(_ objects: String, head: String = "<?xml version=\"1.0\"?>\n", number: Int = 105) -> String {
    """
    \(head)<database>
        <databaseInfo>
            <version>134481920</version>
            <UUID>498313E6-D672-4887-A947-08765F4F1012</UUID>
            <nextObjectID>\(number)</nextObjectID>
            <metadata></metadata>
        </databaseInfo>
    \(objects)
    </database>
    """
  }

  private func open(_ text: String) throws -> XMLStore {
    try Data(text.utf8).write(to: url)
    return try XMLStore(url, model: Self.model)
  }

  /// Returns the text of the objects in the file.
  private func objects() throws -> String {
    let text = try String(contentsOf: url, encoding: .utf8)
    return String(text[text.range(of: "</databaseInfo>")!.upperBound...])
  }

  @Test func `a new file has the format of Apple's framework`() throws {
    let store = try XMLStore(url, model: Self.model)
    try store.insert(["Person", "Note"]) { keys in
      [
        [
          "firstName": .string("Ann & <Bob>\n"), "age": .integer(-3), "notes": .toMany([keys[1]]),
          "photo": .attribute(.data(Data(repeating: 0, count: 60))), "any": .attribute(.boolean(true)),
          "born": .attribute(.date(Date(timeIntervalSinceReferenceDate: -0.25))),
        ],
        ["author": .toOne(keys[0])],
      ]
    }
    let zeros = String(repeating: "A", count: 76)
    #expect(
      try objects() == """

            <object type="PERSON" id="z102">
                <attribute name="age" type="int16">-3</attribute>
                <attribute name="any" type="bool">1</attribute>
                <attribute name="born" type="date">-0.25</attribute>
                <attribute name="firstname" type="string">Ann &amp; &lt;Bob&gt;
        </attribute>
                <attribute name="photo" type="binary">\(zeros)
        AAAA
        </attribute>
                <relationship name="boss" type="0/1" destination="PERSON"></relationship>
                <relationship name="notes" type="0/0" destination="NOTE" idrefs="z103"></relationship>
            </object>
            <object type="NOTE" id="z103">
                <relationship name="author" type="1/1" destination="PERSON" idrefs="z102"></relationship>
            </object>
        </database>
        """)
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(
      text.hasPrefix(
        """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>\(store.identifier)</UUID>
                <nextObjectID>103</nextObjectID>
                <metadata>
                    <plist version="1.0">
                        <dict>
                            <key>NSPersistenceFrameworkVersion</key>
                            <integer>1344</integer>
                            <key>NSStoreModelVersionChecksumKey</key>
                            <string>\(Self.model.versionChecksum)</string>
                            <key>NSStoreModelVersionHashes</key>
                            <dict>
                                <key>Note</key>
                                <data>
        \t\t\(Self.model["Note"]!.versionHash.base64EncodedString())
        \t\t</data>
        """))
    #expect(
      text.contains(
        "<array></array>\n                </dict>\n            </plist>\n        </metadata>\n    </databaseInfo>\n    <object"
      ))
  }

  @Test func `the reader accepts other layouts and spellings`() throws {
    let text = "C:\\temp \\u0041 \\u0007"
    let store = try open(
      Self.text(
        """
        <!-- in any order --><object id='z9' type="NOTE"><relationship idrefs="  z2\n" name="author"/></object>
          <object type="PERSON" id="z2"><attribute type="integer16" name="age"> 7 </attribute>
          <attribute name="photo" type="binary">
            AQ\tI=
          </attribute><attribute name="id" type="UUID">AAECAwQFBgcICQoLDA0ODw==</attribute>
          <attribute name="firstname" type="string"> a<![CDATA[<b>]]><!-- c -->&#100;&#x65;\r\n\(text)</attribute>
          <relationship name="notes" type="0/0" destination="NOTE" idrefs="z9"></relationship></object>
        """, head: "", number: 4))
    let person = RowKey(store: store.number, entityIndex: Self.model["Person"]!.index, number: 2)
    #expect(try store.value(person, "age") == .integer(7))
    #expect(try store.value(person, "photo") == .attribute(.data(Data([1, 2]))))
    let id = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
    #expect(try store.value(person, "id") == .attribute(.uuid(id)))
    #expect(try store.value(person, "firstName") == .string(" a<b>de\nC:\\temp \\u0041 \u{7}"))
    #expect(try store.value(person, "notes")?.keys.map(\.number) == [9])
    #expect(try store.makeKeys([0])[0].number == 10)
  }

  private static func person(_ content: String, _ number: Int = 1) -> String {
    "<object type=\"PERSON\" id=\"z\(number)\">\n\(content)</object>"
  }

  private static func note(_ content: String, _ number: Int = 1) -> String {
    "<object type=\"NOTE\" id=\"z\(number)\">\n\(content)</object>"
  }

  private static func age(_ content: String) -> String {
    person("<attribute name=\"age\" type=\"int16\">\(content)</attribute>")
  }

  private static func author(_ rest: String) -> String { note("<relationship name=\"author\" \(rest)/>") }

  /// Objects, the error message, and the line and column.
  static let defects: [(String, String, Int, Int)] = [
    ("<object type=\"NOBODY\" id=\"z1\"/>", "not an entity", 9, 15),
    ("<object type=\"NOTE\" id=\"1\"/>", "not an object ID", 9, 25),
    ("<object type=\"NOTE\" id=\"z0\"/>", "not an object ID", 9, 25),
    ("<object type=\"NOTE\" id=\"z99999999999999999999\"/>", "not an object ID", 9, 25),
    ("<object type=\"NOTE\"/>", "type or id of an object", 9, 1),
    ("<object type=\"NOTE\" id=\"z1\"/>\n " + person("", 1), "two objects", 10, 2),
    ("<object type=\"NOTE\" id=\"z1\" x=\"\"/>", "unknown or repeated", 9, 29), ("<thing/>", "expected <object>", 9, 1),
    (" text", "expected an element", 9, 2), (note("<b/>"), "expected <attribute>", 10, 1),
    ("<object type=\"NOTE\" id=\"z1\">", "expected </object>", 10, 1),
    (person("<attribute name=\"x\" type=\"string\"/>"), "no attribute", 10, 18),
    (person("<attribute name=\"age\" type=\"string\"/>"), "expected the type", 10, 29),
    (person("<attribute name=\"age\"/>"), "name or type of an attribute", 10, 1),
    (person("<attribute name=\"notes\" type=\"string\"/>"), "no attribute", 10, 18),
    (age("x"), "Integer 16", 10, 36), (age("40000"), "Integer 16", 10, 36), (age(""), "Integer 16", 10, 36),
    (age("99999999999999999999"), "Integer 16", 10, 36), (age("<b/>"), "expected text", 10, 36),
    (person("<attribute name=\"photo\" type=\"binary\">A</attribute>"), "Binary", 10, 39),
    (person("<attribute name=\"any\" type=\"what\"/>"), "not an attribute type", 10, 29),
    (person(String(repeating: "<attribute name=\"age\" type=\"int16\">1</attribute>\n", count: 2)), "twice", 11, 18),
    (note("<relationship name=\"x\"/>"), "no relationship", 10, 21),
    (author("idrefs=\"z7\""), "not in the file", 10, 1),
    (author("idrefs=\"z1\""), "of the relationship's", 10, 1), (author("idrefs=\"z1 z2\""), "to-one", 10, 37),
    (author("idrefs=\"x\""), "not an object ID", 10, 37), (author("destination=\"NOTE\""), "destination", 10, 42),
    (author("x=\"\""), "unknown or repeated", 10, 29),
    (person("<relationship name=\"notes\" idrefs=\"z2 z2\"/>") + "<object type=\"NOTE\" id=\"z2\"/>", "twice", 10, 1),
    // The two sides contradict each other.
    (
      person("<relationship name=\"notes\" idrefs=\"z3\"/>") + person("", 2)
        + note("<relationship name=\"author\" idrefs=\"z2\"/>", 3), "\"author\"", 9, 1
    ),
    ("</database><database>", "second root", 9, 12),
  ]

  @Test(arguments: defects)
  func `invalid objects are errors with a position`(objects: String, message: String, line: Int, column: Int) throws {
    let error = thrownError { _ = try open(Self.text(objects)) }
    #expect(error?.code == .open)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    #expect(error?.fileError?.position == .init(line: line, column: column), "\(String(describing: error))")
  }

  @Test(
    arguments: [
      ("<version>134481920</version>", "", nil), ("134481920", "7", "not supported"),
      ("<UUID>", "<UUID a=\"\">", "unknown"), ("<UUID>498313E6-D672-4887-A947-08765F4F1012</UUID>", "", "missing"),
      ("105", "many", "must be an object number"), ("105", "-1", "must be an object number"),
      ("<metadata></metadata>", "<extra/>", "<extra>"),
      ("<metadata></metadata>", "<metadata>x</metadata>", "text"),
      ("<metadata></metadata>", "<metadata><plist><array/></plist></metadata>", "not a dictionary"),
      ("<metadata></metadata>", "<metadata><plist><dict><key>a</key></dict></plist></metadata>", "property list"),
      ("<metadata></metadata>", "<metadata><plist><dict/></plist><plist/></metadata>", "expected"),
      ("databaseInfo", "info", "expected <databaseInfo>"), ("</UUID>", "", "expected text"),
    ] as [(String, String, String?)])
  func `an invalid head is an error with a position`(part: String, other: String, message: String?) throws {
    let error = thrownError { _ = try open(Self.text("").replacingOccurrences(of: part, with: other)) }
    guard let message else {
      #expect(error == nil)
      return
    }
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    #expect(error?.fileError?.position != nil)
  }

  @Test func `unchanged objects keep their text`() throws {
    let objects = """
        <!-- one --><object id="z2" type="PERSON" ><attribute type="string"  name="firstname">&#97;</attribute
          ><attribute name="age" type="int16">07</attribute></object>

      <object type="PERSON" id="z5"><attribute name="firstname" type="string">b</attribute></object>
      """
    let text = Self.text(objects) + "\n<!-- end -->\n"
    let store = try open(text)
    let info = text.range(of: "</databaseInfo>")!.upperBound
    try store.insert(["Note"]) { _ in [[:]] }
    let end = "\n</database>\n<!-- end -->\n"
    let new = """

          <object type="NOTE" id="z106">
              <relationship name="author" type="1/1" destination="PERSON"></relationship>
          </object>
      """
    #expect(try self.objects() == text[info...].dropLast(end.utf8.count) + new + end)
    // The metadata has changed, but the beginning of the file is the same.
    #expect(
      try String(contentsOf: url, encoding: .utf8).hasPrefix("<?xml version=\"1.0\"?>\n<database>\n    <databaseInfo>"))
    // The properties of a changed object keep the order of the file.
    let person = RowKey(store: store.number, entityIndex: Self.model["Person"]!.index, number: 5)
    try store.update(person, ["age": .integer(1), "firstName": .string("c")])
    #expect(
      try self.objects().contains(
        """
        id="z5">
                <attribute name="firstname" type="string">c</attribute>
                <attribute name="age" type="int16">1</attribute>
                <relationship
        """))
    #expect(
      try self.objects().contains("<!-- one --><object id=\"z2\" type=\"PERSON\" ><attribute type=\"string\"  name"))
    try store.delete([person])
    #expect(try !self.objects().contains("z5"))
    let again = try XMLStore(url, model: Self.model)
    #expect(try again.comparableRows().map(\.key.number) == store.comparableRows().map(\.key.number))
  }

  @Test func `a file in another encoding is saved in UTF-8`() throws {
    let text = Self.text(
      "<object type=\"PERSON\" id=\"z2\"><attribute name=\"firstname\" type=\"string\">é😀</attribute></object>",
      head: "")
    for data in [text.data(using: .utf16)!, Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)] {
      try data.write(to: url)
      let store = try XMLStore(url, model: Self.model)
      let person = RowKey(store: store.number, entityIndex: Self.model["Person"]!.index, number: 2)
      #expect(try store.value(person, "firstName") == .string("é😀"))
      try store.insert(["Note"]) { _ in [[:]] }
      #expect(try XMLStore(url, model: Self.model).comparableRows() == store.comparableRows())
      #expect(try String(contentsOf: url, encoding: .utf8).hasPrefix("<?xml version=\"1.0\" standalone=\"yes\"?>"))
    }
  }

  @Test func `a missing inverse in the file is added`() throws {
    let store = try open(
      Self.text(
        """
        <object type="PERSON" id="z1"><relationship name="boss" idrefs="z2"/></object><object type="PERSON" id="z2"/>
        <object type="NOTE" id="z3"><relationship name="author" idrefs="z1"/></object>
        <object type="NOTE" id="z4"><relationship name="author" idrefs="z1"/></object>
        """))
    func key(_ entity: String, _ number: Int64) -> RowKey {
      RowKey(store: store.number, entityIndex: Self.model[entity]!.index, number: number)
    }
    #expect(try store.value(key("Person", 2), "boss") == .toOne(key("Person", 1)))
    #expect(try store.value(key("Person", 1), "notes") == .toMany([key("Note", 3), key("Note", 4)]))
    try store.insert(["Note"]) { _ in [[:]] }
    #expect(try objects().contains("idrefs=\"z3 z4\""))
  }

  @Test func `a model with names that collide in XML is an error`() throws {
    let models = [
      StoreModels.model([EntityDescription("Note"), EntityDescription("NOTE")]),
      StoreModels.model([EntityDescription("A", [.attribute("x", .string), .attribute("X", .string)])]),
      StoreModels.model([EntityDescription("A\u{1}")]),
    ]
    for model in models {
      let error = thrownError { _ = try XMLStore(url, model: model) }
      #expect(error?.code == .incompatibleSchema && error?.fileURL == url)
      #expect(folder.names == [])
    }
  }

  @Test func `names with escaped characters survive writing and reading`() throws {
    let model = StoreModels.model([EntityDescription("A<\"&>", [.attribute("x&<\">'", .string)])])
    try XMLStore(url, model: model).insert(["A<\"&>"]) { _ in [["x&<\">'": .string("y")]] }
    let store = try XMLStore(url, model: model)
    #expect(try store.comparableRows().map(\.values) == [[.string("y")]])
  }

  @Test(arguments: [(640, false, false), (977, true, false), (1344, true, true)])
  func `digest and checksum match the framework version`(version: Int, hasDigest: Bool, hasChecksum: Bool) throws {
    let dictionary = "<dict><key>NSPersistenceFrameworkVersion</key><integer>\(version)</integer></dict>"
    let metadata = "<metadata><plist version=\"1.0\">\(dictionary)</plist></metadata>"
    let store = try open(Self.text("").replacingOccurrences(of: "<metadata></metadata>", with: metadata))
    try store.insert(["Note"]) { _ in [[:]] }
    let written = try XMLStore.metadata(ofFile: url)
    #expect(written[StoreMetadataKey.frameworkVersion] == .integer(PropertyList.Integer(version)))
    #expect((written[StoreMetadataKey.versionHashesDigest] != nil) == hasDigest)
    #expect((written[StoreMetadataKey.versionChecksum] != nil) == hasChecksum)
  }

  @Test func `a very large relationship is read in linear time`() throws {
    let count = LongForm.size(50_000, or: 2_500)
    let growth = try ThreadClock.growth(from: count / 10, to: count) { count in
      try? FileManager.default.removeItem(at: url)
      let store = try XMLStore(url, model: Self.model)
      try store.insert(["Person"] + Array(repeating: "Note", count: count)) { keys in
        [["notes": .toMany(Set(keys.dropFirst()))]] + keys.dropFirst().map { _ in ["author": .toOne(keys[0])] }
      }
      // One side only.
      let text = try String(contentsOf: url, encoding: .utf8)
      let start = text.range(of: " idrefs=\"z103 ")!
      let end = text[start.upperBound...].range(of: "\"")!
      try Data(text.replacingCharacters(in: start.lowerBound..<end.upperBound, with: "").utf8).write(to: url)
      return try store.comparableRows()
    } work: { rows in
      let again = try XMLStore(url, model: Self.model).comparableRows()
      #expect(again == rows)
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }
}
