import ArchiveViews
import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import KeyedArchiving

@Suite("Archives as JSON") struct KeyedArchiveJSONTests {
  /// The JSON of the value of the key `root`.
  private func root(_ archive: KeyedArchive) throws -> String { try top(archive, "root") }

  private func top(_ archive: KeyedArchive, _ key: String) throws -> String {
    let text = String(decoding: try archive.jsonData(isIndented: false), as: UTF8.self)
    let start = try #require(text.range(of: "\"$top\":{")).upperBound
    let end = try #require(text.range(of: "},\"$classes\":")).lowerBound
    #expect(text[start...].hasPrefix("\"\(key)\":"))
    return String(text[start..<end].dropFirst(key.utf8.count + 3))
  }

  @Test func `JSON has the parts of the archive, nested objects, and the classes`() throws {
    let json = try KeyedArchive(contentsOf: Fixtures.url("archives/foo-ios.bplist")).jsonData()
    #expect(
      String(decoding: json, as: UTF8.self) == """
        {
          "$archiver": "NSKeyedArchiver",
          "$version": 100000,
          "$top": {
            "root": {
              "$class": "Foo",
              "kBar": "祈求者Kael",
              "kBaz": {
                "$float": 24.0
              }
            }
          },
          "$classes": [
            {
              "$uid": 3,
              "$classname": "Foo",
              "$classes": [
                "Foo",
                "NSObject"
              ]
            }
          ]
        }

        """)
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `shared and circular objects occur once`(_ format: PropertyListFormat) throws {
    #expect(
      try root(twoFriends(format: format)) == #"""
        {"$class":"Person","$uid":1,"name":"Ada","age":36,"friends":{"$class":"NSArray","$uid":3,"NS.objects":[{"$ref":1},\#
        {"$class":"Person","name":"Charles","friends":{"$ref":3},"boss":null}]}}
        """#)
  }

  /// Inline values, and their JSON.
  static let values: [(PropertyList, String)] = [
    ("text", #""text""#), ("", #""""#),
    ("\"\\\n\r\t\u{0}\u{1F}\u{7F}\u{9B}\u{2028}é\u{1F600}", #""\"\\\n\r\t\u0000\u001f\u007f\u009b\u2028é😀""#),
    (0, "0"), (-1, "-1"), (9_223_372_036_854_775_807, "9223372036854775807"),
    (-9_223_372_036_854_775_808, "-9223372036854775808"), (18_446_744_073_709_551_615, "18446744073709551615"),
    (2.0, "2.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e300, "1e+300"), (2.5e-308, "2.5e-308"),
    (.real(.infinity), #"{"$real":"inf"}"#), (.real(-.infinity), #"{"$real":"-inf"}"#),
    (.real(.nan), #"{"$real":"nan"}"#),
    (.real(Double(nan: 1, signaling: false)), #"{"$real":"nan(0x1)"}"#),
    (.float(0.1), #"{"$float":0.1}"#), (.float(-.infinity), #"{"$float":"-inf"}"#),
    (true, "true"), (false, "false"), (.null, "null"),
    (.data(Data([0, 1, 254, 255])), #"{"$data":"AAH+/w=="}"#), (.data(Data()), #"{"$data":""}"#),
    (.date(Date(timeIntervalSinceReferenceDate: 1.5)), #"{"$date":"2001-01-01T00:00:01.5Z","$seconds":1.5}"#),
    (.date(Date(timeIntervalSinceReferenceDate: -1)), #"{"$date":"2000-12-31T23:59:59Z","$seconds":-1.0}"#),
    (.date(Date(timeIntervalSinceReferenceDate: 1e30)), #"{"$date":null,"$seconds":1e+30}"#),
    (.date(Date(timeIntervalSinceReferenceDate: .nan)), #"{"$date":null,"$seconds":"nan"}"#),
    ([], "[]"), ([:], "{}"), ([1, [2]], "[1,[2]]"),
    (["key": 1, "$class": 2, "$$ref": [:]], #"{"key":1,"$$class":2,"$$$ref":{}}"#),
    (.uid(0), "null"), (.uid(99), #"{"$dangling":99}"#), (.uid(3), #"{"$ref":3}"#),
  ]

  @Test(arguments: values)
  func `all kinds of values can be distinguished`(_ value: PropertyList, _ json: String) throws {
    let archive = try keyedArchive(["v": value, "$class": .uid(3)], "unused", .described("Thing"))
    #expect(try root(archive) == #"{"$class":"Thing","v":\#(json)}"#)
  }

  @Test func `ambiguous keys are escaped`() throws {
    let archive = try keyedArchive(
      ["$$user": 1, "$0": 2, "$ref": 3, "$.x": 4, "$": 5, "$classname": 6, "$class": .uid(2)], .described("Thing"))
    #expect(
      try root(archive) == #"{"$class":"Thing","$$user":1,"$0":2,"$.ref":3,"$..x":4,"$.":5,"$.classname":6}"#)
  }

  @Test func `an NSDate has its time next to its seconds`() throws {
    let archive = try keyedArchive(["NS.time": 86400.25, "$class": .uid(2)], .described("NSDate"))
    #expect(try root(archive) == #"{"$class":"NSDate","$date":"2001-01-02T00:00:00.25Z","NS.time":86400.25}"#)
  }

  @Test func `long strings and data occur once, short ones where they are used`() throws {
    let long = String(repeating: "long ", count: 20)
    let bytes = Data(repeating: 0, count: 65)
    let archive = try keyedArchive(
      [
        "a": .uid(2), "b": .uid(2), "c": .uid(3), "d": .uid(3), "e": .uid(4), "f": .uid(4), "g": .uid(5),
        "$class": .uid(6),
      ],
      .string(long), .data(bytes), "short", .string(long + "1"), .described("Thing"))
    #expect(
      try root(archive) == #"""
        {"$class":"Thing","a":{"$uid":2,"$object":"\#(long)"},"b":{"$ref":2},\#
        "c":{"$uid":3,"$object":{"$data":"\#(bytes.base64EncodedString())"}},"d":{"$ref":3},\#
        "e":"short","f":"short","g":"\#(long)1"}
        """#)
  }

  @Test func `invalid values are kept`() throws {
    let archive = try keyedArchive(
      top: ["a": .uid(1), "b": .uid(2), "c": .uid(3), "d": .uid(4), "e": .uid(4), "f": .uid(5), "g": .uid(6)],
      ["x": 1, "$class": .uid(50)], ["x": 1, "$class": "Name"], [1], .uid(3), ["$k": 2], ["$class": .uid(7)],
      .described("Twice"), .described("Twice"))
    let text = String(decoding: try archive.jsonData(isIndented: false), as: UTF8.self)
    #expect(
      text.hasPrefix(
        #"""
        {"$archiver":"NSKeyedArchiver","$version":100000,"$top":{"a":{"x":1,"$invalidclass":{"$dangling":50}},\#
        "b":{"x":1,"$invalidclass":"Name"},"c":{"$uid":3,"$object":[1]},"d":{"$uid":4,"$object":{"$ref":3}},"e":{"$ref":4},\#
        "f":{"$object":{"$$k":2}},"g":{"$class":"Twice","$classuid":7}},"$classes":[
        """#), "\(text)")
  }

  @Test func `unreachable objects, and other keys of the property list, are included`() throws {
    var list = PropertyList.archive(objects: [
      "root", ["other": .uid(3), "$class": .uid(4)], ["other": .uid(2), "$class": .uid(4)], .described("Node"), "$null",
    ])
    list.dictionary?["extra"] = [.uid(1)]
    list.dictionary?["$extra"] = 1
    let text = String(
      decoding: try KeyedArchive(list.data(format: .binary)).jsonData(isIndented: false), as: UTF8.self)
    #expect(
      text == #"""
        {"$archiver":"NSKeyedArchiver","$version":100000,"$top":{"root":"root"},"$classes":\#
        [{"$uid":4,"$classname":"Node","$classes":["Node","NSObject"]}],"$unreachable":[{"$class":"Node","$uid":2,\#
        "other":{"$class":"Node","other":{"$ref":2}}}],"extra":["root"],"$$extra":1}
        """#)
  }

  @Test func `unreadable values and duplicate keys are errors with their path`() throws {
    let list = PropertyList.archive(objects: [
      ["list": [1, ["ab": "aXb", "aa": 2] as PropertyList], "$class": .uid(2)], .described("Thing"),
    ])
    let text = try KeyedArchive(list.data(format: .binary).replacing("aXb", with: [0x61, 0xFF, 0x62]))
    let error = #expect(throws: KeyedArchiveError.self) { try text.jsonData() }
    #expect(error?.path?.description == #"root.list.1.ab"#)
    #expect(error?.uid == PropertyList.UID(1))
    let twice = try KeyedArchive(list.data(format: .binary).replacing("aa", with: Array("ab".utf8)))
    let duplicate = #expect(throws: KeyedArchiveError.self) { try twice.jsonData() }
    #expect(duplicate?.message.contains(#"duplicate key "ab""#) == true)
    #expect(duplicate?.path?.description == "root.list.1")
  }

  @Test(arguments: Fixtures.archives + [Fixtures.url("archives/foo-ios.bplist")])
  func `Foundation reads the JSON`(_ url: URL) throws {
    let archive = try KeyedArchive(contentsOf: url)
    let indented = try JSONSerialization.jsonObject(with: archive.jsonData()) as? NSDictionary
    let compact = try JSONSerialization.jsonObject(with: archive.jsonData(isIndented: false)) as? NSDictionary
    #expect(indented == compact)
    let json = try #require(indented)
    #expect(json["$archiver"] as? String == "NSKeyedArchiver")
    #expect(json["$unreachable"] == nil && json["$deep"] == nil)
    var matcher = JSONMatcher(archive)
    try matcher.match(JSONDecoder().decode(JSONValue.self, from: archive.jsonData()))
  }

  @Test(arguments: 0..<UInt64(LongForm.size(100, or: 5)))
  func `generated archives lose nothing`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let archive = try KeyedArchive(PropertyList.randomArchive(using: &random).data(format: .binary))
    let data = try archive.jsonData()
    #expect(try JSONSerialization.jsonObject(with: data) is NSDictionary)
    var matcher = JSONMatcher(archive)
    try matcher.match(JSONDecoder().decode(JSONValue.self, from: data))
  }
}

/// A value of JSON, as Foundation's decoder reads it.
enum JSONValue: Decodable {
  case null
  case boolean(Bool)
  case number(signed: Int64?, unsigned: UInt64?, real: Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(
        signed: try? container.decode(Int64.self), unsigned: try? container.decode(UInt64.self), real: value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }
  var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  var string: String? { if case .string(let value) = self { value } else { nil } }
  var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
  var signed: Int64? { if case .number(let value, _, _) = self { value } else { nil } }
  var unsigned: UInt64? { if case .number(_, let value, _) = self { value } else { nil } }
  var uid: UInt32? { unsigned.flatMap { UInt32(exactly: $0) } }

  /// A number, or the text of one that is not finite.
  var real: Double? { if case .number(_, _, let value) = self { value } else { string.flatMap { Double($0) } } }

  subscript(key: String) -> JSONValue? { object?[key] }
}

/// Compares JSON with the archive that it was made of, by the rules of the table in
/// ``KeyedArchive/jsonData(isIndented:)``.
struct JSONMatcher {
  let archive: KeyedArchive
  /// The objects that the JSON has in full with their UID.
  private var marked: Set<UInt32> = []
  /// The objects that `$ref` leads to.
  private var referred: Set<UInt32> = []
  /// The objects that were found in full.
  private var found: Set<UInt32> = []

  init(_ archive: KeyedArchive) { self.archive = archive }

  mutating func match(_ json: JSONValue) throws {
    let top = try #require(json["$top"]?.object)
    let fields = try archive.topLevelFields
    #expect(fields.count == top.count)
    for field in fields { try match(try #require(top[escaped(field.key)]), field.value) }
    for list in ["$classes", "$deep", "$unreachable"] {
      for object in json[list]?.array ?? [] {
        let uid = try #require(object["$uid"]?.uid)
        try match(object, inFull: PropertyList.UID(uid))
      }
    }
    #expect(referred.subtracting(marked).isEmpty, "every $ref leads to a $uid")
    for object in archive.objects where object.kind != .null {
      #expect(found.contains(object.uid.value), "object \(object.uid.value) is in the JSON")
    }
  }

  private func escaped(_ key: String) -> String { key.hasPrefix("$") ? "$" + key : key }

  private mutating func match(_ json: JSONValue, _ value: KeyedArchive.Value) throws {
    switch value {
    case .reference(let uid): try match(json, reference: uid)
    case .inline(let node): try match(json, inline: node)
    }
  }

  private mutating func match(_ json: JSONValue, reference uid: PropertyList.UID) throws {
    if archive.objects[uid].kind == .null {
      #expect(json.isNull)
    } else if let dangling = json["$dangling"]?.uid {
      #expect(dangling == uid.value && Int(dangling) >= archive.objects.count)
    } else if let reference = json["$ref"]?.uid {
      #expect(reference == uid.value)
      referred.insert(reference)
    } else {
      try match(json, inFull: uid)
    }
  }

  private mutating func match(_ json: JSONValue, inFull uid: PropertyList.UID) throws {
    let object = archive.objects[uid]
    if let mark = json["$uid"]?.uid {
      #expect(mark == uid.value)
      marked.insert(mark)
    }
    let isFirst = found.insert(uid.value).inserted
    switch object.kind {
    case .instance:
      #expect(isFirst)
      let members = try #require(json.object)
      #expect(members["$class"]?.string == object.className)
      let tags = members.keys.filter { ["$class", "$uid", "$date", "$classuid", "$invalidclass"].contains($0) }
      let fields = try object.fields
      #expect(members.count == fields.count + tags.count)
      for field in fields {
        // Values that were encoded without a key have a number, and no escape.
        try match(try #require(members[escaped(field.key)] ?? members[field.key]), field.value)
      }
    case .classDescription:
      #expect(json["$classname"]?.string == object.className)
      #expect(json["$classes"]?.array?.map(\.string) == object.classDescription?.classes)
    default: try match(json["$object"] ?? json, inline: object.node)
    }
  }

  private mutating func match(_ json: JSONValue, inline node: PropertyListDocument.Node) throws {
    switch node.kind {
    case .string: #expect(try json.string == node.string)
    case .integer:
      let integer = try #require(node.integer)
      if integer < 0 {
        #expect(json.signed == Int64(exactly: integer))
      } else {
        #expect(json.unsigned == UInt64(exactly: integer))
      }
    case .real where node.isFloat:
      let value = try #require((json["$float"])?.real)
      #expect(Float(value).bitPattern == node.real.map { Float($0).bitPattern })
    case .real: #expect((json["$real"] ?? json).real?.bitPattern == node.real?.bitPattern)
    case .boolean: #expect(json.boolean == node.boolean)
    case .data: #expect(json["$data"]?.string.flatMap { Data(base64Encoded: $0) } == node.data)
    case .date: #expect(json["$seconds"]?.real == node.date?.timeIntervalSinceReferenceDate)
    case .array:
      let elements = try #require(json.array)
      #expect(elements.count == node.count)
      for (position, element) in elements.enumerated() {
        try match(element, inlineOrReference: node.child(at: position))
      }
    case .dictionary:
      let members = try #require(json.object)
      #expect(members.count == node.count)
      for position in 0..<node.count {
        let entry = try node.entry(at: position)
        try match(try #require(members[escaped(entry.key)]), inlineOrReference: entry.value)
      }
    case .uid: try match(json, reference: try #require(node.uid))
    case .null: #expect(json.isNull)
    }
  }

  private mutating func match(_ json: JSONValue, inlineOrReference node: PropertyListDocument.Node) throws {
    if let uid = node.uid { try match(json, reference: uid) } else { try match(json, inline: node) }
  }
}

extension PropertyList {
  /// An archive of any objects that refer to each other in any way, damaged among them.
  static func randomArchive(using random: inout SeededGenerator) -> PropertyList {
    let count = UInt32.random(in: 1...24, using: &random)
    let classes = ["Person", "NSArray", "NSDictionary", "NSDate"]
    var objects: [PropertyList] = []
    for _ in 1..<max(count, 2) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: objects.append(.string(String(repeating: "text", count: Int.random(in: 0...30, using: &random))))
      case 1: objects.append(scalar(using: &random))
      case 2: objects.append("$null")
      case 3:
        objects.append([
          "NS.objects": .array(
            (0..<Int.random(in: 0...5, using: &random)).map { _ in reference(count, using: &random) }),
          "$class": .uid(count + 1),
        ])
      default:
        var fields: PropertyList = [:]
        for key in ["a", "$$b", "c", "NS.time"] {
          fields.dictionary?[key] = field(count, depth: 3, using: &random)
        }
        fields.dictionary?["$class"] = .uid(count + UInt32.random(in: 0...3, using: &random))
        objects.append(fields)
      }
    }
    objects += classes.map { .described($0) }
    return archive(top: ["root": .uid(1), "other": reference(count, using: &random)], objects: objects)
  }

  private static func reference(_ count: UInt32, using random: inout SeededGenerator) -> PropertyList {
    // One in so many leads nowhere, or to a class.
    .uid(UInt32.random(in: 0..<count + 8, using: &random))
  }

  private static func scalar(using random: inout SeededGenerator) -> PropertyList {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: .integer(.init(random.next()))
    case 1: .integer(.init(Int64(truncatingIfNeeded: random.next())))
    case 2: .real(Double.random(in: -1e9...1e9, using: &random))
    case 3: .float(Float.random(in: -1...1, using: &random))
    case 4: .boolean(.random(using: &random))
    case 5: .data(Data((0..<Int.random(in: 0...90, using: &random)).map { UInt8($0) }))
    default: .date(Date(timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &random)))
    }
  }

  private static func field(_ count: UInt32, depth: Int, using random: inout SeededGenerator) -> PropertyList {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return scalar(using: &random)
    case 1 where depth > 0:
      return .array((0..<3).map { _ in field(count, depth: depth - 1, using: &random) })
    case 2 where depth > 0:
      return [
        "k": field(count, depth: depth - 1, using: &random), "$ref": field(count, depth: depth - 1, using: &random),
      ]
    default: return reference(count, using: &random)
    }
  }
}
