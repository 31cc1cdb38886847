import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil archive, with compiled nibs") struct NibVerbTests {
  /// A root that has a string.
  private static let nib: Data = {
    var bytes = Array("NIBArchive".utf8) + [1, 0, 0, 0, 10, 0, 0, 0]
    bytes += [2, 0, 0, 0, 50, 0, 0, 0, 2, 0, 0, 0, 56, 0, 0, 0, 2, 0, 0, 0, 70, 0, 0, 0, 2, 0, 0, 0, 82, 0, 0, 0]
    bytes += [0x80, 0x80, 0x81, 0x81, 0x81, 0x81, 0x84] + Array("root".utf8) + [0x88] + Array("NS.bytes".utf8)
    bytes += [0x80, 10, 1, 0, 0, 0, 0x81, 8, 0x83] + Array("Ada".utf8)
    bytes += [0x89, 0x80] + Array("NSObject\0".utf8) + [0x89, 0x81, 0, 0, 0, 0] + Array("NSString\0".utf8)
    return Data(bytes)
  }()

  /// A nib with a reference to object 9.
  private static let dangling: Data = {
    var data = nib
    data[72] = 9
    return data
  }()

  @Test func `show and print print the tree`() throws {
    for verb in [["archive", "show"], ["print"]] {
      let result = try Tool.run(verb, input: Self.nib)
      #expect(result.status == 0 && result.errors.isEmpty && result.text == "root: \"Ada\"\n")
      #expect(try Tool.run(verb + ["--key", "root"], input: Self.nib).text == "\"Ada\"\n")
      let lost = try Tool.run(verb + ["--key", "other"], input: Self.nib)
      #expect(lost.status == 1 && lost.errors.contains("there is no value at \"other\""))
    }
    let json = try PropertyList(Tool.run("print", "--json", input: Self.nib).output, format: .json)
    #expect(try json.value(at: PropertyListKeyPath("value.NIBArchive.coderVersion")) == 10)
  }

  @Test func `json, classes and dot work as for keyed archives`() throws {
    let json = try Tool.run("archive", "json", "--compact", input: Self.nib)
    #expect(json.status == 0)
    #expect(json.text.contains(#""$top":{"root":{"$class":"NSString","NS.string":"Ada"}}"#))
    #expect(try Tool.run("archive", "classes", input: Self.nib).text == "1 NSString (or NSObject)\n")
    #expect(try Tool.run("archive", "dot", input: Self.nib).text.contains("top -> o1 [label=\"root\"]"))
  }

  @Test func `check reports defects of the tables, and exits with 3 for errors`() throws {
    let sound = try Tool.run("archive", "check", input: Self.nib)
    #expect(sound.status == 0 && sound.errors.isEmpty)
    #expect(sound.text == "<stdin>: OK (NIBArchive 1.10, 2 objects)\n")
    let defective = try Tool.run("archive", "check", input: Self.dangling)
    #expect(defective.status == 3 && defective.output.isEmpty)
    #expect(
      defective.errors == """
        <stdin>: error: object 0, value 0: the reference to object 9 is out of range: the number of objects is 2
        <stdin>: note: object 1: the object cannot be reached from the root

        """)
    let json = try PropertyList(Tool.run("archive", "check", "--json", input: Self.dangling).output, format: .json)
    #expect(
      try json.value(at: PropertyListKeyPath("faults.0")) == [
        "severity": "error", "kind": "danglingReference",
        "message": "the reference to object 9 is out of range: the number of objects is 2", "object": 0, "value": 0,
      ])
  }

  @Test(arguments: [["archive", "show"], ["archive", "check"], ["print"]])
  func `a defect of the bytes has an offset`(_ verb: [String]) throws {
    let result = try Tool.run(verb, input: Self.nib.dropLast())
    #expect(result.status == 3 && result.output.isEmpty)
    #expect(
      result.errors.hasPrefix(
        "<stdin>: error: the file ends inside the name of a class: expected 9 bytes, found 8, at byte 99"))
  }

  @Test func `in a folder, the file for the newest systems is used`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "Tool-\(UUID().uuidString).nib")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.nib.write(to: folder.appending(path: "keyedobjects-101300.nib"))
    try Data("other".utf8).write(to: folder.appending(path: "keyedobjects.nib"))
    #expect(try Tool.run("archive", "show", folder.path).text == "root: \"Ada\"\n")
    try FileManager.default.removeItem(at: folder.appending(path: "keyedobjects-101300.nib"))
    try FileManager.default.removeItem(at: folder.appending(path: "keyedobjects.nib"))
    #expect(try Tool.run("archive", "show", folder.path).status == 1)
  }
}
