import Preferences
import PropertyLists
import Synchronization
import SystemFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A save during which the process is killed before one of its system calls: `crash NUMBER update|remove`.
struct Crash {
  private let number: Int
  private let isRemoval: Bool

  init(_ arguments: ArraySlice<String>) throws {
    guard arguments.count == 2, let number = arguments.first.flatMap({ Int($0) }) else { throw Usage() }
    self.number = number
    isRemoval = arguments.last == "remove"
  }

  func run(_ preferences: UserPreferences) throws {
    if isRemoval {
      // The save in the background may come first. It makes the same calls.
      preferences.removePersistentDomain(preferences.domain)
      killAtCall()
      try preferences.synchronize()
    } else {
      killAtCall()
      try preferences.update(forKey: "changed") { $0 = "new" }
    }
  }

  /// Kills the process before the call with that number.
  private func killAtCall() {
    let calls = Calls()
    FileSystem.intercept { [number] _, _ in
      if calls.count.add(1, ordering: .relaxed).newValue == number { kill(getpid(), SIGKILL) }
      return nil
    }
  }

  private final class Calls: Sendable {
    let count = Atomic(0)
  }
}
