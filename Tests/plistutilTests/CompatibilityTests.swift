import Foundation
import TestSupport
import Testing

/// `Fixtures/compatibility` has command lines of the tools that this one replaces, with the results of the original and
/// the differences here. `Documentation/Compatibility.md` has a row with the reason for each difference.
@Suite("Compatibility of plistutil with other tools") struct CompatibilityTests {
  @Test(arguments: LongForm.cases(LongForm.cases(CompatibilityRun.all, covering: \.features), every: 2))
  func `each command has the result of the original, or a listed difference`(_ run: CompatibilityRun) throws {
    try expect(run.outcome(of: Tool.executable), run.here?.completed(with: run.original) ?? run.original)
  }

  @Test(
    "the toolchain's plutil has the result of the original, or a listed difference",
    .enabled(if: AppleTool.toolchain != nil, "there is no plutil of a Swift toolchain in the path"),
    arguments: LongForm.cases(
      CompatibilityRun.runs(of: "plutil").filter { $0.toolchain == nil }, covering: { [$0.verb, $0.exitCode] }))
  func toolchain(_ run: CompatibilityRun) throws {
    try expect(run.outcome(of: #require(AppleTool.toolchain).executable), run.original)
  }

  private func expect(_ outcome: CompatibilityRun.Outcome, _ expected: CompatibilityRun.Expectation) {
    if let output = expected.output { #expect(outcome.output == output.text) }
    if let exit = expected.exit { #expect(outcome.status == exit) }
    if let errors = expected.errors {
      #expect(outcome.errors.isEmpty == errors.isEmpty, "\(outcome.errors)")
      for words in errors { #expect(outcome.errors.contains(words)) }
    }
    #expect(outcome.after == (expected.after ?? [:]).mapValues { $0?.text })
  }

  // MARK: The document

  @Test(arguments: CompatibilityRun.tools)
  func `each difference has a row in the document, and each row a test`(_ tool: String) throws {
    let keys = CompatibilityRun.runs(of: tool).flatMap { [$0.row, $0.toolchain] }.compactMap { $0 }
    #expect(try Set(Self.rows(of: tool)) == Set(keys))
  }

  @Test func `a test has a row if and only if something differs`() {
    for run in CompatibilityRun.all {
      #expect((run.row == nil) == (run.here == nil), "\(run)")
      guard let here = run.here else { continue }
      #expect(here.completed(with: run.original) != run.original || run.original.output == nil, "\(run)")
    }
  }

  @Test(arguments: [("plutil", 200), ("libplist", 120), ("defaults", 110)])
  func `the number of tests is the documented one`(_ tool: String, _ number: Int) {
    let runs = CompatibilityRun.runs(of: tool)
    #expect(runs.count >= number && Set(runs).count == runs.count)
  }

  /// The keys of the rows about a tool in the document.
  private static func rows(of tool: String) throws -> [String] {
    let document = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Documentation/Compatibility.md")
    let parts = try String(contentsOf: document, encoding: .utf8).components(separatedBy: "\n## ")
    let part = try #require(parts.first { $0.hasPrefix(tool) })
    return part.split(separator: "\n").compactMap { line in
      line.prefixMatch(of: /\| `([a-z-]+)` \|/).map { String($0.output.1) }
    }
  }
}
