internal import OrderedCollections
internal import PropertyLists
internal import Synchronization

/// The values of one domain in memory, and which of them its file does not have yet.
///
/// All members may be used from any thread. Looks don't wait for each other. A change has the values to itself for a
/// moment, and never while foreign code or the file system is waited for.
final class DomainTable: Sendable {
  private let contents = SharedValue(Contents())
  /// Whether there is a value, to pass an empty domain without a look at its values.
  private let hasValues = Atomic(false)
  private let watching = Atomic(false)
  private let observers = Mutex(TableObservers())

  private struct Contents: ~Copyable {
    var values: [TableKey: PropertyList] = [:]
    /// For each key whose value, or whose absence, is not in the file yet: when it was set, as a count of changes.
    var unsaved: [TableKey: Int] = [:]
    /// When all was replaced, as a count of changes; nil if the file has seen that.
    var replaced: Int?
    var changes = 0
    /// How many changes whoever reads the file has seen, though the disk may not have them yet.
    var inFile = 0
    /// The keys that this process has saved, as long as nobody else has set them since: each with its change, as they
    /// come out of ``unsaved``.
    var own: [TableKey: Int] = [:]

    var hasUnsaved: Bool { !unsaved.isEmpty || replaced != nil }

    mutating func noteUnsaved(_ key: TableKey) {
      changes += 1
      unsaved[key] = changes
    }

    /// Sets or removes a value, and keeps in `staged` what takes that back.
    mutating func stage(_ value: PropertyList?, forKey key: TableKey, in staged: inout StagedChanges) {
      let (old, oldChange) = (values[key], unsaved[key])
      noteUnsaved(key)
      values[key] = value
      staged.changes.append(StagedChanges.Change(key: key, old: old, oldChange: oldChange, change: changes))
    }
  }

  var isEmpty: Bool { !hasValues.load(ordering: .acquiring) }

  var hasUnsaved: Bool { contents.read { $0.hasUnsaved } }

  /// How many changes there have been.
  var changeCount: Int { contents.read { $0.changes } }

  /// Whether all values were replaced since the file was saved.
  var isReplaced: Bool { contents.read { $0.replaced != nil } }

  var values: [TableKey: PropertyList] { contents.read { $0.values } }

  func value(forKey key: TableKey) -> PropertyList? {
    if case .some(let value) = readNow(key) { return value }
    return contents.read { $0.values[key] }
  }

  /// The value, `.some(nil)` if there is none; nil if the values are being changed just now.
  private func readNow(_ key: TableKey) -> PropertyList?? {
    guard let claim = contents.claim() else { return nil }
    return read(key, claim) { $0 }
  }

  /// What `body` makes of the value, without a copy of it, `.some(nil)` if there is none; nil if the values are being
  /// changed just now.
  @inline(__always)
  func read<Result>(_ key: TableKey, _ claim: borrowing ReadClaim, _ body: (PropertyList) -> Result) -> Result?? {
    if isEmpty { return .some(nil) }
    return contents.read(claim) { contents in contents.values[key].map(body) }
  }

  /// Sets or removes a value. Returns whether it is another than before.
  func set(_ value: PropertyList?, forKey key: TableKey) -> Bool {
    contents.withLock { contents in
      contents.noteUnsaved(key)
      let old =
        if let value { contents.values.updateValue(value, forKey: key) } else {
          contents.values.removeValue(forKey: key)
        }
      noteCount(contents)
      return old != value
    }
  }

  /// A value, and the change that this process made to it last and that is not in the file yet.
  struct VersionedValue {
    let value: PropertyList?
    fileprivate let change: Int?
    fileprivate let replaced: Int?
  }

  func versioned(_ key: TableKey) -> VersionedValue {
    contents.read { VersionedValue(value: $0.values[key], change: $0.unsaved[key], replaced: $0.replaced) }
  }

  /// All values, and how many changes there have been.
  var listed: (values: [TableKey: PropertyList], changes: Int) { contents.read { ($0.values, $0.changes) } }

  /// Changes that are made together, and taken back together.
  struct StagedChanges {
    fileprivate struct Change {
      let key: TableKey
      let old: PropertyList?
      let oldChange: Int?
      let change: Int
    }

    fileprivate var changes: [Change] = []
    /// Whether the file is to go if nothing is left to put into it.
    fileprivate(set) var removesFile = false

    var keys: [TableKey] { changes.map(\.key) }
  }

  /// Sets and removes values until it is known whether the file can have them: those in which the entries, nil for no
  /// file, differ from what it holds.
  func stage(_ entries: DomainEntries?, insteadOf held: DomainEntries) -> StagedChanges {
    var staged = StagedChanges()
    staged.removesFile = entries == nil
    let (entries, held) = (entries?.values ?? [:], held.values)
    contents.withLock { contents in
      for key in held.keys where entries[key] == nil { contents.stage(nil, forKey: key, in: &staged) }
      for (key, value) in entries where held[key] != value { contents.stage(value, forKey: key, in: &staged) }
      noteCount(contents)
    }
    return staged
  }

