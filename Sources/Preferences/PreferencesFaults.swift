internal import FoundationEssentials
internal import PropertyLists
internal import Synchronization
internal import SystemFiles

/// Where faults go that no caller is there to hear of.
enum PreferencesFaults {
  private static let handler = Mutex(Handler(handle: printed))

  /// A function in a structure, since one by itself is wrapped anew, and so becomes slower, each time it is read.
  private struct Handler: Sendable {
    let handle: @Sendable (PreferencesError) -> Void
  }

  static func setHandler(_ handle: @escaping @Sendable (PreferencesError) -> Void) {
    handler.withLock { $0 = Handler(handle: handle) }
  }

  /// Not to be called while something is waited for that the handler may want to use.
  static func report(_ error: PreferencesError) { handler.withLock { $0 }.handle(error) }

  @Sendable private static func printed(_ error: PreferencesError) {
    // Nobody is left to tell if this fails.
    try? FileOutput.standardError.write(Data("preferences: \(error)\n".utf8))
  }
}

extension UserPreferences {
  /// Has faults told to `handler` that no caller is there to hear of: a file that cannot be read, a save in the
  /// background that failed, a value that cannot be stored.
  ///
  /// Without a handler they are printed to standard error, a line each. A fault is told once: a file that cannot be
  /// read as long as it stays the same, a save that fails until another error comes or a save succeeds. The handler is
  /// for all stores of the process, and may be called on any thread.
  public static func handleFaults(_ handler: @escaping @Sendable (PreferencesError) -> Void) {
    PreferencesFaults.setHandler(handler)
  }
}
