public import Foundation

/// A process of a program of this package that has exited.
public struct Program: Sendable {
  public var output = Data()
  public var errors = ""
  /// The exit code, or the number of the signal that killed the process.
  public var status: Int32 = 0
  public var wasKilled = false
  /// The processor time of the process and of the processes that it has waited for.
  public var processorTime = Duration.zero

  public var text: String { String(decoding: output, as: UTF8.self) }

  /// Returns the path of a program, which is in the same folder as the test bundle.
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
  ///   - environment: Variables that are added to those of this process, or replace them.
  ///   - folder: The current folder of the program; nil for that of this process.
  public static func run(
    _ name: String, _ arguments: [String], input: Data = Data(), environment: [String: String] = [:],
    in folder: URL? = nil
  ) throws -> Program {
    try run(executable(name), arguments, input: input, environment: environment, in: folder)
  }

  /// Runs an executable file to its end.
  public static func run(
    _ executable: URL, _ arguments: [String], input: Data = Data(), environment: [String: String] = [:],
    in folder: URL? = nil
  ) throws -> Program {
    let files = TemporaryFolder()
    // Files, because pipes would have to be read and written at the same time.
    let names = ["in", "out", "err"].map { files.path($0) }
    try input.write(to: URL(filePath: names[0]))
    let (path, arguments) =
      folder.map { ("/usr/bin/env", ["-C", $0.path, executable.path] + arguments) } ?? (executable.path, arguments)
    let process = try spawn(
      path, arguments, ProcessInfo.processInfo.environment.merging(environment) { $1 },
      files: (names[0], names[1], names[2]))
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) == -1, errno == EINTR {}
    let signal = status & 0x7F
    return Program(
      output: try Data(contentsOf: URL(filePath: names[1])),
      errors: String(decoding: try Data(contentsOf: URL(filePath: names[2])), as: UTF8.self),
      status: signal == 0 ? status >> 8 & 0xFF : signal, wasKilled: signal != 0,
      processorTime: usage.ru_utime.duration + usage.ru_stime.duration)
  }
}

extension timeval {
  fileprivate var duration: Duration { .seconds(Int(tv_sec)) + .microseconds(Int(tv_usec)) }
}

extension Program {
  /// The Python interpreter; nil if there is none. The program in the path can be a script that searches for the
  /// interpreter at each start.
  public static let python: URL? = {
    let found = try? run(URL(filePath: "/usr/bin/env"), ["python3", "-c", "import sys; print(sys.executable)"])
    guard let found, found.status == 0 else { return nil }
    return URL(filePath: found.text.trimmingCharacters(in: .whitespacesAndNewlines))
  }()

  /// Runs Python with only its standard library, without the user's packages.
  public static func runPython(_ arguments: [String], input: Data = Data()) throws -> Program {
    guard let python else { throw CocoaError(.executableNotLoadable) }
    return try run(python, ["-S", "-E"] + arguments, input: input)
  }
}

extension Program {
  /// Runs several processes of a program at the same time, one for each list of arguments.
  public static func runAtTheSameTime(_ name: String, _ arguments: [[String]]) async throws -> [Program] {
    try await withThrowingTaskGroup(of: (Int, Program).self) { group in
      for (index, arguments) in arguments.enumerated() {
        group.addTask { (index, try await finished(name, arguments)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Runs on a separate thread, because it blocks.
  private static func finished(_ name: String, _ arguments: [String]) async throws -> Program {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try run(name, arguments) }) }
    }
  }
}
