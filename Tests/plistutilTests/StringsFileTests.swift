import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil and strings files") struct StringsFileTests {
  @Test(
    "values that readers of strings files do not accept are refused, and nothing is written",
    arguments: [
      (["a": ["b": "c"]], "dictionary"), (["a": ["b", "c"]], "array"),
      (["a": .data(Data([1]))], "data"), (["a": [:]], "dictionary"),
    ] as [(PropertyList, String)])
  func refused(_ value: PropertyList, _ message: String) throws {
    let file = try SampleFile(value, format: .xml)
    let output = file.folder.path("out.strings")
    for arguments in [["convert", "-f", "strings", "-o", output, "@"], ["-f", "strings", "-i", "@", "-o", output]] {
      let result = try file.run(arguments)
      #expect(result.status == 2 && !FileManager.default.fileExists(atPath: output))
      #expect(
        result.errors.contains("expected text as a value of a strings file, found \(message)")
          && result.errors.contains("(in a)"))
    }
    guard LongForm.isWanted || value == ["a": ["b", "c"]] else { return }
    #expect(try file.run(["convert", "-f", "strings", "-C", "@"]).status == 2)
    // In the form of this package, they are read back.
    let coerced = try file.run(["convert", "-f", "strings", "--coerce", "@"])
    #expect(coerced.status == 0)
    #expect(try PropertyList(coerced.output) == value)
  }

  @Test func `text is written, and is the same for every reader`() throws {
    let file = try SampleFile(["title": "Größe", "a b": ""], format: .binary)
    let result = try file.run(["convert", "-f", "strings", "@"])
    #expect(result.text == "\"title\" = \"Größe\";\n\"a b\" = \"\";\n" && result.status == 0)
  }

  @Test func `a file without braces that contains containers keeps them when edited`() throws {
    let file = try SampleFile("list = (a, b);\nname = x;\n", name: "a.strings")
    let result = try file.run(["set", "name", "--string", "y", "--in-place", "@"])
    #expect(result.status == 0)
    #expect(try file.text == "list = (a, b);\nname = y;\n")
  }

  @Test func `-r finds string catalogs`() throws {
    let file = try SampleFile(
      #"{"sourceLanguage": "en", "strings": {"Hello": {}}, "version": "1.0"}"#, name: "L.xcstrings")
    let result = try Tool.run("find", "-r", "--key", "sourceLanguage", "--values", file.folder.url.path)
    #expect(result.text == "\(file.path): sourceLanguage: \"en\"\n")
  }
}
