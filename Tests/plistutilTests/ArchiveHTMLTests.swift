import Foundation
import TestSupport
import Testing

@Suite("plistutil archive html") struct ArchiveHTMLTests {
  private let folder = TemporaryFolder()
  private static let foo = Fixtures.url("archives/foo-ios.bplist").path

  private func isPage(_ text: String) -> Bool {
    text.hasPrefix("<!DOCTYPE html>\n") && text.hasSuffix("</html>\n") && text.contains("\"kind\":\"archive\"")
  }

  @Test func `writes a page to a file, and to standard output`() throws {
    let path = folder.path("page.html")
    let result = try Tool.run("archive", "html", Self.foo, "-o", path)
    #expect(result.status == 0 && result.errors.isEmpty && result.output.isEmpty)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(isPage(text) && text.contains("foo-ios.bplist"))
    #expect(folder.names == ["page.html"])
    #expect(isPage(try Tool.run("archive", "html", Self.foo).text))
  }

  @Test func `data in data is opened, and typedstreams and all property lists are accepted`() throws {
    let nested = try Tool.run("archive", "html", Fixtures.url("archives/foundation-values.bplist").path)
    #expect(isPage(nested.text))
    let list = try Tool.run("archive", "html", input: Data("{a = (1, two);}".utf8))
    #expect(list.status == 0 && isPage(list.text) && list.text.contains("not an archive"))
  }

  @Test func `each of several files has its own page`() throws {
    for name in ["a", "b"] {
      try FileManager.default.copyItem(atPath: Self.foo, toPath: folder.path("\(name).archive"))
    }
    let paths = ["a", "b"].map { folder.path("\($0).archive") }
    #expect(try Tool.run(["archive", "html", "--extension", "html"] + paths).status == 0)
    #expect(folder.names == ["a.archive", "a.html", "b.archive", "b.html"])
    let refused = try Tool.run(["archive", "html"] + paths)
    #expect(refused.status != 0 && refused.output.isEmpty && refused.errors.contains("--extension or --outfolder"))
  }

  @Test func `an unreadable archive leaves the output unchanged, and the archive is never replaced`() throws {
    let path = folder.path("page.html")
    try Data("old".utf8).write(to: URL(filePath: path))
    let broken = try Tool.run(["archive", "html", "-o", path], input: Data("no archive".utf8.prefix(0)))
    #expect(broken.status != 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old" && folder.names == ["page.html"])
    #expect(try Tool.run("archive", "html", "--in-place", Self.foo).errors.contains("would replace the archive"))
  }
}
