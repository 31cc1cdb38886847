internal import FoundationEssentials

/// Reads the XML format.
///
/// ``PlainXMLReader`` reads the dialect that property list writers emit. What it does not know, from the first
/// character on, is read by ``XMLTokenReader``, which finds everything that is wrong. If it finds nothing, libxml2 has
/// the last word on whether the text is well-formed XML.
enum XMLReader {
  /// - Parameter faults: where every fault goes.
  static func read(
    _ source: TextSource, _ options: PropertyListReadingOptions, _ faults: inout FaultLog
  ) throws(PropertyListError) -> TextContent {
    let bytes = source.text.bytes
    let start = XMLLexer.documentStart(in: bytes)
    if faults.faults.isEmpty, let table = PlainXMLReader.read(bytes, from: start, options: options) {
      return TextContent(text: source.text, table: table)
    }
    return try readThoroughly(source, from: start, options: options, faults: &faults)
  }

  /// - Parameter start: where the document begins in the source.
  static func readThoroughly(
    _ source: TextSource, from start: Int, options: PropertyListReadingOptions, faults: inout FaultLog
  ) throws(PropertyListError) -> TextContent {
    let bytes = source.text.bytes
    var reader = XMLTokenReader(source, bytes, from: start, options, faults)
    reader.read()
    faults = reader.faults
    // libxml2 would refuse the characters.
    if faults.faults.isEmpty, !options.allowsAllXMLCharacters,
      let fault = try LibXML2.fault(in: bytes.extracting(start...))
    {
      var reader = XMLTokenReader(source, bytes, from: start, options, faults)
      reader.read(until: start + fault.place)
      reader.fail(fault.message, at: start + fault.place)
      faults = reader.faults
    }
    if let fault = faults.faults.first { throw fault }
    return reader.finish()
  }
}
