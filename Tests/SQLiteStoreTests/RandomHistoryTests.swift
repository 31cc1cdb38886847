import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// Random changes of stores with a history of Core Data. Each transaction must be the difference of two snapshots,
/// which an independent reader makes before and after the save.
@Suite("Random changes in a history of Core Data", .enabled(if: StoreReader.isAvailable && HistorySamples.areThere))
struct RandomHistoryTests {
  private let folder = TemporaryFolder(isInMemory: true)

  /// Stores to change.
  enum Sample: String, CaseIterable {
    case game, accounts, cart, books

    func copy(to folder: TemporaryFolder) throws -> URL {
      switch self {
      case .game: try HistorySamples.gameStore(folder)
      case .accounts: try HistorySamples.accountStore(folder)
      case .cart: try Self.copy("cartkit/CartKitSwiftData_v1.sqlite", folder)
      case .books: try Self.copy("coredataplus-samplemodel2/SampleModel2_V2.sqlite", folder)
      }
    }

    private static func copy(_ name: String, _ folder: TemporaryFolder) throws -> URL {
      guard let url = HistorySamples.url(name) else { throw StoreReader.Failure(description: "no sample") }
      return try StoreSamples.copy(url, to: folder)
    }
  }

  private static let seeds = 0..<LongForm.size(125, or: 10)

  /// Collects the differences between the recorded transactions and those of the snapshots.
  private final class Recorder {
    let file: URL
    let store: SQLiteStore
    var snapshot: StoreDump
    var number: Int64
    private(set) var differences: [String] = []
    private(set) var count = 0
    /// The relationships without an inverse that differ at most by deleted objects, by names such as `Note/p3.tags`.
    /// The save may have changed them: a deleted object can be in such a relationship.
    private var uncertain: Set<String> = []

    init(_ file: URL, _ store: SQLiteStore) throws {
      self.file = file
      self.store = store
      snapshot = try StoreReader.objects(of: file, isImmutable: false)
      number = try store.history().last?.number ?? 0
    }

    func check() throws {
      let next = try StoreReader.objects(of: file, isImmutable: false)
      let new = try store.history(after: number)
      uncertain = []
      let expected = changes(to: next)
      snapshot = next
      count += 1
      guard let transaction = new.last else {
        if !expected.isEmpty { differences.append("no transaction for \(expected)") }
        return
      }
      if new.map(\.number) != [number + 1] { differences.append("\(new.map(\.number)) follow \(number)") }
      number = transaction.number
      var found: [String: String] = [:]
      for change in transaction.changes {
        let name = change.objectID.uriRepresentation.split(separator: "/").suffix(2).joined(separator: "/")
        let names = change.updatedProperties.filter { !uncertain.contains("\(name).\($0)") }
        // An object can leave a relationship without an inverse because the save changes the relationship, too.
        if names.isEmpty, !change.updatedProperties.isEmpty, expected[name] == nil { continue }
        let text = "\(change.kind) \(names.joined(separator: " "))"
        if found.updateValue(text, forKey: name) != nil { differences.append("\(name) has two changes") }
        // An object that gets another owner in a relationship without an inverse has no other change.
        if text == "update ", expected[name] == nil, try store.hasOwnerColumn(change.objectID.entity.name) {
          found[name] = nil
        }
      }
      if found.isEmpty, transaction.changes.isEmpty { differences.append("transaction \(number) is empty") }
      for name in Set(found.keys).union(expected.keys).sorted() where found[name] != expected[name] {
        differences.append(
          "\(number) \(name): recorded \(found[name] ?? "nothing"), expected \(expected[name] ?? "nothing")")
      }
    }

    /// Returns the changes that lead to another snapshot, by name of the object.
    private func changes(to next: StoreDump) -> [String: String] {
      var changes: [String: String] = [:]
      for name in snapshot.objects.keys where next.objects[name] == nil { changes[name] = "delete " }
      for (name, object) in next.objects {
        guard let old = snapshot.objects[name] else {
          changes[name] = "insert "
          continue
        }
        let entity = store.model[String(name.prefix { $0 != "/" })]
        let attributes = object.attributes.filter { key, value in
          old.attributes[key] != value && entity?.attribute(named: key)?.definition.derivation == nil
        }
        let relationships = object.relationships.filter { key, value in
          if entity?.relationship(named: key)?.definition.inverse == nil, case .many(let new) = value,
            case .many(let former)? = old.relationships[key],
            snapshot.objects.keys.contains(where: { next.objects[$0] == nil }),
            new == former.filter({ next.objects[$0] != nil })
          {
            uncertain.insert("\(name).\(key)")
            return false
          }
          return old.relationships[key] != value
        }
        let names = (Array(attributes.keys) + Array(relationships.keys)).sorted { $0.utf8.precedes($1.utf8) }
        if !names.isEmpty { changes[name] = "update \(names.joined(separator: " "))" }
      }
      return changes
    }
  }

  @Test(arguments: Sample.allCases, seeds)
  func `each recorded transaction is the difference of two snapshots`(sample: Sample, seed: Int) throws {
    // The short form changes each store with a part of the seeds.
    if !LongForm.isWanted, seed % Sample.allCases.count != Sample.allCases.firstIndex(of: sample) { return }
    let file = try sample.copy(to: folder)
    let model = try SQLiteStore.model(inFile: file)
    let store = try SQLiteStore(file, model: model)
    try #require(store.writingObstacles == [])
    let before = try HistoryRow.all(file)
    let recorder = try Recorder(file, store)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator: coordinator)
    var failure: (any Error)?
    _ = context.addEventObserver { event in
      guard case .didSave = event else { return }
      do { try recorder.check() } catch { failure = error }
    }
    var changes = RandomChanges(context, model, seed: UInt64(seed))
    try changes.run(count: LongForm.size(20, or: 4))
    if let failure { throw failure }
    #expect(recorder.differences == [], "\(sample) \(seed)")
    #expect(recorder.count <= changes.saves && recorder.count > 3, "\(changes.lastRefusal)")
    let plain = try PlainSQLite(file)
    #expect(try plain.defects() == [])
    // The earlier rows are the same. The keys have no gaps, and are those that Z_PRIMARYKEY counts.
    let rows = try HistoryRow.all(file)
    #expect(rows.prefix(before.count) == before[...])
    for (number, table) in [("16001", "ACHANGE"), ("16002", "ATRANSACTION"), ("16003", "ATRANSACTIONSTRING")] {
      let last = try plain.column(
        "SELECT Z_MAX >= (SELECT MAX(Z_PK) FROM \(table)) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
      #expect(last == ["1"], "\(table)")
    }
    #expect(rows.dropFirst(before.count).map(\.transaction) == rows.dropFirst(before.count).map(\.transaction).sorted())
    #expect(try rows.count == Int(plain.column("SELECT MAX(Z_PK) FROM ACHANGE")[0]))
  }
}

extension SQLiteStore {
  /// True if objects of an entity have an owner in a relationship without an inverse.
  fileprivate func hasOwnerColumn(_ entity: String) throws -> Bool {
    try historyColumns(of: entity)?.columns.contains { if case .owner = $0 { true } else { false } } == true
  }
}
