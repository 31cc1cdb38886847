package import FoundationEssentials

/// A file that is being written, or one of the standard outputs.
package struct FileOutput: Sendable {
  let descriptor: Int32
  /// The name in error messages.
  let name: String

  package init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  package static let standard = FileOutput(descriptor: 1, name: "standard output")
  package static let standardError = FileOutput(descriptor: 2, name: "standard error")

  /// Writes all of `data`.
  package func write(_ data: Data) throws(FileError) { try write(data.bytes) }

  /// Writes all of `bytes`.
  package func write(_ bytes: RawSpan) throws(FileError) {
    var written = 0
    while written < bytes.byteCount {
      written += try FileSystem.write(bytes.extracting(written...), to: descriptor, named: name)
    }
  }
}
