internal import FoundationEssentials

/// Reads JSON (RFC 8259).
enum JSONReader {
  static func read(_ data: Data, options: PropertyListReadingOptions) throws(PropertyListError) -> TextContent {
    throw PropertyListError(.unsupportedVersion, "JSON is not read yet", byteOffset: 0)
  }
}
