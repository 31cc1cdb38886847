import PropertyLists
import SystemFiles

/// A command line of Apple's `plutil`.
struct PlutilCommand: Sendable {
  enum Verb: Sendable {
    case help, lint, print
    case convert(PlutilFormat, writesHeader: Bool)
    case insert(PropertyList, at: PlutilKeyPath, PlutilKeyPath.Insertion)
    case remove(PlutilKeyPath)
    case extract(PlutilKeyPath, PlutilFormat, expected: PropertyList.Kind?)
    case create(PlutilFormat)
  }

  struct Options: Sendable {
    var isSilent = false
    var isReadable = false
    var endsWithNewline = true
    var outputPath: String?
    var outputExtension: String?
    var coerces = false
  }

  private(set) var verb = Verb.lint
  private(set) var options = Options()
  private(set) var files: [String] = []

  /// Parses the arguments.
  ///
  /// - Parameter arguments: the arguments without the name of the program.
  init(_ arguments: [String]) throws(PlutilError) {
    var arguments = arguments[...]
    // Options that all verbs share may come before the verb too.
    while let argument = arguments.first, try options.take(argument, &arguments) {}
    try takeVerb(&arguments)
    if case .help = verb { return }
    while let argument = arguments.first {
      if argument == "--" {
        files += arguments.dropFirst()
        break
      }
      if !argument.hasPrefix("-") || argument == "-" {
        files.append(argument)
        arguments.removeFirst()
      } else if try !options.take(argument, &arguments), try !takeVerbOption(argument, &arguments) {
        // Not an option, but maybe a file whose name begins with a hyphen.
        if FileSystem.sizeOfRegularFile(argument) != nil {
          files.append(argument)
          arguments.removeFirst()
          continue
        }
        throw PlutilError("unrecognized option: \(argument.printable())")
      }
    }
    try check()
  }

  private mutating func takeVerb(_ arguments: inout ArraySlice<String>) throws(PlutilError) {
    guard let argument = arguments.popFirst() else { return }
    switch argument {
    case "-help", "--help", "-h": verb = .help
    case "-lint": verb = .lint
    case "-p": verb = .print
    case "-convert":
      guard let name = arguments.popFirst() else { throw PlutilError("Missing format specifier for command.") }
      let format = try PlutilFormat(name)
      guard !format.isForStandardOutput else { throw PlutilError("Unknown format specifier: \(name.printable())") }
      verb = .convert(format, writesHeader: false)
    case "-insert", "-replace":
      let needs = "'Insert' and 'Replace' require a key path, a type, and a value."
      guard let keyPath = arguments.popFirst(), let type = arguments.popFirst() else { throw PlutilError(needs) }
      let value = try PropertyList.plutilValue(type, &arguments, needs)
      verb = .insert(value, at: try PlutilKeyPath(keyPath), argument == "-insert" ? .new : .replacing)
    case "-remove":
      guard let keyPath = arguments.popFirst() else { throw PlutilError("'Remove' requires a key path.") }
      verb = .remove(try PlutilKeyPath(keyPath))
    case "-extract":
      guard let keyPath = arguments.popFirst(), let name = arguments.popFirst() else {
        throw PlutilError("'Extract' requires a key path and a plist format.")
      }
      verb = .extract(try PlutilKeyPath(keyPath), try PlutilFormat(name), expected: nil)
    case "-type":
      guard let keyPath = arguments.popFirst() else { throw PlutilError("'Type' requires a key path.") }
      verb = .extract(try PlutilKeyPath(keyPath), .type, expected: nil)
    case "-create":
      guard let name = arguments.popFirst() else { throw PlutilError("'Create' requires a plist format.") }
      let format = try PlutilFormat(name)
      verb = .create(format == .unchanged ? .file(FormatName(.xml)) : format)
    default: arguments = [argument] + arguments
    }
  }

  /// Parses an option that only some verbs have.
  ///
  /// - Returns: true if the argument is an option of the verb.
  private mutating func takeVerbOption(
    _ argument: String, _ arguments: inout ArraySlice<String>
  ) throws(PlutilError) -> Bool {
    switch (argument, verb) {
    case ("-header", .convert(let format, _)):
      guard format == .objectiveC else { throw PlutilError("-header is only valid for objc literal conversions.") }
      verb = .convert(format, writesHeader: true)
    case ("-append", .insert(let value, let keyPath, let insertion)):
      guard insertion != .replacing else { throw PlutilError("-append is not used with -replace.") }
      verb = .insert(value, at: keyPath, .appending)
    case ("-expect", .extract(let keyPath, let format, _)):
      _ = arguments.popFirst()
      guard let name = arguments.popFirst() else { throw PlutilError("-expect requires a type argument.") }
      guard let type = PropertyList.Kind.allCases.first(where: { $0.plutilName == name }) else {
        throw PlutilError("-expect type [\(name.printable())] not valid.")
      }
      verb = .extract(keyPath, format, expected: type)
      return true
    default: return false
    }
    _ = arguments.popFirst()
    return true
  }

  private func check() throws(PlutilError) {
    let name: String? =
      switch verb {
      case .lint: "-lint"
      case .print: "-p"
      default: nil
      }
    if let name, options.outputPath != nil { throw PlutilError("-o is not used with \(name).") }
    if let name, options.outputExtension != nil { throw PlutilError("-e is not used with \(name).") }
    guard !files.isEmpty else { throw PlutilError("No files specified.") }
    guard files.allSatisfy({ !$0.isEmpty }), options.outputPath != "" else { throw PlutilError("Empty path specified") }
  }
}

extension PlutilCommand.Options {
  /// Parses an option that all verbs share. Returns false for any other argument, without removing it from the
  /// arguments.
  fileprivate mutating func take(
    _ argument: String, _ arguments: inout ArraySlice<String>
  ) throws(PlutilError) -> Bool {
    switch argument {
    case "-s": isSilent = true
    case "-r": isReadable = true
    case "-n": endsWithNewline = false
    case "-coerce", "--coerce": coerces = true
    case "-o", "-e":
      _ = arguments.popFirst()
      guard let value = arguments.popFirst() else { throw PlutilError("Missing argument for \(argument).") }
      if argument == "-o" { outputPath = value } else { outputExtension = value }
      return true
    default: return false
    }
    _ = arguments.popFirst()
    return true
  }
}
