import ArgumentParser
import PropertyLists

@main
struct PlistUtil: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "plistutil",
    abstract: "Convert and inspect property lists, binary and XML.",
    usage: """
      plistutil [-i FILE] [-o FILE] [-f xml|bin] [-n PATH] [-s]
      plistutil -p FILE [-n PATH] [-s]
      plistutil lint FILE...
      """,
    discussion: """
      Without --format, a binary property list is converted to XML, and an XML one to binary. Without --infile and \
      --outfile, standard input is read and standard output is written.

      Exit codes: 0 success; 1 input or output failed, or nothing at the path; 2 not representable in the format; \
      3 cannot be parsed; 4 nested too deeply; 5 circular reference; 64 usage.

      Example: plistutil -i Info.plist -f xml -o -
      """,
    subcommands: [Lint.self])

  @OptionGroup var conversion: Conversion

  @Flag(name: .shortAndLong, help: "Print the version.")
  var version = false

  static func main() {
    // A name that is not UTF-8 has become another name in `CommandLine.arguments`.
    for index in 0..<Int(CommandLine.argc) {
      // Sound: the system passes as many strings as it says.
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
      if unsafe String(validatingCString: argument) == nil {
        exit(withError: ValidationError("\"\(CommandLine.arguments[index].printable())\" is not UTF-8."))
      }
    }
    main(nil)
  }

  func run() throws {
    if version {
      return try Input.standard.reportingErrors { () throws(PropertyListError) in
        try output("plistutil \(Self.version)")
      }
    }
    try conversion.run()
  }
}
