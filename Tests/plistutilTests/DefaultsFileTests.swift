import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil defaults and files") struct DefaultsFileTests {
  private let tool = DefaultsTool()
  private static let domain = DefaultsTool.domain

  @Test func `export writes binary files, and XML to standard output; import reads them`() throws {
    var values = DefaultsReadTests.values
    // XML has neither.
    for key in ["fraction", "uid", "float", "é\n"] { values[key] = nil }
    try tool.put(values)
    let file = tool.folder.path("exported.plist")
    #expect(try tool("export", Self.domain, file).status == 0)
    #expect(try Data(contentsOf: URL(filePath: file)) == PropertyList.dictionary(values).data(format: .binary))
    let xml = try tool("export", Self.domain, "-")
    #expect(try xml.output == PropertyList.dictionary(values).data(format: .xml))
    for format in ["xml", "binary", "json", "gnustep"] {
      let output = try tool("export", Self.domain, "-", "--format", format).output
      for source in LongForm.isWanted || format == "xml" ? ["-", tool.folder.path("copy")] : ["-"] {
        try output.write(to: URL(filePath: tool.folder.path("copy")))
        let imported = try tool("import", "com.example.copy", source, input: output)
        #expect(imported.status == 0, "\(format): \(imported.errors)")
        #expect(try tool.values("com.example.copy") == values)
        try FileManager.default.removeItem(at: tool.url("com.example.copy"))
      }
    }
  }

  @Test func `export refuses values that the format cannot hold, except fractions of seconds, with a note`() throws {
    try tool.put(["a": 5, "d": .date(Date(timeIntervalSinceReferenceDate: 0.5))])
    let file = tool.folder.path("file")
    let openStep = try tool("export", Self.domain, file, "--format", "openstep")
    #expect(openStep.status == 2 && openStep.errors == "com.example.notes: error: OpenStep has no integers (in a)\n")
    #expect(tool.folder.names == ["config"])
    let xml = try tool("export", Self.domain, "-")
    #expect(xml.status == 0 && xml.errors.contains("warning: dates are cut to whole seconds"))
    #expect(xml.text.contains("<date>2001-01-01T00:00:00Z</date>"))
    let nowhere = try tool("export", Self.domain, tool.folder.path("no/such/file"))
    #expect(nowhere.status == 1 && nowhere.errors.contains("No such file or directory"))
  }

  @Test func `import merges into existing values, or replaces them`() throws {
    let text = Data("{ a = new; b = <*I2>; }".utf8)
    try tool.put(["z": 1, "a": "old"])
    #expect(try tool("import", Self.domain, "-", input: text).status == 0)
    #expect(try tool.values() == ["z": 1, "a": "new", "b": 2])
    #expect(try tool("import", "--replace", Self.domain, "-", input: text).status == 0)
    #expect(try tool.values() == ["a": "new", "b": 2])
    let word = Data("a = x;".utf8)
    #expect(try tool("import", "--from", "strings", Self.domain, "-", input: word).status == 0)
    #expect(try tool.values() == ["a": "x", "b": 2])
    let bytes = tool.bytes()
    let damaged = try tool("import", Self.domain, "-", input: Data("<plist><dict>".utf8))
    #expect(damaged.status == 3 && damaged.errors.hasPrefix("<stdin>:1:"))
    let missing = try tool("import", Self.domain, tool.folder.path("none"))
    #expect(missing.status == 1 && missing.errors.contains("No such file or directory"))
    let null = try tool("import", Self.domain, "-", input: Data(#"{"n": null}"#.utf8))
    #expect(null.status == 2 && null.errors.contains("cannot be stored"))
    #expect(tool.bytes() == bytes)
  }

  @Test func `a file keeps its format, except OpenStep, and is not written without a change`() throws {
    try tool.put(["a": 1], Self.domain, .xml)
    try tool("write", Self.domain, "b", "2")
    #expect(try tool.bytes() == (["a": 1, "b": "2"] as PropertyList).data(format: .xml))
    let byHand = Data("/* by hand */ { a = 1; }".utf8)
    try tool.put(byHand)
    #expect(try tool("read", Self.domain, "a").text == "1\n")
    try tool("write", Self.domain, "a", "1")
    #expect(tool.bytes() == byHand)
    try tool("write", Self.domain, "b", "2")
    #expect(try tool.bytes() == (["a": "1", "b": "2"] as PropertyList).data(format: .binary))
  }

  @Test(arguments: [Data("bplist00garbage".utf8), Data("{ a = 1".utf8), Data(#"{"a": 1}"#.utf8), Data(count: 100)])
  func `an unreadable file is never destroyed`(_ bytes: Data) throws {
    try tool.put(bytes)
    let calls = [["read", Self.domain], ["read", Self.domain, "a"], ["export", Self.domain, "-"]]
    for call in LongForm.isWanted || bytes.count == 100 ? calls : Array(calls.prefix(1)) {
      let read = try tool(call)
      #expect(read.status == 3 && read.output.isEmpty)
      #expect(read.errors.hasPrefix(tool.path() + ":"), "\(read.errors)")
    }
    #expect(tool.bytes() == bytes)
    let written = try tool("write", Self.domain, "k", "v")
    #expect(written.status == 0 && written.errors.hasPrefix("plistutil: warning: \(tool.path()) cannot be read"))
    #expect(try tool.values() == ["k": "v"])
    let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path("config"))
    let setAside = try #require(names.first { $0.hasPrefix("com.example.notes.plist.unreadable-") })
    #expect(try Data(contentsOf: URL(filePath: tool.folder.path("config/\(setAside)"))) == bytes)
  }

  @Test func `system errors are reported, and exit with 1`() throws {
    try Data().write(to: URL(filePath: tool.folder.path("config")))
    let result = try tool("write", Self.domain, "k", "v")
    #expect(result.status == 1 && !result.errors.isEmpty && result.output.isEmpty)
    #if os(Linux)
      let shell = try Program.run(
        URL(filePath: "/bin/sh"), ["-c", "'\(Tool.executable.path)' defaults domains > /dev/full"])
      #expect(shell.status == 1 && shell.errors.contains("No space left on device"))
    #endif
  }
}
