package import FoundationEssentials

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#elseif canImport(Bionic)
  private import Bionic
#elseif canImport(Darwin)
  private import Darwin
#endif

/// Every call to the operating system that this package makes, but for printing.
///
/// The unsafe expressions are sound: each passes memory with its own length, of a buffer that outlives the call.
package enum FileSystem {
  /// The whole of a file, at most `limit` bytes.
  package static func read(_ path: String, limit: Int = .max) throws(PropertyListError) -> Data {
    let descriptor = try openToRead(path)
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure("read", path) }
    let size = Int(status.st_size)
    guard size <= limit else { throw ParsingLimits.tooLarge(limit: limit) }
    // One byte more than the file has, so that its end is seen without another buffer.
    return try read(descriptor, named: path, expecting: size + 1, limit: limit)
  }

  /// All that can be read from a descriptor, such as standard input.
  package static func read(
    _ descriptor: Int32, named name: String, expecting size: Int = 1 << 16, limit: Int = .max
  ) throws(PropertyListError) -> Data {
    var capacity = max(size, 4096)
    guard var block = unsafe malloc(capacity) else { throw outOfMemory(name) }
    var count = 0
    while true {
      if count == capacity {
        capacity *= 2
        guard let larger = unsafe realloc(block, capacity) else {
          unsafe free(block)
          throw outOfMemory(name)
        }
        unsafe block = larger
      }
      let received = unsafe systemRead(descriptor, block.advanced(by: count), capacity - count)
      if received == 0 { break }
      if received < 0 {
        if errno == EINTR { continue }
        let error = failure("read", name)
        unsafe free(block)
        throw error
      }
      count += received
      if count > limit {
        unsafe free(block)
        throw ParsingLimits.tooLarge(limit: limit)
      }
    }
    return unsafe Data(bytesNoCopy: block, count: count, deallocator: .free)
  }

  /// A file as memory whose pages are read when they are looked at.
  package static func map(_ path: String) throws(PropertyListError) -> Data {
    let descriptor = try openToRead(path)
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure("map", path) }
    let size = Int(status.st_size)
    guard size > 0 else { return Data() }
    guard let start = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), unsafe start != MAP_FAILED else {
      throw failure("map", path)
    }
    return unsafe Data(
      bytesNoCopy: start, count: size, deallocator: .custom { start, size in unsafe munmap(start, size) })
  }

  /// Puts `data` in the place of a file in one step: into a new file beside it, on the disk, then renamed.
  ///
  /// A symbolic link is followed, so that the file it names is replaced and not the link. The permission bits of the
  /// old file are kept, and its owner where the system allows that. What is no regular file, such as a terminal or a
  /// pipe, is written to.
  package static func replace(_ path: String, with data: Data) throws(PropertyListError) {
    var status = stat()
    let exists = unsafe stat(path, &status) == 0
    if !exists, errno != ENOENT { throw failure("write", path) }
    if exists {
      if status.st_mode & S_IFMT == S_IFDIR {
        throw PropertyListError(.inputOutput(errno: EISDIR), "cannot write \(path): \(message(EISDIR))")
      }
      if status.st_mode & S_IFMT != S_IFREG || namesOpenFile(path) { return try writeThrough(path, data) }
    }
    let target = resolvedPath(path)
    // Nobody else may read it until it has the permissions it is to have.
    let (descriptor, temporary) = try createTemporary(for: target, mode: exists ? 0o600 : 0o666, reportedAs: path)
    do throws(PropertyListError) {
      defer { _ = close(descriptor) }
      if exists {
        // The owner first, because changing it clears bits of the mode. Who may not keep owner or group keeps the
        // permissions that do not depend on them.
        var mode = status.st_mode & 0o7777
        if fchown(descriptor, status.st_uid, status.st_gid) != 0 {
          mode &= 0o1777
          if fchown(descriptor, uid_t.max, status.st_gid) != 0 { mode &= 0o1707 }
        }
        guard fchmod(descriptor, mode) == 0 else { throw failure("write", path) }
      }
      try write(data, to: descriptor, named: path)
      guard fsync(descriptor) == 0 else { throw failure("write", path) }
    } catch {
      _ = unsafe unlink(temporary)
      throw error
    }
    guard unsafe rename(temporary, target) == 0 else {
      let error = failure("write", path)
      _ = unsafe unlink(temporary)
      throw error
    }
    // The new name is on the disk when its folder is. Some file systems cannot sync a folder; the file is complete all
    // the same.
    let folder = unsafe open(folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
      _ = fsync(folder)
      _ = close(folder)
    }
  }

  /// Writes all of `data` to a descriptor, such as standard output.
  package static func write(_ data: Data, to descriptor: Int32, named name: String) throws(PropertyListError) {
    let span = data.bytes
    var written = 0
    while written < span.byteCount {
      let result = unsafe span.extracting(written...).withUnsafeBytes {
        unsafe systemWrite(descriptor, $0.baseAddress, $0.count)
      }
      if result < 0 {
        if errno == EINTR { continue }
        throw failure("write", name)
      }
      written += result
    }
  }

  /// The path of a file URL.
  package static func path(_ url: URL) throws(PropertyListError) -> String {
    guard url.isFileURL else {
      throw PropertyListError(.inputOutput(errno: EINVAL), "\(url.absoluteString.quoted) is no file URL")
    }
    return url.path
  }

  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}

