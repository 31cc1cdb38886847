import TestSupport
import Testing

/// Checks that all code in the articles is compiled and run by tests.
@Suite("The code in the articles about SQLite stores") struct ArticleTests {
  private static let folder = "Sources/SQLiteStore/Documentation.docc/"
  private static let examples = "Tests/SQLiteStoreTests/ArticleExamples.swift"

  @Test(arguments: ["SQLiteStore.md", "OpenAnAppleStore.md", "ChangeYourModel.md", "ProtectAStore.md"])
  func `each code line of an article is in a test`(_ name: String) throws {
    let article = try ArticleText(path: Self.folder + name)
    #expect(try !article.blocks.isEmpty && article.blocks(notIn: Self.examples) == [])
  }

  @Test func `each code line of the comparison of stores is in a test`() throws {
    let article = try ArticleText(path: Self.folder + "WhatStoresCanDo.md")
    #expect(try article.blocks(notIn: Self.examples) == [])
  }

  @Test func `each code line of the README is in a test`() throws {
    let section = try #require(try ArticleText(path: "README.md").section("Core Data's SQLite files"))
    #expect(try section.blocks.count == 1 && section.blocks(notIn: Self.examples) == [])
  }
}
