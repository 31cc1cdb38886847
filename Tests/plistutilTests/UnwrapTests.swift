import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil --unwrap opens archives in data") struct UnwrapTests {
  /// A color in the form of NSKeyedArchiver, with its components in data.
  private static func colorArchive() throws -> Data {
    let archive: PropertyList = [
      "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(PropertyList.UID(1))],
      "$objects": [
        "$null", ["NSColorSpace": 1, "NSRGB": .data(Data("0.5 0.25 1".utf8)), "$class": .uid(PropertyList.UID(2))],
        ["$classname": "NSColor", "$classes": ["NSColor", "NSObject"]],
      ],
    ]
    return try archive.data(format: .binary)
  }

  /// `Hi` in the form of NSArchiver.
  private static let stream: Data = {
    let object: [UInt8] = [0x84, 0x84, 0x84, 8] + Array("NSString".utf8) + [1, 0x84, 0x84, 8]
    let values: [UInt8] = Array("NSObject".utf8) + [0, 0x85, 0x84, 1, 0x2B, 2, 0x48, 0x69, 0x86]
    return Data([4, 11] + Array("streamtyped".utf8) + [0x81, 0xE8, 3, 0x84, 1, 0x40] + object + values)
  }()

  /// Preferences with a color, a string, an array that contains the color again, and data that only begins like an
  /// array.
  private static func preferences() throws -> Data {
    let inner: PropertyList = ["again": .data(try colorArchive()), "n": 1]
    let outer: PropertyList = [
      "Settings": ["color": .data(try colorArchive()), "text": .data(stream)],
      "list": .data(try inner.data(format: .xml)), "broken": .data(Data("bplist00 and no more".utf8)),
    ]
    return try outer.data(format: .xml)
  }

  private static let paths = [
    ("Settings.color.NSColorSpace", "1"), ("Settings.color.$class", "NSColor"), ("Settings.text", "Hi"),
    ("list.n", "1"), ("list.again.NSColorSpace", "1"),
  ]

  @Test func `get follows paths into archives`() throws {
    let keys = Self.paths.flatMap { ["-k", $0.0] }
    let result = try Tool.run(["get", "--unwrap"] + keys, input: Self.preferences())
    #expect(result.text == Self.paths.map { $0.1 + "\n" }.joined() && result.status == 0, "\(result.errors)")
  }

  @Test(arguments: LongForm.cases(paths, every: 3))
  func `get follows a path into an archive`(_ path: String, _ text: String) throws {
    let result = try Tool.run("get", "--unwrap", path, input: Self.preferences())
    #expect(result.text == text + "\n" && result.status == 0, "\(result.errors)")
    let plain = try Tool.run("get", path, input: Self.preferences())
    #expect(plain.status == 1 || path == "Settings.text")
  }

  @Test func `get reports where a path ends, and prints a file that is an archive`() throws {
    let lost = try Tool.run("get", "--unwrap", "list.again.other", input: Self.preferences())
    #expect(lost.status == 1 && lost.errors.contains("list.again") && lost.errors.contains("no key \"other\""))
    #expect(try Tool.run("get", "--unwrap", "NSColorSpace", input: Self.colorArchive()).text == "1\n")
    #expect(try Tool.run("get", "--unwrap", "/", input: Self.stream).status != 64)
  }

  @Test func `find and print open archives, and report unreadable ones`() throws {
    let found = try Tool.run("find", "--unwrap", "--key", "NSColorSpace", input: Self.preferences())
    #expect(found.text == "Settings.color.NSColorSpace\nlist.again.NSColorSpace\n")
    #expect(found.errors.contains("note: the data at broken is kept as data"))
    let printed = try Tool.run("print", "--unwrap", input: Self.preferences())
    #expect(printed.text.contains("\"$class\": \"NSColor\"") && printed.text.contains("\"Hi\""))
    #expect(try Tool.run("find", "--where", "value.n = 1", "--unwrap", input: Self.preferences()).text == "list\n")
  }

  @Test func `archive show, json, classes and dot include the objects of all archives`() throws {
    let input = try Self.preferences()
    let tree = try Tool.run("archive", "show", "--unwrap", input: input)
    #expect(tree.text.contains("NSColor") && tree.text.contains("\"Hi\""), "\(tree.text) \(tree.errors)")
    let classes = try Tool.run("archive", "classes", "--unwrap", input: input)
    #expect(classes.text.contains("2 NSColor: NSObject\n"), "\(classes.text)")
    #expect(try Tool.run("archive", "dot", "--unwrap", input: input).text.contains("NSColor"))
    let json = try PropertyList(Tool.run("archive", "json", "--unwrap", input: input).output, format: .json)
    #expect(try json.value(at: PropertyListKeyPath("$top.list.again.$class")) == "NSColor")
  }

  @Test func `get and print report unreadable data on the path`() throws {
    for command in [["get", "--unwrap", "broken.a"], ["print", "--unwrap", "--key", "broken.a"]] {
      let result = try Tool.run(command, input: Self.preferences())
      #expect(result.status == 1 && result.errors.contains("is kept as data"), "\(command): \(result.errors)")
    }
    let got = try Tool.run("get", "--unwrap", "-k", "broken", "-k", "list.n", input: Self.preferences())
    #expect(got.status == 0 && got.errors.contains("note: the data at broken is kept as data"), "\(got.errors)")
    let shown = try Tool.run("archive", "show", "--unwrap", input: Self.preferences())
    #expect(shown.status == 0 && shown.errors.contains("is kept as data"))
    let printed = try Tool.run("print", "--unwrap", "--key", "list", input: Self.preferences())
    #expect(printed.status == 0 && printed.errors.isEmpty)
  }

  @Test func `archive check reports defects of archives in data`() throws {
    let broken = try Tool.run("archive", "check", "--unwrap", input: Self.preferences())
    #expect(broken.status == 3 && broken.errors.contains("error: data at broken: cannot be read"), "\(broken.errors)")
    let defective: PropertyList = [
      "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(PropertyList.UID(9))],
      "$objects": ["$null"],
    ]
    let list: PropertyList = ["a": .data(try defective.data(format: .binary)), "b": .data(Self.stream)]
    let found = try Tool.run("archive", "check", "--unwrap", input: list.data(format: .binary))
    #expect(found.status == 3 && found.errors.contains("data at a: ") && !found.errors.contains("data at b"))
    let machine = try Tool.run("archive", "check", "--json", "--unwrap", input: list.data(format: .binary))
    #expect(
      machine.text.contains("\"danglingReference\"") && machine.text.contains("\"data\":\"a\""), "\(machine.text)")
    let sound: PropertyList = ["a": .data(try Self.colorArchive())]
    let fine = try Tool.run("archive", "check", "--unwrap", input: sound.data(format: .xml))
    #expect(fine.status == 0 && fine.text.contains("OK (not an archive, 1 in data)"), "\(fine.text) \(fine.errors)")
    let one = try Tool.run("archive", "check", "--unwrap", input: Self.colorArchive())
    #expect(one.status == 0 && one.text.contains("3 objects, 0 in data"), "\(one.text) \(one.errors)")
    #expect(try Tool.run("archive", "check", input: sound.data(format: .xml)).status == 3)
  }

  @Test func `archive groups writes the typedstreams in data`() throws {
    let result = try Tool.run("archive", "groups", "--unwrap", input: Self.preferences())
    let line = "{\"path\":\"Settings.text\",\"stream\":{\"byteOrder\":\"<\""
    #expect(result.status == 0 && result.text.hasPrefix(line) && result.text.hasSuffix("}}\n"), "\(result.text)")
    let own = try Tool.run("archive", "groups", "--unwrap", input: Self.stream)
    #expect(own.text.hasPrefix("{\"path\":\"\",\"stream\":{") && own.text.split(separator: "\n").count == 1)
    let groups = try Tool.run("archive", "groups", "-c", input: Self.stream)
    #expect(own.text.contains(groups.text.dropLast()))
  }
}
