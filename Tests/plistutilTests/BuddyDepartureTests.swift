import Foundation
import PropertyLists
import TestSupport
import Testing

/// Cases in which Apple's tool loses data or reports nothing, and this one does not: the table in
/// `Documentation/Tool.md`.
@Suite("Improvements over Apple's PlistBuddy") struct BuddyDepartureTests {
  static let refused = [
    // The value stays, as in Apple's tool, but the exit code shows the error.
    BuddyCase("Set :n abc", "Print :n", output: "Unrecognized Integer Format\n42\n", status: 1),
    BuddyCase("Set :r abc", "Print :r", output: "Unrecognized Real Format\n3.140000\n", status: 1),
    BuddyCase("Set :t abc", "Print :n", output: "Unrecognized Date Format\n42\n", status: 1),
    BuddyCase("Set :n 999999999999999999999", output: "Unrecognized Integer Format\n", status: 1),
    BuddyCase("Set :r 1e999", output: "Unrecognized Real Format\n", status: 1),
    BuddyCase("Add :new integer abc", output: "Unrecognized Integer Format\n", status: 1),
    BuddyCase("Clear bogus", "Print :n", output: "Unrecognized Type: bogus\n", status: 1),
    BuddyCase("Clear date", output: "Unrecognized Date Format\n", status: 1),
    // Not element 0.
    BuddyCase("Print :list:abc", errors: "Print: Entry, \":list:abc\", Does Not Exist\n"),
    BuddyCase("Delete :list:-1", errors: "Delete: Entry, \":list:-1\", Does Not Exist\n"),
    BuddyCase("Add :list:abc string z", errors: "Add: Can't Add Entry, \":list:abc\", to Parent\n"),
    BuddyCase("Add :list:-1 string z", errors: "Add: Can't Add Entry, \":list:-1\", to Parent\n"),
    BuddyCase("Merge word.plist", errors: "Merge: Can't Add string Entries to dict\n"),
    // A failing command leaves nothing.
    BuddyCase("Add :x:y:0 bogus", output: "Unrecognized Type: bogus\n", status: 1),
    BuddyCase("Delete :", errors: "Delete: Entry, \":\", Does Not Exist\n"),
    BuddyCase("Delete :dict:", errors: "Delete: Entry, \":dict:\", Does Not Exist\n"),
    BuddyCase("Settings :s x", output: "Unrecognized Command\n", status: 1),
    BuddyCase(
      arguments: ["-xc", "Print :s", "a.plist"], output: "Invalid Arguments\n\n",
      errors: "\"-xc\" is not an option; write options one by one: -x -c \"Print\"\n"),
  ]

