import Foundation
import Preferences
import PropertyLists
import TestSupport
import Testing

/// A folder of files that Foundation's `UserDefaults`, in other processes, and stores of this package use.
@Suite("Preferences files that Foundation also uses") struct PreferencesFileTests {
  private let files = FoundationPreferences()

  /// Each kind of value in forms that both support.
  static let kinds: PropertyList = [
    "true": true, "false": false, "zero": 0, "negative": -5, "Int32.max": 2_147_483_647,
    "Int.max": .integer(.init(Int.max)), "Int.min": .integer(.init(Int.min)),
    "UInt64.max": .integer(.init(UInt64.max)),
    "real": 1.5, "tenth": 0.1, "integral": 3.0, "tiny": .real(.leastNonzeroMagnitude), "huge": 1e300,
    "infinity": .real(.infinity), "text": "a <b> & \"c\" é 🙂\t\n", "empty": "", "number": "42", "ends": "a]]>b",
    "data": .data(Data(0...255)), "no data": .data(Data()),
    "date": .date(Date(timeIntervalSinceReferenceDate: 700_000_000)),
    "early": .date(Date(timeIntervalSinceReferenceDate: -60_000_000_000)),
    "array": [1, "a", [true, [2.5]], []], "dictionary": ["a": 1, "b": ["c": ["d": false]], "e": [:]],
    "a key with spaces/and.dots é 🙂": 1, "CF$UID": ["CF$UID": "no UID"], "": "the empty key",
  ]

  @Test func `files of Foundation are read, and saving keeps their values and format`() throws {
    try files.run("foundation-set", "com.example.kinds", input: Self.kinds)
    #expect(files.names == ["com.example.kinds.plist"])
    let store = files.store(DomainName("com.example.kinds"))
    expectSame(sorted(store.persistentDomain(store.domain)), Self.kinds)

    store.set("new", forKey: "added here")
    try store.synchronize()
    var expected = Self.kinds
    expected.dictionary?["added here"] = "new"
    #expect(files.names == ["com.example.kinds.plist"])
    #expect(try PropertyListDocument(files.file("com.example.kinds.plist")).format == .xml)
    try expectSame(files.foundationValues("com.example.kinds"), expected)
    // Foundation's other values are the same, except for the order.
    try files.run("foundation-set", "com.example.kinds", input: ["added there": 1])
    expected.dictionary?["added there"] = 1
    try store.synchronize()
    expectSame(sorted(store.persistentDomain(store.domain)), expected)
  }

  @Test(arguments: [PropertyListFormat.binary, .xml])
  func `Foundation reads files of this package`(_ format: PropertyListFormat) throws {
    if format == .xml {
      let empty: PropertyList = [:]
      try empty.data(format: .xml).write(to: URL(filePath: files.folder.path("com.example.kinds.plist")))
    }
    let store = files.store(DomainName("com.example.kinds"))
    for (key, value) in try #require(Self.kinds.dictionary) where key != "" { store.set(value, forKey: key) }
    try store.synchronize()
    var expected = Self.kinds
    expected.dictionary?[""] = nil
    #expect(try PropertyListDocument(files.file("com.example.kinds.plist")).format == format)
    try expectSame(files.foundationValues("com.example.kinds"), expected)

    // Foundation rewrites the file as XML, and the file stays XML.
    try files.run("foundation-set", "com.example.kinds", input: ["theirs": 1])
    expected.dictionary?["theirs"] = 1
    try store.synchronize()
    expectSame(sorted(store.persistentDomain(store.domain)), expected)
    store.set(2, forKey: "ours")
    try store.synchronize()
    expected.dictionary?["ours"] = 2
    #expect(try PropertyListDocument(files.file("com.example.kinds.plist")).format == .xml)
    try expectSame(files.foundationValues("com.example.kinds"), expected)
  }

  /// Foundation writes such text unescaped, which is not valid XML, and reads it back.
  @Test(arguments: [
    "a\u{1}b", "\u{0}", "\u{1B}[1m", "\u{1F}", "\u{7F}", "a\rb", "a\r\nb\r\n", "\u{FFFE}", "x\u{FFFF}", "]]>\u{8}",
  ])
  func `invalid XML of Foundation is read`(_ text: String) throws {
    let values: PropertyList = [
      "text": .string(text), "other": 1, "deep": [["key \(text)": .string(text)]], "key \(text)": "\n",
    ]
    try files.run("foundation-set", "com.example.text", input: values)
    let store = files.store(DomainName("com.example.text"))
    expectSame(sorted(store.persistentDomain(store.domain)), values)
    store.set("new", forKey: "added here")
    try store.synchronize()
    var expected = values
    expected.dictionary?["added here"] = "new"
    #expect(files.names == ["com.example.text.plist"])
    try expectSame(files.foundationValues("com.example.text"), expected)
  }

