internal import FoundationEssentials

/// A file without a name, for bytes that are used only after all of them have been written. It is deleted with this
/// value.
package struct TemporaryFile: ~Copyable {
  package let output: FileOutput

  /// Creates a file in the folder for temporary files, or returns nil if that fails.
  package init?() {
    let template = FileManager.default.temporaryDirectory.path + "/plist-XXXXXX"
    var path = Array(template.utf8CString)
    // Memory-safe: the template ends with a NUL, and the call writes only within it.
    let descriptor = FileSystem.attempt(.open, template) { FileSystem.aboveStandard(unsafe mkstemp(&path)) }
    guard descriptor >= 0 else { return nil }
    _ = FileSystem.attempt(.unlink, template) { unsafe unlink(path) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    output = FileOutput(descriptor: descriptor, name: "a temporary file")
  }

  deinit { _ = close(output.descriptor) }

  /// Copies the contents of this file to another one.
  package func copy(to other: FileOutput) throws(FileError) {
    guard lseek(output.descriptor, 0, SEEK_SET) == 0 else { throw FileSystem.failure("read", output.name) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { unsafe buffer.deallocate() }
    while true {
      let count = FileSystem.attempt(.read, output.name) {
        unsafe read(output.descriptor, buffer.baseAddress, buffer.count)
      }
      if count == 0 { return }
      if count > 0 {
        // Memory-safe: the call has filled this many bytes of the buffer, which outlives the span.
        try other.write(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count])))
      } else if errno != EINTR {
        throw FileSystem.failure("read", output.name)
      }
    }
  }
}
