import ArgumentParser
import FoundationEssentials
import PropertyLists
import ToolSupport

/// The tool without a verb. It works like libplist's tool of the same name, and has the same options.
enum Libplist {
  private static let versionLine = "plistutil 0.1.0"

  /// Runs the tool.
  ///
  /// - Parameter arguments: the arguments without the name of the program.
  /// - Returns: the exit code.
  /// - Throws: `ValidationError`, or `CleanExit` if help is asked for.
  static func run(_ arguments: [String]) throws -> Int32 {
    let command = try LibplistCommand(arguments)
    if command.has(.help) { throw CleanExit.helpRequest() }
    if command.has(.version) {
      try telling(about: "standard output") { () throws(PropertyListError) in try output(versionLine) }
      return ExitCodes.success
    }
    if command.has(.print), command.has(.infile) {
      throw ValidationError("--print FILE and --infile FILE cannot be combined; both name the input.")
    }
    if command.has(.print), command.has(.format) {
      throw ValidationError("--print cannot be combined with --format; it has its own form.")
    }
    let conversion = try command.conversion()
    let destination = try command.destination()
    let input = Input(command[.print] ?? command[.infile] ?? "-")
    if arguments.isEmpty, Input.isTerminal { throw CleanExit.helpRequest() }
    let batch = Batch(
      inputs: [input], jobs: 1, isForMachines: destination.report,
      replaces: { !command.has(.print) && destination.replaces($0) })
    return batch.run { input, report throws(PropertyListError) in
      guard command.has(.print) else { return try conversion.convert(input, to: destination, isLenient: true, &report) }
      let document = try conversion.reading.lenientDocument(input, &report)
      try report.write(readableForm(conversion.node(document), sortsKeys: conversion.writing.sort))
    }
  }

  /// Returns a value in the readable form that the environment variable PLIST_OUTPUT_FORMAT selects, as in libplist's
  /// tool.
  private static func readableForm(
    _ node: PropertyListDocument.Node, sortsKeys: Bool
  ) throws(PropertyListError) -> Data {
    switch ProcessInfo.processInfo.environment["PLIST_OUTPUT_FORMAT"] {
    case "limd": return try node.outline(sortsKeys: sortsKeys)
    case "plutil":
      let form = HumanForm(sortsKeys: sortsKeys, truth: ("1", "0"))
      return try form.text(of: PropertyList(node)) + Data("\n".utf8)
    default:
      var options = DescriptionOptions()
      options.sortsKeys = sortsKeys
      return try node.readableForm(options)
    }
  }
}
