extension LintCase {
  /// What is wrong with OpenStep, and what `lint` says of it.
  static let openStep: [LintCase] = [
    LintCase(
      "a bare word",
      #"""
      garbage <
      """#,
      report: #"""
        F:1:9: error: "<" where "=", ";" or the end of the text is due
          garbage <
                  ^

        """#),
    LintCase(
      "semicolons that are missing",
      #"""
      {
        a = 1
        b = two words;
        c = 3
      }

      """#,
      report: #"""
        F:3:3: error: "b" where ";" is due
            b = two words;
            ^
        F:3:11: error: "w" where ";" is due
            b = two words;
                    ^
        F:5:1: error: "}" where ";" is due
          }
          ^

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

      """#,
      report: #"""
        F:2:5: error: "1" where "=" or ";" is due (in a)
            a 1;
              ^
        F:3:7: error: ";" where a value is due (in b)
            b = ;
                ^
        F:4:5: error: ":" where "=" or ";" is due (in c)
            c : d;
              ^
        F:5:3: error: "=" where a key or "}" is due
            = e;
            ^

        """#),
    LintCase(
      "commas that are missing or too many",
      #"""
      (a b, , c,
       @, d e)

      """#,
      report: #"""
        F:1:4: error: "b" where "," or ")" is due (in 1)
          (a b, , c,
             ^
        F:1:7: error: "," where a value or ")" is due (in 2)
          (a b, , c,
                ^
        F:2:2: error: "@" where a value or ")" is due (in 3)
           @, d e)
           ^
        F:2:7: error: "e" where "," or ")" is due (in 5)
           @, d e)
                ^

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

      """#,
      report: #"""
        F:2:12: error: "}" where "," or ")" is due (in a.2)
            a = (1, 2};
                     ^
        F:3:16: error: ")" where a key or "}" is due (in b)
            b = { c = d; );
                         ^
        F:4:9: error: ";" where "," or ")" is due (in e.1)
            e = (3;
                  ^
        F:5:10: error: ")" where a key or "}" is due
            f = 4; )
                   ^

        """#),
    LintCase(
      "keys that stand twice",
      #"""
      { a = 1; b = 2; a = 3; "\141" = 4; }

      """#,
      report: #"""
        F:1:17: error: duplicate key "a"
          { a = 1; b = 2; a = 3; "\141" = 4; }
                          ^
        F:1:24: error: duplicate key "a"
          { a = 1; b = 2; a = 3; "\141" = 4; }
                                 ^

        """#),
    LintCase(
      "a quotation mark that is missing in a strings file",
      #"""
      "a" = "b;
      "c" = "d";
      "e" = "f;

      """#,
      report: #"""
        F:2:2: error: "c" where ";" is due; the string before it begins at 1:7
          "c" = "d";
           ^
        F:3:7: error: a string without its closing quotation mark (in e)
          "e" = "f;
                ^

        """#),
    LintCase(
      "escapes",
      #"""
      a = "\400 \U \UD83D x";

      """#,
      report: #"""
        F:1:6: error: no character of NeXTSTEP has the number \400 (in a)
          a = "\400 \U \UD83D x";
               ^
        F:1:11: error: no hexadecimal digit after the escape of a character (in a)
          a = "\400 \U \UD83D x";
                    ^
        F:1:14: error: a UTF-16 surrogate without its partner in a string (in a)
          a = "\400 \U \UD83D x";
                       ^

        """#),
    LintCase(
      "characters that need quotation marks",
      #"""
      mail = foo@bar.com;
      größe = 1;

      """#,
      report: #"""
        F:1:11: error: "@" in a string without quotation marks
          mail = foo@bar.com;
                    ^
        F:2:3: error: "ö" in a string without quotation marks (in gr)
          größe = 1;
            ^

        """#),
    LintCase(
      "data",
      #"""
      (<0g>, <abc>, <[A*==]>, <*I5x>, <*D2026-01-01>)

      """#,
      report: #"""
        F:1:3: error: a hexadecimal digit without the second one of its byte (in 0)
          (<0g>, <abc>, <[A*==]>, <*I5x>, <*D2026-01-01>)
            ^
        F:1:11: error: a hexadecimal digit without the second one of its byte (in 1)
          (<0g>, <abc>, <[A*==]>, <*I5x>, <*D2026-01-01>)
                    ^
        F:1:15: error: a character that is not base64 in <[ ]> (in 2)
          (<0g>, <abc>, <[A*==]>, <*I5x>, <*D2026-01-01>)
                        ^
        F:1:25: error: no value of the types I, R, B, D, F, T, N and X: "<*I5x>" (in 3)
          (<0g>, <abc>, <[A*==]>, <*I5x>, <*D2026-01-01>)
                                  ^
        F:1:33: error: no value of the types I, R, B, D, F, T, N and X: "<*D2026-01-01>" (in 4)
          (<0g>, <abc>, <[A*==]>, <*I5x>, <*D2026-01-01>)
                                          ^

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

      """#,
      report: #"""
        F:2:1: error: a comment without its end
          /* c = d;
          ^

        """#),
    LintCase(
      "more behind the value",
      #"""
      { a = b; } c

      """#,
      report: #"""
        F:1:12: error: "c" where the end of the text is due
          { a = b; } c
                     ^

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

      """#,
      report: #"""
        F:1:7: error: ":" where "=" or ";" is due (in a)
          { "a" : "b" }
                ^

        """#),
  ]
}
