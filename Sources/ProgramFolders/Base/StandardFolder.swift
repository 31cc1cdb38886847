/// A folder that every platform has, with Apple's names.
///
/// ``StandardFolders`` returns their locations.
public enum StandardFolder: String, CaseIterable, Sendable {
  /// The files that the user creates and names.
  case documents
  /// All data of programs that is not shown to the user as files.
  case library
  /// Data that a program creates and needs, such as its stores.
  case applicationSupport
  /// Data that a program can create again.
  case caches
  /// The settings of programs. `UserPreferences` of the library Preferences keeps its files here.
  case preferences
  /// Files that are used once. The system may delete them after some days, or when it restarts.
  case temporary
  /// The home folder of the user.
  case home
}

/// The users for whom a folder has files.
///
/// If files in several domains have the same name, the file of the user has priority, then the file for all users of
/// the computer, then the file of the system.
public enum FolderDomain: String, CaseIterable, Sendable {
  /// The folders of the user. Programs write files there.
  case user
  /// The folders for all users of this computer. Its administrator writes files there.
  case local
  /// The folders that are part of the system.
  case system
}
