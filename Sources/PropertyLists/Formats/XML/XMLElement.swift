/// The elements of the XML format, by the names of their tags.
enum XMLElement: String {
  case plist, dict, array, key, string, data, integer, real, date
  case `true`, `false`

  /// The value of an element with text, or what is wrong with it. Both lanes ask here.
  ///
  /// - Parameter range: where the text stands in `bytes`.
  static func scalar(_ element: XMLElement, _ bytes: RawSpan, _ range: Range<Int>) -> Result<FlatNode, Defect> {
    let text = bytes.extracting(range)
    switch element {
    case .integer:
      guard let value = IntegerText.parse(text) else {
        return .failure(Defect("<integer> holds no integer of 64 bits", text))
      }
      return .success(.integer(value))
    case .real:
      // Apple's reader passes over white space before the number, and over none after it.
      var start = 0
      while start < text.byteCount, text[start].isWhiteSpace { start += 1 }
      guard let value = RealText.parse(text.extracting(start...)) else {
        return .failure(Defect("<real> holds no number", text))
      }
      return .success(.real(value))
    case .date:
      guard let value = DateText.parse(text) else {
        return .failure(Defect("<date> holds no date of the form YYYY-MM-DDThh:mm:ssZ", text))
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

    /// With the text itself, if it is short.
    init(_ message: String, _ text: RawSpan) {
      if text.byteCount <= 40, text.isASCII {
        self.message = "\(message): \(String(knownUTF8: text, isASCII: true).quoted)"
      } else {
        self.message = message
      }
    }
  }
}
