import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Rows in pages") struct PagedRowsTests {
  private static let store = StoreNumber(rawValue: 3)

  private static func key(_ number: Int64, entity: Int = 1, store: StoreNumber = store) -> RowKey {
    RowKey(store: store, entityIndex: entity, number: number)
  }

  /// Values of all kinds, with those at the limits of their forms.
  private static let values: [RowValue] =
    [
      .null, .boolean(true), .boolean(false), .integer(.min), .integer(-1), .integer(.max), .double(-0.5),
      .double(.infinity), .float(1.5), .date(Date(timeIntervalSinceReferenceDate: -1.25)), .string(""),
      .string("fifteen bytes !"), .string("a text of more than fifteen bytes"), .string("Ünïcode 🎼"), .data(Data()),
      .data(Data([0, 255])), .decimal(Decimal(string: "123456789012345678901234567890.5") ?? 0), .uuid(UUID()),
      .url(URL(fileURLWithPath: "/tmp/a b")), .composite(["city": .string("Oslo"), "zip": .null]),
    ].map { .attribute($0) } + [
      .toOne(nil), .toOne(key(1)), .toOne(key(1 << 48 - 1, entity: 65_535)), .toOne(key(1 << 48)),
      .toOne(key(-1)), .toOne(key(2, store: StoreNumber(rawValue: 4))), .toMany([]), .toMany([key(4), key(5)]),
      .orderedToMany([key(6), key(5)]), .unread,
    ]

  /// Adds rows as a store does.
  private static func paged(_ rows: [StoreRow]) -> PagedRows {
    var paged = PagedRows(store)
    for row in rows {
      if paged.count < PagedRows.firstCount {
        paged.append(row)
      } else {
        paged.begin(row.key, version: row.version, slotCount: row.values.count)
        for value in row.values { paged.append(value) }
        paged.end()
      }
    }
    paged.finish()
    return paged
  }

  @Test(arguments: [1 as Int64, 1 << 48 - 1, 1 << 48, .max], [0, 65_535, 65_536])
  func `the object of a relationship can have any number`(number: Int64, entityIndex: Int) {
    var paged = PagedRows(Self.store)
    for _ in 0..<PagedRows.firstCount { paged.append(StoreRow(key: Self.key(1), version: 1, values: [])) }
    paged.begin(Self.key(100), version: 1, slotCount: 1)
    paged.append(objectNumber: number, entityIndex: entityIndex)
    paged.end()
    paged.finish()
    #expect(paged.row(0, slotCount: 1).values == [.toOne(Self.key(number, entity: entityIndex))])
  }

  private static func read(_ paged: PagedRows, _ slotCounts: [Int]) -> [StoreRow] {
    paged.first + paged.keys.indices.map { paged.row($0, slotCount: slotCounts[Int(paged.keys[$0].entityIndex)]) }
  }

  @Test func `values of all kinds are read as they were added`() {
    let row = StoreRow(key: Self.key(1), version: 7, values: Self.values)
    let rows = (1...200).map { StoreRow(key: Self.key($0), version: $0, values: row.values) }
    let paged = Self.paged(rows)
    #expect(Self.read(paged, [0, Self.values.count]) == rows)
    for slot in Self.values.indices {
      guard let (page, row) = paged.page(100) else {
        Issue.record("the row is not in a page")
        return
      }
      var longCount: UInt8 = 0
      let attribute = page.attributeValue(row, slot, longCount: &longCount)
      var otherCount: UInt8 = 0
      #expect(page.value(row, slot, longCount: &otherCount) == Self.values[slot])
      #expect(otherCount == longCount)
      #expect(page.isUnread(row, slot) == (Self.values[slot] == .unread))
      if case .attribute(let value) = Self.values[slot] {
        #expect(attribute == value)
      } else {
        #expect(attribute == nil)
      }
      switch Self.values[slot] {
      case .attribute(.string(let text)): #expect(longCount == (text.utf8.count > 15 ? 1 : 0))
      case .attribute(.data): #expect(longCount == 1)
      default: #expect(longCount == 0)
      }
    }
  }

  @Test func `random rows of several entities are read as they were added`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<LongForm.size(500, or: 60) {
      let slotCounts = (0..<3).map { _ in Int.random(in: 0..<30, using: &random) }
      let rows = (0..<Int.random(in: 0..<300, using: &random)).map { number in
        let entity = Int.random(in: 0..<3, using: &random)
        var values = (0..<slotCounts[entity]).map { _ in Self.values.randomElement(using: &random) ?? .null }
        if Int.random(in: 0..<20, using: &random) == 0, !values.isEmpty {
          values[0] = .attribute(.string(String(repeating: "large", count: Int.random(in: 180..<400, using: &random))))
        }
        return StoreRow(key: Self.key(Int64(number + 1), entity: entity), version: Int64(number), values: values)
      }
      let paged = Self.paged(rows)
      #expect(paged.count == rows.count)
      #expect(Self.read(paged, slotCounts) == rows)
    }
  }

  @Test func `a row takes memory for its own slots only`() {
    var paged = PagedRows(Self.store)
    for (number, count) in [1, 8, 9, 100, 1].enumerated() {
      let before = paged.cells.words.count
      paged.begin(Self.key(Int64(number + 1)), version: 1, slotCount: count)
      for _ in 0..<count { paged.appendNull() }
      paged.end()
      #expect(paged.cells.words.count - before == count + (count + 7) / 8)
    }
  }

  @Test func `a row with large values is not in a page`() {
    let text = RowValue.attribute(.string(String(repeating: "x", count: 1_025)))
    let rows = (1...100).map { number in
      StoreRow(key: Self.key(number), version: 1, values: [number == 50 ? text : .null, .attribute(.integer(number))])
    }
    let paged = Self.paged(rows)
    #expect(Self.read(paged, [0, 2]) == rows)
    #expect(paged.keys.indices.filter { paged.page($0) == nil }.map { paged.keys[$0].number } == [50])
  }
}
