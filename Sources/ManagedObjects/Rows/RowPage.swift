internal import FoundationEssentials
internal import Predicates
internal import PropertyLists

/// The values of up to 64 rows of a fetch, encoded next to each other.
///
/// An object refers to its page, and decodes a value when it is read, until the object is changed. So a fetched object
/// does not need memory of its own for its values and each of its texts.
package final class RowPage: Sendable {
  /// The greatest number of rows. An object retains the values of all rows of its page, so the number is small.
  static let capacity = 64

  private let cells: RowCells

  init(_ cells: RowCells) { self.cells = cells }

  /// Returns the value in a slot of the row that begins at a word.
  func value(_ row: UInt32, _ slot: Int) -> RowValue { cells.value(cells[Int(row), slot]) }

  /// Returns the value in a slot of a row.
  ///
  /// - Parameter longCount: Increased by 1 if decoding the value allocates memory: that of a text of more than 15
  ///   bytes, or of data.
  @inline(__always)
  func value(_ row: UInt32, _ slot: Int, longCount: inout UInt8) -> RowValue {
    let cell = cells[Int(row), slot]
    if cell.isLong { longCount += 1 }
    return cells.value(cell)
  }

  /// Returns the value of an attribute; nil if it is unread, or if the slot has a relationship. See
  /// ``value(_:_:longCount:)``.
  @inline(__always)
  func attributeValue(_ row: UInt32, _ slot: Int, longCount: inout UInt8) -> AttributeValue? {
    let cell = cells[Int(row), slot]
    if cell.isLong { longCount += 1 }
    return cells.attributeValue(cell)
  }

  /// Returns the values of a row.
  func values(_ row: UInt32, count: Int) -> [RowValue] { cells.values(Int(row), count: count) }

  /// Returns true if a value is ``RowValue/unread``.
  func isUnread(_ row: UInt32, _ slot: Int) -> Bool { cells[Int(row), slot].kind == CellKind.unread }
}

/// The kinds of values in ``RowCells``. They are numbers, because converting a number to an enumeration takes longer.
@usableFromInline package enum CellKind {
  @inlinable package static var null: UInt8 { 0 }
  @inlinable package static var unread: UInt8 { 1 }
  /// An empty to-one relationship.
  @inlinable package static var noObject: UInt8 { 2 }
  @inlinable package static var no: UInt8 { 3 }
  @inlinable package static var yes: UInt8 { 4 }
  @inlinable package static var integer: UInt8 { 5 }
  @inlinable package static var double: UInt8 { 6 }
  @inlinable package static var float: UInt8 { 7 }
  @inlinable package static var date: UInt8 { 8 }
  @inlinable package static var text: UInt8 { 9 }
  @inlinable package static var data: UInt8 { 10 }
  @inlinable package static var uuid: UInt8 { 11 }
  /// The object of a to-one relationship.
  @inlinable package static var object: UInt8 { 12 }
  /// The index of a value that has no other form.
  @inlinable package static var other: UInt8 { 13 }
}

/// The values of rows, encoded next to each other.
///
/// The cell of a value is a word of 8 bytes: the number itself, the position and the size of a text in ``bytes``, or an
/// index in ``others``. Before the cells of each 8 slots there is a word with their kinds.
@usableFromInline package struct RowCells: Sendable {
  @usableFromInline let store: StoreNumber
  /// The cells. A row is identified by the index of its first word. The cells of a new row are 0.
  @usableFromInline var words: [UInt64] = []
  /// The texts, data and UUIDs.
  @usableFromInline var bytes: [UInt8] = []
  private var others: [RowValue] = []

  @inlinable static var numberWidth: UInt64 { 48 }

  struct Cell {
    let kind: UInt8
    let word: UInt64

    /// The range of a text or of data in ``RowCells/bytes``.
    var range: Range<Int> {
      let start = Int(truncatingIfNeeded: word >> 32)
      return start..<start + Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
    }

    var isLong: Bool { kind == CellKind.text && word & 0xFFFF_FFFF > 15 || kind == CellKind.data }
  }

  init(_ store: StoreNumber) { self.store = store }
}

/// Reading.
extension RowCells {
  @inline(__always)
  subscript(row: Int, slot: Int) -> Cell {
    let group = row + (slot >> 3) * 9
    let kind = UInt8(truncatingIfNeeded: words[group] >> UInt64(truncatingIfNeeded: (slot & 7) << 3))
    return Cell(kind: kind, word: words[group + 1 + (slot & 7)])
  }

  func value(_ cell: Cell) -> RowValue {
    switch cell.kind {
    case CellKind.unread: return .unread
    case CellKind.noObject: return .toOne(nil)
    case CellKind.object:
      let number = Int64(cell.word & (1 << Self.numberWidth - 1))
      return .toOne(RowKey(store: store, entityIndex: Int(cell.word >> Self.numberWidth), number: number))
    case CellKind.other: return others[Int(cell.word)]
    default: return .attribute(attributeValue(cell) ?? .null)
    }
  }

