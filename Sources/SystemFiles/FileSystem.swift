package import FoundationEssentials

/// The calls to the operating system that this package makes, but for printing: here those that read and write.
///
/// The unsafe expressions are sound: each passes memory with its own length, of a buffer that outlives the call.
package enum FileSystem {
  /// The whole of a file, at most `limit` bytes.
  package static func read(_ path: String, limit: Int = .max) throws(FileError) -> Data {
    let descriptor = try openToRead(path)
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure("read", path) }
    let size = Int(status.st_size)
    guard size <= limit else { throw FileError.tooLarge(limit: limit) }
    // One byte more than the file has, so that its end is seen without another buffer.
    return try read(descriptor, named: path, expecting: size + 1, limit: limit)
  }

  /// The whole of a regular file and the state it was read in; nil if there is none. Never waits for what a path leads
  /// to. Throws ``FileError``, also if it has more than `limit` bytes.
  package static func readRegularFile(
    _ path: String, limit: Int
  ) throws(FileError) -> (data: Data, identity: FileIdentity)? {
    // Looked at first, since opening a device may do something.
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

  /// The whole of a regular file from where it is read next, and the state it was read in.
  package static func readRegularFile(
    _ descriptor: Int32, named path: String, limit: Int
  ) throws(FileError) -> (data: Data, identity: FileIdentity) {
    let identity = try FileIdentity(descriptor, named: path)
    try requireRegularFile(identity, named: path)
    guard identity.size <= limit else { throw FileError.tooLarge(limit: limit) }
    return (try read(descriptor, named: path, expecting: identity.size + 1, limit: limit), identity)
  }

  private static func requireRegularFile(_ identity: FileIdentity, named path: String) throws(FileError) {
    guard !identity.isRegularFile else { return }
    throw FileError(EINVAL, "cannot read \(path): it is no regular file")
  }

  /// All that can be read from a descriptor, such as standard input.
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
        throw FileError.tooLarge(limit: limit)
      }
    }
    return unsafe Data(bytesNoCopy: block, count: count, deallocator: .free)
  }

  /// The first bytes of a regular file; nil if there are none that can be read. Never waits for what a path leads to.
  package static func beginning(of path: String, count: Int) -> Data? {
    guard sizeOfRegularFile(path) != nil else { return nil }
    let descriptor = attempt(.open, path) { unsafe open(systemPath(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let received = unsafe bytes.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
    return received > 0 ? Data(bytes.prefix(received)) : nil
  }

  /// The last bytes of a regular file; nil if it has fewer, or cannot be read. Never waits for what a path leads to.
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

  /// Reads what a descriptor has at once, at most 64 KiB.
  ///
  /// - Parameter goesOn: returns false if a signal that interrupts the call is to end reading.
  /// - Returns: no bytes at the end, or if a signal has ended reading.
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

  /// A file as memory whose pages are read when they are looked at.
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

  /// Makes a file that must not exist yet, for its owner only, and has it filled. It need not be on the disk.
  package static func create(_ path: String, filledBy fill: (FileOutput) throws(FileError) -> Void) throws(FileError) {
    let descriptor = try perform(.create, "make", path) {
      unsafe open(systemPath(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    defer { _ = close(descriptor) }
    try fill(FileOutput(descriptor: descriptor, name: path))
  }

  /// Copies a regular file, piece by piece, to a path where nothing is, for its owner only. Nothing happens if there is
  /// no such file.
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

  /// Writes as much of `bytes` as the system takes at once. Returns how many bytes that is.
  static func write(_ bytes: RawSpan, to descriptor: Int32, named name: String) throws(FileError) -> Int {
    while true {
      let result = attempt(.write, name) {
        unsafe bytes.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
      }
      if result >= 0 { return result }
      guard errno == EINTR else { throw failure("write", name) }
    }
  }

  /// The descriptor, or another for the same file if it is one of the three standard ones.
  ///
  /// A process that has closed those goes on printing to them, and what it prints would get into the file.
  package static func aboveStandard(_ descriptor: Int32) -> Int32 {
    guard (0...2).contains(descriptor) else { return descriptor }
    let other = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    let code = errno
    _ = close(descriptor)
    errno = code
    return other
  }

  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Opens a file to read it. The caller closes the descriptor.
  package static func openToRead(_ path: String) throws(FileError) -> Int32 {
    try perform(.open, "open", path) { unsafe open(systemPath(path), O_RDONLY | O_CLOEXEC) }
  }
}

// Under names that this type's own functions do not hide.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, buffer, count)
}
