internal import PropertyLists
internal import Synchronization
internal import SystemFiles

/// Updates that threads are in the middle of.
///
/// What a thread does there itself is not to be taken for what others do: a value that it sets, and a save that would
/// wait for the end of the update.
enum UpdateUnderWay {
  /// For each thread, the files that it updates and what it has set in them meanwhile; as a list, since threads and
  /// files are few.
  private static let all = Mutex<[Entry]>([])
  private static let count = Atomic(0)

  private struct Entry {
    let thread: ObjectIdentifier
    let file: String
    var changes = OwnChanges()
  }

  /// Whether this thread is in the middle of an update of the file.
  static func isOfThisThread(_ path: String) -> Bool {
    guard let thread = threadOfUpdate else { return false }
    let file = FileSystem.realPath(of: path)
    return all.withLock { $0.contains { $0.thread == thread && $0.file == file } }
  }

  /// Notes that this thread has set a value of the file, or all values if the key is nil.
  ///
  /// - Complexity: O(1); one atomic operation while nothing is updated.
  static func note(_ key: TableKey?, in path: String) {
    guard let thread = threadOfUpdate else { return }
    let file = FileSystem.realPath(of: path)
    all.withLock { all in
      for index in all.indices where all[index].thread == thread && all[index].file == file {
        all[index].changes.note(key)
      }
    }
  }

  /// Does a part of an update. Returns what this thread has set in the file meanwhile, beside the update.
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

  /// This thread, if it is in the middle of any update.
  private static var threadOfUpdate: ObjectIdentifier? {
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    let thread = thread
    return all.withLock { $0.contains { $0.thread == thread } } ? thread : nil
  }

  /// Known by its stack, which it has as long as it lives.
  private static var thread: ObjectIdentifier { ObjectIdentifier(CallStack.current) }
}

/// What a thread has set in the middle of its own update.
struct OwnChanges {
  private var keys: Set<TableKey> = []
  private var isAll = false

  mutating func note(_ key: TableKey?) {
    if let key { keys.insert(key) } else { isAll = true }
  }

  var hasAny: Bool { isAll || !keys.isEmpty }

  func contains(_ key: TableKey) -> Bool { isAll || keys.contains(key) }
}
