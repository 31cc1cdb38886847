/// A walk along a path, one name at a time. It follows symbolic links itself, so that it can refuse a link that another
/// user made.
///
/// The unsafe expressions are sound: names end with a NUL, and the variables that calls fill have the required size.
struct PathWalk {
  /// The folder that has been reached.
  private(set) var folder: OpenFolder
  /// True if the last component of the path was a symbolic link.
  private(set) var isBehindLink = false
  private var passed: [FileSystem.SystemPath] = []
  /// The remaining names, in reverse order: the next one is at the end.
  private var ahead: [FileSystem.SystemPath]
  private var isAbsolute: Bool
  private var linkCount = 0
  private let path: String

  /// Begins a walk at the root folder, or at the working folder for a relative path.
  ///
  /// - Parameter name: The path in error messages, or nil to use `path`.
  init(_ path: String, reportedAs name: String? = nil) throws(FileError) {
    self.path = name ?? path
    let whole = FileSystem.systemPath(path)
    isAbsolute = whole.first == FileSystem.slash
    ahead = Self.names(whole)
    folder = try Self.start(isAbsolute, self.path)
  }

  /// Walks to the last name of the path and returns it; it is a name in ``folder``. Creates missing folders if
  /// permissions are given, otherwise returns nil if a folder along the path is missing.
  mutating func next(making permissions: mode_t? = nil) throws(FileError) -> FileSystem.SystemPath? {
    while let name = ahead.popLast() {
      switch Array(name.dropLast()) {
      case Self.dot: continue
      case Self.dotDot:
        try enter(name)
        if passed.isEmpty || passed.last == name { passed.append(name) } else { passed.removeLast() }
        continue
      default: break
      }
      var status = stat()
      guard look(name, &status, isCounted: permissions != nil) == 0 else {
        guard errno == ENOENT else { throw FileSystem.failure("write", path) }
        if ahead.isEmpty { return name }
        guard let permissions else { return nil }
        try make(name, permissions)
        ahead.append(name)
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFLNK: try follow(name)
      case _ where ahead.isEmpty: return name
      default:
        try enter(name)
        passed.append(name)
      }
    }
    throw Self.failure(EISDIR, path)
  }

  /// Returns the path of a name in the folder that has been reached. Invalid UTF-8 is replaced.
  func description(of name: FileSystem.SystemPath) -> String {
    (isAbsolute ? "/" : "") + (passed + [name]).map { FileSystem.text($0) }.joined(separator: "/")
  }

  /// Gets the status of a name in ``folder``, without following a link.
  ///
  /// - Parameter isCounted: True if tests can make the call fail.
  private func look(_ name: FileSystem.SystemPath, _ status: inout stat, isCounted: Bool) -> Int32 {
    guard isCounted else { return folder.status(of: name, &status) }
    return FileSystem.attempt(.status, description(of: name)) { folder.status(of: name, &status) }
  }

  private mutating func enter(_ name: FileSystem.SystemPath) throws(FileError) {
    let descriptor = folder.open(name, FileSystem.searchOnly | O_DIRECTORY | O_NOFOLLOW)
    guard descriptor >= 0 else { throw FileSystem.failure("write", path) }
    folder = OpenFolder(descriptor)
  }

  private mutating func follow(_ name: FileSystem.SystemPath) throws(FileError) {
    linkCount += 1
    guard linkCount <= FileSystem.greatestLinkCount else { throw Self.failure(ELOOP, path) }
    guard let (link, target) = Self.link(name, in: folder) else { throw FileSystem.failure("write", path) }
    var status = stat()
    guard unsafe fstat(folder.descriptor, &status) == 0 else { throw FileSystem.failure("write", path) }
    guard Self.isTrusted(link.st_uid) || (Self.isTrusted(status.st_uid) && status.st_mode & 0o022 == 0) else {
      throw FileError(
        EPERM,
        "cannot write \(path): \(description(of: name)) is a link to \(FileSystem.text(target)) that another user "
          + "created in a folder that other users can write to")
    }
    if ahead.isEmpty { isBehindLink = true }
    if target.first == FileSystem.slash {
      isAbsolute = true
      passed = []
      folder = try Self.start(true, path)
    }
    ahead += Self.names(target)
  }

  private func make(_ name: FileSystem.SystemPath, _ permissions: mode_t) throws(FileError) {
    let made = description(of: name)
    guard
      FileSystem.attempt(.makeFolder, made, { unsafe mkdirat(folder.descriptor, name, permissions) }) == 0
        || errno == EEXIST
    else { throw FileSystem.failure("create the folder", made) }
    // A file in the new folder is durable only if the folder is.
    try folder.synchronize(reportedAs: made)
  }

  /// Returns true for the user of this process and for root. Their links are followed, because they can change the
  /// files of this process anyway.
  private static func isTrusted(_ user: uid_t) -> Bool { user == geteuid() || user == 0 }

  private static func start(_ isAbsolute: Bool, _ path: String) throws(FileError) -> OpenFolder {
    let descriptor = FileSystem.aboveStandard(
      unsafe open(isAbsolute ? "/" : ".", FileSystem.searchOnly | O_DIRECTORY | O_CLOEXEC))
    guard descriptor >= 0 else { throw FileSystem.failure("write", path) }
    return OpenFolder(descriptor)
  }

  /// Returns the status and the target of a link.
  private static func link(
    _ name: FileSystem.SystemPath, in folder: OpenFolder
  ) -> (status: stat, target: FileSystem.SystemPath)? {
    var status = stat()
    var target = FileSystem.SystemPath(repeating: 0, count: Int(PATH_MAX) + 1)
    #if os(Linux) || os(Android)
      // Opened, so that the target belongs to the link whose owner is checked.
      let descriptor = folder.open(name, FileSystem.searchOnly | O_NOFOLLOW)
      guard descriptor >= 0 else { return nil }
      defer { _ = close(descriptor) }
      guard unsafe fstat(descriptor, &status) == 0 else { return nil }
      let length = unsafe readlinkat(descriptor, "", &target, target.count - 1)
    #else
      guard folder.status(of: name, &status) == 0 else { return nil }
      let length = unsafe readlinkat(folder.descriptor, name, &target, target.count - 1)
    #endif
    return length > 0 ? (status, target.prefix(length) + [0]) : nil
  }

  /// Returns the names of a path, the last one first.
  private static func names(_ path: FileSystem.SystemPath) -> [FileSystem.SystemPath] {
    path.dropLast().split(separator: FileSystem.slash).reversed().map { $0 + [0] }
  }

  private static func failure(_ code: Int32, _ path: String) -> FileError {
    FileError(code, "cannot write \(path): \(FileSystem.message(code))")
  }

  private static let dot = [CChar(bitPattern: UInt8(ascii: "."))]
  private static let dotDot = dot + dot
}

extension FileSystem {
  /// The flag that opens a link, or a folder that may be searched but not listed.
  fileprivate static var searchOnly: Int32 {
    #if os(Linux) || os(Android)
      // O_PATH, which the headers of glibc declare only conditionally (<asm-generic/fcntl.h>).
      0o10000000
    #else
      // O_EXEC, which means O_SEARCH for a folder (<sys/fcntl.h>).
      0x4000_0000
    #endif
  }
}
