import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil with typedstreams") struct TypedstreamVerbTests {
  /// `NSString` with the text `Hi`, as archived by macOS.
  static let greeting = Data(
    [4, 11] + Array("streamtyped".utf8) + [0x81, 0xE8, 0x03, 0x84, 1, 0x40, 0x84, 0x84, 0x84, 8]
      + Array("NSString".utf8) + [1, 0x84, 0x84, 8] + Array("NSObject".utf8) + [0, 0x85, 0x84, 1, 0x2B, 2, 0x48, 0x69]
      + [0x86])

  @Test func `archive groups writes the groups as JSON`() throws {
    let line = try Tool.run("archive", "groups", "--compact", input: Self.greeting)
    #expect(line.status == 0 && line.errors.isEmpty)
    #expect(
      line.text == """
        {"byteOrder":"<","groups":[[["@",{"class":["NSString v1","NSObject v0"],"groups":[[["+","Hi"]]],"id":0}]]],\
        "system":1000}

        """)
    let lines = try Tool.run("archive", "groups", input: Self.greeting)
    #expect(lines.text.hasPrefix("{\n  \"byteOrder\": \"<\",\n"))
    #expect(try PropertyList(lines.output, format: .json) == PropertyList(line.output, format: .json))
  }

  @Test
  func `archive groups reports where a stream is damaged, with exit code 3`() throws {
    let cut = try Tool.run("archive", "groups", input: Self.greeting.dropLast(2))
    #expect(cut.status == 3 && cut.output.isEmpty)
    #expect(
      cut.errors == "<stdin>: error: a string has a length of 2 bytes, but the remaining length is 1, at byte 48\n")
    let other = try Tool.run("archive", "groups", input: Data("bplist00".utf8))
    #expect(other.status == 3 && other.output.isEmpty)
    #expect(other.errors == "<stdin>: error: not a typedstream: the signature is missing, at byte 0\n")
    let old = try Tool.run("archive", "groups", input: [3] + Self.greeting.dropFirst())
    #expect(old.status == 3 && old.errors.contains("streamer version 3"))
  }

  /// An array with the same greeting twice, and an object of an unknown class.
  private static let objects: Data = {
    let object: [UInt8] =
      [0x84, 0x84, 0x84, 7] + Array("NSArray".utf8) + [0, 0x84, 0x84, 8] + Array("NSObject".utf8) + [0, 0x85]
    let count: [UInt8] = [0x84, 1, 0x69, 3]
    let text: [UInt8] =
      [0x92, 0x84, 0x84, 0x84, 8] + Array("NSString".utf8) + [1, 0x94, 0x84, 1, 0x2B, 2, 0x48, 0x69, 0x86, 0x92, 0x95]
    let thing: [UInt8] = [0x92, 0x84, 0x84, 0x84, 5] + Array("Thing".utf8) + [0, 0x94, 0x95, 7, 0x86]
    return greeting.prefix(19) + object + count + text + thing + [0x86]
  }()

  @Test func `archive show and print print the objects as a tree`() throws {
    let tree = """
      root: [
        "Hi"
        "Hi"
        Thing
          $0: 7
      ]

      """
    for verb in [["archive", "show"], ["print"]] {
      let shown = try Tool.run(verb, input: Self.objects)
      #expect(shown.text == tree && shown.status == 0 && shown.errors.isEmpty)
      #expect(try Tool.run(verb + ["--key", "root.0"], input: Self.objects).text == "\"Hi\"\n")
    }
    let line = try PropertyList(Tool.run("print", "--json", input: Self.objects).output, format: .json)
    #expect(try line.value(at: PropertyListKeyPath("value.$top.root.$class")) == "NSArray")
  }

  @Test func `archive json, classes, dot and check accept it`() throws {
    let json = try Tool.run("archive", "json", input: Self.objects)
    #expect(json.status == 0 && json.text.contains("\"$class\": \"Thing\""))
    #expect(
      try Tool.run("archive", "classes", input: Self.objects).text == """
        1 NSArray: NSObject
        1 Thing: NSObject

        """)
    #expect(try Tool.run("archive", "dot", input: Self.objects).text.hasPrefix("digraph"))
    let check = try Tool.run("archive", "check", input: Self.objects)
    #expect(check.status == 0 && check.errors.isEmpty, "\(check.errors)")
    #expect(check.text.hasPrefix("<stdin>: OK (archive of NSArchiver, "))
  }

  @Test(arguments: [["archive", "show"], ["archive", "json"], ["archive", "check"], ["archive", "dot"], ["print"]])
  func `every verb reports where a stream is damaged`(_ verb: [String]) throws {
    let result = try Tool.run(verb, input: Self.objects.dropLast())
    #expect(result.status == 3 && result.output.isEmpty)
    #expect(result.errors.contains("the stream is cut off") && result.errors.contains("at byte"))
  }
}
