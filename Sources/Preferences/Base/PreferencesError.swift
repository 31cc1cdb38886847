public import FoundationEssentials
public import PropertyLists
internal import Synchronization
internal import SystemFiles

/// An error of preferences. This library throws and reports no other type of error.
public enum PreferencesError: Error, Hashable, Sendable {
  /// The text is not the name of a domain.
  case invalidName(String, reason: String)
  /// The key is empty.
  case emptyKey
  /// The value cannot be stored: it is nested too deeply, contains a null or a UID, or its type failed to encode it.
  /// The stored value is unchanged.
  case notStorable(key: String, reason: String)
  /// The stored value does not have the requested form.
  case notDecodable(key: String, reason: String)
  /// There is no folder for files, because the user has no home folder. Values are kept in memory.
  case noFolder
  /// The folder existed, and is missing now. Values are kept in memory. The folder is created again when a value is set
  /// or ``UserPreferences/synchronize()-7kbyu`` is called after that.
  case folderVanished(path: String)
  /// Another process has locked the file and does not release it. Values are kept in memory and saved later.
  case locked(path: String)
  /// The calling thread is updating the file, and cannot save or update it again until the update ends. Values are kept
  /// in memory, and saved with the update or soon after it.
  case updateUnderWay(path: String)
  /// This process is a child of `fork`, and its parent had used preferences before. The child can read the values from
  /// the time of `fork`. It cannot set or save values, because the threads that save exist only in the parent.
  case forkedProcess
  /// A program that does not lock the file keeps changing it. Values are kept in memory and saved later.
  case changedMeanwhile(path: String)
  /// The file was not saved. Either the system refused to write it, or the file must not be replaced: it is not a
  /// regular file, the path contains a link that must not be followed, it belongs to another user and is not shared, or
  /// it is the target of a link and cannot be read. The file is unchanged, or it is complete but may not be on the disk
  /// yet. Values are kept in memory and saved later.
  case notSaved(path: String, PropertyListError)
  /// The system refused to read the file, or the path does not lead to a regular file. The values in memory are used,
  /// and the file is read again later.
  case notRead(path: String, PropertyListError)
  /// The file is empty, is not a dictionary of preferences, or may not be read by this process. It is not overwritten:
  /// the next save renames it to `setAside`, which contains the time when the error was found, and writes the values in
  /// memory to a new file. If the file is the target of a link, or another user's file that is not shared, the error is
  /// ``notRead(path:_:)`` instead, and the file is not renamed.
  case unreadable(path: String, setAside: String, PropertyListError)
}

extension PreferencesError: CustomStringConvertible {
  /// The message, in one line.
  public var description: String {
    switch self {
    case .invalidName(let name, let reason): "\(name.quoted) is not a valid domain name: \(reason)"
    case .emptyKey: "a key must have at least one character"
    case .notStorable(let key, let reason): "the value for \(key.quoted) cannot be stored: \(reason)"
    case .notDecodable(let key, let reason): "the value for \(key.quoted) cannot be decoded: \(reason)"
    case .noFolder: "there is no home folder to save preferences in"
    case .folderVanished(let path): "the folder \(path.printable()) no longer exists"
    case .locked(let path): "\(path.printable()) is locked by another process"
    case .updateUnderWay(let path):
      "\(path.printable()) is being updated by the same thread, and cannot be saved until the update ends"
    case .forkedProcess: "a process forked from one that uses preferences cannot change preferences"
    case .changedMeanwhile(let path): "another program keeps changing \(path.printable())"
    case .notSaved(_, let error), .notRead(_, let error): error.message.printable()
    case .unreadable(let path, let setAside, let error):
      "\(path.printable()) cannot be read, and the next save renames it to \(setAside.printable()): \(error)"
    }
  }
}

extension PreferencesError: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }
}

/// Calls the error handler of the process for errors that cannot be thrown to a caller.
enum PreferencesErrors {
  private static let handler = Mutex(Handler(handle: printed))

  /// The function that handles errors. The function is in a structure, because that is faster: if a function is
  /// directly in a mutex, Swift wraps it in another function on each read.
  private struct Handler: Sendable {
    let handle: @Sendable (PreferencesError) -> Void
  }

  static func setHandler(_ handle: @escaping @Sendable (PreferencesError) -> Void) {
    handler.withLock { $0 = Handler(handle: handle) }
  }

  /// Reports an error. Must not be called while holding a lock that the handler may need.
  static func report(_ error: PreferencesError) {
    guard !ForkedChild.isThisProcess else { return reportInChild() }
    handler.withLock { $0 }.handle(error)
  }

  private static let isReportedInChild = Atomic(false)

  /// Initializes the constants that children of `fork` use, because initializing them in a child could wait forever.
  static func prepare() {
    _ = isReportedInChild.load(ordering: .relaxed)
    _ = FileOutput.standardError
  }

  /// Prints a message once: values are not saved in a child of `fork`. The handler is not called, because it may need a
  /// lock that a thread of the parent holds.
  private static func reportInChild() {
    if !isReportedInChild.exchange(true, ordering: .relaxed) { printed(.forkedProcess) }
  }

  @Sendable private static func printed(_ error: PreferencesError) {
    // A failure of standard error cannot be reported.
    try? FileOutput.standardError.write(Data("preferences: \(error)\n".utf8))
  }
}
