package import FoundationEssentials
package import SystemFiles

extension PropertyListError {
  /// Creates an error with the system's message and path, or ``Kind/limitExceeded`` for a file that is too large.
  package init(_ error: FileError) {
    if let limit = error.limit {
      self = ParsingLimits.tooLarge(limit: limit)
    } else {
      self.init(.inputOutput(errno: error.code), error.message)
    }
  }

  /// Performs file operations and converts their errors to errors of property lists.
  package static func converting<Result: ~Copyable>(
    _ body: () throws(FileError) -> Result
  ) throws(PropertyListError) -> Result {
    do { return try body() } catch { throw PropertyListError(error) }
  }

  /// Performs a single file operation and converts its error to an error of property lists.
  package static func converting<Result: ~Copyable>(
    _ call: @autoclosure () throws(FileError) -> Result
  ) throws(PropertyListError) -> Result {
    do { return try call() } catch { throw PropertyListError(error) }
  }
}

extension URL {
  /// The path of a file URL.
  package var filePath: String {
    get throws(PropertyListError) {
      guard isFileURL else {
        throw PropertyListError(.inputOutput(errno: EINVAL), "\(absoluteString.quoted) is not a file URL")
      }
      return path
    }
  }
}

extension Data {
  /// Replaces the contents of a file by these bytes atomically; see ``FileSystem/replace(_:with:)``.
  package func replaceFile(at url: URL) throws(PropertyListError) {
    let path = try url.filePath
    try PropertyListError.converting(FileSystem.replace(path, with: self))
  }
}

extension ByteBuffer {
  /// Writes the bytes to a file and empties the buffer.
  package mutating func drain(to output: FileOutput) throws(PropertyListError) {
    try PropertyListError.converting(output.write(bytes))
    truncate(to: 0)
  }
}
