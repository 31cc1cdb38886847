import Foundation
import ManagedObjects
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("The lifetime of batches and of objects that were read ahead") struct BatchLifetimeTests {
  final class Node: ManagedObject {
    @Attribute var name = 0
    @Attribute var scan: Data?
    @Relationship var previous: Node?
    @Relationship(inverse: \Node.previous) var next: Node?
    @Relationship var followed: Set<Node>
    @Relationship(inverse: \Node.followed) var followers: Set<Node>
  }

  final class Branch: ManagedObject {
    @Attribute var name = 0
    @Relationship var parent: Branch?
    @Relationship(inverse: \Branch.parent) var branches: Set<Branch>

    static let count = Atomic(0)

    required init(_ creation: Creation) {
      super.init(creation)
      Self.count.add(1, ordering: .relaxed)
    }
  }

  private let folder = TemporaryFolder(isInMemory: true)
  private let store: SQLiteStore
  private let context: ManagedObjectContext

  init() throws {
    let model = try ManagedObjectModel(Node.self, Branch.self)
    store = try SQLiteStore(folder.url.appending(path: "store.sqlite"), model: model)
    context = try ManagedObjectContext(store)
  }

  /// Saves nodes with the names 0, 1, …
  private func make(_ count: Int, _ body: ([Node]) -> Void) throws {
    let writer = ManagedObjectContext(coordinator: context.coordinator)
    let nodes = try (0..<count).map { number in
      let node = try writer.insert(Node.self)
      node.name = number
      return node
    }
    body(nodes)
    try writer.save()
  }

  private func nodes(_ format: String, isRead: Bool = true) throws -> [Node] {
    var request = FetchRequest("Node", where: try ManagedPredicate(format: format), sortedBy: [.init("name")])
    request.includesPropertyValues = isRead
    return try context.fetch(request).compactMap { $0 as? Node }
  }

  @Test func `a long chain is walked to its end and released`() throws {
    let count = LongForm.size(60_000, or: 2_000)
    // Two chains: the even nodes and the odd ones.
    try make(count) { nodes in for index in 2..<count { nodes[index].previous = nodes[index - 2] } }
    var heads = try nodes("name < 2")
    for head in heads {
      var node: Node? = head
      var length = 0
      while let current = node {
        #expect(current.name == 2 * length + head.name)
        length += 1
        node = current.next
      }
      #expect(length == count / 2)
    }
    // With nested releases, the batches of the chain would need more stack than the thread has.
    let isReleased = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var last = heads
    heads = []
    let thread = Thread {
      last.removeAll()
      isReleased.signal()
    }
    thread.stackSize = 1 << 17
    thread.start()
    isReleased.wait()
    #expect(context.registeredObjects.isEmpty)
  }

  @Test func `nothing is read ahead for objects that were released`() throws {
    try make(200) { nodes in for index in 100..<200 { nodes[index].previous = nodes[index - 100] } }
    var first = try nodes("name < 100")
    // A fault of the batch to which the first nodes lead.
    var node = try #require(first[0].next)
    first = []
    #expect(node.name == 100)
    #expect(context.registeredObjects == [node])
    node = try #require(try nodes("name == 0").first)
    #expect(context.registeredObjects == [node])
  }

  @Test func `objects that lead to each other are released`() throws {
    try make(20) { nodes in
      for node in nodes { node.followed = Set(nodes) }
    }
    var some = try nodes("name < 10")
    var followed = some[0].followed
    // Is read together with the objects to which it leads.
    try context.refresh(some[1], mergeChanges: false)
    #expect(followed.map(\.name).sorted() == Array(0..<20))
    some = []
    followed = []
    #expect(context.registeredObjects.isEmpty)
  }

  @Test func `the deallocator of data that was read ahead can use the context`() throws {
    try make(200) { nodes in for index in 100..<200 { nodes[index].previous = nodes[index - 100] } }
    let calls = Atomic(0)
    var first = try nodes("name < 100")
    #expect(first[0].next?.name == 100)
    // The object is now referenced only because it was read ahead.
    try #require(first[49].next).scan = data { [context, first] in
      calls.add(1, ordering: .relaxed)
      let others = try context.fetch(FetchRequest("Node", sortedBy: [.init("name")])).compactMap { $0 as? Node }
      #expect(others.count == 200 && first[0].next?.name == 100)
    }
    try context.save()
    // Replaces the batch.
    first = try nodes("name < 100")
    #expect(first[49].next?.name == 149)
    #expect(calls.load(ordering: .relaxed) == 1)
  }

  @Test func `a tree that is walked in depth creates each object a few times at most`() throws {
    let writer = ManagedObjectContext(coordinator: context.coordinator)
    let depth = 9
    func grow(_ branch: Branch, _ level: Int) throws -> Int {
      if level == depth { return 1 }
      var count = 1
      for number in 0..<2 {
        let other = try writer.insert(Branch.self)
        other.name = number
        other.parent = branch
        count += try grow(other, level + 1)
      }
      return count
    }
    var count = 0
    for _ in 0..<2 { count += try grow(writer.insert(Branch.self), 0) }
    try writer.save()
    writer.reset()
    let before = Branch.count.load(ordering: .relaxed)
    let roots = try context.fetch(FetchRequest("Branch", where: ManagedPredicate(format: "parent == nil")))
    func walk(_ branch: Branch) -> Int { branch.branches.sorted { $0.name < $1.name }.reduce(1) { $0 + walk($1) } }
    #expect(roots.compactMap { $0 as? Branch }.reduce(0) { $0 + walk($1) } == count)
    let created = Branch.count.load(ordering: .relaxed) - before
    #expect(created < 4 * count)
  }

  /// Returns data that calls a function when it is released.
  private func data(onRelease: @escaping () throws -> Void) -> Data {
    // Smaller data is copied.
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1000, alignment: 1)
    bytes.initializeMemory(as: UInt8.self, repeating: 7, count: 1000)
    return Data(
      bytesNoCopy: bytes, count: 1000,
      deallocator: .custom { bytes, _ in
        do { try onRelease() } catch { Issue.record(error) }
        bytes.deallocate()
      })
  }
}
