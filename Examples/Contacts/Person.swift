import Foundation
import ManagedObjects

/// A person in the address book.
final class Person: ManagedObject {
  @Attribute(.maximumLength(80)) var firstName = ""
  @Attribute(.predicate("length > 0", warning: "is missing"), .maximumLength(80)) var lastName: String
  /// The name in Latin capital letters, which persons are sorted by: `LOVELACE ADA`. It is updated from the names at
  /// each save.
  @Attribute(.indexed) private(set) var sortName = ""
  @Attribute(.unique, .predicate("SELF MATCHES '[^@ ]+@[^@ ]+[.][^@ .]+'", warning: "is not like ada@example.org"))
  var email: String?
  @Attribute var birthday: Date?
  @Attribute(.maximumLength(2000)) var notes: String?
  @Attribute(.externalStorage) var picture: Data?
  @Relationship(inverse: \Group.members) var groups: Set<Group>

  override func willSave() {
    if isDeleted { return }
    let name = Self.sortName(first: firstName, last: lastName)
    if name == sortName { return }
    // Not undoable: undo would restore the sort name of an old name, which another process may have changed since.
    let undoManager = managedObjectContext?.undoManager
    undoManager?.disableUndoRegistration()
    sortName = name
    undoManager?.enableUndoRegistration()
  }

  /// The full name, such as `Ada Lovelace`. In Chinese characters, the last name comes first.
  var fullName: String {
    if !lastName.isEmpty, lastName.unicodeScalars.allSatisfy(\.properties.isIdeographic) { return lastName + firstName }
    return [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The name, with the e-mail address if there is one.
  var summary: String { fullName + (email.map { " <\($0)>" } ?? "") }

  /// All data of the person, one per line, starting with the name.
  var details: [String] {
    var lines = [fullName]
    if let email { lines.append("e-mail: \(email)") }
    if let birthday { lines.append("born: \(Day(birthday))") }
    if let picture { lines.append("picture: \(picture.count) bytes") }
    if !groups.isEmpty { lines.append("groups: " + groupNames.joined(separator: ", ")) }
    if let notes { lines.append(notes) }
    return lines
  }

  var groupNames: [String] { groups.map(\.name).sorted() }

  /// Checks that a birthday is not in the future. The model cannot contain a rule that depends on the current time.
  override func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {
    if key == "birthday", case .date(let date) = value, date > .now {
      throw ManagedObjectError(.dateTooLate, "is in the future", objectID: objectID, key: key)
    }
  }
}

/// The sort order of persons.
extension Person {
  /// The order by last name, then by first name. Latin forms of the names are compared first.
  static let order = [
    FetchRequest.SortDescriptor("sortName", comparison: .localizedStandard),
    FetchRequest.SortDescriptor("lastName", comparison: .localizedStandard),
    FetchRequest.SortDescriptor("firstName", comparison: .localizedStandard),
  ]

  /// The section of the person: the first Latin letter of the last name, or `#` for other names.
  var section: String { sortName.first.map { String($0) } ?? "#" }

  /// Returns a name in Latin capital letters without diacritics. Chinese names are transcribed, with the readings that
  /// are usual in last names: `ZENG GUO FAN` for 曾国藩.
  private static func sortName(first: String, last: String) -> String {
    func latin(_ name: String, _ characters: String) -> String {
      // The transforms take long to load, and do the same to such a name.
      if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.uppercased().trimmingCharacters(in: .whitespaces) }
      // ICU transforms, applied one after the other.
      let transform = StringTransform("\(characters); Any-Latin; Latin-ASCII; Upper")
      return (name.applyingTransform(transform, reverse: false) ?? name).trimmingCharacters(in: .whitespaces)
    }
    let name = [latin(last, "Han-Latin/Names"), latin(first, "Han-Latin")].joined(separator: " ")
    guard let letter = name.first, letter.isASCII, letter.isLetter else { return "#" + name }
    return name
  }
}

/// A group, which any number of persons can belong to.
final class Group: ManagedObject {
  @Attribute(.unique, .predicate("length > 0", warning: "is missing"), .maximumLength(80)) var name: String
  @Relationship var members: Set<Person>

  static let order = [FetchRequest.SortDescriptor("name", comparison: .localizedStandard)]
}