  /// Sets and removes values that were made of others, until it is known whether the file can have them. `versions` has
  /// what was looked at for that, for each key of `changes` at least, and `listed` how many changes there had been when
  /// all keys were looked at; nil if they were not.
  ///
  /// Returns nil, and changes nothing, if a value was set again since it was looked at. If this `isLast`, such values
  /// are passed over: as if the changes had been made before that.
  func stage(
    _ changes: [TableKey: PropertyList?], insteadOf versions: [TableKey: VersionedValue], listed: Int?,
    isLast: Bool
  ) -> StagedChanges? {
    contents.withLock { contents in
      func isCurrent(_ key: TableKey, _ version: VersionedValue) -> Bool {
        contents.unsaved[key] == version.change && contents.replaced == version.replaced
      }
      guard isLast || listed == nil || listed == contents.changes else { return nil }
      guard isLast || versions.allSatisfy({ isCurrent($0.key, $0.value) }) else { return nil }
      var staged = StagedChanges()
      for (key, value) in changes {
        guard let version = versions[key], isCurrent(key, version) else { continue }
        contents.stage(value, forKey: key, in: &staged)
      }
      noteCount(contents)
      return staged
    }
  }

  /// Takes changes back, but for values that were set again since.
  func takeBack(_ staged: StagedChanges) {
    contents.withLock { contents in
      for staged in staged.changes where contents.unsaved[staged.key] == staged.change {
        contents.unsaved[staged.key] = staged.oldChange
        contents.values[staged.key] = staged.old
      }
      noteCount(contents)
    }
  }

  /// Replaces all values that a dictionary of strings can hold. Returns the keys whose values are others than before.
  func replace(with visible: OrderedDictionary<String, PropertyList>) -> [TableKey] {
    contents.withLock { contents in
      let entries = Self.entries(contents.values).changed(to: visible).values
      contents.changes += 1
      contents.replaced = contents.changes
      contents.unsaved = [:]
      for key in entries.keys { contents.noteUnsaved(key) }
      return put(Self.table(entries), into: &contents)
    }
  }

  /// Adds values to those there are, without marking them unsaved. Returns the keys whose values are others than
  /// before.
  func register(_ entries: [String: PropertyList]) -> [TableKey] {
    contents.withLock { contents in
      var changed: [TableKey] = []
      for (name, value) in entries {
        let key = TableKey(name)
        if contents.values.updateValue(value, forKey: key) != value { changed.append(key) }
      }
      noteCount(contents)
      // In an order that does not depend on how the process hashes.
      return isWatched ? changed.sorted() : []
    }
  }

  /// Replaces all values, without marking them unsaved. Returns the keys whose values are others than before.
  func assign(_ values: [TableKey: PropertyList]) -> [TableKey] {
    contents.withLock { contents in put(values, into: &contents) }
  }

  /// Replaces all values that a dictionary of strings can hold, without marking them unsaved. Returns the keys whose
  /// values are others than before.
  func assign(visible: [String: PropertyList]) -> [TableKey] {
    contents.withLock { contents in
      let visible = OrderedDictionary(uniqueKeysWithValues: visible.map { ($0, $1) })
      return put(Self.table(Self.entries(contents.values).changed(to: visible).values), into: &contents)
    }
  }

  private static func entries(_ values: [TableKey: PropertyList]) -> DomainEntries {
    DomainEntries(OrderedDictionary(uniqueKeysWithValues: values.lazy.map { ($0, $1) }))
  }

  private static func table(_ entries: OrderedDictionary<TableKey, PropertyList>) -> [TableKey: PropertyList] {
    Dictionary(uniqueKeysWithValues: entries.elements.lazy.map { ($0, $1) })
  }

  /// Takes the values that the file has; those that it does not have yet stay as they were set.
  ///
  /// - Parameters:
  ///   - keys: keys whose values stay all the same, because the file has lost them.
  ///   - areUnsaved: whether the file is to have those again.
  /// - Returns: the keys whose values are others than before, if anybody observes them.
  func adopt(_ entries: DomainEntries, keeping keys: Set<TableKey> = [], areUnsaved: Bool = false) -> [TableKey] {
    contents.withLock { contents in
      if areUnsaved {
        for key in keys.sorted() where contents.unsaved[key] == nil { contents.noteUnsaved(key) }
      }
      return adopt(entries, keeping: keys, into: &contents)
    }
  }

  /// Whether this process has changed the file, or is about to.
  var isWriter: Bool { contents.read { !$0.own.isEmpty || $0.hasUnsaved } }

