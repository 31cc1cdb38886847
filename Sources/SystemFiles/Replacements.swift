private import Synchronization

/// Many files that are replaced, each in one step: what takes the time, that a file is on the disk before it has its
/// name, is waited for once for many.
///
/// The unsafe expressions are sound: paths end with a NUL.
package final class Replacements: Sendable {
  private let ready = Mutex<[ReadyFile]>([])
  private let greatestCount: Int

  /// What could not be put in its place, and why. The file that was there before is there still.
  package typealias Failure = (path: String, error: FileError)

  /// - Parameter greatestCount: how many files wait before they are put in their places.
  package init(greatestCount: Int = 1024) { self.greatestCount = greatestCount }

  deinit { for file in ready.withLock({ $0 }) { file.remove() } }

  /// Has a replacement take its place, now or when others do. Returns what failed of the files that waited.
  package func add(_ replacement: consuming Replacement) throws(FileError) -> [Failure] {
    guard let file = try replacement.finish(isOnDisk: false) else { return [] }
    let waiting = file.handOver()
    let due = ready.withLock { ready in
      ready.append(waiting)
      return ready.count >= greatestCount
    }
    return due ? finish() : []
  }

  /// Puts all that wait in their places. They are on the disk then.
  package func finish() -> [Failure] {
    let files = ready.withLock { ready in
      defer { ready = [] }
      return ready
    }
    let unwritten = Self.synchronize(files)
    var failures: [Failure] = []
    var folders: [String: String] = [:]
    for (file, fault) in zip(files, unwritten) {
      do throws(FileError) {
        if let fault { throw fault }
        try file.takePlace()
        folders[FileSystem.folderOfTarget(of: file.path)] = file.path
      } catch {
        file.remove()
        failures.append((file.path, error))
      }
    }
    for (_, path) in folders {
      do throws(FileError) { try FileSystem.synchronizeFolder(of: path) } catch {
        failures.append((path, error))
      }
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
    do throws(FileError) {
      let descriptor = try file.open()
      defer { _ = close(descriptor) }
      try FileSystem.perform(.synchronize, "write", file.path) { fsync(descriptor) }
      return nil
    } catch {
      return error
    }
  }
}
