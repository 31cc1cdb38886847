import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Visiting results in batches") struct EnumerationTests {
  /// Returns a store of numbered cards.
  private func store(_ count: Int = 100) throws -> WatchedStore {
    let store = try WatchedStore(model: NaiveGraph.model)
    let context = try ManagedObjectContext(store)
    for number in 0..<count { try insert(number, in: context) }
    try context.save()
    return store
  }

  private func insert(_ number: Int, in context: ManagedObjectContext) throws {
    try context.insert("Card").setValue(.integer(Int64(number)), forKey: "number")
  }

  private func number(_ object: ManagedObject) -> Int {
    if case .attribute(.integer(let number))? = object["number"] { Int(number) } else { -1 }
  }

  private let request = FetchRequest("Card", sortedBy: [.init("number")])

  @Test(arguments: [1, 2]) func `objects of earlier batches are released`(levels: Int) throws {
    let store = try store()
    let root = try ManagedObjectContext(store)
    let context = levels == 1 ? root : ManagedObjectContext(parent: root)
    var numbers: [Int] = []
    var greatest = 0
    try context.enumerate(request, batchSize: 10) { card in
      numbers.append(number(card))
      greatest = max(greatest, context.registered.count, root.registered.count)
    }
    #expect(numbers == Array(0..<100))
    #expect(greatest <= 20)
    #expect(context.registered.count == 0 && root.registered.count == 0)
    #expect(store.fetches == 1 && store.rowReads == 10 && store.rowsRead == 100)
  }

  @Test func `condition, order, offset and limit apply`() throws {
    let context = try ManagedObjectContext(store())
    var request = FetchRequest(
      "Card", where: try ManagedPredicate(format: "number < 50"), sortedBy: [.init("number", isAscending: false)])
    (request.fetchOffset, request.fetchLimit) = (5, 7)
    for size in [1, 3, 7, 100] {
      var numbers: [Int] = []
      try context.enumerate(request, batchSize: size) { numbers.append(number($0)) }
      #expect(numbers == [44, 43, 42, 41, 40, 39, 38])
    }
  }

  @Test(arguments: [1, 2]) func `unsaved changes are included`(levels: Int) throws {
    let root = try ManagedObjectContext(store(20))
    let context = levels == 1 ? root : ManagedObjectContext(parent: root)
    let cards = try context.fetch(request)
    try cards[3].setValue(.integer(30), forKey: "number")
    try context.delete(cards[7])
    try insert(-5, in: context)
    var numbers: [Int] = []
    try context.enumerate(request, batchSize: 4) { numbers.append(number($0)) }
    #expect(numbers == [-5] + (0..<20).filter { ![3, 7].contains($0) } + [30])
  }

  @Test func `the function can save, delete and reset`() throws {
    let store = try store(30)
    let context = try ManagedObjectContext(store)
    try insert(30, in: context)
    var numbers: [Int] = []
    try context.enumerate(request, batchSize: 10) { card in
      let number = number(card)
      numbers.append(number)
      switch number {
      case 3: try context.save()
      case 4:
        // Objects of this batch and of a later one.
        for other in try context.fetch(request) where [5, 25].contains(self.number(other)) { try context.delete(other) }
        try context.save()
      case 11: context.reset()
      case 12:
        let other = try ManagedObjectContext(store)
        for card in try other.fetch(request) where [13, 28].contains(self.number(card)) { try other.delete(card) }
        try other.save()
      default: break
      }
    }
    // The row of 13 was already read, and that of 28 was not.
    #expect(numbers.filter { $0 != 13 } == (0...30).filter { ![5, 13, 25, 28].contains($0) })
    #expect(context.misuse.isEmpty)
  }

  @Test(arguments: [true, false]) func `deleted objects are left out`(includesValues: Bool) throws {
    let context = try ManagedObjectContext(store(20))
    var request = request
    request.includesPropertyValues = includesValues
    var numbers: [Int] = []
    try context.enumerate(request, batchSize: 10) { card in
      numbers.append(number(card))
      for other in try context.fetch(FetchRequest("Card")) where other != card { try context.delete(other) }
      try context.save()
    }
    #expect(numbers == [0])
  }

  @Test func `objects that a batch request deleted are left out after its changes were merged`() throws {
    let context = try ManagedObjectContext(store(20))
    var request = request
    request.includesPropertyValues = false
    var numbers: [Int] = []
    try context.enumerate(request, batchSize: 5) { card in
      numbers.append(number(card))
      guard numbers.count == 1 else { return }
      let deletion = BatchRequest.delete("Card", where: try ManagedPredicate(format: "number > 2 AND number < 18"))
      try context.execute(deletion, mergesChanges: true)
    }
    #expect(numbers == [0, 1, 2, 18, 19])
  }

  @Test func `without values, rows are not read unless the function deletes objects`() throws {
    let store = try store(20)
    let context = try ManagedObjectContext(store)
    var request = request
    request.includesPropertyValues = false
    var count = 0
    try context.enumerate(request, batchSize: 5) { card in count += card.isFault ? 1 : 0 }
    #expect(count == 20 && store.rowReads == 0)
    count = 0
    try context.enumerate(request, batchSize: 5) { card in
      count += 1
      guard count == 1 else { return }
      try context.delete(card)
      try context.save()
    }
    // The deletion reads one row. Then each batch is read at once.
    #expect(count == 20 && store.rowReads == 4)
  }

  @Test func `an error of the function ends the visit`() throws {
    struct Stop: Error {}
    let store = try store()
    let context = try ManagedObjectContext(store)
    var count = 0
    #expect(throws: Stop.self) {
      try context.enumerate(request, batchSize: 10) { _ in
        count += 1
        if count == 15 { throw Stop() }
      }
    }
    #expect(count == 15 && store.rowsRead == 20)
  }

  @Test(arguments: [0, -1]) func `a batch has at least one object`(size: Int) throws {
    let context = try ManagedObjectContext(store(1))
    #expect(errorCode { try context.enumerate(request, batchSize: size) { _ in } } == .unsupportedRequest)
    #expect(errorCode { try context.enumerate(FetchRequest("Nothing")) { _ in } } == .undefinedKey)
  }

  @Test func `related objects are read for each batch`() throws {
    let store = try WatchedStore(model: NaiveGraph.model)
    let filled = try ManagedObjectContext(store)
    for number in 0..<20 {
      let person = try filled.insert("Person")
      try insert(number, in: filled)
      for card in filled.insertedObjects where card.entity.name == "Card" && self.number(card) == number {
        try card.setValue(.object(person), forKey: "owner")
      }
    }
    try filled.save()
    let context = try ManagedObjectContext(store)
    var request = request
    request.relationshipKeyPathsForPrefetching = ["owner"]
    var count = 0
    try context.enumerate(request, batchSize: 5) { card in
      guard case .object(let owner)? = card["owner"], owner["age"] == .attribute(.integer(0)) else { return }
      count += 1
    }
    // For each batch, the cards and their owners.
    #expect(count == 20 && store.rowReads == 8)
  }

  @Test func `object IDs are fetched without objects`() throws {
    let store = try store(5)
    let context = try ManagedObjectContext(store)
    let ids = try context.fetchObjectIDs(request)
    #expect(context.registered.count == 0)
    #expect(try context.fetch(request).map(\.objectID) == ids)
    #expect(ids.allSatisfy { $0.storeIdentifier == store.identifier })
  }

  final class Entry: ManagedObject {
    @Attribute var number = 0
  }

  @Test func `objects of a class are visited`() throws {
    let model = try ManagedObjectModel(Entry.self)
    let context = try ManagedObjectContext(InMemoryStore(model: model))
    for number in 0..<30 { try context.insert(Entry.self).number = number }
    try context.save()
    var numbers: [Int] = []
    try context.enumerate(
      Entry.self, where: #Predicate { $0.number > 25 }, sortedBy: .descending(\.number),
      batchSize: 2
    ) { numbers.append($0.number) }
    #expect(numbers == [29, 28, 27, 26])
    numbers = []
    try context.enumerate(Entry.self, where: ManagedPredicate(format: "number < 3")) {
      numbers.append($0.number)
    }
    #expect(numbers == [0, 1, 2])
    #expect(errorCode { try context.enumerate(ClassSamples.Book.self) { _ in } } == .undefinedKey)
  }
}
