internal import Predicates

/// A row of fetched results: the key of an object, and the values that it is sorted by.
final class ResultRow: ListElement {
  var key: RowKey
  /// The object, if the results retain it.
  var object: ManagedObject?
  /// The sort values of the object; nil until they are needed.
  var values: [SortValue]?
  unowned var chunk: ListChunk<ResultRow>?
  fileprivate(set) var section: ResultSection?

  init(_ key: RowKey, object: ManagedObject? = nil, values: [SortValue]? = nil) {
    self.key = key
    self.object = object
    self.values = values
  }
}

/// A section of fetched results.
final class ResultSection: ListElement {
  let name: String
  fileprivate(set) var count = 0
  /// The first row; nil if the section has no rows, and so is not in a list.
  fileprivate unowned var first: ResultRow?
  unowned var chunk: ListChunk<ResultSection>?

  fileprivate init(_ name: String) { self.name = name }
}

/// The rows of fetched results in order, and their sections.
///
/// The rows of a section are adjacent. A section stores only its first row. The index of a row in its section is the
/// difference between the positions of the row and of the section's first row in the list.
struct ResultList {
  /// A position in the results.
  struct Position: Equatable {
    var offset: Int
    var path: ResultIndexPath
  }

  /// The error for a section whose rows are not adjacent.
  struct Separation: Error {
    let name: String
    let key: RowKey
  }

  private var rows = ChunkedList<ResultRow>()
  private var sections = ChunkedList<ResultSection>()
  private var rowsByKey = KeyTable<ResultRow>()
  private var sectionsByName: [String: ResultSection] = [:]

  var count: Int { rows.count }
  var sectionCount: Int { sections.count }

  init() {}

  /// Creates a list of sorted rows.
  ///
  /// - Parameter names: the section names of the rows.
  /// - Throws: ``Separation`` if rows with the same section name are not adjacent.
  /// - Complexity: O(*n*).
  init(_ rows: [ResultRow], names: [String]) throws(Separation) {
    var all: [ResultSection] = []
    rowsByKey.reserveCapacity(rows.count)
    for (row, name) in zip(rows, names) {
      if let last = all.last, last.name == name {
        last.count += 1
      } else {
        if sectionsByName[name] != nil { throw Separation(name: name, key: row.key) }
        let section = ResultSection(name)
        section.first = row
        section.count = 1
        sectionsByName[name] = section
        all.append(section)
      }
      row.section = all.last
      rowsByKey.insert(row, for: row.key)
    }
    self.rows = ChunkedList(rows)
    sections = ChunkedList(all)
  }

  /// The row of an object; nil if it is not in the results.
  subscript(key: RowKey) -> ResultRow? { rowsByKey[key] }

  /// Returns the row at an index in the list; nil if the index is out of range.
  func row(at offset: Int) -> ResultRow? { offset >= 0 && offset < count ? rows[offset] : nil }

  func rows(_ range: Range<Int>) -> [ResultRow] { rows.elements(range.clamped(to: 0..<count)) }

  var allRows: [ResultRow] { rows.elements }

  var allSections: [ResultSection] { sections.elements }

  func section(at index: Int) -> ResultSection? { index >= 0 && index < sectionCount ? sections[index] : nil }

  func section(named name: String) -> ResultSection? { sectionsByName[name] }

  /// Returns the index of a section; nil if it is not in the list any more.
  func index(of section: ResultSection) -> Int? { sections.index(of: section) }

  /// Returns the index of the first row of a section in the list.
  func start(of section: ResultSection) -> Int { section.first.flatMap { rows.index(of: $0) } ?? 0 }

  /// Returns the index of a row in the list.
  func offset(of row: ResultRow) -> Int? { rows.index(of: row) }

  func row(at path: ResultIndexPath) -> ResultRow? {
    guard let section = section(at: path.section), path.item >= 0, path.item < section.count else { return nil }
    return row(at: start(of: section) + path.item)
  }

  func position(of row: ResultRow) -> Position? {
    guard let section = row.section, let offset = rows.index(of: row), let index = sections.index(of: section) else {
      return nil
    }
    return Position(offset: offset, path: ResultIndexPath(section: index, item: offset - start(of: section)))
  }

