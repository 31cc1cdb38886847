import FoundationEssentials
import PropertyLists
import Testing

import struct PropertyLists.PropertyListDecoder
import struct PropertyLists.PropertyListEncoder

@Suite("Codable values as property lists") struct PropertyListCodableTests {
  struct Window: Codable, Equatable {
    var title: String
    var width: Int
    var scale: Double
    var isOpen: Bool
    var opened: Date?
    var icon: Data?
    var tabs: [Tab]
    var colors: [String: [Float]]
  }

  struct Tab: Codable, Equatable {
    var address: URL
    var id: UUID
  }

  static let window = Window(
    title: "Größe", width: -3, scale: 1.5, isOpen: true, opened: Date(timeIntervalSinceReferenceDate: 0.5),
    icon: Data([0, 1, 255]),
    tabs: [
      Tab(address: URL(string: "https://swift.org/a?b")!, id: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)
    ], colors: ["red": [1, 0.1]])

  static let windowTree: PropertyList = [
    "title": "Größe", "width": -3, "scale": 1.5, "isOpen": true,
    "opened": .date(Date(timeIntervalSinceReferenceDate: 0.5)), "icon": .data(Data([0, 1, 255])),
    "tabs": [["address": ["relative": "https://swift.org/a?b"], "id": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"]],
    "colors": ["red": [.float(1), .float(0.1)]],
  ]

  @Test func `a value becomes a readable dictionary, and is decoded again`() throws {
    #expect(try PropertyListEncoder().encodeToPropertyList(Self.window) == Self.windowTree)
    #expect(try PropertyListDecoder().decode(Window.self, from: Self.windowTree) == Self.window)
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `all formats hold the same data`(_ format: PropertyListFormat) throws {
    var window = Self.window
    window.opened = Date(timeIntervalSinceReferenceDate: 7)
    var encoder = PropertyListEncoder()
    encoder.outputFormat = format
    encoder.writingOptions = .exact
    let data = try encoder.encode(window)
    #expect(PropertyListFormat(detecting: data.bytes) == format)
    var decoder = PropertyListDecoder()
    decoder.readingOptions = .exact
    #expect(try decoder.decode(from: data) == window)
  }

  @Test func `scalars can be roots`() throws {
    func check<T: Codable & Equatable>(_ value: T, _ tree: PropertyList) throws {
      #expect(try PropertyListEncoder().encodeToPropertyList(value) == tree)
      #expect(try PropertyListDecoder().decode(T.self, from: tree) == value)
      #expect(try PropertyListDecoder().decode(T.self, from: PropertyListEncoder().encode(value)) == value)
    }
    try check(7, 7)
    try check(Int8.min, -128)
    try check(UInt64.max, .integer(.init(UInt64.max)))
    try check(1.5, 1.5)
    try check(Float(0.1), .float(0.1))
    try check(true, true)
    try check("", "")
    try check("käse", "käse")
    try check(Date(timeIntervalSinceReferenceDate: 1), .date(Date(timeIntervalSinceReferenceDate: 1)))
    try check(Data([1]), .data(Data([1])))
    try check(Int?.none, "$null")
    try check(Int?.some(1), 1)
    try check([Int](), [])
    try check([String: Int](), [:])
  }
}
