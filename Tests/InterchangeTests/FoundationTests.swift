import Foundation
import PropertyLists
import TestSupport
import Testing

/// Foundation is the reference: for each file, the XML that it writes must equal the XML of this package. This compares
/// four readers and writers at once.
@Suite("Comparison with Foundation") struct FoundationTests {
  static func foundationXML(_ data: Data) throws -> String {
    let value = try PropertyListSerialization.propertyList(from: data, format: nil)
    return String(
      decoding: try PropertyListSerialization.data(fromPropertyList: value, format: .xml, options: 0), as: UTF8.self)
  }

  static func ourXML(_ value: PropertyList) throws -> String {
    String(decoding: try value.data(format: .xml, options: .init(sortsKeys: true)), as: UTF8.self)
  }

  @Test(
    arguments: [
      "binary/kinds-python.bplist", "binary/kinds-libplist.bplist", "binary/kinds-foundation.bplist",
      "binary/counts-python.bplist", "binary/counts-libplist.bplist", "binary/counts-foundation.bplist",
      "binary/shared-python.bplist", "binary/float.bplist", "binary/date-fraction.bplist",
      "binary/wide-integers.bplist", "binary/wide-counts.bplist", "binary/version-01.bplist", "binary/orphans.bplist",
      "xml/kinds-python.plist", "xml/kinds-libplist.plist", "xml/kinds-foundation.plist", "xml/counts-python.plist",
      "xml/utf8-mark.plist", "xml/utf16-little-mark.plist", "xml/utf16-big-mark.plist", "xml/utf32-little-mark.plist",
      "xml/utf32-big-mark.plist", "xml/latin1.plist", "xml/windows-1252.plist", "xml/shift-jis.plist",
      "xml/cdata.plist",
      "xml/no-plist-tag.plist", "xml/attributes.plist", "xml/integers.plist", "xml/dates.plist", "xml/base64.plist",
      "xml/empty-tags.plist",
    ] + (1...8).flatMap { ["binary/reference-width-\($0).bplist", "binary/offset-width-\($0).bplist"] })
  func `both read the same values from files, and write the same bytes`(_ name: String) throws {
    let data = try Fixtures.data(name)
    let value = try PropertyList(data)
    let expected = try Self.foundationXML(data)
    #expect(try Self.ourXML(value) == expected)
    #expect(try Self.foundationXML(value.data(format: .binary)) == expected, "Foundation reads the binary written here")
    #expect(try Self.foundationXML(value.data(format: .xml)) == expected, "Foundation reads the XML written here")
  }

  /// Reads every file of the folder given by `PLIST_CORPUS`. Keyed archives are skipped, because Foundation refuses
  /// UIDs.
  @Test(arguments: Fixtures.corpus) func `files that both accept have the same values`(_ url: URL) throws {
    let data = try Data(contentsOf: url)
    guard let value = try? PropertyList(data), let expected = try? Self.foundationXML(data) else { return }
    #expect(try Self.ourXML(value) == expected)
  }

  @Test func `reals are written with the same digits`() throws {
    var random = SeededGenerator(seed: 17)
    var values: [Double] = [
      0.1, 1e-5, 9.9999999999999995e-6, 1e17, 1e17.nextDown, 1e16, 123_456_789_012_345_680, 0.3, 2.5, 1e22,
      .leastNonzeroMagnitude,
      .greatestFiniteMagnitude, .infinity, -.infinity, .nan, 1e100, 4503599627370496.5, 9_007_199_254_740_992, 0.5,
      1 / 3,
    ]
    for _ in 0..<LongForm.size(20_000, or: 700) {
      values.append(Double(bitPattern: random.next()))
      values.append(Double.random(in: -1000...1000, using: &random))
      values.append(Double.random(in: 0...1, using: &random) * pow(10, Double.random(in: -8...20, using: &random)))
    }
    let expected = try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
    let ours = try PropertyList.array(values.map { .real($0) }).data(format: .xml)
    let pairs = zip(lines(expected), lines(ours))
    for (line, ourLine) in pairs where line != ourLine { Issue.record("\(line) is written as \(ourLine)") }
    let read = try PropertyList(ours).array?.compactMap(\.real) ?? []
    for (value, back) in zip(values, read) where value.bitPattern != back.bitPattern && !value.isNaN {
      Issue.record("\(value) comes back as \(back)")
    }
    #expect(read.count == values.count)
  }

