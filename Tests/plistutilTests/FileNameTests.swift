#if os(Linux)
  import Foundation
  import PropertyLists
  import TestSupport
  import Testing

  @Suite("plistutil and unusual file names") struct FileNameTests {
    private let folder = TemporaryFolder()

    /// Runs a shell command in the folder, where `$N` is a name that is not UTF-8 and `plistutil` is the tool.
    private func shell(_ line: String) throws -> Program {
      let script = """
        cd "$1" && N=$(printf 'a\\377\\303b.plist') && plistutil() { "$0" "$@"; }
        \(line)
        """
      return try Program.run(
        URL(filePath: "/bin/bash"), ["-c", script, Tool.executable.path, folder.path("")],
        environment: ["XDG_CONFIG_HOME": folder.path("config")])
    }

    private static let shown = #"a\xff\xc3b.plist"#

    @Test func `a name that is not UTF-8 works for every kind of verb`() throws {
      try (["a": 1] as PropertyList).write(to: URL(filePath: folder.path("x")), format: .xml)
      #expect(try shell("mv x \"$N\" && plistutil get a \"$N\"").text == "1\n")
      let two = try shell("cp \"$N\" b.plist; plistutil get a \"$N\" b.plist")
      #expect(two.text == "\(Self.shown): 1\nb.plist: 1\n")
      for line in [
        "plistutil set b --integer 2 --in-place \"$N\" && plistutil get b \"$N\"",
        "plistutil set b --integer 2 --in-place \"$N\" b.plist && plistutil get b \"$N\"",
        "plistutil convert -f binary \"$N\" -o \"new$N\" && plistutil get b \"new$N\"",
        "plistutil plutil -extract b raw \"$N\"", "plistutil -i \"$N\" -f json -n b -o - -C",
        "plistutil plutil -replace c -integer 2 \"$N\" && plistutil plutil -extract c raw \"$N\"",
        "plistutil defaults read \"./$N\" b", "plistutil defaults write \"./$N\" d -int 2 && plistutil get d \"$N\"",
        "plistutil create \"made$N\" --json '{\"b\": 2}' && plistutil get b \"made$N\"",
        "plistutil create v.plist --value-file \"$N\" && plistutil get b v.plist",
        "mkdir out && plistutil convert -f xml --outfolder out \"$N\" && plistutil get b \"out/$N\"",
        "ln -s \"$N\" link && plistutil set e --integer 2 --in-place link && plistutil get e \"$N\" && rm link",
      ] {
        let result = try shell(line)
        #expect(result.status == 0 && result.text == "2\n", "\(line): \(result.text) \(result.errors)")
      }
      let lint = try shell("mkdir -p in/\"$N\" && cp \"$N\" in/\"$N\"/\"$N\" && plistutil lint -r in")
      #expect(lint.status == 0 && lint.text == "in/\(Self.shown)/\(Self.shown): OK (xml, 6 objects)\n")
      let json = try shell("plistutil get a --json \"$N\"")
      #expect(try PropertyList(json.output, format: .json)["file"]?.string == Self.shown)
      let missing = try shell("plistutil print \"no$N\"")
      #expect(missing.status == 1)
      #expect(missing.errors == "plistutil: error: cannot open no\(Self.shown): No such file or directory\n")
    }

    @Test func `names that only look alike are different files`() throws {
      // The last name has a character that stands for a byte inside the tool.
      for (number, name) in [#"a\377.plist"#, #"a\376.plist"#, #"a\364\217\237\277.plist"#].enumerated() {
        let file = "\"$(printf '\(name)')\""
        let read = try shell("plistutil create \(file) --json '{\"n\": \(number)}' && plistutil get n \(file)")
        #expect(read.text == "\(number)\n")
      }
      #expect(try shell("ls | wc -l").text == "3\n")
    }

    @Test func `text for a property list must be UTF-8`() throws {
      let lines = [
        "set a --string \"$N\" x", "set a --json \"\\\"$N\\\"\" x", "set \"$N\" --null x", "get \"$N\" x",
        "print -k \"$N\" x", "-n \"$N\" -i x", "plutil -insert a -string \"$N\" x", "plutil -extract \"$N\" raw x",
        "defaults write a.b k \"$N\"", "defaults write a.b \"$N\" v", "defaults read \"$N\"", "defaults find \"$N\"",
      ]
      // After the errors of each command, its exit code is printed.
      let result = try shell(lines.map { "plistutil \($0); echo \"exit code $?\" >&2" }.joined(separator: "\n"))
      #expect(result.output.isEmpty)
      let results = result.errors.matches(of: /(?s)(.*?)exit code (\d+)\n/)
      try #require(results.count == lines.count, "\(result.errors)")
      for (line, result) in zip(lines, results) {
        #expect(result.output.2 != "0" && result.output.1.contains("is not UTF-8"), "\(line): \(result.output.1)")
      }
      #expect(folder.names.isEmpty)
    }

    @Test func `a name that begins with a hyphen is a file if no such option exists`() throws {
      try (["a": 1] as PropertyList).write(to: URL(filePath: folder.path("-dash.plist")), format: .xml)
      for (line, output) in [
        ("lint -- -dash.plist", "-dash.plist: OK (xml, 2 objects)\n"),
        ("lint -dash.plist", "./-dash.plist: OK (xml, 2 objects)\n"),
        ("get a -dash.plist", "1\n"), ("get -n a -dash.plist", "1"), ("-f json -c -i -dash.plist", "{\"a\":1}\n"),
        ("plutil -lint -dash.plist", "-dash.plist: OK\n"), ("plutil -dash.plist", "-dash.plist: OK\n"),
        ("plutil -extract a raw -- -dash.plist", "1\n"), ("set a --string -dash.plist -o - -dash.plist | tail -3", ""),
      ] {
        let result = try shell("plistutil \(line)")
        #expect(result.status == 0 && result.errors.isEmpty, "\(line): \(result.errors)")
        // As a value, it is itself.
        if output.isEmpty {
          #expect(result.text.contains("<string>-dash.plist</string>"))
        } else {
          #expect(result.text == output, "\(line)")
        }
      }
      let other = try shell("plistutil lint -other.plist")
      #expect(other.status == 64 && other.errors.contains("Unknown option"))
    }
  }
#endif
