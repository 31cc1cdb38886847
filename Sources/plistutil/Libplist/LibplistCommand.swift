import ArgumentParser
import PropertyLists
import ToolSupport

/// A command line of libplist's tool of the same name, which has no verbs. It has its own parser, because
/// ArgumentParser takes as long as the rest of a conversion.
struct LibplistCommand {
  /// The value of each option on the command line, empty for an option without a value. The last value of a repeated
  /// option is used. Not a dictionary, because Swift takes longer to prepare its type than to search these.
  private var given: [(option: LibplistOption, value: String)] = []

  static let usage = """
    plistutil VERB …
    plistutil [-i FILE] [-o FILE] [-f FORMAT] [-n PATH] [-s] [-c] [-C]
    plistutil -p FILE [-n PATH] [-s]
    """

  /// Parses the arguments.
  ///
  /// - Parameter arguments: the arguments without the name of the program.
  /// - Throws: `ValidationError`.
  init(_ arguments: [String]) throws {
    var arguments = arguments[...]
    while let argument = arguments.popFirst() {
      if argument.hasPrefix("--"), argument != "--" {
        try takeLong(argument, &arguments)
      } else if argument.hasPrefix("-"), argument != "-", argument != "--" {
        try takeShort(argument, &arguments)
      } else {
        throw ValidationError("Unexpected argument '\(argument.printable())'; use --infile for a file.")
      }
    }
  }

  private mutating func takeLong(_ argument: String, _ arguments: inout ArraySlice<String>) throws {
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let option = try Self.option(named: String(parts[0]))
    if option.value == nil, parts.count > 1 { throw ValidationError("--\(option.rawValue) takes no value.") }
    try take(option, joined: parts.count > 1 ? String(parts[1]) : nil, &arguments)
  }

  /// Returns the option with a name, or the only option whose name begins with `name`. Options of libplist's tool have
  /// priority, so that the command lines of that tool keep their meaning.
  private static func option(named name: String) throws -> LibplistOption {
    if let option = LibplistOption(rawValue: name) { return option }
    for options in name.isEmpty ? [] : [LibplistOption.ofLibplist, LibplistOption.allCases] {
      let found = options.filter { $0.rawValue.hasPrefix(name) }
      if found.count == 1 { return found[0] }
      guard found.isEmpty else {
        let names = found.map { "--\($0.rawValue)" }.joined(separator: ", ")
        throw ValidationError("'--\(name.printable())' matches several options: \(names).")
      }
    }
    throw unknown("--\(name)")
  }

  /// Parses the option letters after one hyphen. If an option takes a value, the rest of the argument is its value.
  private mutating func takeShort(_ argument: String, _ arguments: inout ArraySlice<String>) throws {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = LibplistOption.allCases.first(where: { $0.letter == letter }) else {
        throw Self.unknown("-\(letter)")
      }
      if option.value == nil {
        try take(option, joined: nil, &arguments)
      } else {
        let value = letters.first == "=" ? letters.dropFirst() : letters
        return try take(option, joined: letters.isEmpty ? nil : String(value), &arguments)
      }
    }
  }

  private mutating func take(_ option: LibplistOption, joined: String?, _ arguments: inout ArraySlice<String>) throws {
    guard let name = option.value else {
      return given.append((option, ""))
    }
    guard let value = joined ?? arguments.popFirst() else {
      throw ValidationError("--\(option.rawValue) needs a value: --\(option.rawValue) \(name.uppercased())")
    }
    if value.isEmpty, name == "file" || name == "folder" {
      throw ValidationError("--\(option.rawValue): the name of a \(name) is missing.")
    }
    given.append((option, value))
  }

  private static func unknown(_ option: String) -> ValidationError {
    ValidationError("Unknown option '\(option.printable())'.")
  }

  func has(_ option: LibplistOption) -> Bool { self[option] != nil }

  subscript(_ option: LibplistOption) -> String? { given.last { $0.option == option }?.value }

  private func format(_ option: LibplistOption) throws -> FormatName? {
    guard let name = self[option] else { return nil }
    guard let format = FormatName(argument: name) else {
      let names = FormatName.allValueStrings.joined(separator: ", ")
      throw ValidationError("--\(option.rawValue) takes a format (\(names)), not '\(name.printable())'.")
    }
    return format
  }

  /// Returns the conversion that the options describe.
  func conversion() throws -> Conversion {
    let path = try self[.nodepath].map { text in
      do { return try PropertyListKeyPath(ProgramArguments.text(text), syntax: .slashes) } catch {
        throw ValidationError("--nodepath: \(error)")
      }
    }
    return Conversion(
      format: try format(.format), nodepath: path,
      reading: ReadingArguments(
        inputFormat: try format(.from), keepLastDuplicates: has(.keepLastDuplicates), coerce: has(.coerce)),
      writing: WritingArguments(sort: has(.sort), compact: has(.compact), plain: has(.plain)), debug: has(.debug))
  }

  func destination() throws -> Destination {
    let destination = Destination(
      outfile: self[.outfile], inPlace: has(.inPlace), outfolder: self[.outfolder], extension: self[.extension],
      force: has(.force), report: has(.report))
    try destination.validate()
    return destination
  }
}
