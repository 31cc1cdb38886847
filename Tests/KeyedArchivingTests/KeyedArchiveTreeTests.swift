import ArchiveViews
import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import KeyedArchiving

@Suite("Archive trees") struct KeyedArchiveTreeTests {
  @Test func `an object is shown with its class and fields`() throws {
    #expect(
      try KeyedArchive(contentsOf: Fixtures.url("archives/foo-ios.bplist")).tree() == """
        root: Foo
          kBar: "祈求者Kael"
          kBaz: 24.0
        """)
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `a shared object is shown once with its UID, also in circles`(_ format: PropertyListFormat) throws {
    #expect(
      try twoFriends(format: format).tree() == """
        root: #1 Person
          name: "Ada"
          age: 36
          friends: #3 [
            → #1
            Person
              name: "Charles"
              friends: → #3
              boss: nil
          ]
        """)
  }

  @Test func `collections are shown by their elements`() throws {
    let archive = try keyedArchive(
      top: ["array": .uid(1), "set": .uid(2), "dictionary": .uid(3), "list": [1, ["k": .uid(4)]]],
      ["NS.objects": [.uid(4), .uid(7)], "$class": .uid(8)],
      ["NS.objects": [.uid(4)], "$class": .uid(9)],
      ["NS.keys": [.uid(4), .uid(6)], "NS.objects": [.uid(5), .uid(7)], "$class": .uid(10)],
      "four", 5, 6.5,
      ["NS.objects": [], "$class": .uid(11)],
      .described("NSArray"), .described("NSMutableSet", "NSSet"), .described("NSDictionary"),
      .described("NSMutableArray", "NSArray"))
    #expect(
      try archive.tree() == """
        array: [
          "four"
          #7 NSMutableArray []
        ]
        set: NSMutableSet [
          "four"
        ]
        dictionary: {
          "four": 5
          6.5: → #7
        }
        list: [
          1
          {
            "k": "four"
          }
        ]
        """)
  }

  @Test func `objects that are keys are shown`() throws {
    let archive = try keyedArchive(
      ["NS.keys": [.uid(2), .uid(3), .uid(3)], "NS.objects": [.uid(4), .uid(2), .uid(5)], "$class": .uid(6)],
      ["x": 1, "$class": .uid(7)], ["NS.objects": [], "$class": .uid(8)], "value", "more",
      .described("NSDictionary"), .described("Point"), .described("NSArray"))
    #expect(
      try archive.tree() == """
        root: {
          key: #2 Point
            x: 1
          value: "value"
          #3 []: → #2
          → #3: "more"
        }
        """)
  }

  @Test func `values of Foundation's classes are shown readably`() throws {
    let archive = try keyedArchive(
      top: [
        "text": .uid(1), "data": .uid(2), "date": .uid(3), "uuid": .uid(4), "url": .uid(5), "null": .uid(7),
        "relative": .uid(9), "native": .uid(10), "bytes": .data(Data([255])), "float": .float(0.1), "on": true,
      ],
      ["NS.string": "mutable", "$class": .uid(11)],
      ["NS.data": .data(Data([0, 1, 2, 3, 4])), "$class": .uid(12)],
      ["NS.time": 0.5, "$class": .uid(13)],
      ["NS.uuidbytes": .data(Data(0..<16)), "$class": .uid(14)],
      ["NS.base": .uid(0), "NS.relative": .uid(6), "$class": .uid(15)],
      "https://www.swift.org",
      ["$class": .uid(16)],
      "index.xml",
      ["NS.base": .uid(5), "NS.relative": .uid(8), "$class": .uid(15)],
      .date(Date(timeIntervalSinceReferenceDate: -1)),
      .described("NSMutableString", "NSString"), .described("NSMutableData", "NSData"), .described("NSDate"),
      .described("NSUUID"), .described("NSURL"), .described("NSNull"))
    #expect(
      try archive.tree() == """
        text: NSMutableString "mutable"
        data: NSMutableData <00010203 04>
        date: 2001-01-01 00:00:00.5 +0000
        uuid: NSUUID 00010203-0405-0607-0809-0A0B0C0D0E0F
        url: #5 NSURL "https://www.swift.org"
        null: NSNull
        relative: NSURL "index.xml"
          NS.base: → #5
        native: 2000-12-31 23:59:59 +0000
        bytes: <ff>
        float: 0.1
        on: true
        """)
  }

  @Test func `an object without the layout of its class is shown by fields`() throws {
    let archive = try keyedArchive(
      top: ["a": .uid(1), "b": .uid(2), "c": .uid(3)],
      ["NS.objects": [1], "more": 2, "$class": .uid(4)],
      ["NS.keys": [1], "NS.objects": [1, 2], "$class": .uid(5)],
      ["NS.uuidbytes": .data(Data([1])), "$class": .uid(6)],
      .described("NSArray"), .described("NSDictionary"), .described("NSUUID"))
    #expect(
      try archive.tree() == """
        a: NSArray
          NS.objects: [
            1
          ]
          more: 2
        b: NSDictionary
          NS.keys: [
            1
          ]
          NS.objects: [
            1
            2
          ]
        c: NSUUID
          NS.uuidbytes: <01>
        """)
  }

  @Test func `long strings are shown once, and short ones everywhere`() throws {
    let long = String(repeating: "long ", count: 20)
    let archive = try keyedArchive(
      top: ["a": .uid(1), "b": .uid(1), "c": .uid(2), "d": .uid(2)], .string(long), "short")
    #expect(
      try archive.tree() == """
        a: #1 "\(long)"
        b: → #1
        c: "short"
        d: "short"
        """)
  }

  @Test func `defects are shown in place`() throws {
    let archive = try keyedArchive(
      top: ["a": .uid(1), "b": .uid(2), "c": .uid(99), "d": .uid(4), "e": .uid(5), "f": .uid(6), "g": .uid(7)],
      ["x": 1, "$class": .uid(50)], ["x": 1, "$class": "Name"], "unused", [1], .uid(4), ["k": 2], .described("Class"))
    #expect(
      try archive.tree() == """
        a: ?
          x: 1
          $class: → #50 (outside the object table)
        b: ?
          x: 1
          $class: "Name"
        c: → #99 (outside the object table)
        d: #4 array [
          1
        ]
        e: UID → #4
        f: dictionary {
          "k": 2
        }
        g: class Class
        (not reachable from a top-level key:)
          #3 "unused"
        """)
  }

  @Test func `unreachable objects are shown, also in circles`() throws {
    let archive = try keyedArchive(
      "root", ["other": .uid(3), "$class": .uid(4)], ["other": .uid(2), "$class": .uid(4)], .described("Node"),
      .described("Unused"), "$null")
    #expect(
      try archive.tree() == """
        root: "root"
        (not reachable from a top-level key:)
          #2 Node
            other: Node
              other: → #2
          #5 class Unused
        """)
  }

  @Test func `unreadable values do not hide the rest`() throws {
    let list = PropertyList.archive(objects: [
      ["first": 1, "second": "aXb", "third": 3, "$class": .uid(2)], .described("Thing"),
    ])
    let data = try list.data(format: .binary).replacing("aXb", with: [0x61, 0xFF, 0x62])
    #expect(
      try KeyedArchive(data).tree().replacing(/byte \d+:/, with: "byte N:") == """
        root: Thing
          first: 1
          second: <unreadable: byte N: the byte 0xff in an ASCII string>
          third: 3
        """)
    let key = try list.data(format: .binary).replacing("second", with: [0x61, 0xFF, 0x62, 0x61, 0x61, 0x61])
    #expect(
      try KeyedArchive(key).tree().replacing(/byte \d+:/, with: "byte N:") == """
        root: Thing
          first: 1
          <unreadable: byte N: the byte 0xff in an ASCII string>: "aXb"
          third: 3
        """)
  }

  @Test func `strings, keys and classes are escaped on a terminal`() throws {
    let evil = "\u{1B}[31m\n\r\t\u{7F}\u{9B}\u{2028}\u{202E}\"\\ x: 1"
    let archive = try keyedArchive(
      top: [evil: .uid(1), "": 1],
      [evil: .string(evil), "list": [[evil: .string(evil)] as PropertyList], "$class": .uid(2)], .described(evil))
    let tree = try archive.tree()
    #expect(tree.split(separator: "\n").count == 8)
    let scalars = tree.unicodeScalars.filter { $0 != "\n" }
    #expect(scalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
    #expect(!scalars.contains("\u{202E}") && !scalars.contains("\u{2028}"))
    #expect(tree.hasSuffix("\n\"\": 1"))
    #expect(tree.contains(#""\u{1b}[31m\n\r\t\u{7f}\u{9b}\u{2028}\u{202e}\"\\ x: 1""#))
  }

  @Test(.enabled(if: !Fixtures.archives.isEmpty)) func `trees of real archives are readable`() throws {
    let trees = try Dictionary(
      uniqueKeysWithValues: Fixtures.archives.map { ($0.lastPathComponent, try KeyedArchive(contentsOf: $0).tree()) })
    #expect(
      trees["NSAttributedString.archive"] == """
        root: NSAttributedString
          NSString: "0123456789"
          NSAttributeInfo: NSMutableData <01000101 04020201 01030100>
          NSAttributes: NSMutableArray [
            {}
            {
              "Font": "Helvetica"
              "Size": 123
            }
            {
              "Size": 456
              "Font": "Times"
            }
            {
              "Size": 456
              "Font": "Times"
            }
          ]
        """)
    #expect(
      trees["NSKeyedUnarchiver-URLTest.plist"] == """
        root: NSURL "foo.xml"
          NS.base: NSURL "https://www.example.com"
        """)
    #expect(
      trees.values.allSatisfy { !$0.contains("<unreadable") && !$0.contains("(not reachable") && !$0.contains("?") })
  }
}

extension Data {
  /// The data, with other bytes in place of a string that occurs once.
  func replacing(_ text: String, with bytes: [UInt8]) throws -> Data {
    var data = self
    let range = try #require(data.firstRange(of: Data(text.utf8)))
    data.replaceSubrange(range, with: bytes)
    return data
  }
}
