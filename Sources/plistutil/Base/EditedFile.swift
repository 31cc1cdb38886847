import PropertyLists
import SharedFiles
import SystemFiles
import ToolSupport

/// A file that is about to be replaced by its edited version. The lock excludes other processes of this tool, and
/// programs that save preferences in the file.
///
/// The lock is on the file itself, so no lock file remains. If a program that ignores the lock has changed the file,
/// the replacement fails.
final class EditedFile: Sendable {
  private let path: String
  private let file: LockedFile

  /// The time to wait for another process that has the file locked.
  private static let patience = Duration.seconds(60)

  /// Locks a file.
  ///
  /// - Parameter yield: called repeatedly while another process has the file locked.
  /// - Returns: nil if the file cannot be locked. Reading or writing the file then throws an error with the cause.
  /// - Throws: an error if another process keeps the file locked for a minute.
  init?(_ path: String, yield: () -> Void) throws(PropertyListError) {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      do {
        guard let file = try LockedFile(path, until: min(deadline, .now + .milliseconds(100))) else { return nil }
        self.path = path
        self.file = file
        return
      } catch {
        guard error.isLocked else { return nil }
        guard ContinuousClock.now < deadline, Signals.interruptedBy == nil else { throw PropertyListError(error) }
        yield()
      }
    }
  }

  /// Returns true if a path leads to the file.
  func isAt(_ path: String) -> Bool { path == self.path || FileSystem.isSameFile(path, self.path) }

  /// The identity of the file when it was locked, together with the lock. A replacement compares the identity to detect
  /// that another program has changed the file.
  var original: Replacements.Original { Replacements.Original(file.identity, lock: self) }

  /// Removes the file, unless it has changed since it was locked, and syncs its folder. Returns true if it was removed.
  func remove() throws(FileError) -> Bool {
    guard let location = try FileLocation(path), try location.remove(file.identity) else { return false }
    try FileSystem.synchronizeFolder(of: path)
    return true
  }

  /// The number of attempts to edit a file that other programs keep changing.
  static let greatestAttempt = 20

  /// Waits before the next attempt, for a random time that grows with the number of attempts.
  static func wait(afterAttempt attempt: Int) { usleep(.random(in: 0..<1000 * UInt32(attempt))) }
}
