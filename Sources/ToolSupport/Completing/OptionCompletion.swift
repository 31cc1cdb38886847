package import ArgumentParser
internal import FoundationEssentials
internal import PropertyLists

/// Completes the options and arguments of one verb.
package struct OptionCompletion {
  private let line: CommandLineWords
  private let arguments: [Argument]
  private let values: Values

  /// A function that completes the value of an argument if ArgumentParser does not list the possible values. It gets
  /// the argument, the value up to the cursor, and the command line. It returns nil if the usual completion fits, such
  /// as names of files.
  package typealias Values = (Argument, String, CommandLineWords) -> CompletionAnswer?

  /// An option or a positional argument of a verb.
  package struct Argument {
    var kind = ""
    /// The names of an option, with their hyphens; empty for a positional argument.
    package private(set) var names: [String] = []
    /// The name of the value in help texts, such as `file`.
    package private(set) var valueName = ""
    var values: [String] = []
    var help = ""
    var isRepeating = false
    var completesFiles = false
    var completesFolders = false
  }

  package init(_ command: any ParsableCommand.Type, _ line: CommandLineWords, values: @escaping Values) {
    let description = try? PropertyList(Data(command._dumpHelp().utf8), format: .json)
    let arguments = (description?["command"]?["arguments"]?.array ?? []).compactMap { Argument($0) }
    self.init(arguments, line, values: values)
  }

  package init(_ arguments: [Argument], _ line: CommandLineWords, values: @escaping Values) {
    self.line = line
    self.arguments = arguments
    self.values = values
  }

  package func answer() -> CompletionAnswer {
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
    let unnamed = arguments.filter { $0.kind == "positional" }
    guard let last = unnamed.last, positionals < unnamed.count || last.isRepeating else { return .nothing }
    let next = unnamed[min(positionals, unnamed.count - 1)]
    // If an option already has the key path, all positional arguments are files.
    return next.valueName == "path" && namesPath ? .files : values(of: next, line.current)
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
    if let answer = values(argument, text, line) { return answer }
    switch argument.valueName {
    case "bool": return .texts(["true", "false"])
    case "file", "folder": return argument.completesFolders || argument.valueName == "folder" ? .folders : .files
    default: return argument.completesFiles ? .files : argument.completesFolders ? .folders : .nothing
    }
  }
}

extension OptionCompletion.Argument {
  /// Creates an option of a program whose arguments are not parsed by ArgumentParser.
  ///
  /// - Parameters:
  ///   - valueName: the name of the value; nil for a flag.
  ///   - values: the possible values, if they can be listed.
  package init(names: [String], valueName: String?, values: [String] = [], help: String) {
    kind = valueName == nil ? "flag" : "option"
    self.names = names
    self.valueName = valueName ?? ""
    self.values = values
    self.help = help
  }

  /// Creates an argument from ArgumentParser's description; nil for a hidden argument.
  ///
  /// - Parameter description: an element of `arguments` in the output of `--experimental-dump-help`.
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
