package import FoundationEssentials

extension TextSource {
  /// Decodes an input, or returns nil for the binary format.
  ///
  /// - Parameter defects: Receives the byte sequences that are invalid in the encoding.
  package init?(_ data: Data, _ format: PropertyListFormat, defects: inout DefectLog) throws(PropertyListError) {
    guard let text = format.format.text else { return nil }
    self = try text.decode(data, &defects)
  }

  /// Decodes an input and ignores invalid bytes. Returns nil if the format is binary or unknown.
  package init?(lenient data: Data, _ format: PropertyListFormat?) {
    guard let format = format ?? PropertyListFormat(detecting: data.bytes), format != .binary else { return nil }
    var defects = DefectLog.none
    self = (try? TextSource(data, format, defects: &defects)) ?? TextSource(text: data)
  }

  /// Returns the name of the encoding of an input, such as `UTF-16`, and true if it has a byte order mark.
  package static func encoding(of data: Data, _ format: PropertyListFormat) -> (name: String, hasMark: Bool) {
    let detected = UnicodeEncoding.detect(data.bytes)
    let hasMark = (detected?.markLength ?? 0) > 0
    switch detected?.encoding {
    case .utf16: return ("UTF-16", hasMark)
    case .utf32: return ("UTF-32", hasMark)
    case .utf8: return ("UTF-8", hasMark)
    case nil: return (format.format.text?.declaredEncoding(data.bytes) ?? "UTF-8", hasMark)
    }
  }
}
