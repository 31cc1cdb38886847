private import Synchronization

/// The files that this process is writing under temporary names. A signal handler removes them with ``removeAll()``.
///
/// The handler may run at any time on any thread, so the table has a fixed size and consists of atomics. Files beyond
/// its size are not removed by the handler.
///
/// The unsafe expressions are sound: an entry is retained while it is in the table, and the handler releases none;
/// names end with a NUL.
package enum UnfinishedFiles {
  private final class Slot: Sendable { let entry = Atomic<UInt>(0) }

  private static let slots = (0..<64).map { _ in Slot() }

  /// The files of one writer.
  fileprivate final class Entry: Sendable {
    /// The folder of the names, or nil for absolute paths.
    let folder: OpenFolder?
    let names: [FileSystem.SystemPath]
    /// A folder that is removed after the files in it.
    let ownFolder: FileSystem.SystemPath?
    /// The only file that may be removed under one of the ``names``, or nil to remove any file.
    let file: File?

    init(_ folder: OpenFolder?, _ names: [FileSystem.SystemPath], ownFolder: FileSystem.SystemPath?, file: File?) {
      self.folder = folder
      self.names = names
      self.ownFolder = ownFolder
      self.file = file
    }

    func remove() {
      let descriptor = folder?.descriptor ?? AT_FDCWD
      for name in names {
        var status = stat()
        if let file {
          guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, file.matches(FileIdentity(status))
          else { continue }
        }
        _ = unsafe unlinkat(descriptor, name, 0)
      }
      if let ownFolder { _ = unsafe unlinkat(AT_FDCWD, ownFolder, AT_REMOVEDIR) }
    }
  }

  /// The file that a temporary name must refer to; if it refers to another file, it is not removed. While two files are
  /// exchanged, the name can refer to a file of another program.
  enum File {
    /// The new file, complete or not.
    case new(FileIdentity)
    /// The file that the new one has replaced. Its state must be that of the last read.
    case replaced(FileIdentity)

    func matches(_ found: FileIdentity) -> Bool {
      switch self {
      case .new(let file): file.isSameFile(as: found)
      case .replaced(let file): file == found
      }
    }
  }

  /// The registration of files. It ends with this value.
  final class Registration: Sendable {
    private let slot: Slot?
    private let bits: UInt

    fileprivate init(_ entry: Entry) {
      let reference = unsafe Unmanaged.passRetained(entry)
      bits = unsafe UInt(bitPattern: reference.toOpaque())
      slot = UnfinishedFiles.slots.first { [bits] slot in
        slot.entry.compareExchange(expected: 0, desired: bits, ordering: .acquiringAndReleasing).exchanged
      }
      if slot == nil { unsafe reference.release() }
    }

    deinit {
      guard let slot, let pointer = unsafe UnsafeRawPointer(bitPattern: bits),
        slot.entry.compareExchange(expected: bits, desired: 0, ordering: .acquiringAndReleasing).exchanged
      else { return }
      unsafe Unmanaged<Entry>.fromOpaque(pointer).release()
    }
  }

  /// Registers a file of a folder, which need not exist yet.
  ///
  /// - Parameter file: the only file that may be removed under this name; nil to remove any file.
  static func add(_ name: FileSystem.SystemPath, in folder: OpenFolder, _ file: File?) -> Registration {
    Registration(Entry(folder, [name], ownFolder: nil, file: file))
  }

  /// Registers a folder and the files that may be in it.
  static func add(folder: String, files: [String]) -> Registration {
    Registration(
      Entry(
        nil, files.map { FileSystem.systemPath("\(folder)/\($0)") }, ownFolder: FileSystem.systemPath(folder),
        file: nil))
  }

  /// Creates the table. Must be called before a signal handler may call ``removeAll()``.
  package static func prepare() { _ = slots.count }

  /// Removes all registered files. It does not allocate or lock, and may be called in a signal handler before the
  /// process ends.
  package static func removeAll() {
    for slot in slots {
      let bits = slot.entry.exchange(0, ordering: .acquiringAndReleasing)
      guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { continue }
      unsafe Unmanaged<Entry>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.remove() }
    }
  }
}
