import ManagedObjects
import TestSupport
import Testing

@Suite("Uniqueness constraints") struct UniquenessPolicyTests {
  static let model: ManagedObjectModel = {
    var account = EntityDescription(
      "Account",
      [
        .attribute("name", .string), .attribute("amount", .integer64, defaultValue: .integer(0)),
        .attribute("note", .string), .relationship("owner", to: "Owner", inverse: "accounts"),
      ])
    account.uniquenessConstraints = [["name"]]
    let owner = EntityDescription(
      "Owner",
      [
        .attribute("name", .string), .relationship("accounts", to: "Account", inverse: "owner", isToMany: true),
        .relationship("recent", to: "Account", isToMany: true, isOrdered: true),
      ])
    do { return try ManagedObjectModel(entities: [account, owner]) } catch { fatalError("\(error)") }
  }()

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The names and amounts of stored accounts. Then the renamed, the deleted and the new accounts.
    var stored: [(String, Int64)] = []
    var renamed: [(String, String)] = []
    var deleted: [String] = []
    var new: [(String, Int64)] = []
    /// The stored accounts after the save, by policy. Nil if the save throws.
    let store: [String]?
    let object: [String]?
    var error: [String]?

    func expected(_ policy: MergePolicy) -> [String]? {
      switch policy {
      case .error: error
      case .storeTrump, .rollback: store
      case .objectTrump, .overwrite: object
      }
    }
  }

  static let rows = [
    Row(testDescription: "a new object", stored: [("a", 1)], new: [("a", 2)], store: ["a 1"], object: ["a 2"]),
    Row(
      testDescription: "one of several new objects", stored: [("a", 1)], new: [("a", 2), ("b", 3)],
      store: ["a 1", "b 3"], object: ["a 2", "b 3"]),
    Row(
      testDescription: "a changed object", stored: [("a", 1), ("b", 2)], renamed: [("b", "a")],
      store: ["a 1", "b 2"], object: ["a 2"]),
    Row(testDescription: "two new objects", new: [("a", 1), ("a", 2)], store: ["a 1"], object: ["a 2"]),
    Row(
      testDescription: "three new objects, and a stored one", stored: [("a", 0)], new: [("a", 1), ("a", 2), ("a", 3)],
      store: ["a 0"], object: ["a 3"]),
    Row(
      testDescription: "a value that a deleted object had", stored: [("a", 1)], deleted: ["a"], new: [("a", 2)],
      store: ["a 2"], object: ["a 2"], error: ["a 2"]),
    Row(
      testDescription: "a value that a changed object had", stored: [("a", 1)], renamed: [("a", "b")], new: [("a", 2)],
      store: ["a 2", "b 1"], object: ["a 2", "b 1"], error: ["a 2", "b 1"]),
    Row(
      testDescription: "values that two objects exchange", stored: [("a", 1), ("b", 2)],
      renamed: [("a", "b"), ("b", "a")], store: ["a 2", "b 1"], object: ["a 2", "b 1"], error: ["a 2", "b 1"]),
    Row(
      testDescription: "no value", stored: [("", 1)], new: [("", 2)], store: [" 1", " 2"], object: [" 1", " 2"],
      error: [" 1", " 2"]),
  ]

  private func value(_ name: String) -> AttributeValue { name.isEmpty ? .null : .string(name) }

  private func insert(_ account: (String, Int64), _ context: ManagedObjectContext) throws {
    let object = try context.insert("Account")
    try object.setValues(["name": value(account.0), "amount": .integer(account.1)])
    let owner = try context.insert("Owner")
    try owner.setValue(.string("owner of \(account.1)"), forKey: "name")
    try object.setValue(.object(owner), forKey: "owner")
  }

  /// Returns the accounts. Checks that the owners have the accounts that refer to them.
  private func state(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
    let context = ManagedObjectContext(coordinator: coordinator)
    var found: [String] = []
    for account in try context.fetch(FetchRequest("Account")) {
      guard case .attribute(let name)? = account["name"], case .attribute(.integer(let amount))? = account["amount"]
      else { continue }
      if case .string(let name) = name { found.append("\(name) \(amount)") } else { found.append(" \(amount)") }
      let owner = try #require(account["owner"])
      guard case .object(let owner) = owner else { continue }
      #expect(owner["name"] == .attribute(.string("owner of \(amount)")))
      #expect(owner["accounts"] == .set([.object(account)]))
    }
    for owner in try context.fetch(FetchRequest("Owner")) {
      guard case .set(let accounts)? = owner["accounts"] else { continue }
      for case .object(let account) in accounts {
        #expect(!account.isInaccessible && account["owner"] == .object(owner))
      }
    }
    return found.sorted()
  }

  @Test(arguments: rows, MergePolicy.allCases)
  func `only one object keeps the values of a constraint`(row: Row, policy: MergePolicy) throws {
    // The short form has one policy of each row in a file.
    let index = try #require(Self.rows.firstIndex { $0.testDescription == row.testDescription })
    let isInFile = LongForm.isWanted || policy.rawValue == index % MergePolicy.allCases.count
    for kind in isInFile ? StoreKind.saving : [.memory] { try constraint(row, policy, kind) }
  }

  private func constraint(_ row: Row, _ policy: MergePolicy, _ kind: StoreKind) throws {
    let comment = Comment(rawValue: "\(kind)")
    let folder = TemporaryFolder(isInMemory: true)
    let coordinator = try kind.coordinator(Self.model, folder)
    let first = ManagedObjectContext(coordinator: coordinator)
    for account in row.stored { try insert(account, first) }
    try first.save()
    let before = try state(coordinator)
    let context = ManagedObjectContext(coordinator: coordinator)
    context.mergePolicy = policy
    let accounts = try context.fetch(FetchRequest("Account"))
    func account(_ name: String) throws -> ManagedObject {
      try #require(accounts.first { $0.committedValues()["name"] == .attribute(value(name)) })
    }
    for name in row.deleted { try context.delete(account(name)) }
    for (old, new) in row.renamed { try account(old).setValue(value(new), forKey: "name") }
    for account in row.new { try insert(account, context) }
    guard let expected = row.expected(policy) else {
      do throws(ManagedObjectError) {
        try context.save()
        Issue.record("it was saved")
      } catch {
        #expect(error.code == .constraintMerge && error.conflicts.allSatisfy { $0.constraint == ["name"] }, comment)
        #expect(!error.conflicts.isEmpty)
      }
      #expect(try state(coordinator) == before, comment)
      #expect(context.hasChanges)
      return
    }
    try context.save()
    #expect(try state(coordinator) == expected, comment)
    #expect(!context.hasChanges)
  }

  /// Returns the ID of a stored account "a" with amount 1, a note and an owner, and another context with a merge
  /// policy.
  private func stored(
    _ policy: MergePolicy, _ kind: StoreKind, _ folder: TemporaryFolder
  ) throws -> (ManagedObjectContext, ManagedObjectID) {
    let coordinator = try kind.coordinator(Self.model, folder)
    let first = ManagedObjectContext(coordinator: coordinator)
    try insert(("a", 1), first)
    let account = try #require(try first.fetch(FetchRequest("Account")).first)
    try account.setValue(.string("kept"), forKey: "note")
    try first.save()
    let context = ManagedObjectContext(coordinator: coordinator)
    context.mergePolicy = policy
    return (context, account.objectID)
  }

  @Test(arguments: [true, false], StoreKind.saving)
  func `a new object takes the ID and the other values of the stored one`(isKnown: Bool, kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (context, id) = try stored(.objectTrump, kind, folder)
    let known = isKnown ? try context.existingObject(with: id) : nil
    let new = try context.insert("Account")
    try new.setValues(["name": .string("a"), "amount": .integer(2)])
    let oldName = new.objectID
    try context.save()
    #expect(new.isInaccessible == isKnown && (new.managedObjectContext == nil) == isKnown)
    let account = known ?? new
    #expect(account.objectID == id)
    #expect(try context.object(with: oldName) === account)
    #expect(account["amount"] == .attribute(.integer(2)) && account["note"] == .attribute(.string("kept")))
    let owner = try #require(try context.fetch(FetchRequest("Owner")).first)
    #expect(account["owner"] == .object(owner) && owner["accounts"] == .set([.object(account)]))
    #expect(try context.fetch(FetchRequest("Account")) == [account])
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreKind.saving) func `overwrite keeps no stored values`(kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (context, id) = try stored(.overwrite, kind, folder)
    let new = try context.insert("Account")
    try new.setValues(["name": .string("a"), "amount": .integer(2)])
    try context.save()
    #expect(new.objectID == id)
    #expect(new["note"] == .attribute(.null) && new["owner"] == .null)
    let owner = try #require(try context.fetch(FetchRequest("Owner")).first)
    #expect(owner["accounts"] == .set([]))
  }

  @Test(arguments: [true, false], StoreKind.saving)
  func `references to the new object become references to the stored one`(isKnown: Bool, kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (context, id) = try stored(.objectTrump, kind, folder)
    let known = isKnown ? try context.existingObject(with: id) : nil
    let owner = try context.insert("Owner")
    let other = try context.insert("Account")
    let new = try context.insert("Account")
    try new.setValue(.attribute(.string("a")), forKey: "name")
    try owner.setValue(.set([.object(new), .object(other)]), forKey: "accounts")
    try owner.setValue(.array([.object(other), .object(new)]), forKey: "recent")
    let child = ManagedObjectContext(parent: context)
    let copy = try child.object(with: owner.objectID)
    #expect(
      copy["recent"]
        == .array([.object(try child.object(with: other.objectID)), .object(try child.object(with: new.objectID))]))
    try context.save()
    let account = known ?? new
    #expect(account.objectID == id)
    #expect(owner["recent"] == .array([.object(other), .object(account)]))
    #expect(owner["accounts"] == .set([.object(account), .object(other)]) && account["owner"] == .object(owner))
    #expect(
      copy["recent"] == .array([.object(try child.object(with: other.objectID)), .object(try child.object(with: id))]))
    let reader = ManagedObjectContext(coordinator: context.coordinator)
    let found = try reader.existingObject(with: owner.objectID)
    #expect(
      found["recent"]
        == .array([.object(try reader.object(with: other.objectID)), .object(try reader.object(with: id))]))
    let former = try reader.fetch(FetchRequest("Owner")).first { $0 !== found }
    #expect(try #require(former)["accounts"] == .set([]))
  }
}