  static let understood = [
    BuddyCase("Set :s \"it's\"", changes: #"~ s: "text" -> "it's""#),
    BuddyCase("Set :s 'a \"b\"'", changes: #"~ s: "text" -> "a \"b\"""#),
    BuddyCase("Set :s it\\'s", changes: #"~ s: "text" -> "it's""#),
    BuddyCase("Set :s a\\:b", changes: #"~ s: "text" -> "a:b""#),
    BuddyCase("Set :s a\\", changes: #"~ s: "text" -> "a\\""#),
    BuddyCase("Set :s \"\"", changes: #"~ s: "text" -> """#), BuddyCase("Add :new bool", changes: "+ new: false"),
    BuddyCase("Add :new integer", changes: "+ new: 0"), BuddyCase("Add :new data", changes: "+ new: <>"),
    BuddyCase("Print :\"\"", in: "keys.plist", output: "nothing\n"),
    BuddyCase("Delete :\"\"", in: "keys.plist", changes: #"- "": "nothing""#),
    BuddyCase("Delete :", in: "keys.plist", changes: #"- "": "nothing""#),
    BuddyCase("Add :list:5:k string v", changes: #"+ list.2: {"k": "v"}"#),
    BuddyCase("Add :new: string x", changes: #"+ new: {"": "x"}"#),
    BuddyCase(
      "Set :n 18446744073709551615", "Print :n", output: "18446744073709551615\n",
      changes: "~ n: 42 -> 18446744073709551615"),
    BuddyCase(
      "Set :t Mon Jan 01 00:00:00 UTC 2001", changes: "~ t: 2024-01-01 00:00:00 +0000 -> 2001-01-01 00:00:00 +0000"),
    BuddyCase("Set :t 2024-02-06T01:02:03Z", changes: "~ t: 2024-01-01 00:00:00 +0000 -> 2024-02-06 01:02:03 +0000"),
    BuddyCase("Set :t 1/2/2025", changes: "~ t: 2024-01-01 00:00:00 +0000 -> 2025-01-02 00:00:00 +0000"),
    BuddyCase(
      "Set :r 0.123456789012345", "Print :r", output: "0.123456789012345\n", changes: "~ r: 3.14 -> 0.123456789012345"),
    BuddyCase("Set :r 1e20", "Print :r", output: "1e+20\n", changes: "~ r: 3.14 -> 1e+20"),
    BuddyCase("Print:s", output: "text\n"), BuddyCase("=:s x", changes: #"~ s: "text" -> "x""#),
  ]

  @Test(arguments: refused + understood) func `each improvement`(_ run: BuddyCase) throws {
    let tool = try BuddyTool()
    let result = try tool(run.arguments)
    #expect(result.text == run.output)
    #expect(result.errors == run.errors)
    #expect(result.status == run.status && !result.wasKilled)
    #expect(try BuddyCase.changes(in: tool) == run.changes)
  }

  @Test func `strings of any length are printed`() throws {
    let long = String(repeating: "0123456789", count: 100_000)
    let tool = try BuddyTool()
    #expect(try tool.type("Set :s \(long)", "Print :s", "Save").text.contains("Command: \(long)\n"))
    #expect(try tool("-c", "Print :s", "a.plist").text == long + "\n")
  }

  @Test func `a 4-byte real is printed with its own digits`() throws {
    let tool = try BuddyTool()
    try PropertyList.dictionary(["f": .float(3.14)]).data(format: .binary).write(to: tool.url("f.plist"))
    #expect(try tool("-c", "Print :f", "f.plist").text == "3.140000\n")
  }

  @Test func `UIDs and null are printed, and a UID can be set`() throws {
    let tool = try BuddyTool()
    try PropertyList.dictionary(["u": .uid(.init(3)), "z": .null]).data(format: .binary).write(to: tool.url("f.plist"))
    let result = try tool("-c", "Set :u 4", "-c", "Print", "-c", "Set :z x", "f.plist")
    #expect(
      result.text == "Dict {\n    u = <CFKeyedArchiverUID>{value = 4}\n    z = <null>\n}\nUnrecognized Value Format\n")
    #expect(try tool.value("f.plist") == ["u": .uid(.init(4)), "z": .null])
  }

  @Test func `fractions of seconds that are merged into XML are dropped with a warning`() throws {
    let tool = try BuddyTool()
    let date = Date(timeIntervalSinceReferenceDate: 0.5)
    try PropertyList.dictionary(["when": .date(date)]).data(format: .binary).write(to: tool.url("f.plist"))
    let result = try tool("-c", "Merge f.plist", "-c", "Print :when", "a.plist")
    #expect(result.status == 0 && result.text == "Mon Jan 01 00:00:00 UTC 2001\n")
    #expect(result.errors.hasPrefix("PlistBuddy: warning: dates are cut to whole seconds"))
    #expect(try tool.value("a.plist")["when"] == .date(Date(timeIntervalSinceReferenceDate: 0)))
  }

  @Test(arguments: [600, 5000, 200_000]) func `an entry that is too deep is refused`(_ depth: Int) throws {
    let tool = try BuddyTool()
    let result = try tool.type("Add \(String(repeating: ":a", count: depth)) string x", "Print :n", "Save")
    #expect(result.status == 1 && !result.wasKilled && result.text.contains("Command: 42\n"))
    #expect(result.errors.contains("deep"))
    #expect(try tool.text("a.plist") == BuddyFiles.all)
  }

  @Test func `the working container stays the same when elements before it are added or removed`() throws {
    let tool = try BuddyTool([
      "a.plist": BuddyFiles.xml(
        "<array><dict><key>k</key><string>0</string></dict><dict><key>k</key><string>1</string></dict></array>")
    ])
    let result = try tool.type(
      "CD :1", "Delete :0", "Print k", "Add :0 string first", "Print k", "Copy :0 :0", "Print k", "Add :9 dict",
      "Print k",
      "Delete :2", "Print k")
    #expect(
      result.text.replacing("Command: ", with: "")
        == "1\n1\n1\n1\nWorking Container has become Invalid.  Setting to :\n")
  }

  static let dates: [(zone: String, text: String, printed: String, date: String)] = [
    ("UTC", "Mon Jan 01 00:00:00 UTC 2024", "Mon Jan 01 00:00:00 UTC 2024", "2024-01-01T00:00:00Z"),
    ("EST5EDT,M3.2.0,M11.1.0", "Mon Jan 01 00:00:00 UTC 2024", "Sun Dec 31 19:00:00 EST 2023", "2024-01-01T00:00:00Z"),
    ("EST5EDT,M3.2.0,M11.1.0", "Mon Jul 01 00:00:00 2024", "Mon Jul 01 00:00:00 EDT 2024", "2024-07-01T04:00:00Z"),
    ("EST5EDT,M3.2.0,M11.1.0", "7/1/24", "Mon Jul 01 00:00:00 EDT 2024", "2024-07-01T04:00:00Z"),
    // The same hour, twice.
    ("EST5EDT,M3.2.0,M11.1.0", "Sun Nov 03 01:30:00 EDT 2024", "Sun Nov 03 01:30:00 EDT 2024", "2024-11-03T05:30:00Z"),
    ("EST5EDT,M3.2.0,M11.1.0", "Sun Nov 03 01:30:00 EST 2024", "Sun Nov 03 01:30:00 EST 2024", "2024-11-03T06:30:00Z"),
    ("<+03>-3", "monday january 1 03:00:00 +03 2024", "Mon Jan 01 03:00:00 +03 2024", "2024-01-01T00:00:00Z"),
    ("<+03>-3", "Mon Jan 01 00:00:00 -0530 2024", "Mon Jan 01 08:30:00 +03 2024", "2024-01-01T05:30:00Z"),
    ("UTC", "1/1/69", "Wed Jan 01 00:00:00 UTC 1969", "1969-01-01T00:00:00Z"),
    ("UTC", "12/31/68", "Mon Dec 31 00:00:00 UTC 2068", "2068-12-31T00:00:00Z"),
    ("UTC", "Wed Dec 31 23:59:59 1969", "Wed Dec 31 23:59:59 UTC 1969", "1969-12-31T23:59:59Z"),
  ]

  @Test(arguments: dates) func `dates are read and printed in the local time zone`(
    _ sample: (zone: String, text: String, printed: String, date: String)
  ) throws {
    let tool = try BuddyTool(zone: sample.zone)
    // Printed values can be set.
    let result = try tool(
      "-c", "Add :new date \(sample.text)", "-c", "Print :new", "-c", "Add :set date 1/2/34", "-c",
      "Set :set \(sample.printed)", "-c", "Print :set", "a.plist")
    #expect(result.text == sample.printed + "\n" + sample.printed + "\n" && result.status == 0)
    let date = try PropertyList(Data(BuddyFiles.xml("<date>\(sample.date)</date>").utf8))
    let value = try tool.value("a.plist")
    #expect(value["new"] == date && value["set"] == date)
  }

  private static let invalidDates = [
    "tomorrow", "Mon Feb 30 00:00:00 UTC 2024", "Mon Jan 01 24:00:01 UTC 2024", "Mon Jan 01 00:00:00 PST 2024",
    "Foo Jan 01 00:00:00 UTC 2024", "Mon Foo 01 00:00:00 UTC 2024", "13/1/24", "1/32/24", "1/1", "1/1/24 x", "1/1/",
    "Mon Jan 01 00:00 UTC 2024", "Mon Jan 01 00:00:00 UTC 99999999999", "Mon Jan 01 00:00:00 +9999 2024", "///",
    "Mon Jan 01 ::: UTC 2024",
  ]

  @Test func `an invalid date is refused`() throws {
    let tool = try BuddyTool()
    let result = try tool(Self.invalidDates.flatMap { ["-c", "Set :t \($0)", "-c", "Print :t"] } + ["a.plist"])
    let refusal = "Unrecognized Date Format\nMon Jan 01 00:00:00 UTC 2024\n"
    #expect(result.text == String(repeating: refusal, count: Self.invalidDates.count))
    #expect(result.status == 1 && result.errors.isEmpty)
    #expect(try tool.text("a.plist") == BuddyFiles.all)
  }

  @Test func `dates of any year are printed`() throws {
    let tool = try BuddyTool()
    let seconds = [-1e15, -6.3e10, 0, 1e11, 1e15, 1e17, 1e300, -1e300]
    let dates = PropertyList.array(seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) })
    try dates.data(format: .binary).write(to: tool.url("f.plist"))
    let result = try tool(seconds.indices.flatMap { ["-c", "Print :\($0)"] } + ["f.plist"])
    let lines = result.text.split(separator: "\n")
    try #require(result.status == 0 && lines.count == seconds.count)
    let common = seconds.indices.filter { seconds[$0].magnitude < 1e15 }
    let commands = common.flatMap { ["-c", "Set :\($0) 1/1/01", "-c", "Set :\($0) \(lines[$0])"] }
    #expect(try tool(commands + ["f.plist"]).status == 0)
    #expect(try tool.value("f.plist") == dates)
  }
}
