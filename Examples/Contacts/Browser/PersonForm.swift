import Foundation
import ManagedObjects

/// A form with the editable fields of a person.
struct PersonForm {
  struct Field {
    let label: String
    let hint: String
    fileprivate let initial: String
    var editor: LineEditor

    init(_ label: String, _ value: String = "", hint: String = "") {
      self.label = label
      self.hint = hint
      initial = value
      editor = LineEditor(value)
    }

    /// The new text; nil if it is unchanged.
    fileprivate var change: String? { editor.text == initial ? nil : editor.text }
  }

  /// The person; nil for a new one.
  let person: Person?
  /// The name of the person when the form was opened.
  let name: String
  /// True if another process has deleted the person.
  var isGone = false
  private(set) var fields: [Field]
  /// The index of the field that receives keys.
  private(set) var current = 0

  init(_ person: Person?) {
    self.person = person
    name = person?.fullName ?? ""
    let picture = person?.picture.map { "\($0.count) bytes; enter a file to replace it, - to remove it" }
    fields = [
      Field("first name", person?.firstName ?? ""), Field("last name", person?.lastName ?? ""),
      Field("e-mail", person?.email ?? "", hint: "such as ada@example.org"),
      Field("birthday", person?.birthday.map { Day($0).description } ?? "", hint: "such as 1815-12-10"),
      Field("groups", person?.groupNames.joined(separator: ", ") ?? "", hint: "separated by commas"),
      Field("notes", person?.notes ?? ""), Field("picture", hint: picture ?? "the path of a file"),
    ]
  }

  /// Handles a key. Returns false if the key has no function here.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .down, .tab: current = (current + 1) % fields.count
    case .up, .backTab: current = (current + fields.count - 1) % fields.count
    default: return fields[current].editor.take(key)
    }
    return true
  }

  /// Returns the changes that the user made.
  func edit() throws -> PersonEdit {
    var edit = PersonEdit(
      firstName: fields[0].change, lastName: fields[1].change, email: fields[2].change, notes: fields[5].change)
    if let text = fields[3].change { edit.birthday = .some(text.isEmpty ? nil : try Day(text)) }
    // Only the differences are applied, because another process may change the groups in the meantime.
    let (old, new) = (Self.names(in: fields[4].initial), Self.names(in: fields[4].editor.text))
    edit.groups = new.filter { !old.contains($0) }
    edit.formerGroups = old.filter { !new.contains($0) }
    if let path = fields[6].change {
      edit.picture = .some(path == "-" ? nil : try Data(ofFile: (path as NSString).expandingTildeInPath))
    }
    return edit
  }

  private static func names(in text: String) -> [String] {
    text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}
