extension LintCase {
  /// Defects of JSON, and the output of `lint`.
  static let json: [LintCase] = [
    LintCase(
      "commas",
      #"""
      {
        "a": [1 2,, 3,],
        "b": 1
        "c": 2,
      }
      --
      2:11: expected "," or "]", found "2" (in a.1)
      2:13: expected a value, found "," (in a.2)
      2:17: expected a value, found "]"; JSON does not allow a comma before it (in a.3)
      4:3: expected "," or "}", found a quotation mark
      5:1: expected a key, found "}"; JSON does not allow a comma before it
      """#),
    LintCase(
      "colons",
      #"""
      {"a" 1, "b" = 2, "c"}
      --
      1:6: expected ":", found "1" (in a)
      1:13: expected ":", found "=" (in b)
      1:21: expected ":", found "}" (in c)
      """#),
    LintCase(
      "keys that are not strings",
      #"""
      {a: 1, 2: 3, 'b': 4}
      --
      1:2: expected a key or "}", found "a"
      1:8: expected a key, found "2"
      1:14: expected a key, found "'"; JSON strings need double quotation marks
      """#),
    LintCase(
      "invalid values",
      #"""
      [True, None, 'a', undefined, +1, .5,
       0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]
      --
      1:2: expected a value or "]", found "True" (in 0)
      1:8: expected a value, found "None" (in 1)
      1:14: expected a value, found "'"; JSON strings need double quotation marks (in 2)
      1:19: expected a value, found "undefined" (in 3)
      1:30: expected a value, found "+" (in 4)
      1:34: expected a value, found "." (in 5)
      2:3: expected "," or "]", found "x" (in 7)
      2:8: a number with a leading zero (in 7)
      2:14: expected a digit, found "," (in 8)
      2:18: expected a digit, found "," (in 9)
      2:21: expected a digit, found "," (in 10)
      2:23: an integer outside the ranges of Int64 and UInt64 (in 11)
      2:45: a number too large for a double (in 12)
      """#),
    LintCase(
      "comments",
      #"""
      {
        // one
        "a": /* two */ 1 # three
      }
      --
      2:3: expected a key or "}", found "/"; JSON has no comments
      3:8: expected a value, found "/"; JSON has no comments (in a)
      3:20: expected "," or "}", found "#"; JSON has no comments
      """#),
    LintCase(
      "duplicate keys",
      #"""
      {"a": 1, "b": 2, "a": 3, "\u0061": 4}
      --
      1:18: duplicate key "a"
      1:26: duplicate key "a"
      """#),
    LintCase(
      "strings",
      #"""
      ["a\#tb", "\x \u12 \ud83d", "c
      , "d"]
      """#,
      report: #"""
        F:1:4: error: the control character U+0009 in a string must be escaped (in 0)
          ["a     b", "\x \u12 \ud83d", "c
             ^
        F:1:10: error: unknown escape "\x" in a string (in 1)
          ["a     b", "\x \u12 \ud83d", "c
                       ^
        F:1:13: error: an escape "\u" without four hexadecimal digits (in 1)
          ["a     b", "\x \u12 \ud83d", "c
                          ^
        F:1:18: error: an unpaired UTF-16 surrogate in a string (in 1)
          ["a     b", "\x \u12 \ud83d", "c
                               ^
        F:1:29: error: the control character U+000A in a string must be escaped (in 2)
          ["a     b", "\x \u12 \ud83d", "c
                                          ^
        """#),
    LintCase(
      "wrong brackets",
      #"""
      {"a": [1, 2}, "b": {"c": 3], "d": [4, "e": 5]}
      --
      1:12: expected "," or "]", found "}" (in a.2)
      1:27: expected "," or "}", found "]" (in b)
      1:42: expected "," or "]", found ":" (in d.2)
      """#),
    LintCase(
      "a truncated text", endsLine: false,
      #"""
      {"a": [1, {"b": 
      --
      1:17: expected a value, found the end of the text; the "{" at 1:11 is not closed (in a.1.b)
      """#),
    LintCase(
      "a number without a digit before a comment, and a duplicate key",
      #"""
      {"a": -#x
      , "b": 1, "b": 2, "c": -}
      --
      1:8: expected a digit, found "#"; JSON has no comments (in a)
      2:11: duplicate key "b"
      2:25: expected a digit, found "}" (in c)
      """#),
    LintCase(
      "text after the value",
      #"""
      {} {}
      --
      1:4: expected the end of the text, found "{"
      """#),
    LintCase(
      "bytes that are no UTF-8", isLatin1: true,
      #"""
      {"ä": 1,
       "ö": nul}
      """#,
      report: #"""
        F:1:3: error: not UTF-8
          {"\#u{fffd}": 1,
            ^
        F:2:3: error: not UTF-8
           "\#u{fffd}": nul}
            ^
        F:2:7: error: expected a value, found "nul" (in _)
           "\#u{fffd}": nul}
                ^
        """#),
    LintCase(
      "no text",
      #"""
         
      """#,
      report: #"""
        F:2:1: error: expected a value, found the end of the text

          ^
        """#),
  ]
}
