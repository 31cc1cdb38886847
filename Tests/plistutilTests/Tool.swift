import Foundation
import TestSupport

/// The tool, run as a process.
struct Tool {
  var output = Data()
  var errors = ""
  var status: Int32 = 0

  var text: String { String(decoding: output, as: UTF8.self) }

  /// Beside the test bundle, where the package manager builds both.
  static let executable: URL = {
    #if os(Linux)
      let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #else
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
    #endif
    return bundle.deletingLastPathComponent().appending(path: "plistutil")
  }()

  @discardableResult
  static func run(_ arguments: String..., input: Data = Data()) throws -> Tool { try run(arguments, input: input) }

  static func run(_ arguments: [String], input: Data = Data()) throws -> Tool {
    let folder = try TemporaryFolder()
    // Files and not pipes, which would have to be read and written at the same time.
    let names = ["in", "out", "err"].map { URL(filePath: folder.path($0)) }
    try input.write(to: names[0])
    for name in names.dropFirst() { try Data().write(to: name) }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: names[0])
    process.standardOutput = try FileHandle(forWritingTo: names[1])
    process.standardError = try FileHandle(forWritingTo: names[2])
    try process.run()
    process.waitUntilExit()
    return Tool(
      output: try Data(contentsOf: names[1]), errors: String(decoding: try Data(contentsOf: names[2]), as: UTF8.self),
      status: process.terminationStatus)
  }
}
