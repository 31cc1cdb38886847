internal import FoundationEssentials

/// Reads the OpenStep format: finds the encoding of a file and leaves the text to ``OpenStepTokenReader``.
enum OpenStepReader {
  /// - Parameter faults: where every fault goes. If there is room for more than one, the reader mends what is wrong.
  static func read(
    _ data: Data, options: PropertyListReadingOptions, faults: inout FaultLog
  ) throws(PropertyListError) -> TextContent {
    try options.limits.check(inputSize: data.count)
    let source = try UnicodeEncoding.decode(data, faults: &faults) ?? TextSource(text: data)
    return try read(source.checkingUTF8(faults: &faults), source, options: options, faults: &faults)
  }

  /// - Parameter text: places in it are counted in bytes of UTF-8. A byte order mark at its beginning is skipped, as in
  ///   a file.
  static func read(_ text: String, options: PropertyListReadingOptions) throws(PropertyListError) -> TextContent {
    let bytes = text.utf8
    try options.limits.check(inputSize: bytes.count)
    let markLength = bytes.starts(with: "\u{FEFF}".utf8) ? 3 : 0
    let source = TextSource(text: Data(bytes.dropFirst(markLength)), start: markLength)
    var faults = FaultLog.first
    return try read(source, source, options: options, faults: &faults)
  }

  private static func read(
    _ source: TextSource, _ original: TextSource, options: PropertyListReadingOptions, faults: inout FaultLog
  ) throws(PropertyListError) -> TextContent {
    guard !source.text.isEmpty else { throw TextSource.empty }
    var reader = OpenStepTokenReader(source.text.bytes, original, options, faults)
    do throws(PropertyListError) {
      try reader.read()
    } catch {
      faults = reader.faults
      throw error
    }
    faults = reader.faults
    return reader.finish()
  }
}
