import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

/// The formatted text, which is formatted again to check that it does not change.
@discardableResult
private func formatted(
  _ data: Data, _ format: PropertyListFormat, sortsKeys: Bool = false, seed: UInt64? = nil
) throws -> String {
  let about = Comment(rawValue: "seed \(seed.map { String($0) } ?? "-"):\n\(String(decoding: data, as: UTF8.self))")
  let result = try PropertyListDocument(data, format: format).formattedData(sortsKeys: sortsKeys)
  let again = try PropertyListDocument(result, format: format).formattedData(sortsKeys: sortsKeys)
  #expect(again == result, about)
  // The binary format distinguishes all values.
  let old = try PropertyListDocument(data, format: format).root.data(
    format: .binary, options: .init(sortsKeys: sortsKeys))
  let new = try PropertyListDocument(result, format: format).root.data(format: .binary)
  #expect(new == old, about)
  return String(decoding: result, as: UTF8.self)
}

private func formatted(_ text: String, _ format: PropertyListFormat, sortsKeys: Bool = false) throws -> String {
  try formatted(Data(text.utf8), format, sortsKeys: sortsKeys)
}

@Suite("Formatted texts") struct FormattingTests {
  @Test func `XML gets a line for each key and value, and keeps comments and single empty lines`() throws {
    let text = """
      <!-- Made by hand. --><plist version='1.0'>
        <!-- The settings. -->
      <dict> <!-- all of them -->


          <!-- The name. -->
        <key>name</key> <string>A &#38; B</string> <!-- short -->
       <key>mask</key><!-- bits --><integer>0x1F</integer>

       <!-- a list --> <key>list</key>
       <array>  <real>1.50</real><!-- x --><array></array>
         <!-- last --></array>
       <key>script</key><string><![CDATA[a < b]]></string>
       <key>data</key><data>AAEC</data><key>empty</key><dict  ><!-- nothing --></dict><key a="b">k</key><true></true>
      </dict></plist> <!-- The end. -->
      """
    #expect(
      try formatted(text, .xml) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <!-- Made by hand. -->
        <plist version="1.0">
        <!-- The settings. -->
        <dict> <!-- all of them -->
        \t<!-- The name. -->
        \t<key>name</key>
        \t<string>A &amp; B</string> <!-- short -->
        \t<key>mask</key>
        \t<!-- bits -->
        \t<integer>31</integer>

        \t<!-- a list -->
        \t<key>list</key>
        \t<array>
        \t\t<real>1.5</real>
        \t\t<!-- x -->
        \t\t<array/>
        \t\t<!-- last -->
        \t</array>
        \t<key>script</key>
        \t<string><![CDATA[a < b]]></string>
        \t<key>data</key>
        \t<data>
        \tAAEC
        \t</data>
        \t<key>empty</key>
        \t<dict>
        \t\t<!-- nothing -->
        \t</dict>
        \t<key a="b">k</key>
        \t<true/>
        </dict>
        </plist>
        <!-- The end. -->

        """)
  }

  @Test func `OpenStep gets a line for each entry, and keeps comments next to values`() throws {
    let text = """
      // !$*UTF8*$!
      { archiveVersion=1; classes = {
        };


      /* Begin section */
        AA01 /* main.m */ = {isa = 'PBX File'; ref = AA02 /* main.m */; };   // trailing
        files = ( AA01 /* a */, AA02, // two
          /* three */ AA03,
        );
        'key' // why
          = /* what */ <0fbd 77 /* half */ 7e>;
        numbers = (<*I0005>, <*BY>, <AB cd EF 01 23>);
        /* the end */ }
      """
    #expect(
      try formatted(text, .openStep) == """
        // !$*UTF8*$!
        {
            archiveVersion = 1;
            classes = {};

            /* Begin section */
            AA01 /* main.m */ = {
                isa = "PBX File";
                ref = AA02 /* main.m */;
            }; // trailing
            files = (
                AA01 /* a */,
                AA02, // two
                /* three */
                AA03
            );
            key // why
                = /* what */ <0fbd 77 /* half */ 7e>;
            numbers = (
                <*I5>,
                <*BY>,
                <abcdef01 23>
            );
            /* the end */
        }

        """)
  }

  @Test func `a strings file stays one, with quotation marks around all text`() throws {
    let text = "/* Title */\r\ntitle   =\"My notes\" ;\r\n\r\n\r\n/* Nothing */ 'empty' = word; // short\r\nself;"
    #expect(
      try formatted(text, .openStep) == """
        /* Title */
        "title" = "My notes";

        /* Nothing */
        "empty" = "word"; // short
        "self" = "self";

        """)
    #expect(try formatted("/* nothing */", .openStep) == "/* nothing */\n")
  }

  @Test func `JSON gets a line for each entry and element`() throws {
    let text = #"{"b":[1,2.50,{}, []],  "a":"\u00e9\/","# + "\n\n\n" + #""c":{"$date":"2020-01-02T03:04:05Z"}}"#
    #expect(
      try formatted(text, .json) == """
        {
          "b": [
            1,
            2.5,
            {},
            []
          ],
          "a": "é/",

          "c": {"$date": "2020-01-02T03:04:05Z"}
        }

        """)
    #expect(try formatted(text, .json, sortsKeys: true).hasPrefix("{\n  \"a\": \"é/\",\n  \"b\": [\n"))
    #expect(try formatted(" 5 ", .json) == "5\n")
  }

  @Test func `sorted entries keep the comments above and next to them`() throws {
    let text = """
      // top
      {
          // of b
          b = 1; // beside b

          // of a
          a = { d = 2; c = 3; /* beside c */
          };
          // the end
      }
      """
    #expect(
      try formatted(text, .openStep, sortsKeys: true) == """
        // top
        {
            // of a
            a = {
                c = 3; /* beside c */
                d = 2;
            };
            // of b
            b = 1; // beside b
            // the end
        }

        """)
    let xml = "<plist><dict><!-- B --><key>b</key><true/><key>a</key><false/><!-- A -->\n</dict></plist>"
    #expect(
      try formatted(xml, .xml, sortsKeys: true).hasSuffix(
        "<dict>\n\t<key>a</key>\n\t<false/> <!-- A -->\n\t<!-- B -->\n\t<key>b</key>\n\t<true/>\n</dict>\n</plist>\n"))
  }

  @Test func `sorting does not take quadratic time`() throws {
    let growth = try ThreadClock.growth(from: 250, to: 2_000) { count in
      "{" + (0..<count).map { #""k\#($0)":1"# }.joined(separator: ",") + "}"
    } work: {
      _ = try formatted($0, .json, sortsKeys: true)
    }
    // With a copy for each key, the growth is 8.
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test(arguments: [.xml, .openStep, .json] as [PropertyListFormat])
  func `output of a writer is not changed`(_ format: PropertyListFormat) throws {
    for seed in 0..<LongForm.size(400, or: 4) {
      var random = SeededGenerator(seed: UInt64(seed))
      var value = PropertyList.random(depth: 4, forXML: format == .xml, using: &random)
      // A string alone is not data of any format.
      if !value.isContainer { value = [value] }
      let written = try value.data(format: format, options: .exact)
      #expect(try formatted(written, format) == String(decoding: written, as: UTF8.self), "seed \(seed)")
      let sorted = try value.data(
        format: format, options: PropertyListWritingOptions(sortsKeys: true, coercion: .reversible))
      #expect(
        try formatted(written, format, sortsKeys: true) == String(decoding: sorted, as: UTF8.self), "seed \(seed)")
      if format != .xml {
        let compact = try value.data(
          format: format, options: PropertyListWritingOptions(coercion: .reversible, isCompact: true))
        #expect(try formatted(compact, format) == String(decoding: written, as: UTF8.self), "seed \(seed)")
      }
    }
    // The indents make the length of the text quadratic in the depth.
    let innermost = PropertyList.array([.data(Data(count: 40)), "x"])
    let deep = (0..<LongForm.size(500, or: 150)).reduce(innermost) { value, level in
      level.isMultiple(of: 2) ? .array([value]) : .dictionary(["key": value])
    }
    let written = try deep.data(format: format, options: .exact)
    #expect(try formatted(written, format) == String(decoding: written, as: UTF8.self))
  }

  @Test(
    "random texts keep values and comments, and formatting is idempotent",
    arguments: [.xml, .openStep, .json] as [PropertyListFormat], [false, true])
  func randomTexts(_ format: PropertyListFormat, sortsKeys: Bool) throws {
    for seed in 0..<(LongForm.isWanted ? RandomEditTests.seeds * 2 : RandomEditTests.seeds / 4) {
      let encodings = RandomEditTests.encodings + (format == .xml ? [RandomEditTests.latin] : [])
      let encoding = encodings[Int(seed % UInt64(encodings.count))]
      let text = LaidOutText(format, encodingName: encoding.name, seed: seed)
      let result = try formatted(encoding.encode(text.text), format, sortsKeys: sortsKeys, seed: seed)
      for comment in text.comments + text.innerComments {
        #expect(result.contains(comment), "seed \(seed): \(comment) of\n\(text.text)\nin\n\(result)")
      }
      // Lines have no trailing spaces.
      let lines = result.split(separator: "\n")
      #expect(!lines.contains { $0.last == " " || $0.last == "\t" } && !result.contains("\r"), "seed \(seed)")
    }
  }

  @Test func `XML keeps everything that it allows around values`() throws {
    var count = 0
    for seed in 0..<UInt64(LongForm.size(20_000, or: 200)) {
      let data = Data(RandomXML(seed: seed).text.utf8)
      guard (try? PropertyListDocument(data, format: .xml)) != nil else { continue }
      count += 1
      let result = try formatted(data, .xml, seed: seed)
      let text = String(decoding: data, as: UTF8.self)
      for piece in ["<!-- c -->", "<!-- c - d -->", "<?pi x?>", "<!---->", "<?a?>", "<?pi?>", "<?x?>"] {
        #expect(result.ranges(of: piece).count == text.ranges(of: piece).count, "seed \(seed): \(piece)\n\(text)")
      }
    }
    #expect(count > 20)
  }

  @Test func `the fixtures and the files of PLIST_CORPUS are formatted`() throws {
    let fixtures = ["xml", "openstep", "json", "readme"].flatMap { Fixtures.names(in: $0) }.map { Fixtures.url($0) }
    var count = 0
    for url in fixtures + Fixtures.corpus {
      let data = try Data(contentsOf: url)
      guard LongForm.isWanted || data.count < 50_000, let document = try? PropertyListDocument(data),
        document.format != .binary
      else { continue }
      count += 1
      for sortsKeys in [false, true] {
        do {
          let result = try formatted(data, document.format, sortsKeys: sortsKeys)
          #expect(Self.comments(result, document.format) == Self.comments(data, document.format), "\(url)")
        } catch {
          Issue.record("\(url): \(error)")
        }
      }
    }
    #expect(count > 20)
  }

  /// The comments of a text, sorted.
  private static func comments(_ text: String, _ format: PropertyListFormat) -> [String] {
    comments(Data(text.utf8), format)
  }

  private static func comments(_ data: Data, _ format: PropertyListFormat) -> [String] {
    guard let source = TextSource(lenient: data, format) else { return [] }
    var comments: [String] = []
    let bytes = source.text.bytes
    func add(_ range: Range<Int>) {
      comments.append(String(decoding: [UInt8](bytes, range), as: UTF8.self).replacing("\r\n", with: "\n"))
    }
    switch format {
    case .xml:
      var lexer = XMLLexer(bytes)
      while case let token = lexer.next(), token.kind != .end {
        if token.kind == .comment { add(token.range) }
      }
    case .openStep:
      var lexer = OpenStepLexer(bytes)
      while case let token = lexer.next(), token.kind != .end {
        if token.kind == .comment || token.kind == .lineComment { add(token.range) }
      }
    default: break
    }
    return comments.sorted()
  }

  @Test func `formatted text is UTF-8 without a byte order mark`() throws {
    let text = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<plist><string>\u{E9}</string></plist>"
    let latin = try #require(text.data(using: .isoLatin1))
    #expect(try formatted(latin, .xml).contains("encoding=\"UTF-8\"?>\n"))
    #expect(try formatted(latin, .xml).contains("<string>\u{E9}</string>"))
    let wide = Data([0xFF, 0xFE]) + "\"a\" = \"\u{E9}\";".data(using: .utf16LittleEndian)!
    #expect(try formatted(wide, .openStep) == "\"a\" = \"\u{E9}\";\n")
  }

  @Test func `a binary file has no layout, and a duplicate key is an error`() throws {
    let binary = try PropertyListDocument(PropertyList.string("x").data(format: .binary))
    #expect(error { () throws(PropertyListError) in _ = try binary.formattedData() }?.kind == .notRepresentable)
    let options = PropertyListReadingOptions(duplicateKeys: .keepLast)
    let twice = try PropertyListDocument(Data("{a = 1; a = 2;}".utf8), format: .openStep, options: options)
    #expect(error { () throws(PropertyListError) in _ = try twice.formattedData() }?.kind == .duplicateKey)
  }

  @Test func `a text whose indents would take too much memory is refused`() throws {
    let text = String(repeating: "(", count: 500) + String(repeating: "1,", count: LongForm.size(40_000, or: 2_500))
    let document = try PropertyListDocument(Data((text + String(repeating: ")", count: 500)).utf8), format: .openStep)
    #expect(error { () throws(PropertyListError) in _ = try document.formattedData() }?.kind == .limitExceeded)
  }

  @Test func `many comments and elements need no deep stack`() {
    // Enough for a stack overflow if each took 256 bytes of the stack.
    let count = LongForm.size(10_000, or: 2_000)
    let text =
      "{" + String(repeating: "/* c */\n", count: count) + "a = (" + String(repeating: "1,", count: count) + ");}"
    let outcome = OnSmallStack.run { try formatted(text, .openStep).split(separator: "\n").count }
    #expect(outcome.value as? Int == 2 * count + 3)
  }
}
