import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil on files that expand too far") struct WholeFileTests {
  @Test(
    "every verb that reads the whole file refuses excessive shared references",
    arguments: [
      ["lint"], ["lint", "--json"], ["find"], ["find", "--where", "value = 1"], ["convert", "-f", "xml", "-o", "-"],
      ["print"], ["stats"], ["diff", "@"], ["set", "a", "--integer", "1"], ["merge", "@"], ["-i"], ["plutil", "-lint"],
      ["buddy", "-c", "Print"],
    ])
  func sameLimits(_ arguments: [String]) throws {
    let path = Fixtures.url("hostile/expansion.bplist").path
    let result = try Tool.run(arguments.map { $0 == "@" ? path : $0 } + [path])
    let output = result.text + result.errors
    let codes = ["plutil": 1, "buddy": 1, "diff": 2] as [String: Int32]
    #expect(result.status == codes[arguments[0]] ?? 3, "\(output)")
    #expect(output.contains("shared references expand to more than"), "\(output)")
    #expect(output.utf8.count < 2000)
  }

  @Test func `find stops if the paths are much longer than the file`() throws {
    var value: PropertyList = .array(Array(repeating: 1, count: 30_000))
    // Time is in proportion to the characters, and the limit is a number of bytes. These have four bytes each.
    for _ in 0..<10 { value = [String(repeating: "😀", count: 250): value] }
    let file = try SampleFile(value, format: .binary)
    let result = try file.run(["find", "--kind", "integer", "@"])
    #expect(result.status == 3)
    #expect(result.errors.contains("the found paths and values have more than"))
    // Only a part of the same file is printed.
    #expect(try file.run(["find", "--kind", "dictionary", "@"]).status == 0)
  }

  @Test(arguments: [PropertyListFormat.binary, .xml])
  func `find applies conditions to parts of binary and text files alike`(_ format: PropertyListFormat) throws {
    let rows = PropertyList.array(
      (0..<500).map { ["id": .integer(.init($0)), "tags": ["even": .boolean($0 % 2 == 0)]] })
    let file = try SampleFile(["rows": rows], format: format)
    let found = try file.run(["find", "--where", "value.id > 490 and value.tags.even = true", "--values", "@"])
    #expect(found.text.split(separator: "\n").count == 4)
    #expect(found.text.hasPrefix("rows.492: "))
  }

  @Test func `many keys are looked up in one file in their order`() throws {
    let tree = PropertyList.dictionary(
      .init(uniqueKeysWithValues: (0..<400).map { ("key \($0)", .integer(.init($0))) }))
    for format in [PropertyListFormat.binary, .xml] {
      let file = try SampleFile(tree, format: format)
      let keys = (0..<400).reversed().flatMap { ["-k", "key \($0)"] }
      let result = try file.run(["get"] + keys + ["@"])
      #expect(result.text == (0..<400).reversed().map { "\($0)\n" }.joined())
      let machine = try file.run(["get", "--json"] + keys + ["@"])
      #expect(try PropertyList(machine.output)["values"]?.dictionary?.count == 400)
    }
  }

  @Test(arguments: ["plist", "strings"])
  func `the keys of a large dictionary are sorted with their comments`(_ kind: String) throws {
    let keys = (0..<2000).map { String(($0 * 7919) % 2000 + 1000) }
    let entries = keys.map { kind == "plist" ? "<!-- \($0) --><key>\($0)</key><true/>" : "/* \($0) */ k\($0) = 1;" }
    let text = kind == "plist" ? PlutilFiles.xml("<dict>\(entries.joined())</dict>") : entries.joined(separator: "\n")
    let file = try SampleFile(text)
    let result = try file.run(["fmt", "--sort", "@"])
    let found = result.text.matches(of: kind == "plist" ? /<key>(\d+)<\/key>/ : /"k(\d+)" =/).map {
      String($0.output.1)
    }
    #expect(found == keys.sorted())
    #expect(result.text.matches(of: /<!-- (\d+) -->|\/\* (\d+) \*\//).count == 2000)
  }
}
