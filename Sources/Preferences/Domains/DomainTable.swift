internal import OrderedCollections
internal import PropertyLists
internal import Synchronization

/// The values of one domain in memory, and the changes that are not in its file yet.
///
/// All members may be used from any thread. Reads do not wait for each other. A change has exclusive access for a
/// moment. It does not wait for the caller's code or for the file system during this time.
final class DomainTable: Sendable {
  private let contents = SharedValue(Contents())
  /// True if there is a value, so that reads can skip an empty domain.
  private let hasValues = Atomic(false)
  private let watching = Atomic(false)
  private let observers = Mutex(TableObservers())

  private struct Contents: ~Copyable {
    var values: [TableKey: PropertyList] = [:]
    /// The keys that were set or removed since they were last saved, each with the number of its last change: the value
    /// of ``changes`` after it.
    var unsaved: [TableKey: Int] = [:]
    /// The number of the change that replaced all values; nil if there was no such change, or if it is saved.
    var replaced: Int?
    var changes = 0
    /// The changes up to this number were written to the file. The file may not be synced yet.
    var inFile = 0
    /// The keys that this process has saved and that other processes have not changed since. The value is the number of
    /// the saved change, as in ``unsaved``.
    var own: [TableKey: Int] = [:]

    var hasUnsaved: Bool { !unsaved.isEmpty || replaced != nil }

    mutating func noteUnsaved(_ key: TableKey) {
      changes += 1
      unsaved[key] = changes
    }

    /// Sets or removes a value, and records in `staged` how to revert that.
    mutating func stage(_ value: PropertyList?, forKey key: TableKey, in staged: inout StagedChanges) {
      let (old, oldChange) = (values[key], unsaved[key])
      noteUnsaved(key)
      values[key] = value
      staged.changes.append(StagedChanges.Change(key: key, old: old, oldChange: oldChange, change: changes))
    }
  }

  var isEmpty: Bool { !hasValues.load(ordering: .acquiring) }

  var hasUnsaved: Bool { contents.read { $0.hasUnsaved } }

  /// The number of changes that this process has made.
  var changeCount: Int { contents.read { $0.changes } }

  /// True if all values were replaced after the last save.
  var isReplaced: Bool { contents.read { $0.replaced != nil } }

  var values: [TableKey: PropertyList] { contents.read { $0.values } }

  func value(forKey key: TableKey) -> PropertyList? {
    if case .some(let value) = readNow(key) { return value }
    return contents.read { $0.values[key] }
  }

  /// Returns the value; `.some(nil)` if the key has no value; nil if the values are being changed.
  private func readNow(_ key: TableKey) -> PropertyList?? {
    guard let claim = contents.claim() else { return nil }
    return read(key, claim) { $0 }
  }

  /// Returns the result of `body` for the value, which is not copied; `.some(nil)` if the key has no value; nil if the
  /// values are being changed.
  @inline(__always)
  func read<Result>(_ key: TableKey, _ claim: borrowing ReadClaim, _ body: (PropertyList) -> Result) -> Result?? {
    if isEmpty { return .some(nil) }
    return contents.read(claim) { contents in contents.values[key].map(body) }
  }

  /// Sets or removes a value. Returns true if the value differs from the previous one.
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

  /// A value that an update has read, with the number of the last unsaved change that set it. By this number, it is
  /// later found out if another thread has set the value again.
  struct VersionedValue {
    let value: PropertyList?
    fileprivate let change: Int?
    fileprivate let replaced: Int?
  }

  func versioned(_ key: TableKey) -> VersionedValue {
    contents.read { VersionedValue(value: $0.values[key], change: $0.unsaved[key], replaced: $0.replaced) }
  }

  /// All values, and the number of changes that this process has made.
  var listed: (values: [TableKey: PropertyList], changes: Int) { contents.read { ($0.values, $0.changes) } }

  /// The changes of one update, which are applied together, and reverted together if the file cannot be written.
  struct StagedChanges {
    fileprivate struct Change {
      let key: TableKey
      let old: PropertyList?
      let oldChange: Int?
      let change: Int
    }

    fileprivate var changes: [Change] = []
    /// True if the update removes the file, unless values are set meanwhile.
    fileprivate(set) var removesFile = false

    var keys: [TableKey] { changes.map(\.key) }
  }

  /// Applies the differences between the entries of the file and new entries. If the file cannot be written, the caller
  /// reverts the changes with ``takeBack(_:)``.
  ///
  /// - Parameters:
  ///   - entries: the new entries; nil to remove the file.
  ///   - held: the entries of the file.
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

  /// Applies changes that were computed from values that the caller has read before. If the file cannot be written, the
  /// caller reverts the changes with ``takeBack(_:)``.
  ///
  /// - Parameters:
  ///   - versions: the values that were read. They include the values for the keys of `changes`.
  ///   - listed: the number of changes at the time that all keys were listed; nil if the keys were not listed. If they
  ///     were listed, a value that another thread sets later counts as a value that was read.
  ///   - isLast: true to skip changes to values that were set again after they were read, because this is the last
  ///     attempt.
  /// - Returns: nil, without a change, if `isLast` is false and a value was set again after it was read.
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

