public import FoundationEssentials
@_spi(Archives) public import PropertyLists

extension Archived {
  /// `NSColor` and `UIColor`, with all that the archive says of it.
  ///
  /// The two classes and their versions have many forms of a color, several of them at once in most archives. They are
  /// kept as they are; ``components`` reads the numbers of the common ones.
  public struct Color: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSColor", aliases: ["UIColor"])

    /// What a color is called in archives of AppKit.
    public static let appKitClass = ArchivedClass("NSColor")

    /// What a color is called in archives of UIKit.
    public static let uiKitClass = ArchivedClass("UIColor", hints: ["NSColor"])

    /// What a color says of itself under one key.
    public enum Field: Hashable, Sendable {
      /// A number, a truth value, text or data that stands in the color itself.
      case inline(PropertyList)
      /// A text that is an object, such as the name of a color.
      case string(String)
      /// Data that is an object.
      case data(Data)
      /// A color that this one is known by, or stands for.
      case color(Color)
      /// A space that is none of the usual ones.
      case colorSpace(ColorSpace)
      /// Nothing.
      case null
    }

    /// `NSColorSpace`.
    public struct ColorSpace: SecureCoding, Hashable, Sendable {
      public static let archivedClass = ArchivedClass("NSColorSpace")

      /// The number of one of Apple's spaces.
      public var id: Int?
      /// A profile in the format of the International Color Consortium.
      public var profile: Data?
      /// What the components mean, as Apple numbers it.
      public var model: Int?

      /// A space.
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

    /// The class, ``appKitClass`` or ``uiKitClass``.
    public var colorClass: ArchivedClass
    /// What the archive says, by its keys: `NSColorSpace`, `NSRGB`, `UIRed` and so on.
    public var fields: [String: Field]

    /// A color.
    public init(colorClass: ArchivedClass = appKitClass, fields: [String: Field]) {
      self.colorClass = colorClass
      self.fields = fields
    }

    /// The numbers of the color, from 0 to 1 in most spaces: red, green and blue, or white alone, or what the space of
    /// ``fields`` has, and the opacity if the archive says it; nil if there are none in a form that is known.
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

    /// A number of UIKit's; newer archives have it with 8 bytes too.
    private func number(_ name: String) -> Double? {
      for key in ["\(name)-Double", name] {
        if case .inline(let value) = fields[key], let number = value.real { return number }
      }
      return nil
    }

    /// Numbers in ASCII with blanks between them, mostly with a zero byte at the end.
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

    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for a container, a date, a UID or null that is to stand in the
    ///   color itself.
    public func encode(with coder: KeyedArchiver) throws {
      for (key, field) in fields.sorted(by: { $0.key < $1.key }) {
        switch field {
        case .inline(let value):
          try coder.require(
            ![.array, .dictionary, .date, .uid, .null].contains(value.kind),
            "\(key.quoted) of a color is no number, text or data")
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
    case .date, .array, .dictionary: throw failure(.typeMismatch, "\(node.kindName), where a part of a color is due")
    }
    if isNull(node, try resolve(node)) { return .null }
    let types: [any SecureCoding.Type] = [String.self, Data.self, Archived.Color.self, Archived.Color.ColorSpace.self]
    switch try anyValue(of: types, at: ArchivedReference(node: node)) {
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let color as Archived.Color: return .color(color)
    case let space as Archived.Color.ColorSpace: return .colorSpace(space)
    case let other: throw failure(.typeMismatch, "\(Swift.type(of: other)), where a part of a color is due")
    }
  }
}
