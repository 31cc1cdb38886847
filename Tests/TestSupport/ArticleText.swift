public import Foundation

/// The code blocks of an article, which tests must contain.
public struct ArticleText: Sendable {
  /// The root folder of the repository.
  public static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The Swift blocks, without comments.
  public let blocks: [[String]]
  public let text: String

  public init(_ text: String) {
    self.text = text
    var blocks: [[String]] = []
    var block: [String]?
    for line in text.components(separatedBy: "\n") {
      if line == "```swift" {
        block = []
      } else if line == "```", let lines = block {
        blocks.append(lines)
        block = nil
      } else if !Self.code(line).isEmpty {
        block?.append(Self.code(line))
      }
    }
    self.blocks = blocks
  }

  /// - Parameter path: The path of the article in the repository.
  public init(path: String) throws {
    self.init(try String(contentsOf: Self.repository.appending(path: path), encoding: .utf8))
  }

  /// Returns the section of the second level with a title, or nil if there is no such section.
  public func section(_ title: String) -> ArticleText? {
    text.components(separatedBy: "\n## ").first { $0.hasPrefix("\(title)\n") }.map { ArticleText($0) }
  }

  /// Returns the blocks that a file does not contain. White space is ignored.
  ///
  /// - Parameter path: The path of the file with tests of the blocks, in the repository.
  public func blocks(notIn path: String) throws -> [String] {
    let file = try String(contentsOf: Self.repository.appending(path: path), encoding: .utf8)
    let examples = Self.solid(file.components(separatedBy: "\n").map(Self.code))
    return blocks.filter { !examples.contains(Self.solid($0)) }.map { $0.joined(separator: "\n") }
  }

  private static func code(_ line: String) -> String {
    (line.components(separatedBy: "// ").first ?? "").trimmingCharacters(in: .whitespaces)
  }

  private static func solid(_ lines: [String]) -> String { lines.joined().filter { !$0.isWhitespace } }
}
