package import FoundationEssentials

/// Functions that call the operating system to work with files and folders. The functions in this source file read and
/// write.
///
/// The unsafe expressions are sound: each passes memory with its own length, from a buffer that outlives the call.
package enum FileSystem {
  /// Reads a whole file. Throws if it has more than `limit` bytes.
  package static func read(_ path: String, limit: Int = .max) throws(FileError) -> Data {
    let descriptor = try openToRead(path)
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure("read", path) }
    let size = Int(status.st_size)
    guard size <= limit else { throw FileError.tooLarge(path, limit: limit) }
    // One byte more than the size of the file, so that its end is found without another allocation.
    return try read(descriptor, named: path, expecting: size + 1, limit: limit)
  }

  /// Reads a whole regular file. Returns its contents and its identity, or nil if it does not exist. Never waits,
  /// whatever the path leads to. Throws ``FileError``, also if the file has more than `limit` bytes.
  package static func readRegularFile(
    _ path: String, limit: Int
  ) throws(FileError) -> (data: Data, identity: FileIdentity)? {
    // Checked before opening, because opening a device may have side effects.
    guard let identity = try FileIdentity(at: path) else { return nil }
    try requireRegularFile(identity, named: path)
    let descriptor = attempt(.open, path) { unsafe open(systemPath(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("open", path)
    }
    defer { _ = close(descriptor) }
    return try readRegularFile(descriptor, named: path, limit: limit)
  }

  /// Reads a regular file from its current position to the end. Returns its contents and its identity.
  package static func readRegularFile(
    _ descriptor: Int32, named path: String, limit: Int
  ) throws(FileError) -> (data: Data, identity: FileIdentity) {
    let identity = try FileIdentity(descriptor, named: path)
    try requireRegularFile(identity, named: path)
    guard identity.size <= limit else { throw FileError.tooLarge(path, limit: limit) }
    return (try read(descriptor, named: path, expecting: identity.size + 1, limit: limit), identity)
  }

  private static func requireRegularFile(_ identity: FileIdentity, named path: String) throws(FileError) {
    guard !identity.isRegularFile else { return }
    throw FileError(EINVAL, "cannot read \(path): it is not a regular file")
  }

  /// Reads from a descriptor, such as standard input, until its end.
  package static func read(
    _ descriptor: Int32, named name: String, expecting size: Int = 1 << 16, limit: Int = .max
  ) throws(FileError) -> Data {
    var capacity = max(size, 4096)
    guard var block = unsafe malloc(capacity) else { throw FileError.outOfMemory(name) }
    var count = 0
    while true {
      if count == capacity {
        capacity *= 2
        guard let larger = unsafe realloc(block, capacity) else {
          unsafe free(block)
          throw FileError.outOfMemory(name)
        }
        unsafe block = larger
      }
      let received = attempt(.read, name) { unsafe systemRead(descriptor, block.advanced(by: count), capacity - count) }
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
        throw FileError.tooLarge(name, limit: limit)
      }
    }
    return unsafe Data(bytesNoCopy: block, count: count, deallocator: .free)
  }

  /// Returns up to `count` bytes from the beginning of a regular file, or nil if none can be read. Never waits,
  /// whatever the path leads to.
  package static func beginning(of path: String, count: Int) -> Data? {
    guard sizeOfRegularFile(path) != nil else { return nil }
    let descriptor = attempt(.open, path) { unsafe open(systemPath(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let received = unsafe bytes.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
    return received > 0 ? Data(bytes.prefix(received)) : nil
  }

  /// Returns the last `count` bytes of a regular file, or nil if the file has fewer bytes or cannot be read. Never
  /// waits, whatever the path leads to.
  package static func end(of path: String, count: Int) -> [UInt8]? {
    guard let size = sizeOfRegularFile(path), size >= count else { return nil }
    let descriptor = attempt(.open, path) { unsafe open(systemPath(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let received = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, count, off_t(size - count))
    }
    return received == count ? bytes : nil
  }

  /// Reads the available bytes of a descriptor, at most 64 KiB.
  ///
  /// - Parameter goesOn: Called before each attempt to read. Returns false to stop reading, for example after a signal.
  /// - Returns: An empty value at the end, or after a signal has stopped reading.
  package static func readSome(
    _ descriptor: Int32, named name: String, while goesOn: () -> Bool = { true }
  ) throws(FileError) -> Data {
    let size = 1 << 16
    var buffer = [UInt8](repeating: 0, count: size)
    while goesOn() {
      let count = attempt(.read, name) { unsafe systemRead(descriptor, &buffer, size) }
      if count >= 0 { return Data(buffer.prefix(count)) }
      guard errno == EINTR else { throw failure("read", name) }
    }
    return Data()
  }

  /// Maps a file into memory. Its pages are loaded on access.
  package static func map(_ path: String) throws(FileError) -> Data {
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

  /// Creates a file that must not exist yet, for its owner only, and fills it with `fill`. It is not synced to the
  /// disk.
  package static func create(_ path: String, filledBy fill: (FileOutput) throws(FileError) -> Void) throws(FileError) {
    let descriptor = try perform(.create, "create", path) {
      unsafe open(systemPath(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    defer { _ = close(descriptor) }
    try fill(FileOutput(descriptor: descriptor, name: path))
  }

  /// Copies a regular file in pieces to an unused path, for its owner only. Does nothing if the file does not exist.
  package static func copyRegularFile(_ path: String, to copy: String) throws(FileError) {
    guard let identity = try FileIdentity(at: path) else { return }
    try requireRegularFile(identity, named: path)
    let descriptor = try openToRead(path)
    defer { _ = close(descriptor) }
    try create(copy) { output throws(FileError) in
      while true {
        let piece = try readSome(descriptor, named: path)
        if piece.isEmpty { return }
        try output.write(piece)
      }
    }
  }

  /// Writes as many of `bytes` as the system accepts at once. Returns their number.
  static func write(_ bytes: RawSpan, to descriptor: Int32, named name: String) throws(FileError) -> Int {
    while true {
      let result = attempt(.write, name) {
        unsafe bytes.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
      }
      if result >= 0 { return result }
      guard errno == EINTR else { throw failure("write", name) }
    }
  }

  /// Returns a descriptor above 2 for the same file. Duplicates and closes the descriptor if it is one of the standard
  /// ones.
  ///
  /// If a process has closed its standard descriptors, its output would otherwise be written to the file.
  package static func aboveStandard(_ descriptor: Int32) -> Int32 {
    guard (0...2).contains(descriptor) else { return descriptor }
    let other = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    let code = errno
    _ = close(descriptor)
    errno = code
    return other
  }

  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Opens a file for reading. The caller closes the descriptor.
  package static func openToRead(_ path: String) throws(FileError) -> Int32 {
    try perform(.open, "open", path) { unsafe open(systemPath(path), O_RDONLY | O_CLOEXEC) }
  }
}

// The functions `read` and `write` of the C library, which methods of ``FileSystem`` with the same names hide.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, buffer, count)
}
