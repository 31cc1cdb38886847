import Foundation
import TestSupport
import Testing

/// Checks that all code in the articles is compiled and run by tests.
@Suite("Code in the articles about managed objects") struct ArticleTests {
  private static let examples = "Tests/ManagedObjectsTests/ArticleExamples.swift"

  static let articles = [
    "ManagedObjects.md", "ModelYourData.md", "KeepObjects.md", "WritePredicates.md", "FetchedResults.md",
    "ComingFromCoreData.md",
  ]

  @Test(arguments: articles) func `the examples contain all code of an article`(_ name: String) throws {
    let article = try ArticleText(path: "Sources/ManagedObjects/Documentation.docc/\(name)")
    #expect(try !article.blocks.isEmpty && article.blocks(notIn: Self.examples) == [])
  }

  @Test func `the examples contain all code of the README section`() throws {
    let section = try #require(try ArticleText(path: "README.md").section("Managed objects"))
    #expect(try section.blocks.count == 3 && section.blocks(notIn: Self.examples) == [])
  }
}
