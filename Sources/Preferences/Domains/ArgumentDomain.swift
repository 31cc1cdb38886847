internal import PropertyLists

/// The domain that contains values from the command line: arguments of the form `-key value`.
enum ArgumentDomain {
  /// The domain of the arguments of this process.
  static let ofProcess = table(Array(CommandLine.arguments.dropFirst()))

  static func table(_ arguments: [String]) -> DomainTable {
    let table = DomainTable()
    _ = table.assign(values(arguments))
    return table
  }

  /// Returns the keys and values of a command line.
  ///
  /// An argument that begins with one hyphen is a key if a value follows. A value is any argument that does not begin
  /// with a hyphen, or any number. Options with two hyphens belong to the program and are skipped, and `--` ends the
  /// pairs. The last value of a repeated key is used.
  static func values(_ arguments: [String]) -> [TableKey: PropertyList] {
    var values: [TableKey: PropertyList] = [:]
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if argument == "--" { break }
      guard argument.hasPrefix("-"), !argument.hasPrefix("--"), argument.utf8.count > 1, index < arguments.count,
        isValue(arguments[index])
      else { continue }
      values[TableKey(String(argument.dropFirst()))] = value(arguments[index])
      index += 1
    }
    return values
  }

  private static func isValue(_ argument: String) -> Bool {
    guard argument.hasPrefix("-"), argument != "-" else { return true }
    // Excludes text that `Double` accepts as a number but that looks like an option, such as `-inf`.
    let magnitude = argument.dropFirst()
    return Double(magnitude) != nil && magnitude.utf8.first.map { $0 < UInt8(ascii: "A") } == true
  }

  /// Returns the value of a property list in OpenStep or XML form, which may follow white space; any other text is
  /// returned as a string. A number remains a string, which the typed accessors convert.
  private static func value(_ text: String) -> PropertyList {
    let list = String(text.drop(while: \.isWhitespace))
    let parsed: PropertyList?
    switch list.utf8.first {
    case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "\""): parsed = try? PropertyList(openStep: list)
    case UInt8(ascii: "<"): parsed = (try? PropertyList(openStep: list)) ?? xml(list)
    default: parsed = nil
    }
    guard let parsed, (try? parsed.checkStorable(forKey: "-")) != nil else { return .string(text) }
    return parsed
  }

  /// Returns the value of an XML property list, or of a part of one such as `<integer>5</integer>`.
  private static func xml(_ text: String) -> PropertyList? { try? PropertyList(.init(Array(text.utf8)), format: .xml) }
}
