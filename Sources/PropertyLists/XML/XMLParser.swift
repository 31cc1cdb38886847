internal import FoundationEssentials

/// The slow lane: libxml2 reads the XML, decides what is well-formed and words the errors; ``XMLHandler`` makes nodes
/// of its events.
enum XMLParser {
  /// - Parameter faults: where every fault goes. If there is room for more than one, libxml2 begins anew behind each
  ///   text that is not well-formed.
  static func parse(
    _ source: TextSource, options: PropertyListReadingOptions, faults: inout FaultLog
  ) throws(PropertyListError) -> TextContent {
    let handler = XMLHandler(try checkBeginning(source, faults: &faults), source, options, faults)
    var isWellFormed = false
    repeat { isWellFormed = try LibXML2.parse(handler) } while handler.resumes()
    faults = handler.faults
    return try handler.finish(isWellFormed: isWellFormed)
  }

  /// Refuses what libxml2 would guess another encoding from, though the text is UTF-8 by now: it looks for a NUL among
  /// the first bytes, for a byte order mark, and for a `<` of EBCDIC. It also takes a NUL for the end of the text.
  ///
  /// - Returns: the text with blanks instead.
  private static func checkBeginning(
    _ source: TextSource, faults: inout FaultLog
  ) throws(PropertyListError) -> TextSource {
    let bytes = source.text.bytes
    var mended: [UInt8] = []
    var places = PlaceIndex(source)
    var next = 0
    while let place = bytes.firstIndex(of: 0, from: next) {
      try faults.report(malformed("the character U+0000", places.place(place)))
      if mended.isEmpty {
        mended = Array(source.text)
        // It is text in another encoding.
        guard 4 * mended.count(where: { $0 == 0 }) < mended.count else { throw faults.faults[0] }
      }
      next = place
      while next < mended.count, mended[next] == 0 {
        mended[next] = UInt8(ascii: " ")
        next += 1
      }
    }
    guard bytes.byteCount > 0, bytes[0] == UInt8(ascii: "<") || XMLText.isSpace(bytes[0]) || bytes[0] == 0 else {
      try faults.report(malformed("text before the first tag", places.place(0)))
      guard let first = bytes.firstIndex(of: UInt8(ascii: "<"), from: 0) else { throw faults.faults[0] }
      if mended.isEmpty { mended = Array(source.text) }
      for index in 0..<first { mended[index] = UInt8(ascii: " ") }
      return TextSource(text: Data(mended), start: source.start, unitWidth: source.unitWidth)
    }
    guard !mended.isEmpty else { return source }
    return TextSource(text: Data(mended), start: source.start, unitWidth: source.unitWidth)
  }

  private static func malformed(_ message: String, _ place: TextSource.Place) -> PropertyListError {
    PropertyListError(.malformed, message, byteOffset: place.byteOffset, position: place.position)
  }
}