  @Test func `edited files have line feeds, not carriage returns`() throws {
    let text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<plist><dict>\r\n<key>a</key><string>b\r\nc</string></dict></plist>"
    try Data(text.utf8).write(to: URL(filePath: files.folder.path("com.example.edited.plist")))
    #expect(files.store(DomainName("com.example.edited")).string(forKey: "a") == "b\nc")
  }

  @Test(arguments: [
    ("<!-- c --><string>\u{1}</string>", "\u{1}"), ("<string xml:space='preserve'>\u{1}</string>", "\u{1}"),
    ("<string><![CDATA[\u{1}&]]></string>", "\u{1}&"), ("<string>a\rb</string><!-- c -->", "a\rb"),
    ("<string><![CDATA[x\r\ny]]></string>", "x\ny"),
  ])
  func `edited files of Foundation keep their characters`(_ value: String, _ expected: String) throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict><key>a</key>\(value)<key>t</key><true></true></dict></plist>
      """
    try Data(text.utf8).write(to: URL(filePath: files.folder.path("com.example.edited.plist")))
    let store = files.store(DomainName("com.example.edited"))
    #expect(store.string(forKey: "a") == expected && store.bool(forKey: "t"))
    store.set(1, forKey: "n")
    try store.synchronize()
    #expect(files.names == ["com.example.edited.plist"])
    #expect(files.store(DomainName("com.example.edited")).string(forKey: "a") == expected)
  }

  @Test func `characters that are used as substitutes while reading are not changed`() throws {
    let values: PropertyList = ["text": "\u{10FF01}\u{10FF20}", "end": "a\u{10FFFF}"]
    try files.run("foundation-set", "com.example.text", input: values)
    let store = files.store(DomainName("com.example.text"))
    expectSame(sorted(store.persistentDomain(store.domain)), values)
  }

  @Test func `values that only the binary format has are kept until Foundation writes the file`() throws {
    let store = files.store(DomainName("com.example.widths"))
    let moment = Date(timeIntervalSinceReferenceDate: 100.5)
    store.set(.float(12.34), forKey: "float")
    store.set(.date(moment), forKey: "date")
    try store.synchronize()
    #expect(try files.foundationValues("com.example.widths") == ["date": .date(moment), "float": .float(12.34)])
    try files.run("foundation-set", "com.example.widths", input: ["other": 1])
    try store.synchronize()
    #expect(store.value(forKey: "float") == .real(Double(Float(12.34))))
    #expect(store.date(forKey: "date") == Date(timeIntervalSinceReferenceDate: 100))
  }

  /// Foundation reads nothing from such a file, although it is its own, and would overwrite it.
  @Test func `a dictionary that Foundation reads as a UID is saved`() throws {
    let values: PropertyList = ["a": ["CF$UID": 7], "b": 1]
    try files.run("foundation-set", "com.example.uid", input: values)
    try expectSame(files.foundationValues("com.example.uid"), [:])
    let store = files.store(DomainName("com.example.uid"))
    expectSame(sorted(store.persistentDomain(store.domain)), values)
    store.set(2, forKey: "b")
    try store.synchronize()
    try expectSame(files.foundationValues("com.example.uid"), ["a": ["CF$UID": 7], "b": 2])
  }

  @Test(arguments: [nil, PropertyListFormat.binary, .xml])
  func `both can change and save a file in one process`(_ format: PropertyListFormat?) throws {
    if let format {
      let contents: PropertyList = ["first": 1]
      try contents.data(format: format).write(to: URL(filePath: files.folder.path("com.example.turns.plist")))
    }
    #expect(try files.run("alternate", "com.example.turns").text == "")
    let left = try #require(PropertyList(files.file("com.example.turns.plist")).dictionary)
    let first = format == nil ? [] : ["first"]
    #expect(Set(left.keys) == Set(first + ["ours-18", "ours-19", "theirs-18", "theirs-19"]))
  }

  @Test func `removed keys are removed for both, and do not come back`() throws {
    try files.run("foundation-set", "com.example.removal", input: ["a": 1, "b": 2, "c": 3])
    let store = files.store(DomainName("com.example.removal"))
    store.removeValue(forKey: "a")
    try store.synchronize()
    #expect(try files.foundationValues("com.example.removal") == ["b": 2, "c": 3])
    try files.run("foundation-remove", "com.example.removal", "b")
    store.set(4, forKey: "d")
    try store.synchronize()
    #expect(try files.foundationValues("com.example.removal") == ["c": 3, "d": 4])
  }

  @Test func `the file of the global domain is the same`() throws {
    try files.run("foundation-set", ".GlobalPreferences", input: ["theirs": "there"])
    let global = files.store(.global)
    #expect(files.store(DomainName("com.example.any")).string(forKey: "theirs") == "there")
    global.set("here", forKey: "ours")
    try global.synchronize()
    #expect(files.names == [".GlobalPreferences.plist"])
    #expect(try files.run("foundation-string", "-", "ours").text == "here\n")
    #expect(try files.run("foundation-string", "com.example.any", "ours").text == "here\n")
    // Both search nearer domains first.
    try files.run("foundation-set", "-", input: ["ours": "nearer"])
    #expect(try files.run("foundation-string", "-", "ours").text == "nearer\n")
    #expect(try files.run("string", "-", "ours").text == "nearer\n")
  }
}

/// `UserPreferences.standard` and `UserDefaults.standard`, of one program under several names.
@Suite("The domain of a program") struct ProgramDomainTests {
  /// The path of the program, a link to it, and the bundle information next to it.
  struct Installation: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let program: String
    var link: String?
    var information: String?
    let domain: String
  }

  static let installations = [
    Installation(testDescription: "a name", program: "renamed", domain: "renamed"),
    Installation(testDescription: "a name with dots", program: "my.tool.exe", domain: "my.tool.exe"),
    Installation(testDescription: "a name with spaces", program: "my tool", domain: "my tool"),
    Installation(testDescription: "a name beyond ASCII", program: "wërkzeug 🙂", domain: "wërkzeug 🙂"),
    Installation(testDescription: "a hidden name", program: ".hidden", domain: ".hidden"),
    Installation(testDescription: "a symbolic link", program: "renamed", link: "link", domain: "renamed"),
    Installation(
      testDescription: "a bundle", program: "X.app/Contents/Linux/tool", information: "X.app/Contents",
      domain: "com.example.bundle"),
    Installation(
      testDescription: "a bundle by a link", program: "X.app/Contents/Linux/tool", link: "link",
      information: "X.app/Contents", domain: "com.example.bundle"),
    Installation(
      testDescription: "a folder of a bundle that is not for this system", program: "X.app/Contents/MacOS/tool",
      information: "X.app/Contents", domain: "tool"),
    Installation(testDescription: "a flat bundle", program: "X/tool", information: "X", domain: "com.example.bundle"),
    Installation(
      testDescription: "a bundle of resources", program: "X/tool", information: "X/Resources",
      domain: "com.example.bundle"),
    Installation(
      testDescription: "a bundle of contents", program: "X/tool", information: "X/Contents",
      domain: "com.example.bundle"),
    Installation(
      testDescription: "a bundle of support files", program: "X/tool", information: "X/Support Files",
      domain: "com.example.bundle"),
    Installation(
      testDescription: "resources that only have the program's name", program: "X/tool",
      information: "X/tool.resources", domain: "tool"),
  ]

  /// By another process, because a program that is open for writing in any process cannot be run.
  private static func copy(_ program: URL, to copy: URL) throws {
    let copying = try Program.run(URL(filePath: "/bin/cp"), [program.path, copy.path])
    try #require(copying.status == 0, "\(copying.errors)")
  }

  @Test(arguments: LongForm.cases(installations, every: 3))
  func `the domain is the same as Foundation's`(_ installation: Installation) throws {
    var files = FoundationPreferences()
    let home = TemporaryFolder()
    let program = home.url.appending(path: installation.program)
    let manager = FileManager.default
    try manager.createDirectory(at: program.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Self.copy(files.program, to: program)
    if let information = installation.information {
      let folder = home.url.appending(path: information)
      try manager.createDirectory(at: folder, withIntermediateDirectories: true)
      let contents: PropertyList = ["CFBundleIdentifier": "com.example.bundle"]
      try contents.data(format: .xml).write(to: folder.appending(path: "Info.plist"))
    }
    files.program = program
    if let link = installation.link {
      files.program = home.url.appending(path: link)
      try manager.createSymbolicLink(at: files.program, withDestinationURL: program)
    }
    try files.run("foundation-set", "-", input: ["theirs": "there"])
    #expect(files.names == ["\(installation.domain).plist"])
    #expect(try files.run("domain", "-").text == "\(installation.domain)\n")
    #expect(try files.run("string", "-", "theirs").text == "there\n")
    try files.run("set", "-", input: ["ours": "here"])
    #expect(files.names == ["\(installation.domain).plist"])
    #expect(try files.run("foundation-string", "-", "ours").text == "here\n")
  }

  /// A file name that is not a valid domain gives a similar domain name.
  @Test(arguments: [("back\\slash", "back_slash"), ("a\nb", "a_b")])
  func `a domain name has only valid characters`(_ name: String, _ domain: String) throws {
    var files = FoundationPreferences()
    let home = TemporaryFolder()
    let program = home.url.appending(path: name)
    try Self.copy(files.program, to: program)
    files.program = program
    #expect(try files.run("domain", "-").text == "\(domain)\n")
  }
}
