import FoundationEssentials
import ManagedObjects

/// Changes to a person. Nil keeps a value, an empty string removes it.
struct PersonEdit {
  var firstName: String?
  var lastName: String?
  var email: String?
  var birthday: Day??
  var notes: String?
  /// The names of groups to add the person to. Missing groups are created.
  var groups: [String] = []
  /// The names of groups to remove the person from.
  var formerGroups: [String] = []
  var picture: Data??

  /// Applies the changes to a person.
  ///
  /// - Parameter hasNewAddress: True if the caller has already checked that the address is not in use.
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
