import Foundation
import Testing

/// The articles show nothing that was not compiled and run.
@Suite("The lines of the articles")
struct ArticleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  private static let repository = folder.deletingLastPathComponent().deletingLastPathComponent()

  static let articles = [
    "ManagedObjects.md", "ModelYourData.md", "KeepObjects.md", "Predicates.md", "ComingFromCoreData.md",
  ]

  /// The blocks of Swift in a text, each without what stands behind two slashes.
  private static func blocks(_ text: String) -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in text.components(separatedBy: "\n") {
      if line == "```swift" {
        block = []
      } else if line == "```", let lines = block {
        blocks.append(lines)
        block = nil
      } else if !code(line).isEmpty {
        block?.append(code(line))
      }
    }
    return blocks
  }

  private static func code(_ line: String) -> String {
    (line.components(separatedBy: "// ").first ?? "").trimmingCharacters(in: .whitespaces)
  }

  /// The code of the file whose tests run the blocks. White space does not count.
  private static func examples() throws -> String {
    let text = try String(contentsOf: folder.appending(path: "ArticleExamples.swift"), encoding: .utf8)
    return solid(text.components(separatedBy: "\n").map(code))
  }

  private static func solid(_ lines: [String]) -> String { lines.joined().filter { !$0.isWhitespace } }

  private static func check(_ text: String) throws -> Int {
    let examples = try examples()
    let blocks = blocks(text)
    for block in blocks {
      #expect(examples.contains(solid(block)), "not in ArticleExamples.swift:\n\(block.joined(separator: "\n"))")
    }
    return blocks.count
  }

  @Test("stand in a test", arguments: articles)
  func standInATest(_ name: String) throws {
    let url = Self.repository.appending(path: "Sources/ManagedObjects/Documentation.docc").appending(path: name)
    #expect(try Self.check(String(contentsOf: url, encoding: .utf8)) > 0)
  }

  @Test("of the README stand in a test")
  func readme() throws {
    let text = try String(contentsOf: Self.repository.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("Managed objects\n") })
    #expect(try Self.check(section) == 3)
  }
}
