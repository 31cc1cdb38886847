import ArgumentParser
import ToolSupport

/// Completes the command line of each name that the tool can be called by.
enum LineCompletion {
  static func answer(to line: CommandLineWords, of program: Substring) -> CompletionAnswer {
    switch program {
    case "plutil": PlutilCompletion.answer(to: line)
    case "defaults": DefaultsCompletion(line).answer()
    case "PlistBuddy": BuddyCompletion.answer(to: line)
    case "plist2json": withoutVerb(line)
    default: answer(to: line)
    }
  }

  private static func answer(to line: CommandLineWords) -> CompletionAnswer {
    switch line.before.first {
    case Plutil.name: PlutilCompletion.answer(to: line.dropFirst(1))
    case "defaults": DefaultsCompletion(line.dropFirst(1)).answer()
    case "buddy": BuddyCompletion.answer(to: line.dropFirst(1))
    case let first? where first.hasPrefix("-"): withoutVerb(line)
    case nil where line.current.hasPrefix("-"): withoutVerb(line)
    default: VerbCompletion(of: PlistUtil.self, values: values).answer(to: line)
    }
  }

  /// Completes the options that plistutil accepts without a verb.
  private static func withoutVerb(_ line: CommandLineWords) -> CompletionAnswer {
    let options = LibplistOption.allCases.map { option in
      OptionCompletion.Argument(
        names: (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.rawValue)"], valueName: option.value,
        values: option.value == "format" ? FormatName.allValueStrings : [], help: option.help)
    }
    return OptionCompletion(options, line, values: keyPaths).answer()
  }

  private static func values(of verb: any ParsableCommand.Type) -> OptionCompletion.Values {
    // The path that `archive show` takes leads through the objects of an archive. A key path of the file would not be
    // valid.
    guard verb == ArchiveShow.self else { return keyPaths }
    return { argument, _, _ in argument.valueName == "path" ? .nothing : nil }
  }

  private static func keyPaths(
    of argument: OptionCompletion.Argument, _ text: String, _ line: CommandLineWords
  ) -> CompletionAnswer? {
    guard argument.valueName == "path" else { return nil }
    return KeyPathCompletion(argument.names.contains("--nodepath") ? .slashes : .tool).answer(to: text, line)
  }
}
