internal import FoundationEssentials

/// Reads the OpenStep format: finds the encoding of a file and leaves the text to ``OpenStepScanner``.
enum OpenStepReader {
  static func read(_ data: Data, options: PropertyListReadingOptions) throws(PropertyListError) -> TextContent {
    try options.limits.check(inputSize: data.count)
    let source = try UnicodeEncoding.decode(data) ?? TextSource(text: data)
    try source.checkUTF8()
    return try read(source, options: options)
  }

  /// - Parameter text: places in it are counted in bytes of UTF-8. A byte order mark at its beginning is skipped, as in
  ///   a file.
  static func read(_ text: String, options: PropertyListReadingOptions) throws(PropertyListError) -> TextContent {
    let bytes = text.utf8
    try options.limits.check(inputSize: bytes.count)
    let markLength = bytes.starts(with: "\u{FEFF}".utf8) ? 3 : 0
    return try read(TextSource(text: Data(bytes.dropFirst(markLength)), start: markLength), options: options)
  }

  private static func read(
    _ source: TextSource, options: PropertyListReadingOptions
  ) throws(PropertyListError) -> TextContent {
    guard !source.text.isEmpty else { throw TextSource.empty }
    var scanner = OpenStepScanner(source, options)
    try scanner.scan(source.text.bytes)
    return scanner.finish()
  }
}
