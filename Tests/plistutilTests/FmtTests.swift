import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil fmt") struct FmtTests {
  private static let untidy = "{ b = 1; /* of a */ a = 2; }"
  private static let tidy = "{\n    b = 1;\n    /* of a */\n    a = 2;\n}\n"

  @Test func `formatted text is printed or replaces the file, and is sorted on request`() throws {
    let file = try SampleFile(Self.untidy)
    let printed = try file.run(["fmt", "@"])
    #expect(printed.text == Self.tidy && printed.status == 0 && printed.errors.isEmpty)
    #expect(try file.text == Self.untidy)
    #expect(try Tool.run(["fmt"], input: Data(Self.untidy.utf8)).text == Self.tidy)
    let sorted = try file.run(["fmt", "--sort", "@"])
    #expect(sorted.text == "{\n    /* of a */\n    a = 2;\n    b = 1;\n}\n")
    let replaced = try file.run(["fmt", "--in-place", "@"])
    #expect(replaced.status == 0 && replaced.text.isEmpty && replaced.errors.isEmpty)
    #expect(try file.text == Self.tidy)
  }

  @Test func `--in-place does not write a file that is already formatted`() throws {
    let file = try SampleFile(Self.tidy)
    func identity() throws -> AnyHashable? {
      try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? AnyHashable
    }
    let before = try identity()
    #expect(try file.run(["fmt", "--in-place", "@"]).status == 0)
    #expect(try identity() == before)
    #expect(try file.run(["fmt", "--in-place", "--sort", "@"]).status == 0)
    #expect(try identity() != before)
  }

  @Test func `--check lists the files that would change, exits with 1, and writes nothing`() throws {
    let file = try SampleFile(Self.untidy)
    let other = file.folder.path("b.plist")
    try Data(Self.tidy.utf8).write(to: URL(filePath: other))
    let binary = file.folder.path("c.plist")
    try PropertyList.string("x").write(to: URL(filePath: binary), format: .binary)
    let found = try Tool.run("fmt", "--check", "-r", file.folder.url.path)
    #expect(found.text == "\(file.path)\n" && found.status == 1 && found.errors.isEmpty)
    #expect(try file.text == Self.untidy)
    let fine = try Tool.run("fmt", "--check", other, binary)
    #expect(fine.text.isEmpty && fine.status == 0)
    #expect(try Tool.run("fmt", "--check", "--sort", other).status == 1)
    let broken = file.folder.path("d.plist")
    try Data("{ a = ".utf8).write(to: URL(filePath: broken))
    let defect = try Tool.run("fmt", "--check", broken, file.path)
    #expect(defect.status == 3 && defect.text == "\(file.path)\n" && defect.errors.contains("\(broken):1:7: error:"))
  }

  @Test func `a binary file has no layout, and contradictory options are usage errors`() throws {
    let file = try SampleFile(["a": 1], format: .binary)
    let printed = try file.run(["fmt", "@"])
    #expect(printed.status == 2 && printed.errors.contains("a binary property list has no layout; use convert -f xml"))
    #expect(try file.run(["fmt", "--in-place", "@"]).status == 0)
    #expect(try file.value == ["a": 1])
    #expect(try file.run(["fmt", "--check", "--in-place", "@"]).status == 64)
    #expect(try file.run(["fmt", "--from", "binary", "@"]).status == 64)
  }
}
