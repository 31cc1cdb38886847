import FoundationEssentials
import ManagedObjects

/// Persons and groups in a store that any number of processes use at the same time.
struct AddressBook {
  private let container: PersistentContainer

  /// - Parameter createsFile: false if a file that is not there is an error.
  init(_ kind: BookKind, _ file: URL, createsFile: Bool) throws {
    var store = kind.description(file)
    store.createsFile = createsFile
    container = try PersistentContainer(model: ManagedObjectModel(Person.self, Group.self), stores: [store])
  }

  /// A context for as long as its owner wants.
  func newContext() -> sending ManagedObjectContext { container.newContext() }

  /// What others save from now on.
  var remoteChanges: AsyncStream<Result<SavedChanges, ManagedObjectError>> { container.coordinator.remoteChanges }

  func read<Result: Sendable>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
    try ContactsError.explaining { try container.performAndWait(body) }
  }

  /// A condition on persons that somebody typed.
  func condition(_ text: String) throws -> ManagedPredicate {
    do throws(ManagedPredicateError) {
      return try ManagedPredicate(format: text, for: Person.self, in: container.model)
    } catch {
      throw ContactsError.notACondition(text, error)
    }
  }

  /// Changes the book: all that the function does, or nothing if it fails.
  func change<Result: Sendable>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
    try ContactsError.explaining { try container.updateAndWait(body) }
  }
}

extension ManagedObjectContext {
  /// The one person with an address, or whose name has words that begin so: `ada@example.org`, `Ada`, `ada love`.
  func person(_ text: String) throws -> Person {
    if let person = try fetch(Person.self, where: ManagedPredicate(format: "email ==[c] %@", text)).first {
      return person
    }
    let found = try fetch(Person.self, where: .words(in: text), sortedBy: Person.order)
    guard let person = found.first else { throw ContactsError.noPerson(text) }
    guard found.count == 1 else { throw ContactsError.severalPersons(text, found.map(\.summary)) }
    return person
  }

  /// The group of a name, whatever its case.
  func group(_ name: String) throws -> Group {
    guard let group = try group(ifPresent: name) else { throw ContactsError.noGroup(name) }
    return group
  }

  /// The group of a name, which is made if it is not there yet.
  func groupOrNew(_ name: String) throws -> Group {
    if let group = try group(ifPresent: name) { return group }
    let group = try insert(Group.self)
    group.name = name
    return group
  }

  private func group(ifPresent name: String) throws -> Group? {
    try fetch(Group.self, where: ManagedPredicate(format: "name ==[cd] %@", name)).first
  }

  /// - Throws: if a person has the address already.
  func checkIsNew(_ email: String) throws {
    guard let owner = try fetch(Person.self, where: ManagedPredicate(format: "email ==[c] %@", email)).first
    else { return }
    throw ContactsError.addressIsTaken(email, by: owner.fullName)
  }
}

extension ManagedPredicate {
  /// True if for each word of a text, a word of the name or the address begins with it. Case and marks do not count.
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

  /// True if each word of a text is a part of the name, of its Latin form or of the address. For texts that are being
  /// typed.
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
