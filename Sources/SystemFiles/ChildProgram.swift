package import FoundationEssentials

/// Functions that run another program and wait until it ends.
///
/// The unsafe expressions are sound: strings end with a NUL and outlive the calls that use them, and the variables that
/// calls fill have the required size.
package enum ChildProgram {
  /// The result of a program.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)

    /// The exit code as shells report it: the code of the program, or 128 plus the number of the signal.
    package var exitCode: Int32 {
      switch self {
      case .exited(let code): code
      case .killed(let signal): 128 + signal
      }
    }
  }

  /// Runs a program with the standard input and outputs of this process. Keys that interrupt programs, such as
  /// Control-C, affect only that program.
  ///
  /// - Parameter name: A path, or the name of a program in a folder of `PATH`.
  package static func runInForeground(_ name: String, _ arguments: [String]) throws(FileError) -> End {
    let interrupt = signal(SIGINT, SIG_IGN)
    let quit = signal(SIGQUIT, SIG_IGN)
    defer {
      _ = signal(SIGINT, interrupt)
      _ = signal(SIGQUIT, quit)
    }
    return try wait(for: spawn(name, arguments, output: nil, restoresSignals: true), name)
  }

  /// Runs a program and returns its standard output.
  package static func output(_ name: String, _ arguments: [String]) throws(FileError) -> (end: End, output: Data) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw FileSystem.failure("run", name) }
    let (reading, writing) = (FileSystem.aboveStandard(ends[0]), FileSystem.aboveStandard(ends[1]))
    for descriptor in [reading, writing] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    let process: pid_t
    do { process = try spawn(name, arguments, output: writing, restoresSignals: false) } catch {
      _ = close(reading)
      _ = close(writing)
      throw error
    }
    _ = close(writing)
    let output: Result<Data, FileError>
    do { output = .success(try FileSystem.read(reading, named: name)) } catch { output = .failure(error) }
    _ = close(reading)
    let end = try wait(for: process, name)
    return (end, try output.get())
  }

  private static func spawn(
    _ name: String, _ arguments: [String], output: Int32?, restoresSignals: Bool
  ) throws(FileError) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    _ = unsafe posix_spawn_file_actions_init(&actions)
    defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
    if let output { _ = unsafe posix_spawn_file_actions_adddup2(&actions, output, 1) }
    _ = unsafe posix_spawnattr_init(&attributes)
    defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
    // Threads of Dispatch block signals. A program that inherited this could not be interrupted.
    var none = sigset_t()
    _ = unsafe sigemptyset(&none)
    _ = unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var flags = POSIX_SPAWN_SETSIGMASK
    if restoresSignals {
      var signals = sigset_t()
      _ = unsafe sigemptyset(&signals)
      for number in [SIGINT, SIGQUIT] { _ = unsafe sigaddset(&signals, number) }
      _ = unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
      flags |= POSIX_SPAWN_SETSIGDEF
    }
    _ = unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    // Arguments can be file names with bytes that are not UTF-8.
    var texts = unsafe ([name] + arguments).map { unsafe strdup(FileSystem.systemPath($0)) } + [nil]
    defer {
      for index in unsafe texts.indices { unsafe free(texts[index]) }
    }
    var process: pid_t = 0
    let code = unsafe posix_spawnp(&process, FileSystem.systemPath(name), &actions, &attributes, &texts, environment)
    guard code == 0 else { throw FileError(code, "cannot run \(name): \(FileSystem.message(code))") }
    return process
  }

  /// The environment of this process, byte by byte.
  ///
  /// Memory-safe: the variable of the C library exists as long as the process. Swift does not allow it to be named
  /// because it is mutable, but this program does not change it.
  @unsafe
  private static var environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    unsafe dlsym(nil, "environ")?.load(as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
  }

  private static func wait(for process: pid_t, _ name: String) throws(FileError) -> End {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw FileSystem.failure("wait for", name) }
    }
    // Same as the macros of the C library, which Swift does not import.
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}
