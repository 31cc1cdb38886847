import Foundation
import TestSupport
import Testing

@Suite("The documentation of storeutil") struct DocumentationTests {
  private static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  @Test(.enabled(if: has("sqlite3"))) func `the commands in Stores.md print what it shows`() throws {
    let examples = try ConsoleExamples("Documentation/Stores.md")
    #expect(examples.examples.count > 10)
    try examples.run(tools: ["storeutil"]) { #expect($1 == $0.output, "$ \($0)") }
  }

  private static let documentation = Fixtures.url("").deletingLastPathComponent().appending(path: "Documentation").path

  @Test(.enabled(if: has("python3")))
  func `each verb has a manual page that matches its help`() throws {
    let script = documentation("make-manual")
    let result = try Program.runPython([script, "--check", Program.executable("storeutil").path])
    #expect(result.status == 0, "\(result.errors)")
    let manual = try String(contentsOfFile: documentation("Manual/storeutil.1"), encoding: .utf8)
    let named = manual.matches(of: /(?m)^\.It Xr (\S+) 1/).map { String($0.1) }.sorted()
    let pages = try FileManager.default.contentsOfDirectory(atPath: documentation("Manual"))
      .filter { $0.hasPrefix("storeutil-") }.map { String($0.dropLast(2)) }.sorted()
    #expect(named == pages && pages.count > 11)
  }

  private func documentation(_ path: String) -> String { "\(Self.documentation)/\(path)" }
}
