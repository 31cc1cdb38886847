import FoundationEssentials
import ManagedObjects

/// What is to change of a person; nil for what stays. An empty text removes what it is for.
struct PersonEdit {
  var firstName: String?
  var lastName: String?
  var email: String?
  var birthday: Day??
  var notes: String?
  /// The names of groups that the person comes into. Those that are not there yet are made.
  var groups: [String] = []
  /// The names of groups that the person leaves.
  var formerGroups: [String] = []
  var picture: Data??

  /// - Parameter hasNewAddress: true if somebody has seen to it that nobody has the address.
  func apply(to person: Person, in context: ManagedObjectContext, hasNewAddress: Bool = false) throws {
    if let email, !hasNewAddress, email.lowercased() != person.email?.lowercased() { try context.checkIsNew(email) }
    if let firstName { person.firstName = firstName }
    if let lastName { person.lastName = lastName }
    if let email { person.email = email.isEmpty ? nil : email }
    if let birthday { person.birthday = birthday?.date }
    if let notes { person.notes = notes.isEmpty ? nil : notes }
    for group in person.groups where formerGroups.contains(group.name) { person.remove(group, from: \.groups) }
    for name in groups { person.add(try context.groupOrNew(name), to: \.groups) }
    if let picture { person.picture = picture }
  }
}
