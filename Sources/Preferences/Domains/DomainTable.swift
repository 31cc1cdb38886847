internal import OrderedCollections
internal import PropertyLists
internal import Synchronization

/// The values of one domain in memory, and which of them its file does not have yet.
///
/// All members may be used from any thread. The lock is held for one look or one change, and never while foreign code
/// or the file system is waited for.
final class DomainTable: Sendable {
  private let contents = Mutex(Contents())
  /// Whether there is a value, to pass an empty domain without its lock.
  private let hasValues = Atomic(false)
  private let watching = Atomic(false)
  private let observers = Mutex(TableObservers())

  private struct Contents {
    var values: [TableKey: PropertyList] = [:]
    /// For each key whose value, or whose absence, is not in the file yet: when it was set, as a count of changes.
    var unsaved: [TableKey: Int] = [:]
    /// When all was replaced, as a count of changes; nil if the file has seen that.
    var replaced: Int?
    var changes = 0
    /// How many changes whoever reads the file has seen, though the disk may not have them yet.
    var inPlace = 0

    var hasUnsaved: Bool { !unsaved.isEmpty || replaced != nil }
  }

  var isEmpty: Bool { !hasValues.load(ordering: .acquiring) }

  var hasUnsaved: Bool { contents.withLock { $0.hasUnsaved } }

  /// How many changes there have been.
  var changeCount: Int { contents.withLock { $0.changes } }

  /// Whether all values were replaced since the file was saved.
  var isReplaced: Bool { contents.withLock { $0.replaced != nil } }

  /// - Complexity: O(*n*) in the number of values.
  var values: [String: PropertyList] {
    let values = contents.withLock { $0.values }
    return Dictionary(uniqueKeysWithValues: values.lazy.map { ($0.key.name, $0.value) })
  }

  func value(forKey key: String) -> PropertyList? {
    if isEmpty { return nil }
    return contents.withLock { $0.values[TableKey(key)] }
  }

  /// What `body` makes of the value, without a copy of it; nil if there is none.
  @inline(__always)
  func read<Result>(_ key: TableKey, _ body: (PropertyList) -> Result) -> Result? {
    if isEmpty { return nil }
    var result: Result?
    contents.withLock { contents in
      if let value = contents.values[key] { result = body(value) }
    }
    return result
  }
}

/// Changes by this process.
extension DomainTable {
  /// Sets or removes a value.
  ///
  /// - Returns: whether it is another than before.
  func set(_ value: PropertyList?, forKey key: String) -> Bool {
    let key = TableKey(key)
    return contents.withLock { contents in
      contents.changes += 1
      contents.unsaved[key] = contents.changes
      let old: PropertyList?
      if let value {
        old = contents.values.updateValue(value, forKey: key)
      } else {
        old = contents.values.removeValue(forKey: key)
      }
      noteCount(contents)
      return old != value
    }
  }

  /// A change that may be taken back.
  struct StagedChange {
    fileprivate let tableKey: TableKey
    fileprivate let old: PropertyList?
    fileprivate let oldChange: Int?
    fileprivate let change: Int

    var key: String { tableKey.name }
  }

  /// A value, and the change that this process made to it last and that is not in the file yet.
  struct VersionedValue {
    let value: PropertyList?
    fileprivate let change: Int?
    fileprivate let replaced: Int?
  }

  func versioned(_ key: String) -> VersionedValue {
    let key = TableKey(key)
    return contents.withLock {
      VersionedValue(value: $0.values[key], change: $0.unsaved[key], replaced: $0.replaced)
    }
  }

