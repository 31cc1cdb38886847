import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("PropertyList values") struct PropertyListTests {
  @Test func `a value is at most one and a half strings in size`() {
    #expect(MemoryLayout<PropertyList>.size == 24)
    let list: PropertyList = ["text", 1, -1, 1.5, true, [], ["key": "value"], "\(1 + 1)"]
    #expect(
      list
        == .array([
          .string("text"), .integer(1), .integer(-1), .real(1.5), .boolean(true), .array([]),
          .dictionary(["key": .string("value")]), .string("2"),
        ]))
  }

  @Test func `integers are exact over Int64 and UInt64`() {
    let largest: PropertyList.Integer = 18_446_744_073_709_551_615
    let smallest: PropertyList.Integer = -9_223_372_036_854_775_808
    #expect(UInt64(exactly: largest) == .max && Int64(exactly: largest) == nil && Int(exactly: largest) == nil)
    #expect(Int64(exactly: smallest) == .min && UInt64(exactly: smallest) == nil)
    #expect(UInt8(exactly: 255 as PropertyList.Integer) == 255 && UInt8(exactly: 256 as PropertyList.Integer) == nil)
    #expect(smallest < -1 && -1 < 0 as PropertyList.Integer && 0 < largest)
    #expect(PropertyList.Integer(UInt64(5)) == PropertyList.Integer(Int64(5)))
    #expect(PropertyList.Integer(exactly: Int128(1) << 64) == nil)
    #expect(PropertyList.Integer(exactly: Int128(Int64.min) - 1) == nil)
    #expect(largest.description == "18446744073709551615" && smallest.description == "-9223372036854775808")
    #expect(largest.int128 == Int128(UInt64.max) && smallest.int128 == Int128(Int64.min))
  }

  @Test func `accessors return values of the requested kind, without conversion`() {
    let date = Date(timeIntervalSinceReferenceDate: 1)
    let values: [PropertyList] = [
      "1", 1, 1.5, true, .date(date), .data(Data([1])), [1], ["a": 1], .uid(.init(1)), .null, .float(0.5),
    ]
    #expect(values.map { $0.string } == ["1"] + Array(repeating: nil, count: 10))
    #expect(values.compactMap(\.int) == [1] && values.compactMap(\.integer) == [1])
    #expect(values.compactMap(\.real) == [1.5, 0.5])
    #expect(values.compactMap(\.boolean) == [true])
    #expect(values.compactMap(\.date) == [date])
    #expect(values.compactMap(\.data) == [Data([1])])
    #expect(values.compactMap(\.array) == [[1]])
    #expect(values.compactMap(\.dictionary) == [["a": 1]])
    #expect(values.compactMap(\.uid) == [.init(1)])
    #expect(values.count { $0.isNull } == 1)
    #expect(
      values.map(\.kind) == [.string, .integer, .real, .boolean, .date, .data, .array, .dictionary, .uid, .null, .real])
  }

  @Test func `subscripts never trap`() {
    let list: PropertyList = ["a": [1, ["b": 2]]]
    #expect(list["a"]?[1]?["b"]?.int == 2)
    #expect(list["b"] == nil && list[0] == nil && list["a"]?[2] == nil && list["a"]?[-1] == nil)
    #expect(list["a"]?["b"] == nil)
  }

  @Test func `containers are changed in place, without changing copies`() {
    var list: PropertyList = ["list": [1], "name": "x"]
    let before = list
    list.dictionary?["list"]?.array?.append(2)
    list.dictionary?["name"] = nil
    list.dictionary?["new"] = ["k": true]
    #expect(list == ["list": [1, 2], "new": ["k": true]])
    #expect(before == ["list": [1], "name": "x"])
    list.array?.append(1)
    #expect(list.kind == .dictionary)
    list.array = [1]
    #expect(list == [1])
    list.dictionary = ["a": 1]
    #expect(list == ["a": 1])
    list.dictionary = nil
    #expect(list == .null)
  }

  @Test func `appending many elements makes no copies`() throws {
    let growth = try ThreadClock.growth(from: 2_000, to: 20_000) { count in
      var list: PropertyList = ["list": []]
      for index in 0..<count { list.dictionary?["list"]?.array?.append(.integer(.init(index))) }
      #expect(list["list"]?.array?.count == count)
    }
    // With a copy for each value, the growth is 10.
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test func `values are equal if their bytes would be equal`() {
    #expect(PropertyList.real(.nan) == .real(.nan))
    #expect(PropertyList.real(0) != .real(-0.0))
    #expect(PropertyList.real(1) != .float(1) && PropertyList.real(1) != 1)
    #expect(PropertyList.boolean(true) != 1)
    #expect(["a": 1, "b": 2] as PropertyList != ["b": 2, "a": 1])
    #expect(Set([.real(.nan), .real(.nan), 1, 1, "1", .uid(.init(1))] as [PropertyList]).count == 4)
  }

  @Test func `the description shows every type`() {
    let list: PropertyList = ["a": [1, 1.0, .uid(.init(2)), .null], "b": .data(Data([0xAB]))]
    #expect(
      list.debugDescription == """
        {
          "a": [
            1,
            1.0,
            CF$UID:2,
            null
          ],
          "b": <ab>
        }
        """)
  }
}
