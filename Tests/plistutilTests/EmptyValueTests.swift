import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil --option= without a value") struct EmptyValueTests {
  /// An option of a verb that takes a value.
  struct Option: CustomTestStringConvertible, Sendable {
    let verb: [String]
    let name: String

    var testDescription: String { (verb + [name]).joined(separator: " ") }
  }

  /// All options in the help of the tool.
  static let options: [Option] = {
    do {
      let help = try Tool.dumpedHelp.get()
      let root = try PropertyList(help.output, format: .json)["command"]
      return (root?["subcommands"]?.array ?? []).flatMap { options(of: $0, []) }
    } catch {
      return []
    }
  }()

  private static func options(of command: PropertyList, _ parents: [String]) -> [Option] {
    let verb = parents + [command["commandName"]?.string ?? ""]
    if ["help", "plutil", "defaults"].contains(verb[0]) { return [] }
    let named = (command["arguments"]?.array ?? []).filter { $0["kind"]?.string == "option" }
      .flatMap { $0["names"]?.array ?? [] }
    let own = named.map { name in
      Option(verb: verb, name: (name["kind"]?.string == "short" ? "-" : "--") + (name["name"]?.string ?? ""))
    }
    return own + (command["subcommands"]?.array ?? []).flatMap { options(of: $0, verb) }
  }

  @Test func `the help of every verb lists its options`() {
    let verbs = Set(Self.options.map { $0.verb.joined(separator: " ") })
    #expect(verbs.isSuperset(of: ["convert", "set", "append", "get", "find", "merge", "diff", "lint", "archive show"]))
    #expect(Self.options.count > 100)
  }

  /// In the short form, a sixth of the names, each for the last verb that has it.
  static let tried: [Option] = {
    if LongForm.isWanted { return options }
    let last = Dictionary(options.map { ($0.name, $0) }) { $1 }.values
    return LongForm.cases(last.sorted { $0.name < $1.name }, every: 6)
  }()

  @Test(arguments: tried)
  func `the value is empty, and the next argument is not taken`(_ option: Option) throws {
    func run(_ empty: [String]) throws -> (Program, [String: Data]) {
      let folder = TemporaryFolder()
      for name in ["a.plist", "b.plist"] {
        try (["a": ["b": 1]] as PropertyList).write(to: URL(filePath: folder.path(name)), format: .xml)
      }
      let operands =
        switch option.verb[0] {
        case "get", "type", "keys", "set", "insert", "replace", "remove", "append": ["a", "a.plist"]
        case "merge", "diff", "patch": ["a.plist", "b.plist"]
        default: ["a.plist"]
        }
      let program = try Program.run(Tool.executable, option.verb + empty + operands, in: folder.url)
      return (
        program,
        Dictionary(
          uniqueKeysWithValues: try folder.names.map { ($0, try Data(contentsOf: URL(filePath: folder.path($0)))) })
      )
    }
    let (joined, files) = try run([option.name + "="])
    let (apart, otherFiles) = try run([option.name, ""])
    #expect(joined.output == apart.output && joined.errors == apart.errors && joined.status == apart.status)
    #expect(files == otherFiles)
    // The value is accepted, or the error names it.
    if joined.status == 64 { #expect(joined.errors.contains(option.name), "\(joined.errors)") }
  }

  @Test func `an option in place of a value is an error: a script variable was empty`() throws {
    let file = try SampleFile("<plist><dict><key>v</key><string>41</string></dict></plist>")
    for arguments in [
      ["set", "v", "--string", "--in-place", file.path], ["set", "v", "--in-place", "--string", "--", file.path],
      ["get", "-k", "v", "--default", "--raw0", file.path], ["find", "--contains", "--values", file.path],
      ["find", "--where", "--json", file.path], ["find", "--key", "--values", file.path],
    ] {
      let result = try Tool.run(arguments)
      #expect(result.status == 64 && result.errors.contains(" has no value: --"), "\(arguments): \(result.errors)")
    }
    #expect(try file.value == ["v": "41"])
    // Text that is not an option of the verb is a value.
    #expect(try Tool.run("set", "v", "--string", "--verbose", "--in-place", file.path).status == 0)
    #expect(try file.value == ["v": "--verbose"])
  }

  @Test func `an empty variable of a script is an empty string`() throws {
    let file = try SampleFile("<plist><dict><key>v</key><string>41</string></dict></plist>")
    let result = try Tool.run("set", "v", "--string=", "--in-place", file.path)
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(try file.value == ["v": ""])
    // Text that only resembles an option is a value.
    #expect(try Tool.run("set", "v", "--string", "--in-place=", "--in-place", file.path).status == 0)
    #expect(try file.value == ["v": "--in-place="])
    #expect(try Tool.run("set", "v", "--string=--json=", "--in-place", file.path).status == 0)
    #expect(try file.value == ["v": "--json="])
    let flag = try Tool.run("set", "v", "--null", "--in-place=", file.path)
    #expect(flag.status == 64 && flag.errors.hasPrefix("Error: --in-place takes no value.\nUsage: plistutil set "))
  }

  @Test(arguments: ["--infile", "--outfile", "--format", "--print", "--from", "--outfolder", "--extension", "-o", "-f"])
  func `the same is true for libplist's options`(_ option: String) throws {
    let file = try SampleFile(["a": 1], format: .xml)
    let result = try Tool.run(option + "=", "-i", file.path)
    #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(option), "\(result.errors)")
  }

  @Test func `an empty --nodepath is the whole file`() throws {
    let file = try SampleFile(["a": 1], format: .xml)
    #expect(try Tool.run("--nodepath=", "-i", file.path, "-f", "json", "-c").text == "{\"a\":1}\n")
  }

  @Test(arguments: ["--folder", "--format", "--from", "--key-path", "--host"])
  func `the same is true for defaults`(_ option: String) throws {
    let tool = DefaultsTool()
    try tool.put(["a": 1])
    let verb = option == "--from" ? "import" : "read"
    let result = try tool(verb, option + "=", DefaultsTool.domain, "a")
    #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(option), "\(result.errors)")
  }

  @Test func `other values of defaults can be joined, and empty`() throws {
    let tool = DefaultsTool()
    try tool.put(["a": 1])
    #expect(try tool("read", "--folder=" + tool.folder.path("config"), DefaultsTool.domain, "a").text == "1\n")
    #expect(try tool("write", DefaultsTool.domain, "a", "").status == 0)
    #expect(try tool.values() == ["a": ""])
  }
}
