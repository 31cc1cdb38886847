import Preferences
import Synchronization

/// The errors that were reported to the handler, which all tests of the process share.
enum ReportedErrors {
  private static let all = Mutex<[PreferencesError]>([])

  private static let installation: Void = UserPreferences.handleErrors { error in all.withLock { $0.append(error) } }

  /// Must be called before the first error can occur.
  static func record() { _ = installation }

  /// The errors that name a path or one below it.
  static func about(_ path: String) -> [PreferencesError] {
    all.withLock { $0.filter { error in error.path.map { $0 == path || $0.hasPrefix(path + "/") } ?? false } }
  }
}

extension PreferencesError {
  /// The path that the error names.
  var path: String? {
    switch self {
    case .folderVanished(let path), .locked(let path), .changedMeanwhile(let path), .updateUnderWay(let path),
      .notSaved(let path, _),
      .notRead(let path, _), .unreadable(let path, _, _):
      path
    case .invalidName, .emptyKey, .notStorable, .notDecodable, .noFolder, .forkedProcess: nil
    }
  }
}
