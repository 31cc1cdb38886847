import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// An account of a program in which several contexts and processes work at the same time.
private final class Account: ManagedObject {
  @Attribute(.unique) var owner: String
  @Attribute var balance = 0
  @Attribute var note: String?
  @Relationship(deleteRule: .cascade) var bookings: Set<Booking>
}

private final class Booking: ManagedObject {
  @Attribute var amount: Int
  @Relationship(inverse: \Account.bookings) var account: Account?
}

@Suite("A program with several contexts") struct ContextsProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func container(_ kind: ProgramStore, _ name: String = "accounts") throws -> PersistentContainer {
    let container = try PersistentContainer(
      model: ManagedObjectModel(Account.self, Booking.self),
      stores: [kind.description(folder.url.appending(path: name))])
    try container.updateAndWait { context in
      for (owner, amounts) in [("Ada", [10, 20]), ("Emmy", [5])] {
        let account = try context.insert(Account.self)
        (account.owner, account.balance) = (owner, amounts.reduce(0, +))
        for amount in amounts {
          let booking = try context.insert(Booking.self)
          (booking.amount, booking.account) = (amount, account)
        }
      }
    }
    return container
  }

  private func account(_ owner: String, _ context: ManagedObjectContext) throws -> Account {
    try #require(try context.fetch(Account.self, where: #Predicate { $0.owner == owner }).first)
  }

  @Test(arguments: ProgramStore.allCases)
  func `a context has one object for each row, which is a fault until it is read`(_ kind: ProgramStore) throws {
    let context = try container(kind).newContext()
    let ada = try account("Ada", context)
    #expect(try account("Ada", context) === ada)
    let booking = try #require(ada.bookings.first)
    #expect(booking.account === ada)
    #expect(try context.object(with: booking.objectID) === booking)
    try context.refresh(ada, mergeChanges: false)
    #expect(ada.isFault)
    #expect(ada.balance == 30 && !ada.isFault)
    let id = try #require(context.coordinator.objectID(forURI: ada.objectID.uriRepresentation))
    #expect(try context.existingObject(Account.self, with: id) === ada)
  }

  @Test(arguments: ProgramStore.allCases)
  func `refreshing keeps unsaved changes only if asked`(_ kind: ProgramStore) throws {
    let container = try container(kind)
    let context = container.newContext()
    let ada = try account("Ada", context)
    try container.updateAndWait { try account("Ada", $0).note = "elsewhere" }
    #expect(ada.note == nil)
    ada.balance = 99
    try context.refresh(ada, mergeChanges: true)
    #expect(ada.balance == 99 && ada.note == "elsewhere")
    try context.refresh(ada, mergeChanges: false)
    #expect(ada.balance == 30 && !context.hasChanges)
  }

  @Test(arguments: ProgramStore.allCases)
  func `a draft is saved into its parent, and then into the store`(_ kind: ProgramStore) throws {
    let container = try container(kind)
    let context = container.newContext()
    let ada = try account("Ada", context)
    let draft = ManagedObjectContext(parent: context)
    let copy = try draft.existingObject(Account.self, with: ada.objectID)
    let booking = try draft.insert(Booking.self)
    (booking.amount, booking.account) = (70, copy)
    copy.balance += booking.amount
    #expect(ada.balance == 30)
    try draft.save()
    #expect(ada.balance == 100 && ada.bookings.count == 3 && context.hasChanges)
    #expect(try container.performAndWait { try account("Ada", $0).balance } == 30)
    try context.save()
    #expect(try container.performAndWait { try account("Ada", $0).balance } == 100)

    let discarded = ManagedObjectContext(parent: context)
    try discarded.existingObject(Account.self, with: ada.objectID).balance = 0
    discarded.rollback()
    #expect(ada.balance == 100)
  }

  /// The policies, and the balance and the note after a conflict; nil if the save fails.
  private static let policies: [(MergePolicy, (Int, String?)?)] = [
    (.error, nil), (.storeTrump, (31, "here")), (.objectTrump, (32, "here")), (.overwrite, (32, "here")),
    (.rollback, (31, nil)),
  ]

  @Test(arguments: ProgramStore.allCases)
  func `the merge policy decides a conflict`(_ kind: ProgramStore) throws {
    for (policy, expected) in Self.policies {
      let container = try container(kind, "\(policy)")
      let context = container.newContext()
      context.mergePolicy = policy
      let ada = try account("Ada", context)
      #expect(ada.balance == 30)
      try container.updateAndWait { try account("Ada", $0).balance = 31 }
      (ada.balance, ada.note) = (32, "here")
      if let expected {
        try context.save()
        #expect(ada.balance == expected.0 && ada.note == expected.1, "\(policy)")
      } else {
        let error = #expect(throws: ManagedObjectError.self) { try context.save() }
        #expect(error?.code == .merge && error?.conflicts.count == 1)
      }
    }
  }

  @Test(arguments: ProgramStore.allCases)
  func `a merge function adds what both contexts have booked`(_ kind: ProgramStore) throws {
    let container = try container(kind)
    let context = container.newContext()
    context.mergePolicy = .objectTrump
    context.mergeFunction = { conflict in
      guard case .integer(let mine)? = conflict.object?["balance"],
        case .integer(let old)? = conflict.snapshot?["balance"],
        case .integer(let stored)? = conflict.stored?["balance"]
      else { return }
      conflict.merged["balance"] = .integer(stored + mine - old)
    }
    let ada = try account("Ada", context)
    ada.balance += 5
    try container.updateAndWait { try account("Ada", $0).balance += 100 }
    try context.save()
    #expect(ada.balance == 135)
  }

  @Test(arguments: ProgramStore.allCases)
  func `batch requests update, delete and insert without objects`(_ kind: ProgramStore) throws {
    let context = try container(kind).newContext()
    let ada = try account("Ada", context)
    let bonus = try context.execute(
      .update(
        Account.self, .set(\.balance, to: try ManagedExpression(format: "balance * 2")),
        where: #Predicate { $0.balance > 10 }),
      mergesChanges: true)
    #expect(bonus.count == 1 && ada.balance == 60)
    let deletion = try context.execute(.delete(Account.self, where: #Predicate { $0.owner == "Emmy" }))
    #expect(deletion.count == 1 && deletion.changes.deleted.count == 1)
    // A batch request removes the references to what it deletes, and does not cascade.
    #expect(try context.count(Booking.self, where: #Predicate { $0.account == nil }) == 1)
    var owners = ["Kurt", "Sofia"].makeIterator()
    let insertion = BatchRequest.insert("Account") { owners.next().map { ["owner": .string($0)] } }
    #expect(try context.execute(insertion.returning(.count)).count == 2)
    #expect(try context.fetch(Account.self).map(\.owner).sorted() == ["Ada", "Kurt", "Sofia"])
  }

  @Test func `the history says what changed since a program last looked`() throws {
    let store = PersistentStoreDescription.sqlite(folder.url.appending(path: "history.sqlite"), tracksHistory: true)
    let model = try ManagedObjectModel(Account.self, Booking.self)
    let container = try PersistentContainer(model: model, stores: [store])
    try container.updateAndWait { context in
      context.transactionAuthor = "app"
      try context.insert(Account.self).owner = "Ada"
    }
    let history = try #require(container.coordinator.stores.first as? SQLiteStore)
    let token = try #require(history.history().last?.number)

    // Another process changes the account.
    let widget = try PersistentContainer(model: model, stores: [store])
    try widget.updateAndWait { context in
      context.transactionAuthor = "widget"
      try account("Ada", context).balance = 7
    }
    let context = container.newContext()
    let ada = try account("Ada", context)
    let news = try history.history(after: token).filter { $0.author == "widget" }
    let change = try #require(news.first?.changes.first)
    #expect(news.count == 1 && change.kind == .update && change.updatedProperties == ["balance"])
    #expect(change.objectID == ada.objectID)
    try context.mergeChanges(from: SavedChanges(news))
    #expect(ada.balance == 7)
    try history.deleteHistory(through: try #require(news.last?.number))
    #expect(try history.history(after: try #require(news.last?.number)).isEmpty)
  }

  @MainActor @Test func `the context of the window follows what background contexts save`() async throws {
    let container = try container(.sqlite)
    let context = container.mainContext
    context.mergesChangesAutomatically = true
    let ada = try account("Ada", context)
    var saves = 0
    let number = context.addEventObserver { event in if case .didMerge = event { saves += 1 } }
    defer { context.removeObserver(number) }
    let background = container.newBackgroundContext()
    try await background.perform { context in
      for account in try context.fetch(Account.self) { account.balance += 1 }
      try context.save()
    }
    context.processPendingChanges()
    #expect(ada.balance == 31 && saves == 1)
  }
}
