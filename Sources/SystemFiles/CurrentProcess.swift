/// This process, and its surroundings.
///
/// The unsafe expressions are sound: paths end with a NUL, and what a call fills is given to it whole.
package enum CurrentProcess {
  /// The value of a variable of the environment; nil if there is none. The whole environment as a dictionary takes a
  /// small process a tenth of its time.
  package static func environmentValue(_ name: String) -> String? {
    // Sound: as for whoever else asks for it, as long as no thread changes the environment.
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// The home folder of the user: `HOME` if that is an absolute path, else what the system has for the user; nil
  /// without either.
  package static var homeFolder: String? {
    if let home = environmentValue("HOME"), home.utf8.first == UInt8(ascii: "/") { return home }
    // Not `getpwuid`, whose result the next call of any thread overwrites.
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var strings = [CChar](repeating: 0, count: 1 << 14)
    let result = unsafe getpwuid_r(getuid(), &entry, &strings, strings.count, &found)
    guard result == 0, unsafe found != nil, let home = unsafe entry.pw_dir else { return nil }
    // Sound: what it points at is in `strings`, which is alive until the text is made.
    return withExtendedLifetime(strings) { unsafe String(cString: home) }
  }
}

/// The memory that this process has from the system.
package enum SystemMemory {
  /// Gives free memory of the heap back to the system, where the C library keeps it otherwise.
  ///
  /// glibc gives memory back by itself only if it is at the end of a heap: one small block there keeps all of it. Other
  /// C libraries have no such function; nothing happens there.
  ///
  /// - Complexity: O(*n*) in the number of free blocks.
  package static func giveBackFreeMemory() { _ = trim?(0) }

  /// `malloc_trim` of `malloc.h`, which Swift's module of glibc does not have.
  private static let trim: (@convention(c) (Int) -> Int32)? = {
    // Sound: the function has this type in every glibc (malloc_trim(3)).
    unsafe dlsym(nil, "malloc_trim").map { unsafe unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }
  }()
}
