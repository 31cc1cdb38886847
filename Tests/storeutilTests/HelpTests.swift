import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("The help of storeutil") struct HelpTests {
  /// All verbs in the tool's own description.
  private static let verbs: [PropertyList] = {
    guard let output = try? Tool.run("--experimental-dump-help").output,
      let root = try? PropertyList(output, format: .json)["command"]
    else { return [] }
    return (root["subcommands"]?.array ?? []).filter { $0["commandName"] != "help" }
  }()

  @Test func `each verb has a valid example, and no help line is wider than 80 columns`() throws {
    #expect(Self.verbs.count > 11)
    for verb in Self.verbs {
      let name = verb["commandName"]?.string ?? ""
      #expect(verb["discussion"]?.string?.contains("storeutil \(name) ") == true, "\(name)")
    }
    for name in LongForm.cases(Self.verbs, every: 5).compactMap({ $0["commandName"]?.string }) {
      let help = try Tool.run(name, "--help")
      #expect(help.status == 0 && help.text.contains("storeutil \(name) "), "\(name)")
      #expect(help.text.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") }, "\(name)")
    }
  }

  @Test func `help is printed without arguments, and a mistyped verb gets a suggestion`() throws {
    #expect(try Tool.run().text == Tool.run("--help").text)
    #expect(try Tool.run("--version").text == "storeutil 0.1.0\n")
    #expect(try Tool.run("fech").status == 64)
    let help = try Tool.run("help", "fecth")
    #expect(
      help.status == 64 && help.text == "" && help.errors.contains("There is no verb \"fecth\"; did you mean fetch?"))
    #expect(try Tool.run("help", "fetch").text.hasPrefix("OVERVIEW: Print the objects of an entity."))
  }

  @Test func `verbs, options, entities and keys are completed`() throws {
    let library = try Library()
    func offered(_ words: String...) throws -> [String] {
      let result = try Program.run(
        "storeutil", ["complete", "zsh", String(words.count), "storeutil"] + words, in: library.url)
      return result.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(try Set(offered("")).isSuperset(of: ["fetch", "migrate"]))
    #expect(try offered("fetch", "--un") == ["--unwrap"])
    #expect(try offered("fetch", Library.store, "") == ["Author", "Book", "Comic", "Tag"])
    #expect(try offered("fetch", Library.store, "Tag", "--sort", "").sorted() == ["books", "name"])
    #expect(try offered("import", Library.store, "Tag", "a.csv", "--key", "").sorted() == ["books", "name"])
    #expect(try offered("import", Library.store, "Tag", "a.csv", "--map", "T=").sorted() == ["T=books", "T=name"])
    #expect(try offered("import", Library.store, "Tag", "a.csv", "--format", "") == ["csv", "json"])
    #expect(try offered("watch", Library.store, "--entity", "") == ["Author", "Book", "Comic", "Tag"])
    for shell in ["bash", "zsh", "fish"] {
      let script = try Tool.run("--generate-completion-script", shell)
      #expect(script.status == 0 && script.text.contains("storeutil") && !script.text.contains("plistutil"))
    }
  }
}
