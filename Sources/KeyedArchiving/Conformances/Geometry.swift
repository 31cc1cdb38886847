@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSPoint`, which is archived as an `NSValue`.
  public struct Point: SecureCoding, Hashable, Sendable {
    public static let archivedClass = Value.archivedClass

    /// The horizontal coordinate.
    public var x: Double
    /// The vertical coordinate.
    public var y: Double

    /// Creates a point. NaN cannot be archived.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }

    public init(coder: KeyedUnarchiver) throws {
      self = try Value.content("point", coder) { if case .point(let content) = $0 { content } else { nil } }
    }

    public func encode(with coder: KeyedArchiver) throws { try Value.point(self).encode(with: coder) }

    init?(_ text: String) {
      var scanner = GeometryText.Scanner(text)
      guard let (x, y) = scanner.pair(), scanner.isAtEnd else { return nil }
      self.init(x: x, y: y)
    }

    func text() throws -> String { try GeometryText.text(x, y) }
  }

  /// `NSSize`, which is archived as an `NSValue`.
  public struct Size: SecureCoding, Hashable, Sendable {
    public static let archivedClass = Value.archivedClass

    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a size. NaN cannot be archived.
    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }

    public init(coder: KeyedUnarchiver) throws {
      self = try Value.content("size", coder) { if case .size(let content) = $0 { content } else { nil } }
    }

    public func encode(with coder: KeyedArchiver) throws { try Value.size(self).encode(with: coder) }

    init?(_ text: String) {
      var scanner = GeometryText.Scanner(text)
      guard let (width, height) = scanner.pair(), scanner.isAtEnd else { return nil }
      self.init(width: width, height: height)
    }

    func text() throws -> String { try GeometryText.text(width, height) }
  }

  /// `NSRect`, which is archived as an `NSValue`.
  ///
  /// ```swift
  /// let frame = Archived.Rect(x: 0, y: 0, width: 640, height: 480)
  /// try coder.encode(frame, forKey: "frame")  // an NSValue with "{{0, 0}, {640, 480}}"
  /// ```
  public struct Rect: SecureCoding, Hashable, Sendable {
    public static let archivedClass = Value.archivedClass

    /// The corner with the lowest coordinates.
    public var origin: Point
    /// The width and height.
    public var size: Size

    /// Creates a rectangle. NaN cannot be archived.
    public init(origin: Point, size: Size) {
      self.origin = origin
      self.size = size
    }

    /// Creates a rectangle from its coordinates, width and height. NaN cannot be archived.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
    }

    public init(coder: KeyedUnarchiver) throws {
      self = try Value.content("rectangle", coder) { if case .rect(let content) = $0 { content } else { nil } }
    }

    public func encode(with coder: KeyedArchiver) throws { try Value.rect(self).encode(with: coder) }

    init?(_ text: String) {
      var scanner = GeometryText.Scanner(text)
      guard scanner.skip("{"), let (x, y) = scanner.pair(), scanner.separator(), let (width, height) = scanner.pair(),
        scanner.skip("}"), scanner.isAtEnd
      else { return nil }
      self.init(x: x, y: y, width: width, height: height)
    }

    func text() throws -> String { "{\(try origin.text()), \(try size.text())}" }
  }
}

/// The text form of points, sizes and rectangles in Apple's archives: numbers in braces, `{1, 2.5}` or `{{0, 0}, {640,
/// 480}}`.
enum GeometryText {
  static func text(_ first: Double, _ second: Double) throws -> String { "{\(try text(first)), \(try text(second))}" }

