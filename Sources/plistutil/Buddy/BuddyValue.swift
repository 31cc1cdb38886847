import FoundationEssentials
import PropertyLists

/// Converts the types and values in commands.
enum BuddyValue {
  private static let types: [(name: String, kind: PropertyList.Kind)] = [
    ("string", .string), ("array", .array), ("dict", .dictionary), ("bool", .boolean), ("real", .real),
    ("integer", .integer), ("date", .date), ("data", .data),
  ]

  /// Returns the kind of value for the name of a type in a command, such as `dict`.
  static func kind(_ type: BuddyWord) throws(BuddyError) -> PropertyList.Kind {
    let text = type.text
    guard let type = types.first(where: { $0.name == text.lowercased() }) else {
      throw .notUnderstood("Unrecognized Type: \(text.printable())")
    }
    return type.kind
  }

  /// Returns the name of a kind in messages.
  static func name(of kind: PropertyList.Kind) -> String { types.first { $0.kind == kind }?.name ?? kind.rawValue }

  /// Returns the value to use if a command has a type but no value, such as 0 for an integer. Throws for a date, which
  /// has no default.
  static func empty(_ kind: PropertyList.Kind) throws(BuddyError) -> PropertyList {
    switch kind {
    case .string: .string("")
    case .integer: .integer(0)
    case .real: .real(0)
    case .boolean: .boolean(false)
    case .data: .data(Data())
    case .array: []
    case .dictionary: [:]
    case .date, .uid, .null: throw unrecognized(kind)
    }
  }

  /// Returns the value of a kind for a text in a command. For integers and reals, text after the number is ignored, as
  /// in Apple's tool. Data contains the bytes of the text.
  static func value(_ kind: PropertyList.Kind, _ text: String) throws(BuddyError) -> PropertyList {
    let value: PropertyList? =
      switch kind {
      case .string: .string(text)
      case .data: .data(Data(text.utf8))
      case .boolean: .boolean(["true", "yes", "1"].contains(text.lowercased()))
      case .integer: try? PropertyList(rawText: integerText(text), as: .integer)
      case .real: try? PropertyList(rawText: realText(text), as: .real)
      case .date: BuddyDate.date(text).map { .date($0) }
      case .uid, .null: try? PropertyList(rawText: text, as: kind)
      // Text is ignored for containers.
      case .array, .dictionary: try empty(kind)
      }
    guard let value else { throw unrecognized(kind) }
    return value
  }

  private static func unrecognized(_ kind: PropertyList.Kind) -> BuddyError {
    let name =
      switch kind {
      case .integer: "Integer"
      case .real: "Real"
      case .date: "Date"
      case .uid: "UID"
      default: "Value"
      }
    return .notUnderstood("Unrecognized \(name) Format")
  }

  /// Returns the integer at the beginning of a text, as text; an empty string if the text does not begin with an
  /// integer.
  private static func integerText(_ text: String) -> String {
    var scanner = NumberScanner(text)
    scanner.takeSign()
    return scanner.takeDigits() ? scanner.taken : ""
  }

  /// Returns the real at the beginning of a text, as text; an empty string if the text does not begin with a real.
  private static func realText(_ text: String) -> String {
    var scanner = NumberScanner(text)
    scanner.takeSign()
    if scanner.takeWord(["infinity", "inf", "nan"]) { return scanner.taken }
    var hasDigits = scanner.takeDigits()
    if scanner.take(".") { hasDigits = scanner.takeDigits() || hasDigits }
    guard hasDigits else { return "" }
    // An `e` without digits after it is not part of the number.
    let whole = scanner
    if scanner.take("e") || scanner.take("E") {
      scanner.takeSign()
      if !scanner.takeDigits() { return whole.taken }
    }
    return scanner.taken
  }
}

/// A scanner that reads the parts of a number at the beginning of a text, like C's `scanf`.
private struct NumberScanner {
  private var rest: Substring
  private(set) var taken = ""

  init(_ text: String) { rest = text.drop { $0.isWhitespace } }

  mutating func take(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    taken.append(rest.removeFirst())
    return true
  }

  mutating func takeSign() { _ = take("-") || take("+") }

  mutating func takeDigits() -> Bool {
    let digits = rest.prefix { ("0"..."9").contains($0) }
    taken += digits
    rest = rest[digits.endIndex...]
    return !digits.isEmpty
  }

  mutating func takeWord(_ words: [String]) -> Bool {
    guard let word = words.first(where: { rest.prefix($0.count).lowercased() == $0 }) else { return false }
    taken += word
    rest = rest.dropFirst(word.count)
    return true
  }
}
