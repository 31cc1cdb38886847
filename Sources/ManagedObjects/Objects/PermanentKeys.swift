internal import Predicates
internal import PropertyLists

/// The names that objects had before they were saved, and those that they have since.
///
/// Numbers of objects that are saved together mostly follow one another, so that a save adds one entry.
struct PermanentKeys {
  /// Objects of which each has the number after that of the one before: before the save 1 less, since then 1 more.
  private struct Run {
    let temporaryNumber: Int64
    let store: StoreNumber
    let number: Int64
    var count: Int64 = 1
  }

  /// By the temporary numbers, the greatest first.
  private var runs: [Run] = []

  var isEmpty: Bool { runs.isEmpty }

  /// The name of an object that had a temporary one; nil if it was not saved.
  ///
  /// - Complexity: O(log *n*) in the number of saves.
  subscript(key: RowKey) -> RowKey? {
    guard key.isTemporary else { return nil }
    let end = runCount(from: key.number)
    guard end > 0 else { return nil }
    let run = runs[end - 1]
    let distance = run.temporaryNumber - key.number
    guard distance < run.count else { return nil }
    return RowKey(store: run.store, entityIndex: Int(key.entityIndex), number: run.number + distance)
  }

  /// Adds what objects that are saved now were called, and are called.
  ///
  /// - Complexity: O(*n*) for names in the order of the objects' making.
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

  /// How many runs begin with this number or a greater one.
  private func runCount(from number: Int64) -> Int { runs.partitioningIndex { $0.temporaryNumber < number } }
}

extension ManagedObjectContext {
  /// The context that saves into stores.
  var root: ManagedObjectContext {
    var root = self
    while let parent = root.parent { root = parent }
    return root
  }

  /// The name that an object has now. Somebody may have noted it before the object was saved, or saved again.
  func presentKey(_ key: RowKey) -> RowKey {
    if !key.isTemporary, aliases.isEmpty { return key }
    let saved = root.permanentKeys
    var key = current(key)
    while key.isTemporary, registered[key] == nil, let name = saved[key] { key = current(name) }
    return key
  }

  /// A predicate that names objects as they are called now.
  func presentPredicate(_ predicate: ManagedPredicate) -> ManagedPredicate {
    if aliases.isEmpty, root.permanentKeys.isEmpty { return predicate }
    return predicate.replacing(PredicateReplacement(object: presentKey))
  }
}
