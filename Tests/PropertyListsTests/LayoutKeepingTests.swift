import Foundation
import OrderedCollections
import Testing

@testable import PropertyListTools
@testable import PropertyLists

/// The text after an edit.
func edited(
  _ text: String, _ format: PropertyListFormat, reading: PropertyListReadingOptions = .init(),
  writing: PropertyListWritingOptions = .init(), _ change: (inout PropertyList) throws -> Void
) throws -> String {
  let document = try PropertyListDocument(Data(text.utf8), format: format, options: reading)
  var value = try PropertyList(document.root)
  try change(&value)
  let data = try document.data(updatedTo: value, options: writing)
  #expect(try document.editedData(updatedTo: value, options: writing) == data, "nothing was written anew")
  #expect(try PropertyList(data, format: format, options: reading) == value)
  return String(decoding: data, as: UTF8.self)
}

@Suite("Edits keep the layout of XML files") struct XMLLayoutTests {
  private static let info = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <!-- Made by hand. -->
    <plist version="1.0">
    <dict>
      <!-- The name under the icon. -->
      <key>CFBundleName</key>
      <string>Notes</string> <!-- not translated -->

      <key>CFBundleVersion</key>
      <string>42</string>
      <key>Scale</key> <real>1.50</real>
      <key>Mask</key>
      <integer>0x1F</integer>
      <key>UIDeviceFamily</key>
      <array>
        <integer>1</integer>
        <!-- tablets -->
        <integer>2</integer>
      </array>
      <key>Icon</key>
      <data>
        AAECAwQFBgcICQoLDA0ODw==
      </data>
      <key>Empty</key>
      <dict/>
    </dict>
    </plist>

    """

  @Test func `a value is replaced between its tags`() throws {
    let result = try edited(Self.info, .xml) { $0.dictionary?["CFBundleVersion"] = "43" }
    #expect(result == Self.info.replacing("<string>42</string>", with: "<string>43</string>"))
  }

  @Test func `an entry is added after the one before it, in the same layout`() throws {
    let result = try edited(Self.info, .xml) { value in
      value.dictionary?.updateValue(["a": [1, true]], forKey: "New & old", insertingAt: 1)
    }
    let new = """
      <string>Notes</string> <!-- not translated -->
        <key>New &amp; old</key>
        <dict>
          <key>a</key>
          <array>
            <integer>1</integer>
            <true/>
          </array>
        </dict>
      """
    #expect(result == Self.info.replacing("<string>Notes</string> <!-- not translated -->", with: new))
  }

  @Test func `an entry is removed with its lines; comments stay`() throws {
    let result = try edited(Self.info, .xml) { $0.dictionary?.removeValue(forKey: "CFBundleName") }
    let old = "  <key>CFBundleName</key>\n  <string>Notes</string> <!-- not translated -->\n"
    #expect(result == Self.info.replacing(old, with: "  <!-- not translated -->\n"))
    let other = try edited(Self.info, .xml) { $0.dictionary?.removeValue(forKey: "Mask") }
    #expect(other == Self.info.replacing("  <key>Mask</key>\n  <integer>0x1F</integer>\n", with: ""))
  }

  @Test func `only the changed part of an array is rewritten`() throws {
    let result = try edited(Self.info, .xml) { $0.dictionary?["UIDeviceFamily"] = [1, 6, 2, 3] }
    let new = """
          <integer>1</integer>
          <integer>6</integer>
          <!-- tablets -->
          <integer>2</integer>
          <integer>3</integer>

      """
    let old = """
          <integer>1</integer>
          <!-- tablets -->
          <integer>2</integer>

      """
    #expect(result == Self.info.replacing(old, with: new))
  }

  @Test func `data keeps its line length and indentation`() throws {
    let result = try edited(Self.info, .xml) { $0.dictionary?["Icon"] = .data(Data(repeating: 0, count: 60)) }
    let base64 = """
          AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
          AAAAAAAA
      """
    #expect(result == Self.info.replacing("    AAECAwQFBgcICQoLDA0ODw==", with: base64))
  }

  @Test func `an empty tag becomes a pair of tags for its first entry, and is empty again without entries`() throws {
    let result = try edited(Self.info, .xml) { $0.dictionary?["Empty"] = ["a": "b"] }
    #expect(
      result == Self.info.replacing("  <dict/>", with: "  <dict>\n    <key>a</key>\n    <string>b</string>\n  </dict>"))
    #expect(try edited(result, .xml) { $0.dictionary?["Empty"] = [:] } == Self.info)
  }

  @Test func `moved entries keep their bytes and the comments above them`() throws {
    let result = try edited(Self.info, .xml) { value in
      let name = value.dictionary?.removeValue(forKey: "CFBundleName")
      value.dictionary?["CFBundleName"] = name
    }
    let entry = """
        <!-- The name under the icon. -->
        <key>CFBundleName</key>
        <string>Notes</string> <!-- not translated -->

