import Foundation

/// A tool whose processes are measured.
struct GrowthTool {
  let name: String
  let path: String
  /// The time limit of a run. A longer run is terminated and counts as an error.
  private static let timeLimit = Duration.seconds(60)

  init(_ name: String, in folder: URL) {
    self.name = name
    path = folder.appendingPathComponent(name).path
  }

  /// A command line: its arguments, its standard input, and its expected exit code.
  struct Command {
    var arguments: [String]
    /// The file for standard input.
    var input: URL?
    var status: Int32
    /// Environment variables that are added to those of this process.
    var environment: [String: String]

    init(_ arguments: [String], input: URL? = nil, status: Int32 = 0, environment: [String: String] = [:]) {
      self.arguments = arguments
      self.input = input
      self.status = status
      self.environment = environment
    }
  }

  /// The tool exited with an unexpected exit code.
  struct Failure: Error {
    let arguments: [String]
    let status: Int32
    let output: String
  }

  /// Returns a line of the table. The time of the same command at size 1 is subtracted, so that the start of the tool
  /// does not count.
  ///
  /// - Parameters:
  ///   - operation: The verb, and the options that distinguish the line.
  ///   - file: The file that the command changes, if any. Each run gets a copy.
  ///   - prepare: Creates the files of a size in a folder, and returns the command. The names of its output files begin
  ///     with `new-`; these files are removed before each run.
  func line(
    _ operation: String, _ shape: String, base: Int = 250, greatest: Int = GrowthLine.greatestSize,
    changing file: String? = nil,
    prepare: @escaping (_ size: Int, _ folder: URL) throws -> Command
  ) -> GrowthLine {
    GrowthLine(
      operation: "\(name) \(operation)", shape: shape, base: base, greatest: greatest, leastSeconds: 0.01
    ) { size, folder in
      let small = folder.appendingPathComponent("small")
      try FileManager.default.createDirectory(at: small, withIntermediateDirectories: true)
      let smallCommand = try prepare(1, small)
      var startUp = Double.infinity
      for _ in 0..<5 { startUp = min(startUp, try run(smallCommand, in: small, changing: file)) }
      let command = try prepare(size, folder)
      return { try run(command, in: folder, changing: file) - startUp }
    }
  }

  /// Runs a command to its end in a folder. Returns its processor time, in seconds.
  private func run(_ command: Command, in folder: URL, changing file: String?) throws -> Double {
    let fileManager = FileManager.default
    if let file {
      // The first run renames the original.
      let (changed, original) = (folder.appendingPathComponent(file), folder.appendingPathComponent("original-" + file))
      if !fileManager.fileExists(atPath: original.path) { try fileManager.moveItem(at: changed, to: original) }
      for suffix in ["", "-wal", "-shm"] { try? fileManager.removeItem(atPath: changed.path + suffix) }
      try fileManager.copyItem(at: original, to: changed)
    }
    // Removes the output of the previous run.
    for name in try fileManager.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("new-") {
      try fileManager.removeItem(at: folder.appendingPathComponent(name))
    }
    let errors = folder.appendingPathComponent("errors").path
    var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + command.arguments).map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var variables = ProcessInfo.processInfo.environment.merging(command.environment) { $1 }
    variables[GrowthTable.tunables] = nil
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for variable in environment { free(variable) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, command.input?.path ?? "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    // The process inherits the current folder. Changing it is safe, because this process does nothing else.
    guard chdir(folder.path) == 0 else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: folder.path])
    }
    var process: pid_t = 0
    guard posix_spawn(&process, path, &actions, nil, &pointers, &environment) == 0 else {
      throw CocoaError(.executableNotLoadable, userInfo: [NSFilePathErrorKey: path])
    }
    var (status, usage): (CInt, rusage) = (0, rusage())
    let begin = ContinuousClock.now
    while wait4(process, &status, WNOHANG, &usage) == 0 {
      if ContinuousClock.now - begin > Self.timeLimit { kill(process, SIGKILL) }
      usleep(500)
    }
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    guard code == command.status else {
      let output = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
      throw Failure(
        arguments: command.arguments.prefix(12).map { String($0.prefix(80)) }, status: code,
        output: String(output.prefix(500)))
    }
    return ProcessorTime.seconds(usage)
  }
}
