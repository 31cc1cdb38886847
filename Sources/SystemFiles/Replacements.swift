private import Synchronization

/// Many files that are replaced, each in one step: what takes the time, that a file is on the disk before it has its
/// name, is waited for once for many.
///
/// The unsafe expressions are sound: paths end with a NUL.
package final class Replacements: Sendable {
  private let ready = Mutex<(files: [ReadyFile], since: ContinuousClock.Instant)>(([], .now))
  private let greatestCount: Int

  /// The file that could not be replaced, and why. It is as it was before.
  package struct Failure {
    package let path: String
    package let error: FileError
    /// Whether the edited file is not as it was when it was read.
    package var isOutdated = false
  }

  /// The file that is edited, which is not to have changed.
  package struct Original: Sendable {
    let identity: FileIdentity
    /// What is to live until the file is replaced: what keeps others from editing it.
    let lock: any AnyObject & Sendable

    package init(_ identity: FileIdentity, lock: any AnyObject & Sendable) {
      (self.identity, self.lock) = (identity, lock)
    }
  }

  /// How many locked files wait at most, each of which takes two descriptors.
  private static let greatestLockedCount = 64

  /// - Parameter greatestCount: how many files wait before they replace the others.
  package init(greatestCount: Int = 1024) { self.greatestCount = greatestCount }

  /// The longest time that a file waits if others follow it, far below the age of abandoned ones:
  /// ``FileSystem/removeAbandonedFiles(of:)``.
  private static let greatestWait = Duration.seconds(60)

  deinit { for file in ready.withLock({ $0.files }) { file.remove() } }

  /// Commits a replacement, now or when others are committed. Returns what failed of the files that waited.
  ///
  /// - Parameter original: the file, if it is not to have changed.
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

  /// Commits all that wait. They are on the disk then.
  package func finish() -> [Failure] {
    let files = ready.withLock { ready in
      defer { ready.files = [] }
      return ready.files
    }
    let unwritten = Self.synchronize(files)
    var failures: [Failure] = []
    var folders: [String: String] = [:]
    for (file, defect) in zip(files, unwritten) {
      do throws(FileError) {
        if let defect { throw defect }
        guard try file.commit() else {
          let error = FileError(EAGAIN, "cannot write \(file.path): another program changed it")
          failures.append(Failure(path: file.path, error: error, isOutdated: true))
          continue
        }
        folders[FileSystem.folderOfTarget(of: file.path)] = file.path
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

  /// Brings files to the disk. Returns for each of them why it is not there.
  private static func synchronize(_ files: [ReadyFile]) -> [FileError?] {
    #if os(Linux)
      // A file system at a time. Where it cannot do that, or says that something failed, each file is asked for.
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
      // Sound: this is its type.
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
