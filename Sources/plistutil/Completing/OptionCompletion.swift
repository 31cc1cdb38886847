import ArgumentParser
import FoundationEssentials
import PropertyLists

/// Completes the options and arguments of one verb, or those that libplist's tool has without a verb.
struct OptionCompletion {
  private let line: CommandLineWords
  private let arguments: [Argument]
  private let readsArchives: Bool

  /// An argument as the parser describes it.
  fileprivate struct Argument {
    var kind = ""
    var names: [String] = []
    var valueName = ""
    var values: [String] = []
    var help = ""
    var isRepeating = false
    var completesFiles = false
    var completesFolders = false
  }

  init(_ command: any ParsableCommand.Type, _ line: CommandLineWords) {
    self.line = line
    // Of an archive, paths go through its objects and not through its table of them.
    readsArchives = command == ArchiveShow.self
    let description = try? PropertyList(Data(command._dumpHelp().utf8), format: .json)
    arguments = (description?["command"]?["arguments"]?.array ?? []).compactMap { Argument($0) }
  }

  /// The tool without a verb.
  init(_ line: CommandLineWords) {
    self.line = line
    arguments = LibplistOption.allCases.map { Argument($0) }
    readsArchives = false
  }

  func answer() -> CompletionAnswer {
    var expected: Argument?
    var takesOptions = true
    var positionals = 0
    var namesPath = false
    var used: Set<String> = []
    for word in line.before {
      if expected != nil {
        expected = nil
      } else if takesOptions, word == "--" {
        takesOptions = false
      } else if takesOptions, word.hasPrefix("-"), word != "-" {
        let argument = argument(named: word)
        if argument?.valueName == "path" { namesPath = true }
        if argument?.isRepeating == false { used.formUnion(argument?.names ?? []) }
        expected = argument?.kind == "option" && !word.contains("=") ? argument : nil
      } else {
        positionals += 1
      }
    }
    if let expected { return values(of: expected, line.current) }
    if takesOptions, line.current.hasPrefix("--"), let equals = line.current.firstIndex(of: "=") {
      guard let argument = argument(named: line.current), argument.kind == "option" else { return .nothing }
      let name = line.current[...equals]
      var answer = values(of: argument, String(line.current[line.current.index(after: equals)...]))
      for index in answer.candidates.indices { answer.candidates[index].text = name + answer.candidates[index].text }
      return answer
    }
    if takesOptions, line.current.hasPrefix("-") { return options(without: used) }
    let places = arguments.filter { $0.kind == "positional" }
    guard let last = places.last, positionals < places.count || last.isRepeating else { return .nothing }
    let place = places[min(positionals, places.count - 1)]
    // Where an option has named a path, all arguments are files.
    return place.valueName == "path" && namesPath ? .files : values(of: place, line.current)
  }

  private func argument(named word: String) -> Argument? {
    let name = String(word.prefix { $0 != "=" })
    return arguments.first { $0.names.contains(name) }
  }

  private func options(without used: Set<String>) -> CompletionAnswer {
    var answer = CompletionAnswer()
    for argument in arguments where argument.kind != "positional" {
      for name in argument.names where name.hasPrefix(line.current) && !used.contains(name) {
        answer.candidates.append(.init(text: name, help: argument.help))
      }
    }
    return answer
  }

  private func values(of argument: Argument, _ text: String) -> CompletionAnswer {
    if !argument.values.isEmpty { return .texts(argument.values) }
    switch argument.valueName {
    case "path" where readsArchives: return .nothing
    case "path":
      let slashes = argument.names.contains("--nodepath")
      return KeyPathCompletion(slashes ? .slashes : .tool).answer(to: text, line)
    case "bool": return .texts(["true", "false"])
    case "file", "folder":
      return argument.completesFolders || argument.valueName == "folder" ? .folders : .files
    default: return argument.completesFiles ? .files : argument.completesFolders ? .folders : .nothing
    }
  }
}

extension OptionCompletion.Argument {
  fileprivate init(_ option: LibplistOption) {
    kind = option.value == nil ? "flag" : "option"
    names = (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.rawValue)"]
    valueName = option.value ?? ""
    values = valueName == "format" ? FormatName.allValueStrings : []
    help = option.help
  }

  /// - Parameter description: an element of what `--experimental-dump-help` prints.
  fileprivate init?(_ description: PropertyList) {
    guard description["shouldDisplay"]?.boolean != false, let kind = description["kind"]?.string else { return nil }
    self.kind = kind
    names = (description["names"]?.array ?? []).map { name in
      (name["kind"]?.string == "long" ? "--" : "-") + (name["name"]?.string ?? "")
    }
    valueName = description["valueName"]?.string ?? ""
    values = (description["allValues"]?.array ?? []).compactMap(\.string)
    help = description["abstract"]?.string ?? ""
    isRepeating = description["isRepeating"]?.boolean ?? false
    completesFiles = description["completionKind"]?["file"] != nil
    completesFolders = description["completionKind"]?["directory"] != nil
  }
}
