package import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Bionic)
  internal import Bionic
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Files that are replaced or made in one step: whoever opens one finds what was there before, or all that is there now.
///
/// The unsafe expressions are sound: paths end with a NUL, and status is filled by the call that it is given to.
extension FileSystem {
  /// Puts `data` in the place of a file in one step: into a new file beside it, on the disk, then renamed.
  ///
  /// A symbolic link is followed, so that the file it names is replaced and not the link. The permission bits of the
  /// old file are kept, and its owner where the system allows that. What is no regular file, such as a terminal or a
  /// pipe, is written to.
  package static func replace(_ path: String, with data: Data) throws(PropertyListError) {
    try replace(path) { output throws(PropertyListError) in try output.write(data) }
  }

  /// As ``replace(_:with:)``, with what `body` writes.
  package static func replace(
    _ path: String, writing body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    guard let file = try newFile(for: path, writing: body) else { return }
    try file.takePlace()
    try synchronizeFolder(of: path)
  }

  /// A new file that can take the place of the one at a path.
  ///
  /// - Parameter isOnDisk: whether it has to be on the disk.
  /// - Returns: nil for what is no regular file, such as a terminal or a pipe; it has been written to.
  static func newFile(
    for path: String, isOnDisk: Bool = true, writing body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) -> NewFile? {
    var status = stat()
    let exists = attempt(.status, path) { unsafe stat(path, &status) } == 0
    if !exists, errno != ENOENT { throw failure("write", path) }
    if exists {
      if status.st_mode & S_IFMT == S_IFDIR {
        throw PropertyListError(.inputOutput(errno: EISDIR), "cannot write \(path): \(message(EISDIR))")
      }
      if status.st_mode & S_IFMT != S_IFREG || namesOpenFile(path) {
        try writeThrough(path, body)
        return nil
      }
    }
    return try NewFile(
      beside: resolvedPath(path), reportedAs: path, permissions: exists ? nil : 0o666,
      inPlaceOf: exists ? status : nil, isOnDisk: isOnDisk, writing: body)
  }

  /// Makes a file that must not exist yet, in one step, readable and writable for its owner only. It is on the disk, and its name is
  /// when its folder is.
  ///
  /// - Returns: what the file is known by; nil if there is a file already, which is left as it is.
  package static func create(_ path: String, with data: Data) throws(PropertyListError) -> FileIdentity? {
    let file = try NewFile(
      beside: resolvedPath(path), reportedAs: path, holding: data, permissions: 0o600, inPlaceOf: nil)
    return try file.takeFreePlace()
  }

  /// Gives a file another name in its folder, one that no file has. The file of a symbolic link, not the link.
  ///
  /// - Parameter suffix: what is added to its name, and to that a number if there is a file of that name.
  /// - Returns: the path that it has now.
  package static func setAside(_ path: String, suffix: String) throws(PropertyListError) -> String {
    let target = resolvedPath(path)
    for number in 1..<1000 {
      let candidate = target.dropLast() + "\(suffix)\(number == 1 ? "" : "-\(number)")".utf8CString
      guard unsafe access(Array(candidate), F_OK) != 0 else { continue }
      guard attempt(.rename, path, { unsafe rename(target, Array(candidate)) }) == 0 else {
        throw failure("set aside", path)
      }
      try synchronizeFolder(of: target, reportedAs: path)
      return text(Array(candidate))
    }
    throw PropertyListError(.inputOutput(errno: EEXIST), "cannot set aside \(path): \(message(EEXIST))")
  }

  /// Whether a path names a file by a descriptor that a process has open on it; there is nothing to rename then.
  private static func namesOpenFile(_ path: String) -> Bool {
    if path.hasPrefix("/dev/fd/") || ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) { return true }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 5 && parts[1] == "proc" && parts[3] == "fd"
  }

  private static func writeThrough(
    _ path: String, _ body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    let descriptor = attempt(.open, path) { unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) }
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { _ = close(descriptor) }
    try body(FileOutput(descriptor: descriptor, name: path))
  }

  /// Sees to it that the name of a file, or that there is none any more, is on the disk.
  package static func synchronizeFolder(of path: String) throws(PropertyListError) {
    try synchronizeFolder(of: resolvedPath(path), reportedAs: path)
  }

  /// Sees to it that the names in a folder are on the disk.
  static func synchronizeFolder(of target: SystemPath, reportedAs path: String) throws(PropertyListError) {
    let descriptor = attempt(.open, path) { unsafe open(folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      // A folder may let its owner make files in it and not read it; the names are safe when the system gets to it.
      if errno == EACCES { return }
      throw failure("write", path)
    }
    defer { _ = close(descriptor) }
    guard attempt(.synchronize, path, { fsync(descriptor) }) == 0 else {
      // Some file systems cannot do this for a folder; the file is complete all the same.
      if errno == EINVAL || errno == EROFS || errno == ENOTSUP || errno == EBADF { return }
      throw failure("write", path)
    }
  }
}

/// A complete file on the disk beside the one whose place it is to take.
struct NewFile: ~Copyable {
  private let target: FileSystem.SystemPath
  private let temporary: FileSystem.SystemPath
  private let path: String
  private let identity: FileIdentity
  private var isInPlace = false

  deinit {
    if !isInPlace { _ = FileSystem.attempt(.unlink, path) { unsafe unlink(temporary) } }
  }

