internal import FoundationEssentials
internal import PropertyLists
internal import Synchronization

/// Where faults go that no caller is there to hear of.
enum PreferencesFaults {
  static let handler = Mutex<@Sendable (PreferencesError) -> Void>(printed)

  /// Not to be called while something is waited for that the handler may want to use.
  static func report(_ error: PreferencesError) { handler.withLock { $0 }(error) }

  @Sendable private static func printed(_ error: PreferencesError) {
    // Nobody is left to tell if this fails.
    try? FileSystem.write(Data("preferences: \(error)\n".utf8), to: 2, named: "standard error")
  }
}

extension Preferences {
  /// Has faults told to `handler` that no caller is there to hear of: a file that cannot be read, a save in the background
  /// that failed, a value that cannot be stored.
  ///
  /// Without a handler they are printed to standard error, a line each. A fault is told once: a file that cannot be read as
  /// long as it stays the same, a save that fails until another error comes or a save succeeds. The handler is for
  /// all stores of the process, and may be called on any thread.
  public static func handleFaults(_ handler: @escaping @Sendable (PreferencesError) -> Void) {
    PreferencesFaults.handler.withLock { $0 = handler }
  }
}
