extension LintCase {
  /// What is wrong with OpenStep, and what `lint` says of it.
  static let openStep: [LintCase] = [
    LintCase(
      "a bare word", endsLine: false,
      #"""
      garbage <
      --
      1:9: "<" where "=", ";" or the end of the text is due
      """#),
    LintCase(
      "semicolons that are missing",
      #"""
      {
        a = 1
        b = two words;
        c = 3
      }
      --
      3:3: "b" where ";" is due
      3:11: "w" where ";" is due
      5:1: "}" where ";" is due
      """#),
    LintCase(
      "equals signs and values that are missing",
      #"""
      {
        a 1;
        b = ;
        c : d;
        = e;
      }
      --
      2:5: "1" where "=" or ";" is due (in a)
      3:7: ";" where a value is due (in b)
      4:5: ":" where "=" or ";" is due (in c)
      5:3: "=" where a key or "}" is due
      """#),
    LintCase(
      "commas that are missing or too many",
      #"""
      (a b, , c,
       @, d e)
      --
      1:4: "b" where "," or ")" is due (in 1)
      1:7: "," where a value or ")" is due (in 2)
      2:2: "@" where a value or ")" is due (in 3)
      2:7: "e" where "," or ")" is due (in 5)
      """#),
    LintCase(
      "brackets that are wrong",
      #"""
      {
        a = (1, 2};
        b = { c = d; );
        e = (3;
        f = 4; )
      }
      --
      2:12: "}" where "," or ")" is due (in a.2)
      3:16: ")" where a key or "}" is due (in b)
      4:9: ";" where "," or ")" is due (in e.1)
      5:10: ")" where a key or "}" is due
      """#),
    LintCase(
      "keys that stand twice",
      #"""
      { a = 1; b = 2; a = 3; "\141" = 4; }
      --
      1:17: duplicate key "a"
      1:24: duplicate key "a"
      """#),
    LintCase(
      "a quotation mark that is missing in a strings file",
      #"""
      "a" = "b;
      "c" = "d";
      "e" = "f;
      --
      2:2: "c" where ";" is due; the string before it begins at 1:7
      3:7: a string without its closing quotation mark (in e)
      """#),
    LintCase(
      "escapes",
      #"""
      a = "\400 \U \UD83D x";
      --
      1:6: no character of NeXTSTEP has the number \400 (in a)
      1:11: no hexadecimal digit after the escape of a character (in a)
      1:14: a UTF-16 surrogate without its partner in a string (in a)
      """#),
    LintCase(
      "characters that need quotation marks",
      #"""
      mail = foo@bar.com;
      größe = 1;
      --
      1:11: "@" in a string without quotation marks
      2:3: "ö" in a string without quotation marks (in gr)
      """#),
    LintCase(
      "data",
      #"""
      (<0g>, <abc>, <[A*==]>, <*I5x>, <*D2026-01-01>)
      --
      1:3: a hexadecimal digit without the second one of its byte (in 0)
      1:11: a hexadecimal digit without the second one of its byte (in 1)
      1:15: a character that is not base64 in <[ ]> (in 2)
      1:25: no value of the types I, R, B, D, F, T, N and X: "<*I5x>" (in 3)
      1:33: no value of the types I, R, B, D, F, T, N and X: "<*D2026-01-01>" (in 4)
      """#),
    LintCase(
      "a text that is cut off",
      #"""
      {
        a = ( 1,
      """#,
      report: #"""
        F:3:1: error: the end of the text where a value or ")" is due; the "(" stands at 2:7 (in a.1)

          ^
        """#),
    LintCase(
      "a comment without its end",
      #"""
      a = b;
      /* c = d;
      --
      2:1: a comment without its end
      """#),
    LintCase(
      "more behind the value",
      #"""
      { a = b; } c
      --
      1:12: "c" where the end of the text is due
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
        F:3:1: error: a quotation mark where ";" is due
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
      1:7: ":" where "=" or ";" is due (in a)
      """#),
  ]
}
