extension LintCase {
  /// What is wrong with XML, and what `lint` says of it.
  static let xml: [LintCase] = [
    LintCase(
      "a value that is none",
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
        F:3:2: error: <integer> holds no integer of 64 bits: "12x" (in 0)
                  <integer>12x</integer>
                  ^
        F:4:2: error: <real> holds no number: "1,5" (in 1)
                  <real>1,5</real>
                  ^
        F:5:2: error: <date> holds no date of the form YYYY-MM-DDThh:mm:ssZ: "2026-02-30T00:00:00Z" (in 2)
                  <date>2026-02-30T00:00:00Z</date>
                  ^
        F:6:2: error: a character that is not base64 in <data> (in 3)
                  <data>A*==</data>
                  ^
        F:7:2: error: <integer/> holds nothing (in 4)
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

      """#,
      report: #"""
        F:3:3: error: no value for the key "a" (in a)
            <key>b</key><true/>
            ^
        F:4:3: error: <string> where a <key> is due in <dict>
            <string>c</string><string>d</string>
            ^
        F:6:1: error: no value for the key "e" (in e)
          </dict></plist>
          ^

        """#),
    LintCase(
      "keys that stand twice",
      #"""
      <plist><dict>
        <key>a</key><true/>
        <key>b</key><true/>
        <key>a</key><false/>
        <key>&#97;</key><false/>
      </dict></plist>

      """#,
      report: #"""
        F:4:3: error: duplicate key "a"
            <key>a</key><false/>
            ^
        F:5:3: error: duplicate key "a"
            <key>&#97;</key><false/>
            ^

        """#),
    LintCase(
      "tags that nobody knows",
      #"""
      <plist><dict>
        <key>a</key><strng>b</strng>
        <key>c</key><foo><bar/></foo>
      </dict></plist>

      """#,
      report: #"""
        F:2:15: error: unknown tag <strng> (in a)
            <key>a</key><strng>b</strng>
                        ^
        F:3:15: error: unknown tag <foo> (in c)
            <key>c</key><foo><bar/></foo>
                        ^

        """#),
    LintCase(
      "tags where they may not be",
      #"""
      <plist><array>
        <key>a</key>
        <string>b<true/>c</string>
        <plist><true/></plist>
      </array><true/></plist>

      """#,
      report: #"""
        F:2:3: error: <key> outside <dict> (in 0)
            <key>a</key>
            ^
        F:3:12: error: <true> inside <string> (in 0)
            <string>b<true/>c</string>
                     ^
        F:4:3: error: <plist> inside <array> (in 1)
            <plist><true/></plist>
            ^
        F:5:9: error: a second value in <plist>
          </array><true/></plist>
                  ^

        """#),
    LintCase(
      "text where none may be",
      #"""
      <plist>here<dict>
        <key>a</key> and here <true/>
      </dict>
      <![CDATA[there]]></plist>

      """#,
      report: #"""
        F:1:8: error: text in <plist>
          <plist>here<dict>
                 ^
        F:2:16: error: text in <dict> (in a)
            <key>a</key> and here <true/>
                         ^
        F:4:10: error: text in <plist>
          <![CDATA[there]]></plist>
                   ^

        """#),
    LintCase(
      "an end tag of another name",
      #"""
      <plist><dict>
        <key>a</kye><true/>
        <key>b</key><array><true/></dict>
        <key>c</key><true/>
      </array></plist>

      """#,
      report: #"""
        F:2:9: error: </kye> where </key> is due; the <key> stands at 2:3
            <key>a</kye><true/>
                  ^
        F:3:29: error: </dict> where </array> is due; the <array> stands at 3:15 (in b.1)
            <key>b</key><array><true/></dict>
                                      ^
        F:5:1: error: </array> where </dict> is due; the <dict> stands at 1:8
          </array></plist>
          ^

        """#),
    LintCase(
      "an end tag that is missing",
      #"""
      <plist><dict>
        <key>a<string>b</string>
        <key>c</key><string>d<key>e</key><true/>
        <key>f</key><array><string>g</string>
      </dict></plist>

      """#,
      report: #"""
        F:2:9: error: <string> inside <key>
            <key>a<string>b</string>
                  ^
        F:3:24: error: <key> inside <string> (in c)
            <key>c</key><string>d<key>e</key><true/>
                                 ^
        F:5:1: error: </dict> where </array> is due; the <array> stands at 4:15 (in f.1)
          </dict></plist>
          ^

        """#),
    LintCase(
      "a slash that is missing",
      #"""
      <plist><dict>
        <key>a<key><string>b<string>
        <key>c</key><true/>
      </dict></plist>

      """#,
      report: #"""
        F:2:9: error: <key> inside <key>
            <key>a<key><string>b<string>
                  ^
        F:2:23: error: <string> inside <string> (in a)
            <key>a<key><string>b<string>
                                ^

        """#),
    LintCase(
      "a document that is cut off",
      #"""
      <plist><dict>
        <key>a</key>
        <array><string>b</str
      """#,
      report: #"""
        F:3:19: error: a tag without its ">" (in a.0)
            <array><string>b</str
                            ^

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
        F:2:25: error: the entity "nbsp" is not one of the five of XML (in a)
            <key>a</key><string>x &nbsp; & y &#0; &lt</string>
                                  ^
        F:2:32: error: "&" that begins no reference; the character is written "&amp;" (in a)
            <key>a</key><string>x &nbsp; & y &#0; &lt</string>
                                         ^
        F:2:36: error: a reference to no character that XML allows (in a)
            <key>a</key><string>x &nbsp; & y &#0; &lt</string>
                                             ^
        F:2:41: error: a reference without its ";"; the character "&" is written "&amp;" (in a)
            <key>a</key><string>x &nbsp; & y &#0; &lt</string>
                                                  ^
        F:3:25: error: "<" that begins no tag; the character is written "&lt;" (in b)
            <key>b</key><string>1 < 2 ]]> \u{1}</string>
                                  ^
        F:3:29: error: "]]>" in text; the last of these characters is written "&gt;" (in b)
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

