import Foundation
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@Suite("Source models") struct SourceModelTests {
  @Test func `a source model is written as it was read, except for the order`() throws {
    let text = try String(decoding: Fixtures.data("models/Notes.xcdatamodel/contents"), as: UTF8.self)
    let model = try ManagedObjectModel(source: Data(text.utf8))
    let written = try String(decoding: model.sourceData(), as: UTF8.self)
    // Compares the lines without the order of attributes, which differs between two versions of the editor.
    func lines(_ text: String) -> [[Substring]] {
      text.split(separator: "\n").map { $0.split(separator: " ").sorted() }
    }
    for (line, original) in zip(lines(written), lines(text)) {
      let plain = { (words: [Substring]) in Set(words.flatMap { $0.split { "/>".contains($0) } }) }
      #expect(plain(line) == plain(original))
    }
    #expect(try ManagedObjectModel(source: Data(written.utf8)) == model)
  }

  static func model(_ body: String) -> Data {
    Data("<?xml version=\"1.0\"?>\n<model>\n<entity name=\"A\">\n\(body)\n</entity>\n</model>".utf8)
  }

  @Test(
    arguments: [
      (#"attributeType="Integer 16" minValueString="1" maxValueString="5""#, [1620, 1610]),
      (
        #"attributeType="String" minValueString="1" maxValueString="5" regularExpressionString="a+""#,
        [1670, 1660, 1680]
      ),
      (#"attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="10.5""#, [1640, 1630]),
    ])
  func `limits become predicates with the error codes of Cocoa`(_ attributes: String, _ codes: [Int]) throws {
    let data = Self.model("<attribute name=\"a\" \(attributes)/>")
    let model = try ManagedObjectModel(source: data)
    let validations = try #require(model["A"]?.attribute(named: "a")?.definition.validations)
    #expect(validations.map(\.warning) == codes.map { .code($0) })
    #expect(try ManagedObjectModel(source: model.sourceData()) == model)
  }

  @Test(arguments: [
    ("<entity/>\n<fetchIndex/>", "5:1: <fetchIndex> needs the attribute \"name\""),
    ("<attribute attributeType=\"String\"/>", "4:1: <attribute> needs the attribute \"name\""),
    ("\n  <attribute name=\"a\" attributeType=\"Text\"/>", "5:3: \"Text\" is not an attribute type"),
    (
      "<attribute name=\"a\" attributeType=\"Integer 16\" defaultValueString=\"x\"/>",
      "4:1: \"x\" is not a value of type Integer 16"
    ),
    (
      "<attribute name=\"a\" attributeType=\"Integer 16\" defaultValueString=\"70000\"/>",
      "4:1: \"70000\" is not a value of type Integer 16"
    ),
    (
      "<attribute name=\"a\" optional=\"maybe\" attributeType=\"String\"/>",
      "4:1: optional must be YES or NO, not \"maybe\""
    ),
    (
      "<relationship name=\"r\" destinationEntity=\"A\" minCount=\"few\"/>",
      "4:1: minCount must be an integer, not \"few\""
    ),
    (
      "<relationship name=\"r\" destinationEntity=\"A\" deletionRule=\"Keep\"/>",
      "4:1: \"Keep\" is not a deletion rule"
    ),
    ("<relationship name=\"r\"/>", "A.r: the relationship has no destination"),
    ("<fetchedProperty name=\"f\"/>", "4:1: a fetched property has no fetchRequest"),
    ("<attribute name=\"a\" name=\"b\"/>", "4:21: duplicate attribute \"name\""),
    ("<attribute", "5:1: expected an attribute or \">\" in a tag"),
    ("</a>", "4:1: expected </entity>, found </a>"),
  ])
  func `an invalid source model is an error with a position`(_ body: String, _ message: String) {
    let error = #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(source: Self.model(body)) }
    #expect(error?.description == message)
  }

  @Test(arguments: ["", "<a/>", "<model>", "<model/><model/>", "text", "<!DOCTYPE a [<!ENTITY b 'c'>]><model/>"])
  func `other XML is an error`(_ text: String) {
    #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(source: Data(text.utf8)) }
  }

  @Test func `the reader accepts UTF-16, character references and long tags`() throws {
    let long = String(repeating: "x", count: 5000)
    let text =
      "<?xml version=\"1.0\"?><model><entity name=\"A\"><attribute name=\"größe\" attributeType=\"String\" "
      + "defaultValueString=\"&#x41;&lt;&#10;\n\(long)\"/></entity></model>"
    for data in [Data(text.utf8), text.data(using: .utf16)!] {
      let model = try ManagedObjectModel(source: data)
      #expect(model["A"]?.attribute(named: "größe")?.initialValue == .string("A<\n \(long)"))
      #expect(try ManagedObjectModel(source: model.sourceData()) == model)
    }
  }

  @Test func `default values of numbers can be YES or NO`() throws {
    for (type, text, value) in [
      ("Integer 32", "NO", .integer(0)), ("Integer 16", "YES", .integer(1)), ("Double", "NO", .double(0)),
      ("Float", "YES", .float(1)), ("Decimal", "NO", .decimal(0)), ("Integer 64", "1", .integer(1)),
      ("Boolean", "1", .boolean(true)),
    ] as [(String, String, AttributeValue)] {
      let model = try ManagedObjectModel(
        source: Self.model("<attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"/>"))
      #expect(model["A"]?.attribute(named: "a")?.initialValue == value)
    }
  }

  @Test func `an order of a to-one relationship changes only the hash`() throws {
    func hash(_ attributes: String) throws -> Data? {
      let relationship = "<relationship name=\"r\" maxCount=\"1\" destinationEntity=\"A\"\(attributes)/>"
      let model = try ManagedObjectModel(source: Self.model(relationship))
      #expect(model["A"]?.emptyValues == [.toOne(nil)])
      return model["A"]?.versionHash
    }
    #expect(try hash(" ordered=\"YES\"") != hash(""))
  }

  @Test func `values without a form in source are errors`() throws {
    var attribute = AttributeDescription("a", .transformable)
    attribute.defaultValue = .data(Data([1]))
    let model = try ManagedObjectModel(entities: [EntityDescription("A", [.attribute(attribute)])])
    let error = #expect(throws: ManagedObjectModelError.self) { try model.sourceData() }
    #expect(error?.description == "the default value of A.a has no form in a source file")
    let control = try ManagedObjectModel(entities: [
      EntityDescription("A", [.attribute("a", .string, defaultValue: .string("\u{1}"))])
    ])
    #expect(throws: ManagedObjectModelError.self) { try control.sourceData() }
  }

  @Test func `damaged source never traps`() throws {
    let original = [UInt8](try Fixtures.data("models/Notes.xcdatamodel/contents"))
    var random = SeededGenerator(seed: 11)
    var opened = 0
    let count =
      ProcessInfo.processInfo.environment["PLIST_MUTATIONS"].flatMap { Int($0) } ?? LongForm.size(3000, or: 100)
    for _ in 0..<count {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.damage(using: &random) }
      guard let model = try? ManagedObjectModel(source: Data(bytes)) else { continue }
      opened += 1
      _ = try? model.sourceData()
      _ = try? model.compiledData()
    }
    #expect(opened > 0)
  }
}
