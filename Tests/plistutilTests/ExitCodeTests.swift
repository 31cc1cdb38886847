import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("Exit codes and messages of plistutil") struct ExitCodeTests {
  @Test(arguments: [
    ["--unknown"], ["-f", "yaml"], ["-f"], ["-i"], ["-o"], ["-n"], ["-p"], ["stray"], ["lint", "--jobs", "0"],
    ["lint", "--unknown", "f"],
    ["-p", "a", "-i", "b"], ["-i", "a", "lint", "b"], ["-p", "a", "-f", "xml"], ["merge", "-", "-"],
    ["lint", "-", "-"], ["print", "--json", "--depth", "1", "a"], ["print", "--json", "-s", "a"],
    ["set", "a", "--value-file", "-"], ["set", "a", "--data-file", "-", "-"],
    ["merge", "--base", "-", "a", "-"], ["get", "--json", "-o", "b", "", "a"],
    ["get", "--json", "--in-place", "", "a"],
  ])
  func `every usage error is 64, with nothing on standard output`(_ arguments: [String]) throws {
    let result = try Tool.run(arguments)
    #expect(result.status == 64)
    #expect(result.output.isEmpty && !result.errors.isEmpty)
  }

  @Test(arguments: [
    ("hostile/truncated.bplist", 3, ": error: "),
    ("hostile/text", 3, ": error: not a property list: expected binary, XML, OpenStep or JSON, at byte 0"),
    ("hostile/empty", 3, ": error: the input is empty"), ("hostile/version-15.bplist", 3, ": error: version \"15\""),
    ("hostile/deep-100000.bplist", 4, ": error: containers are nested more than 512 deep"),
    ("hostile/deep-513.plist", 4, ":3:3606: error: containers are nested more than 512 deep"),
    ("hostile/self-array.bplist", 5, ": error: a container that contains itself"),
    ("hostile/expansion.bplist", 3, ": error: shared references expand"),
  ])
  func `unreadable files and their messages`(_ name: String, _ status: Int32, _ message: String) throws {
    let folder = TemporaryFolder()
    let output = folder.path("out.plist")
    try Data("what was there before".utf8).write(to: URL(filePath: output))
    let path = Fixtures.url(name).path
    let result = try Tool.run("-i", path, "-f", "xml", "-o", output)
    #expect(result.status == status)
    #expect(result.errors.hasPrefix(path + message), "\(result.errors)")
    #expect(result.errors.filter { $0 == "\n" }.count == 1)
    #expect(result.output.isEmpty)
    #expect(try Data(contentsOf: URL(filePath: output)) == Data("what was there before".utf8))
    #expect(folder.names == ["out.plist"])
    guard LongForm.isWanted || ["hostile/text", "hostile/deep-513.plist", "hostile/self-array.bplist"].contains(name)
    else { return }
    let piped = try Tool.run("-f", "xml", input: Fixtures.data(name))
    #expect(piped.status == status && piped.errors.hasPrefix("<stdin>" + message))
  }

  #if os(Linux)
    @Test(arguments: [
      ["lint", "F"], ["-v"], ["-i", "F"], ["-p", "F"], ["archive", "classes", "--swift", "A"], ["lint", "F", "F"],
      ["print", "--json", "/none"],
    ])
    func `output that cannot be written exits with 1 for every verb`(_ arguments: [String]) throws {
      let path = Fixtures.url("xml/integers.plist").path
      let archive = Fixtures.url("readme/Friends.archive").path
      let words = arguments.map { $0 == "F" ? path : $0 == "A" ? archive : $0 }
      let command = ([Tool.executable.path] + words).joined(separator: " ")
      let isShort = !LongForm.isWanted && arguments.count > 1
      for redirection in isShort ? ["> /dev/full"] : ["> /dev/full", ">&-"] {
        let result = try Program.run(URL(filePath: "/bin/sh"), ["-c", "\(command) \(redirection)"])
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("plistutil: error: cannot ") && result.errors.count { $0 == "\n" } >= 1)
      }
    }

    @Test func `a file larger than the limit is refused before it is read`() throws {
      let folder = TemporaryFolder()
      let path = folder.path("sparse")
      try Data().write(to: URL(filePath: path))
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      try handle.truncate(atOffset: 1 << 42)
      let result = try Tool.run("lint", path)
      #expect(result.status == 3 && result.errors == "\(path): error: more than 4294967296 bytes of input\n")
      // To read 4 GB takes many times as long as to start the tool.
      let start = try Tool.run("lint", Fixtures.url("xml/integers.plist").path)
      #expect(result.processorTime < start.processorTime * 10, "\(result.processorTime), \(start.processorTime)")
    }

    @Test func `/dev/stdout is standard output, and names that are not UTF-8 are exact`() throws {
      let path = Fixtures.url("xml/integers.plist").path
      #expect(try Tool.run("-i", path, "-o", "/dev/stdout").output == Tool.run("-i", path).output)
      let folder = TemporaryFolder()
      let result = try Program.run(
        URL(filePath: "/bin/sh"),
        [
          "-c",
          "cd \(folder.url.path) && \(Tool.executable.path) -i \(path) -o \"$(printf 'a\\377')\" && ls | wc -l && ls | od -c",
        ])
      #expect(result.status == 0)
      #expect(result.text.hasPrefix("1\n0000000   a 377  \\n\n"), "\(result.text)")
    }
  #endif

  @Test(arguments: [("binary/null.bplist", "XML has no null (in 0)")])
  func `a value that the format cannot hold exits with 2`(_ name: String, _ message: String) throws {
    let path = Fixtures.url(name).path
    let result = try Tool.run("-i", path)
    #expect(result.status == 2)
    #expect(result.errors == "\(path): error: \(message)\n")
  }

  @Test func `a system error exits with 1, and names the file`() throws {
    let folder = TemporaryFolder()
    let input = Fixtures.url("xml/integers.plist").path
    let missing = try Tool.run("-i", folder.path("none"))
    #expect(missing.status == 1)
    #expect(missing.errors == "plistutil: error: cannot open \(folder.path("none")): No such file or directory\n")
    let directory = try Tool.run("-i", folder.url.path)
    #expect(directory.status == 1 && directory.errors.contains("Is a directory"))
    let onDirectory = try Tool.run("-i", input, "-o", folder.url.path)
    #expect(onDirectory.status == 1 && onDirectory.errors.contains("is a folder"))
    let nowhere = try Tool.run("-i", input, "-o", folder.path("no/such/folder"))
    #expect(nowhere.status == 1 && nowhere.errors.contains(folder.path("no/such/folder")))
    #if os(Linux)
      let full = try Tool.run("-i", input, "-o", "/dev/full")
      #expect(full.status == 1 && full.errors == "plistutil: error: cannot write /dev/full: No space left on device\n")
    #endif
    let path = try Tool.run("-i", input, "-n", "7/x", "-f", "xml")
    #expect(path.status == 1 && path.errors == "\(input): error: no \"x\" in a value of kind integer (in 7)\n")
    #expect(folder.names.isEmpty)
  }

  #if canImport(Glibc)
    @Test("without libxml2, only files that need it are errors")
    func withoutLibXML2() throws {
      let folder = TemporaryFolder()
      // The loader loads these files as the libraries, and finds that they are invalid.
      for name in ["libxml2.so.2", "libxml2.so.16"] { try Data().write(to: URL(filePath: folder.path(name))) }
      let environment = ["LD_LIBRARY_PATH": folder.path("")]
      let file = folder.path("latin.plist")
      try Data("<?xml version='1.0' encoding='ISO-8859-1'?><plist><string>a</string></plist>".utf8)
        .write(to: URL(filePath: file))
      let foreign = try Program.run("plistutil", ["print", file], environment: environment)
      #expect(foreign.status == 1)
      #expect(foreign.output.isEmpty)
      #expect(foreign.errors == "plistutil: error: cannot read XML: no usable libxml2 is installed\n")
      let integers = Fixtures.url("xml/integers.plist").path
      let plain = try Program.run("plistutil", ["print", integers], environment: environment)
      #expect(plain.status == 0)
    }
  #endif
}
