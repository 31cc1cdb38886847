import TestSupport
import Testing

/// The articles show nothing that was not compiled and run.
@Suite("The lines of the articles about SQLite stores")
struct ArticleTests {
  private static let folder = "Sources/SQLiteStore/Documentation.docc/"
  private static let examples = "Tests/SQLiteStoreTests/ArticleExamples.swift"

  @Test("stand in a test", arguments: ["SQLiteStore.md", "OpenAnAppleStore.md"])
  func standInATest(_ name: String) throws {
    let article = try ArticleText(path: Self.folder + name)
    #expect(try !article.blocks.isEmpty && article.blocks(notIn: Self.examples) == [])
  }

  @Test("about another model stand in tests, those of this suite or others")
  func changeYourModel() throws {
    let article = try ArticleText(path: Self.folder + "ChangeYourModel.md")
    #expect(try article.blocks(notIn: Self.examples).count < article.blocks.count)
  }

  @Test("that are all code of their article stand in a test")
  func whatStoresCanDo() throws {
    let article = try ArticleText(path: Self.folder + "WhatStoresCanDo.md")
    #expect(try article.blocks(notIn: Self.examples) == [])
  }
}
