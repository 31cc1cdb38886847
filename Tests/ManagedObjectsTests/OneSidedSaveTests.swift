import Foundation
import ManagedObjects
import OrderedCollections
import TestSupport
import Testing

/// Random saves of rows that change one or both sides of relationships, also with contradictory values.
@Suite("Random changes to one side of relationships") struct OneSidedSaveTests {
  @Test(arguments: 0..<4) func `in-memory and SQLite stores have equal results`(part: Int) throws {
    let folder = TemporaryFolder(isInMemory: true)
    for seed in 0..<LongForm.size(all: 1_000, 50, or: 1) {
      var script = try OneSidedScript(seed: UInt64(part * 100_000 + seed), folder)
      try script.run(saves: 40)
    }
  }
}

/// Random saves, identified by their seed, applied to two stores.
private struct OneSidedScript {
  private var random: SeededGenerator
  private let seed: UInt64
  private let model = NaiveGraph.model
  private let memory: any PersistentStore
  private let sqlite: any PersistentStore
  /// The keys of objects in each store, by label, including deleted objects.
  private var keys: [String: (memory: RowKey, sqlite: RowKey)] = [:]
  private var live: [String] = []
  private var log: [String] = []

  init(seed: UInt64, _ folder: TemporaryFolder) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    memory = try InMemoryStore(model: model)
    sqlite = try StoreKind.sqlite.open(folder.url.appending(path: "\(seed)"), model)
  }

  private enum Step {
    case insert(String, entity: String)
    case set(String, key: String, [String])
    case touch(String)
    case delete(String)
  }

  private var trace: Comment { Comment(rawValue: "seed \(seed): " + log.suffix(12).joined(separator: "; ")) }

  mutating func run(saves: Int) throws {
    for _ in 0..<saves {
      let steps = makeSteps()
      log.append(describe(steps))
      let new = steps.compactMap { if case .insert(let label, let entity) = $0 { (label, entity) } else { nil } }
      let indices = new.map { model[$0.1]?.index ?? 0 }
      for (index, pair) in zip(try memory.makeKeys(indices), try sqlite.makeKeys(indices)).enumerated() {
        keys[new[index].0] = pair
        live.append(new[index].0)
      }
      let withSnapshots = Bool.random(using: &random)
      let isWhole = Bool.random(using: &random)
      let first = try save(steps, memory, isWhole: true, withSnapshots: withSnapshots) { keys[$0]?.memory }
      let second = try save(steps, sqlite, isWhole: isWhole, withSnapshots: withSnapshots) { keys[$0]?.sqlite }
      for case .delete(let label) in steps { live.removeAll { $0 == label } }
      let (expected, found) = (try state(memory) { $0.memory }, try state(sqlite) { $0.sqlite })
      try #require(found == expected, trace)
      try #require(second == first, trace)
    }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

  private func entity(_ label: String) -> String { String(label.prefix { !$0.isNumber }) }

  private mutating func makeSteps() -> [Step] {
    var steps: [Step] = []
    var used: Set<String> = []
    let candidates = live
    var new: [String] = []
    for _ in 0..<Int.random(in: 0...2, using: &random) where live.count + new.count < 14 {
      guard let entity = pick(["Person", "Employee", "Note", "Tag", "Group", "Card"]) else { continue }
      let label = "\(entity)\(keys.count + new.count)"
      new.append(label)
      steps.append(.insert(label, entity: entity))
    }
    // Sometimes refers to a deleted object.
    let targets =
      live + new + (keys.count > live.count ? keys.keys.sorted().filter { !live.contains($0) }.suffix(1) : [])
    for label in new { used.insert(label) }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let isNew = !new.isEmpty && Int.random(in: 0..<3, using: &random) == 0
      guard let label = pick(isNew ? new : candidates) else { continue }
      if !isNew, !used.insert(label).inserted, Bool.random(using: &random) { continue }
      if steps.contains(where: { if case .delete(label) = $0 { true } else { false } }) { continue }
      let isKnown = steps.contains {
        switch $0 {
        case .set(label, _, _), .touch(label), .insert(label, _): true
        default: false
        }
      }
      switch Int.random(in: 0..<10, using: &random) {
      case 0 where !isKnown: steps.append(.delete(label))
      case 1 where !isKnown: steps.append(.touch(label))
      default:
        let relations = (NaiveGraph.relations[entity(label)] ?? [:]).sorted { $0.key < $1.key }
        guard let (key, relation) = pick(relations.filter { $0.value.inverse != nil }) else { continue }
        let fitting = targets.filter { NaiveGraph.isKind(entity($0), relation.destination) }
        let count = Int.random(in: 0...(relation.isToMany ? 3 : 1), using: &random)
        steps.append(.set(label, key: key, Array(fitting.shuffled(using: &random).prefix(count))))
      }
    }
    return steps
  }

  private func describe(_ steps: [Step]) -> String {
    "{"
      + steps.map { step in
        switch step {
        case .insert(let label, _): "+\(label)"
        case .set(let label, let key, let targets): "\(label).\(key)=\(targets.joined(separator: ","))"
        case .touch(let label): label
        case .delete(let label): "-\(label)"
        }
      }.joined(separator: " ") + "}"
  }

  /// - Returns: The labels of the other rows that the store changed.
  private func save(
    _ steps: [Step], _ store: any PersistentStore, isWhole: Bool, withSnapshots: Bool, _ key: (String) -> RowKey?
  ) throws -> [String] {
    var inserted: OrderedDictionary<RowKey, StoreRow> = [:]
    var updated: OrderedDictionary<RowKey, StoreRow> = [:]
    var snapshots: [StoreRow] = []
    var changes = StoreChanges()
    for step in steps {
      switch step {
      case .insert(let label, _):
        let key = try #require(key(label))
        inserted[key] = row(key, model)
      case .delete(let label):
        let key = try #require(key(label))
        changes.deleted.append(try #require(try isWhole ? store.wholeRows([key])[0] : store.rows([key])[0]))
      case .set(let label, _, _), .touch(let label):
        let key = try #require(key(label))
        if inserted[key] == nil, updated[key] == nil {
          let row = try #require(try isWhole ? store.wholeRows([key])[0] : store.rows([key])[0])
          updated[key] = row
          snapshots.append(row)
        }
      }
      guard case .set(let label, let name, let targets) = step, let owner = key(label) else { continue }
      let relationship = try #require(model[entity(label)]?.relationship(named: name))
      let keys = targets.compactMap { key($0) }
      let value: RowValue =
        if !relationship.definition.isToMany {
          .toOne(keys.first)
        } else {
          relationship.isOrdered ? .orderedToMany(OrderedSet(keys)) : .toMany(Set(keys))
        }
      inserted[owner]?.values[relationship.slot] = value
      updated[owner]?.values[relationship.slot] = value
    }
    changes.inserted = Array(inserted.values)
    changes.updated = Array(updated.values)
    if withSnapshots { changes.snapshots = snapshots }
    let mended = Set(try store.save(changes))
    return keys.filter { label, _ in key(label).map(mended.contains) ?? false }.keys.sorted()
  }

  private func state(_ store: any PersistentStore, _ key: ((memory: RowKey, sqlite: RowKey)) -> RowKey) throws -> String
  {
    var labels: [RowKey: String] = [:]
    for (label, pair) in keys { labels[key(pair)] = label }
    var parts: [String] = []
    for label in live.sorted() {
      let row = try #require(try keys[label].flatMap { try store.wholeRows([key($0)])[0] }, trace)
      parts.append("\(label) \(row.version)")
      for (name, relation) in (NaiveGraph.relations[entity(label)] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let slot = try #require(model[entity(label)]?.relationship(named: name)?.slot)
        var targets = row.values[slot].keys.map { labels[$0] ?? "?" }
        if !relation.isOrdered { targets.sort() }
        if !targets.isEmpty { parts.append("\(label).\(name)=\(targets.joined(separator: ","))") }
      }
    }
    return parts.joined(separator: " ")
  }
}
