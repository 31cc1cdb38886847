internal import PropertyLists

/// The formats of pictures that a page shows, which cannot contain scripts. A format is detected from the first bytes.
enum PictureFormat: String {
  case png, jpeg, gif, webp

  /// The greatest number of pixels of a picture that is shown. A few bytes can describe more pixels than a browser has
  /// memory for.
  private static let greatestPixelCount = 1 << 26

  init?(_ bytes: RawSpan) {
    guard bytes.byteCount >= 12 else { return nil }
    if bytes.starts(with: "PNG\r\n", at: 1), bytes[0] == 0x89, bytes[6] == 0x1A, bytes[7] == 0x0A {
      self = .png
    } else if bytes[0] == 0xFF, bytes[1] == 0xD8, bytes[2] == 0xFF {
      self = .jpeg
    } else if bytes.starts(with: "GIF87a") || bytes.starts(with: "GIF89a") {
      self = .gif
    } else if bytes.starts(with: "RIFF"), bytes.starts(with: "WEBP", at: 8) {
      self = .webp
    } else {
      return nil
    }
    if let count = pixelCount(bytes), count > Self.greatestPixelCount { return nil }
  }

  /// Returns the product of width and height; nil if the header cannot be parsed.
  private func pixelCount(_ bytes: RawSpan) -> Int? {
    switch self {
    case .png:
      // Width and height have 4 bytes each, after the signature and the header of the first chunk.
      guard bytes.byteCount >= 24 else { return nil }
      func side(_ start: Int) -> Int { (start..<start + 4).reduce(0) { $0 << 8 | Int(bytes[$1]) } }
      let (count, overflow) = side(16).multipliedReportingOverflow(by: side(20))
      return overflow ? .max : count
    case .gif: return (Int(bytes[6]) | Int(bytes[7]) << 8) * (Int(bytes[8]) | Int(bytes[9]) << 8)
    case .jpeg: return pixelCountOfJPEG(bytes)
    case .webp: return pixelCountOfWebP(bytes)
    }
  }

  /// Returns the number of pixels from the first frame header (ITU T.81, B.2.2).
  private func pixelCountOfJPEG(_ bytes: RawSpan) -> Int? {
    func number(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
    var offset = 2
    while offset + 9 <= bytes.byteCount, bytes[offset] == 0xFF {
      switch bytes[offset + 1] {
      case 0xFF: offset += 1
      // These markers begin tables, not frames.
      case 0xC4, 0xC8, 0xCC: offset += 2 + number(offset + 2)
      case 0xC0...0xCF: return number(offset + 5) * number(offset + 7)
      default: offset += 2 + number(offset + 2)
      }
    }
    return nil
  }

  /// Returns the number of pixels from the first chunk (RFC 9649, 2.5 to 2.7).
  private func pixelCountOfWebP(_ bytes: RawSpan) -> Int? {
    guard bytes.byteCount >= 30 else { return nil }
    func number(_ range: Range<Int>) -> Int { range.reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) } }
    if bytes.starts(with: "VP8X", at: 12) { return (number(24..<27) + 1) * (number(27..<30) + 1) }
    if bytes.starts(with: "VP8 ", at: 12) { return (number(26..<28) & 0x3FFF) * (number(28..<30) & 0x3FFF) }
    let sides = number(21..<25)
    return bytes.starts(with: "VP8L", at: 12) ? (sides & 0x3FFF + 1) * (sides >> 14 & 0x3FFF + 1) : nil
  }
}
