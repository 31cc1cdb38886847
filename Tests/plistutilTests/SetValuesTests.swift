import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil set with several values and with variables") struct SetValuesTests {
  @Test func `--values sets each value at its path in one step, and keeps the layout`() throws {
    let file = try SampleFile(sampleText)
    let result = try file.run(
      ["set", "--values", #"{"name": "New", "items.1.tag": "y", "more.deep": {"a": [1, true]}}"#, "@"])
    #expect(result.status == 0 && result.errors.isEmpty)
    let value = try PropertyList(result.output)
    #expect(value["name"] == "New" && value["items"]?[1] == ["tag": "y"])
    #expect(value["more"] == ["deep": ["a": [1, true]]])
    #expect(result.text.contains("<!-- A comment. -->") && result.text.contains("<key>a.b/c:d</key> <true/>"))
    let replaced = try file.run(["set", "@", "--values", "{ name = N; }", "--in-place"])
    #expect(replaced.status == 0)
    #expect(try file.value["name"] == "N")
  }

  @Test(arguments: ["insert", "append", "replace"])
  func `--values works for the other verbs, and from a file`(_ verb: String) throws {
    let file = try SampleFile(["list": [1], "a": 1, "b": ["x"]], format: .binary)
    let changes: (text: String, expected: PropertyList) =
      switch verb {
      case "insert": (#"{"list.0": 0, "c": 3}"#, ["list": [0, 1], "a": 1, "b": ["x"], "c": 3])
      case "append": (#"{"list": 2, "b": "y"}"#, ["list": [1, 2], "a": 1, "b": ["x", "y"]])
      default: (#"{"list.0": 7, "a": 8}"#, ["list": [7], "a": 8, "b": ["x"]])
      }
    let path = file.folder.path("changes.json")
    try Data(changes.text.utf8).write(to: URL(filePath: path))
    #expect(try PropertyList(file.run([verb, "--values-file", path, "@", "-o", "-"]).output) == changes.expected)
    let input = try file.run([verb, "--values-file", "-", "@", "--in-place"], input: Data(changes.text.utf8))
    #expect(input.status == 0)
    #expect(try file.value == changes.expected)
  }

  @Test func `all values are written, or none`() throws {
    let file = try SampleFile(sampleText)
    let result = try file.run(["replace", "--values", #"{"name": "New", "nothing": 1}"#, "@", "--in-place"])
    #expect(result.status == 1 && result.errors.contains(#"no key "nothing""#))
    #expect(try file.text == sampleText)
  }

  @Test(arguments: [
    (["set", "@"], "A value is missing"),
    (["set", "--values", "[1]", "@"], "must be a dictionary whose keys are paths"),
    (["set", "--values", "{}", "--string", "x", "@"], "cannot be combined with another value"),
    (["set", "--values", #"{"a..b": 1}"#, "@"], "is not a key path"),
    (["set", "--values-file", "-", "-"], "Standard input can be read only once"),
    (["set", "--values-file", "-"], "Standard input can be read only once"), (["set"], "No path is given"),
    (["set", "a", "--string", "${NO_SUCH_VARIABLE_1}", "--env", "@"], "NO_SUCH_VARIABLE_1 is not set"),
  ])
  func `wrong arguments are usage errors`(_ arguments: [String], _ message: String) throws {
    let file = try SampleFile(sampleText)
    let result = try file.run(arguments)
    #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
    #expect(try file.text == sampleText)
  }

  private func run(_ arguments: [String], _ environment: [String: String]) throws -> Program {
    try Program.run(Tool.executable, arguments, environment: environment)
  }

  private static let templates = [
    ("${NAME}", "Ada"), ("a ${NAME} b ${NAME}c", "a Ada b Adac"), ("${EMPTY}", ""), ("${EMPTY:-x}", "x"),
    ("${NONE:-}", ""), ("${NONE:-a:-b}", "a:-b"), ("${NAME:-x}", "Ada"), ("$NAME $ $$ $(NAME)", "$NAME $ $$ $(NAME)"),
    ("$${NAME} $$${NAME}", "${NAME} $${NAME}"), ("é${NAME}é", "éAdaé"), ("${WORDS}", "${NAME}"),
  ]

  @Test func `--env replaces only variables in strings`() throws {
    let file = try SampleFile(["a": "b"], format: .xml)
    let values = file.folder.path("values.json")
    let names = Self.templates.indices.map { "k\($0)" }
    let texts = PropertyList.dictionary(
      .init(uniqueKeysWithValues: zip(names, Self.templates.map { PropertyList.string($0.0) })))
    try texts.write(to: URL(filePath: values), format: .json)
    let environment = ["NAME": "Ada", "EMPTY": "", "WORDS": "${NAME}"]
    let arguments = ["set", "--values-file", values, file.path]
    let set = try PropertyList(run(arguments + ["--env"], environment).output)
    let without = try PropertyList(run(arguments, environment).output)
    for (name, template) in zip(names, Self.templates) {
      #expect(set[name] == .string(template.1) && without[name] == .string(template.0), "\(template.0)")
    }
  }

  @Test(arguments: LongForm.cases(templates, every: 6))
  func `--env replaces only variables in a string`(_ text: String, _ expected: String) throws {
    let file = try SampleFile(["a": "b"], format: .xml)
    let environment = ["NAME": "Ada", "EMPTY": "", "WORDS": "${NAME}"]
    let set = try run(["set", "a", "--string", text, "--env", file.path], environment)
    #expect(try PropertyList(set.output) == ["a": .string(expected)], "\(set.errors)")
    let without = try run(["set", "a", "--string", text, file.path], environment)
    #expect(try PropertyList(without.output) == ["a": .string(text)])
  }

  @Test("--env replaces many variables in one string") func manyVariables() throws {
    let count = 20_000
    let text = String(repeating: "é${NAME}$${NONE:-é}$", count: count)
    let file = try SampleFile(["a": "b"], format: .xml)
    let values = try SampleFile(["a": .string(text)], format: .xml)
    let result = try run(["set", "--values-file", values.path, "--env", file.path], ["NAME": "Ada"])
    let expected = String(repeating: "éAda${NONE:-é}$", count: count)
    #expect(try PropertyList(result.output) == ["a": .string(expected)], "\(result.errors)")
  }

  @Test(arguments: [
    ("${NONE}", "NONE is not set"), ("${}", "is not the name"), ("${1A}", "is not the name"), ("${A", "without"),
  ])
  func `--env refuses an invalid variable, with its position`(_ text: String, _ message: String) throws {
    let target = try SampleFile(["a": "b"], format: .xml)
    let other = target.folder.path("other.plist")
    try PropertyList.dictionary(["list": ["x", .string(text)]]).write(to: URL(filePath: other), format: .xml)
    let result = try target.run(["merge", "--env", "@", other])
    #expect(result.status != 0 && result.text.isEmpty)
    #expect(result.errors.hasPrefix("\(other): error: ") && result.errors.contains(message))
    #expect(result.errors.contains("(in list.1)"))
  }

  @Test func `merge --env replaces variables in strings of the other files at every level, but not in keys`() throws {
    let target = try SampleFile(["kept": "${NAME}", "number": 1], format: .xml)
    let other = target.folder.path("other.plist")
    let template: PropertyList = ["list": [["deep": "<${NAME}>"]], "${NAME}": 2, "data": .data(Data("${NAME}".utf8))]
    try template.write(to: URL(filePath: other), format: .binary)
    let result = try run(["merge", "--env", target.path, other], ["NAME": "Ada"])
    #expect(
      try PropertyList(result.output) == [
        "kept": "${NAME}", "number": 1, "list": [["deep": "<Ada>"]], "${NAME}": 2, "data": .data(Data("${NAME}".utf8)),
      ])
  }
}