  @Test func `dates are written in the same form`() throws {
    var random = SeededGenerator(seed: 17)
    var seconds: [Double] = [0, -0.5, 0.5, -1, 86399.999, -63_113_904_000, 252_423_993_600, 63_113_904_000]
    for _ in 0..<LongForm.size(20_000, or: 700) {
      seconds.append(Double.random(in: -63_000_000_000...252_000_000_000, using: &random))
    }
    let dates = seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
    let expected = try PropertyListSerialization.data(fromPropertyList: dates, format: .xml, options: 0)
    let ours = try PropertyList.array(dates.map { .date($0) }).data(format: .xml)
    for (line, ourLine) in zip(lines(expected), lines(ours)) where line != ourLine {
      Issue.record("\(line) is written as \(ourLine)")
    }
    let read = try PropertyList(ours).array?.compactMap(\.date) ?? []
    #expect(read.map(\.timeIntervalSinceReferenceDate) == seconds.map { $0.rounded(.down) })
  }

  private func lines(_ data: Data) -> [Substring] { String(decoding: data, as: UTF8.self).split(separator: "\n") }
}

/// Differences between this package and Foundation, each with its reason. `Documentation/Divergences.md` describes
/// them.
@Suite("Differences from Foundation") struct DifferenceTests {
  struct Difference: CustomTestStringConvertible, Sendable {
    let input: String
    /// Foundation's result; nil if it refuses the text.
    let foundation: String?
    /// The result of this package; nil if it refuses the text.
    let ours: String?
    let reason: String

    var testDescription: String { reason }
  }

  static let differences = [
    Difference(
      input: "<dict><key>a</key><true/><key>a</key><false/></dict>",
      foundation: "<dict>\n\t<key>a</key>\n\t<false/>\n</dict>",
      ours: nil, reason: "a duplicate key would lose a value"),
    Difference(
      input: "<data>AAE</data>", foundation: "<data>\n</data>", ours: nil,
      reason: "truncated base64 would lose bytes"),
    Difference(
      input: "<data>AA*C</data>", foundation: "<data>\n</data>", ours: nil,
      reason: "a character outside of base64 is damage"),
    Difference(
      input: "<date>2026-02-30T00:00:00Z</date>", foundation: "<date>2026-03-02T00:00:00Z</date>", ours: nil,
      reason: "an invalid day is not another day"),
    Difference(
      input: "<real>1e999</real>", foundation: "<real>+infinity</real>", ours: nil, reason: "a number is not infinity"),
    Difference(
      input: "<string>a]]>b</string>", foundation: "<string>a]]&gt;b</string>", ours: nil,
      reason: "XML does not allow ]]> in text"),
    Difference(
      input: "<string>a\u{1}b</string>", foundation: "<string>a\u{1}b</string>", ours: nil,
      reason: "XML does not allow control characters"),
    Difference(
      input: "<string>a\r\nb</string>", foundation: "<string>a\r\nb</string>", ours: "<string>a\nb</string>",
      reason: "XML turns line ends into LF"),
    Difference(
      input: "<real>-0.0</real>", foundation: "<real>0.0</real>", ours: "<real>-0.0</real>",
      reason: "the sign of a zero is kept"),
    Difference(
      input: "<string>a&#13;b</string>", foundation: "<string>a\rb</string>", ours: "<string>a&#13;b</string>",
      reason: "a CR is escaped, because XML readers turn it into LF"),
    Difference(
      input: "<string>a<!-- b -->c</string>", foundation: nil, ours: "<string>ac</string>",
      reason: "comments are allowed in text"),
  ]

  @Test(arguments: differences) func `each difference has a reason`(_ difference: Difference) throws {
    let data = Data("<plist version=\"1.0\">\(difference.input)</plist>".utf8)
    #expect(body(try? FoundationTests.foundationXML(data)) == difference.foundation)
    #expect(body(try? FoundationTests.ourXML(PropertyList(data))) == difference.ours)
  }

  @Test func `UTF-16 without a byte order mark, and the null object`() throws {
    let utf16 = try Fixtures.data("xml/utf16-little.plist")
    #expect((try? FoundationTests.foundationXML(utf16)) == nil)
    #expect(try PropertyList(utf16) == ["käse": "Größe"])
    let null = try Fixtures.data("binary/null.bplist")
    #expect((try? FoundationTests.foundationXML(null)) == nil)
    #expect(try PropertyList(null) == [.null])
  }

  private func body(_ xml: String?) -> String? {
    guard let xml, let start = xml.range(of: "<plist version=\"1.0\">\n"), let end = xml.range(of: "\n</plist>") else {
      return nil
    }
    return String(xml[start.upperBound..<end.lowerBound])
  }
}