      """
    var expected = Self.info.replacing(entry, with: "")
    expected = expected.replacing("  <dict/>\n", with: "  <dict/>\n" + entry)
    #expect(result == expected)
  }

  @Test func `a renamed key keeps its value and the comment above it`() throws {
    let result = try edited(Self.info, .xml) { value in
      value.dictionary = OrderedDictionary(
        uniqueKeysWithValues: value.dictionary!.map { ($0.key == "CFBundleName" ? "Name" : $0.key, $0.value) })
    }
    #expect(result == Self.info.replacing("<key>CFBundleName</key>", with: "<key>Name</key>"))
  }
}

@Suite("Edits keep the layout of OpenStep files") struct OpenStepLayoutTests {
  private static let project = """
    // !$*UTF8*$!
    {
    \tarchiveVersion = 1;
    \tclasses = {
    \t};
    \tobjects = {

    /* Begin PBXBuildFile section */
    \t\tAA01 /* main.m in Sources */ = {isa = PBXBuildFile; fileRef = AA02 /* main.m */; };
    \t\tAA03 /* a.m in Sources */ = {isa = PBXBuildFile; fileRef = AA04 /* a.m */; };
    /* End PBXBuildFile section */

    /* Begin PBXGroup section */
    \t\tAA05 = {
    \t\t\tisa = PBXGroup;
    \t\t\tchildren = (
    \t\t\t\tAA02 /* main.m */,
    \t\t\t\tAA04 /* a.m */,
    \t\t\t);
    \t\t\tsourceTree = "<group>";
    \t\t};
    /* End PBXGroup section */
    \t};
    \trootObject = AA00 /* Project object */;
    }

    """

  @Test func `a replaced value keeps the comment after it`() throws {
    let result = try edited(Self.project, .openStep) { $0.dictionary?["rootObject"] = "BB00" }
    #expect(result == Self.project.replacing("rootObject = AA00", with: "rootObject = BB00"))
    let quoted = try edited(Self.project, .openStep) { $0.dictionary?["rootObject"] = "B 00" }
    #expect(quoted == Self.project.replacing("rootObject = AA00", with: #"rootObject = "B 00""#))
  }

  @Test func `an added object has the layout of the others, on one line or several`() throws {
    let result = try edited(Self.project, .openStep) { value in
      guard case .dictionary(var objects)? = value.dictionary?["objects"] else { return }
      objects.updateValue(["isa": "PBXBuildFile", "fileRef": "BB02"], forKey: "BB01", insertingAt: 2)
      objects.updateValue(["isa": "PBXGroup", "children": ["x y"]], forKey: "BB05", insertingAt: 4)
      value.dictionary?["objects"] = .dictionary(objects)
    }
    let file = "\t\tBB01 = {isa = PBXBuildFile; fileRef = BB02; };\n"
    let group = """
      \t\tBB05 = {
      \t\t\tisa = PBXGroup;
      \t\t\tchildren = (
      \t\t\t\t"x y",
      \t\t\t);
      \t\t};

      """
    var expected = Self.project.replacing("/* End PBXBuildFile", with: file + "/* End PBXBuildFile")
    expected = expected.replacing("/* End PBXGroup", with: group + "/* End PBXGroup")
    #expect(result == expected)
  }

  @Test func `elements of a list are added and removed with their lines, and the last keeps its comma`() throws {
    func children(_ new: PropertyList) throws -> String {
      try edited(Self.project, .openStep) { value in
        guard case .dictionary(var objects)? = value.dictionary?["objects"] else { return }
        objects["AA05"]?.dictionary?["children"] = new
        value.dictionary?["objects"] = .dictionary(objects)
      }
    }
    let first = "\t\t\t\tAA02 /* main.m */,\n"
    let second = "\t\t\t\tAA04 /* a.m */,\n"
    #expect(try children(["AA04"]) == Self.project.replacing(first, with: ""))
    #expect(try children(["AA02"]) == Self.project.replacing(second, with: ""))
    #expect(try children(["AA02", "AA04", "AA06"]) == Self.project.replacing(second, with: second + "\t\t\t\tAA06,\n"))
    #expect(try children(["AA06", "AA02", "AA04"]) == Self.project.replacing(first, with: "\t\t\t\tAA06,\n" + first))
    #expect(try children(["AA04", "AA02"]) == Self.project.replacing(first + second, with: second + first))
  }

  private static let strings = """
    /* Notes, English */

