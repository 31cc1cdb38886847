public import FoundationEssentials
@_spi(Archives) public import PropertyLists

extension Archived {
  /// `NSColor` or `UIColor`, with all the values that the archive has for it.
  ///
  /// The classes describe a color in many forms, which differ from version to version, and most archives have several
  /// of them. All of them are kept unchanged in ``fields``. ``components`` has the numbers of the common forms.
  ///
  /// ```swift
  /// let color = try KeyedUnarchiver.unarchivedObject(of: Archived.Color.self, from: data)
  /// color.components  // [1.0, 0.0, 0.0]
  /// ```
  public struct Color: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSColor", aliases: ["UIColor"])

    /// The class of a color in archives of AppKit.
    public static let appKitClass = ArchivedClass("NSColor")

    /// The class of a color in archives of UIKit.
    public static let uiKitClass = ArchivedClass("UIColor", hints: ["NSColor"])

    /// The value of a key of a color.
    public enum Field: Hashable, Sendable {
      /// A number, a Boolean, a string or data that is stored inline in the color.
      case inline(PropertyList)
      /// A string that is stored as an object, such as the name of a color.
      case string(String)
      /// Data that is stored as an object.
      case data(Data)
      /// A color that describes this one in another form, for example a simpler one.
      case color(Color)
      /// A color space that is stored as an object.
      case colorSpace(ColorSpace)
      /// Nil.
      case null
    }

    /// `NSColorSpace`.
    public struct ColorSpace: SecureCoding, Hashable, Sendable {
      public static let archivedClass = ArchivedClass("NSColorSpace")

      /// The number of a predefined color space. Nil if the archive has none.
      public var id: Int?
      /// An ICC profile. Nil if the archive has none.
      public var profile: Data?
      /// The color model, such as RGB, as a value of Apple's `NSColorSpaceModel`. Nil if the archive has none.
      public var model: Int?

      /// Creates a color space.
      public init(id: Int? = nil, profile: Data? = nil, model: Int? = nil) {
        self.id = id
        self.profile = profile
        self.model = model
      }

      public init(coder: KeyedUnarchiver) throws {
        id = try coder.decodeIfPresent(Int.self, forRawKey: "NSID")
        profile = try coder.decodeIfPresent(Data.self, forRawKey: "NSICC")
        model = try coder.decodeIfPresent(Int.self, forRawKey: "NSModel")
      }

      public func encode(with coder: KeyedArchiver) throws {
        if let id { try coder.encode(integer: id, forRawKey: "NSID") }
        if let profile { try coder.encode(inline: profile, forRawKey: "NSICC") }
        if let model { try coder.encode(integer: model, forRawKey: "NSModel") }
      }
    }

    /// The class with which the color is archived: ``appKitClass`` or ``uiKitClass``.
    public var colorClass: ArchivedClass
    /// The values by key: `NSColorSpace`, `NSRGB`, `UIRed` and so on.
    public var fields: [String: Field]

    /// Creates a color.
    ///
    /// ```swift
    /// // Color space 1 is calibrated RGB.
    /// let red = Archived.Color(fields: ["NSColorSpace": .inline(1), "NSRGB": .inline(.data(Data("1 0 0".utf8)))])
    /// ```
    ///
    /// - Parameters:
    ///   - colorClass: the class in the archive, ``appKitClass`` or ``uiKitClass``.
    ///   - fields: the values by key. To be archived, inline values must be numbers, Booleans, strings or data.
    public init(colorClass: ArchivedClass = appKitClass, fields: [String: Field]) {
      self.colorClass = colorClass
      self.fields = fields
    }

    /// The numbers of the color, from 0 to 1 in most color spaces: red, green and blue, or white, or the components of
    /// the color space in ``fields``. The opacity follows if the archive has it. Nil if the numbers are not in a known
    /// form.
    public var components: [Double]? {
      for key in ["NSComponents", "NSRGB", "NSWhite", "NSCMYK"] {
        if case .inline(.data(let text)) = fields[key] { return Self.numbers(in: text) }
      }
      for names in [["UIRed", "UIGreen", "UIBlue"], ["UIWhite"]] {
        let numbers = names.compactMap { number($0) }
        if numbers.count == names.count { return numbers + [number("UIAlpha")].compactMap(\.self) }
      }
      return nil
    }

    /// Returns a number of UIKit's form, such as `UIRed`. Newer archives also have it as an 8-byte number, which is
    /// preferred.
    private func number(_ name: String) -> Double? {
      for key in ["\(name)-Double", name] {
        if case .inline(let value) = fields[key], let number = value.real { return number }
      }
      return nil
    }

    /// Returns numbers from ASCII text, separated by spaces and usually followed by a zero byte.
    private static func numbers(in text: Data) -> [Double]? {
      let text = text.last == 0 ? text.dropLast() : text
      let numbers = text.split(separator: UInt8(ascii: " ")).map { Double(String(decoding: $0, as: UTF8.self)) }
      return numbers.isEmpty || numbers.contains(nil) ? nil : numbers.compactMap(\.self)
    }

    public init(coder: KeyedUnarchiver) throws {
      colorClass = coder.currentClass ?? Self.appKitClass
      fields = [:]
      for key in coder.current.shape.keys where key != "$class" { fields[key] = try coder.decodeField(forRawKey: key) }
    }

    /// Encodes the values of ``fields``.
    ///
    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for an inline value that is a container, a date, a UID or
    ///   null.
    public func encode(with coder: KeyedArchiver) throws {
      for (key, field) in fields.sorted(by: { $0.key < $1.key }) {
        switch field {
        case .inline(let value):
          try coder.require(
            ![.array, .dictionary, .date, .uid, .null].contains(value.kind),
            "\(key.quoted) of a color is not a number, string or data")
          try coder.encode(rawKey: key) { coder in try coder.inline(value, depth: 0) }
        case .string(let text): try coder.encode(text, forRawKey: key)
        case .data(let data): try coder.encode(data, forRawKey: key)
        case .color(let color): try coder.encode(color, forRawKey: key)
        case .colorSpace(let space): try coder.encode(space, forRawKey: key)
        case .null: try coder.encode(rawKey: key) { _ in .uid(0) }
        }
      }
    }

    public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
      try coder.reference(toValue: self, as: colorClass)
    }
  }
}

extension KeyedUnarchiver {
  fileprivate func decodeField(forRawKey key: String) throws -> Archived.Color.Field {
    guard let node = try node(forRawKey: key) else { return .null }
    switch node.kind {
    case .uid: break
    case .null: return .null
    case .boolean, .integer, .unsignedInteger, .real, .float, .string, .data: return .inline(try scalar(node))
    case .date, .array, .dictionary: throw failure(.typeMismatch, "expected a part of a color, found \(node.kindName)")
    }
    if isNull(node, try resolve(node)) { return .null }
    let types: [any SecureCoding.Type] = [String.self, Data.self, Archived.Color.self, Archived.Color.ColorSpace.self]
    switch try anyValue(of: types, at: ArchivedReference(node: node)) {
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let color as Archived.Color: return .color(color)
    case let space as Archived.Color.ColorSpace: return .colorSpace(space)
    case let other: throw failure(.typeMismatch, "expected a part of a color, found \(Swift.type(of: other))")
    }
  }
}
