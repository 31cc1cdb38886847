/// The current process and its environment.
///
/// The unsafe expressions are sound: paths end with a NUL, and the variables that calls fill have the required size.
package enum CurrentProcess {
  /// Returns the value of an environment variable, or nil if it is not set. Does not create a dictionary of the whole
  /// environment, because that would take a tenth of the time of a short process.
  package static func environmentValue(_ name: String) -> String? {
    // Memory-safe if no thread changes the environment, as for every other use of `getenv`.
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// The home folder of the user: `HOME` if that is an absolute path, else the folder from the user database, or nil if
  /// the user has none.
  package static var homeFolder: String? {
    if let home = environmentValue("HOME"), home.utf8.first == UInt8(ascii: "/") { return home }
    // Not `getpwuid`, because the next call in any thread overwrites its result.
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var strings = [CChar](repeating: 0, count: 1 << 14)
    let result = unsafe getpwuid_r(getuid(), &entry, &strings, strings.count, &found)
    guard result == 0, unsafe found != nil, let home = unsafe entry.pw_dir else { return nil }
    // Memory-safe: the pointer refers to `strings`, which is alive until the string has been created.
    return withExtendedLifetime(strings) { unsafe String(cString: home) }
  }

  /// The path of the program that this process runs; nil if it is unknown.
  package static var programPath: String? {
    #if os(Linux) || os(Android)
      var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
      let length = unsafe readlink("/proc/self/exe", &target, target.count - 1)
      return length > 0 ? FileSystem.text(Array(target.prefix(length)) + [0]) : nil
    #else
      return CommandLine.arguments.first
    #endif
  }
}

/// The memory that this process has from the system.
package enum SystemMemory {
  /// Returns free memory of the heap to the system. The C library would otherwise keep it.
  ///
  /// glibc automatically returns memory only at the end of a heap, and one small block there prevents that. Other C
  /// libraries have no function for this, so nothing happens with them.
  ///
  /// - Complexity: O(*n*) in the number of free blocks.
  package static func giveBackFreeMemory() { _ = trim?(0) }

  /// `malloc_trim` of `malloc.h`, which Swift's module of glibc lacks.
  private static let trim: (@convention(c) (Int) -> Int32)? = {
    // Memory-safe: the function has this type in every version of glibc (malloc_trim(3)).
    unsafe dlsym(nil, "malloc_trim").map { unsafe unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }
  }()
}