  /// Returns the shortest text that is read as the same number. A whole number has no decimal point.
  private static func text(_ number: Double) throws -> String {
    guard !number.isNaN else { throw KeyedArchiveError(.invalidValue, "a coordinate is not a number") }
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A scanner that reads the text form of points, sizes and rectangles.
  struct Scanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads `{`, a number, a comma, a number and `}`. Returns nil if the text differs.
    mutating func pair() -> (Double, Double)? {
      guard skip("{"), let first = number(), separator(), let second = number(), skip("}") else { return nil }
      return (first, second)
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    mutating func separator() -> Bool {
      guard skip(",") else { return false }
      while skip(" ") {}
      return true
    }

    /// Reads a decimal number or infinity. Returns nil for a number that is too large for a `Double`.
    private mutating func number() -> Double? {
      let text = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
      rest = rest[text.endIndex...]
      switch String(Substring(text)) {
      case "inf": return .infinity
      case "-inf": return -.infinity
      case let text:
        // Other characters are not allowed, because `Double` also reads hexadecimal digits and names such as "nan".
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text), number.isFinite
        else { return nil }
        return number
      }
    }
  }
}

extension KeyedUnarchiver {
  func decodeGeometry<T>(forRawKey key: String, _ read: (String) -> T?) throws -> T {
    let text = try decode(String.self, forRawKey: key)
    try spend(remaking: text.utf8.count)
    guard let value = read(text) else { throw failure(.invalidContents, "\(text.quoted) is not a valid \(T.self)") }
    return value
  }

  private func decodeGeometry<T>(forUserKey key: String, _ read: (String) -> T?) throws -> T {
    try decodeGeometry(forRawKey: ArchiveKey.escaped(key), read)
  }

  /// Decodes a point that was encoded by ``KeyedArchiver/encodePoint(_:forKey:)`` or Apple's `encodePoint:forKey:`.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/valueNotFound`` if the key has no value,
  ///   ``KeyedArchiveError/Kind/invalidContents`` if the text is not a point, or another ``KeyedArchiveError``.
  public func decodePoint(forKey key: String) throws -> Archived.Point {
    try decodeGeometry(forUserKey: key) { Archived.Point($0) }
  }

  /// Decodes a size that was encoded by ``KeyedArchiver/encodeSize(_:forKey:)`` or Apple's `encodeSize:forKey:`.
  ///
  /// - Throws: The errors of ``decodePoint(forKey:)``.
  public func decodeSize(forKey key: String) throws -> Archived.Size {
    try decodeGeometry(forUserKey: key) { Archived.Size($0) }
  }

  /// Decodes a rectangle that was encoded by ``KeyedArchiver/encodeRect(_:forKey:)`` or Apple's `encodeRect:forKey:`.
  ///
  /// - Throws: The errors of ``decodePoint(forKey:)``.
  public func decodeRect(forKey key: String) throws -> Archived.Rect {
    try decodeGeometry(forUserKey: key) { Archived.Rect($0) }
  }
}

extension KeyedArchiver {
  /// Encodes a point as text, as Apple's `encodePoint:forKey:` does. To encode it as an `NSValue`, use
  /// `encode(_:forKey:)`.
  ///
  /// ```swift
  /// try coder.encodePoint(Archived.Point(x: 1, y: 2.5), forKey: "origin")  // "{1, 2.5}"
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` if a coordinate is NaN.
  public func encodePoint(_ point: Archived.Point, forKey key: String) throws {
    try encode(userKey: key) { coder in try coder.reference(toText: try point.text()).node }
  }

  /// Encodes a size as text, as Apple's `encodeSize:forKey:` does.
  ///
  /// - Throws: The errors of ``encodePoint(_:forKey:)``.
  public func encodeSize(_ size: Archived.Size, forKey key: String) throws {
    try encode(userKey: key) { coder in try coder.reference(toText: try size.text()).node }
  }

  /// Encodes a rectangle as text, as Apple's `encodeRect:forKey:` does.
  ///
  /// - Throws: The errors of ``encodePoint(_:forKey:)``.
  public func encodeRect(_ rect: Archived.Rect, forKey key: String) throws {
    try encode(userKey: key) { coder in try coder.reference(toText: try rect.text()).node }
  }
}
