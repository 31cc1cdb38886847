internal import PropertyLists
internal import Synchronization
internal import SystemFiles

/// The updates in progress.
///
/// They are recorded to recognize changes and saves that the updating thread itself makes during the update. If this
/// thread sets a value, the update is not repeated. If it saves, the save fails instead of waiting for its own update.
enum UpdateUnderWay {
  /// The files that each thread is updating, with the changes that it has made meanwhile. An array is sufficient,
  /// because only few threads update files at the same time.
  private static let all = Mutex<[Entry]>([])
  private static let count = Atomic(0)

  private struct Entry {
    let thread: ObjectIdentifier
    let file: String
    var changes = OwnChanges()
  }

  /// Returns true if this thread is updating the file.
  static func isOfThisThread(_ path: String) -> Bool {
    guard let thread = threadOfUpdate else { return false }
    let file = FileSystem.realPath(of: path)
    return all.withLock { $0.contains { $0.thread == thread && $0.file == file } }
  }

  /// Notes that this thread has set a value of the file, or all values if the key is nil.
  ///
  /// - Complexity: O(1); one atomic operation if no update is in progress.
  static func note(_ key: TableKey?, in path: String) {
    guard let thread = threadOfUpdate else { return }
    let file = FileSystem.realPath(of: path)
    all.withLock { all in
      for index in all.indices where all[index].thread == thread && all[index].file == file {
        all[index].changes.note(key)
      }
    }
  }

  /// Calls `body`, which runs the caller's function in an update of a file. Returns the changes that this thread has
  /// made to the same file meanwhile by other calls.
  static func during(_ path: String, _ body: () -> Void) -> OwnChanges {
    let (thread, file) = (thread, FileSystem.realPath(of: path))
    count.add(1, ordering: .relaxed)
    all.withLock { $0.append(Entry(thread: thread, file: file)) }
    body()
    count.subtract(1, ordering: .relaxed)
    return all.withLock { all in
      guard let index = all.firstIndex(where: { $0.thread == thread && $0.file == file }) else { return OwnChanges() }
      return all.remove(at: index).changes
    }
  }

  /// This thread; nil if it is not updating any file.
  private static var threadOfUpdate: ObjectIdentifier? {
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    let thread = thread
    return all.withLock { $0.contains { $0.thread == thread } } ? thread : nil
  }

  /// The identity of this thread: the identity of its ``CallStack``, which exists as long as the thread.
  private static var thread: ObjectIdentifier { ObjectIdentifier(CallStack.current) }
}

/// The keys that a thread has set by other calls while it updated a file.
struct OwnChanges {
  private var keys: Set<TableKey> = []
  private var isAll = false

  mutating func note(_ key: TableKey?) {
    if let key { keys.insert(key) } else { isAll = true }
  }

  var hasAny: Bool { isAll || !keys.isEmpty }

  func contains(_ key: TableKey) -> Bool { isAll || keys.contains(key) }
}
