import ManagedObjects
import Testing

@Suite("Uniqueness constraints") struct UniquenessPolicyTests {
  static let model: ManagedObjectModel = {
    var account = EntityDescription(
      "Account",
      [
        .attribute("name", .string), .attribute("amount", .integer64, defaultValue: .integer(0)),
        .relationship("owner", to: "Owner", inverse: "accounts"),
      ])
    account.uniquenessConstraints = [["name"]]
    let owner = EntityDescription(
      "Owner",
      [.attribute("name", .string), .relationship("accounts", to: "Account", inverse: "owner", isToMany: true)])
    do { return try ManagedObjectModel(entities: [account, owner]) } catch { fatalError("\(error)") }
  }()

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Names and amounts: what is stored before, what is changed (a name becomes another), and what is new.
    var stored: [(String, Int64)] = []
    var renamed: [(String, String)] = []
    var deleted: [String] = []
    var new: [(String, Int64)] = []
    /// In the end, by policy. Nil for an error.
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
    Row(
      testDescription: "a new object", stored: [("a", 1)], new: [("a", 2)], store: ["a 1"], object: ["a 2"]),
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

  /// The accounts; each owner has the accounts that have it.
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

  @Test("One object keeps the values of a constraint", arguments: rows, MergePolicy.allCases)
  func constraint(row: Row, policy: MergePolicy) throws {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    try coordinator.add(InMemoryStore(model: Self.model))
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
        #expect(error.code == .constraintMerge && error.conflicts.allSatisfy { $0.constraint == ["name"] })
        #expect(!error.conflicts.isEmpty)
      }
      #expect(try state(coordinator) == before)
      #expect(context.hasChanges)
      return
    }
    try context.save()
    #expect(try state(coordinator) == expected)
    #expect(!context.hasChanges)
  }
}
