private import Synchronization

/// Replaces many files atomically. Syncing a file before it is renamed takes most of the time, so many files are synced
/// together.
///
/// The unsafe expressions are sound: paths end with a NUL.
package final class Replacements: Sendable {
  private let ready = Mutex<(files: [ReadyFile], since: ContinuousClock.Instant)>(([], .now))
  private let greatestCount: Int

  /// A file that could not be replaced, and the reason. It is unchanged.
  package struct Failure {
    package let path: String
    package let error: FileError
    /// True if the file has changed since it was read.
    package var isOutdated = false
  }

  /// The state of a file when it was read. The file must still be in this state when it is replaced.
  package struct Original: Sendable {
    let identity: FileIdentity
    /// An object that is retained until the file is replaced, such as a lock that keeps other programs from editing it.
    let lock: any AnyObject & Sendable

    package init(_ identity: FileIdentity, lock: any AnyObject & Sendable) {
      (self.identity, self.lock) = (identity, lock)
    }
  }

  /// The maximum number of locked files that wait to be replaced. Each uses two descriptors.
  private static let greatestLockedCount = 64

  /// Creates an object without replacements.
  ///
  /// - Parameter greatestCount: The maximum number of files that wait to be replaced. When it is reached, all are
  ///   committed.
  package init(greatestCount: Int = 1024) { self.greatestCount = greatestCount }

  /// The maximum time that a file waits: the next file that is added after this time commits all of them. This time is
  /// much shorter than the minimum age of the temporary files that other processes remove; see
  /// ``FileSystem/removeAbandonedFiles(of:)``.
  private static let greatestWait = Duration.seconds(60)

  deinit { for file in ready.withLock({ $0.files }) { file.remove() } }

  /// Adds a replacement. If enough files wait now, or the first one has waited long enough, commits all of them
  /// together. Returns the files that could not be replaced.
  ///
  /// - Parameter original: The file that must not have changed, or nil to replace any file.
  package func add(
    _ replacement: consuming Replacement, insteadOf original: Original? = nil
  ) throws(FileError) -> [Failure] {
    guard let file = try replacement.finish(isOnDisk: false) else { return [] }
    let waiting = file.handOver(insteadOf: original)
    let greatestCount = original == nil ? greatestCount : min(greatestCount, Self.greatestLockedCount)
    let due = ready.withLock { ready in
      if ready.files.isEmpty { ready.since = .now }
      ready.files.append(waiting)
      return ready.files.count >= greatestCount || ready.since.duration(to: .now) > Self.greatestWait
    }
    return due ? finish() : []
  }

  /// Commits all waiting files and syncs them to the disk. Returns the files that could not be replaced.
  package func finish() -> [Failure] {
    let files = ready.withLock { ready in
      defer { ready.files = [] }
      return ready.files
    }
    let unwritten = Self.synchronize(files)
    var failures: [Failure] = []
    // Strings are equal if their characters are equivalent, but different bytes are the names of different folders.
    var folders: [FileSystem.SystemPath: String] = [:]
    for (file, defect) in zip(files, unwritten) {
      do throws(FileError) {
        if let defect { throw defect }
        guard try file.commit() else {
          let error = FileError(EAGAIN, "cannot write \(file.path): another program changed it")
          failures.append(Failure(path: file.path, error: error, isOutdated: true))
          continue
        }
        folders[FileSystem.systemPath(FileSystem.folderOfTarget(of: file.path))] = file.path
      } catch {
        file.remove()
        failures.append(Failure(path: file.path, error: error))
      }
    }
    for (_, path) in folders {
      do { try FileSystem.synchronizeFolder(of: path) } catch { failures.append(Failure(path: path, error: error)) }
    }
    return failures
  }

  /// Syncs files to the disk. Returns for each file its error, or nil.
  private static func synchronize(_ files: [ReadyFile]) -> [FileError?] {
    #if os(Linux)
      // Syncs one file system at a time. If that is not supported or fails, syncs each file.
      var synchronized: [UInt64: Bool] = [:]
      return files.map { file in
        let device = file.identity.device
        if synchronized[device] == nil { synchronized[device] = synchronizeFileSystem(of: file) }
        return synchronized[device] == true ? nil : synchronize(file)
      }
    #else
      return files.map(synchronize)
    #endif
  }

  #if os(Linux)
    private static func synchronizeFileSystem(of file: ReadyFile) -> Bool {
      // Memory-safe: this is the type of the function.
      guard let syncfs = unsafe FileSystem.function("syncfs", as: (@convention(c) (Int32) -> Int32).self),
        let descriptor = try? file.open()
      else { return false }
      defer { _ = close(descriptor) }
      return FileSystem.attempt(.synchronize, file.path) { syncfs(descriptor) } == 0
    }
  #endif

  private static func synchronize(_ file: ReadyFile) -> FileError? {
    do {
      let descriptor = try file.open()
      defer { _ = close(descriptor) }
      try FileSystem.perform(.synchronize, "write", file.path) { fsync(descriptor) }
      return nil
    } catch {
      return error
    }
  }
}
