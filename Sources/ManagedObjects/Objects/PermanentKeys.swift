internal import Predicates
internal import PropertyLists

/// The permanent keys of objects, by the temporary keys that the objects had before.
///
/// Consecutive keys are stored as one run. Objects that are saved together mostly have consecutive keys, so a save adds
/// one run.
struct PermanentKeys {
  /// A run of objects with consecutive keys. The numbers of the temporary keys decrease by 1; those of the permanent
  /// keys increase by 1.
  private struct Run {
    let temporaryNumber: Int64
    let store: StoreNumber
    let number: Int64
    var count: Int64 = 1
  }

  /// The runs, sorted by temporary number in descending order.
  private var runs: [Run] = []

  var isEmpty: Bool { runs.isEmpty }

  /// The permanent key that replaced a temporary key; nil if none has replaced it, or if the key is not temporary.
  ///
  /// - Complexity: O(log *n*) in the number of runs.
  subscript(key: RowKey) -> RowKey? {
    guard key.isTemporary else { return nil }
    let end = runCount(from: key.number)
    guard end > 0 else { return nil }
    let run = runs[end - 1]
    let distance = run.temporaryNumber - key.number
    guard distance < run.count else { return nil }
    return RowKey(store: run.store, entityIndex: Int(key.entityIndex), number: run.number + distance)
  }

  /// Adds the temporary and permanent keys of objects. Skips objects whose old key is not temporary.
  ///
  /// - Complexity: O(*n*) if the keys are in the order the objects were created.
  mutating func insert(_ names: some Sequence<(key: RowKey, value: RowKey)>) {
    for (old, new) in names where old.isTemporary { insert(old, new) }
  }

  private mutating func insert(_ old: RowKey, _ new: RowKey) {
    let end = runCount(from: old.number)
    if end > 0 {
      let run = runs[end - 1]
      let distance = run.temporaryNumber - old.number
      if distance == run.count, new.store == run.store, new.number - run.number == distance {
        runs[end - 1].count += 1
        return
      }
    }
    runs.insert(Run(temporaryNumber: old.number, store: new.store, number: new.number), at: end)
  }

  /// Returns the number of runs whose first temporary number is `number` or greater.
  private func runCount(from number: Int64) -> Int { runs.partitioningIndex { $0.temporaryNumber < number } }
}

extension ManagedObjectContext {
  /// The context at the end of the chain of parents, which saves into stores.
  var root: ManagedObjectContext {
    var root = self
    while let parent = root.parent { root = parent }
    return root
  }

  /// Returns the present key of an object. `key` may be a key that the object had before it was saved or inserted
  /// again.
  func presentKey(_ key: RowKey) -> RowKey {
    if !key.isTemporary, aliases.isEmpty { return key }
    let saved = root.permanentKeys
    var key = current(key)
    while key.isTemporary, registered[key] == nil, let name = saved[key] { key = current(name) }
    return key
  }

  /// Returns the value of a property with the present keys of its objects.
  func presentValue(_ value: RowValue) -> RowValue {
    switch value {
    case .toOne(let key?): .toOne(presentKey(key))
    case .toMany(let keys): .toMany(Set(keys.map(presentKey)))
    case .orderedToMany(let keys): .orderedToMany(OrderedKeys(keys.map(presentKey)))
    case .attribute, .toOne(nil), .unread: value
    }
  }

  /// Returns a predicate with old keys of objects replaced by their present keys.
  func presentPredicate(_ predicate: ManagedPredicate) -> ManagedPredicate {
    if aliases.isEmpty, root.permanentKeys.isEmpty { return predicate }
    return predicate.replacing(PredicateReplacement(object: presentKey))
  }
}
