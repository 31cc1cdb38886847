import FoundationEssentials
import OrderedCollections
import PropertyLists
import ToolSupport

/// Completes the arguments of `defaults`: verbs, domains that have files, and their keys.
struct DefaultsCompletion {
  private let line: CommandLineWords
  private var verb: (any DefaultsVerb.Type)?
  /// The domain and the arguments after it, up to the value.
  private var operands: [String] = []
  /// The option whose argument is at the cursor.
  private var expected: String?
  private var hasKeyPath = false
  private var isValue = false
  private var folder: String?
  private var currentHost = false
  private var host: String?

  static let options: [(name: String, takesArgument: Bool, help: String)] = [
    ("-currentHost", false, "The values for this computer only."),
    ("-host", true, "The values for another computer only."),
    ("-globalDomain", false, "The values that all programs share."),
    ("-g", false, "The values that all programs share."),
    ("--folder", true, "The folder of the files."),
    ("--json", false, "Print JSON, also for errors."),
    ("--help", false, "Print the help of a verb."),
  ]

  /// Returns the name and help of an option that only some verbs have.
  private static func option(_ option: DefaultsOption) -> (name: String, takesArgument: Bool, help: String) {
    switch option {
    case .format: (option.rawValue, true, "The format to print or write.")
    case .from: (option.rawValue, true, "The format of the input.")
    case .keyPath: (option.rawValue, true, "A nested value, instead of a key.")
    default: (option.rawValue, false, "")
    }
  }

  static let types = [
    "-string", "-int", "-float", "-bool", "-date", "-data", "-array", "-array-add", "-dict", "-dict-add", "-json",
    "-xml",
  ]

  init(_ line: CommandLineWords) {
    self.line = line
    for word in line.before { take(word) }
    if !isValue, expected == nil { isValue = isAtValue }
  }

  private var isAtValue: Bool { verb?.syntax.takesValue == true && operands.count == (hasKeyPath ? 1 : 2) }

  private mutating func take(_ word: String) {
    if let option = expected {
      expected = nil
      switch option {
      case "--folder": folder = word
      case "-host", "--host": host = word
      default: break
      }
      return
    }
    if isValue || isAtValue {
      isValue = true
    } else if word.hasPrefix("-"), word != "-" {
      switch word {
      case "-g", "-globalDomain": operands.append("NSGlobalDomain")
      case "-currentHost", "--current-host": currentHost = true
      case "-k", "--key-path":
        hasKeyPath = true
        expected = word
      case "-host", "--host", "--folder", "-app", "--format", "-f", "--from": expected = word
      default: break
      }
    } else if verb == nil {
      verb = DefaultsVerbs.named(word)
    } else {
      operands.append(word)
    }
  }

  func answer() -> CompletionAnswer {
    switch expected {
    case "--folder": return .folders
    case "--format", "-f", "--from": return .texts(FormatName.allValueStrings)
    case "-k", "--key-path": return keyPaths()
    case .some: return .nothing
    case nil: break
    }
    if isValue {
      if line.current.hasPrefix("-") { return .texts(Self.types) }
      return ["-bool", "-boolean"].contains(line.before.last) ? .texts(["true", "false"]) : .nothing
    }
    if line.current.hasPrefix("-") { return options() }
    guard let verb else {
      return CompletionAnswer(candidates: DefaultsVerbs.all.map { .init(text: $0.name, help: $0.syntax.abstract) })
    }
    guard verb.syntax.takesDomain else { return .nothing }
    switch operands.count {
    case 0: return line.current.contains("/") ? .files : domains()
    case 1 where verb.name == "import" || verb.name == "export": return .files
    case 1 where !hasKeyPath: return keys()
    default: return .nothing
    }
  }

  private func options() -> CompletionAnswer {
    let own = DefaultsOption.allCases.filter { verb?.syntax.options.contains($0) == true }.map(Self.option)
    return CompletionAnswer(candidates: (Self.options + own).map { .init(text: $0.name, help: $0.help) })
  }

  private var location: DefaultsLocation { DefaultsLocation(folder: folder, currentHost: currentHost, hostName: host) }

  private func domains() -> CompletionAnswer { .texts(location.domains.map(\.argument)) }

  private var values: PropertyList {
    guard let name = operands.first, let domain = try? DefaultsDomain(argument: name, in: location),
      let values = try? domain.file.values()
    else { return [:] }
    return .dictionary(values)
  }

  private func keys() -> CompletionAnswer {
    let entries = values.dictionary ?? [:]
    return CompletionAnswer(candidates: entries.map { .init(text: $0.key, help: KindName($0.value.kind).name) })
  }

  private func keyPaths() -> CompletionAnswer {
    guard let data = try? values.data(format: .binary), let document = try? PropertyListDocument(data) else {
      return .nothing
    }
    return KeyPathCompletion(.tool).answer(to: line.current, in: [document])
  }
}
