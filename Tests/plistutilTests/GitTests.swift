import Foundation
import PropertyLists
import TestSupport
import Testing

/// A repository with its own home folder and `PATH`.
private final class Repository {
  let folder = TemporaryFolder()
  var path: String { folder.path("work") }

  init(hasTool: Bool = true) throws {
    for name in ["bin", "home", "work"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
    if hasTool {
      try FileManager.default.createSymbolicLink(
        at: URL(filePath: folder.path("bin/plistutil")), withDestinationURL: Tool.executable)
    }
    try shell("git init -q -b main .")
  }

  private var environment: [String: String] {
    [
      "PATH": folder.path("bin") + ":/usr/local/bin:/usr/bin:/bin", "HOME": folder.path("home"),
      "XDG_CONFIG_HOME": folder.path("home/config"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A",
      "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
      "TOOL": Tool.executable.path,
    ]
  }

  @discardableResult
  func shell(_ command: String) throws -> Program {
    try Program.run(URL(filePath: "/bin/sh"), ["-c", "cd '\(path)' && { \(command)\n}"], environment: environment)
  }

  func write(_ value: PropertyList, _ name: String = "Info.plist", format: PropertyListFormat = .binary) throws {
    try value.write(to: URL(filePath: "\(path)/\(name)"), format: format)
  }

  func write(_ text: String, _ name: String) throws { try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)")) }

  func value(_ name: String = "Info.plist") throws -> PropertyList {
    try PropertyList(contentsOf: URL(filePath: "\(path)/\(name)"))
  }

  func text(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

  /// Commits all files, between two other commands.
  func commit(_ message: String, after first: String = "true", before last: String = "true") throws {
    let result = try shell("\(first) && git add -A && git commit -q -m '\(message)' && \(last)")
    #expect(result.status == 0, "\(result.errors)")
  }

  static let hasGit = ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"].contains(where: FileManager.default.fileExists)
}

@Suite("plistutil git", .enabled(if: Repository.hasGit)) struct GitTests {
  private static let attributes = ["plist", "strings", "stringsdict", "entitlements", "xcprivacy"]
    .map { "*.\($0) diff=plist merge=plist\n" }.joined()

  @Test
  func `existing attributes keep every byte, with CR LF and names that are not UTF-8`() throws {
    let repository = try Repository()
    let path = URL(filePath: "\(repository.path)/.gitattributes")
    let before = Data("*.txt text\r\n*.strings -diff\r\nb".utf8) + [0xE9] + Data(".bin binary\r\n".utf8)
    try before.write(to: path)
    let installed = try repository.shell("plistutil git install")
    #expect(installed.status == 1 && installed.errors.contains("*.strings -diff"))
    let after = try Data(contentsOf: path)
    #expect(after.starts(with: before))
    let lines = after.dropFirst(before.count).split(separator: 0x0A)
    #expect(lines.count == 4 && lines.allSatisfy { $0.last == 0x0D })
    #expect(try repository.shell("plistutil git install").text.contains("*.plist diff=plist merge=plist, as before"))
    #expect(try Data(contentsOf: path) == after)
    #expect(try repository.shell("plistutil git uninstall").status == 0)
    #expect(try Data(contentsOf: path) == before)
  }

  @Test("install writes and prints both drivers and the attributes; uninstall removes them")
  func install() throws {
    let repository = try Repository()
    let before = try repository.shell("git config --local --list").text
    let result = try repository.shell("plistutil git install")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(
      result.text.hasPrefix(
        """
        diff.plist.textconv = plistutil git textconv
        merge.plist.name = property lists, key by key
        merge.plist.driver = plistutil git merge --marker-size %L --name %P %O %A %B

        """))
    #expect(result.text.hasSuffix("/.gitattributes: *.xcprivacy diff=plist merge=plist\n"))
    #expect(repository.text(".gitattributes") == Self.attributes)
    #expect(try repository.shell("git check-attr diff a/Info.plist").text == "a/Info.plist: diff: plist\n")
    let again = try repository.shell("plistutil git install")
    #expect(again.status == 0 && again.errors.isEmpty)
    #expect(again.text.split(separator: "\n").allSatisfy { $0.hasSuffix(", as before") })
    #expect(repository.text(".gitattributes") == Self.attributes)
    let removed = try repository.shell("plistutil git uninstall")
    #expect(removed.errors.isEmpty)
    #expect(removed.status == 0 && removed.text.split(separator: "\n").count == 8)
    #expect(try repository.shell("git config --local --list").text == before)
    #expect(repository.text(".gitattributes") == nil)
    #expect(try repository.shell("plistutil git uninstall").text.isEmpty)
  }

  @Test func `other settings and attributes are kept and reported`() throws {
    let repository = try Repository()
    try repository.write("*.png binary\n*.plist   diff=other\n*.strings text\n", ".gitattributes")
    try repository.shell("git config diff.plist.textconv cat; git config merge.plist.recursive text")
    let result = try repository.shell("plistutil git install")
    #expect(result.status == 1)
    #expect(result.errors.contains("diff.plist.textconv is already cat, and was not changed\n"))
    #expect(result.errors.contains(".gitattributes: *.plist   diff=other: exists already, and was not changed\n"))
    let lines = try #require(repository.text(".gitattributes")).split(separator: "\n")
    #expect(lines.prefix(3) == ["*.png binary", "*.plist   diff=other", "*.strings text"] && lines.count == 7)
    #expect(try repository.shell("git config diff.plist.textconv").text == "cat\n")
    #expect(try repository.shell("git config merge.plist.driver").text.hasPrefix("plistutil git merge"))
    #expect(try repository.shell("plistutil git uninstall").status == 0)
    #expect(repository.text(".gitattributes") == "*.png binary\n*.plist   diff=other\n*.strings text\n")
    #expect(
      try repository.shell("git config --local --get-regexp plist").text
        == "diff.plist.textconv cat\nmerge.plist.recursive text\n")
  }

  @Test func `--global changes the user's configuration, --dir that of another repository`() throws {
    let repository = try Repository()
    #expect(try repository.shell("plistutil git install --global").status == 0)
    #expect(repository.text("../home/config/git/attributes") == Self.attributes)
    #expect(repository.text("../home/.gitconfig")?.contains("plistutil git textconv") == true)
    #expect(repository.text(".gitattributes") == nil)
    try repository.write(["a": 1])
    try repository.commit("one")
    try repository.write(["a": 2])
    #expect(try repository.shell("git diff").text.contains("-  \"a\": 1\n+  \"a\": 2\n"))
    #expect(try repository.shell("plistutil git uninstall --global").status == 0)
    #expect(try repository.shell("git diff").text.contains("Binary files"))
    #expect(try repository.shell("mkdir x && cd / && plistutil git install --dir '\(repository.path)/x'").status == 0)
    #expect(repository.text(".gitattributes") == Self.attributes)
    #expect(try repository.shell("plistutil git install --global --dir .").status == 64)
    let nowhere = try repository.shell("plistutil git install --dir /")
    #expect(nowhere.status == 1 && nowhere.errors.contains("not a git repository"))
  }

  @Test func `a tool outside of PATH is called by its path`() throws {
    let repository = try Repository(hasTool: false)
    #expect(try repository.shell("\"$TOOL\" git install").status == 0)
    try repository.write(["a": 1])
    try repository.commit("one")
    try repository.write(["a": 2])
    #expect(try repository.shell("git diff").text.contains("+  \"a\": 2\n"))
    #expect(try repository.shell("\"$TOOL\" git uninstall").text.contains("removed diff.plist.textconv\n"))
  }

  @Test
  func `git diff shows values of binary files, lines of text files, and what is readable of broken files`() throws {
    let repository = try Repository()
    try repository.write(["version": "41", "list": [1, 2]])
    try repository.write("// one\n{ a = 1; }\n", "text.plist")
    let wide = Data([0xFF, 0xFE]) + "\"a\" = \"1\";\n".data(using: .utf16LittleEndian)!
    try wide.write(to: URL(filePath: repository.path + "/wide.strings"))
    try repository.commit("one", after: "plistutil git install")
    try repository.write(["version": "42", "list": [1, 2, 3]])
    try repository.write("// two\n{ a = 1; }\n", "text.plist")
    try (Data([0xFF, 0xFE]) + "\"a\" = \"2\";\n".data(using: .utf16LittleEndian)!).write(
      to: URL(filePath: repository.path + "/wide.strings"))
    let text = try repository.shell("git diff -U0").text
    for line in [
      "-  \"version\": \"41\",", "+  \"version\": \"42\",", "+    3", "-// one", "+// two", "+\"a\" = \"2\";",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line) in\n\(text)")
    }
    try Data("bplist00 broken".utf8).write(to: URL(filePath: repository.path + "/Info.plist"))
    let broken = try repository.shell("git diff Info.plist")
    #expect(broken.status == 0 && broken.text.contains("+bplist00 broken"))
  }

  /// The merged changes of both sides.
  private func merge(
    _ base: PropertyList?, _ ours: PropertyList, _ theirs: PropertyList, format: PropertyListFormat = .binary
  ) throws -> (repository: Repository, result: Program) {
    let repository = try Repository()
    if let base { try repository.write(base, format: format) }
    try repository.commit("base", after: "plistutil git install", before: "git checkout -q -b theirs")
    try repository.write(theirs, format: format)
    try repository.commit("theirs", before: "git checkout -q main")
    try repository.write(ours, format: format)
    try repository.commit("ours")
    return (repository, try repository.shell("git merge -q -m merged theirs"))
  }

  @Test(
    "git merge merges the keys of both sides, also if adjacent lines conflict",
    arguments: [.binary, .xml] as [PropertyListFormat])
  func mergeKeys(_ format: PropertyListFormat) throws {
    let (repository, result) = try merge(
      ["a": 1, "b": 1, "c": ["x": 1]], ["a": 2, "b": 1, "c": ["x": 1, "y": 2]],
      ["a": 1, "b": 3, "c": ["x": 1], "d": 4], format: format)
    #expect(result.status == 0, "\(result.errors)\(result.text)")
    #expect(try repository.value() == ["a": 2, "b": 3, "c": ["x": 1, "y": 2], "d": 4])
    #expect(try PropertyListDocument(contentsOf: URL(filePath: repository.path + "/Info.plist")).format == format)
    #expect(try repository.shell("git status --porcelain").text.isEmpty)
    // Both sides have created the file.
    let added = try merge(nil, ["a": 1, "b": 1], ["a": 1, "c": 2], format: format)
    #expect(added.result.status == 0, "\(added.result.errors)")
    #expect(try added.repository.value() == ["a": 1, "b": 1, "c": 2])
  }

  @Test func `a conflict is reported to git with file and key, and a binary file stays ours`() throws {
    let (repository, result) = try merge(["a": 1, "b": 1], ["a": 2, "b": 1], ["a": 3, "b": 2])
    #expect(result.status == 1)
    #expect((result.text + result.errors).contains("Info.plist: error: changed on both sides"), "\(result.errors)")
    #expect((result.text + result.errors).contains("(in a)"))
    #expect(try repository.value() == ["a": 2, "b": 1])
    #expect(try repository.shell("git status --porcelain").text == "UU Info.plist\n")
    let text = try merge(["a": 1], ["a": 2], ["a": 3], format: .xml)
    #expect(text.result.status == 1)
    let marked = try #require(text.repository.text("Info.plist"))
    #expect(
      marked.contains("<<<<<<< ours\n\t<integer>2</integer>\n") && marked.contains("\t<integer>3</integer>\n>>>>>>>"))
  }

