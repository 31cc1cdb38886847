import OrderedCollections
import PropertyLists
import ToolSupport

enum DefaultsFind: DefaultsVerb {
  static let name = "find"

  static let syntax = DefaultsSyntax(
    arguments: "WORD", abstract: "Print the values of all domains that contain a word.",
    details: """
      Upper and lower case are the same. The word may be in a key or a value, also in
      nested ones. If it is in the name of a domain, all values of the domain are
      printed.

        --apple  Print values as Apple's tool does; see read.
        --typed  Print OpenStep with types, even if the tool is called defaults.
      """,
    examples: ["find fontSize"], operands: 1...1, takesDomain: false, options: [.apple, .typed])

  static func run(_ call: DefaultsCall) throws {
    let word = call.operands[0]
    var found: OrderedDictionary<String, PropertyList> = [:]
    let failure = call.location.forEachDomain { domain, values in
      let isAll = domain.argument.has(word)
      let matches = values.filter { isAll || $0.key.has(word) || $0.value.has(word) }
      if !matches.isEmpty { found[domain.argument] = .dictionary(matches) }
    }
    try write(found, for: call)
    if let failure { throw failure }
  }

  private static func write(_ found: OrderedDictionary<String, PropertyList>, for call: DefaultsCall) throws {
    if call.isForMachines { return try DefaultsOutput.writeLine(.dictionary(found)) }
    for (name, values) in found {
      let domain = call.isApple && name == "NSGlobalDomain" ? "Apple Global Domain" : name.printable()
      let text = call.isApple ? AppleDescription.text(of: values) : try DefaultsOutput.text(of: values)
      try output("Found \(values.dictionary?.count ?? 0) keys in domain '\(domain)': \(text)")
    }
    if found.isEmpty { try output("No domain, key, nor value containing '\(call.operands[0].printable())'") }
  }
}

extension String {
  fileprivate func has(_ word: String) -> Bool {
    let (text, part) = (Array(lowercased().unicodeScalars), Array(word.lowercased().unicodeScalars))
    guard let first = part.first else { return true }
    return text.indices.contains { text[$0] == first && text[$0...].starts(with: part) }
  }
}

extension PropertyList {
  /// Returns true if a key or scalar inside the value contains a word. Uses no recursion, because values may be deep.
  fileprivate func has(_ word: String) -> Bool {
    var rest = [self]
    while let value = rest.popLast() {
      switch value {
      case .array(let elements): rest += elements
      case .dictionary(let entries):
        if entries.keys.contains(where: { $0.has(word) }) { return true }
        rest += entries.values
      default:
        if BareValue.text(of: value)?.has(word) == true { return true }
      }
    }
    return false
  }
}
