/// The elements of the XML format, by the names of their tags.
enum XMLElement: String {
  case plist, dict, array, key, string, data, integer, real, date
  case `true`, `false`

  /// Returns the value of an element with text, or its defect. Used by both XML readers.
  ///
  /// - Parameter range: The range of the text in `bytes`.
  static func scalar(_ element: XMLElement, _ bytes: RawSpan, _ range: Range<Int>) -> Result<FlatNode, Defect> {
    let text = bytes.extracting(range)
    switch element {
    case .integer:
      guard let value = IntegerText.parse(text) else {
        return .failure(Defect("expected a 64-bit integer in <integer>", text))
      }
      return .success(.integer(value))
    case .real:
      // Apple's reader accepts white space before the number, but not after it.
      var start = 0
      while start < text.byteCount, text[start].isWhiteSpace { start += 1 }
      guard let value = RealText.parse(text.extracting(start...)) else {
        return .failure(Defect("expected a number in <real>", text))
      }
      return .success(.real(value))
    case .date:
      guard let value = DateText.parse(text) else {
        return .failure(Defect("expected a date of the form YYYY-MM-DDThh:mm:ssZ in <date>", text))
      }
      return .success(.date(value))
    case .data:
      if let defect = Base64Text.defect(in: text, called: "<data>") { return .failure(Defect(message: defect)) }
      return .success(.data(.base64, offset: range.lowerBound, length: range.count))
    case .string, .key: return .success(.string(.verbatim, offset: range.lowerBound, length: range.count))
    case .plist, .dict, .array, .true, .false: return .failure(Defect(message: "text in <\(element.rawValue)>"))
    }
  }

  struct Defect: Error {
    let message: String

    init(message: String) { self.message = message }

    /// Creates a defect whose message includes the text, if it is short ASCII text.
    init(_ message: String, _ text: RawSpan) {
      if text.byteCount <= 40, text.isASCII {
        self.message = "\(message), found \(String(knownUTF8: text, isASCII: true).quoted)"
      } else {
        self.message = message
      }
    }
  }
}