  @Test func `in text files, lines are merged first, so that comments of both sides are kept`() throws {
    let repository = try Repository()
    let base = "{\n    a = 1;\n    b = 1;\n    c = 1;\n    d = 1;\n}\n"
    try repository.write(base, "x.plist")
    try repository.commit("base", after: "plistutil git install", before: "git checkout -q -b theirs")
    try repository.write(base.replacing("d = 1;", with: "d = 1; // theirs"), "x.plist")
    try repository.commit("theirs", before: "git checkout -q main")
    try repository.write(base.replacing("a = 1;", with: "a = 2; // ours"), "x.plist")
    try repository.commit("ours")
    #expect(try repository.shell("git merge -q -m merged theirs").status == 0)
    #expect(
      repository.text("x.plist") == "{\n    a = 2; // ours\n    b = 1;\n    c = 1;\n    d = 1; // theirs\n}\n")
    // If the merged lines are not a property list, as with a key that both have added, values are merged.
    try repository.shell("git checkout -q -b other")
    try repository.write("{\n    new = 1;\n    a = 1;\n    b = 1;\n    c = 1;\n    d = 1;\n}\n", "x.plist")
    try repository.commit("first", before: "git checkout -q main")
    try repository.write("{\n    a = 2;\n    b = 1;\n    c = 1;\n    d = 1;\n    new = 1;\n}\n", "x.plist")
    try repository.commit("last")
    let merged = try repository.shell("git merge -q -m merged other")
    #expect(merged.status == 0, "\(merged.errors)")
    #expect(try repository.value("x.plist")["new"] == "1")
  }
}
