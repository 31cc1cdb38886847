import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("Converting with plistutil") struct ConversionTests {
  static let xml = "xml/kinds-python.plist"
  static let binary = "binary/kinds-python.bplist"

  @Test func `without a format, binary becomes XML and XML becomes binary`() throws {
    let binary = try Tool.run("-i", Fixtures.url(Self.xml).path)
    #expect(binary.status == 0 && binary.errors.isEmpty)
    #expect(PropertyListFormat(detecting: binary.output.bytes) == .binary)
    let xml = try Tool.run("-i", Fixtures.url(Self.binary).path)
    #expect(PropertyListFormat(detecting: xml.output.bytes) == .xml)
    #expect(try PropertyList(binary.output) == PropertyList(xml.output))
  }

  @Test(arguments: [
    ("xml", "<?xml"), ("xml1", "<?xml"), ("bin", "bplist00"), ("binary", "bplist00"), ("binary1", "bplist00"),
  ])
  func `formats have the names of libplist's tool`(_ name: String, _ beginning: String) throws {
    for input in LongForm.isWanted ? [Self.xml, Self.binary] : [name.hasPrefix("x") ? Self.binary : Self.xml] {
      let result = try Tool.run("-i", Fixtures.url(input).path, "--format", name)
      #expect(result.status == 0)
      #expect(result.output.starts(with: Data(beginning.utf8)))
    }
  }

  @Test(arguments: [[], ["-i", "-"], ["--infile", "-", "--outfile", "-"], ["-o", "-"]])
  func `standard input and output can be named or implied`(_ arguments: [String]) throws {
    let data = try Fixtures.data(Self.xml)
    let result = try Tool.run(arguments, input: data)
    #expect(result.status == 0)
    #expect(try PropertyList(result.output) == PropertyList(data))
  }

  @Test func `a file can be its own output, keeps its permissions, and leaves no other file`() throws {
    let folder = TemporaryFolder()
    let path = folder.path("a.plist")
    try Fixtures.data(Self.xml).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(try Tool.run("-i", path, "-o", path, "-f", "bin").status == 0)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    #expect(folder.names == ["a.plist"])
    #expect(try PropertyList(contentsOf: URL(filePath: path)) == PropertyList(Fixtures.data(Self.xml)))
  }

  @Test func `a symbolic link is kept, and its target is written`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("there"), withIntermediateDirectories: false)
    try Data("old".utf8).write(to: URL(filePath: folder.path("there/file")))
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "there/file")
    #expect(try Tool.run("-i", Fixtures.url(Self.xml).path, "-o", folder.path("link")).status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == "there/file")
    #expect(try PropertyList(contentsOf: URL(filePath: folder.path("there/file"))).kind == .dictionary)
  }

  @Test func `a file that is not regular is written to and not replaced`() throws {
    #expect(try Tool.run("-i", Fixtures.url(Self.xml).path, "-o", "/dev/null").status == 0)
    let status = try FileManager.default.attributesOfItem(atPath: "/dev/null")
    #expect(status[.type] as? FileAttributeType == .typeCharacterSpecial)
  }

  #if os(Linux)
    @Test func `a file in /dev/shm is a file like any other`() throws {
      let path = "/dev/shm/plistutil-\(UUID().uuidString).plist"
      defer { try? FileManager.default.removeItem(atPath: path) }
      try Data(repeating: UInt8(ascii: "x"), count: 100_000).write(to: URL(filePath: path))
      let input = Fixtures.url(Self.xml).path
      for output in [path, "/proc/self/cwd/../../../../../../../../..\(path)"] {
        #expect(try Tool.run("-i", input, "-f", "xml", "-o", output).status == 0)
        #expect(try Data(contentsOf: URL(filePath: path)) == Tool.run("-i", input, "-f", "xml").output)
      }
    }
  #endif

  @Test func `--sort sorts the keys of all dictionaries, by UTF-16 units as Apple does`() throws {
    let input = try (["b": ["z": 1, "a": 2], "\u{FF5E}": 1, "😀": 2, "B": 3] as PropertyList).data(format: .binary)
    let result = try Tool.run("-s", "-f", "xml", input: input)
    let sorted = try PropertyList(result.output)
    #expect(sorted.dictionary?.keys.elements == ["B", "b", "😀", "\u{FF5E}"])
    #expect(sorted["b"]?.dictionary?.keys.elements == ["a", "z"])
    let binary = try Tool.run("--sort", "-f", "bin", input: input)
    #expect(try PropertyList(binary.output) == sorted)
  }

  @Test(
    arguments: [
      ("array/2/0", 3.5),
      (
        "/nested//a/b/",
        ["c": ["d": .data(Data("deep data, wrapped more narrowly the deeper it is, in 76 - 8 n columns".utf8))]]
      ),
      ("ASCII", "plain text"),
    ] as [(String, PropertyList)])
  func `--nodepath extracts one value`(_ path: String, _ expected: PropertyList) throws {
    for input in [Self.xml, Self.binary] {
      let result = try Tool.run("-i", Fixtures.url(input).path, "-f", "bin", "-n", path)
      #expect(result.status == 0)
      #expect(try PropertyList(result.output) == expected)
    }
  }

  @Test func `a key with a slash can be reached`() throws {
    let input = try (["a/b": ["c\\d": 1]] as PropertyList).data(format: .binary)
    #expect(try PropertyList(Tool.run("-n", #"a\/b/c\\d"#, "-f", "bin", input: input).output) == 1)
  }

  @Test(arguments: ["-p", "--print"]) func `--print shows every type and escapes text`(_ option: String) throws {
    let folder = TemporaryFolder()
    let value: PropertyList = [
      "text": "a\"b\\c\n\u{1B}[31m\u{9B}é", "integer": 2, "real": 2.0, "flag": true, "none": .null,
      "date": .date(Date(timeIntervalSinceReferenceDate: 0.5)), "data": .data(Data([0, 1, 2, 3, 4])),
      "uid": .uid(.init(3)),
      "empty": [], "list": [1, [:]],
    ]
    try value.write(to: URL(filePath: folder.path("a.plist")), format: .binary)
    let result = try Tool.run(option, folder.path("a.plist"), "-o", "/nonexistent/ignored")
    #expect(result.status == 0)
    #expect(
      result.text == #"""
        {
          "text": "a\"b\\c\n\u001b[31m\u009bé",
          "integer": 2,
          "real": 2.0,
          "flag": true,
          "none": null,
          "date": 2001-01-01 00:00:00.5 +0000,
          "data": <00010203 04>,
          "uid": CF$UID:3,
          "empty": [],
          "list": [
            1,
            {}
          ]
        }

        """#)
    #expect(try Tool.run(option, folder.path("a.plist"), "-n", "list/0").text == "1\n")
  }

  @Test func `--debug describes the work on standard error, and changes nothing else`() throws {
    let path = Fixtures.url(Self.binary).path
    let result = try Tool.run("-d", "-i", path)
    #expect(result.errors.contains("\(path): binary, ") && result.errors.contains("-: xml, "))
    #expect(try result.output == Tool.run("-i", path).output)
  }

  @Test func `dates of a binary file lose their fractions in XML, with a warning`() throws {
    let result = try Tool.run("-i", Fixtures.url("binary/date-fraction.bplist").path)
    #expect(result.status == 0)
    #expect(result.text.contains("<date>2001-01-01T00:00:00Z</date>"))
    #expect(
      result.errors.hasSuffix("warning: dates are cut to whole seconds: XML has no dates with fractions of a second\n"))
  }

  @Test(arguments: ["json", "openstep", "gnustep"])
  func `dates also lose their fractions in the text of -C`(_ format: String) throws {
    let result = try Tool.run("-C", "-f", format, "-i", Fixtures.url("binary/date-fraction.bplist").path)
    #expect(result.status == 0)
    #expect(result.text.contains("2001-01-01") && !result.text.contains("."))
    #expect(result.errors.contains("warning: dates are cut to whole seconds"))
  }

  @Test func `a large file that cannot be converted prints nothing`() throws {
    let folder = TemporaryFolder()
    var value: PropertyList = ["data": .data(Data(repeating: 7, count: 33 << 20)), "last": "é"]
    try value.write(to: folder.url.appending(path: "a.plist"), format: .binary)
    let printed = try Tool.run("convert", "-f", "xml", folder.path("a.plist"))
    #expect(try printed.status == 0 && printed.output == value.data(format: .xml))
    value.dictionary?["last"] = .null
    try value.write(to: folder.url.appending(path: "a.plist"), format: .binary)
    let refused = try Tool.run("convert", "-f", "xml", folder.path("a.plist"))
    #expect(refused.status == 2 && refused.output.isEmpty)
  }

  @Test(arguments: ["xml", "json"])
  func `a date that is not a number does not count as fractional`(_ format: String) throws {
    let date = try PropertyList.date(.init(timeIntervalSinceReferenceDate: .nan)).data(format: .binary)
    let result = try Tool.run(["-C", "-f", format], input: date)
    #expect(result.status == 2)
    let message = "cannot hold the date nan seconds after 2001-01-01: expected a year from -99999999 to 99999999"
    #expect(result.errors.contains(message))
  }

  @Test func `a duplicate key has its last value, with a warning, unless requested`() throws {
    let path = Fixtures.url("hostile/key-twice.plist").path
    let warned = try Tool.run("-i", path, "-f", "bin")
    #expect(warned.status == 0)
    #expect(warned.errors == "\(path):7:3: warning: duplicate key \"a\"; the last value is used\n")
    let kept = try Tool.run("-i", path, "-f", "bin", "--keep-last-duplicates")
    #expect(try PropertyList(kept.output) == ["a": false, "b": true])
    #expect(kept.errors.isEmpty && kept.output == warned.output)
  }

  /// The files of the folder given by `PLIST_CORPUS`; in the short form, each sixth.
  @Test(arguments: LongForm.cases(Fixtures.corpus, every: 6))
  func `every file of a folder is converted to XML and back, or refused with one line`(_ url: URL) throws {
    let xml = try Tool.run("-i", url.path, "-f", "xml")
    guard xml.status == 0 else {
      #expect([3, 4, 5].contains(xml.status))
      #expect(xml.errors.hasPrefix(url.path + ":") && xml.errors.filter { $0 == "\n" }.count == 1)
      #expect(xml.output.isEmpty)
      return
    }
    let binary = try Tool.run("-f", "bin", input: xml.output)
    #expect(binary.status == 0)
    #expect(try PropertyList(binary.output) == PropertyList(xml.output))
    #expect(try Tool.run("-f", "xml", input: binary.output).output == xml.output)
    // Except for 4-byte reals and fractions of seconds, which XML does not have, it is the value of the file.
    let options = PropertyListReadingOptions(duplicateKeys: .keepLast)
    #expect(try PropertyList(Data(contentsOf: url), options: options).data(format: .xml) == xml.output)
  }

  @Test func `help and version`() throws {
    for option in ["-h", "--help"] {
      let help = try Tool.run(option)
      #expect(help.status == 0 && help.text.contains("--nodepath") && help.text.contains("lint"))
    }
    for option in ["-v", "--version"] { #expect(try Tool.run(option).text.hasPrefix("plistutil 0.")) }
  }
}
