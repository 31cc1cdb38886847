import PropertyLists
import ToolSupport

/// The parsed arguments of a call of `defaults`. Options may come before the verb, as in Apple's tool, or after it. In
/// the value of `write`, an argument with a hyphen is a type instead of an option.
struct DefaultsCall {
  private(set) var verb: (any DefaultsVerb.Type)?
  /// The name that the verb was called by, which may be an alias.
  private(set) var name = ""
  private(set) var location = DefaultsLocation()
  /// The domain; nil if the call does not name one.
  private(set) var domain: DefaultsDomain?
  /// The arguments after the domain.
  private(set) var operands: [String] = []
  private(set) var keyPath: PropertyListKeyPath?
  /// During parsing, the arguments that are not parsed yet. Afterwards, the arguments after the key, if the verb takes
  /// a value.
  private(set) var value: ArraySlice<String>
  private(set) var isForMachines = false
  private(set) var format: FormatName?
  private(set) var inputFormat: FormatName?
  private var options: Set<DefaultsOption> = []
  private var currentHost = false
  private var hostName: String?
  private var folder: String?
  private var asksForHelp = false

  /// True if the tool was called by the name of Apple's tool.
  private let isAppleByName: Bool

  init(_ arguments: [String], isApple: Bool) {
    value = arguments[...]
    isAppleByName = isApple
  }

  /// True to print values like Apple's tool; false to print them in a form that can be read back.
  var isApple: Bool { options.contains(.apple) || (isAppleByName && !options.contains(.typed)) }
  var replaces: Bool { options.contains(.replace) }

  /// The path of the value that the call names: its key, or the argument of `--key-path`.
  var path: PropertyListKeyPath? { keyPath ?? operands.first.map { PropertyListKeyPath([.key($0)]) } }

  /// Returns the domain. Throws if the call does not name one.
  func namedDomain() throws(DefaultsError) -> DefaultsDomain {
    guard let domain else { throw .usage("No domain is given.", verb) }
    return domain
  }

  /// Returns the path of the value. Throws if the call does not name one.
  func namedPath() throws(DefaultsError) -> PropertyListKeyPath {
    guard let path else { throw .usage("No key is given.", verb) }
    return path
  }

  /// Parses the arguments. Returns the help text if the call asks for help; nil if ``verb`` must be run.
  mutating func parse() throws(DefaultsError) -> String? {
    try scan()
    return try finish()
  }

  /// Parses the arguments. Stops before the value of `write`, which has its own parser.
  private mutating func scan() throws(DefaultsError) {
    var takesOptions = true
    while !isAtValue, let argument = value.popFirst() {
      if takesOptions, argument == "--" {
        takesOptions = false
      } else if takesOptions, argument.hasPrefix("-"), argument != "-" {
        try scanOption(splittingValue(of: argument))
      } else if verb != nil {
        operands.append(argument)
      } else if argument == "help" {
        asksForHelp = true
      } else {
        guard let named = DefaultsVerbs.named(argument) else {
          let names = DefaultsVerbs.all.flatMap { [$0.name] + $0.aliases }
          let nearest = MistypedVerb.nearest(to: argument, in: names).map { "; did you mean \($0)?" } ?? "."
          throw .usage("There is no verb \(argument.quoted)\(nearest)")
        }
        (verb, name) = (named, argument)
      }
    }
  }

  /// True if the verb takes a value, and its domain and key have been parsed.
  private var isAtValue: Bool {
    guard let syntax = verb?.syntax, syntax.takesValue else { return false }
    return operands.count == (keyPath == nil ? 2 : 1)
  }

  /// Returns the name of a long option. A value after an equals sign becomes the next argument.
  private mutating func splittingValue(of argument: String) -> String {
    guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else { return argument }
    value = ([String(argument[argument.index(after: sign)...])] + value)[...]
    return String(argument[..<sign])
  }

