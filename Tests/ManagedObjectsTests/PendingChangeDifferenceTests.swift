import TestSupport
import Testing

@testable import ManagedObjects

/// Random requests with unsaved changes, compared with an evaluation of all objects in memory.
@Suite("Requests with random pending changes") struct PendingChangeDifferenceTests {
  /// The number of changes before each group of requests.
  enum Extent: String, CaseIterable, CustomTestStringConvertible {
    case none, one, ten, all

    var testDescription: String { rawValue }
  }

  /// The contexts that have the changes.
  enum Levels: CaseIterable {
    case root, child, both
  }

  @Test(arguments: StoreKind.saving, Extent.allCases)
  func `a request equals the evaluation of all objects`(kind: StoreKind, extent: Extent) throws {
    for round in 0..<LongForm.size(all: 300, 20, or: 1) {
      for (index, levels) in Levels.allCases.enumerated() {
        let seed = UInt64(round * 10 + index)
        var graph = PendingGraph(seed: seed)
        let folder = TemporaryFolder(isInMemory: true)
        let coordinator = try kind.coordinator(PendingGraph.model, folder)
        let filled = ManagedObjectContext(coordinator: coordinator)
        try graph.fill(filled, 12)
        try filled.save()
        let root = ManagedObjectContext(coordinator: coordinator)
        let context = levels == .root ? root : ManagedObjectContext(parent: root)
        for changed in levels == .both ? [root, context] : [context] {
          switch extent {
          case .none: break
          case .one: try graph.change(changed, count: 1)
          case .ten: try graph.change(changed, count: 10)
          case .all: try graph.changeAll(changed)
          }
        }
        let misuse = context.misuse.count
        for _ in 0..<LongForm.size(40, or: 9) { try compare(&graph, context, "\(kind) \(extent) \(levels) \(seed)") }
        // A relationship without an inverse can refer to an object that the parent has deleted.
        if levels != .both { #expect(context.misuse.count == misuse) }
        withExtendedLifetime(folder) {}
      }
    }
  }

  private func compare(_ graph: inout PendingGraph, _ context: ManagedObjectContext, _ label: String) throws {
    let some = try context.fetch(FetchRequest("Person")).filter { _ in graph.below(4) == 0 }
    let request = try graph.request(some)
    let comment = Comment(rawValue: "\(label): \(request)")
    let found = try context.fetch(request)
    let ids = try context.fetchObjectIDs(request)
    let count = try context.count(for: request)
    let all = try PendingGraph.naive(request, in: context)
    let wanted = request.window(all)
    try #require(found.count == wanted.count && count == wanted.count, comment)
    try #require(ids == found.map(\.objectID), comment)
    if request.sortDescriptors.isEmpty {
      try #require(Set(found).count == found.count && Set(found).isSubset(of: all), comment)
    } else {
      try #require(found.map(\.objectID) == wanted.map(\.objectID), comment)
    }
  }
}
