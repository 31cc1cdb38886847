import ArchiveViews
import Foundation
import KeyedArchiving
import Nibs
import PropertyLists
import TestSupport
import Testing

@Suite("Views of a compiled nib") struct NIBArchiveViewTests {
  @Test func `the tree is that of a keyed archive, with the root's values at the top level`() throws {
    let archive = try NIBArchive.label().keyedArchive()
    #expect(archive.archiver == "UINibEncoder")
    #expect(
      try archive.tree() == """
        UINibTopLevelObjectsKey: #1 [
          UIProxyObject
            UIProxiedObjectIdentifier: #4 "IBFilesOwner"
          #3 UIView
            UIBounds: "{0, 0, 320, 480.5}"
            UICenter: "{160, 240.25}"
            UISubviews: NSMutableArray [
              UILabel
                UIText: #6 "Hello, 🌍"
                UIFont: UIFont
                  UIFontPointSize: 17.0
                  UIWeight: 400000
                UITextColor: UIColor
                  UIColorID: 1099511627776
                UIAlpha: 0.5
                UIShadow: nil
                UILines: -1
                UISuperview: → #3
            ]
            UIOpaque: false
            UITag: -300
        ]
        UINibObjectsKey: → #1
        UINibConnectionsKey: {
          → #4: → #6
        }
        """)
  }

  @Test func `the JSON has all values, classes with fallbacks, and versions`() throws {
    let nib = try NIBArchive(
      objects: [(classIndex: 0, values: 0..<4), (classIndex: 1, values: 4..<5)],
      keys: ["child", "float", "$0", "$class", "NS.bytes"],
      values: [(0, .object(1)), (1, .float(0.25)), (2, .int64(.max)), (3, .boolean(true)), (4, .data(Data([0xFF])))],
      classNames: [.init("NSObject"), .init("NSString", fallbackIndices: [0])], coderVersion: 10,
      trailingBytes: Data([1]))
    let json = try String(decoding: nib.keyedArchive().jsonData(isIndented: false), as: UTF8.self)
    #expect(
      json == #"""
        {"$archiver":"UINibEncoder","$version":100000,\#
        "$top":{"child":{"$class":"NSString","NS.bytes":{"$data":"/w=="}},"float":{"$float":0.25},\#
        "$0":9223372036854775807,"$$class":true},\#
        "$classes":[{"$uid":2,"$classname":"NSString","$classhints":["NSObject"]}],\#
        "NIBArchive":{"formatVersion":1,"coderVersion":10,"rootClass":"NSObject","trailingBytes":{"$data":"AQ=="}}}
        """#)
  }

  @Test func `classes are counted, paths lead through collections, and arrows have keys`() throws {
    let archive = try NIBArchive.label().keyedArchive()
    let classes = try archive.classes
    #expect(classes.first { $0.description.name == "NSString" }?.instanceCount == 2)
    #expect(classes.first { $0.description.name == "UIColor" }?.description.hints == ["NSColor"])
    let path = try PropertyListKeyPath("UINibTopLevelObjectsKey.1.UISubviews.0.UIText")
    #expect(try archive.tree(at: path) == "#6 \"Hello, 🌍\"")
    #expect(try archive.graph().contains("o3 -> o9 [label=\"UISubviews\"]"))
    #expect(
      try archive.references(to: PropertyList.UID(6)).map(\.description) == [
        "#5 UIText → #6", "#10 NS.objects[0] → #6",
      ])
  }

  /// The fields of an object in the form of a keyed archive.
  private func tree(
    _ className: String, _ values: [NIBArchive.NewValue], _ others: [NIBArchive.NewObject] = []
  ) throws -> String {
    let nib = try NIBArchive(objects: [.init("NSObject", [.init("a", .object(1))]), .init(className, values)] + others)
    return try nib.keyedArchive().tree()
  }

  @Test func `an object that is not a standard collection is shown unchanged`() throws {
    let element = NIBArchive.NewValue("UINibEncoderEmptyKey", .int8(7))
    let mark = NIBArchive.NewValue("NSInlinedValue", .boolean(true))
    #expect(try tree("NSArray", [mark]) == "a: []")
    #expect(try tree("NSMutableSet", [mark, element]) == "a: NSMutableSet [\n  7\n]")
    #expect(
      try tree("NSDictionary", [mark, element]) == "a: NSDictionary\n  NSInlinedValue: true\n  UINibEncoderEmptyKey: 7")
    #expect(try tree("NSArray", [element, element]) == "a: NSArray\n  UINibEncoderEmptyKey: [\n    7\n    7\n  ]")
    #expect(try tree("Other", [mark, element]) == "a: Other\n  NSInlinedValue: true\n  UINibEncoderEmptyKey: 7")
    #expect(try tree("NSArray", [mark, .init("b", .int8(1))]) == "a: NSArray\n  NSInlinedValue: true\n  b: 1")
  }

  @Test func `strings and data are shown as their contents if they have nothing else`() throws {
    let bytes = NIBArchive.NewValue("NS.bytes", .data(Data([6, 0, 0, 0, 0, 0, 0, 0, 0])))
    #expect(try tree("NSMutableString", [.init("NS.bytes", .data(Data("x".utf8)))]) == "a: NSMutableString \"x\"")
    #expect(try tree("NSData", [bytes]) == "a: <06000000 00000000 00>")
    #expect(try tree("NSString", [.init("NS.bytes", .data(Data([0xFF])))]) == "a: NSString\n  NS.bytes: <ff>")
    #expect(try tree("Other", [bytes]) == "a: Other\n  NS.bytes: <06000000 00000000 00>")
  }

  @Test func `numbers in data are shown only if all of the data is numbers`() throws {
    func shown(_ data: Data) throws -> String { try tree("V", [.init("b", .data(data))]) }
    #expect(try shown(NIBArchive.packed([1, -0.0] as [Float])) == "a: V\n  b: \"{1, -0}\"")
    #expect(try shown(NIBArchive.packed([0.1, 1, 2, 3, 4, 5] as [Double])) == "a: V\n  b: \"{0.1, 1, 2, 3, 4, 5}\"")
    #expect(try shown(NIBArchive.packed([1, 2, 3] as [Float])).contains("<06"))
    #expect(try shown(NIBArchive.packed([1, .infinity] as [Float])).contains("<06"))
    #expect(try shown(NIBArchive.packed([1, 2] as [Float]) + [0]).contains("<06"))
    #expect(NIBArchive.Value.data(Data([7])).numbers == nil && NIBArchive.Value.int8(7).numbers == nil)
    #expect(NIBArchive.Value.data(NIBArchive.packed([1.5, 2, 3] as [Float])).numbers == [1.5, 2, 3])
  }

  @Test func `references to the root, and indices out of the table, are shown`() throws {
    #expect(
      try tree("V", [.init("root", .object(0)), .init("lost", .object(99))]) == """
        a: #1 V
          root: NSObject
            a: → #1
          lost: {
            "no object": 99
          }
        """)
    let nib = try NIBArchive(
      objects: [(classIndex: 0, values: 0..<1), (classIndex: 9, values: 1..<99)], keys: ["a"],
      values: [(0, .object(1)), (7, .int8(1))], classNames: [.init("NSObject")])
    #expect(try nib.keyedArchive().tree() == "a: ?\n  \"<key 7>\": 1\n  $class: 9")
    #expect(try NIBArchive(objects: []).keyedArchive().tree() == "")
  }
}

@Suite("Checking compiled nibs") struct NIBArchiveCheckTests {
  private func findings(_ nib: NIBArchive) -> [String] {
    nib.check().map { "\($0.severity.rawValue) \($0.kind.rawValue) \($0.description)" }
  }

  @Test func `a standard nib has no findings`() throws {
    #expect(try findings(.label()) == [])
    #expect(try findings(NIBArchive(NIBArchive.label().data())) == [])
  }

  @Test func `each index out of a table is found`() throws {
    let nib = try NIBArchive(
      objects: [(classIndex: 0, values: 0..<2), (classIndex: 5, values: 2..<9)], keys: ["a"],
      values: [(0, .object(1)), (3, .object(44)), (0, .null)],
      classNames: [.init("NSObject", fallbackIndices: [1, 8]), .init("A", fallbackIndices: [1])])
    #expect(
      findings(nib) == [
        "error invalidFallback the class \"NSObject\" has the fallback 8, which is not one of the 2 classes",
        "error invalidFallback the class \"A\" has the fallback 1, which is the class itself",
        "error missingKey object 0, value 1: key index 3 is out of range: the number of keys is 1",
        "error danglingReference object 0, value 1: the reference to object 44 is out of range: "
          + "the number of objects is 2",
        "error missingClass object 1: class index 5 is out of range: the number of classes is 2",
        "error missingValues object 1: 7 values from index 2 are out of range: the number of values is 3",
      ])
  }

  @Test func `unused and duplicate entries are found`() throws {
    let nib = try NIBArchive(
      objects: [(classIndex: 1, values: 0..<2), (classIndex: 1, values: 0..<1)], keys: ["a", "b", "a"],
      values: [(0, .null), (2, .null), (0, .object(3))],
      classNames: [.init("A"), .init("Root"), .init("A")])
    #expect(
      findings(nib) == [
        "error danglingReference value 2: the reference to object 3 is out of range: the number of objects is 2",
        "note unusedValue value 2: no object uses this value", "note unusedKey key 1, \"b\", is not used",
        "note duplicateName key 2, \"a\", is a duplicate",
        "note duplicateName class 2, \"A\", is a duplicate",
        "note unusedClass class 0, \"A\", is not used", "note unusedClass class 2, \"A\", is not used",
        "warning rootClass object 0: expected a root of class \"NSObject\", found class \"Root\"",
        "warning duplicateKey object 0, value 1: duplicate key \"a\"",
        "note unreachableObject object 1: the object cannot be reached from the root",
      ])
    #expect(try findings(NIBArchive(objects: [])) == ["error noRoot there are no objects, so there is no root"])
  }

  @Test func `impossible collections are found`() throws {
    let mark = NIBArchive.NewValue("NSInlinedValue", .boolean(true))
    let nib = try NIBArchive(objects: [
      .init("NSObject", (1...6).map { .init("k\($0)", .object($0)) }),
      .collection("NSArray", [2]), .collection("NSSet", [1]), .collection("NSMutableArray", [3]),
      .collection("NSDictionary", [3]), .init("NSArray", [mark, .init("b", .null)]), .init("NSString", []),
    ])
    #expect(
      findings(nib) == [
        "error circularCollection object 1: the immutable collection contains itself, through #2",
        "error invalidCollection object 4: the number of keys and values in the dictionary is odd: 1",
        "error invalidCollection object 5: 1 of 1 values in the collection do not have the key of an element",
        "error invalidContents object 6: an NSString has no string NS.string",
      ])
  }

  @Test func `shared values are reported once`() throws {
    let nib = try NIBArchive(
      objects: [
        (classIndex: 0, values: 0..<3), (classIndex: 1, values: 1..<3), (classIndex: 1, values: 2..<3),
        (classIndex: 1, values: 1..<1),
      ], keys: ["a", "b", "c"], values: [(0, .object(1)), (1, .object(2)), (2, .object(3))],
      classNames: [.init("NSObject"), .init("A")])
    #expect(findings(nib) == [])
    #expect(nib.objects[1].values.map(\.key) == ["b", "c"])
  }
}
