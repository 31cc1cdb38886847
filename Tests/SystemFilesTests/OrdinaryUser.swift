import Foundation

/// A user without the rights of root, so that tests of permissions have the same result for root and for other users.
enum OrdinaryUser {
  /// The user ID and group ID of files that do not belong to the user of the tests.
  static let id: uid_t = 12345

  /// True if the tests run as root, who can create files of other users.
  static let canOwnFiles = geteuid() == 0

  #if os(Linux)
    private typealias Setter = @convention(c) (uid_t) -> Int32
    /// The functions of `sys/fsuid.h`, which Swift's module of the C library lacks. They affect only one thread.
    private static let setUser = function("setfsuid")
    private static let setGroup = function("setfsgid")

    private static func function(_ name: String) -> Setter? {
      dlsym(nil, name).map { unsafeBitCast($0, to: Setter.self) }
    }

    /// True if root can use files without its rights, or if the tests do not run as root.
    static let isPossible = !canOwnFiles || (setUser != nil && setGroup != nil)
  #else
    static let isPossible = !canOwnFiles
  #endif

  /// Uses files without the rights of root. New files belong to the user ``id`` if root runs the tests.
  ///
  /// - Parameter group: The group ID for new files, and a group that this user may give to files.
  @discardableResult
  static func run<Result>(group: gid_t = id, _ body: () throws -> Result) rethrows -> Result {
    #if os(Linux)
      if canOwnFiles, let setUser, let setGroup {
        _ = setGroup(group)
        _ = setUser(id)
        defer {
          _ = setUser(0)
          _ = setGroup(0)
        }
        return try body()
      }
    #endif
    return try body()
  }
}
