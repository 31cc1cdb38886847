import ArgumentParser
import FoundationEssentials
import PropertyLists

/// What the tool does without a verb, with the options of libplist's tool of the same name.
struct BareConversion: ParsableCommand {
  private static let versionLine = "plistutil 0.1.0"

  /// That of the whole tool.
  static let usage = """
    plistutil VERB …
    plistutil [-i FILE] [-o FILE] [-f FORMAT] [-n PATH] [-s] [-c] [-C]
    plistutil -p FILE [-n PATH] [-s]
    """

  static let configuration = CommandConfiguration(
    commandName: "bare", abstract: "Convert or print one file, with the options of libplist's tool.",
    usage: usage, shouldDisplay: false)

  @Option(name: .shortAndLong, help: ArgumentHelp("Read FILE; - is standard input.", valueName: "file"))
  var infile: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Read FILE and print it in a form for people, whatever --outfile says.", valueName: "file"))
  var print: String?

  @OptionGroup var conversion: Conversion
  @OptionGroup var destination: Destination

  @Flag(name: [.customShort("v"), .customLong("version")], help: "Print the version.")
  var printsVersion = false

  func validate() throws {
    if print != nil, infile != nil { throw ValidationError("--print FILE names the input, and so does --infile.") }
    if print != nil, conversion.format != nil {
      throw ValidationError("--print has a form of its own; it goes without --format.")
    }
  }

  func run() throws {
    if printsVersion {
      return try telling(about: "standard output") { () throws(PropertyListError) in try output(Self.versionLine) }
    }
    let input = Input(print ?? infile ?? "-")
    if CommandLine.argc < 2, Input.isTerminal { throw CleanExit.helpRequest() }
    let batch = Batch(inputs: [input], jobs: 1, isForMachines: destination.report)
    let isPrint = print != nil
    let exitCode = batch.run { [conversion, destination] input, report throws(PropertyListError) in
      guard isPrint else { return try conversion.convert(input, to: destination, &report) }
      let document = try conversion.reading.document(input)
      try report.write(Self.readableForm(conversion.node(document), sortsKeys: conversion.writing.sort))
    }
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }

  /// The form that the environment asks for, as libplist's tool does.
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
