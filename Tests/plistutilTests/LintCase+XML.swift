extension LintCase {
  /// Defects of XML, and the output of `lint`.
  static let xml: [LintCase] = [
    LintCase(
      "an invalid value",
      #"""
      <plist>
      <array>
      \#t<integer>12x</integer>
      \#t<real>1,5</real>
      \#t<date>2026-02-30T00:00:00Z</date>
      \#t<data>A*==</data>
      \#t<integer/>
      </array>
      </plist>
      """#,
      report: #"""
        F:3:2: error: expected a 64-bit integer in <integer>, found "12x" (in 0)
                  <integer>12x</integer>
                  ^
        F:4:2: error: expected a number in <real>, found "1,5" (in 1)
                  <real>1,5</real>
                  ^
        F:5:2: error: expected a date of the form YYYY-MM-DDThh:mm:ssZ in <date>, found "2026-02-30T00:00:00Z" (in 2)
                  <date>2026-02-30T00:00:00Z</date>
                  ^
        F:6:2: error: a character in <data> is not base64 (in 3)
                  <data>A*==</data>
                  ^
        F:7:2: error: <integer/> is empty (in 4)
                  <integer/>
                  ^
        """#),
    LintCase(
      "a key without a value, and a value without a key",
      #"""
      <plist><dict>
        <key>a</key>
        <key>b</key><true/>
        <string>c</string><string>d</string>
        <key>e</key>
      </dict></plist>
      --
      3:3: no value for the key "a" (in a)
      4:3: expected <key> in <dict>, found <string>
      6:1: no value for the key "e" (in e)
      """#),
    LintCase(
      "duplicate keys",
      #"""
      <plist><dict>
        <key>a</key><true/>
        <key>b</key><true/>
        <key>a</key><false/>
        <key>&#97;</key><false/>
      </dict></plist>
      --
      4:3: duplicate key "a"
      5:3: duplicate key "a"
      """#),
    LintCase(
      "unknown tags",
      #"""
      <plist><dict>
        <key>a</key><strng>b</strng>
        <key>c</key><foo><bar/></foo>
      </dict></plist>
      --
      2:15: unknown tag <strng> (in a)
      3:15: unknown tag <foo> (in c)
      """#),
    LintCase(
      "misplaced tags",
      #"""
      <plist><array>
        <key>a</key>
        <string>b<true/>c</string>
        <plist><true/></plist>
      </array><true/></plist>
      --
      2:3: <key> outside <dict> (in 0)
      3:12: <true> inside <string> (in 0)
      4:3: <plist> inside <array> (in 1)
      5:9: a second value in <plist>
      """#),
    LintCase(
      "misplaced text",
      #"""
      <plist>here<dict>
        <key>a</key> and here <true/>
      </dict>
      <![CDATA[there]]></plist>
      --
      1:8: text in <plist>
      2:16: text in <dict> (in a)
      4:10: text in <plist>
      """#),
    LintCase(
      "an end tag with another name",
      #"""
      <plist><dict>
        <key>a</kye><true/>
        <key>b</key><array><true/></dict>
        <key>c</key><true/>
      </array></plist>
      --
      2:9: expected </key>, found </kye>; the <key> at 2:3 is not closed
      3:29: expected </array>, found </dict>; the <array> at 3:15 is not closed (in b.1)
      5:1: expected </dict>, found </array>; the <dict> at 1:8 is not closed
      """#),
    LintCase(
      "a missing end tag",
      #"""
      <plist><dict>
        <key>a<string>b</string>
        <key>c</key><string>d<key>e</key><true/>
        <key>f</key><array><string>g</string>
      </dict></plist>
      --
      2:9: <string> inside <key>
      3:24: <key> inside <string> (in c)
      5:1: expected </array>, found </dict>; the <array> at 4:15 is not closed (in f.1)
      """#),
    LintCase(
      "a missing slash",
      #"""
      <plist><dict>
        <key>a<key><string>b<string>
        <key>c</key><true/>
      </dict></plist>
      --
      2:9: <key> inside <key>
      2:23: <string> inside <string> (in a)
      """#),
    LintCase(
      "a truncated document", endsLine: false,
      #"""
      <plist><dict>
        <key>a</key>
        <array><string>b</str
      --
      3:19: a tag without its ">" (in a.0)
      """#),
    LintCase(
      "entities and characters",
      #"""
      <plist><dict>
        <key>a</key><string>x &nbsp; & y &#0; &lt</string>
        <key>b</key><string>1 < 2 ]]> \#u{1}</string>
      </dict></plist>
      """#,
      report: #"""
        F:2:25: error: unknown entity "nbsp"; XML has only amp, lt, gt, quot and apos (in a)
            <key>a</key><string>x &nbsp; & y &#0; &lt</string>
                                  ^
        F:2:32: error: "&" does not begin a reference; write the character as "&amp;" (in a)
            <key>a</key><string>x &nbsp; & y &#0; &lt</string>
                                         ^
        F:2:36: error: an invalid character reference (in a)
            <key>a</key><string>x &nbsp; & y &#0; &lt</string>
                                             ^
        F:2:41: error: a reference without its ";"; write the character "&" as "&amp;" (in a)
            <key>a</key><string>x &nbsp; & y &#0; &lt</string>
                                                  ^
        F:3:25: error: "<" does not begin a tag; write the character as "&lt;" (in b)
            <key>b</key><string>1 < 2 ]]> \u{1}</string>
                                  ^
        F:3:29: error: "]]>" in text; write it as "]]&gt;" (in b)
            <key>b</key><string>1 < 2 ]]> \u{1}</string>
                                      ^
        F:3:33: error: the character U+0001, which XML does not allow (in b)
            <key>b</key><string>1 < 2 ]]> \u{1}</string>
                                          ^
        """#),
    LintCase(
      "tags that are not well-formed",
      #"""
      <plist version=1.0><dict>
        <key a>b</key><string a="b>c</string>
        <key>d</key <true/>
      </dict></plist>
      --
      1:16: an attribute value without quotation marks
      2:9: an attribute without a value
      2:31: "<" in an attribute value; write it as "&lt;" (in b)
      3:9: a tag without its ">"
      """#),
    LintCase(
      "comments and declarations",
      #"""
      <!DOCTYPE plist [<!ENTITY a "b">]>
      <plist><array>
        <!-- a -- b -->
        <string>&a;</string>
        <!-- no end
      </array></plist>
      --
      1:17: a document type with an internal subset, which is not supported
      3:10: "--" in a comment (in 0)
      4:11: unknown entity "a"; XML has only amp, lt, gt, quot and apos (in 0)
      5:3: an unterminated comment (in 1)
      """#),
    LintCase(
      "text after the end",
      #"""
      <plist><true/></plist>
      <plist><true/></plist>
      --
      2:1: extra content after the end of the root element
      """#),
    LintCase(
      "no value",
      #"""
      <?xml version="1.0"?>
      <plist>
      </plist>
      --
      2:1: <plist> without a value
      """#),
    LintCase(
      "bytes that are no UTF-8", isLatin1: true,
      #"""
      <plist><dict>
        <key>größe</key><string>ä, ü</string>
        <key>b</key><string>Ã¤ÿ</string>
        <key>c</key><foo/>
      </dict></plist>
      """#,
      report: #"""
        F:2:10: error: not UTF-8
            <key>gr\#u{fffd}\#u{fffd}e</key><string>\#u{fffd}, \#u{fffd}</string>
                   ^
        F:3:24: error: not UTF-8 (in b)
            <key>b</key><string>\#u{fffd}\#u{fffd}\#u{fffd}</string>
                                 ^
        F:4:15: error: unknown tag <foo> (in c)
            <key>c</key><foo/>
                        ^
        """#),
    LintCase(
      "an unknown encoding",
      #"""
      <?xml version="1.0" encoding="x-none"?>
      <plist><foo/></plist>
      --
      1:1: unknown encoding "x-none"
      2:8: unknown tag <foo>
      """#),
    LintCase(
      "a tab, wide characters and combining ones",
      #"""
      <plist><dict>
      \#t<key>鍵</key>\#t<integer>一</integer>
      \#t<key>e\#u{301}</key><foo/>
      </dict></plist>
      """#,
      report: #"""
        F:2:15: error: expected a 64-bit integer in <integer> (in 鍵)
                  <key>鍵</key>   <integer>一</integer>
                                  ^
        F:3:15: error: unknown tag <foo> (in e\#u{301})
                  <key>e\#u{301}</key><foo/>
                              ^
        """#),
  ]
}
