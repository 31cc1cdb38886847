import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("Replacing several files together") struct ReplacementsTests {
  private let folder = TemporaryFolder()
  private let paths: [String]

  init() throws {
    paths = (0..<5).map { [folder] in folder.path("\($0)") }
    for path in paths { try Data("old".utf8).write(to: URL(filePath: path)) }
  }

  private func stage(_ replacements: Replacements) throws {
    for path in paths {
      let replacement = try Replacement(of: path)
      try replacement.output.write(Data("new".utf8))
      let failures = try replacements.add(replacement)
      #expect(failures.isEmpty)
    }
  }

  private func content(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  /// Commits the files while some calls fail.
  private func finish(
    _ replacements: Replacements, failing: @escaping @Sendable (Interception.Call) -> Bool
  ) -> [Replacements.Failure] {
    Interception.ofCalls(in: folder.url.path, { failing($0) ? EIO : nil }, during: replacements.finish)
  }

  @Test func `no file changes until all are committed`() throws {
    let replacements = Replacements()
    try stage(replacements)
    for path in paths { #expect(try content(path) == "old") }
    #expect(replacements.finish().isEmpty)
    for path in paths { #expect(try content(path) == "new") }
    #expect(folder.names.count == paths.count)
    #expect(replacements.finish().isEmpty)
  }

  @Test func `replacements are committed whenever their greatest count is reached`() throws {
    let replacements = Replacements(greatestCount: 2)
    try stage(replacements)
    #expect(try paths.map(content) == ["new", "new", "new", "new", "old"])
  }

  @Test func `replacements that are not committed leave no files`() throws {
    do {
      let replacements = Replacements()
      try stage(replacements)
      #expect(folder.names.count == 2 * paths.count)
    }
    #expect(folder.names.count == paths.count)
    for path in paths { #expect(try content(path) == "old") }
  }

  @Test func `a replacement that fails is reported, and the others are made`() throws {
    let replacements = Replacements()
    try stage(replacements)
    let failures = finish(replacements) { [path = paths[1]] in $0.call == .rename && $0.path == path }
    #expect(failures.map(\.path) == [paths[1]])
    #expect(failures.first?.error.code == EIO)
    #expect(try paths.map(content) == ["new", "old", "new", "new", "new"])
    #expect(folder.names.count == paths.count)
  }

  @Test func `a replacement that was not written to the disk replaces nothing`() throws {
    let replacements = Replacements()
    try stage(replacements)
    // Syncing the whole file system uses the first file.
    let failures = finish(replacements) { [paths] in
      $0.call == .synchronize && [paths[0], paths[3]].contains($0.path)
    }
    #expect(failures.map(\.path) == [paths[0], paths[3]])
    #expect(try paths.map(content) == ["old", "new", "new", "old", "new"])
    #expect(folder.names.count == paths.count)
  }

  @Test func `a file that is not regular is written immediately`() throws {
    let replacements = Replacements()
    let replacement = try Replacement(of: "/dev/null")
    try replacement.output.write(Data([1]))
    let failures = try replacements.add(replacement)
    #expect(failures.isEmpty)
    #expect(replacements.finish().isEmpty)
  }
}