  /// The rows with their positions and section names, in order.
  ///
  /// - Complexity: O(*n*).
  var allPositions: [(row: ResultRow, position: Position, section: String)] {
    var positions: [(row: ResultRow, position: Position, section: String)] = []
    positions.reserveCapacity(count)
    let rows = allRows
    for (index, section) in allSections.enumerated() {
      for item in 0..<section.count where positions.count < rows.count {
        let path = ResultIndexPath(section: index, item: item)
        positions.append((rows[positions.count], Position(offset: positions.count, path: path), section.name))
      }
    }
    return positions
  }

  /// Returns the number of rows at the start of the list that satisfy a condition. No later row may satisfy it.
  func count<Failure: Error>(ofFirst isWanted: (ResultRow) throws(Failure) -> Bool) throws(Failure) -> Int {
    try rows.count(ofFirst: isWanted)
  }

  /// Changes the key of a row. No other row may have the new key.
  mutating func rename(_ row: ResultRow, to key: RowKey) {
    rowsByKey.remove(row.key)
    row.key = key
    rowsByKey.insert(row, for: key)
  }

  /// Removes a row. If it is the only row of its section, removes the section, too.
  mutating func remove(_ row: ResultRow) {
    guard let section = row.section, let offset = rows.index(of: row) else { return }
    section.count -= 1
    if section.count == 0 {
      section.first = nil
      sections.remove(section)
      sectionsByName[section.name] = nil
    } else if section.first === row {
      section.first = rows[offset + 1]
    }
    rows.remove(row)
    rowsByKey.remove(row.key)
    row.section = nil
  }

  /// Inserts a row at an index, into the section with a name.
  ///
  /// - Throws: ``Separation`` if the row would not be adjacent to the other rows of its section, or would separate the
  ///   rows of another section.
  mutating func insert(_ row: ResultRow, at offset: Int, section name: String) throws(Separation) {
    let before = self.row(at: offset - 1)?.section
    let after = self.row(at: offset)?.section
    let section: ResultSection
    if let known = sectionsByName[name] {
      guard known === before || known === after else { throw Separation(name: name, key: row.key) }
      section = known
      if known !== before { section.first = row }
    } else {
      // Between two rows of another section, the row would separate them.
      if let before, before === after { throw Separation(name: before.name, key: row.key) }
      section = ResultSection(name)
      section.first = row
      let index = before.flatMap { sections.index(of: $0) }.map { $0 + 1 } ?? 0
      sections.insert(section, at: index)
      sectionsByName[name] = section
    }
    section.count += 1
    row.section = section
    rows.insert(row, at: offset)
    rowsByKey.insert(row, for: row.key)
  }

  /// Returns the first defect of the list; nil if rows, sections and counts agree. For tests.
  func _checkInvariants() -> String? {
    if let defect = rows._checkInvariants() ?? sections._checkInvariants() { return defect }
    if rowsByKey.count != count { return "\(count) rows have \(rowsByKey.count) keys" }
    if sectionsByName.count != sectionCount { return "\(sectionCount) sections have \(sectionsByName.count) names" }
    var offset = 0
    let all = allRows
    for (index, section) in allSections.enumerated() {
      if section.count == 0 || offset + section.count > all.count { return "\(section.name) has \(section.count) rows" }
      if section.first !== all[offset] { return "\(section.name) has another first row" }
      if sectionsByName[section.name] !== section { return "\(section.name) is not found" }
      for item in 0..<section.count {
        let row = all[offset + item]
        if row.section !== section || rowsByKey[row.key] !== row { return "\(row.key) is not found" }
        let path = ResultIndexPath(section: index, item: item)
        if position(of: row) != Position(offset: offset + item, path: path) { return "\(row.key) is not at \(path)" }
        if self.row(at: path) !== row { return "\(path) has another row" }
      }
      offset += section.count
    }
    return offset == count ? nil : "the list has \(count) rows, but its sections have \(offset)"
  }
}