  /// Reverts changes, except for values that were set again since.
  func takeBack(_ staged: StagedChanges) {
    contents.withLock { contents in
      for staged in staged.changes where contents.unsaved[staged.key] == staged.change {
        contents.unsaved[staged.key] = staged.oldChange
        contents.values[staged.key] = staged.old
      }
      noteCount(contents)
    }
  }

  /// Replaces all values. A dictionary with string keys contains only one of several canonically equivalent keys. The
  /// other keys are kept as long as that key. Returns the keys whose values have changed, if there are observers.
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

  /// Adds or replaces values, without marking them as unsaved. Returns the keys whose values have changed, if there are
  /// observers.
  func register(_ entries: [String: PropertyList]) -> [TableKey] {
    contents.withLock { contents in
      var changed: [TableKey] = []
      for (name, value) in entries {
        let key = TableKey(name)
        if contents.values.updateValue(value, forKey: key) != value { changed.append(key) }
      }
      noteCount(contents)
      // Sorted, because the hashing order differs from process to process.
      return isWatched ? changed.sorted() : []
    }
  }

  /// Replaces all values, without marking them as unsaved. Returns the keys whose values have changed, if there are
  /// observers.
  func assign(_ values: [TableKey: PropertyList]) -> [TableKey] {
    contents.withLock { contents in put(values, into: &contents) }
  }

  /// Replaces all values, as ``replace(with:)`` does, but without marking them as unsaved. Returns the keys whose
  /// values have changed, if there are observers.
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

  /// Replaces the values with those of the file, except for changes that are not in the file yet.
  ///
  /// - Parameters:
  ///   - keys: the keys whose values are kept, because the file has lost them.
  ///   - areUnsaved: true to save the values for `keys` to the file again.
  /// - Returns: the keys whose values have changed, if there are observers.
  func adopt(_ entries: DomainEntries, keeping keys: Set<TableKey> = [], areUnsaved: Bool = false) -> [TableKey] {
    contents.withLock { contents in
      if areUnsaved {
        for key in keys.sorted() where contents.unsaved[key] == nil { contents.noteUnsaved(key) }
      }
      return adopt(entries, keeping: keys, into: &contents)
    }
  }

  /// True if this process has changed the file, or has unsaved changes.
  var isWriter: Bool { contents.read { !$0.own.isEmpty || $0.hasUnsaved } }

  /// Returns the keys that the file has lost: keys whose saved values are missing, and keys whose values differ from
  /// those that this process has saved.
  ///
  /// - Parameter areOwnSaved: true if the file is known to include all saves of this process. Values that differ from
  ///   the saved ones are then newer, and not lost.
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

  /// Returns the entries to write to the file: its current entries with the unsaved changes.
  ///
  /// - Parameter held: the current entries of the file; nil if they are unknown, so that the values in memory are used.
  /// - Returns: the entries, and the number of changes that they include. Entries of the file keep their order, and new
  ///   ones follow in the order in which they were set. If the entries of the file are unknown, saved values come
  ///   first, sorted by key.
  func merged(with held: DomainEntries?) -> (entries: DomainEntries, changes: Int) {
    contents.withLock { contents in
      guard var entries = contents.replaced == nil ? held : DomainEntries() else {
        let order = contents.unsaved
        let known = contents.values.sorted { (order[$0.key] ?? 0, $0.key) < (order[$1.key] ?? 0, $1.key) }
        return (DomainEntries(OrderedDictionary(uniqueKeysWithValues: known.map { ($0, $1) })), contents.changes)
      }
      // Removes all entries in one pass, because a single removal moves all entries after it.
      if contents.unsaved.contains(where: { contents.values[$0.key] == nil }) {
        entries.removeAll { key in contents.unsaved[key] != nil && contents.values[key] == nil }
      }
      for (key, _) in contents.unsaved.sorted(by: { $0.value < $1.value }) {
        if let value = contents.values[key] { entries[key] = value }
      }
      return (held.map { entries.keepingOriginals(of: $0) } ?? entries, contents.changes)
    }
  }

  /// Notes that the first `changes` changes were written to the file. If other values are in the file later, another
  /// process has written them after these changes.
  func noteInFile(changes: Int) { contents.withLock { $0.inFile = changes } }

  /// Notes that the first `changes` changes are in the file and on the disk.
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
    // Sorted, because the hashing order differs from process to process.
    return keys.sorted()
  }

  private func noteCount(_ contents: borrowing Contents) {
    hasValues.store(!contents.values.isEmpty, ordering: .releasing)
  }

  /// True if there has ever been an observer. Until then, changed keys are not collected, so an observer must read the
  /// values after it was added.
  private var isWatched: Bool { watching.load(ordering: .sequentiallyConsistent) }

  /// Adds an observer, which is notified of changes until it is released.
  func add(_ observer: any TableObserver) {
    observers.withLock { $0.add(observer) }
    watching.store(true, ordering: .sequentiallyConsistent)
  }

  /// Notifies the observers that the values for these keys may have changed. Must not be called while holding a lock.
  func notify(_ keys: [TableKey]) {
    guard isWatched, !keys.isEmpty else { return }
    for (observer, keys) in observers.withLock({ $0.concerned(by: keys) }) { observer.note(keys) }
  }
}
