import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("Writing") struct WritingTests {
  /// The bytes of hexadecimal text.
  private func hexadecimal(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

  @Test func `keys in every order are written once`() throws {
    var random = SeededGenerator(seed: 17)
    let keys = ["", "a", "aa", "b", "é", "\u{65}\u{301}", "fifteen letters", "sixteen letters!", "sixteen letters?"]
    let list = (0..<LongForm.size(2000, or: 200)).map { number in
      let names = Set(keys.filter { _ in Int.random(in: 0..<6, using: &random) > 0 }).sorted()
      let ordered = number % 3 == 0 ? names.shuffled(using: &random) : names
      let value: PropertyList = number % 2 == 0 ? "a" : ["b": "sixteen letters?"]
      return PropertyList.dictionary(.init(uniqueKeysWithValues: ordered.map { ($0, value) }))
    }
    let data = try PropertyList.array(list).data(format: .binary)
    #expect(try PropertyList(data) == .array(list))
    var texts: Set<[UInt8]> = []
    var containerCount = 1
    for entries in list.compactMap(\.dictionary) {
      containerCount += 1
      for (key, value) in entries {
        texts.insert(Array(key.utf8))
        let isText = value == "a"
        texts.formUnion(isText ? [Array("a".utf8)] : [Array("b".utf8), Array("sixteen letters?".utf8)])
        if !isText { containerCount += 1 }
      }
    }
    #expect(try PropertyListDocument(data).objectCount == texts.count + containerCount)
  }

  @Test func `the binary format, byte by byte`() throws {
    // The dictionary, its keys, then its values. The second reference to 1 is to the same object.
    let value: PropertyList = ["a": 1, "b": ["a", 1]]
    let objects = "d2" + "01020304" + "5161" + "5162" + "1001" + "a2" + "0103"
    let trailer = "000000000000" + "01" + "01" + "0000000000000005" + "0000000000000000" + "0000000000000016"
    #expect(
      hexadecimal(try value.data(format: .binary))
        == hexadecimal(Data("bplist00".utf8)) + objects + "080d0f1113" + trailer)
  }

  @Test(
    arguments: [
      (0, "1000"), (255, "10ff"), (256, "110100"), (65535, "11ffff"), (65536, "1200010000"),
      (4_294_967_296, "130000000100000000"), (-1, "13ffffffffffffffff"),
      (9_223_372_036_854_775_808, "14000000000000000080" + "00000000000000"),
      (1.5, "233ff8000000000000"), (.float(1.5), "223fc00000"), (true, "09"), (false, "08"), (.null, "00"),
      (.date(Date(timeIntervalSinceReferenceDate: 1)), "333ff0000000000000"), ("", "50"), ("ab", "526162"),
      ("é", "6100e9"), ("😀", "62d83dde00"), (.data(Data([7])), "4107"), (.uid(.init(3)), "8003"),
      (.uid(.init(256)), "810100"), (.uid(.init(65536)), "8300010000"), ("fifteen letters", "5f100f" + "66696674656e"),
    ] as [(PropertyList, String)])
  func `every scalar has its narrowest form`(_ value: PropertyList, _ expected: String) throws {
    let data = try value.data(format: .binary)
    let object = hexadecimal(data.dropFirst(8).dropLast(33))
    if value == "fifteen letters" {
      #expect(object == "5f100f" + hexadecimal(Data("fifteen letters".utf8)))
    } else if value == 9_223_372_036_854_775_808 {
      #expect(object == "14" + "0000000000000000" + "8000000000000000")
    } else {
      #expect(object == expected)
    }
  }

  @Test func `equal scalars of the same kind and width are written once`() throws {
    let long = "a string that is too long to live inside its value"
    let scalars: [PropertyList] = [
      1, 1.0, .float(1), true, "1", .data(Data([1])), .date(Date(timeIntervalSinceReferenceDate: 1)), .uid(.init(1)),
      .null,
      .string(long), "größe", .real(.nan), 0.0, -0.0,
    ]
    let once = try PropertyListDocument(PropertyList.array(scalars).data(format: .binary))
    let thrice = try PropertyListDocument(PropertyList.array(scalars + scalars + scalars).data(format: .binary))
    #expect(once.objectCount == scalars.count + 1 && thrice.objectCount == scalars.count + 1)
    #expect(try PropertyList(thrice.root).array == scalars + scalars + scalars)
  }

  @Test(arguments: [1, 5, 300, 70_000])
  func `the last object of a file does not change the earlier bytes`(_ count: Int) throws {
    let numbers = (0..<count).map { PropertyList.integer(.init($0)) }
    let last: [PropertyList] = [
      .array([0]), .array([]), ["": 0], .uid(.init(7)), .uid(.init(70_000)), "text", "größe", .data(Data()), .null,
    ]
    // A file of 70 000 objects takes time, so the short form has only the largest value after it.
    for value in LongForm.isWanted || count < 70_000 ? last : [.uid(.init(70_000))] {
      let tree = PropertyList.array(numbers + [value])
      let data = try tree.data(format: .binary)
      #expect(try PropertyList(data) == tree)
      let document = try PropertyListDocument(data)
      #expect(try document.root.data(format: .binary) == data)
    }
  }

  @Test func `sparse UIDs take no additional memory`() throws {
    let far = PropertyList.array((0..<3000).map { .uid(.init(UInt32($0) &* 4095 &+ 4095)) })
    let near = PropertyList.array((0..<30_000).map { .uid(.init($0 * 2)) })
    let mixed = PropertyList.array([near, far, near, far])
    for tree in [far, near, mixed] {
      let data = try tree.data(format: .binary)
      #expect(try PropertyList(data) == tree)
      // Each UID once.
      #expect(try PropertyListDocument(data).objectCount <= 33_005)
    }
  }

  @Test func `dates are written exactly, from the first to the last year`() throws {
    for text in [
      "99999999-12-31T23:59:59Z", "-99999999-01-01T00:00:00Z", "0000-02-29T00:00:00Z", "-0001-12-31T23:59:59Z",
      "-0400-03-01T00:00:00Z", "1900-02-28T23:59:59Z", "2000-02-29T12:00:00Z", "2001-01-01T00:00:00Z",
    ] {
      let xml = "<plist version=\"1.0\">\n<date>\(text)</date>\n</plist>\n"
      let written = String(decoding: try PropertyList(Data(xml.utf8)).data(format: .xml), as: UTF8.self)
      #expect(written.contains("<date>\(text)</date>"))
    }
  }

  @Test(arguments: [254, 255, 65534, 65535])
  func `references and offsets have the minimum width`(_ count: Int) throws {
    let list = PropertyList.array((0..<count).map { .integer(.init($0)) })
    let data = try list.data(format: .binary)
    // Apple's reader requires the number of objects to fit.
    #expect(data[data.count - 25] == (count + 1 < 256 ? 1 : count + 1 < 65536 ? 2 : 3))
    #expect(try PropertyList(data) == list)
  }

  @Test(arguments: ["kinds", "counts"])
  func `binary files are at most as large as those of other producers`(_ name: String) throws {
    for producer in ["python", "libplist", "foundation"] {
      let theirs = try Fixtures.data("binary/\(name)-\(producer).bplist")
      #expect(try PropertyList(theirs).data(format: .binary).count <= theirs.count)
    }
  }

  @Test func `the time is linear in the number of values`() throws {
    let growth = try ThreadClock.growth(from: 2_000, to: 16_000) { count in
      PropertyList.array((0..<count).map { .string("value \($0)") })
    } work: {
      _ = try $0.data(format: .binary)
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test func `writing is deterministic`() throws {
    let value = try PropertyList(Fixtures.data("binary/kinds-python.bplist"))
    for format in PropertyListFormat.allCases {
      let first = try value.data(format: format, options: .exact)
      for _ in 0..<5 { #expect(try value.data(format: format, options: .exact) == first) }
    }
  }

  @Test func `base64 lines are shorter at greater depth, down to 12 characters`() throws {
    var value = PropertyList.data(Data(repeating: 0, count: 120))
    for depth in 0..<12 {
      let text = String(decoding: try value.data(format: .xml), as: UTF8.self)
      let line = text.split(separator: "\n").first { $0.contains("AAAA") }!
      #expect(line.count { $0 == "A" } == 76 - 8 * min(depth, 8))
      #expect(line.count { $0 == "\t" } == min(depth, 8))
      value = [value]
    }
  }

  @Test(
    arguments: [
      (.null, "null"), ("a\u{0}b", "U+0000"), ("\u{1F}", "U+001F"), ("\u{FFFE}", "U+FFFE"), ("x\u{FFFF}", "U+FFFF"),
      (["CF$UID": 5], "UID"), (.date(Date(timeIntervalSinceReferenceDate: .nan)), "date"),
      (.date(Date(timeIntervalSinceReferenceDate: 1e20)), "date"),
    ] as [(PropertyList, String)])
  func `a value that XML cannot hold is an error with its key path`(_ value: PropertyList, _ word: String) throws {
    let found = error { () throws(PropertyListError) in _ = try (["k": [1, value]] as PropertyList).data(format: .xml) }
    #expect(found?.kind == .notRepresentable && found?.message.contains(word) == true)
    #expect(found?.keyPath?.components.prefix(2) == [.key("k"), .index(1)])
    let binary = try value.data(format: .binary)
    #expect(try PropertyList(binary) == value)
  }

  @Test func `the path of a key that XML cannot hold ends with the key`() throws {
    let value: PropertyList = ["k": [["a": 1, "b\u{1}": 2], 3]]
    let tree = error { () throws(PropertyListError) in _ = try value.data(format: .xml) }
    let document = try PropertyListDocument(value.data(format: .binary))
    let walked = error { () throws(PropertyListError) in _ = try document.root.data(format: .xml) }
    for found in [tree, walked] {
      #expect(found?.kind == .notRepresentable)
      #expect(found?.keyPath == PropertyListKeyPath([.key("k"), .index(0), .key("b\u{1}")]))
    }
    let first = error { () throws(PropertyListError) in _ = try (["\u{1}": 1] as PropertyList).data(format: .xml) }
    #expect(first?.keyPath == PropertyListKeyPath([.key("\u{1}")]))
  }

  @Test func `a dictionary that looks like a UID can be written in formats with real UIDs`() throws {
    let options = PropertyListWritingOptions(writesUIDDictionaries: false)
    let data = try (["CF$UID": 5] as PropertyList).data(format: .xml, options: options)
    #expect(try PropertyList(data) == .uid(.init(5)))
    #expect(try PropertyList(data, options: .init(recognizesUIDDictionaries: false)) == ["CF$UID": 5])
    #expect(
      error { () throws(PropertyListError) in _ = try PropertyList.uid(.init(5)).data(format: .xml, options: options) }?
        .kind == .notRepresentable)
    for other in [
      ["CF$UID": "5"], ["CF$UID": -1], ["CF$UID": 4_294_967_296], ["CF$UID": 1, "b": 2], ["b": ["CF$UID": [1]]],
    ] as [PropertyList] {
      #expect(try PropertyList(other.data(format: .xml)) == other)
    }
  }

  @Test func `fractions of a second are dropped as by Apple, or refused`() throws {
    let value = PropertyList.date(Date(timeIntervalSinceReferenceDate: -0.5))
    #expect(String(decoding: try value.data(format: .xml), as: UTF8.self).contains("<date>2000-12-31T23:59:59Z</date>"))
    let found = error { () throws(PropertyListError) in
      _ = try value.data(format: .xml, options: .init(fractionalSeconds: .refuse))
    }
    #expect(found?.kind == .notRepresentable)
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `a value that no reader would accept is not written`(_ format: PropertyListFormat) throws {
    var value: PropertyList = "innermost"
    for _ in 0..<512 { value = [value] }
    #expect(try PropertyList(value.data(format: format)) == value)
    value = [value]
    #expect(error { () throws(PropertyListError) in _ = try value.data(format: format) }?.kind == .nestedTooDeeply)
    #expect(try !value.data(format: format, options: .init(depth: 513)).isEmpty)
  }
}

@Suite("Writing files") struct FileTests {
  @Test func `a failed write leaves the old file, and no other`() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path("a.plist"))
    try (["old"] as PropertyList).write(to: url, format: .xml)
    let before = try Data(contentsOf: url)
    #expect(
      error { () throws(PropertyListError) in try PropertyList.null.write(to: url, format: .xml) }?.kind
        == .notRepresentable)
    #expect(try Data(contentsOf: url) == before)
    let below = URL(filePath: folder.path("a.plist/b"))
    #expect(
      error { () throws(PropertyListError) in try ([] as PropertyList).write(to: below, format: .xml) }?.kind
        == .inputOutput(errno: ENOTDIR))
    #expect(folder.names == ["a.plist"])
  }

  @Test func `a new file replaces the old one, which open descriptors still read`() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path("a.plist"))
    try (["old"] as PropertyList).write(to: url, format: .binary)
    let mapped = try PropertyListDocument(mapping: url)
    try ([] as PropertyList).write(to: url, format: .binary)
    #expect(try PropertyList(mapped.root) == ["old"])
    #expect(try PropertyList(contentsOf: url) == [])
  }

  @Test func `an existing file keeps its permissions; a new one gets those of the process`() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path("a.plist"))
    let mask = umask(0o027)
    defer { umask(mask) }
    try ([] as PropertyList).write(to: url, format: .xml)
    #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o640)
    for mode in [0o600, 0o444, 0o755] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
      try ([] as PropertyList).write(to: url, format: .xml)
      #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == mode)
    }
  }

  @Test func `symbolic links are followed, also chains and broken links`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.path("one"), withDestinationPath: "two")
    try FileManager.default.createSymbolicLink(atPath: folder.path("two"), withDestinationPath: folder.path("three"))
    try (["x"] as PropertyList).write(to: URL(filePath: folder.path("one")), format: .xml)
    #expect(try PropertyList(contentsOf: URL(filePath: folder.path("three"))) == ["x"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("one")) == "two")
    try FileManager.default.createSymbolicLink(atPath: folder.path("loop"), withDestinationPath: "loop")
    #expect(
      error { () throws(PropertyListError) in
        try ([] as PropertyList).write(to: URL(filePath: folder.path("loop")), format: .xml)
      }?.kind
        == .inputOutput(errno: ELOOP))
    #expect(folder.names == ["loop", "one", "three", "two"])
  }

  @Test(.enabled(if: getuid() == 0))
  func `a folder, and the target of another user's link, are not changed`() throws {
    let folder = TemporaryFolder()
    let other: uid_t = 1234
    for name in ["shared", "own"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
      try Data("mine".utf8).write(to: URL(filePath: folder.path("\(name)/file")))
    }
    try #require(chmod(folder.path("shared"), 0o1777) == 0)
    try FileManager.default.createSymbolicLink(atPath: folder.path("shared/link"), withDestinationPath: "../own/file")
    try FileManager.default.createSymbolicLink(atPath: folder.path("shared/way"), withDestinationPath: "../own")
    try FileManager.default.createSymbolicLink(atPath: folder.path("shared/new"), withDestinationPath: "../own/new")
    for name in ["link", "way", "new"] { try #require(lchown(folder.path("shared/\(name)"), other, other) == 0) }
    // A link of the user to another user's file.
    try Data("theirs".utf8).write(to: URL(filePath: folder.path("theirs")))
    try #require(chown(folder.path("theirs"), other, other) == 0)
    try FileManager.default.createSymbolicLink(atPath: folder.path("to theirs"), withDestinationPath: "theirs")
    let expected: [(path: String, code: Int32, named: String)] = [
      ("own", EISDIR, "own"), ("shared/link", EPERM, "shared/link"), ("shared/way/file", EPERM, "shared/way"),
      ("shared/new", EPERM, "shared/new"), ("to theirs", EPERM, "theirs"),
    ]
    for (path, code, named) in expected {
      let found = error { () throws(PropertyListError) in
        try ([] as PropertyList).write(to: URL(filePath: folder.path(path)), format: .xml)
      }
      #expect(found?.kind == .inputOutput(errno: code), "\(path)")
      #expect(found?.message.contains(folder.path(named)) == true, "\(found as Any)")
    }
    #expect(try String(contentsOfFile: folder.path("own/file"), encoding: .utf8) == "mine")
    #expect(try String(contentsOfFile: folder.path("theirs"), encoding: .utf8) == "theirs")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("own")) == ["file"])
    // Another user's file without a link to it keeps its owner.
    try ([] as PropertyList).write(to: URL(filePath: folder.path("theirs")), format: .xml)
    #expect(try FileManager.default.attributesOfItem(atPath: folder.path("theirs"))[.ownerAccountID] as? Int == 1234)
  }

  @Test func `long file names work`() throws {
    let folder = TemporaryFolder()
    let name = String(repeating: "ü", count: 127)
    try ([] as PropertyList).write(to: URL(filePath: folder.path(name)), format: .xml)
    #expect(folder.names == [name])
  }
}
