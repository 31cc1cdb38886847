import Foundation
import PropertyLists
import TestSupport
import Testing

/// The documented behavior of Apple's PlistBuddy: its manual page, and what others have recorded.
@Suite("PlistBuddy") struct BuddyTests {
  static let whole = """
    Dict {
        s = text
        n = 42
        r = 3.140000
        b = true
        d = ABC
        t = Mon Jan 01 00:00:00 UTC 2024
        list = Array {
            x
            y
        }
        dict = Dict {
            k = v
        }
    }

    """

  static let printing = [
    BuddyCase("Print", output: whole), BuddyCase("Print :", output: whole),
    BuddyCase("Print :s", output: "text\n"), BuddyCase("Print s", output: "text\n"),
    BuddyCase("print :n", output: "42\n"), BuddyCase("PRINT :r", output: "3.140000\n"),
    BuddyCase("Print :b", output: "true\n"), BuddyCase("Print :d", output: "ABC\n"),
    BuddyCase("Print :t", output: "Mon Jan 01 00:00:00 UTC 2024\n"),
    BuddyCase("ls :list", output: "Array {\n    x\n    y\n}\n"),
    BuddyCase("Print :dict", output: "Dict {\n    k = v\n}\n"), BuddyCase("Print :dict:k", output: "v\n"),
    BuddyCase("Print :list:0", output: "x\n"), BuddyCase("Print :list:1", output: "y\n"),
    BuddyCase("Print :list:", output: "y\n"),
    BuddyCase("Print", in: "list.plist", output: "Array {\n    a\n    b\n}\n"),
    BuddyCase("Print :1", in: "list.plist", output: "b\n"), BuddyCase("Print", in: "word.plist", output: "text\n"),
    BuddyCase("Print", in: "empty.plist", output: "Dict {\n}\n"),
    BuddyCase("Print \":a b\"", in: "keys.plist", output: "blank\n"),
    BuddyCase("Print :'a b'", in: "keys.plist", output: "blank\n"),
    BuddyCase("Print :a\\:b", in: "keys.plist", output: "colon\n"),
    BuddyCase("Print :0", in: "keys.plist", output: "digit\n"),
    BuddyCase("Print :s :n", output: "text\n"),
    BuddyCase("Print :s", "Print :n", output: "text\n42\n"),
    BuddyCase("Print :none", errors: "Print: Entry, \":none\", Does Not Exist\n"),
    BuddyCase("Print none", errors: "Print: Entry, \"none\", Does Not Exist\n"),
    BuddyCase("Print :list:2", errors: "Print: Entry, \":list:2\", Does Not Exist\n"),
    BuddyCase("Print :dict:k:x", errors: "Print: Entry, \":dict:k:x\", Does Not Exist\n"),
    BuddyCase("Print :a b", in: "keys.plist", errors: "Print: Entry, \":a\", Does Not Exist\n"),
    BuddyCase(
      "Print :s", "Print :none", "Print :n", output: "text\n42\n",
      errors: "Print: Entry, \":none\", Does Not Exist\n"),
    BuddyCase(
      arguments: ["-x", "-c", "Print :list", "a.plist"],
      output: BuddyFiles.xml("<array>\n\t<string>x</string>\n\t<string>y</string>\n</array>")),
    BuddyCase(arguments: ["-c", "Print :s", "-x", "a.plist"], output: BuddyFiles.xml("<string>text</string>")),
    BuddyCase(arguments: ["a.plist", "-c", "Print :s"], output: "text\n"),
    BuddyCase(arguments: ["-l", "-c", "Print :s", "a.plist"], output: "text\n"),
  ]

