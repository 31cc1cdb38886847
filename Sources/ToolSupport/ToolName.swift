private import Synchronization

/// The name of the tool that this process is, as messages and help have it, whatever it was called as.
package enum ToolName {
  private static let stored = Mutex("")

  /// Empty before ``begin(_:)``.
  package static var current: String { stored.withLock { $0 } }

  /// To be called first of all.
  package static func begin(_ name: String) { stored.withLock { $0 = name } }
}
