import Foundation
import PropertyLists
import TestSupport
import Testing

/// A run of Apple's `plutil`, and its result.
struct PlutilCase: CustomTestStringConvertible, Sendable {
  let arguments: [String]
  let outcome: AppleTool.Outcome
  var input = ""
  /// True if the toolchain's tool has the same result. It is then compared.
  var isSameInToolchain = true

  var testDescription: String { arguments.joined(separator: " ") }

  init(
    _ arguments: String, output: String = "", errors: String = "", status: Int32? = nil, files: [String: String] = [:]
  ) {
    self.init(arguments.split(separator: " ").map(String.init), output, errors, status, files)
  }

  init(
    _ arguments: [String], _ output: String = "", _ errors: String = "", _ status: Int32? = nil,
    _ files: [String: String] = [:]
  ) {
    self.arguments = arguments
    outcome = .init(output: output, errors: errors, status: status ?? (errors.isEmpty ? 0 : 1), files: files)
  }

  /// The same, if the toolchain's tool has another result.
  var wrongInToolchain: PlutilCase {
    var other = self
    other.isSameInToolchain = false
    return other
  }

  func with(input: String) -> PlutilCase {
    var other = self
    other.input = input
    return other
  }
}

/// The files before the runs.
enum PlutilFiles {
  static func xml(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    \(body)
    </plist>

    """
  }

  static func dictionary(_ entries: String...) -> String {
    xml("<dict>\n" + entries.map { "\t\($0)\n" }.joined() + "</dict>")
  }

  static let all = xml(
    """
    <dict>
    \t<key>array</key>
    \t<array>
    \t\t<integer>1</integer>
    \t\t<real>2.5</real>
    \t\t<string>x</string>
    \t</array>
    \t<key>bool</key>
    \t<true/>
    \t<key>data</key>
    \t<data>
    \t3q2+7w==
    \t</data>
    \t<key>date</key>
    \t<date>2020-01-02T03:04:05Z</date>
    \t<key>dict</key>
    \t<dict>
    \t\t<key>Item1</key>
    \t\t<integer>1</integer>
    \t\t<key>Item10</key>
    \t\t<integer>10</integer>
    \t\t<key>Item2</key>
    \t\t<integer>2</integer>
    \t</dict>
    \t<key>integer</key>
    \t<integer>-42</integer>
    \t<key>real</key>
    \t<real>1.5</real>
    \t<key>string</key>
    \t<string>größe</string>
    </dict>
    """)

  static let array = xml("<array>\n\t<integer>1</integer>\n\t<integer>2</integer>\n\t<integer>3</integer>\n</array>")

  static let files = [
    "all.plist": all, "array.plist": array, "one.plist": dictionary("<key>a</key>", "<string>b</string>"),
    "dotted.plist": dictionary("<key>a.b</key>", "<string>c</string>"),
    "j.json": #"{"a":{"c":true},"b":[1,2.5,"x"]}"#, "bad": "<plist>\n<dict>\n<key>a</key>\n</dict></plist>",
  ]
}

@Suite("plutil with Apple's arguments") struct PlutilTests {
  typealias Files = PlutilFiles

  static let commands: [PlutilCase] =
    lint + printing + converting + creating + inserting + replacing + removing + extracting + types + outputs + usage

  static let lint = [
    PlutilCase("all.plist", output: "all.plist: OK\n"), PlutilCase("-lint all.plist", output: "all.plist: OK\n"),
    PlutilCase("-lint all.plist one.plist", output: "all.plist: OK\none.plist: OK\n"),
    PlutilCase("-lint -s all.plist"),
    PlutilCase("-lint -", output: "<stdin>: OK\n").with(input: "(a, b)"),
    PlutilCase("-lint j.json", errors: "j.json: (Unexpected character { at line 1)\n"),
    PlutilCase("-lint -", errors: "<stdin>: (Unexpected character [ at line 1)\n").with(input: "[1]"),
    PlutilCase("bad", errors: "bad: (Value missing for key inside <dict> at line 4)\n"),
    PlutilCase(
      "-lint bad all.plist bad", output: "all.plist: OK\n",
      errors: String(repeating: "bad: (Value missing for key inside <dict> at line 4)\n", count: 2)),
    PlutilCase("-lint -", errors: "<stdin>: (Encountered unknown tag foo on line 1)\n").with(
      input: "<plist><foo/></plist>"),
    PlutilCase("-lint -", errors: "<stdin>: (Encountered unknown ampersand-escape sequence at line 2)\n").with(
      input: "<plist>\n<string>a &foo; b</string></plist>"),
    PlutilCase("-lint -", errors: "<stdin>: (Could not interpret <date> at line 1)\n").with(
      input: "<plist><date>x</date></plist>"),
    PlutilCase("-lint -", errors: "<stdin>: (Hex digit in non-hex <integer> on line 1)\n").with(
      input: "<plist><integer>1f</integer></plist>"),
    PlutilCase("-lint -", errors: "<stdin>: (Encountered empty <integer> on line 1)\n").with(
      input: "<plist><integer></integer></plist>"),
    PlutilCase("-lint -", errors: "<stdin>: (Encountered misformatted real on line 1)\n").with(
      input: "<plist><real>x</real></plist>"),
    PlutilCase("-lint -", errors: "<stdin>: (Encountered unexpected EOF)\n").with(input: "<plist>\n<dict>"),
    PlutilCase("-lint none", errors: "none: (The file “none” couldn’t be opened because there is no such file.)\n")
      .wrongInToolchain,
    PlutilCase("-lint -o x all.plist", errors: "-o is not used with -lint.\n"),
    PlutilCase("-lint -e x all.plist", errors: "-e is not used with -lint.\n"),
  ]

  static let printing = [
    PlutilCase(
      "-p all.plist",
      output: """
        {
          "array" => [
            0 => 1
            1 => 2.5
            2 => "x"
          ]
          "bool" => true
          "data" => {length = 4, bytes = 0xdeadbeef}
          "date" => 2020-01-02 03:04:05 +0000
          "dict" => {
            "Item1" => 1
            "Item2" => 2
            "Item10" => 10
          }
          "integer" => -42
          "real" => 1.5
          "string" => "größe"
        }

        """),
    PlutilCase("-p one.plist array.plist", output: "{\n  \"a\" => \"b\"\n}\n[\n  0 => 1\n  1 => 2\n  2 => 3\n]\n"),
    PlutilCase("-p -", output: "{\n}\n").with(input: Files.xml("<dict/>")),
    PlutilCase("-p -", output: "[\n]\n").with(input: Files.xml("<array/>")),
    PlutilCase("-p -", output: "2.0\n").with(input: Files.xml("<real>2</real>")),
    PlutilCase("-p -", output: "\"a \"quoted\" \\ line\nend\"\n").with(
      input: Files.xml("<string>a \"quoted\" \\ line\nend</string>")),
    PlutilCase(
      "-p -s one.plist", output: "{\n  \"a\" => \"b\"\n}\n", errors: "-s doesn't make a lot of sense with -p.\n",
      status: 0),
    PlutilCase("-p -o x one.plist", errors: "-o is not used with -p.\n"),
    PlutilCase("-p -e x one.plist", errors: "-e is not used with -p.\n"),
  ]

  static let converting = [
    PlutilCase("-convert xml1 all.plist"),
    PlutilCase(
      "-convert xml1 j.json",
      files: [
        "j.json": Files.xml(
          """
          <dict>
          \t<key>a</key>
          \t<dict>
          \t\t<key>c</key>
          \t\t<true/>
          \t</dict>
          \t<key>b</key>
          \t<array>
          \t\t<integer>1</integer>
          \t\t<real>2.5</real>
          \t\t<string>x</string>
          \t</array>
          </dict>
          """)
      ]),
    PlutilCase("-convert binary1 one.plist", files: ["one.plist": "binary: \(Files.files["one.plist"] ?? "")"]),
    PlutilCase("-convert binary1 all.plist", files: ["all.plist": "binary: \(Files.all)"]),
    PlutilCase("-convert json one.plist", files: ["one.plist": #"{"a":"b"}"#]),
    PlutilCase("-convert json -o - one.plist array.plist", output: #"{"a":"b"}[1,2,3]"#),
    PlutilCase(
      "-convert json -r -o - j.json",
      output: """
        {
          "a" : {
            "c" : true
          },
          "b" : [
            1,
            2.5,
            "x"
          ]
        }
        """),
    PlutilCase("-convert json -r -o - -", output: "{\n  \"Item2\" : {\n\n  },\n  \"item10\" : [\n\n  ]\n}").with(
      input: Files.xml("<dict><key>item10</key><array/><key>Item2</key><dict/></dict>")),
    PlutilCase("-convert xml1 -o - -", output: Files.xml("<string>é</string>")).with(input: "\"é\""),
    PlutilCase("-convert NoConversion -o - array.plist", output: Files.array),
    PlutilCase(
      "-convert swift one.plist",
      files: ["one.swift": "/// Generated from one.plist\nlet one = [\n    \"a\" : \"b\",\n]\n"]),
    PlutilCase(
      "-convert swift -o - j.json",
      output: """
        /// Generated from j.json
        let j : [String : Any] = [
            "a" : [
                "c" : true,
            ],
            "b" : [
                1,
                2.500000,
                "x",
            ] as [Any],
        ]

        """
    ).wrongInToolchain,
    PlutilCase(
      "-convert objc -o - j.json",
      output: """
        /// Generated from j.json
        __attribute__((visibility("hidden")))
        NSDictionary * const j = @{
            @"a" : @{
                @"c" : @YES,
            },
            @"b" : @[
                @1,
                @2.500000,
                @"x",
            ],
        };

        """),
    PlutilCase(
      "-convert objc -header one.plist",
      files: [
        "one.h": """
        #import <Foundation/Foundation.h>

        /// Generated from one.plist
        __attribute__((visibility("hidden")))
        extern NSDictionary * const one;

        """,
        "one.m": """
        #import "one.h"

        /// Generated from one.plist
        __attribute__((visibility("hidden")))
        NSDictionary * const one = @{
            @"a" : @"b",
        };

        """,
      ]),
    PlutilCase(
      "-convert objc -o - all.plist",
      errors: "all.plist: Input contains an object that cannot be represented in Obj-C literal syntax\n"),
    PlutilCase(
      "-convert json all.plist",
      errors: "all.plist: Invalid object in plist for JSON format: JSON has no data (in data)\n"
    ).wrongInToolchain,
    PlutilCase("-convert foo one.plist", errors: "Unknown format specifier: foo\n"),
    PlutilCase("-convert", errors: "Missing format specifier for command.\n"),
    PlutilCase("-convert swift -header one.plist", errors: "-header is only valid for objc literal conversions.\n"),
  ]

  static let creating = [
    PlutilCase("-create xml1 new", files: ["new": Files.xml("<dict/>")]),
    PlutilCase("-create binary1 new", files: ["new": "binary: \(Files.xml("<dict/>"))"]),
    PlutilCase("-create json new", files: ["new": "{}"]), PlutilCase("-create json -", output: "{}"),
    PlutilCase("-create xml1 -", output: Files.xml("<dict/>")),
    PlutilCase("-create", errors: "'Create' requires a plist format.\n"),
    PlutilCase("-create foo x", errors: "Unknown format specifier: foo\n"),
  ]

  private static func one(_ entries: String...) -> [String: String] {
    [
      "one.plist": Files.xml(
        "<dict>\n\t<key>a</key>\n\t<string>b</string>\n" + entries.map { "\t\($0)\n" }.joined() + "</dict>")
    ]
  }

  static let inserting = [
    PlutilCase("-insert k -string v one.plist", files: one("<key>k</key>", "<string>v</string>")),
    PlutilCase("-insert k -bool YES one.plist", files: one("<key>k</key>", "<true/>")),
    PlutilCase("-insert k -bool true one.plist", files: one("<key>k</key>", "<true/>")),
    PlutilCase("-insert k -bool NO one.plist", files: one("<key>k</key>", "<false/>")),
    PlutilCase("-insert k -integer -7 one.plist", files: one("<key>k</key>", "<integer>-7</integer>")),
    PlutilCase("-insert k -float 2.5 one.plist", files: one("<key>k</key>", "<real>2.5</real>")),
    PlutilCase(
      "-insert k -date 2020-01-02T03:04:05Z one.plist", files: one("<key>k</key>", "<date>2020-01-02T03:04:05Z</date>")),
    PlutilCase("-insert k -data AAEC one.plist", files: one("<key>k</key>", "<data>", "AAEC", "</data>")),
    PlutilCase("-insert k -array one.plist", files: one("<key>k</key>", "<array/>")),
    PlutilCase("-insert k -dictionary one.plist", files: one("<key>k</key>", "<dict/>")),
    PlutilCase(
      ["-insert", "k", "-json", "[1]", "one.plist"], "", "", nil,
      one("<key>k</key>", "<array>", "\t<integer>1</integer>", "</array>")),
    PlutilCase(
      ["-insert", "k", "-xml", "<plist><true/></plist>", "one.plist"], "", "", nil,
      one("<key>k</key>", "<true/>")),
    PlutilCase(
      ["-insert", "k", "-string", "-x", "one.plist"], "", "", nil, one("<key>k</key>", "<string>-x</string>")),
    PlutilCase(
      ["-insert", #"k\.l"#, "-string", "v", "one.plist"], "", "", nil,
      one("<key>k.l</key>", "<string>v</string>")),
    PlutilCase(
      "-insert 0 -integer 0 array.plist -o -",
      output: Files.xml("<array>\n" + (0...3).map { "\t<integer>\($0)</integer>\n" }.joined() + "</array>")),
    PlutilCase(
      "-insert 3 -integer 4 array.plist -o -",
      output: Files.xml("<array>\n" + (1...4).map { "\t<integer>\($0)</integer>\n" }.joined() + "</array>")),
    PlutilCase(
      "-insert array -string y -append all.plist",
      files: [
        "all.plist": Files.all.replacingOccurrences(
          of: "\t\t<string>x</string>", with: "\t\t<string>x</string>\n\t\t<string>y</string>")
      ]),
    PlutilCase("-insert b.1 -integer 7 j.json -o -", output: #"{"a":{"c":true},"b":[1,7,2.5,"x"]}"#).wrongInToolchain,
    PlutilCase("-insert a -string v one.plist", errors: "one.plist: Value already exists at key path a\n"),
    PlutilCase("-insert x.y -string v one.plist", errors: "one.plist: Key path not found x.y\n"),
    PlutilCase("-insert a.y -string v one.plist", errors: "one.plist: Unable to insert value at key path a.y\n"),
    PlutilCase(
      "-insert 4 -string v array.plist", errors: "array.plist: Index 4 out of bounds in array at key path 4\n"),
    PlutilCase("-insert x -string v array.plist", errors: "array.plist: Unable to index into array with key path x\n"),
    PlutilCase("-insert a -string v -append one.plist", errors: "one.plist: Appending to a non-array at key path a\n"),
    PlutilCase("-insert", errors: "'Insert' and 'Replace' require a key path, a type, and a value.\n"),
    PlutilCase("-insert a", errors: "'Insert' and 'Replace' require a key path, a type, and a value.\n"),
    PlutilCase("-insert a -foo b one.plist", errors: "Unknown insert or replace type -foo\n"),
  ]

  static let replacing = [
    PlutilCase(
      "-replace a -string c one.plist",
      files: ["one.plist": Files.dictionary("<key>a</key>", "<string>c</string>")]),
    PlutilCase("-replace k -string v one.plist", files: one("<key>k</key>", "<string>v</string>")),
    PlutilCase("-replace x.y -string v one.plist", errors: "one.plist: Key path not found x.y\n"),
    PlutilCase(
      "-replace 4 -string v array.plist", errors: "array.plist: Index 4 out of bounds in array at key path 4\n"),
  ]

  static let removing = [
    PlutilCase(
      "-remove 1 array.plist",
      files: ["array.plist": Files.xml("<array>\n\t<integer>1</integer>\n\t<integer>3</integer>\n</array>")]),
    PlutilCase(
      "-remove a.c j.json -o - -r", output: "{\n  \"a\" : {\n\n  },\n  \"b\" : [\n    1,\n    2.5,\n    \"x\"\n  ]\n}"),
    PlutilCase("-remove x one.plist", errors: "one.plist: No value to remove at key path x\n"),
    PlutilCase("-remove a..b one.plist", errors: "one.plist: No value to remove at key path a..b\n"),
    PlutilCase("-remove 3 array.plist", errors: "array.plist: No value to remove at key path 3\n"),
    PlutilCase("-remove", errors: "'Remove' requires a key path.\n"),
  ]

  static let extracting =
    [
      PlutilCase("-extract bool raw all.plist", output: "true\n"),
      PlutilCase("-extract integer raw all.plist", output: "-42\n"),
      PlutilCase("-extract real raw all.plist", output: "1.500000\n"),
      PlutilCase("-extract string raw all.plist", output: "größe\n"),
      PlutilCase("-extract date raw all.plist", output: "2020-01-02T03:04:05Z\n"),
      PlutilCase("-extract data raw all.plist", output: "3q2+7w==\n"),
      PlutilCase("-extract array raw all.plist", output: "3\n"),
      PlutilCase("-extract dict raw all.plist", output: "Item1\nItem2\nItem10\n"),
      PlutilCase("-extract array.1 raw all.plist", output: "2.500000\n"),
      PlutilCase("-extract string raw all.plist -n", output: "größe"),
      PlutilCase("-extract string raw -o - all.plist", output: "größe\n"),
      PlutilCase("-extract string raw -o x all.plist", files: ["x": "größe"]),
      PlutilCase(["-extract", #"a\.b"#, "raw", "dotted.plist"], "c\n"),
      PlutilCase(
        "-extract array xml1 all.plist -o -",
        output: Files.xml("<array>\n\t<integer>1</integer>\n\t<real>2.5</real>\n\t<string>x</string>\n</array>")),
      PlutilCase("-extract array json all.plist", files: ["all.plist": #"[1,2.5,"x"]"#]),
      PlutilCase("-extract a json j.json -o -", output: #"{"c":true}"#),
      PlutilCase("-extract bool raw -expect bool all.plist", output: "true\n"),
      PlutilCase(
        "-extract integer raw -expect string all.plist",
        errors: "all.plist: Value at [integer] expected to be string but is integer\n"),
      // The toolchain's tool prints "boolean" here, and "bool" everywhere else.
      PlutilCase(
        "-extract bool raw -expect string all.plist",
        errors: "all.plist: Value at [bool] expected to be string but is bool\n"
      ).wrongInToolchain,
      PlutilCase("-extract bool raw -expect foo all.plist", errors: "-expect type [foo] not valid.\n"),
      PlutilCase("-extract bool raw -expect", errors: "-expect requires a type argument.\n"),
    ]
    + ["x", "a.b", "array.3", "array.-1", "array.x", "a..b", ".a", "string.x", "real.0"].map { path in
      PlutilCase(
        ["-extract", path, "raw", "all.plist"], "",
        "all.plist: Could not extract value, error: No value at that key path or invalid key path: \(path)\n")
    } + [
      PlutilCase("-extract", errors: "'Extract' requires a key path and a plist format.\n"),
      PlutilCase("-extract a", errors: "'Extract' requires a key path and a plist format.\n"),
      PlutilCase("-extract a foo one.plist", errors: "Unknown format specifier: foo\n"),
    ]

  static let types =
    [
      ("bool", "bool"), ("integer", "integer"), ("real", "float"), ("string", "string"), ("date", "date"),
      ("data", "data"),
      ("array", "array"), ("dict", "dictionary"),
    ].map { PlutilCase("-type \($0) all.plist", output: "\($1)\n") } + [
      PlutilCase("-type dict all.plist -n", output: "dictionary"),
      PlutilCase("-type dict -expect dictionary all.plist", output: "dictionary\n"),
      PlutilCase(
        "-type dict -expect array all.plist",
        errors: "all.plist: Value at [dict] expected to be array but is dictionary\n"),
      PlutilCase(
        "-type a one.plist array.plist", output: "string\n",
        errors: "array.plist: Could not extract value, error: No value at that key path or invalid key path: a\n"),
    ]

  static let outputs = [
    PlutilCase("-convert json -o x one.plist", files: ["x": #"{"a":"b"}"#]),
    PlutilCase("-convert json -e json one.plist", files: ["one.json": #"{"a":"b"}"#]),
    PlutilCase(
      "-convert json -e json -s one.plist array.plist", files: ["one.json": #"{"a":"b"}"#, "array.json": "[1,2,3]"]),
    PlutilCase("-convert json -o x one.plist array.plist", files: ["x": "[1,2,3]"]),
    PlutilCase(
      "-convert json -o x bad one.plist",
      errors: """
        bad: Property List error: Value missing for key inside <dict> at line 4 / JSON error: expected a value, found "<" \
        at line 1, column 1

        """, files: ["x": #"{"a":"b"}"#]
    ).wrongInToolchain,
    PlutilCase("-remove a -o - one.plist", output: Files.xml("<dict/>")),
    PlutilCase(
      "-insert k -string v -e new one.plist",
      files: ["one.new": one("<key>k</key>", "<string>v</string>")["one.plist"] ?? ""]),
    PlutilCase("-convert json -o", errors: "Missing argument for -o.\n"),
    PlutilCase("-convert json -e", errors: "Missing argument for -e.\n"),
  ]

  static let usage = [
    PlutilCase("", errors: "No files specified.\n"), PlutilCase("-lint", errors: "No files specified.\n"),
    PlutilCase("-p", errors: "No files specified.\n"), PlutilCase("-convert json", errors: "No files specified.\n"),
    PlutilCase("-type a", errors: "No files specified.\n"),
    PlutilCase("-zzz", errors: "unrecognized option: -zzz\n"),
    PlutilCase("-lint -zzz one.plist", errors: "unrecognized option: -zzz\n"),
    PlutilCase("-convert json -header one.plist", errors: "-header is only valid for objc literal conversions.\n"),
  ]

  @Test(arguments: LongForm.cases(commands, every: 4))
  func `each verb, option and message`(_ command: PlutilCase) throws {
    let outcome = try AppleTool.ours.run(command.arguments, files: Files.files, input: command.input)
    #expect(outcome == command.outcome)
  }

  @Test(
    .enabled(if: AppleTool.toolchain != nil),
    arguments: LongForm.cases(commands.filter(\.isSameInToolchain), every: 16))
  func `the toolchain's plutil has the same results`(_ command: PlutilCase) throws {
    let tool = try #require(AppleTool.toolchain)
    let outcome = try tool.run(command.arguments, files: Files.files, input: command.input)
    #expect(outcome == command.outcome)
  }
}
