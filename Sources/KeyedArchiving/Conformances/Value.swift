@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSValue`: a structure of Apple's frameworks, or a C value.
  ///
  /// ```swift
  /// switch try coder.decode(Archived.Value.self, forKey: "frame") {
  /// case .rect(let rect): print(rect.size.width, rect.size.height)
  /// case .point(let point): print(point.x, point.y)
  /// default: break
  /// }
  /// ```
  ///
  /// If you know which structure it is, decode that type instead, for example ``Archived/Rect``.
  public enum Value: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSValue")

    /// `NSPoint`.
    case point(Point)
    /// `NSSize`.
    case size(Size)
    /// `NSRect`.
    case rect(Rect)
    /// `NSRange`.
    case range(Range)
    /// `NSEdgeInsets`.
    case edgeInsets(EdgeInsets)
    /// A C number, with its C type.
    case number(CNumber)
    /// Several C numbers of one type.
    case array(CArray)
    /// A C string, `char *`.
    case cString(String)
    /// An Objective-C class, as its name. The class is not looked up.
    case className(String)
    /// An Objective-C selector, as its name.
    case selector(String)

    public init(coder: KeyedUnarchiver) throws {
      guard let special = try coder.decodeIfPresent(Int.self, forRawKey: "NS.special") else {
        self = try Self.typed(coder)
        return
      }
      switch Special(rawValue: special) {
      case .point: self = .point(try coder.decodeGeometry(forRawKey: "NS.pointval") { Point($0) })
      case .size: self = .size(try coder.decodeGeometry(forRawKey: "NS.sizeval") { Size($0) })
      case .rect: self = .rect(try coder.decodeGeometry(forRawKey: "NS.rectval") { Rect($0) })
      case .range: self = .range(try Range(valueIn: coder))
      case .edgeInsets: self = .edgeInsets(try EdgeInsets(valueIn: coder))
      case nil: throw coder.failure(.invalidContents, "an NSValue has the unknown NS.special \(special)")
      }
    }

    public func encode(with coder: KeyedArchiver) throws {
      switch self {
      case .point(let point): try encode(.point, coder) { try coder.encode(point.text(), forRawKey: "NS.pointval") }
      case .size(let size): try encode(.size, coder) { try coder.encode(size.text(), forRawKey: "NS.sizeval") }
      case .rect(let rect): try encode(.rect, coder) { try coder.encode(rect.text(), forRawKey: "NS.rectval") }
      case .range(let range): try encode(.range, coder) { try range.encodeValue(with: coder) }
      case .edgeInsets(let insets): try encode(.edgeInsets, coder) { try insets.encodeValue(with: coder) }
      case .number(let number):
        try coder.encode(number.type.rawValue, forRawKey: "$0")
        try number.encode(forRawKey: "$1", with: coder)
      case .array(let array):
        try coder.encode(array.objectiveCType, forRawKey: "$0")
        try coder.encode(array, forRawKey: "$1")
      case .cString(let text): try encode("*", text, with: coder)
      case .className(let name): try encode("#", name, with: coder)
      case .selector(let name): try encode(":", name, with: coder)
      }
    }

    /// The numbers that identify the structures in an archive (`NS.special`; archives from macOS 10.14).
    private enum Special: Int {
      case point = 1
      case size = 2
      case rect = 3
      case range = 4
      case edgeInsets = 12
    }

    private func encode(_ special: Special, _ coder: KeyedArchiver, _ contents: () throws -> Void) throws {
      try coder.encode(integer: special.rawValue, forRawKey: "NS.special")
      try contents()
    }

    private func encode(_ type: String, _ text: String, with coder: KeyedArchiver) throws {
      try coder.encode(type, forRawKey: "$0")
      try coder.encode(text, forRawKey: "$1")
    }

    /// Decodes an `NSValue`, and returns the structure that `content` extracts from it. If the `NSValue` contains
    /// something else, `content` returns nil, and the method throws an error with the `name` of the structure.
    static func content<T>(_ name: String, _ coder: KeyedUnarchiver, _ content: (Value) -> T?) throws -> T {
      guard let content = content(try Value(coder: coder)) else {
        throw coder.failure(.typeMismatch, "expected an NSValue with \(name), found another value")
      }
      return content
    }

    /// Decodes a C value. The archive contains its type, in the notation of Objective-C's `@encode`, and then the
    /// value.
    private static func typed(_ coder: KeyedUnarchiver) throws -> Value {
      let type = try coder.decode(String.self, forRawKey: "$0")
      if let type = CType(rawValue: type) { return .number(try CNumber(type, forRawKey: "$1", in: coder)) }
      switch type {
      case "*": return .cString(try coder.decode(String.self, forRawKey: "$1"))
      case "#": return .className(try coder.decode(String.self, forRawKey: "$1"))
      case ":": return .selector(try coder.decode(String.self, forRawKey: "$1"))
      case _ where type.hasPrefix("["):
        let array = try coder.decode(CArray.self, forRawKey: "$1")
        try coder.require(
          array.objectiveCType == type,
          "expected an array of the type \(type.quoted), found \(array.objectiveCType)")
        return .array(array)
      default: throw coder.failure(.invalidContents, "an NSValue of the type \(type.quoted) cannot be decoded")
      }
    }
  }
}
