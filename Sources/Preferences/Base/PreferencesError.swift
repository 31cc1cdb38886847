public import FoundationEssentials
public import PropertyLists
internal import Synchronization
internal import SystemFiles

/// What can go wrong with preferences. The only type of error that this library throws and reports.
public enum PreferencesError: Error, Hashable, Sendable {
  /// The text is not the name of a domain.
  case invalidName(String, reason: String)
  /// Keys have at least one character.
  case emptyKey
  /// The value cannot be stored: it is nested too deeply, has a null or a UID in it, or its type failed to encode it.
  /// What the key had stays.
  case notStorable(key: String, reason: String)
  /// The stored value is not what was asked for.
  case notDecodable(key: String, reason: String)
  /// There is no folder to save in, because the user has no home folder. Values are kept in memory.
  case noFolder
  /// The folder was there and is not any more. Values are kept in memory. The folder is made again when something is
  /// set, or ``UserPreferences/synchronize()`` is called, after that.
  case folderVanished(path: String)
  /// Another process has the file locked and does not let go of it. Values are kept in memory and saved later.
  case locked(path: String)
  /// The thread is in the middle of an update of the file, which it cannot save or update once more before that is
  /// done. Values are kept in memory, and saved with the update or soon after.
  case updateUnderWay(path: String)
  /// The process was forked from one that had used preferences, and runs the same program. It reads the values that
  /// there were then, and can neither set nor save any: the threads that save are in the other process only.
  case forkedProcess
  /// The file kept being changed by a program that does not lock it. Values are kept in memory and saved later.
  case changedMeanwhile(path: String)
  /// The file was not saved. The system refused it, or the path leads to something other than a regular file, to a link
  /// that must not be followed, to another user's file that is not shared on purpose, or through a link to a file that
  /// cannot be read. The file is as it was, or it is complete but may not be on the disk yet. Values are kept in memory
  /// and saved later.
  case notSaved(path: String, PropertyListError)
  /// The system refused to read the file, or something else is at its path. The values that are known count, and it is
  /// read again later.
  case notRead(path: String, PropertyListError)
  /// The file is no dictionary of preferences, has no byte, or may not be read. It is not overwritten: the next save
  /// gives it the name `setAside`, which says when it was found, and begins a new file with the values that are known.
  /// The target of a link, and a file that another user keeps for himself, are ``notRead(path:_:)`` instead, and stay.
  case unreadable(path: String, setAside: String, PropertyListError)
}

extension PreferencesError: CustomStringConvertible {
  /// One line that says what is wrong and where.
  public var description: String {
    switch self {
    case .invalidName(let name, let reason): "\(name.quoted) is no name of a domain: \(reason)"
    case .emptyKey: "a key has at least one character"
    case .notStorable(let key, let reason): "the value for \(key.quoted) cannot be stored: \(reason)"
    case .notDecodable(let key, let reason): "the value for \(key.quoted) is not what it should be: \(reason)"
    case .noFolder: "there is no home folder to save preferences in"
    case .folderVanished(let path): "the folder \(path.printable()) has vanished"
    case .locked(let path): "another process has \(path.printable()) locked"
    case .updateUnderWay(let path):
      "\(path.printable()) is being updated by the same thread, and cannot be saved before that is done"
    case .forkedProcess: "a process that was forked from one that uses preferences cannot change any"
    case .changedMeanwhile(let path): "\(path.printable()) is changed again and again by another program"
    case .notSaved(_, let error), .notRead(_, let error): error.message.printable()
    case .unreadable(let path, let setAside, let error):
      "\(path.printable()) cannot be read, and is kept as \(setAside.printable()) when something is saved: \(error)"
    }
  }
}

extension PreferencesError: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }
}

/// Reports errors that no caller receives, to the handler of the process.
enum PreferencesErrors {
  private static let handler = Mutex(Handler(handle: printed))

  /// A function in a structure, since one by itself is wrapped anew, and so becomes slower, each time it is read.
  private struct Handler: Sendable {
    let handle: @Sendable (PreferencesError) -> Void
  }

  static func setHandler(_ handle: @escaping @Sendable (PreferencesError) -> Void) {
    handler.withLock { $0 = Handler(handle: handle) }
  }

  /// Not to be called while something is waited for that the handler may want to use.
  static func report(_ error: PreferencesError) {
    guard !ForkedChild.isThisProcess else { return reportInChild() }
    handler.withLock { $0 }.handle(error)
  }

  private static let isReportedInChild = Atomic(false)

  /// Makes the constants that children of `fork` use.
  static func prepare() {
    _ = isReportedInChild.load(ordering: .relaxed)
    _ = FileOutput.standardError
  }

  /// Prints, once, why nothing is saved. The handler is not called: a missing thread may have a lock that it needs.
  private static func reportInChild() {
    if !isReportedInChild.exchange(true, ordering: .relaxed) { printed(.forkedProcess) }
  }

  @Sendable private static func printed(_ error: PreferencesError) {
    // Nobody is left to tell if this fails.
    try? FileOutput.standardError.write(Data("preferences: \(error)\n".utf8))
  }
}
