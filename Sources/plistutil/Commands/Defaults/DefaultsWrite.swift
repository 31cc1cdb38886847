import PropertyListTools
import PropertyLists

enum DefaultsWrite: DefaultsVerb {
  static let name = "write"

  static let syntax = DefaultsSyntax(
    arguments: "DOMAIN KEY VALUE | DOMAIN DICTIONARY",
    abstract: "Set a value, or replace all values of a domain.",
    details: """
      VALUE is text, or has a type:
        -string TEXT           -bool TRUE | FALSE | YES | NO
        -int, -integer NUMBER  -float NUMBER
        -data HEX-DIGITS       -date '2026-11-21 16:00:00 +0000'
        -array VALUE…          -array-add VALUE…      (after the existing elements)
        -dict KEY VALUE…       -dict-add KEY VALUE…   (to the existing entries)
        -json TEXT             -xml TEXT              (any value)
      Text that begins with {, ( or < is a property list in the OpenStep format, which
      may have types such as <*I5>, or in XML. Values in an array or a dictionary may
      have types too, and may be arrays and dictionaries; -end marks the end of such
      a nested one.

        -k, --key-path PATH  A nested value, instead of KEY: items.0.name

      DICTIONARY replaces all values of the domain. If DOMAIN is the path of a text
      file, its format, comments and layout are kept.
      """,
    examples: [
      "write com.example.notes fontSize -int 14",
      "write com.example.notes recent -array-add ~/one.txt ~/two.txt",
      "write com.example.notes window -dict title Notes size -array -int 640 -int 480 -end open -bool yes",
      "write com.example.notes -k window.size.0 -int 800",
    ], operands: 1...2, takesValue: true, options: [.keyPath])

  static func run(_ call: DefaultsCall) throws {
    let domain = try call.namedDomain()
    if call.value.isEmpty, call.keyPath == nil {
      guard let text = call.operands.first else { throw DefaultsError.usage("An argument is missing.", call.verb) }
      guard let entries = try DefaultsValue.representation(text).dictionary else { throw DefaultsError.notADictionary }
      return try domain.update { $0 = entries }
    }
    let path = try call.namedPath()
    let change = try DefaultsValue.parse(call.value, for: call.verb)
    try domain.update { values in
      var all = PropertyList.dictionary(values ?? [:])
      let value = try change.value(insteadOf: try? all.value(at: path), key: path.key)
      try DefaultsError.about(domain.name) { () throws(PropertyListError) in try all.set(value, at: path) }
      values = all.dictionary
    }
  }
}

extension DefaultsValue.Change {
  /// Returns the value to store. `old` is the stored value, or nil.
  fileprivate func value(insteadOf old: PropertyList?, key: String) throws(DefaultsError) -> PropertyList {
    switch self {
    case .set(let value): return value
    case .append(let elements):
      guard let held = (old ?? []).array else { throw refusal(key, "an array") }
      return .array(held + elements)
    case .merge(let entries):
      guard let held = (old ?? [:]).dictionary else { throw refusal(key, "a dictionary") }
      return .dictionary(held.merging(entries) { $1 })
    }
  }

  private func refusal(_ key: String, _ kind: String) -> DefaultsError {
    DefaultsError(
      "wrong-kind", "Value for key \(key.printable()) is not \(kind); cannot append.  Leaving defaults unchanged.")
  }
}