    /* Title of the window */
    "title" = "Notes";

    /* Button that closes
       the window */
    "close" = "Close";// short
    "open" ;
    'single' = 'it is';

    """

  @Test func `a strings file stays one, with each comment above its entry`() throws {
    let replaced = try edited(Self.strings, .openStep) { $0.dictionary?["title"] = "All \"notes\"" }
    #expect(replaced == Self.strings.replacing(#""Notes""#, with: #""All \"notes\"""#))
    let first = try edited(Self.strings, .openStep) { $0.dictionary?.updateValue("A", forKey: "a", insertingAt: 0) }
    #expect(
      first == Self.strings.replacing("English */\n", with: "English */\n\n\"a\" = \"A\";\n"))
    let last = try edited(Self.strings, .openStep) { $0.dictionary?["z"] = "it isn't" }
    #expect(last == Self.strings + "'z' = 'it isn\\'t';\n")
    let removed = try edited(Self.strings, .openStep) { $0.dictionary?.removeValue(forKey: "close") }
    #expect(removed == Self.strings.replacing(#""close" = "Close";"#, with: ""))
    let changed = try edited(Self.strings, .openStep) { $0.dictionary?["open"] = "Open" }
    #expect(changed == Self.strings.replacing(#""open" ;"#, with: #""open" = "Open" ;"#))
  }

  @Test func `sorted entries of a strings file keep their comments`() throws {
    let result = try edited(Self.strings, .openStep) { value in
      value.dictionary?.sort { $0.key < $1.key }
    }
    #expect(
      result == """
        /* Notes, English */

        /* Button that closes
           the window */
        "close" = "Close";// short
        "open" ;
        'single' = 'it is';

        /* Title of the window */
        "title" = "Notes";

        """)
  }
}

@Suite("Edits keep the layout of JSON files") struct JSONLayoutTests {
  private static let package = """
    {
        "name" : "notes",
        "version": "1.0.0",
        "files": ["a.js", "b.js"],
        "scripts": {
            "test": "run"
        },
        "numbers": [1.50, 1e3, -0],
        "private": true
    }
    """

  @Test func `a value is replaced, and the rest keeps its spelling`() throws {
    let result = try edited(Self.package, .json) { $0.dictionary?["version"] = "1.1.0" }
    #expect(result == Self.package.replacing("1.0.0", with: "1.1.0"))
  }

  @Test func `an entry is added at the end, after a comma`() throws {
    let result = try edited(Self.package, .json) { value in
      value.dictionary?["engines"] = ["node": ">=18", "list": [1, []], "none": [:]]
    }
    let new = """
      "private": true,
          "engines": {
              "node": ">=18",
              "list": [
                  1,
                  []
              ],
              "none": {}
          }
      """
    #expect(result == Self.package.replacing(#""private": true"#, with: new))
  }

  @Test func `the last entry is removed with the comma before it`() throws {
    let result = try edited(Self.package, .json) { $0.dictionary?.removeValue(forKey: "private") }
    #expect(result == Self.package.replacing(",\n    \"private\": true", with: ""))
  }

  @Test func `a list on one line stays on it`() throws {
    func files(_ new: PropertyList) throws -> String {
      try edited(Self.package, .json) { $0.dictionary?["files"] = new }
    }
    let old = #"["a.js", "b.js"]"#
    #expect(try files(["a.js", "b.js", "c.js"]) == Self.package.replacing(old, with: #"["a.js", "b.js", "c.js"]"#))
    #expect(try files(["0.js", "a.js", "b.js"]) == Self.package.replacing(old, with: #"["0.js", "a.js", "b.js"]"#))
    #expect(try files(["b.js"]) == Self.package.replacing(old, with: #"["b.js"]"#))
    #expect(try files(["a.js"]) == Self.package.replacing(old, with: #"["a.js"]"#))
    #expect(try files(["b.js", "a.js"]) == Self.package.replacing(old, with: #"["b.js", "a.js"]"#))
    #expect(try files([]) == Self.package.replacing(old, with: "[]"))
    #expect(try files(["a.js", ["x": 1]]) == Self.package.replacing(old, with: #"["a.js", {"x" : 1}]"#))
  }
}
