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

      """#,
      report: #"""
        F:2:11: error: "2" where "," or "]" is due (in a.1)
            "a": [1 2,, 3,],
                    ^
        F:2:13: error: "," where a value is due (in a.2)
            "a": [1 2,, 3,],
                      ^
        F:2:17: error: "]" where a value is due; JSON has no comma before it (in a.3)
            "a": [1 2,, 3,],
                          ^
        F:4:3: error: a quotation mark where "," or "}" is due
            "c": 2,
            ^
        F:5:1: error: "}" where a key is due; JSON has no comma before it
          }
          ^

        """#),
    LintCase(
      "colons",
      #"""
      {"a" 1, "b" = 2, "c"}

      """#,
      report: #"""
        F:1:6: error: "1" where ":" is due (in a)
          {"a" 1, "b" = 2, "c"}
               ^
        F:1:13: error: "=" where ":" is due (in b)
          {"a" 1, "b" = 2, "c"}
                      ^
        F:1:21: error: "}" where ":" is due (in c)
          {"a" 1, "b" = 2, "c"}
                              ^

        """#),
    LintCase(
      "keys that are no strings",
      #"""
      {a: 1, 2: 3, 'b': 4}

      """#,
      report: #"""
        F:1:2: error: "a" where a key or "}" is due
          {a: 1, 2: 3, 'b': 4}
           ^
        F:1:8: error: "2" where a key is due
          {a: 1, 2: 3, 'b': 4}
                 ^
        F:1:14: error: "'" where a key is due; strings of JSON stand between double quotation marks
          {a: 1, 2: 3, 'b': 4}
                       ^

        """#),
    LintCase(
      "values that are none",
      #"""
      [True, None, 'a', undefined, +1, .5,
       0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]

      """#,
      report: #"""
        F:1:2: error: "True" where a value or "]" is due (in 0)
          [True, None, 'a', undefined, +1, .5,
           ^
        F:1:8: error: "None" where a value is due (in 1)
          [True, None, 'a', undefined, +1, .5,
                 ^
        F:1:14: error: "'" where a value is due; strings of JSON stand between double quotation marks (in 2)
          [True, None, 'a', undefined, +1, .5,
                       ^
        F:1:19: error: "undefined" where a value is due (in 3)
          [True, None, 'a', undefined, +1, .5,
                            ^
        F:1:30: error: "+" where a value is due (in 4)
          [True, None, 'a', undefined, +1, .5,
                                       ^
        F:1:34: error: "." where a value is due (in 5)
          [True, None, 'a', undefined, +1, .5,
                                           ^
        F:2:3: error: "x" where "," or "]" is due (in 7)
           0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]
            ^
        F:2:8: error: a number with a zero before its other digits (in 7)
           0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]
                 ^
        F:2:14: error: "," where a digit is due (in 8)
           0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]
                       ^
        F:2:18: error: "," where a digit is due (in 9)
           0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]
                           ^
        F:2:21: error: "," where a digit is due (in 10)
           0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]
                              ^
        F:2:23: error: an integer outside Int64 and UInt64 (in 11)
           0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]
                                ^
        F:2:45: error: a number too large for a double (in 12)
           0x1F, 01, 1., 1e, -, 18446744073709551616, 1e999]
                                                      ^

        """#),
    LintCase(
      "comments",
      #"""
      {
        // one
        "a": /* two */ 1 # three
      }

      """#,
      report: #"""
        F:2:3: error: "/" where a key or "}" is due; JSON has no comments
            // one
            ^
        F:3:8: error: "/" where a value is due; JSON has no comments (in a)
            "a": /* two */ 1 # three
                 ^
        F:3:20: error: "#" where "," or "}" is due; JSON has no comments
            "a": /* two */ 1 # three
                             ^

        """#),
    LintCase(
      "keys that stand twice",
      #"""
      {"a": 1, "b": 2, "a": 3, "\u0061": 4}

      """#,
      report: #"""
        F:1:18: error: duplicate key "a"
          {"a": 1, "b": 2, "a": 3, "\u0061": 4}
                           ^
        F:1:26: error: duplicate key "a"
          {"a": 1, "b": 2, "a": 3, "\u0061": 4}
                                   ^

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

      """#,
      report: #"""
        F:1:12: error: "}" where "," or "]" is due (in a.2)
          {"a": [1, 2}, "b": {"c": 3], "d": [4, "e": 5]}
                     ^
        F:1:27: error: "]" where "," or "}" is due (in b)
          {"a": [1, 2}, "b": {"c": 3], "d": [4, "e": 5]}
                                    ^
        F:1:42: error: ":" where "," or "]" is due (in d.2)
          {"a": [1, 2}, "b": {"c": 3], "d": [4, "e": 5]}
                                                   ^

        """#),
    LintCase(
      "a text that is cut off",
      #"""
      {"a": [1, {"b": 
      """#,
      report: #"""
        F:1:17: error: the end of the text where a value is due; the "{" stands at 1:11 (in a.1.b)
          {"a": [1, {"b": 
                          ^

        """#),
    LintCase(
      "a number without a digit before a comment, and a key that stands twice",
      #"""
      {"a": -#x
      , "b": 1, "b": 2, "c": -}

      """#,
      report: #"""
        F:1:8: error: "#" where a digit is due; JSON has no comments (in a)
          {"a": -#x
                 ^
        F:2:11: error: duplicate key "b"
          , "b": 1, "b": 2, "c": -}
                    ^
        F:2:25: error: "}" where a digit is due (in c)
          , "b": 1, "b": 2, "c": -}
                                  ^

        """#),
    LintCase(
      "more behind the value",
      #"""
      {} {}

      """#,
      report: #"""
        F:1:4: error: "{" where the end of the text is due
          {} {}
             ^

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
