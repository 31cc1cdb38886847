import PropertyLists
import SharedFiles
import SystemFiles
import ToolSupport

/// A file that is replaced with what is made of it. It is locked against other processes of this tool, and those that
/// save preferences in it.
///
/// The lock is on the file itself, so nothing is left beside it. Programs that do not lock it are found out when the
/// new file replaces it.
final class EditedFile: Sendable {
  private let path: String
  private let file: LockedFile

  /// How long another process may edit the file before that is an error.
  private static let patience = Duration.seconds(60)

  /// - Parameter yield: called again and again while another process has the file locked.
  /// - Returns: nil for what cannot be locked; reading or writing it says why.
  /// - Throws: an error if another process has it locked for a minute.
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

  /// Whether a path leads to the file.
  func isAt(_ path: String) -> Bool { path == self.path || FileSystem.isSameFile(path, self.path) }

  /// The file as it was when it was locked.
  var original: Replacements.Original { Replacements.Original(file.identity, lock: self) }

  /// Removes it, unless it has changed since it was locked. Returns whether that was done; it is on the disk then.
  func remove() throws(FileError) -> Bool {
    guard let location = try FileLocation(path), try location.remove(file.identity) else { return false }
    try FileSystem.synchronizeFolder(of: path)
    return true
  }

  /// How often an edit is tried if other programs change the file meanwhile.
  static let greatestAttempt = 20

  /// Waits before an edit is tried again.
  static func wait(afterAttempt attempt: Int) { usleep(.random(in: 0..<1000 * UInt32(attempt))) }
}
