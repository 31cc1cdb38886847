import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import PropertyListTools

@Suite("XML that Apple's reader and libplist take") struct AppleXMLTests {
  private static let document = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict><key>é</key><integer>1</integer></dict></plist>

    """

  private static func element(_ text: String) throws -> PropertyList {
    let plain = try PropertyList(Data("<plist>\(text)</plist>".utf8), format: .xml)
    // The comment leads to libxml2.
    #expect(try PropertyList(Data("<plist><!---->\(text)</plist>".utf8), format: .xml) == plain)
    return plain
  }

  @Test(arguments: ["\n", " \t\r\n\n", "<!-- a comment -->", "\n<!-- é\n< & --> <!---->\n"])
  func `White space and comments before the declaration count for nothing`(_ text: String) throws {
    for data in [Data((text + Self.document).utf8), Data([0xEF, 0xBB, 0xBF] + (text + Self.document).utf8)] {
      let document = try PropertyListDocument(data)
      #expect(document.format == .xml)
      #expect(try PropertyList(document.root) == ["é": 1])
      #expect(PropertyListDocument.defects(in: data).isEmpty)
      // Positions are those in the file, and an edit leaves the beginning as it is.
      let edited = try document.data(updatedTo: ["é": 2])
      #expect(edited == Data(String(decoding: data, as: UTF8.self).replacing("<integer>1<", with: "<integer>2<").utf8))
    }
    let broken = (text + Self.document).replacing("<integer>1", with: "<integer>x")
    let defect = #expect(throws: PropertyListError.self) { try PropertyList(Data(broken.utf8)) }
    let offset = broken.utf8.distance(
      from: broken.startIndex, to: try #require(broken.range(of: "<integer>")).lowerBound)
    #expect(defect?.byteOffset == offset)
  }

  @Test func `The declaration after them says the encoding`() throws {
    let text = "\n" + Self.document.replacing("UTF-8", with: "ISO-8859-1")
    let data = try #require(text.data(using: .isoLatin1))
    #expect(try PropertyList(data) == ["é": 1])
    #expect(
      try PropertyList(
        try #require(("\n" + Self.document.replacing("UTF-8", with: "UTF-16")).data(using: .utf16LittleEndian))) == [
          "é": 1
        ])
  }

  @Test(arguments: ["x", "<!-- a -- b -->", "<!-- \u{1} -->", "<!--", "<!-->", "<?a?>", "<!DOCTYPE plist>", "<plist/>"])
  func `Anything else before the declaration is a defect`(_ text: String) {
    #expect(throws: PropertyListError.self) { try PropertyList(Data((text + Self.document).utf8), format: .xml) }
  }

  @Test(
    arguments: [(" 1.5", 1.5), ("\n\t\r -1e3", -1000), ("  nan", .nan), (" +infinity", .infinity)] as [(String, Double)]
  )
  func `White space before a real counts for nothing`(_ text: String, _ value: Double) throws {
    let real = try #require(try Self.element("<real>\(text)</real>").real)
    #expect(real == value || real.isNaN && value.isNaN)
  }

  @Test(arguments: ["1.5 ", " ", "1 .5", "- 1"])
  func `White space after a number is a defect, and so is nothing else`(_ text: String) {
    #expect(throws: PropertyListError.self) { try Self.element("<real>\(text)</real>") }
  }

  @Test(arguments: [
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"), ("2000-02-28T24:00:00Z", "2000-02-29T00:00:00Z"),
    ("-0001-12-31T24:00:00Z", "0000-01-01T00:00:00Z"),
  ])
  func `The end of a day is the beginning of the next`(_ text: String, _ same: String) throws {
    #expect(try Self.element("<date>\(text)</date>") == Self.element("<date>\(same)</date>"))
  }

  @Test(arguments: [
    "2016-12-31T24:00:01Z", "2016-12-31T24:01:00Z", "2016-12-31T25:00:00Z", "2016-12-31T22:59:60Z",
    "2016-12-31T23:58:60Z", "2016-12-31T23:59:61Z", "2016-12-32T24:00:00Z", "99999999-12-31T24:00:00Z",
  ])
  func `Other hours and seconds that do not exist are defects`(_ text: String) {
    #expect(throws: PropertyListError.self) { try Self.element("<date>\(text)</date>") }
  }

  @Test(arguments: ["<data/>", "<data />", "<data></data>"])
  func `Data without content has no bytes`(_ text: String) throws {
    #expect(try Self.element(text) == .data(Data()))
    #expect(try Self.element("<array>\(text)\(text)</array>") == [.data(Data()), .data(Data())])
  }

  @Test(arguments: ["<integer/>", "<real/>", "<date/>"])
  func `Other scalars without content are defects`(_ text: String) {
    #expect(throws: PropertyListError.self) { try Self.element(text) }
  }

  @Test(arguments: [
    "<!DOCTYPElist>", "<!DOCTYPEplist SYSTEM \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
    "<!DOCTYPElist []>",
  ])
  func `A document type without white space before its name is a defect`(_ text: String) throws {
    let data = Data("<?xml version=\"1.0\"?>\n\(text)<plist><true/></plist>".utf8)
    let defect = #expect(throws: PropertyListError.self) { try PropertyList(data) }
    #expect(defect?.position == .init(line: 2, column: 1))
    #expect(PropertyListDocument.defects(in: data).count == 1)
    #expect(throws: Never.self) { try PropertyList(Data("<!DOCTYPE\nlist><plist><true/></plist>".utf8)) }
  }
}
