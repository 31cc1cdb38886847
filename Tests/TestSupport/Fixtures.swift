public import Foundation
import Testing

/// The golden files. `Fixtures/README.md` says where each comes from.
public enum Fixtures {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  public static func url(_ name: String) -> URL { repository.appending(path: "Fixtures").appending(path: name) }

  public static func data(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

  /// The files of a folder, which has to be there, without those of folders in it.
  public static func names(in subfolder: String) -> [String] {
    let names = try! FileManager.default.contentsOfDirectory(atPath: url(subfolder).path)
    precondition(!names.isEmpty, "no file in Fixtures/\(subfolder)")
    return names.sorted().map { "\(subfolder)/\($0)" }.filter { !isFolder($0) }
  }

  private static func isFolder(_ name: String) -> Bool {
    (try? url(name).resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
  }

  /// The files of the folder that the environment variable `PLIST_CORPUS` names, and of those below it; none without
  /// it.
  public static let corpus: [URL] = {
    guard let path = ProcessInfo.processInfo.environment["PLIST_CORPUS"] else { return [] }
    return contents(URL(filePath: path, relativeTo: repository)).filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
    }
  }()

  /// What is in a folder of `samples`, which is beside the folder that `PLIST_CORPUS` names, and below it; nothing
  /// without it.
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

/// A generator of values and of damage that gives the same in every run (Steele, Lea and Flood's SplitMix64).
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

/// A folder that is removed with the value.
public final class TemporaryFolder: Sendable {
  public let url: URL

  /// - Parameter isInMemory: whether it may be where bringing files to the disk takes no time, for tests that do it
  ///   often.
  public init(isInMemory: Bool = false) {
    let memory = "/dev/shm"
    let isThere = isInMemory && FileManager.default.isWritableFile(atPath: memory)
    let parent = isThere ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    url = parent.appending(path: "property-lists-\(UUID().uuidString)")
    do { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) } catch {
      Issue.record(error)
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  public func path(_ name: String) -> String { url.appending(path: name).path }

  /// The names of what is in it, hidden files too.
  public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}
