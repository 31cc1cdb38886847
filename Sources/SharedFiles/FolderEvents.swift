#if os(Linux) || os(Android)
  // Memory-safe: the observer cancels its source when it is released. Dispatch does everything else.
  @unsafe @preconcurrency package import Dispatch

  internal import SystemFiles

  /// An observer of folders, which gets the events that the kernel reports (inotify).
  package final class FolderEvents: Sendable {
    /// The inotify watch descriptor of a folder.
    package typealias Folder = Int32

    /// An event in a watched folder.
    package enum Event: Hashable, Sendable {
      /// A file with this name was created, removed, renamed, or written, or its attributes changed.
      case changed(Folder, name: String)
      /// The folder or link itself was moved, removed or unmounted, or is no longer watched.
      case gone(Folder)
      /// More events occurred than the kernel could queue.
      case overflow
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Creates an observer, or nil if the limit of the system or of the user is reached.
    ///
    /// - Parameter handler: Called on `queue` with all events since the last call.
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

    /// Watches a folder. Returns nil if it cannot be watched. Watching it again returns the same descriptor.
    package func watch(_ path: String) -> Folder? {
      let mask =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR) | UInt32(IN_ATTRIB)
      return watch(path, mask)
    }

    /// Watches a folder or a symbolic link for being moved or removed. Returns nil if it cannot be watched. If the
    /// folder is already watched, the descriptor is the same.
    package func watchMoveOrRemoval(of path: String) -> Folder? {
      watch(path, UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_MASK_ADD))
    }

    private func watch(_ path: String, _ mask: UInt32) -> Folder? {
      let folder = FileSystem.attempt(.watch, path) { unsafe inotify_add_watch(descriptor, path, mask) }
      return folder >= 0 ? folder : nil
    }

    /// Stops watching a folder.
    package func forget(_ folder: Folder) { _ = inotify_rm_watch(descriptor, folder) }

    private static func read(_ descriptor: Int32) -> [Event] {
      var events: [Event] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 14)
      while true {
        // Memory-safe: the buffer's own length is passed.
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return events }
        decode(buffer.prefix(count), into: &events)
      }
    }

    /// Decodes events. Each has a watch descriptor, a mask, a cookie and the length of the name, of 4 bytes each,
    /// followed by the name and NULs (inotify(7)).
    private static func decode(_ bytes: ArraySlice<UInt8>, into events: inout [Event]) {
      var rest = bytes
      func word(_ index: Int) -> UInt32 {
        let start = rest.startIndex + 4 * index
        // Memory-safe: 4 bytes, with any alignment.
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

  // The class has its own function with the name `read`, which hides that of the C library.
  private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
  }
#endif