extension FileSystem {
  private static func openToRead(_ path: String) throws(PropertyListError) -> Int32 {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    return descriptor
  }

  /// A path as the system has it: bytes, which need not be UTF-8, and a NUL.
  private typealias SystemPath = [CChar]

  private static let slash = CChar(bitPattern: UInt8(ascii: "/"))

  /// The file that a path leads to when all symbolic links are followed; also if the last of them names no file yet.
  private static func resolvedPath(_ path: String) -> SystemPath {
    var current = Array(path.utf8CString)
    // As many links as Linux follows.
    for _ in 0..<40 {
      var target = SystemPath(repeating: 0, count: Int(PATH_MAX) + 1)
      let length = unsafe readlink(current, &target, target.count - 1)
      guard length > 0 else { break }
      let name = target.prefix(length) + [0]
      current = name.first == slash ? Array(name) : folderPrefix(of: current) + name
    }
    return current
  }

  /// The folder that a path names something in; `.` if it names none.
  private static func folder(of path: SystemPath) -> SystemPath {
    let folder = folderPrefix(of: path)
    return (folder.isEmpty ? [CChar(bitPattern: UInt8(ascii: "."))] : folder) + [0]
  }

  /// What stands before the name at the end of a path, up to the last slash.
  private static func folderPrefix(of path: SystemPath) -> SystemPath {
    path.lastIndex(of: slash).map { Array(path[...$0]) } ?? []
  }

  /// Creates a file beside another that no other process knows.
  private static func createTemporary(
    for target: SystemPath, mode: mode_t, reportedAs path: String
  ) throws(PropertyListError) -> (descriptor: Int32, path: SystemPath) {
    let folder = folderPrefix(of: target)
    // A file name has at most 255 bytes.
    let stem = target.dropFirst(folder.count).dropLast().prefix(200)
    for _ in 0..<100 {
      let suffix = ".\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
      let candidate = folder + [CChar(bitPattern: UInt8(ascii: "."))] + stem + suffix.utf8CString
      let descriptor = unsafe open(candidate, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return (descriptor, candidate) }
      guard errno == EEXIST else { break }
    }
    let code = errno
    let reason = code == EACCES || code == EROFS ? "no file can be made in its folder: \(message(code))" : message(code)
    throw PropertyListError(.inputOutput(errno: code), "cannot write \(path): \(reason)")
  }

  /// Whether a path names a file by a descriptor that a process has open on it; there is nothing to rename then.
  private static func namesOpenFile(_ path: String) -> Bool {
    if path.hasPrefix("/dev/fd/") || ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) { return true }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 5 && parts[1] == "proc" && parts[3] == "fd"
  }

  private static func writeThrough(_ path: String, _ data: Data) throws(PropertyListError) {
    let descriptor = unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { _ = close(descriptor) }
    try write(data, to: descriptor, named: path)
  }

  /// The error of the call that failed just now.
  private static func failure(_ verb: String, _ name: String) -> PropertyListError {
    let code = errno
    return PropertyListError(.inputOutput(errno: code), "cannot \(verb) \(name): \(message(code))")
  }

  static func outOfMemory(_ name: String) -> PropertyListError {
    PropertyListError(.inputOutput(errno: ENOMEM), "cannot read \(name): \(message(ENOMEM))")
  }

  private static func message(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

// Under names that this type's own functions do not hide.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, buffer, count)
}
