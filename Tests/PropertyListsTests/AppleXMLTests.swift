import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import PropertyListTools

@Suite("XML variants that Apple's reader and libplist accept") struct AppleXMLTests {
  private static let document = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict><key>é</key><integer>1</integer></dict></plist>

    """

  private static func element(_ text: String) throws -> PropertyList {
    let plain = try PropertyList(Data("<plist>\(text)</plist>".utf8), format: .xml)
    // Because of the comment, libxml2 reads the file.
    #expect(try PropertyList(Data("<plist><!---->\(text)</plist>".utf8), format: .xml) == plain)
    return plain
  }

  @Test(arguments: ["\n", " \t\r\n\n", "<!-- a comment -->", "\n<!-- é\n< & --> <!---->\n"])
  func `white space and comments before the declaration are ignored`(_ text: String) throws {
    for data in [Data((text + Self.document).utf8), Data([0xEF, 0xBB, 0xBF] + (text + Self.document).utf8)] {
      let document = try PropertyListDocument(data)
      #expect(document.format == .xml)
      #expect(try PropertyList(document.root) == ["é": 1])
      #expect(PropertyListDocument.defects(in: data).isEmpty)
      // Positions are those of the file, and an edit does not change the beginning.
      let edited = try document.data(updatedTo: ["é": 2])
      #expect(edited == Data(String(decoding: data, as: UTF8.self).replacing("<integer>1<", with: "<integer>2<").utf8))
    }
    let broken = (text + Self.document).replacing("<integer>1", with: "<integer>x")
    let defect = #expect(throws: PropertyListError.self) { try PropertyList(Data(broken.utf8)) }
    let offset = broken.utf8.distance(
      from: broken.startIndex, to: try #require(broken.range(of: "<integer>")).lowerBound)
    #expect(defect?.byteOffset == offset)
  }

  @Test func `the declaration after them gives the encoding`() throws {
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
  func `anything else before the declaration is a defect`(_ text: String) {
    #expect(throws: PropertyListError.self) { try PropertyList(Data((text + Self.document).utf8), format: .xml) }
  }

  @Test(
    arguments: [(" 1.5", 1.5), ("\n\t\r -1e3", -1000), ("  nan", .nan), (" +infinity", .infinity)] as [(String, Double)]
  )
  func `white space before a real is ignored`(_ text: String, _ value: Double) throws {
    let real = try #require(try Self.element("<real>\(text)</real>").real)
    #expect(real == value || real.isNaN && value.isNaN)
  }

  @Test(arguments: ["1.5 ", " ", "1 .5", "- 1"])
  func `white space after a number is a defect`(_ text: String) {
    #expect(throws: PropertyListError.self) { try Self.element("<real>\(text)</real>") }
  }

  @Test(arguments: [
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"), ("2000-02-28T24:00:00Z", "2000-02-29T00:00:00Z"),
    ("-0001-12-31T24:00:00Z", "0000-01-01T00:00:00Z"),
  ])
  func `24:00:00 is the beginning of the next day`(_ text: String, _ same: String) throws {
    #expect(try Self.element("<date>\(text)</date>") == Self.element("<date>\(same)</date>"))
  }

  @Test(arguments: [
    "2016-12-31T24:00:01Z", "2016-12-31T24:01:00Z", "2016-12-31T25:00:00Z", "2016-12-31T22:59:60Z",
    "2016-12-31T23:58:60Z", "2016-12-31T23:59:61Z", "2016-12-32T24:00:00Z", "99999999-12-31T24:00:00Z",
  ])
  func `other invalid hours and seconds are defects`(_ text: String) {
    #expect(throws: PropertyListError.self) { try Self.element("<date>\(text)</date>") }
  }

  @Test(arguments: ["<data/>", "<data />", "<data></data>"])
  func `data without content is empty`(_ text: String) throws {
    #expect(try Self.element(text) == .data(Data()))
    #expect(try Self.element("<array>\(text)\(text)</array>") == [.data(Data()), .data(Data())])
  }

  @Test(arguments: ["<integer/>", "<real/>", "<date/>"])
  func `other scalars without content are defects`(_ text: String) {
    #expect(throws: PropertyListError.self) { try Self.element(text) }
  }

  @Test(arguments: [
    "<!DOCTYPElist>", "<!DOCTYPEplist SYSTEM \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
    "<!DOCTYPElist []>",
  ])
  func `a document type without white space before its name is a defect`(_ text: String) throws {
    let data = Data("<?xml version=\"1.0\"?>\n\(text)<plist><true/></plist>".utf8)
    let defect = #expect(throws: PropertyListError.self) { try PropertyList(data) }
    #expect(defect?.position == .init(line: 2, column: 1))
    #expect(PropertyListDocument.defects(in: data).count == 1)
    #expect(throws: Never.self) { try PropertyList(Data("<!DOCTYPE\nlist><plist><true/></plist>".utf8)) }
  }
}
