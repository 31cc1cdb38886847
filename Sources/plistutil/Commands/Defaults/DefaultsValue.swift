import FoundationEssentials
import OrderedCollections
import PropertyListTools
import PropertyLists
import ToolSupport

/// A parser for the value of the verb `write`. It accepts the types of Apple's tool, and nested arrays and
/// dictionaries.
struct DefaultsValue {
  /// A change to the stored value.
  enum Change {
    case set(PropertyList)
    case append([PropertyList])
    case merge(OrderedDictionary<String, PropertyList>)
  }

  private var rest: ArraySlice<String>
  private let verb: (any DefaultsVerb.Type)?
  private var depth = 0

  /// Parses the arguments of a value.
  ///
  /// - Parameter arguments: at least one argument.
  static func parse(_ arguments: ArraySlice<String>, for verb: (any DefaultsVerb.Type)?) throws(DefaultsError) -> Change
  {
    var parser = DefaultsValue(rest: arguments, verb: verb)
    let change = try parser.parseChange()
    if let argument = parser.rest.first { throw .unexpected(argument) }
    return change
  }

  private init(rest: ArraySlice<String>, verb: (any DefaultsVerb.Type)?) { (self.rest, self.verb) = (rest, verb) }

  private mutating func parseChange() throws(DefaultsError) -> Change {
    switch rest.first {
    case "-array-add":
      rest.removeFirst()
      return .append(try elements())
    case "-dict-add":
      rest.removeFirst()
      return .merge(try entries())
    default: return .set(try value(isElement: false))
    }
  }

  private static let end = "-end"

  /// Parses one value.
  ///
  /// - Parameter isElement: true for a value in an array or a dictionary, where text in quotation marks is not parsed.
  private mutating func value(isElement: Bool) throws(DefaultsError) -> PropertyList {
    guard let argument = rest.popFirst() else { throw .usage("A value is missing.", verb) }
    switch argument {
    case "-string": return .string(try next(argument))
    case "-int", "-integer": return try Self.integer(next(argument))
    case "-float": return try Self.real(next(argument))
    case "-bool", "-boolean": return try Self.boolean(next(argument))
    case "-date": return try Self.date(next(argument))
    case "-data": return try Self.data(next(argument))
    case "-json", "-xml":
      let (text, format) = (try next(argument), argument == "-json" ? PropertyListFormat.json : .xml)
      return try DefaultsError.about(argument) { () throws(PropertyListError) in try Self.read(text, format) }
    case "-array": return .array(try elements())
    case "-dict": return .dictionary(try entries())
    case "-array-add", "-dict-add": throw .unexpected(argument)
    default: break
    }
    if argument.hasPrefix("-"), argument != "-", !Self.isNumber(argument) { throw .unexpected(argument) }
    return try Self.untyped(argument, isElement: isElement)
  }

  private mutating func next(_ type: String) throws(DefaultsError) -> String {
    guard let argument = rest.popFirst() else { throw .usage("\(type) needs a value.", verb) }
    return argument
  }

  private mutating func elements() throws(DefaultsError) -> [PropertyList] {
    try enter()
    var elements: [PropertyList] = []
    while let argument = rest.first, argument != Self.end { elements.append(try value(isElement: true)) }
    leave()
    return elements
  }

  private mutating func entries() throws(DefaultsError) -> OrderedDictionary<String, PropertyList> {
    try enter()
    var entries: OrderedDictionary<String, PropertyList> = [:]
    while var key = rest.first, key != Self.end {
      rest.removeFirst()
      if key == "-string" {
        key = try next(key)
      } else if key.hasPrefix("-"), !Self.isNumber(key) {
        throw DefaultsError("unexpected-argument", "Dictionary keys must be strings; leaving defaults unchanged.")
      }
      guard let argument = rest.first, argument != Self.end else {
        throw DefaultsError(
          "unexpected-argument", "Key \(key.printable()) lacks a corresponding value; leaving defaults unchanged.")
      }
      guard entries.updateValue(try value(isElement: true), forKey: key) == nil else {
        throw DefaultsError("unexpected-argument", "Key \(key.printable()) is given twice; leaving defaults unchanged.")
      }
    }
    leave()
    return entries
  }

  /// Counts one more level of nesting. Throws if the arguments nest a value more than 500 levels deep. This limits the
  /// recursion, and is less than the depth that can be read from a file (512).
  private mutating func enter() throws(DefaultsError) {
    depth += 1
    guard depth <= 500 else {
      throw DefaultsError(
        "nested-too-deeply", "The value is nested more than 500 levels deep; leaving defaults unchanged.",
        exitCode: ExitCodes.nestedTooDeeply)
    }
  }

