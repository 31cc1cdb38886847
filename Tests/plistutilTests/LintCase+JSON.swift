extension LintCase {
  /// What is wrong with JSON, and what `lint` says of it.
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
      2:11: "2" where "," or "]" is due (in a.1)
      2:13: "," where a value is due (in a.2)
      2:17: "]" where a value is due; JSON has no comma before it (in a.3)
      4:3: a quotation mark where "," or "}" is due
      5:1: "}" where a key is due; JSON has no comma before it
      """#),
    LintCase(
      "colons",
      #"""
      {"a" 1, "b" = 2, "c"}
      --
      1:6: "1" where ":" is due (in a)
      1:13: "=" where ":" is due (in b)
      1:21: "}" where ":" is due (in c)
      """#),
    LintCase(
      "keys that are no strings",
      #"""
      {a: 1, 2: 3, 'b': 4}
      --
      1:2: "a" where a key or "}" is due
      1:8: "2" where a key is due
      1:14: "'" where a key is due; strings of JSON stand between double quotation marks
      """#),
    LintCase(
      "values that are none",
      #"""
      [True, None, 'a', undefined, +1, .5,
       0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]
      --
      1:2: "True" where a value or "]" is due (in 0)
      1:8: "None" where a value is due (in 1)
      1:14: "'" where a value is due; strings of JSON stand between double quotation marks (in 2)
      1:19: "undefined" where a value is due (in 3)
      1:30: "+" where a value is due (in 4)
      1:34: "." where a value is due (in 5)
      2:3: "x" where "," or "]" is due (in 7)
      2:8: a number with a zero before its other digits (in 7)
      2:14: "," where a digit is due (in 8)
      2:18: "," where a digit is due (in 9)
      2:21: "," where a digit is due (in 10)
      2:23: an integer outside Int64 and UInt64 (in 11)
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
      2:3: "/" where a key or "}" is due; JSON has no comments
      3:8: "/" where a value is due; JSON has no comments (in a)
      3:20: "#" where "," or "}" is due; JSON has no comments
      """#),
    LintCase(
      "keys that stand twice",
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
        F:1:4: error: the control character U+0009 in a string, not escaped (in 0)
          ["a     b", "\x \u12 \ud83d", "c
             ^
        F:1:10: error: the escape "\x", which JSON does not have (in 1)
          ["a     b", "\x \u12 \ud83d", "c
                       ^
        F:1:13: error: an escape without its four hexadecimal digits (in 1)
          ["a     b", "\x \u12 \ud83d", "c
                          ^
        F:1:18: error: a UTF-16 surrogate without its partner in a string (in 1)
          ["a     b", "\x \u12 \ud83d", "c
                               ^
        F:1:29: error: the control character U+000A in a string, not escaped (in 2)
          ["a     b", "\x \u12 \ud83d", "c
                                          ^
        """#),
    LintCase(
      "brackets that are wrong",
      #"""
      {"a": [1, 2}, "b": {"c": 3], "d": [4, "e": 5]}
      --
      1:12: "}" where "," or "]" is due (in a.2)
      1:27: "]" where "," or "}" is due (in b)
      1:42: ":" where "," or "]" is due (in d.2)
      """#),
    LintCase(
      "a text that is cut off", endsLine: false,
      #"""
      {"a": [1, {"b": 
      --
      1:17: the end of the text where a value is due; the "{" stands at 1:11 (in a.1.b)
      """#),
    LintCase(
      "a number without a digit before a comment, and a key that stands twice",
      #"""
      {"a": -#x
      , "b": 1, "b": 2, "c": -}
      --
      1:8: "#" where a digit is due; JSON has no comments (in a)
      2:11: duplicate key "b"
      2:25: "}" where a digit is due (in c)
      """#),
    LintCase(
      "more behind the value",
      #"""
      {} {}
      --
      1:4: "{" where the end of the text is due
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
        F:2:7: error: "nul" where a value is due (in _)
           "\#u{fffd}": nul}
                ^
        """#),
    LintCase(
      "nothing",
      #"""
         
      """#,
      report: #"""
        F:2:1: error: the end of the text where a value is due

          ^
        """#),
  ]
}
