public import Foundation

/// A program of this package, run as a process.
public struct Program: Sendable {
  public var output = Data()
  public var errors = ""
  /// Its exit code, or the number of the signal that ended it.
  public var status: Int32 = 0
  public var wasKilled = false

  public var text: String { String(decoding: output, as: UTF8.self) }

  /// Beside the test bundle, where the package manager builds both.
  public static func executable(_ name: String) -> URL {
    #if os(Linux)
      let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #else
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
    #endif
    return bundle.deletingLastPathComponent().appending(path: name)
  }

  /// Runs a program to its end.
  ///
  /// - Parameter environment: variables that it has beside those of this process, and in their place.
  public static func run(
    _ name: String, _ arguments: [String], input: Data = Data(), environment: [String: String] = [:]
  ) throws -> Program {
    try run(executable(name), arguments, input: input, environment: environment)
  }

  /// Runs the program of a file to its end.
  public static func run(
    _ executable: URL, _ arguments: [String], input: Data = Data(), environment: [String: String] = [:]
  ) throws -> Program {
    let folder = try TemporaryFolder()
    // Files and not pipes, which would have to be read and written at the same time.
    let names = ["in", "out", "err"].map { URL(filePath: folder.path($0)) }
    try input.write(to: names[0])
    for name in names.dropFirst() { try Data().write(to: name) }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: names[0])
    process.standardOutput = try FileHandle(forWritingTo: names[1])
    process.standardError = try FileHandle(forWritingTo: names[2])
    try process.run()
    process.waitUntilExit()
    return Program(
      output: try Data(contentsOf: names[1]), errors: String(decoding: try Data(contentsOf: names[2]), as: UTF8.self),
      status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal)
  }
}

extension Program {
  /// Runs a program once for each list of arguments, all at the same time.
  public static func runAtTheSameTime(_ name: String, _ arguments: [[String]]) async throws -> [Program] {
    try await withThrowingTaskGroup(of: (Int, Program).self) { group in
      for (index, arguments) in arguments.enumerated() {
        group.addTask { (index, try await finished(name, arguments)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Runs on a thread of its own, since it waits.
  private static func finished(_ name: String, _ arguments: [String]) async throws -> Program {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try run(name, arguments) }) }
    }
  }
}
