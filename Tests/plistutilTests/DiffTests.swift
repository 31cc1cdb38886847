import Foundation
import PropertyListTools
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil diff and patch") struct DiffTests {
  static let old: PropertyList = [
    "a": [1, 2, 3], "b": ["x": "y"], "when": .date(Date(timeIntervalSinceReferenceDate: 0)),
  ]
  static let new: PropertyList = ["b": ["x": "z"], "a": [3, 1, 2], "n": .data(Data([1]))]

  static func files(_ old: PropertyList = old, _ new: PropertyList = new) throws -> (TemporaryFolder, String, String) {
    let folder = TemporaryFolder()
    try old.write(to: URL(filePath: folder.path("old.plist")), format: .xml)
    try new.write(to: URL(filePath: folder.path("new.plist")), format: .binary)
    return (folder, folder.path("old.plist"), folder.path("new.plist"))
  }

  @Test func `diff prints a line for each change, and exits with 1`() throws {
    let (folder, old, new) = try Self.files()
    _ = folder
    let result = try Tool.run("diff", old, new)
    #expect(
      result.text == """
        - when: 2001-01-01 00:00:00 +0000
        # the root: the order of keys is "b", "a"
        + n: <01>
        ~ b.x: "y" -> "z"
        > a.2 -> a.0: 3

        """)
    #expect(result.status == 1 && result.errors.isEmpty)
    let loose = try Tool.run("diff", "--ignore-key-order", old, new)
    #expect(!loose.text.contains("order of keys") && loose.status == 1)
    let quiet = try Tool.run("diff", "-q", old, new)
    #expect(quiet.text.isEmpty && quiet.status == 1)
    let colors = try Tool.run("diff", "--color", "always", old, new)
    #expect(colors.text.contains("\u{1B}[32m+ n: <01>\u{1B}[0m\n"))
  }

  @Test func `equal values exit with 0, whatever the format`() throws {
    let (folder, old, new) = try Self.files(Self.old, Self.old)
    _ = folder
    let result = try Tool.run("diff", old, new)
    #expect(result.text.isEmpty && result.errors.isEmpty && result.status == 0)
    let standard = try Tool.run(["diff", "-", new], input: Data(contentsOf: URL(filePath: old)))
    #expect(standard.status == 0)
  }

  @Test func `an error exits with 2`() throws {
    let (folder, old, _) = try Self.files()
    let broken = folder.path("broken.plist")
    try Data("<plist><dict>".utf8).write(to: URL(filePath: broken))
    for (first, second) in [(old, broken), (broken, old), (old, "/nonexistent"), ("/nonexistent", old)] {
      let result = try Tool.run("diff", first, second)
      #expect(result.status == 2 && result.text.isEmpty && !result.errors.isEmpty)
    }
    #expect(try Tool.run("diff", old, broken).errors.hasPrefix("\(broken):1:"))
    #expect(try Tool.run("diff", "-", "-").status == 64)
    #expect(try Tool.run("diff", "-r", old, folder.url.path).status == 64)
    #if os(Linux)
      #expect(try Tool.run("diff", "--patch", "-o", "/dev/full", old, folder.path("new.plist")).status == 2)
    #endif
  }

  @Test func `diff prints JSON`() throws {
    let (folder, old, new) = try Self.files()
    _ = folder
    let result = try Tool.run("diff", "--json", old, new)
    let fields = try PropertyList(result.output, format: .json, options: .init(restoresCoercedValues: true))
    #expect(fields["file"] == .string(new) && fields["old"] == .string(old) && result.status == 1)
    #expect(try PropertyListDifference(patch: fields).applied(to: Self.old) == Self.new)
  }

  @Test(arguments: ["xml", "binary", "json", "openstep"])
  func `a patch in each format converts one file into the other, and back`(_ format: String) throws {
    let (folder, old, new) = try Self.files()
    let patch = folder.path("patch")
    let written = try Tool.run("diff", "--patch", "-f", format, "-o", patch, old, new)
    #expect(written.status == 1 && written.output.isEmpty)
    if LongForm.isWanted || format == "json" {
      let printed = try Tool.run("diff", "--patch", "-f", format, old, new)
      #expect(try printed.output == Data(contentsOf: URL(filePath: patch)))
    }
    #expect(try Tool.run("patch", patch, "--in-place", old).status == 0)
    #expect(try PropertyList(contentsOf: URL(filePath: old)) == Self.new)
    #expect(try PropertyListDocument(contentsOf: URL(filePath: old)).format == .xml)
    // The change is already made.
    let again = try Tool.run("patch", patch, "--in-place", old)
    #expect(again.status == 1 && again.errors == "\(old): error: a change cannot be applied: no key \"when\"\n")
    #expect(try PropertyList(Tool.run("patch", patch, "--reverse", new).output) == Self.old)
  }

  @Test func `an invalid patch exits with 3`() throws {
    let (folder, old, new) = try Self.files()
    _ = folder
    let result = try Tool.run("patch", old, new)
    #expect(result.status == 3 && result.errors == "\(old): error: not a patch: it has no array \"changes\"\n")
    #expect(try Tool.run("patch", "-", "-").status == 64)
    #expect(try Tool.run("patch", "/nonexistent", new).status == 1)
  }

  @Test func `two folders are compared file by file`() throws {
    let folder = TemporaryFolder()
    for side in ["old", "new"] {
      try FileManager.default.createDirectory(atPath: folder.path("\(side)/in"), withIntermediateDirectories: true)
      try Self.old.write(to: URL(filePath: folder.path("\(side)/same.plist")), format: .xml)
    }
    try Self.old.write(to: URL(filePath: folder.path("old/in/b.plist")), format: .xml)
    try Self.new.write(
      to: URL(filePath: folder.path("new/in/b.plist")), format: .json, options: .init(coercion: .reversible))
    try Self.old.write(to: URL(filePath: folder.path("old/gone.plist")), format: .xml)
    try Self.old.write(to: URL(filePath: folder.path("new/added.plist")), format: .xml)
    let result = try Tool.run("diff", "--coerce", "-r", folder.path("old"), folder.path("new"))
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(result.status == 1)
    #expect(
      lines.prefix(3) == [
        "only in new: \(folder.path("new/added.plist"))", "only in old: \(folder.path("old/gone.plist"))",
        "\(folder.path("old/in/b.plist")) \(folder.path("new/in/b.plist"))",
      ])
    #expect(lines.count == 8)
    #expect(try Tool.run("diff", "-r", folder.path("old"), folder.path("old")).status == 0)
    let json = try Tool.run("diff", "--json", "--coerce", "-r", folder.path("old"), folder.path("new"))
    #expect(json.text.split(separator: "\n").count == 4)
    #if os(Linux)
      let lost = try Program.run(
        URL(filePath: "/bin/sh"),
        [
          "-c", "exec \"$0\" diff -r \"$1\" \"$2\" > /dev/full", Tool.executable.path, folder.path("old"),
          folder.path("new"),
        ])
      #expect(lost.status == 2)
      #expect(lost.errors.hasSuffix("plistutil: error: cannot write standard output: No space left on device\n"))
    #endif
  }
}