  static let setting = [
    BuddyCase("Set :s new", changes: #"~ s: "text" -> "new""#),
    BuddyCase("= :s new", changes: #"~ s: "text" -> "new""#), BuddyCase("set s new", changes: #"~ s: "text" -> "new""#),
    BuddyCase("Set :s hello big  world", changes: #"~ s: "text" -> "hello big  world""#),
    BuddyCase("Set :s \"hello world\"", changes: #"~ s: "text" -> "hello world""#),
    BuddyCase("Set :s 'hello world'", changes: #"~ s: "text" -> "hello world""#),
    BuddyCase("Set :s a\\nb\\tc\\\\d", "Print :s", output: "a\nb\tc\\d\n", changes: #"~ s: "text" -> "a\nb\tc\\d""#),
    BuddyCase("Set :s https://example.com:80/?a=b&c", changes: #"~ s: "text" -> "https://example.com:80/?a=b&c""#),
    BuddyCase("Set :s 42", changes: #"~ s: "text" -> "42""#), BuddyCase("Set :n 43", changes: "~ n: 42 -> 43"),
    BuddyCase("Set :n 3.14", changes: "~ n: 42 -> 3"), BuddyCase("Set :r 1.5e2", changes: "~ r: 3.14 -> 150.0"),
    BuddyCase("Set :b NO", changes: "~ b: true -> false"), BuddyCase("Set :b on", changes: "~ b: true -> false"),
    BuddyCase("Set :d xyz", changes: "~ d: <414243> -> <78797a>"),
    BuddyCase(
      "Set :t Tue Feb 06 01:02:03 UTC 2024", changes: "~ t: 2024-01-01 00:00:00 +0000 -> 2024-02-06 01:02:03 +0000"),
    BuddyCase("Set :list:1 z", changes: #"~ list.1: "y" -> "z""#),
    BuddyCase("Set :dict:k w", changes: #"~ dict.k: "v" -> "w""#),
    BuddyCase("Set :0 c", in: "list.plist", changes: #"~ 0: "a" -> "c""#),
    BuddyCase("Set : new", in: "word.plist", changes: #"~ the root: "text" -> "new""#),
    BuddyCase("Set :n 1", "Set :n 2", "Set :n 3", changes: "~ n: 42 -> 3"),
    BuddyCase("Set :n 42"),
    BuddyCase("Set :none x", errors: "Set: Entry, \":none\", Does Not Exist\n"),
    BuddyCase("Set :s:x y", errors: "Set: Entry, \":s:x\", Does Not Exist\n"),
    BuddyCase("Set :dict x", errors: "Set: Cannot Perform Set On Containers\n"),
    BuddyCase("Set :list x", errors: "Set: Cannot Perform Set On Containers\n"),
    BuddyCase(
      "Set :n 1", "Set :none x", "Set :s y", errors: "Set: Entry, \":none\", Does Not Exist\n",
      changes: #"~ s: "text" -> "y""#, "~ n: 42 -> 1"),
  ]

  static let adding = [
    BuddyCase("Add :new string hello", changes: #"+ new: "hello""#),
    BuddyCase("+ :new string hello", changes: #"+ new: "hello""#),
    BuddyCase("Add :new string \"a b\"", changes: #"+ new: "a b""#),
    BuddyCase("Add :new STRING a b", changes: #"+ new: "a b""#), BuddyCase("Add :new string", changes: #"+ new: """#),
    BuddyCase("Add :new integer 7", changes: "+ new: 7"), BuddyCase("Add :new real 2.5", changes: "+ new: 2.5"),
    BuddyCase("Add :new bool yes", changes: "+ new: true"), BuddyCase("Add :new bool TRUE", changes: "+ new: true"),
    BuddyCase("Add :new bool 1", changes: "+ new: true"), BuddyCase("Add :new bool no", changes: "+ new: false"),
    BuddyCase("Add :new date 12/31/23", changes: "+ new: 2023-12-31 00:00:00 +0000"),
    BuddyCase("Add :new date \"Mon Jan  1 00:00:00 2024\"", changes: "+ new: 2024-01-01 00:00:00 +0000"),
    BuddyCase("Add :new data AQID", changes: "+ new: <41514944>"), BuddyCase("Add :new array", changes: "+ new: []"),
    BuddyCase("Add :new dict", changes: "+ new: {}"),
    BuddyCase("Add :x:y:z string v", changes: #"+ x: {"y": {"z": "v"}}"#),
    BuddyCase("Add :dict:l string w", changes: #"+ dict.l: "w""#),
    BuddyCase("Add :list: string z", changes: #"+ list.2: "z""#),
    BuddyCase("Add :list:0 string w", changes: #"+ list.0: "w""#),
    BuddyCase("Add :list:99 string z", changes: #"+ list.2: "z""#),
    BuddyCase("Add : string c", in: "list.plist", changes: #"+ 2: "c""#),
    BuddyCase("Add :0 string c", in: "list.plist", changes: #"+ 0: "c""#),
    BuddyCase("Add :a\\:b bool true", "Print :a\\:b", output: "true\n", changes: "+ a:b: true"),
    BuddyCase("Add :: dict", in: "empty.plist", changes: #"+ "": {}"#),
    BuddyCase("Add :l array", "Add :l: string p", "Add :l: string q", changes: #"+ l: ["p", "q"]"#),
    BuddyCase("Add :s string x", errors: "Add: \":s\" Entry Already Exists\n"),
    BuddyCase("Add :dict:k string x", errors: "Add: \":dict:k\" Entry Already Exists\n"),
    BuddyCase("Add :s:x string y", errors: "Add: Can't Add Entry, \":s:x\", to Parent\n"),
    BuddyCase("Add :k string y", in: "word.plist", errors: "Add: Can't Add Entry, \":k\", to Parent\n"),
    BuddyCase("Add :s:x:y string z", errors: "Add: Entry, \":s:x:y\", Incorrectly Specified\n"),
    BuddyCase("Add :new bogus x", output: "Unrecognized Type: bogus\n", status: 1),
    BuddyCase("Add :new date", output: "Unrecognized Date Format\n", status: 1),
  ]

  static let moving = [
    BuddyCase("Copy :s :t2", changes: #"+ t2: "text""#), BuddyCase("cp :dict :e", changes: #"+ e: {"k": "v"}"#),
    BuddyCase("Copy :s :x:y", changes: #"+ x: {"y": "text"}"#),
    BuddyCase("Copy :s :list:", changes: #"+ list.2: "text""#),
    BuddyCase("Copy :none :x", errors: "Copy: Entry, \":none\", Does Not Exist\n"),
    BuddyCase("Copy :s :n", errors: "Copy: \":n\" Entry Already Exists\n"),
    BuddyCase("Delete :s", changes: #"- s: "text""#), BuddyCase("Remove :s", changes: #"- s: "text""#),
    BuddyCase("rm :s", changes: #"- s: "text""#), BuddyCase("- :s", changes: #"- s: "text""#),
    BuddyCase("Delete :list:0", changes: #"- list.0: "x""#), BuddyCase("Delete :list:", changes: #"- list.1: "y""#),
    BuddyCase("Delete :dict", changes: #"- dict: {"k": "v"}"#),
    BuddyCase("Delete :list:0 dict", changes: #"- list.0: "x""#),
    BuddyCase("Delete :none", errors: "Delete: Entry, \":none\", Does Not Exist\n"),
    BuddyCase("Clear", in: "list.plist", output: "Initializing Plist...\n", changes: #"~ the root: ["a", "b"] -> {}"#),
    BuddyCase(
      "Clear array", "Add :0 string x", "Print", in: "word.plist",
      output: "Initializing Plist...\nArray {\n    x\n}\n", changes: #"~ the root: "text" -> ["x"]"#),
    BuddyCase(
      "Merge more.plist", output: "Duplicate Entry Was Skipped: s\nDuplicate Entry Was Skipped: list\n",
      changes: "+ new: 1"),
    BuddyCase(
      "Merge -r more.plist", output: "Duplicate Entry Was Skipped: s\n", changes: "+ new: 1", #"+ list.2: "z""#),
    BuddyCase("Merge more.plist :dict", changes: #"+ dict.s: "other""#, "+ dict.new: 1", #"+ dict.list: ["z"]"#),
    BuddyCase("Merge list.plist :list", changes: #"+ list.2: "a""#, #"+ list.3: "b""#),
    BuddyCase("Merge word.plist :list", changes: #"+ list.2: "text""#),
    BuddyCase("Merge more.plist :list", errors: "Merge: Can't Add dict Entries to array\n"),
    BuddyCase("Merge list.plist", errors: "Merge: Can't Add array Entries to dict\n"),
    BuddyCase("Merge more.plist :none", errors: "Merge: \":none\" Entry Does Not Exist\n"),
    BuddyCase("Merge more.plist :s", errors: "Merge: Specified Entry Must Be a Container\n"),
    BuddyCase(
      "Merge none.plist",
      errors: "plistutil: error: cannot open none.plist: No such file or directory\n"
        + "Merge: Error Reading File: none.plist\n"),
    BuddyCase("Import :new blob", changes: "+ new: <414243>"),
    BuddyCase("Import :s blob", changes: #"~ s: "text" -> "ABC""#),
    BuddyCase("Import :n digits", changes: "~ n: 42 -> 17"),
    BuddyCase("Import :dict blob", errors: "Import: Specified Entry Must Not Be a Container\n"),
    BuddyCase(
      "Import :new none",
      errors: "plistutil: error: cannot open none: No such file or directory\nImport: Error Reading File: none\n"),
    BuddyCase("CD :dict", "Print k", "Set k w", output: "v\n", changes: #"~ dict.k: "v" -> "w""#),
    BuddyCase("CD dict", "Print :s", output: "text\n"),
    BuddyCase("CD :s", errors: "CD: Entry, \":s\", Is Not A Container\n"),
    BuddyCase("CD :none", errors: "CD: Entry, \":none\", Does Not Exist\n"),
    BuddyCase(
      "CD :dict", "Delete :dict", "Print list:0", output: "Working Container has become Invalid.  Setting to :\nx\n",
      changes: #"- dict: {"k": "v"}"#),
  ]

  static let saving = [
    BuddyCase("Save", output: "Saving...\n"), BuddyCase("Revert", output: "Reverting to last saved state...\n"),
    BuddyCase("Set :n 1", "Revert", "Print :n", output: "Reverting to last saved state...\n42\n"),
    BuddyCase(
      "Set :n 1", "Save", "Set :n 2", "Revert", "Print :n",
      output: "Saving...\nReverting to last saved state...\n1\n", changes: "~ n: 42 -> 1"),
    BuddyCase("Set :n 1", "Exit", changes: "~ n: 42 -> 1"), BuddyCase("Quit"), BuddyCase("Bye"),
    BuddyCase("Exit", "Print :n", output: "42\n"),
    BuddyCase(
      "Print", in: "new.plist", output: "File Doesn't Exist, Will Create: new.plist\nDict {\n}\n"),
    BuddyCase(
      "Add :a string x", in: "new.plist", output: "File Doesn't Exist, Will Create: new.plist\n",
      changes: #"+ a: "x""#),
    BuddyCase(
      "Clear", in: "new.plist", output: "File Doesn't Exist, Will Create: new.plist\nInitializing Plist...\n",
      changes: "+ new.plist"),
    BuddyCase(
      "Set :a x", in: "new.plist", output: "File Doesn't Exist, Will Create: new.plist\n",
      errors: "Set: Entry, \":a\", Does Not Exist\n"),
    BuddyCase(
      "Print", in: "blob", output: "Error Reading File: blob\n",
      errors: "blob: error: not a property list: expected binary, XML, OpenStep or JSON, at byte 0\n"),
  ]

  static let understanding = [
    BuddyCase("Bogus", output: "Unrecognized Command\n", status: 1),
    BuddyCase("", output: "Unrecognized Command\n", status: 1),
    BuddyCase("  Print :s", output: "Unrecognized Command\n", status: 1),
    BuddyCase("Set", output: "Entry Required for Set Command\n", status: 1),
    BuddyCase("Set :s", output: "Value Required for Set Command\n", status: 1),
    BuddyCase("Add", output: "Entry Required for Add Command\n", status: 1),
    BuddyCase("Add :new", output: "Type Required for Add Command\n", status: 1),
    BuddyCase("Copy", output: "Entry Required for Copy Command\n", status: 1),
    BuddyCase("Copy :s", output: "Two Entries Required for Copy Command\n", status: 1),
    BuddyCase("Delete", output: "Entry Required for Delete Command\n", status: 1),
    BuddyCase("CD", output: "Entry Required for CD Command\n", status: 1),
    BuddyCase("Merge", output: "File required for Merge Command\n", status: 1),
    BuddyCase("Merge -r", output: "File required for Merge Command\n", status: 1),
    BuddyCase("Import :s", output: "File required for Import Command\n", status: 1),
    BuddyCase("Set :s \"open", output: "Parse Error: Unclosed Quotes\n", status: 1),
    BuddyCase("Set :s it's", output: "Parse Error: Unclosed Quotes\n", status: 1),
    BuddyCase("Set :n 1", "Bogus", output: "Unrecognized Command\n", status: 1),
    BuddyCase(arguments: ["a.plist", "b.plist"], output: "Invalid Arguments\n\n", status: 1),
    BuddyCase(
      arguments: ["new.plist", "b.plist"],
      output: "File Doesn't Exist, Will Create: new.plist\nInvalid Arguments\n\n", status: 1),
  ]

  static let runs = printing + setting + adding + moving + saving + understanding

  @Test(arguments: LongForm.cases(runs, every: 4))
  func `each command does what it is documented to do`(_ run: BuddyCase) throws {
    let tool = try BuddyTool()
    let result = try tool(run.arguments)
    #expect(result.text == run.output)
    #expect(result.errors == run.errors)
    #expect(result.status == run.status && !result.wasKilled)
    #expect(try BuddyCase.changes(in: tool) == run.changes)
  }
}
