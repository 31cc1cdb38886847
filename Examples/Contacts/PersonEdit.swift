import FoundationEssentials
import ManagedObjects

/// What is to change of a person; nil for what stays. An empty text removes what it is for.
struct PersonEdit {
  var firstName: String?
  var lastName: String?
  var email: String?
  var birthday: Day??
  var notes: String?
  /// The names of all groups that the person is in from now on. Those that are not there yet are made.
  var groups: [String]?
  var picture: Data??

  func apply(to person: Person, in context: ManagedObjectContext) throws {
    if let email, email.lowercased() != person.email?.lowercased() { try context.checkIsNew(email) }
    if firstName != nil || lastName != nil {
      person.rename(first: firstName ?? person.firstName, last: lastName ?? person.lastName)
    }
    if let email { person.email = email.isEmpty ? nil : email }
    if let birthday { person.birthday = birthday?.date }
    if let notes { person.notes = notes.isEmpty ? nil : notes }
    if let groups { person.groups = Set(try groups.map { try context.groupOrNew($0) }) }
    if let picture { person.picture = picture }
  }
}
