import FoundationEssentials
import ManagedObjects

/// An error, in the words of the program's user.
enum ContactsError: Error, CustomStringConvertible {
  case noPerson(String)
  case severalPersons(String, [String])
  case noGroup(String)
  case addressIsTaken(String, by: String)
  /// Invalid values, one line for each.
  case notValid([String])
  /// A condition that is not valid.
  case notACondition(String, ManagedPredicateError)
  case notADay(String)
  /// Another program changed the same objects at the same time.
  case changedMeanwhile
  case noPicture(of: String)
  case notACard(line: Int, String)
  case cannotRead(String)
  case cannotWrite(String)
  case store(ManagedObjectError)

  var description: String {
    switch self {
    case .noPerson(let text): "no person matches \"\(text)\""
    case .severalPersons(let text, let persons):
      "\"\(text)\" matches several people:\n  " + persons.joined(separator: "\n  ")
    case .noGroup(let name): "the group \"\(name)\" does not exist"
    case .addressIsTaken(let email, let owner): "\(owner) already has the address \(email)"
    case .notValid(let lines): lines.joined(separator: "\n")
    case .notACondition(let text, let error): Self.description(of: text, error)
    case .notADay(let text): "\"\(text)\" is not a date such as 1815-12-10"
    case .changedMeanwhile: "another program has changed the same data: check it, and try again"
    case .noPicture(let name): "\(name) has no picture"
    case .notACard(let line, let message): "line \(line): \(message)"
    case .cannotRead(let path): "cannot read the file \(path)"
    case .cannotWrite(let path): "cannot write the file \(path)"
    case .store(let error): error.description
    }
  }

  /// Returns the message, the text, and a mark under the position of the error.
  private static func description(of text: String, _ error: ManagedPredicateError) -> String {
    guard let column = error.position?.column, !text.contains("\n") else { return error.message }
    return "\(error.message)\n  \(text)\n  " + String(repeating: " ", count: column - 1) + "^"
  }

  /// Runs a function, and converts its errors into this type.
  static func explaining<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ManagedObjectError {
      throw ContactsError(error)
    }
  }

  init(_ error: ManagedObjectError) {
    if error.code == .merge {
      self = .changedMeanwhile
      return
    }
    let errors = error.details.isEmpty ? [error] : error.details
    let lines = errors.compactMap(Self.line)
    self = lines.count == errors.count ? .notValid(lines) : .store(error)
  }

  private static let names = ModelLocalization([
    "Property/firstName": "the first name", "Property/lastName": "the last name",
    "Property/email": "the e-mail address", "Property/birthday": "the birthday", "Property/notes": "the notes",
    "Property/name/Entity/Group": "the name of the group",
  ])

  /// Returns the description of a validation error; nil for other errors.
  private static func line(_ error: ManagedObjectError) -> String? {
    guard let key = error.key, let entity = error.objectID?.entity else { return nil }
    let name = names.name(ofProperty: key, in: entity)
    switch error.code {
    case .missingMandatoryProperty: return "\(name) is missing"
    case .stringTooLong:
      guard case .string(let text)? = error.value else { return "\(name) is too long" }
      return "\(name) is too long: it has \(text.utf16.count) characters"
    case .dateTooLate, .validation:
      var value = ""
      if case .string(let text)? = error.value, !text.isEmpty { value = " \"\(text)\"" }
      return "\(name)\(value) \(error.message)"
    default: return nil
    }
  }
}
