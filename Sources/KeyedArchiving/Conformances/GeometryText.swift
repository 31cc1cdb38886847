@_spi(Archives) internal import PropertyLists

/// The text that Apple's archives have for points, sizes and rectangles: numbers in braces, `{1, 2.5}` or
/// `{{0, 0}, {640, 480}}`.
enum GeometryText {
  /// Two numbers in braces.
  static func text(_ first: Double, _ second: Double) throws -> String {
    "{\(try text(first)), \(try text(second))}"
  }

  /// A number, as short as it can be and still be read as the same. Without a fraction it has no point.
  private static func text(_ number: Double) throws -> String {
    guard !number.isNaN else { throw KeyedArchiveError(.invalidValue, "a coordinate that is not a number") }
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Reads through a text from the beginning to the end.
  struct Scanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// `{`, a number, a comma, a number, `}`; nil if something else is next.
    mutating func pair() -> (Double, Double)? {
      guard skip("{"), let first = number(), separator(), let second = number(), skip("}") else { return nil }
      return (first, second)
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    /// A comma, and any number of blanks.
    mutating func separator() -> Bool {
      guard skip(",") else { return false }
      while skip(" ") {}
      return true
    }

    /// A decimal number, or an infinite one. What is too large for a number is none.
    private mutating func number() -> Double? {
      let text = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
      rest = rest[text.endIndex...]
      switch String(Substring(text)) {
      case "inf": return .infinity
      case "-inf": return -.infinity
      case let text:
        // Hexadecimal digits and names of numbers, which Double reads, are none of these characters.
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text),
          number.isFinite
        else { return nil }
        return number
      }
    }
  }
}

extension KeyedUnarchiver {
  /// A value that is kept as text.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidContents`` for a text that is none.
  func decodeGeometry<T>(forRawKey key: String, _ read: (String) -> T?) throws -> T {
    let text = try decode(String.self, forRawKey: key)
    try spend(remaking: text.utf8.count)
    guard let value = read(text) else {
      throw failure(.invalidContents, "\(text.quoted) is no \(T.self)")
    }
    return value
  }

  private func decodeGeometry<T>(forUserKey key: String, _ read: (String) -> T?) throws -> T {
    try decodeGeometry(forRawKey: key.utf8.first == UInt8(ascii: "$") ? "$" + key : key, read)
  }

  /// Decodes a point that ``KeyedArchiver/encodePoint(_:forKey:)`` has encoded, or Apple's `encodePoint:forKey:`.
  ///
  /// - Throws: ``KeyedArchiveError``: ``KeyedArchiveError/Kind/valueNotFound`` if there is none,
  ///   ``KeyedArchiveError/Kind/invalidContents`` for a text that is no point.
  public func decodePoint(forKey key: String) throws -> Archived.Point {
    try decodeGeometry(forUserKey: key) { Archived.Point($0) }
  }

  /// Decodes a size that ``KeyedArchiver/encodeSize(_:forKey:)`` has encoded, or Apple's `encodeSize:forKey:`.
  ///
  /// - Throws: as ``decodePoint(forKey:)``.
  public func decodeSize(forKey key: String) throws -> Archived.Size {
    try decodeGeometry(forUserKey: key) { Archived.Size($0) }
  }

  /// Decodes a rectangle that ``KeyedArchiver/encodeRect(_:forKey:)`` has encoded, or Apple's `encodeRect:forKey:`.
  ///
  /// - Throws: as ``decodePoint(forKey:)``.
  public func decodeRect(forKey key: String) throws -> Archived.Rect {
    try decodeGeometry(forUserKey: key) { Archived.Rect($0) }
  }
}

extension KeyedArchiver {
  /// Encodes a point as text, as Apple's `encodePoint:forKey:` does. `encode(_:forKey:)` makes an `NSValue` of it
  /// instead.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for a coordinate that is not a number.
  public func encodePoint(_ point: Archived.Point, forKey key: String) throws {
    try encode(userKey: key) { coder in try coder.reference(toText: try point.text()).node }
  }

  /// Encodes a size as text, as Apple's `encodeSize:forKey:` does.
  ///
  /// - Throws: as ``encodePoint(_:forKey:)``.
  public func encodeSize(_ size: Archived.Size, forKey key: String) throws {
    try encode(userKey: key) { coder in try coder.reference(toText: try size.text()).node }
  }

  /// Encodes a rectangle as text, as Apple's `encodeRect:forKey:` does.
  ///
  /// - Throws: as ``encodePoint(_:forKey:)``.
  public func encodeRect(_ rect: Archived.Rect, forKey key: String) throws {
    try encode(userKey: key) { coder in try coder.reference(toText: try rect.text()).node }
  }
}
