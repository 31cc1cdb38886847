import PropertyLists

/// What a call says, in the order that verbs want it.
struct DefaultsCall {
  let verb: any DefaultsVerb.Type
  let place: DefaultsPlace
  /// Nil if the call names none.
  let domain: DefaultsDomain?
  /// The arguments behind the domain.
  let operands: [String]
  /// What `--key-path` says.
  let keyPath: PropertyListKeyPath?
  /// Everything behind the key of a verb that takes a value.
  let value: ArraySlice<String>
  /// What the call itself was called, which may be an alias.
  let name: String
  let isForMachines: Bool
  let isApple: Bool
  let replaces: Bool
  let format: FormatName?
  let inputFormat: FormatName?

  /// The way to the value that the call names: a key, or what `--key-path` says.
  var path: PropertyListKeyPath? { keyPath ?? operands.first.map { PropertyListKeyPath([.key($0)]) } }
}

extension DefaultsCall {
  /// The domain of a verb that cannot do without.
  func namedDomain() throws(DefaultsError) -> DefaultsDomain {
    guard let domain else { throw .usage("No domain is named.", verb) }
    return domain
  }

  /// The path of a verb that cannot do without.
  func namedPath() throws(DefaultsError) -> PropertyListKeyPath {
    guard let path else { throw .usage("No key is named.", verb) }
    return path
  }
}

/// Takes the arguments of a call apart. Options may stand before the verb, as Apple's tool wants them, or behind it, up
/// to the value of `write`, whose hyphens mean types.
struct DefaultsArguments {
  enum Result {
    case help(String)
    case call(any DefaultsVerb.Type, DefaultsCall)
  }

  private var rest: ArraySlice<String>
  private var verb: (any DefaultsVerb.Type)?
  private var name = ""
  private var operands: [String] = []
  private var currentHost = false
  private var hostName: String?
  private var folder: String?
  private var isForMachines = false
  private var asksForHelp = false
  private var keyPath: PropertyListKeyPath?
  private var format: FormatName?
  private var inputFormat: FormatName?
  private var options: Set<DefaultsOption> = []

  private init(_ arguments: [String]) { rest = arguments[...] }

  /// Whether errors are to be JSON, those of the arguments among them.
  static func asksForJSON(_ arguments: [String]) -> Bool {
    var parser = DefaultsArguments(arguments)
    try? parser.scan()
    return parser.isForMachines
  }

  static func parse(_ arguments: [String]) throws(DefaultsError) -> Result {
    var parser = DefaultsArguments(arguments)
    try parser.scan()
    return try parser.result()
  }

  /// Reads up to the end, or to the value.
  private mutating func scan() throws(DefaultsError) {
    var takesOptions = true
    while !isAtValue, let argument = rest.popFirst() {
      if takesOptions, argument == "--" {
        takesOptions = false
      } else if takesOptions, argument.hasPrefix("-"), argument != "-" {
        try scanOption(argument)
      } else if verb != nil {
        operands.append(argument)
      } else if argument == "help" {
        asksForHelp = true
      } else {
        guard let named = DefaultsVerbs.named(argument) else {
          throw .usage("There is no verb \(argument.quoted).")
        }
        (verb, name) = (named, argument)
      }
    }
  }

  /// Whether the domain and the key of a verb that takes a value have been read.
  private var isAtValue: Bool {
    guard let syntax = verb?.syntax, syntax.takesValue else { return false }
    return operands.count == (keyPath == nil ? 2 : 1)
  }

  private mutating func scanOption(_ argument: String) throws(DefaultsError) {
    switch argument {
    case "-currentHost", "--current-host": currentHost = true
    case "-host", "--host": hostName = try argumentOf(argument)
    case "-g", "-globalDomain": operands.append("NSGlobalDomain")
    case "-app": throw .noApplication(try argumentOf(argument))
    case "--folder": folder = try argumentOf(argument)
    case "--json": isForMachines = true
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
      throw .usage("There is no option \(argument.quoted); a key that begins with a hyphen goes behind --.", verb)
    }
  }

  private mutating func argumentOf(_ option: String) throws(DefaultsError) -> String {
    guard let argument = rest.popFirst(), !argument.isEmpty || option == "-k" || option == "--key-path" else {
      throw .usage("\(option) needs an argument.", verb)
    }
    return argument
  }

  private mutating func pathOf(_ option: String) throws(DefaultsError) -> PropertyListKeyPath {
    let text = try argumentOf(option)
    do throws(PropertyListError) {
      return try PropertyListKeyPath(text)
    } catch {
      throw .usage(error.description, verb)
    }
  }

  private mutating func formatOf(_ option: String) throws(DefaultsError) -> FormatName {
    let text = try argumentOf(option)
    guard let format = FormatName(argument: text) else {
      let names = FormatName.allValueStrings.joined(separator: ", ")
      throw .usage("\(text.quoted) is no format; there are \(names).", verb)
    }
    return format
  }

  private func result() throws(DefaultsError) -> Result {
    guard let verb else {
      guard asksForHelp else { throw .usage("No verb is named.") }
      return .help(DefaultsHelp.text)
    }
    if asksForHelp { return .help(DefaultsHelp.text(of: verb)) }
    let syntax = verb.syntax
    for option in DefaultsOption.allCases where options.contains(option) && !syntax.options.contains(option) {
      throw .usage("\(option.rawValue) does not go with \(name).", verb)
    }
    if let keyPath, keyPath.components.isEmpty { throw .usage("A key path has at least one component.", verb) }
    let needed = keyPath == nil ? syntax.operands : 1...1
    guard operands.count >= needed.lowerBound else {
      throw .usage(operands.isEmpty && syntax.takesDomain ? "No domain is named." : "An argument is missing.", verb)
    }
    guard operands.count <= needed.upperBound else { throw .unexpected(operands[needed.upperBound]) }
    let place = DefaultsPlace(folder: folder, currentHost: currentHost, hostName: hostName)
    var operands = operands[...]
    let domain =
      if syntax.takesDomain, let argument = operands.popFirst() {
        try DefaultsDomain(argument: argument, in: place)
      } else {
        DefaultsDomain?.none
      }
    return .call(
      verb,
      DefaultsCall(
        verb: verb, place: place, domain: domain, operands: Array(operands), keyPath: keyPath, value: rest, name: name,
        isForMachines: isForMachines, isApple: options.contains(.apple), replaces: options.contains(.replace),
        format: format, inputFormat: inputFormat))
  }
}
