import ArchiveViews
import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("Objects of unknown classes") struct OpaqueObjectTests {
  private static let textClasses = [
    "NSFont", "NSMutableParagraphStyle", "NSTextTab", "NSTextAttachment", "NSTextAttachmentCell",
  ]

  /// An unarchiver that decodes some classes as opaque objects.
  private func unarchiver(_ data: Data, _ classNames: [String]) throws -> KeyedUnarchiver {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    for name in classNames { unarchiver.setClass(OpaqueObject.self, forClassName: name) }
    return unarchiver
  }

  private func text() throws -> Archived.AttributedString {
    try unarchiver(Fixtures.data("archives/attributed-font.bplist"), Self.textClasses)
      .decode(Archived.AttributedString.self, forKey: "root")
  }

  private func opaque(_ value: ArchivedValue?) throws -> OpaqueObject {
    guard case .object(let object)? = value else { throw KeyedArchiveError(.typeMismatch, "no object") }
    return try #require(object as? OpaqueObject)
  }

  /// The contents of an archive as a tree, with shared objects numbered in order.
  private func contents(_ data: Data) throws -> String {
    var numbers: [Substring] = []
    return try KeyedArchive(data).tree().replacing(/#[0-9]+/) { match in
      if !numbers.contains(match.output) { numbers.append(match.output) }
      return "#" + String(numbers.firstIndex(of: match.output) ?? 0)
    }
  }

  @Test func `unknown objects can be attributes of text, and have a description`() throws {
    let text = try text()
    #expect(text.text == "ab" && text.runs.count == 2)
    let font = try opaque(text.runs[0].attributes["NSFont"])
    #expect(font.className == "NSFont" && font.classNames == ["NSFont", "NSObject"])
    #expect(font.keys == ["NSName", "NSSize", "NSfFlags", "NSHinted", "NSBytes", "NSMatrix"])
    #expect(try font.value(forKey: "NSName") == .string("Helvetica"))
    #expect(try font.value(forKey: "NSSize") == .real(12))
    #expect(try font.value(forKey: "NSHinted") == .boolean(true))
    #expect(try font.value(forKey: "NSNothing") == nil)
    #expect(font.object.classDescription?.hints == ["UIFont"])
    // The same object in both runs.
    #expect(try opaque(text.runs[1].attributes["NSFont"]) == font)
    let style = try opaque(text.runs[1].attributes["NSParagraphStyle"])
    guard case .array(let stops)? = try style.value(forKey: "NSTabStops") else { throw CancellationError() }
    #expect(try opaque(stops.first).value(forKey: "NSLocation") == .real(28))
  }

  @Test func `circular unknown objects can be followed, compared and hashed`() throws {
    let attachment = try opaque(text().runs[1].attributes["NSAttachment"])
    let cell = try opaque(attachment.value(forKey: "NSCell"))
    #expect(cell.className == "NSTextAttachmentCell" && cell != attachment)
    #expect(try opaque(cell.value(forKey: "NSAttachment")) == attachment)
    #expect(try cell.value(forKey: "NSNothing") == nil)
    #expect(Set([attachment, try opaque(cell.value(forKey: "NSAttachment")), cell]).count == 2)
  }

  @Test func `unknown objects are archived unchanged: classes, hints, keys, kinds, sharing and circles`() throws {
    let original = try Fixtures.data("archives/attributed-font.bplist")
    let data = try KeyedArchiver.archivedData(withRootObject: text())
    #expect(try contents(data) == contents(original))
    #expect(KeyedArchive.check(try PropertyListDocument(data)).isEmpty)
    func fonts(_ data: Data) throws -> [PropertyList] {
      try objects(data).filter { $0["NSMatrix"] != nil }.map { font in
        var font = font
        // References, whose numbers differ.
        for key in ["NSName", "$class"] { font.dictionary?[key] = nil }
        font.dictionary?["NSMatrix"]?.array?.removeLast()
        return font
      }
    }
    #expect(try fonts(data) == fonts(original) && fonts(data).count == 1)
    let classes = try KeyedArchive(data).classes.map(\.description)
    let expected = try KeyedArchive(original).classes.map(\.description)
    #expect(
      Set(classes.map { [$0.name] + $0.classes + $0.hints }) == Set(expected.map { [$0.name] + $0.classes + $0.hints }))
    // Again, from the archive that was written here.
    let again = try unarchiver(data, Self.textClasses).decode(Archived.AttributedString.self, forKey: "root")
    #expect(try KeyedArchiver.archivedData(withRootObject: again) == data)
  }

  @Test func `unknown objects must be allowed, and the error has the path`() throws {
    let data = try Fixtures.data("archives/attributed-font.bplist")
    for (index, name) in Self.textClasses.enumerated() {
      let others = Self.textClasses.enumerated().filter { $0.offset != index }.map(\.element)
      let unarchiver = try unarchiver(data, others)
      let error = archiveError { _ = try unarchiver.decode(Archived.AttributedString.self, forKey: "root") }
      #expect(error?.kind == .classNotAllowed && error?.className == name)
      #expect(error?.path?.description.hasPrefix("root.NSAttributes") == true)
      // A failed call fails again.
      #expect(archiveError { _ = try unarchiver.decode(Archived.AttributedString.self, forKey: "root") } != nil)
    }
  }

  @Test func `a hint, an ancestor, or the name of the general type does not allow unknown objects`() throws {
    var archive = HandmadeArchive()
    let hinted = archive.add(["$class": archive.addClass("Intruder", hints: ["NSFont"])])
    let descendant = archive.add(["$class": archive.addClass("MyFont", ancestors: ["NSFont", "NSObject"])])
    let object = archive.add(["$class": archive.addClass("NSObject", ancestors: [])])
    for root in [hinted, descendant, object] {
      let unarchiver = try unarchiver(archive.data(root: root), ["NSFont"])
      #expect(archiveError { _ = try unarchiver.decode(OpaqueObject.self, forKey: "root") }?.kind == .classNotAllowed)
      #expect(archiveError { _ = try unarchiver.decode(ArchivedValue.self, forKey: "root") }?.kind == .classNotAllowed)
    }
    let string = archive.add("text")
    let text = try unarchiver(archive.data(root: string), ["NSFont", "NSString"])
    #expect(archiveError { _ = try text.decode(OpaqueObject.self, forKey: "root") }?.kind == .typeMismatch)
    let nothing = try unarchiver(archive.data(root: .reference(0)), ["NSFont"])
    #expect(archiveError { _ = try nothing.decode(OpaqueObject.self, forKey: "root") }?.kind == .valueNotFound)
    #expect(try nothing.decode(OpaqueObject?.self, forKey: "root") == nil)
  }

  private final class Document: SecureCoding {
    static let archivedClass = ArchivedClass("Document")
    let font: OpaqueObject
    let fonts: [OpaqueObject]
    let named: [String: OpaqueObject]

    init(coder: KeyedUnarchiver) throws {
      font = try coder.decode(OpaqueObject.self, forKey: "font")
      fonts = try coder.decode([OpaqueObject].self, forKey: "fonts")
      named = try coder.decode([String: OpaqueObject].self, forKey: "named")
    }

    func encode(with coder: KeyedArchiver) throws {
      try coder.encode(font, forKey: "font")
      try coder.encode(fonts, forKey: "fonts")
      try coder.encode(named, forKey: "named")
    }
  }

  @Test func `unknown objects can be in properties, arrays, dictionaries, sets and at the root`() throws {
    var archive = HandmadeArchive()
    let (first, second) = (archive.addObject("NSFont", ["size": 1]), archive.addObject("NSFont", ["size": 2]))
    let document = archive.addObject(
      "Document",
      [
        "font": first, "fonts": archive.addArray([first, second, first]),
        "named": archive.addObject("NSDictionary", ["NS.keys": [archive.add("a")], "NS.objects": [second]]),
      ])
    archive.top = [
      "font": first, "set": archive.addObject("NSSet", ["NS.objects": [second, first]]), "document": document,
    ]
    let unarchiver = try unarchiver(archive.data(), ["NSFont"])
    let decoded = try unarchiver.decode(Document.self, forKey: "document")
    let font = try unarchiver.decode(OpaqueObject.self, forKey: "font")
    let set = try unarchiver.decode(Set<OpaqueObject>.self, forKey: "set")
    #expect(decoded.font == font && decoded.fonts.map { $0 == font } == [true, false, true])
    #expect(set == Set(decoded.fonts) && decoded.named["a"] == decoded.fonts[1])
    let archiver = KeyedArchiver()
    try archiver.encode(set, forKey: "set")
    try archiver.encode(decoded, forKey: "document")
    try archiver.encode(font, forKey: "font")
    let data = try archiver.encodedData()
    #expect(try objects(data).filter { $0["size"] != nil }.count == 2)
    let copy = try self.unarchiver(data, ["NSFont"])
    #expect(try copy.decode(Document.self, forKey: "document").font == copy.decode(OpaqueObject.self, forKey: "font"))
    #expect(try copy.decode(OpaqueObject.self, forKey: "font").value(forKey: "size") == .integer(1))
    #expect(try copy.decode(Set<OpaqueObject>.self, forKey: "set").count == 2)
    #expect(try copy.decode((any SecureCoding).self, of: [OpaqueObject.self], forKey: "font") is OpaqueObject)
  }

  @Test func `a class inside them that this package has a type for keeps its description`() throws {
    var archive = HandmadeArchive()
    let array = archive.add([
      "NS.objects": [archive.add("a")], "$class": archive.addClass("NSArray", ancestors: ["GSArray", "NSObject"]),
    ])
    let lone = archive.add(["$class": archive.add(["$classname": "Renamed"])])
    let font = archive.addObject("NSFont", ["list": array, "lone": lone])
    let unarchiver = try unarchiver(archive.data(root: font), ["NSFont", "Renamed"])
    let archiver = KeyedArchiver()
    try archiver.encode([1], forKey: "own")
    try archiver.encode(unarchiver.decode(OpaqueObject.self, forKey: "root"), forKey: "opaque")
    try archiver.encode([2], forKey: "more")
    let classes = try KeyedArchive(archiver.encodedData()).classes.map(\.description.classes)
    #expect(classes == [["NSArray", "NSObject"], ["NSArray", "GSArray", "NSObject"], [], ["NSFont", "NSObject"]])
  }
}

