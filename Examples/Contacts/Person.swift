import FoundationEssentials
import ManagedObjects

/// Somebody in the book.
final class Person: ManagedObject {
  @Attribute(.maximumLength(80)) var firstName = ""
  @Attribute(.predicate("length > 0", warning: "is missing"), .maximumLength(80), .indexed) var lastName: String
  @Attribute(.unique, .predicate("SELF MATCHES '[^@ ]+@[^@ ]+[.][^@ .]+'", warning: "is not like ada@example.org"))
  var email: String?
  @Attribute var birthday: Date?
  @Attribute(.maximumLength(2000)) var notes: String?
  @Attribute(.externalStorage) var picture: Data?
  @Relationship(inverse: \Group.members) var groups: Set<Group>

  var fullName: String { [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ") }

  /// The name, and the address if it has one.
  var summary: String { fullName + (email.map { " <\($0)>" } ?? "") }

  /// A rule that depends on the time cannot be one of the model.
  override func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {
    if key == "birthday", case .date(let date) = value, date > .now {
      throw ManagedObjectError(.dateTooLate, "is in the future", objectID: objectID, key: key)
    }
  }

  /// By last name, then by first name, as people sort.
  static let order = [
    FetchRequest.SortDescriptor("lastName", comparison: .localizedStandard),
    FetchRequest.SortDescriptor("firstName", comparison: .localizedStandard),
  ]
}

/// A name that any number of persons have in common.
final class Group: ManagedObject {
  @Attribute(.unique, .predicate("length > 0", warning: "is missing"), .maximumLength(80)) var name: String
  @Relationship var members: Set<Person>

  static let order = [FetchRequest.SortDescriptor("name", comparison: .localizedStandard)]
}
