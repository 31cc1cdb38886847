import Dispatch
import Foundation
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Hostile property lists") struct HostileInputTests {
  /// Every file of `Fixtures/hostile`, and its error.
  static let expected: [String: PropertyListError.Kind] = [
    "empty": .malformed, "blank": .unknownFormat, "text": .unknownFormat,
    "self-array.bplist": .circularReference, "circle-of-two.bplist": .circularReference,
    "circle-below.bplist": .circularReference, "dictionary-in-itself.bplist": .circularReference,
    "deep-513.bplist": .nestedTooDeeply, "deep-100000.bplist": .nestedTooDeeply,
    "deep-513.plist": .nestedTooDeeply, "deep-100000.plist": .nestedTooDeeply,
    "expansion.bplist": .limitExceeded, "expansion-of-text.bplist": .limitExceeded,
    "expansion-of-nothing.bplist": .limitExceeded, "expansion-of-numbers.bplist": .limitExceeded,
    "expansion-far-below.bplist": .limitExceeded, "key-with-escapes.bplist": .duplicateKey,
    "overlap.bplist": .limitExceeded,
    "many-attributes.plist": .limitExceeded, "many-namespaces.plist": .limitExceeded,
    "key-twice.bplist": .duplicateKey, "key-twice-in-two-objects.bplist": .duplicateKey,
    "key-twice.plist": .duplicateKey, "key-twice-spelled.plist": .duplicateKey,
    "version-15.bplist": .unsupportedVersion,
  ]

  @Test(arguments: Fixtures.names(in: "hostile"))
  func `a hostile file is quickly refused with an error of the right kind and its position`(_ name: String) throws {
    let data = try Fixtures.data(name)
    var found: PropertyListError?
    let duration = ThreadClock.measure {
      found = error { () throws(PropertyListError) in _ = try PropertyList(data) }
    }
    // The largest are a few megabytes. Even a debug build needs only a fraction of this time.
    #expect(duration < ThreadClock.referenceSecond * 20)
    let expected = Self.expected[String(name.dropFirst("hostile/".count))] ?? .malformed
    #expect(found?.kind == expected, "\(name): \(found?.description ?? "was read")")
    if name.hasSuffix(".plist"), found?.kind != .limitExceeded {
      #expect(found?.position != nil, "\(name) has no line and column")
    }
    #expect(
      found?.byteOffset != nil || found?.position != nil || found?.keyPath != nil,
      "\(name): \(found?.description ?? "") says no position")
  }

  @Test(arguments: Fixtures.names(in: "hostile"))
  func `a hostile file fails the full check, except if only its expansion is too large`(_ name: String) throws {
    let data = try Fixtures.data(name)
    let found = error { () throws(PropertyListError) in try PropertyListDocument(data).validate() }
    if name.contains("expansion") {
      #expect(found == nil, "shared references are no defect as such")
    } else {
      #expect(found?.kind == Self.expected[String(name.dropFirst("hostile/".count))] ?? .malformed)
    }
  }

  @Test(arguments: [
    "expansion.bplist", "expansion-of-text.bplist", "expansion-of-nothing.bplist", "expansion-of-numbers.bplist",
    "expansion-far-below.bplist",
  ])
  func `a hostile file cannot be written again`(_ name: String) throws {
    let document = try PropertyListDocument(Fixtures.data("hostile/\(name)"))
    for format in PropertyListFormat.allCases {
      #expect(
        error { () throws(PropertyListError) in _ = try document.root.data(format: format, options: .exact) }?.kind
          == .limitExceeded)
    }
  }

  @Test func `the limits can be set by the caller`() throws {
    let shallow = PropertyListReadingOptions(limits: ParsingLimits(depth: 2))
    let nested: PropertyList = [[["deep"]]]
    for format in PropertyListFormat.allCases {
      let data = try nested.data(format: format)
      let found = error { () throws(PropertyListError) in _ = try PropertyList(data, options: shallow) }
      #expect(found?.kind == .nestedTooDeeply)
      #expect(try PropertyList(data, options: .init(limits: ParsingLimits(depth: 3))) == nested)
      let small = PropertyListReadingOptions(limits: ParsingLimits(inputSize: 20))
      #expect(
        error { () throws(PropertyListError) in _ = try PropertyList(data, options: small) }?.kind == .limitExceeded)
    }
    let deep = try PropertyList(
      Fixtures.data("hostile/deep-513.bplist"), options: .init(limits: ParsingLimits(depth: 513)))
    #expect(deep[0]?[0]?[0]?.kind == .array)
    let unlimited = PropertyListReadingOptions(limits: ParsingLimits(depth: .max))
    #expect(
      error { () throws(PropertyListError) in
        _ = try PropertyList(try! Fixtures.data("hostile/deep-100000.bplist"), options: unlimited)
      }?.kind == .nestedTooDeeply)
    let generous = PropertyListReadingOptions(limits: ParsingLimits(expandedSize: .max))
    let expanded = try PropertyList(Fixtures.data("binary/shared-python.bplist"), options: generous)
    #expect(expanded["c"]?[1] == ["shared between several places"])
  }

  @Test(
    "a thread with 512 KB of stack reads and writes the allowed depth", arguments: PropertyListFormat.allCases)
  func smallStack(_ format: PropertyListFormat) throws {
    var nested: PropertyList = 1
    for level in 0..<512 { nested = level % 2 == 0 ? [nested] : ["k": nested] }
    let data = try nested.data(format: format, options: .exact)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      guard let document = try? PropertyListDocument(data), let tree = try? PropertyList(document.root) else { return }
      try? document.validate()
      for format in PropertyListFormat.allCases {
        guard let fromTree = try? tree.data(format: format, options: .exact),
          let direct = try? document.root.data(format: format, options: .exact),
          fromTree == direct
        else { return }
      }
      guard let again = try? PropertyList(document.root), again == tree, again.hashValue == tree.hashValue else {
        return
      }
      _ = tree.debugDescription
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    #expect(done.waitForSignal())
  }

  @Test func `messages are one line, and send a terminal no commands`() throws {
    let data = try Fixtures.data("hostile/key-with-escapes.bplist")
    let found = error { () throws(PropertyListError) in _ = try PropertyList(data) }
    #expect(found?.description.contains(#""\u{1b}]0;hi\u{7}\u{a}EV""#) == true)
    let long = xml("<dict><key>\(String(repeating: "k", count: 100_000))</key></dict>")
    let refused = error { () throws(PropertyListError) in _ = try PropertyList(long) }
    #expect(try #require(refused).description.utf8.count < 1000)
  }

  @Test func `an endless encoding name is shortened`() throws {
    let text = "<?xml version=\"1.0\" encoding=\"\(String(repeating: "e", count: 100_000))\"?><plist><true/></plist>"
    let found = error { () throws(PropertyListError) in _ = try PropertyList(Data(text.utf8)) }
    #expect(found?.kind == .malformed && (found?.message.utf8.count ?? 1000) < 200)
  }

  @Test func `an error about an unsupported version does not contain the contents`() throws {
    let data = Data("bplist".utf8) + Data([0x0A, 0x07]) + Data(count: 64)
    let found = error { () throws(PropertyListError) in _ = try PropertyList(data) }
    #expect(found?.kind == .unsupportedVersion)
    #expect(found?.message.contains(#""\u{a}\u{7}""#) == true)
  }

  @Test func `the full check and the tree report the same value`() throws {
    // [true, [], <object 9 of 3>]
    var data = try ([true, [], false] as PropertyList).data(format: .binary)
    data[data.startIndex + 11] = 9
    let tree = error { () throws(PropertyListError) in _ = try PropertyList(data) }
    let check = error { () throws(PropertyListError) in try PropertyListDocument(data).validate() }
    #expect(tree?.keyPath == PropertyListKeyPath([.index(2)]))
    #expect(check?.keyPath == tree?.keyPath && check?.byteOffset == 11)
  }

  @Test func `a key that is not a string is never found`() throws {
    var data = try (["ab": 1] as PropertyList).data(format: .binary)
    let key = try #require(data.firstRange(of: Data("ab".utf8)))
    data.replaceSubrange(key, with: [0xC3, 0xA9])
    let root = try PropertyListDocument(data).root
    #expect(throws: PropertyListError.self) { try root.value(forKey: "\u{E9}") }
    #expect(throws: PropertyListError.self) { try PropertyList(root) }
  }

  @Test func `two spellings of a key are two keys in a document, and an error in a tree`() throws {
    for format in PropertyListFormat.allCases {
      let data = try PropertyListDocument(xml("<dict><key>\u{E9}</key><true/><key>e\u{301}</key><false/></dict>")).root
        .data(format: format, options: .exact)
      let document = try PropertyListDocument(data)
      try document.validate()
      #expect(try document.root.value(forKey: "\u{E9}")?.boolean == true)
      #expect(try document.root.value(forKey: "e\u{301}")?.boolean == false)
      #expect(error { () throws(PropertyListError) in _ = try PropertyList(document.root) }?.kind == .duplicateKey)
    }
  }

  @Test func `an error in a binary file has the key path`() throws {
    let data = try Fixtures.data("hostile/circle-below.bplist")
    let found = error { () throws(PropertyListError) in _ = try PropertyList(data) }
    #expect(found?.keyPath == PropertyListKeyPath([.index(1), .index(0), .index(0)]))
  }

  @Test func `an error in XML has line, column, byte offset and key path`() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0">
      <dict>
      \t<key>größe.n</key>
      \t<array>
      \t\t<true/>
      \t\t<string>ä</string> <integer>x</integer>
      """
    let found = error { () throws(PropertyListError) in _ = try PropertyList(Data(text.utf8)) }
    #expect(found?.position == .init(line: 7, column: 22))
    #expect(found?.byteOffset == text.utf8.count - "<integer>x</integer>".utf8.count)
    #expect(found?.keyPath?.description == #"größe\.n.2"#)
    let utf16 = text.data(using: .utf16LittleEndian)!
    let same = error { () throws(PropertyListError) in _ = try PropertyList(utf16) }
    #expect(same?.position == found?.position)
    #expect(same?.byteOffset == 2 * (text.utf16.count - "<integer>x</integer>".utf16.count))
  }
}