  private mutating func leave() {
    depth -= 1
    if rest.first == Self.end { rest.removeFirst() }
  }

  private static func isNumber(_ text: String) -> Bool { Double(text) != nil }

  /// Parses decimal digits, or hexadecimal digits after `0x`, with an optional sign, in the range of `Int64` or
  /// `UInt64`.
  private static func integer(_ text: String) throws(DefaultsError) -> PropertyList {
    var digits = text[...]
    let isNegative = digits.hasPrefix("-")
    if isNegative || digits.hasPrefix("+") { digits = digits.dropFirst() }
    let isHexadecimal = digits.lowercased().hasPrefix("0x")
    if isHexadecimal { digits = digits.dropFirst(2) }
    guard !digits.hasPrefix("-"), !digits.hasPrefix("+"),
      let magnitude = Int128(digits, radix: isHexadecimal ? 16 : 10),
      let integer = PropertyList.Integer(exactly: isNegative ? -magnitude : magnitude)
    else { throw .noValue(text, of: "a 64-bit integer") }
    return .integer(integer)
  }

  private static func real(_ text: String) throws(DefaultsError) -> PropertyList {
    guard let value = Double(text) else { throw .noValue(text, of: "a number") }
    if value.isInfinite, text.contains(where: \.isNumber) { throw .noValue(text, of: "a number that a real can hold") }
    return .real(value)
  }

  private static func boolean(_ text: String) throws(DefaultsError) -> PropertyList {
    switch text.lowercased() {
    case "true", "yes": return true
    case "false", "no": return false
    default: throw .noValue(text, of: "a boolean, TRUE, FALSE, YES or NO")
    }
  }

  private static func data(_ text: String) throws(DefaultsError) -> PropertyList {
    guard text.utf8.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit || $0 == 0x20 }),
      let data = try? PropertyList(openStep: "<\(text)>")
    else { throw .noValue(text, of: "data, an even number of hexadecimal digits") }
    return data
  }

  /// Parses a date such as `2026-11-21 16:00:00 +0000` or `2026-11-21T16:00:00Z`, with or without a fraction of a
  /// second.
  private static func date(_ text: String) throws(DefaultsError) -> PropertyList {
    var whole = text
    if whole.hasSuffix("Z"), let time = whole.firstIndex(of: "T") {
      whole.replaceSubrange(time...time, with: " ")
      whole = whole.dropLast() + " +0000"
    }
    var fraction = 0.0
    if let point = whole.firstIndex(of: ".") {
      let end = whole[point...].firstIndex(of: " ") ?? whole.endIndex
      let digits = whole[whole.index(after: point)..<end]
      if !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Double("0.\(digits)") {
        fraction = value
        whole.removeSubrange(point..<end)
      }
    }
    // Without this check, text after a `>` would be parsed as part of another value.
    guard !whole.contains(">"), let date = (try? PropertyList(openStep: "<*D\(whole)>"))?.date else {
      throw .noValue(text, of: "a date such as '2026-11-21 16:00:00 +0000' or 2026-11-21T16:00:00Z")
    }
    return .date(date.addingTimeInterval(fraction))
  }

  private static func read(_ text: String, _ format: PropertyListFormat) throws(PropertyListError) -> PropertyList {
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false, restoresCoercedValues: true)
    return try PropertyList(Data(text.utf8), format: format, options: options)
  }

  /// Parses text that looks like a property list. Any other text is a string.
  private static func untyped(_ text: String, isElement: Bool) throws(DefaultsError) -> PropertyList {
    switch text.unicodeScalars.first {
    case "{", "(", "<": return try representation(text)
    case "\"", "'":
      // A text may begin with a quotation mark without being a quoted string.
      return isElement ? .string(text) : (try? read(text, .openStep)) ?? .string(text)
    default: return .string(text)
    }
  }

  /// Parses a property list. Tries OpenStep first, as Apple's tool does, then XML or JSON.
  static func representation(_ text: String) throws(DefaultsError) -> PropertyList {
    if let value = try? read(text, .openStep) { return value }
    let data = Data(text.utf8)
    let other = PropertyListFormat(detecting: data.bytes)
    guard let other, other != .openStep, other != .binary, let value = try? read(text, other) else {
      throw DefaultsError("not-parsable", "Could not parse: \(text.printable()).  Try single-quoting it.")
    }
    return value
  }
}
