import Foundation
import PropertyLists
import TestSupport
import Testing

/// The pages in `Documentation/Manual`. Those of verbs are made by `Documentation/make-manual`; the others are
/// hand-written.
@Suite("The manual pages of plistutil") struct ManualTests {
  private static let documentation = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Documentation")

  /// The pages of verbs that parse their own arguments, which only their help lists.
  static let modes = ["plutil", "defaults", "buddy"]

  /// A verb, as described by the tool.
  struct Verb: CustomTestStringConvertible {
    /// The words of the call, beginning with the name of the tool.
    let path: [String]
    let options: Set<String>
    var testDescription: String { path.joined(separator: " ") }
    var page: String { path.joined(separator: "-") }
  }

  /// All visible verbs, after the tool itself.
  static let verbs: [Verb] = {
    guard let output = try? Tool.dumpedHelp.get().output,
      let root = try? PropertyList(output, format: .json)["command"]
    else { return [] }
    return [Verb(path: ["plistutil"], options: optionsWithoutAVerb)] + verbs(in: root, ["plistutil"])
  }()

  private static var optionsWithoutAVerb: Set<String> {
    let help = (try? Tool.run("--help").text) ?? ""
    let list = help.split(separator: "Options without a verb:\n").last?.split(separator: "\n\n").first ?? ""
    return Set(
      list.matches(of: /(?m)^ *(-\w)?,? *(--[\w-]+)/).flatMap { [$0.1, $0.2].compactMap { $0.map(String.init) } })
  }

  private static func verbs(in command: PropertyList, _ path: [String]) -> [Verb] {
    (command["subcommands"]?.array ?? []).flatMap { sub -> [Verb] in
      // ArgumentParser adds `help`.
      guard sub["shouldDisplay"]?.boolean != false, let name = sub["commandName"]?.string, name != "help" else {
        return []
      }
      return [Verb(path: path + [name], options: options(of: sub))] + verbs(in: sub, path + [name])
    }
  }

  private static func options(of command: PropertyList) -> Set<String> {
    let arguments = (command["arguments"]?.array ?? []).filter { $0["shouldDisplay"]?.boolean != false }
    return Set(
      arguments.flatMap { $0["names"]?.array ?? [] }.map { name in
        (name["kind"]?.string == "long" ? "--" : "-") + (name["name"]?.string ?? "")
      })
  }

  static var pages: [String] {
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: documentation.appending(path: "Manual").path)) ?? []
    return names.filter { $0.hasPrefix("plistutil") && $0.hasSuffix(".1") }.map { String($0.dropLast(2)) }.sorted()
  }

  private static func text(_ page: String) throws -> String {
    try String(contentsOf: documentation.appending(path: "Manual/\(page).1"), encoding: .utf8)
  }

  /// The options in the lists of a page.
  private static func options(onPage page: String) throws -> Set<String> {
    var options: Set<String> = []
    for line in try text(page).split(separator: "\n") where line.hasPrefix(".It ") {
      let words = line.split(separator: " ")
      for (word, next) in zip(words, words.dropFirst()) where word == "Fl" && next != "Ns" {
        options.insert("-" + next)
      }
    }
    return options
  }

  @Test(arguments: verbs.filter { !modes.contains($0.path.last!) })
  func `a verb's page has the verb's options`(_ verb: Verb) throws {
    // The tool handles these before it looks for a verb.
    let others: Set = ["--generate-completion-script", "--experimental-dump-help"]
    #expect(try Self.options(onPage: verb.page).subtracting(others) == verb.options)
  }

  @Test(arguments: verbs.filter { modes.contains($0.path.last!) })
  func `a mode's page has the options of its help`(_ mode: Verb) throws {
    let help = try Self.help(of: mode.path[1])
    let named = Set(help.matches(of: /(?:^|[^\w-])(--?[A-Za-z][\w-]*|--(?=\s))/).map { String($0.1) })
    #expect(named.count > 1)
    // Every tool has it; here it shows the page.
    #expect(try Self.options(onPage: mode.page).subtracting(["-h"]) == named.subtracting(["-h"]))
  }

  /// All text that a mode prints about itself.
  private static func help(of mode: String) throws -> String {
    let help = try Tool.run(mode, "-h").text
    switch mode {
    case "defaults":
      let verbs = help.matches(of: /(?m)^  ([a-z][a-z-]+)/).map { String($0.1) }
      return try verbs.reduce(help) { try $0 + Tool.run("defaults", $1, "--help").text }
    case "buddy":
      // The usage lists its arguments, and is printed without arguments. The first line has all options in one.
      return try help + Tool.run("buddy").text.split(separator: "\n").dropFirst().joined(separator: "\n")
    default: return help
    }
  }

  @Test func `each verb has a page that the main page lists, and there are no other pages`() throws {
    #expect(Self.verbs.count > 20)
    #expect(Self.pages == Self.verbs.map(\.page).sorted())
    let named = try Self.text("plistutil").matches(of: /(?m)^\.It Xr (\S+) 1/).map { String($0.1) }
    #expect(named.sorted() == Self.verbs.filter { $0.path.count == 2 }.map(\.page).sorted())
  }

  @Test(arguments: verbs.filter { modes.contains($0.path.last!) })
  func `completions know the options in a mode's help`(_ mode: Verb) throws {
    let help = try Tool.run(mode.path[1], "-h").text
    let (words, names) =
      switch mode.path[1] {
      case "plutil":
        (
          ["2", "plistutil", "plutil", "-"],
          help.split(separator: "\nTypes").first!.matches(of: /(?m)^ (-[a-z]+)/).map { String($0.1) }
        )
      case "defaults":
        (["2", "plistutil", "defaults", ""], help.matches(of: /(?m)^  ([a-z][a-z-]+)/).map { String($0.1) })
      default:
        (["3", "plistutil", "buddy", "-c", ""], help.matches(of: #/(?m)^    ([A-Z]\w*) [^-]*- /#).map { String($0.1) })
      }
    #expect(names.count > 9)
    let offered = try Tool.run(["complete", "zsh"] + words).text.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    for name in names { #expect(offered.contains(name[...]), "\(name)") }
  }

  @Test(arguments: pages) func `all referenced pages exist`(_ page: String) throws {
    let references = try Self.text(page).matches(of: /(?m)^\.(?:It )?Xr (\S+) 1/).map { String($0.1) }
    #expect(!references.isEmpty)
    for reference in references { #expect(Self.pages.contains(reference), "\(reference)") }
  }

  @Test(.enabled(if: Installed.has("mandoc"))) func `mandoc reports no problems`() throws {
    let folder = Self.documentation.appending(path: "Manual").path
    // From this folder, mandoc finds the pages that each page refers to. Standard error can have complaints about the
    // manual of this machine.
    let result = try Program.run(URL(filePath: "/bin/sh"), ["-c", #"cd "$0" && exec mandoc -T lint *.1"#, folder])
    #expect(result.text == "")
  }

  @Test(.enabled(if: Installed.has("python3")))
  func `the pages of the verbs match their help`() throws {
    let python = try #require(Installed.url("python3"))
    let script = Self.documentation.appending(path: "make-manual").path
    let result = try Program.run(python, [script, "--check", Tool.executable.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}
