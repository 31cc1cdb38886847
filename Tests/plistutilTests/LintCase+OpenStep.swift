extension LintCase {
  /// Defects of OpenStep, and the output of `lint`.
  static let openStep: [LintCase] = [
    LintCase(
      "a bare word", endsLine: false,
      #"""
      garbage <
      --
      1:9: expected "=", ";" or the end of the text, found "<"
      """#),
    LintCase(
      "missing semicolons",
      #"""
      {
        a = 1
        b = two words;
        c = 3
      }
      --
      3:3: expected ";", found "b"
      3:11: expected ";", found "w"
      5:1: expected ";", found "}"
      """#),
    LintCase(
      "missing equals signs and values",
      #"""
      {
        a 1;
        b = ;
        c : d;
        = e;
      }
      --
      2:5: expected "=" or ";", found "1" (in a)
      3:7: expected a value, found ";" (in b)
      4:5: expected "=" or ";", found ":" (in c)
      5:3: expected a key or "}", found "="
      """#),
    LintCase(
      "missing and extra commas",
      #"""
      (a b, , c,
       @, d e)
      --
      1:4: expected "," or ")", found "b" (in 1)
      1:7: expected a value or ")", found "," (in 2)
      2:2: expected a value or ")", found "@" (in 3)
      2:7: expected "," or ")", found "e" (in 5)
      """#),
    LintCase(
      "wrong brackets",
      #"""
      {
        a = (1, 2};
        b = { c = d; );
        e = (3;
        f = 4; )
      }
      --
      2:12: expected "," or ")", found "}" (in a.2)
      3:16: expected a key or "}", found ")" (in b)
      4:9: expected "," or ")", found ";" (in e.1)
      5:10: expected a key or "}", found ")"
      """#),
    LintCase(
      "duplicate keys",
      #"""
      { a = 1; b = 2; a = 3; "\141" = 4; }
      --
      1:17: duplicate key "a"
      1:24: duplicate key "a"
      """#),
    LintCase(
      "a missing quotation mark in a strings file",
      #"""
      "a" = "b;
      "c" = "d";
      "e" = "f;
      --
      2:2: expected ";", found "c"; the string before it begins at 1:7
      3:7: a string without its closing quotation mark (in e)
      """#),
    LintCase(
      "escapes",
      #"""
      a = "\400 \U \UD83D x";
      --
      1:6: the NeXTSTEP encoding has no character \400 (in a)
      1:11: an escape "\U" without hexadecimal digits (in a)
      1:14: an unpaired UTF-16 surrogate in a string (in a)
      """#),
    LintCase(
      "characters that need quotation marks",
      #"""
      mail = foo@bar.com;
      größe = 1;
      --
      1:11: a string that contains "@" needs quotation marks
      2:3: a string that contains "ö" needs quotation marks (in gr)
      """#),
    LintCase(
      "data",
      #"""
      (<0g>, <abc>, <[A*==]>, <*I5x>, <*D2026-01-01>)
      --
      1:3: a byte with only one hexadecimal digit (in 0)
      1:11: a byte with only one hexadecimal digit (in 1)
      1:15: a character in <[ ]> is not base64 (in 2)
      1:25: "<*I5x>" is not a value of type I, R, B, D, F, T, N or X (in 3)
      1:33: "<*D2026-01-01>" is not a value of type I, R, B, D, F, T, N or X (in 4)
      """#),
    LintCase(
      "a truncated text",
      #"""
      {
        a = ( 1,
      """#,
      report: #"""
        F:3:1: error: expected a value or ")", found the end of the text; the "(" at 2:7 is not closed (in a.1)

          ^
        """#),
    LintCase(
      "an unterminated comment",
      #"""
      a = b;
      /* c = d;
      --
      2:1: an unterminated comment
      """#),
    LintCase(
      "text after the value",
      #"""
      { a = b; } c
      --
      1:12: expected the end of the text, found "c"
      """#),
    LintCase(
      "bytes that are no UTF-8", isLatin1: true,
      #"""
      "a" = "ä";
      "ö" = "b"
      "ü" = 1;
      """#,
      report: #"""
        F:1:8: error: not UTF-8
          "a" = "\#u{fffd}";
                 ^
        F:2:2: error: not UTF-8
          "\#u{fffd}" = "b"
           ^
        F:3:1: error: expected ";", found a quotation mark
          "\#u{fffd}" = 1;
          ^
        F:3:2: error: not UTF-8
          "\#u{fffd}" = 1;
           ^
        """#),
    LintCase(
      "JSON",
      #"""
      { "a" : "b" }
      --
      1:7: expected "=" or ";", found ":" (in a)
      """#),
  ]
}
