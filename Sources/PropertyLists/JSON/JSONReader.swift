internal import FoundationEssentials

/// Reads JSON (RFC 8259): finds the encoding of a file and leaves the text to ``JSONScanner``.
enum JSONReader {
  static func read(_ data: Data, options: PropertyListReadingOptions) throws(PropertyListError) -> TextContent {
    try options.limits.check(inputSize: data.count)
    var faults = FaultLog.first
    var replaced: [Range<Int>] = []
    let source = try (UnicodeEncoding.decode(data, faults: &faults) ?? TextSource(text: data)).checkingUTF8(
      faults: &faults, replaced: &replaced)
    guard !source.text.isEmpty else { throw TextSource.empty }
    var scanner = JSONScanner(source, options)
    try scanner.scan(source.text.bytes)
    return scanner.finish()
  }
}
