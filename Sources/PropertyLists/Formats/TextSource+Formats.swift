package import FoundationEssentials

extension TextSource {
  /// - Parameter defects: where bytes go that are not in the encoding.
  /// - Returns: nil for the binary format.
  package init?(_ data: Data, _ format: PropertyListFormat, defects: inout DefectLog) throws(PropertyListError) {
    guard let text = format.format.text else { return nil }
    self = try text.decode(data, &defects)
  }

  /// The text of an input, whatever is wrong with its bytes; nil for the binary format, and for no format.
  package init?(lenient data: Data, _ format: PropertyListFormat?) {
    guard let format = format ?? PropertyListFormat(detecting: data.bytes), format != .binary else { return nil }
    var defects = DefectLog.none
    self = (try? TextSource(data, format, defects: &defects)) ?? TextSource(text: data)
  }

  /// The name of the encoding of an input, as in `UTF-16`, and whether it has a byte order mark.
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