  /// Sets or removes a value until it is known whether the file can have it.
  ///
  /// - Returns: nil if the value was set again since it was looked at; it stays as it is then.
  func stage(_ value: PropertyList?, forKey key: String, insteadOf old: VersionedValue) -> StagedChange? {
    let key = TableKey(key)
    return contents.withLock { contents in
      guard contents.unsaved[key] == old.change, contents.replaced == old.replaced else { return nil }
      contents.changes += 1
      let staged = StagedChange(
        tableKey: key, old: contents.values[key], oldChange: contents.unsaved[key], change: contents.changes)
      contents.unsaved[key] = contents.changes
      contents.values[key] = value
      noteCount(contents)
      return staged
    }
  }

  /// Changes that are made together, and taken back together.
  struct StagedChanges {
    fileprivate var changes: [StagedChange] = []
    /// Whether the file is to go if nothing is left to put into it.
    fileprivate(set) var removesFile = false

    init(_ changes: [StagedChange] = []) { self.changes = changes }

    var keys: [String] { changes.map(\.key) }
  }

  /// Sets and removes values until it is known whether the file can have them.
  ///
  /// - Parameters:
  ///   - entries: what the file is to hold; nil for no file.
  ///   - held: what it holds. Only what differs is changed.
  func stage(
    _ entries: OrderedDictionary<String, PropertyList>?, insteadOf held: OrderedDictionary<String, PropertyList>
  ) -> StagedChanges {
    var staged = StagedChanges()
    staged.removesFile = entries == nil
    let entries = entries ?? [:]
    contents.withLock { contents in
      func set(_ value: PropertyList?, _ name: String) {
        let key = TableKey(name)
        contents.changes += 1
        staged.changes.append(
          StagedChange(
            tableKey: key, old: contents.values[key], oldChange: contents.unsaved[key], change: contents.changes))
        contents.unsaved[key] = contents.changes
        contents.values[key] = value
      }
      for key in held.keys where entries[key] == nil { set(nil, key) }
      for (key, value) in entries where held[key] != value { set(value, key) }
      noteCount(contents)
    }
    return staged
  }

  /// Takes changes back, but for values that were set again since.
  func takeBack(_ staged: StagedChanges) {
    contents.withLock { contents in
      for staged in staged.changes where contents.unsaved[staged.tableKey] == staged.change {
        contents.unsaved[staged.tableKey] = staged.oldChange
        contents.values[staged.tableKey] = staged.old
      }
      noteCount(contents)
    }
  }

  /// Replaces all values.
  ///
  /// - Returns: the keys whose values are others than before.
  func replace(with entries: OrderedDictionary<String, PropertyList>) -> [String] {
    contents.withLock { contents in
      contents.changes += 1
      contents.replaced = contents.changes
      contents.unsaved = [:]
      for key in entries.keys {
        contents.changes += 1
        contents.unsaved[TableKey(key)] = contents.changes
      }
      return put(Self.table(entries.elements), into: &contents)
    }
  }

  /// Adds values to those there are, without a thought of a file.
  ///
  /// - Returns: the keys whose values are others than before.
  func register(_ entries: [String: PropertyList]) -> [String] {
    contents.withLock { contents in
      put(contents.values.merging(Self.table(entries)) { $1 }, into: &contents)
    }
  }

  /// Replaces all values, without a thought of a file.
  ///
  /// - Returns: the keys whose values are others than before.
  func assign(_ entries: [String: PropertyList]) -> [String] {
    contents.withLock { contents in put(Self.table(entries), into: &contents) }
  }

  private static func table(_ entries: some Sequence<(key: String, value: PropertyList)>) -> [TableKey: PropertyList] {
    Dictionary(uniqueKeysWithValues: entries.lazy.map { (TableKey($0.key), $0.value) })
  }
}

/// What the file of the domain has to do with it.
extension DomainTable {
  /// Takes the values that the file has; those that it does not have yet stay as they were set.
  ///
  /// - Returns: the keys whose values are others than before, if anybody observes them.
  func adopt(_ entries: OrderedDictionary<String, PropertyList>) -> [String] {
    contents.withLock { contents in adopt(entries, into: &contents) }
  }

