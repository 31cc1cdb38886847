internal import FoundationEssentials

/// Reads the XML format, on two lanes that agree.
///
/// ``PlainXMLScanner`` reads the dialect that property list writers emit, at the speed of memory. What it does not
/// know, from the first character on, goes to ``XMLParser``, where libxml2 decides what is well-formed. The scanner
/// reports no errors: an input that has one is none it knows.
enum XMLReader {
  static func read(_ data: Data, options: PropertyListReadingOptions) throws(PropertyListError) -> TextContent {
    var faults = FaultLog.first
    let source = try XMLEncoding.decode(data, faults: &faults)
    let start = XMLText.documentStart(in: source.text.bytes)
    if let table = PlainXMLScanner.scan(source.text.bytes, from: start, options: options) {
      return TextContent(text: source.text, table: table)
    }
    return try XMLParser.parse(source, options: options, faults: &faults)
  }

  /// Everything that is wrong, up to the limit of the log.
  static func read(
    _ data: Data, options: PropertyListReadingOptions, faults: inout FaultLog
  ) throws(PropertyListError) {
    let source = try XMLEncoding.decode(data, faults: &faults)
    _ = try XMLParser.parse(source, options: options, faults: &faults)
  }
}
