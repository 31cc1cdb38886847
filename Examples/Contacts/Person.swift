import Foundation
import ManagedObjects

/// Somebody in the book.
final class Person: ManagedObject {
  @Attribute(.maximumLength(80)) var firstName = ""
  @Attribute(.predicate("length > 0", warning: "is missing"), .maximumLength(80)) var lastName: String
  /// The name as an index of Latin letters has it, by which persons are sorted: `LOVELACE ADA`. It follows from the
  /// names with each save.
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
    // Nobody takes it back: it would be that of a name which somebody else has changed meanwhile.
    let undoManager = managedObjectContext?.undoManager
    undoManager?.disableUndoRegistration()
    sortName = name
    undoManager?.enableUndoRegistration()
  }

  /// Such as `Ada Lovelace`. Names in Chinese characters begin with the last name.
  var fullName: String {
    if !lastName.isEmpty, lastName.unicodeScalars.allSatisfy(\.properties.isIdeographic) { return lastName + firstName }
    return [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The name, and the address if it has one.
  var summary: String { fullName + (email.map { " <\($0)>" } ?? "") }

  /// All that the book has of the person, beginning with the name.
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

  /// A rule that depends on the time cannot be one of the model.
  override func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {
    if key == "birthday", case .date(let date) = value, date > .now {
      throw ManagedObjectError(.dateTooLate, "is in the future", objectID: objectID, key: key)
    }
  }
}

/// The order of persons.
extension Person {
  /// By last name, then by first name, as people sort.
  static let order = [
    FetchRequest.SortDescriptor("sortName", comparison: .localizedStandard),
    FetchRequest.SortDescriptor("lastName", comparison: .localizedStandard),
    FetchRequest.SortDescriptor("firstName", comparison: .localizedStandard),
  ]

  /// The section of the person: the first Latin letter of the last name, or `#` for anything else.
  var section: String { sortName.first.map { String($0) } ?? "#" }

  /// A name in capital Latin letters without marks. Chinese names go by the sound of their characters, as last names
  /// have it: `ZENG GUO FAN` for 曾国藩.
  private static func sortName(first: String, last: String) -> String {
    func latin(_ name: String, _ characters: String) -> String {
      // The transforms of ICU, one after the other.
      let transform = StringTransform("\(characters); Any-Latin; Latin-ASCII; Upper")
      return (name.applyingTransform(transform, reverse: false) ?? name).trimmingCharacters(in: .whitespaces)
    }
    let name = [latin(last, "Han-Latin/Names"), latin(first, "Han-Latin")].joined(separator: " ")
    guard let letter = name.first, letter.isASCII, letter.isLetter else { return "#" + name }
    return name
  }
}

/// A name that any number of persons have in common.
final class Group: ManagedObject {
  @Attribute(.unique, .predicate("length > 0", warning: "is missing"), .maximumLength(80)) var name: String
  @Relationship var members: Set<Person>

  static let order = [FetchRequest.SortDescriptor("name", comparison: .localizedStandard)]
}