  private mutating func scanOption(_ argument: String) throws(DefaultsError) {
    switch argument {
    case "-currentHost", "--current-host": currentHost = true
    case "-host", "--host": hostName = try argumentOf(argument)
    case "-g", "-globalDomain": operands.append("NSGlobalDomain")
    case "-app":
      throw DefaultsError(
        "no-such-application",
        """
        Couldn't find an application named "\(try argumentOf(argument).printable())"; defaults unchanged
        This system has no registry of applications. Use the name of its domain, such as com.example.notes.
        """)
    case "--folder": folder = try argumentOf(argument)
    case "--json": isForMachines = true
    case "--typed": options.insert(.typed)
    case "-h", "-help", "--help": asksForHelp = true
    case "--apple": options.insert(.apple)
    case "--replace": options.insert(.replace)
    case "--format", "-f":
      format = try formatOf(argument)
      options.insert(.format)
    case "--from":
      inputFormat = try formatOf(argument)
      options.insert(.from)
    case "--key-path", "-k":
      keyPath = try pathOf(argument)
      options.insert(.keyPath)
    default:
      throw .usage("There is no option \(argument.quoted); put -- before a key that begins with a hyphen.", verb)
    }
  }

  private mutating func argumentOf(_ option: String) throws(DefaultsError) -> String {
    guard let argument = value.popFirst(), !argument.isEmpty || option == "-k" || option == "--key-path" else {
      throw .usage("\(option) needs an argument.", verb)
    }
    return argument
  }

  private mutating func pathOf(_ option: String) throws(DefaultsError) -> PropertyListKeyPath {
    let text = try argumentOf(option)
    do { return try PropertyListKeyPath(ProgramArguments.text(text)) } catch { throw .usage(error.description, verb) }
  }

  private mutating func formatOf(_ option: String) throws(DefaultsError) -> FormatName {
    let text = try argumentOf(option)
    guard let format = FormatName(argument: text) else {
      let names = FormatName.allValueStrings.joined(separator: ", ")
      throw .usage("\(text.quoted) is not a format; the formats are \(names).", verb)
    }
    return format
  }

  /// Validates the parsed arguments, and resolves the domain. Returns the help text if the call asks for help.
  private mutating func finish() throws(DefaultsError) -> String? {
    guard let verb else {
      guard asksForHelp else { throw .usage("No verb is given.") }
      return DefaultsHelp.text
    }
    if asksForHelp { return DefaultsHelp.text(of: verb) }
    let syntax = verb.syntax
    for option in DefaultsOption.allCases where options.contains(option) && !syntax.options.contains(option) {
      throw .usage("\(option.rawValue) cannot be used with \(name).", verb)
    }
    if let keyPath, keyPath.components.isEmpty {
      throw .usage("The path of --key-path must have at least one component.", verb)
    }
    if options.contains(.apple), options.contains(.typed) {
      throw .usage("--apple and --typed cannot be combined.", verb)
    }
    let needed = keyPath == nil ? syntax.operands : 1...1
    guard operands.count >= needed.lowerBound else {
      throw .usage(operands.isEmpty && syntax.takesDomain ? "No domain is given." : "An argument is missing.", verb)
    }
    guard operands.count <= needed.upperBound else { throw .unexpected(operands[needed.upperBound]) }
    location = DefaultsLocation(folder: folder, currentHost: currentHost, hostName: hostName)
    if syntax.takesDomain, !operands.isEmpty {
      domain = try DefaultsDomain(argument: operands.removeFirst(), in: location)
    }
    // File names may contain bytes that are not UTF-8. All other arguments must be UTF-8.
    let isName = { (argument: String) in !argument.contains("/") }
    let texts = (syntax.takesFile ? [] : operands) + value + [domain?.argument].compactMap { $0 }.filter(isName)
    for text in texts {
      do { _ = try ProgramArguments.text(text) } catch { throw .usage(error.message, verb) }
    }
    return nil
  }
}
