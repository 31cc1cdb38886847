import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil defaults watch") struct DefaultsWatchTests {
  private let tool = DefaultsTool()
  private static let domain = DefaultsTool.domain

  private func ready(_ process: ChildProcess) {
    #expect(eventually { process.errors.contains("Control-C") }, "\(process.errors)")
  }

  @Test func `each change is printed as a line of JSON when it happens`() throws {
    try tool.put(["a": 1, "b": 2])
    let process = try tool.start("watch", "--json", Self.domain)
    ready(process)
    try tool("write", Self.domain, "a", "-array", "-int", "5", "x\ny")
    let first = #"{"domain":"com.example.notes","key":"a","old":1,"new":[5,"x\ny"]}"# + "\n"
    #expect(eventually { process.text == first }, "\(process.text)")
    try tool("delete", Self.domain, "b")
    let second = first + #"{"domain":"com.example.notes","key":"b","old":2}"# + "\n"
    #expect(eventually { process.text == second }, "\(process.text)")
    try tool("write", "com.example.other", "c", "no")
    try tool("write", Self.domain, "c", "-date", "2001-01-01T00:00:00Z")
    let third = second + #"{"domain":"com.example.notes","key":"c","new":{"$date":"2001-01-01T00:00:00Z"}}"# + "\n"
    #expect(eventually { process.text == third }, "\(process.text)")
    process.kill()
  }

  @Test func `one key, and a file outside of the domains, can be watched`() throws {
    let path = tool.folder.path("file")
    let process = try tool.start("watch", path, "a")
    ready(process)
    try tool("write", path, "b", "1")
    try tool("write", path, "a", "2")
    #expect(eventually { process.text == "defaults write \(path) a -string 2\n" }, "\(process.text)")
    process.kill()
  }

  @Test(arguments: [["-currentHost"], ["-host", "there"]])
  func `the source of each value is printed`(_ options: [String]) throws {
    let process = try tool.start(["watch"] + options + [Self.domain])
    ready(process)
    try tool(options + ["write", Self.domain, "k", "-int", "1"])
    let call = "defaults \(options.joined(separator: " ")) write \(Self.domain) k -int 1\n"
    #expect(eventually { process.text == call }, "\(process.text)")
    process.kill()
  }

  @Test func `commands that make the changes are printed for the shell, also of new domains`() throws {
    try tool.put(["gone": 1])
    let process = try tool.start("watch")
    ready(process)
    let values = DefaultsReadTests.values.merging(
      ["it's": "it's $HOME `x`", "it'\u{301}s": "it'\u{301}s", "-k": "v", "esc": "\u{1B}[2J"]) { $1 }
    let file = URL(filePath: tool.folder.path("values"))
    try PropertyList.dictionary(values).data(format: .binary).write(to: file)
    // Changes that are found together are sorted by key, so the first is awaited.
    try tool("delete", Self.domain, "gone")
    let deletion = "defaults delete com.example.notes gone\n"
    #expect(eventually { process.text == deletion }, "\(process.text)")
    try tool("import", Self.domain, file.path)
    try tool("import", "com.example.new", file.path)
    try tool("write", "-g", "global", "-bool", "yes")
    let lineCount = 2 * values.count + 2
    #expect(eventually { process.text.count { $0 == "\n" } == lineCount }, "\(process.text)")
    process.kill()
    let script = process.text
    #expect(script.hasPrefix(deletion))
    #expect(!script.contains("\u{1B}"))
    // The printed commands make the same values elsewhere.
    let other = DefaultsTool()
    try other.put(["gone": 1])
    let link = URL(filePath: other.folder.path("defaults"))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: Tool.executable)
    let shell = try Program.run(
      URL(filePath: "/bin/sh"), ["-eu"], input: Data(script.utf8),
      environment: other.environment.merging(["PATH": "\(other.folder.url.path):/bin:/usr/bin"]) { $1 })
    #expect(shell.status == 0 && shell.errors.isEmpty, "\(shell.errors)")
    for name in [Self.domain, "com.example.new", ".GlobalPreferences"] {
      let made = try #require(try other.values(name))
      let expected = try #require(try tool.values(name))
      #expect(made.count == expected.count)
      for (key, value) in expected { #expect(made[key] == value, "\(key)") }
    }
  }
}