  /// What the file is to hold: what it held, with the changes since.
  ///
  /// - Parameter held: nil if that cannot be told; then what was known of it counts.
  /// - Returns: the entries, in the order of the file, else of their names, then in the order they were set; and how many
  ///   changes they have.
  func merged(with held: OrderedDictionary<String, PropertyList>?) -> (
    entries: OrderedDictionary<String, PropertyList>, changes: Int
  ) {
    contents.withLock { contents in
      guard var entries = contents.replaced == nil ? held : [:] else {
        let order = contents.unsaved
        let known = contents.values.sorted { (order[$0.key] ?? 0, $0.key.name) < (order[$1.key] ?? 0, $1.key.name) }
        return (OrderedDictionary(uniqueKeysWithValues: known.map { ($0.key.name, $0.value) }), contents.changes)
      }
      // In one go, because each single removal moves all that follow.
      if contents.unsaved.contains(where: { contents.values[$0.key] == nil }) {
        entries.removeAll { (key, _) in
          let key = TableKey(key)
          return contents.unsaved[key] != nil && contents.values[key] == nil
        }
      }
      for (key, _) in contents.unsaved.sorted(by: { $0.value < $1.value }) {
        if let value = contents.values[key] { entries[key.name] = value }
      }
      return (entries, contents.changes)
    }
  }

  /// Notes that whoever reads the file finds the first `changes` changes. Values that the file has instead of them from now on were
  /// put there later.
  func isInPlace(changes: Int) { contents.withLock { $0.inPlace = changes } }

  /// Notes that the file has the first `changes` changes, and the disk has the file.
  func saved(changes: Int) {
    contents.withLock { contents in
      if contents.changes == changes {
        contents.unsaved = [:]
      } else {
        contents.unsaved = contents.unsaved.filter { $0.value > changes }
      }
      if let replaced = contents.replaced, replaced <= changes { contents.replaced = nil }
    }
  }

  private func adopt(
    _ entries: OrderedDictionary<String, PropertyList>, into contents: inout Contents
  ) -> [String] {
    if let replaced = contents.replaced {
      guard replaced <= contents.inPlace else { return [] }
      contents.replaced = nil
    }
    var values = Self.table(entries.elements)
    for (key, change) in contents.unsaved {
      let value = contents.values[key]
      if change > contents.inPlace || values[key] == value {
        values[key] = value
      } else {
        contents.unsaved[key] = nil
      }
    }
    return put(values, into: &contents)
  }

  private func put(_ values: [TableKey: PropertyList], into contents: inout Contents) -> [String] {
    let changed = isWatched ? Self.keysThatDiffer(contents.values, values) : []
    contents.values = values
    noteCount(contents)
    return changed
  }

  private static func keysThatDiffer(
    _ old: [TableKey: PropertyList], _ new: [TableKey: PropertyList]
  ) -> [String] {
    var keys: [String] = []
    for (key, value) in new where old[key] != value { keys.append(key.name) }
    for key in old.keys where new[key] == nil { keys.append(key.name) }
    // In an order that does not depend on how the process hashes.
    return keys.sorted()
  }

  private func noteCount(_ contents: borrowing Contents) {
    hasValues.store(!contents.values.isEmpty, ordering: .releasing)
  }
}

/// Who wants to know of changes.
extension DomainTable {
  /// Whether there has been an observer. One that comes looks at the values after it is known here.
  private var isWatched: Bool { watching.load(ordering: .sequentiallyConsistent) }

  /// Has an observer told of changes as long as it lives.
  func add(_ observer: PreferencesObserver) {
    observers.withLock { $0.add(observer) }
    watching.store(true, ordering: .sequentiallyConsistent)
  }

  /// Tells the observers that values for these keys may be others than before. Not to be called with any lock held.
  func notify(_ keys: [String]) {
    guard isWatched, !keys.isEmpty else { return }
    for (observer, keys) in observers.withLock({ $0.concerned(by: keys) }) { observer.note(keys) }
  }
}