  /// The keys of values that the file should have and does not: any that it had, and those that this process saved,
  /// unless these are saved elsewhere, too.
  func keysLost(in entries: DomainEntries, areOwnSaved: Bool) -> Set<TableKey> {
    contents.read { contents in
      var lost = Set(contents.values.keys.filter { entries[$0] == nil && contents.unsaved[$0] == nil })
      if areOwnSaved { return lost }
      for key in contents.own.keys where entries[key] != contents.values[key] { lost.insert(key) }
      for (key, change) in contents.unsaved
      where change <= contents.inFile && entries[key] != contents.values[key] { lost.insert(key) }
      return lost
    }
  }

  /// What the file is to hold: what it held, with the changes since.
  ///
  /// - Parameter held: nil if that cannot be told; then what was known of it counts.
  /// - Returns: the entries, in the order of the file, else of their names, then in the order they were set; and how
  ///   many changes they have.
  func merged(with held: DomainEntries?) -> (entries: DomainEntries, changes: Int) {
    contents.withLock { contents in
      guard var entries = contents.replaced == nil ? held : DomainEntries() else {
        let order = contents.unsaved
        let known = contents.values.sorted { (order[$0.key] ?? 0, $0.key) < (order[$1.key] ?? 0, $1.key) }
        return (DomainEntries(OrderedDictionary(uniqueKeysWithValues: known.map { ($0, $1) })), contents.changes)
      }
      // In one go, because each single removal moves all that follow.
      if contents.unsaved.contains(where: { contents.values[$0.key] == nil }) {
        entries.removeAll { key in contents.unsaved[key] != nil && contents.values[key] == nil }
      }
      for (key, _) in contents.unsaved.sorted(by: { $0.value < $1.value }) {
        if let value = contents.values[key] { entries[key] = value }
      }
      return (held.map { entries.keepingOriginals(of: $0) } ?? entries, contents.changes)
    }
  }

  /// Notes that whoever reads the file finds the first `changes` changes. Values that the file has instead of them from
  /// now on were put there later.
  func noteInFile(changes: Int) { contents.withLock { $0.inFile = changes } }

  /// Notes that the file has the first `changes` changes, and the disk has the file.
  func saved(changes: Int) {
    contents.withLock { contents in
      if contents.changes == changes {
        contents.own.merge(contents.unsaved) { $1 }
        contents.unsaved = [:]
      } else {
        contents.own.merge(contents.unsaved.lazy.filter { $0.value <= changes }.map { ($0.key, $0.value) }) { $1 }
        contents.unsaved = contents.unsaved.filter { $0.value > changes }
      }
      if let replaced = contents.replaced, replaced <= changes { contents.replaced = nil }
    }
  }

  /// Marks all values as saved, in a domain that has no file.
  func savedInMemory() {
    contents.withLock { contents in
      contents.unsaved = [:]
      contents.replaced = nil
    }
  }

  private func adopt(
    _ entries: DomainEntries, keeping keys: Set<TableKey>, into contents: inout Contents
  ) -> [TableKey] {
    if let replaced = contents.replaced {
      guard replaced <= contents.inFile else { return [] }
      contents.replaced = nil
    }
    var values = Self.table(entries.values)
    for (key, change) in contents.unsaved {
      let value = contents.values[key]
      if change > contents.inFile || values[key] == value || keys.contains(key) {
        values[key] = value
      } else {
        contents.unsaved[key] = nil
      }
    }
    for key in keys { values[key] = contents.values[key] }
    contents.own = contents.own.filter { key, _ in values[key] == contents.values[key] }
    return put(values, into: &contents)
  }

  private func put(_ values: [TableKey: PropertyList], into contents: inout Contents) -> [TableKey] {
    let changed = isWatched ? Self.keysThatDiffer(contents.values, values) : []
    contents.values = values
    noteCount(contents)
    return changed
  }

  private static func keysThatDiffer(_ old: [TableKey: PropertyList], _ new: [TableKey: PropertyList]) -> [TableKey] {
    var keys: [TableKey] = []
    for (key, value) in new where old[key] != value { keys.append(key) }
    for key in old.keys where new[key] == nil { keys.append(key) }
    // In an order that does not depend on how the process hashes.
    return keys.sorted()
  }

  private func noteCount(_ contents: borrowing Contents) {
    hasValues.store(!contents.values.isEmpty, ordering: .releasing)
  }

  /// Whether there has been an observer. One that comes looks at the values after it is known here.
  private var isWatched: Bool { watching.load(ordering: .sequentiallyConsistent) }

  /// Has an observer told of changes as long as it lives.
  func add(_ observer: any TableObserver) {
    observers.withLock { $0.add(observer) }
    watching.store(true, ordering: .sequentiallyConsistent)
  }

  /// Tells the observers that values for these keys may be others than before. Not to be called with any lock held.
  func notify(_ keys: [TableKey]) {
    guard isWatched, !keys.isEmpty else { return }
    for (observer, keys) in observers.withLock({ $0.concerned(by: keys) }) { observer.note(keys) }
  }
}
