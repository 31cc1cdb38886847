internal import FoundationEssentials

/// Reads JSON (RFC 8259): finds the encoding of a file and leaves the text to ``JSONScanner``.
enum JSONReader {
  static func read(_ data: Data, options: PropertyListReadingOptions) throws(PropertyListError) -> TextContent {
    var faults = FaultLog.first
    return try read(data, options: options, faults: &faults)
  }

  /// - Parameter faults: where every fault goes. If there is room for more than one, the scanner mends what is wrong.
  static func read(
    _ data: Data, options: PropertyListReadingOptions, faults: inout FaultLog
  ) throws(PropertyListError) -> TextContent {
    try options.limits.check(inputSize: data.count)
    let original = try UnicodeEncoding.decode(data, faults: &faults) ?? TextSource(text: data)
    let source = try original.checkingUTF8(faults: &faults)
    guard !source.text.isEmpty else { throw TextSource.empty }
    var scanner = JSONScanner(source, original, options, faults)
    do throws(PropertyListError) {
      try scanner.scan(source.text.bytes)
    } catch {
      faults = scanner.faults
      throw error
    }
    faults = scanner.faults
    return scanner.finish()
  }
}
