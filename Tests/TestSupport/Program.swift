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
  /// - Parameters:
  ///   - environment: variables that it has in addition to those of this process, or instead of them.
  ///   - folder: its current folder; nil for that of this process.
  public static func run(
    _ name: String, _ arguments: [String], input: Data = Data(), environment: [String: String] = [:],
    in folder: URL? = nil
  ) throws -> Program {
    try run(executable(name), arguments, input: input, environment: environment, in: folder)
  }

  /// Runs the program of a file to its end.
  public static func run(
    _ executable: URL, _ arguments: [String], input: Data = Data(), environment: [String: String] = [:],
    in folder: URL? = nil
  ) throws -> Program {
    let files = TemporaryFolder()
    // Files and not pipes, which would have to be read and written at the same time.
    let names = ["in", "out", "err"].map { files.path($0) }
    try input.write(to: URL(filePath: names[0]))
    let (path, arguments) =
      folder.map { ("/usr/bin/env", ["-C", $0.path, executable.path] + arguments) } ?? (executable.path, arguments)
    let process = try spawn(
      path, arguments, ProcessInfo.processInfo.environment.merging(environment) { $1 },
      files: (names[0], names[1], names[2]))
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    let signal = status & 0x7F
    return Program(
      output: try Data(contentsOf: URL(filePath: names[1])),
      errors: String(decoding: try Data(contentsOf: URL(filePath: names[2])), as: UTF8.self),
      status: signal == 0 ? status >> 8 & 0xFF : signal, wasKilled: signal != 0)
  }
}

extension Program {
  /// Python; nil if there is none. What stands on the path may be a script that looks for it each time.
  public static let python: URL? = {
    let found = try? run(URL(filePath: "/usr/bin/env"), ["python3", "-c", "import sys; print(sys.executable)"])
    guard let found, found.status == 0 else { return nil }
    return URL(filePath: found.text.trimmingCharacters(in: .whitespacesAndNewlines))
  }()

  /// Runs Python with what it has itself, without looking for the packages of the user.
  public static func runPython(_ arguments: [String], input: Data = Data()) throws -> Program {
    guard let python else { throw CocoaError(.executableNotLoadable) }
    return try run(python, ["-S", "-E"] + arguments, input: input)
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
