internal import FoundationEssentials

/// Reads JSON (RFC 8259): finds the encoding of a file and leaves the text to ``JSONTokenReader``.
enum JSONReader {
  /// - Parameter faults: where every fault goes. If there is room for more than one, the reader mends what is wrong.
  static func read(
    _ data: Data, options: PropertyListReadingOptions, faults: inout FaultLog
  ) throws(PropertyListError) -> TextContent {
    try options.limits.check(inputSize: data.count)
    let original = try UnicodeEncoding.decode(data, faults: &faults) ?? TextSource(text: data)
    let source = try original.checkingUTF8(faults: &faults)
    guard !source.text.isEmpty else { throw TextSource.empty }
    let bytes = source.text.bytes
    var reader = JSONTokenReader(source, bytes, original, options, faults)
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
