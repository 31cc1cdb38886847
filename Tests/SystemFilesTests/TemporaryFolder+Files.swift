import Foundation
import SystemFiles
import TestSupport

extension TemporaryFolder {
  /// Creates a file with a text, and returns its path.
  @discardableResult
  func make(_ name: String, _ text: String = "old", mode: mode_t = 0o644) throws -> String {
    try write(text, to: path(name), O_CREAT | O_TRUNC)
    try succeed(chmod(path(name), mode))
    return path(name)
  }

  /// Creates a folder, and returns its path.
  @discardableResult
  func makeFolder(_ name: String, mode: mode_t = 0o755) throws -> String {
    try succeed(mkdir(path(name), 0o700))
    try succeed(chmod(path(name), mode))
    return path(name)
  }

  /// Creates a symbolic link, and returns its path.
  ///
  /// - Parameter owner: The user ID of the owner, which only root can change.
  @discardableResult
  func link(_ name: String, to target: String, owner: uid_t? = nil) throws -> String {
    try succeed(symlink(target, path(name)))
    if let owner { try succeed(lchown(path(name), owner, owner)) }
    return path(name)
  }

  /// Creates a pipe with a name, and returns its path.
  @discardableResult
  func makePipe(_ name: String) throws -> String {
    try succeed(mkfifo(path(name), 0o600))
    return path(name)
  }

  /// The text of a file, or nil if it cannot be read.
  func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }

  /// The status of a file or a link, which is not followed.
  func status(_ name: String) throws -> stat {
    var status = stat()
    try succeed(lstat(path(name), &status))
    return status
  }

  /// The permission bits of a file, with the set-user-ID, set-group-ID and sticky bits.
  func mode(_ name: String) throws -> mode_t { try status(name).st_mode & 0o7777 }

  /// Returns bytes that differ from those of the blocks before and after them.
  static func bytes(_ count: Int) -> Data {
    // The length of the pattern is a prime number, so it is not aligned with any block.
    let pattern = Data((0..<997).map { UInt8(truncatingIfNeeded: $0 / 7 + $0) })
    var data = Data()
    while data.count < count { data += pattern }
    return data.prefix(count)
  }

}

/// Throws the error of a system call that has failed.
func succeed(_ result: Int32) throws {
  if result < 0 { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
}

/// The system's text for an error code.
func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

/// Locks a file for a moment. Returns false if it is locked already.
func canLock(_ path: String) throws -> Bool {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  try succeed(descriptor)
  defer { close(descriptor) }
  return flock(descriptor, LOCK_EX | LOCK_NB) == 0
}

/// Writes a text over the contents of a file, which remains the same file.
func overwrite(_ path: String, _ text: String) throws { try write(text, to: path, O_TRUNC) }

/// Replaces a file by another one, as programs do that save files atomically.
func supersede(_ path: String, _ text: String) throws {
  try write(text, to: path + ".other", O_CREAT | O_EXCL)
  try succeed(rename(path + ".other", path))
}

/// Writes a file without syncing it, which would take most of the time of a test.
private func write(_ text: String, to path: String, _ flags: Int32) throws {
  let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
  try succeed(descriptor)
  defer { close(descriptor) }
  let bytes = Array(text.utf8)
  try succeed(Int32(write(descriptor, bytes, bytes.count)))
}