/// The cost of opaque objects.
extension OpaqueObjectTests {
  @Test(arguments: [100, 300, 400, 500])
  func `dictionaries inside them are archived, or are nested too deeply, on any thread`(_ depth: Int) throws {
    var archive = HandmadeArchive()
    let nested = (0..<depth).reduce(1 as PropertyList) { value, level in level % 2 == 0 ? ["k": value] : [value] }
    let font = archive.addObject("NSFont", ["nested": nested])
    let data = try archive.data(root: font)
    // Decoded with enough stack, so that only the archiver uses the small stack.
    let object = try unarchiver(data, ["NSFont"]).decode(OpaqueObject.self, forKey: "root")
    for size in [384, 512, 768, 8192] {
      let outcome = OnSmallStack.run(stackSize: size << 10) {
        try KeyedArchiver.archivedData(withRootObject: object).count
      }
      let kind = (outcome.error as? KeyedArchiveError)?.kind
      #expect(outcome.value != nil || kind == .nestedTooDeeply, "\(depth) on \(size) KB: \(outcome)")
      if size == 8192 { #expect(outcome.value != nil) }
    }
  }

  @Test func `a long chain of unknown objects needs no stack`() throws {
    var archive = HandmadeArchive()
    let description = archive.addClass("Link")
    let first = archive.objects.count
    for _ in 0..<LongForm.size(20_000, or: 4_000) {
      let next = archive.objects.count + 1
      archive.add(["next": .reference(next), "$class": description])
    }
    archive.add(["next": .reference(first), "$class": description])
    let data = try archive.data(root: .reference(first))
    let outcome = OnSmallStack.run {
      let link = try unarchiver(data, ["Link"]).decode(OpaqueObject.self, forKey: "root")
      let again = try KeyedArchiver.archivedData(withRootObject: link)
      return (again, try unarchiver(again, ["Link"]).decode(OpaqueObject.self, forKey: "root").className)
    }
    let (again, className) = try #require(outcome.value as? (Data, String), "\(String(describing: outcome.error))")
    #expect(try objects(again).count == archive.objects.count && className == "Link")
  }

  @Test func `repeatedly shared parts are refused by the limits`() throws {
    // Each dictionary contains the next one twice: 2^40 values.
    var file = HandmadeBinary()
    let levels = 40
    let (a, b) = (file.add(string: "a"), file.add(string: "b"))
    var inner = file.add(integer: 1)
    for _ in 0..<levels { inner = file.add(dictionary: [a: inner, b: inner]) }
    let key = file.add(string: "$class")
    let object = file.add(dictionary: [a: inner, key: file.add(uid: 2)])
    let description = file.add(dictionary: [file.add(string: "$classname"): file.add(string: "Wide")])
    let root = file.addArchive(
      objects: file.add(array: [file.add(string: "$null"), object, description]), root: file.add(uid: 1))
    let unarchiver = try unarchiver(file.data(root: root), ["Wide"])
    let duration = ThreadClock.measure {
      #expect(archiveError { _ = try unarchiver.decode(OpaqueObject.self, forKey: "root") }?.kind == .limitExceeded)
    }
    #expect(duration < ThreadClock.referenceSecond * 10)
  }

  @Test func `a set of many that refer to the same object is archived in linear time`() throws {
    // There are as many shared objects, so visiting them for each element takes quadratic time.
    let growth = try ThreadClock.growth(from: 50, to: 500) { count in
      var archive = HandmadeArchive()
      let description = archive.addClass("Leaf")
      var shared = archive.add(["$class": description])
      for _ in 0..<count { shared = archive.add(["next": shared, "$class": description]) }
      let leaves = (0..<count).map { archive.add(["n": .integer(.init($0)), "shared": shared, "$class": description]) }
      let set = archive.addObject("NSSet", ["NS.objects": .array(leaves)])
      return try archive.data(root: set)
    } work: { data in
      let leaves = try unarchiver(data, ["Leaf"]).decode(Set<OpaqueObject>.self, forKey: "root")
      let again = try KeyedArchiver.archivedData(withRootObject: leaves)
      #expect(try objects(again).filter { $0["n"] != nil }.count == leaves.count)
      // The same set, the same archive.
      #expect(try KeyedArchiver.archivedData(withRootObject: leaves) == again)
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test func `a defect of an unknown object, or of an object in it, is an error when it is decoded`() throws {
    func kind(_ fields: OrderedDictionary<String, PropertyList>) throws -> KeyedArchiveError? {
      var archive = HandmadeArchive()
      let root = archive.addObject("NSFont", fields)
      archive.objects += [.uid(.init(1)), [1], ["a": 1]]
      let unarchiver = try unarchiver(archive.data(root: root), ["NSFont"])
      return archiveError { _ = try unarchiver.decode(OpaqueObject.self, forKey: "root") }
    }
    #expect(try kind(["a": .reference(99)])?.kind == .malformed)
    #expect(try kind(["a": [["b": .reference(3)] as PropertyList]])?.kind == .malformed)
    #expect(try kind(["a": .reference(4)])?.kind == .malformed)
    #expect(try kind(["a": .reference(5)])?.kind == .malformed)
    #expect(try kind(["a": .reference(2)])?.kind == .malformed)
    let error = try kind(["a": .reference(5)])
    #expect(error?.uid?.value == 5 && error?.path?.description == "root")
    var deep: PropertyList = 1
    for _ in 0..<600 { deep = [deep] }
    var archive = HandmadeArchive()
    let root = archive.addObject("NSFont", ["deep": deep])
    let data = try archive.propertyList(root: root).data(format: .binary, options: .init(depth: 1000))
    #expect(
      archiveError { _ = try unarchiver(data, ["NSFont"]).decode(OpaqueObject.self, forKey: "root") }?.kind
        == .nestedTooDeeply)
  }
}