  /// A file that holds `data`.
  init(
    beside target: FileSystem.SystemPath, reportedAs path: String, holding data: Data, permissions: mode_t?,
    inPlaceOf status: stat?
  ) throws(PropertyListError) {
    try self.init(
      beside: target, reportedAs: path, permissions: permissions, inPlaceOf: status
    ) { output throws(PropertyListError) in try output.write(data) }
  }

  /// Writes a file under a name that no other process knows.
  ///
  /// - Parameters:
  ///   - permissions: its permission bits; nil for those of the file whose place it takes.
  ///   - status: the file whose place it takes, whose owner is kept as far as the system allows that.
  ///   - isOnDisk: whether it has to be on the disk.
  init(
    beside target: FileSystem.SystemPath, reportedAs path: String, permissions: mode_t?, inPlaceOf status: stat?,
    isOnDisk: Bool = true, writing body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    // Nobody else may read it until it has the permissions it is to have.
    let (descriptor, temporary) = try Self.createTemporary(
      for: target, mode: status == nil ? permissions ?? 0o600 : 0o600, reportedAs: path)
    do throws(PropertyListError) {
      defer { _ = FileSystem.attempt(.close, path) { close(descriptor) } }
      if let status {
        try Self.keepOwner(of: status, on: descriptor, permissions: permissions, reportedAs: path)
      }
      try body(FileOutput(descriptor: descriptor, name: path))
      guard !isOnDisk || FileSystem.attempt(.synchronize, path, { fsync(descriptor) }) == 0 else {
        throw FileSystem.failure("write", path)
      }
      identity = try FileIdentity(descriptor, named: path)
    } catch {
      _ = FileSystem.attempt(.unlink, path) { unsafe unlink(temporary) }
      throw error
    }
    self.target = target
    self.temporary = temporary
    self.path = path
  }

  /// Takes the place of the other file. The name is on the disk when the folder is.
  @discardableResult
  consuming func takePlace() throws(PropertyListError) -> FileIdentity {
    guard FileSystem.attempt(.rename, path, { unsafe rename(temporary, target) }) == 0 else {
      throw FileSystem.failure("write", path)
    }
    isInPlace = true
    return identity
  }

  /// Takes a place where no file is. The name is on the disk when the folder is.
  ///
  /// - Returns: nil if there is one.
  consuming func takeFreePlace() throws(PropertyListError) -> FileIdentity? {
    guard FileSystem.attempt(.link, path, { unsafe link(temporary, target) }) == 0 else {
      switch errno {
      case EEXIST: return nil
      // File systems without hard links, and Android, which allows none. Two processes that make the first file at the
      // same moment are not told apart there.
      case EPERM, EACCES, ENOTSUP, ENOSYS, EMLINK:
        if FileSystem.attempt(.status, path, { unsafe access(target, F_OK) }) == 0 { return nil }
        return try takePlace()
      default: throw FileSystem.failure("write", path)
      }
    }
    // The second name goes when this value does.
    return identity
  }

  /// Leaves the file where it is, for somebody else to put in its place or to remove.
  consuming func handOver() -> ReadyFile {
    isInPlace = true
    return ReadyFile(target: target, temporary: temporary, path: path, identity: identity)
  }

  private static func keepOwner(
    of status: stat, on descriptor: Int32, permissions: mode_t?, reportedAs path: String
  ) throws(PropertyListError) {
    // The owner first, because changing it clears bits of the mode. Who may not keep owner or group keeps the
    // permissions that do not depend on them.
    var mode = permissions ?? status.st_mode & 0o7777
    if FileSystem.attempt(.changeOwner, path, { fchown(descriptor, status.st_uid, status.st_gid) }) != 0 {
      mode &= 0o1777
      if FileSystem.attempt(.changeOwner, path, { fchown(descriptor, uid_t.max, status.st_gid) }) != 0 {
        mode &= 0o1707
      }
    }
    guard FileSystem.attempt(.changeMode, path, { fchmod(descriptor, mode) }) == 0 else {
      throw FileSystem.failure("write", path)
    }
  }

  /// How many bytes of a file's name are part of the name of the file beside it.
  private static let greatestStem = 225
  static let temporarySuffix = ".tmp"

  /// What the names of the files begin with that are made beside one of this name.
  static func temporaryPrefix(_ name: String) -> String {
    ".\(String(decoding: name.utf8.prefix(greatestStem), as: UTF8.self))."
  }

  /// Creates a file beside another that no other process knows.
  private static func createTemporary(
    for target: FileSystem.SystemPath, mode: mode_t, reportedAs path: String
  ) throws(PropertyListError) -> (descriptor: Int32, path: FileSystem.SystemPath) {
    let folder = FileSystem.folderPrefix(of: target)
    // A file name has at most 255 bytes.
    let stem = target.dropFirst(folder.count).dropLast().prefix(greatestStem)
    for _ in 0..<100 {
      let suffix = ".\(String(UInt64.random(in: .min ... .max), radix: 36))\(temporarySuffix)"
      let candidate = folder + [CChar(bitPattern: UInt8(ascii: "."))] + stem + suffix.utf8CString
      let descriptor = FileSystem.attempt(.open, path) {
        FileSystem.aboveStandard(unsafe open(candidate, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode))
      }
      if descriptor >= 0 { return (descriptor, candidate) }
      guard errno == EEXIST else { break }
    }
    let code = errno
    let reason =
      code == EACCES || code == EROFS
      ? "no file can be made in its folder: \(FileSystem.message(code))" : FileSystem.message(code)
    throw PropertyListError(.inputOutput(errno: code), "cannot write \(path): \(reason)")
  }
}
