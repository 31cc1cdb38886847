import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil defaults read") struct DefaultsReadTests {
  private let tool = DefaultsTool()
  static let values: OrderedDictionary<String, PropertyList> = [
    "string": "a b", "word": "word", "é\n": "é😀\t\"\\", "empty": "", "inside": ["": ""], "true": true, "false": false,
    "int": -5,
    "big": .integer(.init(UInt64.max)), "real": 0.5, "whole": .real(1), "float": .float(0.1), "nan": .real(.nan),
    "infinite": .real(-.infinity), "date": .date(Date(timeIntervalSinceReferenceDate: 0)),
    "fraction": .date(Date(timeIntervalSinceReferenceDate: 0.5)), "data": .data(Data(0..<40)),
    "array": [1, ["x": [], "y": [:]], ["z"]], "uid": ["CF$UID": 3], "like JSON": ["$date": "x"],
  ]

  @Test func `a domain is printed completely, so that it can be read back`() throws {
    try tool.put(Self.values)
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false, restoresCoercedValues: true)
    let read = try tool("read", DefaultsTool.domain)
    #expect(read.status == 0 && read.errors.isEmpty)
    #expect(try PropertyList(read.output, format: .openStep, options: options) == .dictionary(Self.values))
    let json = try tool("read", "--json", DefaultsTool.domain)
    #expect(try PropertyList(json.output, format: .json, options: options) == .dictionary(Self.values))
    #expect(try tool("read", DefaultsTool.domain, "--format", "json").output == json.output)
    // The complete domain can be written to another one, by write and by import.
    #expect(try tool("write", "com.example.written", read.text).status == 0)
    #expect(try tool.bytes("com.example.written") == PropertyList.dictionary(Self.values).data(format: .binary))
    for output in [read.output, json.output] {
      #expect(try tool("import", "--replace", "com.example.imported", "-", input: output).status == 0)
      #expect(try tool.bytes("com.example.imported") == PropertyList.dictionary(Self.values).data(format: .binary))
    }
  }

  @Test(arguments: [
    ("string", "a b"), ("é\n", "é😀\t\"\\"), ("empty", ""), ("true", "1"), ("false", "0"), ("int", "-5"),
    ("big", "18446744073709551615"), ("real", "0.5"), ("whole", "1"), ("float", "0.1"), ("nan", "nan"),
    ("infinite", "-inf"), ("date", "2001-01-01 00:00:00 +0000"), ("fraction", "2001-01-01 00:00:00.5 +0000"),
    (
      "data",
      "<00010203 04050607 08090a0b 0c0d0e0f 10111213 14151617 18191a1b 1c1d1e1f 20212223 24252627>"
    ), ("array", "(\n    <*I1>,\n    {\n        x = ();\n        y = {};\n    },\n    (\n        z\n    )\n)"),
  ])
  func `a single value is printed bare`(_ key: String, _ text: String) throws {
    try tool.put(Self.values)
    #expect(try tool("read", DefaultsTool.domain, key).text == text + "\n")
  }

  @Test func `the output of Apple's tool is printed on request`() throws {
    try tool.put([
      "persistent-apps": [["GUID": 3512, "tile-data": ["file-label": "Safari", "book": .data(Data(0..<40))]]],
      "autohide": true, "off": false, "recent-apps": [], "empty": [:], "opacity": 0.5, "whole": .real(2), "neg": -1,
      "AppleLocale": "en_US", "name": "é😀\n", "date": .date(Date(timeIntervalSinceReferenceDate: 0.5)),
      "small": .data(Data([0, 1, 2])), "list": ["a", 1],
    ])
    let read = try tool("read", "--apple", DefaultsTool.domain)
    #expect(
      read.text == #"""
        {
            AppleLocale = "en_US";
            autohide = 1;
            date = "2001-01-01 00:00:00 +0000";
            empty =     {
            };
            list =     (
                a,
                1
            );
            name = "\U00e9\Ud83d\Ude00\n";
            neg = "-1";
            off = 0;
            opacity = "0.5";
            "persistent-apps" =     (
                        {
                    GUID = 3512;
                    "tile-data" =             {
                        book = {length = 40, bytes = 0x00010203 04050607 08090a0b 0c0d0e0f ... 20212223 24252627 };
                        "file-label" = Safari;
                    };
                }
            );
            "recent-apps" =     (
            );
            small = {length = 3, bytes = 0x000102};
            whole = 2;
        }

        """#)
    #expect(try tool("read", "--apple", DefaultsTool.domain, "small").text == "{length = 3, bytes = 0x000102}\n")
    #expect(try tool("read", "--apple", DefaultsTool.domain, "name").text == "é😀\n\n")
    #expect(try tool("read", "--apple", DefaultsTool.domain, "opacity").text == "0.5\n")
  }

  @Test func `all domains are printed`() throws {
    try tool.put(["a": 1])
    try tool.put(["g": true], ".GlobalPreferences")
    let read = try tool("read")
    #expect(try PropertyList(read.output) == ["NSGlobalDomain": ["g": true], "com.example.notes": ["a": 1]])
    #expect(try PropertyList(tool("read", "--json").output) == PropertyList(read.output))
    #expect(
      try tool("read", "--apple").text.hasPrefix("{\n    \"Apple Global Domain\" =     {\n        g = 1;\n    };\n"))
    // An unreadable domain does not prevent printing the others.
    try tool.put(Data("no preferences".utf8), "com.example.bad")
    let bad = try tool("read", "--json")
    #expect(bad.status == 3 && !bad.output.isEmpty)
    #expect(bad.errors.hasPrefix(tool.path("com.example.bad") + ": error: "))
    #expect(try PropertyList(bad.output) == PropertyList(read.output))
  }

  @Test func `nested values and their types are found by path`() throws {
    try tool.put(["w": ["a.b": [1, ["c": 0.5]]], "k": "v"])
    #expect(try tool("read", DefaultsTool.domain, "-k", #"w.a\.b.1.c"#).text == "0.5\n")
    #expect(try tool("read-type", DefaultsTool.domain, "-k", #"w.a\.b.1.c"#).text == "Type is float\n")
    #expect(try tool("read", DefaultsTool.domain, "-k", "/w/a.b/0").text == "1\n")
    let missing = try tool("read", DefaultsTool.domain, "-k", "w.x")
    #expect(missing.status == 1)
    #expect(missing.errors == "The domain/default pair of (com.example.notes, w.x) does not exist\n")
  }

  @Test(arguments: [
    ("string", "string"), ("true", "boolean"), ("int", "integer"), ("big", "integer"), ("real", "float"),
    ("float", "float"), ("date", "date"), ("data", "data"), ("array", "array"), ("uid", "dictionary"),
  ])
  func `types have Apple's names`(_ key: String, _ type: String) throws {
    try tool.put(Self.values)
    #expect(try tool("read-type", DefaultsTool.domain, key).text == "Type is \(type)\n")
    guard LongForm.isWanted || key == "string" else { return }
    #expect(try tool("read-type", "--json", DefaultsTool.domain, key).text == "{\"type\":\"\(type)\"}\n")
  }

  @Test func `reading uses only the file, and creates nothing`() throws {
    for call in [["read"], ["read", "a.b"], ["read", "-g"], ["domains"], ["find", "x"], ["export", "a.b", "-"]] {
      _ = try tool(call)
    }
    #expect(tool.folder.names == [])
    #expect(try tool("domains").text == "\n")
    #expect(try tool("domains", "--json").text == "[]\n")
  }
}
