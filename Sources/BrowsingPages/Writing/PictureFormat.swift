internal import PropertyLists

/// The pictures that a page shows: those of formats that hold no programs, told by how they begin.
enum PictureFormat: String {
  case png, jpeg, gif, webp

  /// A few bytes of PNG and GIF can stand for more pixels than a browser has memory for. JPEG and WebP have limits that
  /// keep them in proportion.
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

  /// The product of width and height, as far as the head of the file is told here.
  private func pixelCount(_ bytes: RawSpan) -> Int? {
    switch self {
    case .png:
      // Both in 4 bytes, behind the signature and the head of the first chunk.
      guard bytes.byteCount >= 24 else { return nil }
      let sides = [16, 20].map { start in (start..<start + 4).reduce(0) { $0 << 8 | Int(bytes[$1]) } }
      let (count, overflow) = sides[0].multipliedReportingOverflow(by: sides[1])
      return overflow ? .max : count
    case .gif: return (Int(bytes[6]) | Int(bytes[7]) << 8) * (Int(bytes[8]) | Int(bytes[9]) << 8)
    case .jpeg, .webp: return nil
    }
  }
}
