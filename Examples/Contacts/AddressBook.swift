import FoundationEssentials
import ManagedObjects

/// Persons and groups in a store that any number of processes can use at the same time.
struct AddressBook {
  private let container: PersistentContainer

  /// Opens the address book in a file.
  ///
  /// - Parameter createsFile: True to create the file if it does not exist; false to throw an error.
  init(_ kind: BookKind, _ file: URL, createsFile: Bool) throws {
    var store = kind.description(file)
    store.createsFile = createsFile
    container = try PersistentContainer(model: ManagedObjectModel(Person.self, Group.self), stores: [store])
  }

  /// Returns a new context. Unlike the context that ``read(_:)`` passes to its function, it may be kept.
  func newContext() -> sending ManagedObjectContext { container.newContext() }

  /// The changes that other processes save from now on.
  var remoteChanges: AsyncStream<Result<SavedChanges, ManagedObjectError>> { container.coordinator.remoteChanges }

  func read<Result: Sendable>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
    try ContactsError.explaining { try container.performAndWait(body) }
  }

  /// Parses a condition on persons that the user typed.
  func condition(_ text: String) throws -> ManagedPredicate {
    do throws(ManagedPredicateError) {
      return try ManagedPredicate(format: text, for: Person.self, in: container.model)
    } catch {
      throw ContactsError.notACondition(text, error)
    }
  }

  /// Changes the book and saves. If the function throws, nothing is changed.
  func change<Result: Sendable>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
    try ContactsError.explaining { try container.updateAndWait(body) }
  }
}

extension ManagedObjectContext {
  /// Returns the only person with an e-mail address, or whose names begin with the given words: `ada@example.org`,
  /// `Ada`, `ada love`.
  func person(_ text: String) throws -> Person {
    if let person = try fetch(Person.self, where: ManagedPredicate(format: "email ==[c] %@", text)).first {
      return person
    }
    let found = try fetch(Person.self, where: .words(in: text), sortedBy: Person.order)
    guard let person = found.first else { throw ContactsError.noPerson(text) }
    guard found.count == 1 else { throw ContactsError.severalPersons(text, found.map(\.summary)) }
    return person
  }

  /// Returns the group with a name. Case is ignored.
  func group(_ name: String) throws -> Group {
    guard let group = try group(ifPresent: name) else { throw ContactsError.noGroup(name) }
    return group
  }

  /// Returns the group with a name. Inserts it if it does not exist.
  func groupOrNew(_ name: String) throws -> Group {
    if let group = try group(ifPresent: name) { return group }
    let group = try insert(Group.self)
    group.name = name
    return group
  }

  private func group(ifPresent name: String) throws -> Group? {
    try fetch(Group.self, where: ManagedPredicate(format: "name ==[cd] %@", name)).first
  }

  /// Checks that no person has an e-mail address.
  ///
  /// - Throws: ``ContactsError/addressIsTaken(_:by:)`` if a person already has the address.
  func checkIsNew(_ email: String) throws {
    guard let owner = try fetch(Person.self, where: ManagedPredicate(format: "email ==[c] %@", email)).first
    else { return }
    throw ContactsError.addressIsTaken(email, by: owner.fullName)
  }
}

extension ManagedPredicate {
  /// Returns a predicate that is true for a person if each word of the text is the beginning of a word in the name or
  /// the address. Case and diacritics are ignored.
  static func words(in text: String) throws -> ManagedPredicate {
    try .and(
      text.split(separator: " ").map { word in
        try ManagedPredicate(
          format: """
            firstName BEGINSWITH[cd] %@ OR lastName BEGINSWITH[cd] %@ OR email BEGINSWITH[cd] %@
            OR firstName CONTAINS[cd] %@ OR lastName CONTAINS[cd] %@
            """, arguments: Array(repeating: String(word), count: 3) + Array(repeating: " \(word)", count: 2))
      })
  }

  /// Returns a predicate that is true for a person if each word of the text is contained in the name, its Latin form or
  /// the address. Used while the user is typing.
  static func parts(in text: String) throws -> ManagedPredicate {
    try .and(
      text.split(separator: " ").map { part in
        try ManagedPredicate(
          format: """
            firstName CONTAINS[cd] %@ OR lastName CONTAINS[cd] %@ OR sortName CONTAINS[cd] %@ OR email CONTAINS[cd] %@
            """, arguments: Array(repeating: String(part), count: 4))
      })
  }
}
