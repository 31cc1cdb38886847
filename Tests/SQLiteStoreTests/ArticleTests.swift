import Foundation
import TestSupport
import Testing

/// The articles show nothing that was not compiled and run.
@Suite("The lines of the articles about SQLite stores")
struct ArticleTests {
  private static let folder = "Sources/SQLiteStore/Documentation.docc/"
  private static let examples = "Tests/SQLiteStoreTests/ArticleExamples.swift"

  @Test("stand in a test", arguments: ["SQLiteStore.md", "OpenAnAppleStore.md", "ChangeYourModel.md"])
  func standInATest(_ name: String) throws {
    let article = try ArticleText(path: Self.folder + name)
    #expect(try !article.blocks.isEmpty && article.blocks(notIn: Self.examples) == [])
  }

  @Test("that are all code of their article stand in a test")
  func whatStoresCanDo() throws {
    let article = try ArticleText(path: Self.folder + "WhatStoresCanDo.md")
    #expect(try article.blocks(notIn: Self.examples) == [])
  }

  @Test("of the README stand in a test")
  func readme() throws {
    let text = try ArticleText(path: "README.md").text
    let sections = text.components(separatedBy: "\n## ")
    let section = try #require(sections.first { $0.hasPrefix("Core Data's SQLite files\n") })
    let blocks = ArticleText(section)
    #expect(try blocks.blocks.count == 1 && blocks.blocks(notIn: Self.examples) == [])
  }
}
