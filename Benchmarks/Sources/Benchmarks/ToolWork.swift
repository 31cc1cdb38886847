import Foundation
import PropertyLists

/// The work of the tool on many files and on large ones, as processes: the table of `Benchmarks tool PATH`, where PATH
/// is a release build of `plistutil`. It needs GNU `time`.
struct ToolWork {
  let tool: URL
  let folder: URL

  static let fileCount = 5000
  /// The number of tracks in a binary file of one gigabyte.
  static let trackCount = 2_450_000

  init(tool: String) throws {
    self.tool = URL(fileURLWithPath: tool)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("property-list-tool-benchmarks")
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func printTable() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    print("| work | plistutil here | a shell loop over libplist's plistutil |\n|---|---|---|")
    try printManyFiles()
    try printLargeFile()
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func printManyFiles() throws {
    try FileManager.default.createDirectory(atPath: path("src"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: path("theirs"), withIntermediateDirectories: true)
    for number in 0..<Self.fileCount {
      let value: PropertyList = [
        "CFBundleIdentifier": .string("com.example.app\(number)"), "CFBundleVersion": .string("\(number % 97)"),
        "LSRequiresIPhoneOS": .boolean(number % 2 == 0), "Size": .integer(.init(number * 7919)),
        "Icons": .array((0..<10).map { ["name": .string("icon-\($0)"), "scale": .integer(.init($0 % 3 + 1))] }),
      ]
      try value.write(to: URL(fileURLWithPath: path("src/\(number).plist")), format: .xml)
    }
    let loop = "cd '\(folder.path)/src' && for file in *.plist; do /usr/bin/plistutil -i $file -o ../theirs/$file; done"
    var ours = Double.infinity
    var theirs = Double.infinity
    for _ in 0..<3 {
      try? FileManager.default.removeItem(atPath: path("ours"))
      ours = min(ours, try run(tool.path, ["convert", "-r", path("src"), "--outfolder", path("ours")]).seconds)
      if FileManager.default.isExecutableFile(atPath: "/usr/bin/plistutil") {
        theirs = min(theirs, try run("/bin/sh", ["-c", loop]).seconds)
      }
    }
    let count = try FileManager.default.contentsOfDirectory(atPath: path("ours")).count
    precondition(count == Self.fileCount)
    print(
      "| convert \(count) small XML files of a folder | \(time(ours)) | "
        + (theirs.isFinite ? String(format: "%.1f × |", theirs / ours) : "– |"))
  }

  private func printLargeFile() throws {
    let binary = path("large.bplist")
    try LargeFile.write(to: binary, trackCount: Self.trackCount)
    let size = try bytes(binary)
    func row(_ name: String, _ arguments: [String], of input: Int? = nil) throws {
      var best = try run(tool.path, arguments)
      for _ in 0..<2 where best.seconds < 1 {
        let again = try run(tool.path, arguments)
        if again.seconds < best.seconds { best = again }
      }
      let share = input.map { String(format: ", %.2f × its size", Double(best.peakMemory) / Double($0)) } ?? ""
      print("| \(name) | \(time(best.seconds)), \(megabytes(best.peakMemory))\(share) | – |")
    }
    try row(
      "one string out of a binary file of \(megabytes(size))", ["get", "Tracks.\(Self.trackCount / 2).Name", binary])
    try row("one dictionary out of it", ["get", "Tracks.\(Self.trackCount / 2)", binary])
    try row("convert it to XML", ["convert", "-f", "xml", binary, "-o", path("large.xml")], of: size)
    let xmlSize = try bytes(path("large.xml"))
    try row(
      "convert the XML, \(megabytes(xmlSize)), to binary",
      ["convert", "-f", "binary", path("large.xml"), "-o", path("again.bplist")], of: xmlSize)
  }

  private func bytes(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  /// Runs a program to its end, as a child of GNU `time`. The system's peak includes the memory that a process had
  /// before it executed the program; GNU `time` has little.
  private func run(_ path: String, _ arguments: [String]) throws -> (seconds: Double, peakMemory: Int) {
    let figures = self.path("figures")
    let command = ["/usr/bin/time", "-q", "-f", "%M", "-o", figures, path] + arguments
    var pointers: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var (process, status): (pid_t, CInt) = (0, 0)
    // Foundation's `Process` detects the exit with a delay.
    let start = ContinuousClock.now
    guard posix_spawn(&process, command[0], &actions, nil, &pointers, environ) == 0 else {
      throw CocoaError(.executableNotLoadable)
    }
    waitpid(process, &status, 0)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    guard status == 0,
      let kilobytes = Int(try String(contentsOfFile: figures, encoding: .utf8).trimmingCharacters(in: .newlines))
    else { throw CocoaError(.fileReadUnknown, userInfo: ["arguments": arguments]) }
    return (seconds, kilobytes * 1024)
  }
}
