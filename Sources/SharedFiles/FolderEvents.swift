#if os(Linux) || os(Android)
  // Sound: the source is made, and cancelled when nobody has it any more; all between is Dispatch's.
  @unsafe @preconcurrency package import Dispatch

  internal import SystemFiles

  /// What happens in folders, as the kernel tells it (inotify).
  package final class FolderEvents: Sendable {
    /// The number of a folder that is watched.
    package typealias Folder = Int32

    /// Something that happened.
    package enum Event: Hashable, Sendable {
      /// A file of this name came, went, or was written to.
      case changed(Folder, name: String)
      /// The folder itself, or the link, was moved, removed or unmounted.
      case gone(Folder)
      /// More happened than the kernel kept.
      case overflow
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Nil if the system has no more of these; users have a limit.
    ///
    /// - Parameter handler: called on `queue` with all that happened since the last call.
    package init?(on queue: DispatchQueue, _ handler: @escaping @Sendable ([Event]) -> Void) {
      let descriptor = FileSystem.aboveStandard(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)))
      guard descriptor >= 0 else { return nil }
      self.descriptor = descriptor
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler {
        let events = Self.read(descriptor)
        if !events.isEmpty { handler(events) }
      }
      source.setCancelHandler { _ = close(descriptor) }
      source.activate()
    }

    deinit { source.cancel() }

    /// Watches a folder; nil if it cannot be watched. Watching it again gives the same number.
    package func watch(_ path: String) -> Folder? {
      let mask =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR) | UInt32(IN_ATTRIB)
      return watch(path, mask)
    }

    /// Watches whether a folder or a symbolic link is moved or removed, not what happens in it; nil if it cannot be
    /// watched. Has the number of the folder if that is watched too.
    package func watchMoveOrRemoval(of path: String) -> Folder? {
      watch(path, UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_MASK_ADD))
    }

    private func watch(_ path: String, _ mask: UInt32) -> Folder? {
      let folder = FileSystem.attempt(.watch, path) { unsafe inotify_add_watch(descriptor, path, mask) }
      return folder >= 0 ? folder : nil
    }

    /// Ends watching a folder.
    package func forget(_ folder: Folder) { _ = inotify_rm_watch(descriptor, folder) }

    private static func read(_ descriptor: Int32) -> [Event] {
      var events: [Event] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 14)
      while true {
        // Sound: the buffer's own length is given.
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return events }
        decode(buffer.prefix(count), into: &events)
      }
    }

    /// Takes events apart: the folder's number, what happened, a cookie and the length of the name, each of 4 bytes,
    /// then the name and NULs (inotify(7)).
    private static func decode(_ bytes: ArraySlice<UInt8>, into events: inout [Event]) {
      var rest = bytes
      func word(_ index: Int) -> UInt32 {
        let start = rest.startIndex + 4 * index
        // Sound: 4 bytes, whatever their alignment.
        return unsafe rest[start..<start + 4].withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
      }
      while rest.count >= 16 {
        let folder = Int32(bitPattern: word(0))
        let mask = word(1)
        let length = Int(word(3))
        guard rest.count >= 16 + length else { return }
        let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
        if mask & UInt32(IN_Q_OVERFLOW) != 0 {
          events.append(.overflow)
        } else if mask & (UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_IGNORED) | UInt32(IN_UNMOUNT)) != 0
        {
          events.append(.gone(folder))
        } else if !name.isEmpty {
          events.append(.changed(folder, name: String(decoding: name, as: UTF8.self)))
        }
        rest = rest.dropFirst(16 + length)
      }
    }
  }

  // Under a name that the type's own function does not hide.
  private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
  }
#endif
