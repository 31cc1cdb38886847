internal import FoundationEssentials

/// The reader of the XML format.
///
/// ``PlainXMLReader`` reads the dialect that property list writers emit. If it gives up, ``XMLTokenReader`` reads the
/// text from the beginning and finds all errors. If it finds no errors, libxml2 decides whether the text is well-formed
/// XML.
enum XMLReader {
  /// Reads an XML text.
  ///
  /// - Parameter defects: Receives every defect.
  static func read(
    _ source: TextSource, _ options: PropertyListReadingOptions, _ defects: inout DefectLog
  ) throws(PropertyListError) -> TextContent {
    let bytes = source.text.bytes
    let start = XMLLexer.documentStart(in: bytes)
    if defects.defects.isEmpty, let table = PlainXMLReader.read(bytes, from: start, options: options) {
      return TextContent(text: source.text, table: table)
    }
    return try readThoroughly(source, from: start, options: options, defects: &defects)
  }

  /// Reads an XML text with ``XMLTokenReader`` and libxml2.
  ///
  /// - Parameter start: The offset of the document in the source.
  static func readThoroughly(
    _ source: TextSource, from start: Int, options: PropertyListReadingOptions, defects: inout DefectLog
  ) throws(PropertyListError) -> TextContent {
    let bytes = source.text.bytes
    var reader = XMLTokenReader(source, bytes, from: start, options, defects)
    reader.read()
    defects = reader.defects
    // libxml2 rejects the characters that `allowsAllXMLCharacters` allows.
    if defects.defects.isEmpty, !options.allowsAllXMLCharacters,
      let defect = try LibXML2.defect(in: bytes.extracting(start...))
    {
      var reader = XMLTokenReader(source, bytes, from: start, options, defects)
      reader.read(until: start + defect.offset)
      reader.fail(defect.message, at: start + defect.offset)
      defects = reader.defects
    }
    if let defect = defects.defects.first { throw defect }
    return reader.finish()
  }
}
