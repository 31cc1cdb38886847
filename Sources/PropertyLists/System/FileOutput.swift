package import FoundationEssentials

/// A file that is being written, or standard output.
package struct FileOutput: Sendable {
  let descriptor: Int32
  /// How errors name it.
  let name: String

  package static let standard = FileOutput(descriptor: 1, name: "standard output")

  /// Writes all of `data`.
  package func write(_ data: Data) throws(PropertyListError) { try write(data.bytes) }

  /// Writes all of `bytes`.
  func write(_ bytes: RawSpan) throws(PropertyListError) {
    var written = 0
    while written < bytes.byteCount {
      written += try FileSystem.write(bytes.extracting(written...), to: descriptor, named: name)
    }
  }
}
