import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("Simultaneous edits with plistutil") struct ConcurrentEditTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func write(_ value: PropertyList, _ name: String, _ format: PropertyListFormat = .xml) throws {
    try value.write(to: URL(filePath: folder.path(name)), format: format)
  }

  private func value(_ name: String) throws -> PropertyList {
    try PropertyList(contentsOf: URL(filePath: folder.path(name)))
  }

  /// Runs all of them at the same time.
  private func runAll(_ calls: [[String]]) throws {
    let processes = try calls.map { try ChildProcess("plistutil", $0) }
    for process in processes { #expect(process.waitUntilExit() == .exited(0), "\(process.errors)") }
  }

  @Test(arguments: LongForm.cases([PropertyListFormat.xml, .binary, .json], every: 3))
  func `many processes that append to an array lose nothing`(_ format: PropertyListFormat) throws {
    let count = LongForm.size(20, or: 8)
    try write(["l": []], "a.plist", format)
    try runAll((0..<count).map { ["append", "l", "--integer", "\($0)", "--in-place", folder.path("a.plist")] })
    let numbers = try value("a.plist")["l"]?.array?.compactMap(\.int) ?? []
    #expect(numbers.sorted() == Array(0..<count))
    #expect(folder.names == ["a.plist"])
  }

  @Test func `different verbs lose no changes, by path, by link and in several files`() throws {
    for name in ["a.plist", "b.plist", "c.plist"] { try write(["l": []], name) }
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "a.plist")
    let names = ["a.plist", "b.plist", "c.plist"].map { folder.path($0) }
    let rounds = LongForm.size(5, or: 2)
    var calls: [[String]] = []
    for index in 0..<rounds {
      try write(["m\(index)": 1], "m\(index)")
      calls += [
        ["set", "s\(index)", "--integer", "1", "--in-place"] + names,
        ["plutil", "-insert", "u\(index)", "-integer", "1"] + names.reversed(),
        ["plutil", "-replace", "r\(index)", "-integer", "1", folder.path("link")],
        ["merge", "--in-place", folder.path("link"), folder.path("m\(index)")],
        ["convert", "-f", index % 2 == 0 ? "binary" : "xml", "--in-place"] + names,
        ["-i", names[0], "-o", names[0], "-f", index % 2 == 0 ? "bin" : "json"],
        ["defaults", "write", names[0], "d\(index)", "-int", "1"],
      ]
    }
    try runAll(calls)
    let expected = { (letters: String) in
      Set(["l"] + letters.flatMap { letter in (0..<rounds).map { "\(letter)\($0)" } })
    }
    #expect(Set(try value("a.plist").dictionary?.keys.elements ?? []) == expected("surmd"))
    for name in ["b.plist", "c.plist"] {
      #expect(Set(try value(name).dictionary?.keys.elements ?? []) == expected("su"))
    }
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link"))
    #expect(link == "a.plist")
    #expect(folder.names.count == 4 + rounds, "\(folder.names)")
  }

  @Test func `patches of several processes are all applied`() throws {
    let count = LongForm.size(8, or: 5)
    try write(["l": 1], "a.plist")
    for index in 0..<count {
      try write(.dictionary(["l": 1, "k\(index)": 1]), "n\(index)")
      let patch = try Tool.run("diff", "--patch", folder.path("a.plist"), folder.path("n\(index)"))
      try patch.output.write(to: URL(filePath: folder.path("p\(index)")))
    }
    try runAll((0..<count).map { ["patch", folder.path("p\($0)"), "--in-place", folder.path("a.plist")] })
    #expect(try value("a.plist").dictionary?.count == count + 1)
  }

  @Test func `many files that wait for locks do not block other processes`() throws {
    let half = LongForm.size(150, or: 30)
    let names = (0..<2 * half).map { "\($0).plist" }
    for name in names { try write(["l": []], name) }
    // Each lists them in another order.
    let paths = names.map { folder.path($0) }
    try runAll(
      (0..<3).map { round in
        let order = round == 1 ? paths.reversed() : round == 2 ? Array(paths[half...] + paths[..<half]) : paths
        return ["append", "l", "--integer", "\(round)", "--in-place"] + order
      } + [["set", "x", "--bool", "yes", "--in-place", paths[half], folder.url.path + "/./\(half).plist"]])
    for name in names {
      #expect(try value(name)["l"]?.array?.compactMap(\.int).sorted() == [0, 1, 2], "\(name)")
    }
    #expect(try value("\(half).plist")["x"] == true)
    #expect(folder.names.count == names.count)
  }

  #if os(Linux)
    /// Merges `b` into `a.plist` while another program changes that file after it was read, in each of the first
    /// attempts. The merge reads two pipes, and opens the second one after it has read the first.
    private func merge(attempts: Int, changes: Int, _ change: String) throws -> Program {
      try write(["a": 0], "a.plist")
      try write(["b": 1], "b")
      let script = """
        cd "$1" && mkfifo first second
        "$0" merge --in-place a.plist first second 2> errors & tool=$!
        for round in $(seq \(attempts)); do
          cat b > first
          exec 3> second
          if [ $round -le \(changes) ]; then \(change); fi
          cat b >&3; exec 3>&-
        done
        wait $tool; status=$?
        cat errors >&2; rm errors first second; exit $status
        """
      return try Program.run(
        URL(filePath: "/bin/bash"),
        ["-c", #"exec timeout 60 bash -c "$@""#, "bash", script, Tool.executable.path, folder.path("")])
    }

    @Test func `an edit is repeated if another program has changed the file`() throws {
      for change in [
        "printf '{\"a\": %d, \"c\": 2}' $round > a.plist",
        "printf '{\"a\": %d, \"c\": 2}' $round > new; mv new a.plist",
      ] {
        let result = try merge(attempts: 2, changes: 1, change)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(try value("a.plist") == ["a": 1, "c": 2, "b": 1])
      }
      #expect(folder.names == ["a.plist", "b"])
    }

    @Test func `a file that changes constantly is not edited`() throws {
      let change = "printf '{\"a\": %d, \"c\": 2}' $round > new; mv new a.plist"
      let result = try merge(attempts: 20, changes: 20, change)
      #expect(result.status == 1)
      #expect(result.errors == "plistutil: error: cannot write a.plist: other programs keep changing it\n")
      #expect(try value("a.plist") == ["a": 20, "c": 2])
    }
  #endif
}