  @inline(__always)
  func attributeValue(_ cell: Cell) -> AttributeValue? {
    switch cell.kind {
    case CellKind.integer: return .integer(Int64(bitPattern: cell.word))
    case CellKind.text: return .string(String(decoding: bytes[cell.range], as: UTF8.self))
    case CellKind.double: return .double(Double(bitPattern: cell.word))
    case CellKind.date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: cell.word)))
    case CellKind.null: return .null
    case CellKind.no: return .boolean(false)
    case CellKind.yes: return .boolean(true)
    default: return unusualValue(cell)
    }
  }

  @inline(never)
  private func unusualValue(_ cell: Cell) -> AttributeValue? {
    switch cell.kind {
    case CellKind.float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: cell.word)))
    case CellKind.data: return .data(Data(bytes[cell.range]))
    // Memory-safe: all bits of bytes are valid.
    case CellKind.uuid: return .uuid(unsafe UUID(bytes.span.bytes, at: cell.range.lowerBound))
    case CellKind.other:
      guard case .attribute(let value) = others[Int(cell.word)] else { return nil }
      return value
    default: return nil
    }
  }

  func values(_ row: Int, count: Int) -> [RowValue] {
    var values: [RowValue] = []
    values.reserveCapacity(count)
    for slot in 0..<count { values.append(value(self[row, slot])) }
    return values
  }
}

/// Adding values.
extension RowCells {
  /// The number of bytes of all texts and data.
  @inlinable var byteCount: Int { bytes.count }

  /// Adds empty cells for a row, and returns the index of its first word.
  mutating func beginRow(slotCount: Int) -> Int {
    let row = words.count
    // A loop is faster than adding a repeated element.
    for _ in 0..<slotCount + (slotCount + 7) / 8 { words.append(0) }
    return row
  }

  /// Returns the word for an object of ``store``; nil if its number or the index of its entity is too large.
  @inlinable @inline(__always)
  func word(ofObject number: UInt64, _ entityIndex: Int) -> UInt64? {
    guard number >> Self.numberWidth == 0, let index = UInt16(exactly: entityIndex) else { return nil }
    return UInt64(index) << Self.numberWidth | number
  }

  /// Returns a copy without unused capacity.
  func compacted() -> RowCells {
    var copy = self
    copy.words = Array(words[...])
    copy.bytes = Array(bytes[...])
    copy.others = Array(others[...])
    return copy
  }

  /// Removes all values, and keeps the memory for others.
  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    others.removeAll(keepingCapacity: true)
  }

  /// Removes the last row, and returns its values.
  ///
  /// - Parameter start: The number of bytes before the row.
  mutating func removeLastRow(_ row: Int, slotCount: Int, bytesFrom start: Int) -> [RowValue] {
    let values = values(row, count: slotCount)
    words.removeSubrange(row...)
    bytes.removeSubrange(start...)
    return values
  }

  /// Sets a value of a row.
  @inlinable @inline(__always)
  mutating func set(_ slot: Int, ofRowAt row: Int, _ kind: UInt8, _ word: UInt64) {
    let group = row + (slot >> 3) * 9
    words[group] |= UInt64(kind) << UInt64(truncatingIfNeeded: (slot & 7) << 3)
    words[group + 1 + (slot & 7)] = word
  }

  /// Sets a value to the bytes that a function appends to an array.
  @inlinable @inline(__always)
  mutating func set(_ slot: Int, ofRowAt row: Int, _ kind: UInt8, _ append: (inout [UInt8]) -> Void) {
    let start = bytes.count
    append(&bytes)
    set(slot, ofRowAt: row, kind, UInt64(truncatingIfNeeded: start << 32 | bytes.count - start))
  }

  @usableFromInline
  mutating func set(_ slot: Int, ofRowAt row: Int, _ value: RowValue) {
    switch value {
    case .attribute(let value): set(slot, ofRowAt: row, value)
    case .unread: set(slot, ofRowAt: row, CellKind.unread, 0)
    case .toOne(nil): set(slot, ofRowAt: row, CellKind.noObject, 0)
    case .toOne(let key?):
      if key.store == store, let word = word(ofObject: UInt64(bitPattern: key.number), Int(key.entityIndex)) {
        set(slot, ofRowAt: row, CellKind.object, word)
      } else {
        set(slot, ofRowAt: row, other: value)
      }
    case .toMany, .orderedToMany: set(slot, ofRowAt: row, other: value)
    }
  }

  private mutating func set(_ slot: Int, ofRowAt row: Int, _ value: AttributeValue) {
    switch value {
    case .null: set(slot, ofRowAt: row, CellKind.null, 0)
    case .boolean(let value): set(slot, ofRowAt: row, value ? CellKind.yes : CellKind.no, 0)
    case .integer(let value): set(slot, ofRowAt: row, CellKind.integer, UInt64(bitPattern: value))
    case .double(let value): set(slot, ofRowAt: row, CellKind.double, value.bitPattern)
    case .float(let value): set(slot, ofRowAt: row, CellKind.float, UInt64(value.bitPattern))
    case .date(let value): set(slot, ofRowAt: row, CellKind.date, value.timeIntervalSinceReferenceDate.bitPattern)
    case .string(let value): set(slot, ofRowAt: row, CellKind.text) { $0.append(contentsOf: value.utf8) }
    case .data(let value): set(slot, ofRowAt: row, CellKind.data) { $0.append(contentsOf: value) }
    case .uuid(let value): set(slot, ofRowAt: row, CellKind.uuid) { $0.append(contentsOf: value.data) }
    case .decimal, .url, .composite: set(slot, ofRowAt: row, other: .attribute(value))
    }
  }

  private mutating func set(_ slot: Int, ofRowAt row: Int, other value: RowValue) {
    set(slot, ofRowAt: row, CellKind.other, UInt64(others.count))
    others.append(value)
  }
}
