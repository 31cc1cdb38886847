public import Foundation
import Synchronization
import Testing

/// The golden files. `Fixtures/README.md` lists their sources.
public enum Fixtures {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  public static func url(_ name: String) -> URL { repository.appending(path: "Fixtures").appending(path: name) }

  public static func data(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

  /// Returns the files directly in a folder, which must exist.
  public static func names(in subfolder: String) -> [String] {
    let names = try! FileManager.default.contentsOfDirectory(atPath: url(subfolder).path)
    precondition(!names.isEmpty, "no file in Fixtures/\(subfolder)")
    return names.sorted().map { "\(subfolder)/\($0)" }.filter { !isFolder($0) }
  }

  private static func isFolder(_ name: String) -> Bool {
    (try? url(name).resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
  }

  /// All files in the folder given by the environment variable `PLIST_CORPUS`, including subfolders. Empty if the
  /// variable is not set.
  public static let corpus: [URL] = {
    guard let path = ProcessInfo.processInfo.environment["PLIST_CORPUS"] else { return [] }
    return contents(URL(filePath: path, relativeTo: repository)).filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
    }
  }()

  /// Returns everything in the folder `samples/name`, including subfolders. `samples` is next to the folder given by
  /// `PLIST_CORPUS`. Returns an empty array if the variable is not set.
  public static func samples(_ name: String) -> [URL] {
    guard let path = ProcessInfo.processInfo.environment["PLIST_CORPUS"] else { return [] }
    let beside = URL(filePath: path, relativeTo: repository).deletingLastPathComponent()
    return contents(beside.appending(path: "samples/\(name)"))
  }

  private static func contents(_ folder: URL) -> [URL] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])?.allObjects
    return (all as? [URL] ?? []).sorted { $0.path < $1.path }
  }
}

/// A generator for random values and damage that gives the same numbers in every run (Steele, Lea and Flood's
/// SplitMix64).
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// A folder that is removed when this object is released.
public final class TemporaryFolder: Sendable {
  public let url: URL

  /// - Parameter isInMemory: True to use a file system in memory if possible, where syncing takes no time. For tests
  ///   that sync often.
  public init(isInMemory: Bool = false) {
    let memory = "/dev/shm"
    let isThere = isInMemory && FileManager.default.isWritableFile(atPath: memory)
    let parent = isThere ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    url = parent.appending(path: "property-lists-\(UUID().uuidString)")
    do { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) } catch {
      Issue.record(error)
    }
  }

  deinit { remove() }

  private func remove() { try? FileManager.default.removeItem(at: url) }

  /// The folders to remove when the process exits, because static properties are never released.
  private static let kept: Mutex<[TemporaryFolder]> = {
    atexit { TemporaryFolder.kept.withLock { for folder in $0 { folder.remove() } } }
    return Mutex([])
  }()

  /// Returns a folder for a static property. It is removed when the process exits.
  public static func keptUntilExit() -> TemporaryFolder {
    let folder = TemporaryFolder()
    kept.withLock { $0.append(folder) }
    return folder
  }

  public func path(_ name: String) -> String { url.appending(path: name).path }

  /// The names of all items in the folder, including hidden ones.
  public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}
