package import ObjectModels
package import Predicates

/// The rows that a store found, in the form that needs the least memory and time for objects.
///
/// The first rows are ``StoreRow``s, because a page for a few rows would be slower. The others are in pages. Rows with
/// large values are ``StoreRow``s, too, so that a page remains small if few of its objects are in use.
package struct PagedRows: Sendable {
  /// The first rows.
  package private(set) var first: [StoreRow] = []
  /// The keys of all later rows.
  package private(set) var keys: [RowKey] = []
  /// Their versions.
  private var versions: [Int64] = []
  private var pages: [RowPage] = []
  /// The first word of each row in its page.
  private var rowStarts: [UInt32] = []
  /// The values of rows that are too large for pages, by their indices in ``keys``.
  private var large: [Int: [RowValue]] = [:]
  /// The rows for the next page.
  @usableFromInline var cells: RowCells
  /// The first word of the current row in ``cells``.
  @usableFromInline var rowStart = 0
  /// The slot of the next value.
  @usableFromInline var slot = 0
  /// The number of bytes in ``cells`` before the current row.
  private var byteStart = 0

  /// The number of rows in ``first``.
  package static let firstCount = 8
  /// The greatest number of bytes of texts and data for a row in a page.
  private static let greatestSize = 1_024

  /// Creates an empty list.
  package init(_ store: StoreNumber) { cells = RowCells(store) }

  /// The number of rows.
  package var count: Int { first.count + keys.count }
}

/// Adding rows. For each row, call ``begin(_:version:slotCount:)``, an `append` method for each slot, and ``end()``.
/// Call ``finish()`` after the last row.
extension PagedRows {
  /// Adds one of the first rows.
  package mutating func append(_ row: StoreRow) { first.append(row) }

  package mutating func begin(_ key: RowKey, version: Int64, slotCount: Int) {
    keys.append(key)
    versions.append(version)
    slot = 0
    rowStart = cells.beginRow(slotCount: slotCount)
    rowStarts.append(UInt32(rowStart))
    byteStart = cells.byteCount
  }

  @inlinable @inline(__always)
  mutating func append(_ kind: UInt8, _ word: UInt64) {
    cells.set(slot, ofRowAt: rowStart, kind, word)
    slot += 1
  }

  @inlinable @inline(__always)
  package mutating func appendNull() { append(CellKind.null, 0) }

  @inlinable @inline(__always)
  package mutating func appendUnread() { append(CellKind.unread, 0) }

  @inlinable @inline(__always)
  package mutating func append(_ value: Int64) { append(CellKind.integer, UInt64(bitPattern: value)) }

  @inlinable @inline(__always)
  package mutating func append(_ value: Double) { append(CellKind.double, value.bitPattern) }

  /// Adds a date in seconds since 2001-01-01T00:00:00Z.
  @inlinable @inline(__always)
  package mutating func append(date seconds: Double) { append(CellKind.date, seconds.bitPattern) }

  /// Adds the object of a to-one relationship, which is in the same store as the row.
  @inlinable @inline(__always)
  package mutating func append(objectNumber number: Int64, entityIndex: Int) {
    if let word = cells.word(ofObject: UInt64(bitPattern: number), entityIndex) {
      append(CellKind.object, word)
    } else {
      append(.toOne(RowKey(store: cells.store, entityIndex: entityIndex, number: number)))
    }
  }

  /// Adds a text.
  ///
  /// - Parameter append: Adds its UTF-8 to an array.
  @inlinable @inline(__always)
  package mutating func appendText(_ append: (inout [UInt8]) -> Void) {
    cells.set(slot, ofRowAt: rowStart, CellKind.text, append)
    slot += 1
  }

  package mutating func append(_ value: RowValue) {
    cells.set(slot, ofRowAt: rowStart, value)
    slot += 1
  }

  package mutating func end() {
    if cells.byteCount - byteStart > Self.greatestSize {
      large[keys.count - 1] = cells.removeLastRow(rowStart, slotCount: slot, bytesFrom: byteStart)
    }
    if keys.count % RowPage.capacity == 0 { endPage() }
  }

  private mutating func endPage() {
    pages.append(RowPage(cells.compacted()))
    cells.removeAll()
  }

  package mutating func finish() {
    if keys.count % RowPage.capacity > 0 { endPage() }
  }
}

/// Reading the rows after the first ones, by their indices in ``keys``.
extension PagedRows {
  /// Returns the page of a row and the row's first word in it; nil if the row is too large for a page.
  @inline(__always)
  func page(_ index: Int) -> (RowPage, row: UInt32)? {
    if !large.isEmpty, large[index] != nil { return nil }
    return (pages[index / RowPage.capacity], rowStarts[index])
  }

  /// Returns a row.
  ///
  /// - Parameter slotCount: The number of its slots.
  func row(_ index: Int, slotCount: Int) -> StoreRow {
    let values =
      large[index] ?? pages[index / RowPage.capacity].values(rowStarts[index], count: slotCount)
    return StoreRow(key: keys[index], version: versions[index], values: values)
  }

  /// Returns all rows.
  package func rows(of model: ManagedObjectModel) -> [StoreRow] {
    var rows = first
    rows.reserveCapacity(count)
    for (index, key) in keys.enumerated() {
      rows.append(row(index, slotCount: model.records[Int(key.entityIndex)].slotCount))
    }
    return rows
  }

  func version(_ index: Int) -> Int64 { versions[index] }
}