      """#,
      report: #"""
        F:1:16: error: the value of an attribute without quotation marks
          <plist version=1.0><dict>
                         ^
        F:2:9: error: an attribute without a value
            <key a>b</key><string a="b>c</string>
                  ^
        F:2:31: error: "<" in the value of an attribute; the character is written "&lt;" (in b)
            <key a>b</key><string a="b>c</string>
                                        ^
        F:3:9: error: a tag without its ">"
            <key>d</key <true/>
                  ^

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

      """#,
      report: #"""
        F:1:17: error: a document type with an internal subset
          <!DOCTYPE plist [<!ENTITY a "b">]>
                          ^
        F:3:10: error: "--" in a comment (in 0)
            <!-- a -- b -->
                   ^
        F:4:11: error: the entity "a" is not one of the five of XML (in 0)
            <string>&a;</string>
                    ^
        F:5:3: error: a comment without its end (in 1)
            <!-- no end
            ^

        """#),
    LintCase(
      "text after the end",
      #"""
      <plist><true/></plist>
      <plist><true/></plist>

      """#,
      report: #"""
        F:2:1: error: more behind the end of the root element
          <plist><true/></plist>
          ^

        """#),
    LintCase(
      "no value",
      #"""
      <?xml version="1.0"?>
      <plist>
      </plist>

      """#,
      report: #"""
        F:2:1: error: <plist> without a value
          <plist>
          ^

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
      "an encoding that nobody knows",
      #"""
      <?xml version="1.0" encoding="x-none"?>
      <plist><foo/></plist>

      """#,
      report: #"""
        F:1:1: error: unknown encoding "x-none"
          <?xml version="1.0" encoding="x-none"?>
          ^
        F:2:8: error: unknown tag <foo>
          <plist><foo/></plist>
                 ^

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
        F:2:15: error: <integer> holds no integer of 64 bits (in 鍵)
                  <key>鍵</key>   <integer>一</integer>
                                  ^
        F:3:15: error: unknown tag <foo> (in e\#u{301})
                  <key>e\#u{301}</key><foo/>
                              ^

        """#),
  ]
}
