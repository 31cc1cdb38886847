import Foundation

/// Counts the saves of a file by the inotify events of its folder (Linux only).
final class SaveCounter {
  private let descriptor: Int32
  private let name: String
  private let events: UInt32

  init(_ file: URL, events: Int32) {
    name = file.lastPathComponent
    self.events = UInt32(events)
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    // The kernel merges equal consecutive events, so that the events between them are watched too.
    inotify_add_watch(descriptor, file.deletingLastPathComponent().path, self.events | UInt32(IN_MODIFY | IN_CREATE))
  }

  deinit { close(descriptor) }

  /// Returns the number of saves since the last call, or since the counter was created.
  func count() -> Int {
    var count = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while case let length = read(descriptor, &buffer, buffer.count), length > 0 {
      var rest = buffer.prefix(length)
      // Four words and a name. The second word is the mask, the last one the length of the name (inotify(7)).
      while rest.count >= 16 {
        let words = (0..<4).map { index in
          rest.dropFirst(4 * index).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        let eventName = rest.dropFirst(16).prefix(Int(words[3])).prefix { $0 != 0 }
        if words[1] & events != 0, eventName.elementsEqual(name.utf8) { count += 1 }
        rest = rest.dropFirst(16 + Int(words[3]))
      }
    }
    return count
  }
}
