extension PropertyListKeyPath {
  /// The text forms of a path.
  ///
  /// | | root | example | empty component |
  /// |---|---|---|---|
  /// | ``dots``, Apple's `plutil` | nothing | `items.0.CFBundle\.Name` | an error |
  /// | ``slashes``, libplist's `plistutil` | `/` | `/items/0/name` | skipped |
  /// | ``colons``, `PlistBuddy` | `:` | `:items:0:name` | an error |
  ///
  /// In each syntax, a backslash escapes a `.`, `/`, `:`, `"` or `\`; any other backslash is literal. A component can
  /// be written in double quotes, as in GNUstep's `plutil`: `a."b.c".""`. In quotes, `\n`, `\r`, `\t` and `\u{7F}` are
  /// escapes, too. So every key, including the empty one, can be written, and every path fits on one line.
  public enum Syntax: Hashable, Sendable, CaseIterable {
    /// Dots between the components.
    case dots
    /// Slashes between the components. A leading slash is ignored.
    case slashes
    /// Colons between the components. A leading colon is ignored.
    case colons

    fileprivate var separator: Unicode.Scalar {
      switch self {
      case .dots: "."
      case .slashes: "/"
      case .colons: ":"
      }
    }
  }

  /// Creates a path from its text.
  ///
  /// ```swift
  /// let size = try PropertyListKeyPath("editor.fontSize")
  /// let bundle = try PropertyListKeyPath(#"com\.example\.notes.0"#)               // com.example.notes, then 0
  /// let same = try PropertyListKeyPath("/com.example.notes/0")                    // an equal path
  /// let domain = try PropertyListKeyPath("com.example.notes", syntax: .slashes)   // one key
  /// ```
  ///
  /// - Parameter syntax: The syntax, or nil to detect it from the first character: `/` means slashes, `:` means colons,
  ///   and any other means dots.
  /// - Throws: ``PropertyListError/Kind/malformed`` in these cases: a component is empty (only ``Syntax/slashes`` skips
  ///   such components), a quotation mark is not closed or does not enclose a whole component, or a `\u{…}` is not the
  ///   code of a character.
  /// - Complexity: O(*n*) in the length of the text.
  public init(_ text: String, syntax: Syntax? = nil) throws(PropertyListError) {
    let syntax =
      switch (syntax, text.unicodeScalars.first) {
      case (let syntax?, _): syntax
      case (nil, "/"): Syntax.slashes
      case (nil, ":"): Syntax.colons
      case (nil, _): Syntax.dots
      }
    var parser = KeyPathParser(text, syntax)
    self.init(try parser.parse())
  }

  /// Returns the text of this path. If you create a path from the text, with the same syntax, it is equal to this path.
  ///
  /// ```swift
  /// let path = try PropertyListKeyPath("/items/0/name")
  /// let dots = path.text(.dots)       // items.0.name
  /// let colons = path.text(.colons)   // :items:0:name
  /// ```
  ///
  /// - Complexity: O(*n*) in the length of the text.
  public func text(_ syntax: Syntax) -> String {
    var text = syntax == .dots ? "" : String(syntax.separator)
    for (position, component) in components.enumerated() {
      if position > 0 { text.unicodeScalars.append(syntax.separator) }
      switch component {
      case .index(let index): text += String(index)
      // The first character of a path with dots must not look like the separator of another syntax.
      case .key(let key): Self.append(key, to: &text, syntax, isFirst: position == 0)
      }
    }
    return text
  }

  private static func append(_ key: String, to text: inout String, _ syntax: Syntax, isFirst: Bool) {
    let scalars = Array(key.unicodeScalars)
    let isHidden = scalars.indices.map { scalars[$0].isHidden(after: $0 > 0 ? scalars[$0 - 1] : nil) }
    let needsQuotes = scalars.isEmpty || isHidden.contains(true)
    if needsQuotes { text += "\"" }
    for (position, scalar) in scalars.enumerated() {
      let isEscaped =
        switch scalar {
        case "\\": needsQuotes || position + 1 == scalars.count || KeyPathParser.isSpecial(scalars[position + 1])
        case "\"": needsQuotes || position == 0
        case syntax.separator: !needsQuotes
        case "/", ":": isFirst && position == 0 && syntax == .dots && !needsQuotes
        default: false
        }
      if isEscaped { text += "\\" }
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where isHidden[position]: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    if needsQuotes { text += "\"" }
  }
}

extension PropertyListKeyPath: CustomStringConvertible {
  /// The path in the syntax with dots, such as `items.0.CFBundle\.Name`.
  public var description: String { text(.dots) }
}

/// A parser of key paths. It works on Unicode scalars, because a `Character` could combine a separator with an accent.
private struct KeyPathParser {
  private let text: String
  private let scalars: [Unicode.Scalar]
  private let syntax: PropertyListKeyPath.Syntax
  private var position = 0

  init(_ text: String, _ syntax: PropertyListKeyPath.Syntax) {
    self.text = text
    scalars = Array(text.unicodeScalars)
    self.syntax = syntax
  }

  /// Returns true if a backslash escapes the scalar, inside or outside quotation marks.
  static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ".", "/", ":", "\"", "\\": true
    default: false
    }
  }

  private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  mutating func parse() throws(PropertyListError) -> [PropertyListKeyPath.Component] {
    if syntax == .colons, current == ":" { position += 1 }
    guard current != nil else { return [] }
    var components: [PropertyListKeyPath.Component] = []
    while true {
      if current == "\"" {
        components.append(.key(try quoted()))
        guard current == nil || current == syntax.separator else {
          throw malformed("text after a closing quotation mark")
        }
      } else {
        let part = unquoted()
        if !part.isEmpty {
          components.append(PropertyListKeyPath.Component(part))
        } else if syntax != .slashes {
          throw malformed("an empty component must be written as \"\"")
        }
      }
      guard current != nil else { return components }
      position += 1
    }
  }

  /// Returns the component up to the next separator.
  private mutating func unquoted() -> String {
    var part = String.UnicodeScalarView()
    while var scalar = current, scalar != syntax.separator {
      position += 1
      if scalar == "\\", let next = current, Self.isSpecial(next) {
        scalar = next
        position += 1
      }
      part.append(scalar)
    }
    return String(part)
  }

  /// Returns the component in quotation marks. The current scalar is the opening quotation mark.
  private mutating func quoted() throws(PropertyListError) -> String {
    position += 1
    var part = String.UnicodeScalarView()
    while let scalar = current {
      position += 1
      if scalar == "\"" { return String(part) }
      part.append(scalar == "\\" ? try escaped() : scalar)
    }
    throw malformed("no closing quotation mark")
  }

  /// Returns the scalar that an escape represents. The current scalar is the one after the backslash. If the backslash
  /// and this scalar are not an escape, returns the backslash.
  private mutating func escaped() throws(PropertyListError) -> Unicode.Scalar {
    guard let scalar = current else { return "\\" }
    let meaning: Unicode.Scalar
    switch scalar {
    case "n": meaning = "\n"
    case "r": meaning = "\r"
    case "t": meaning = "\t"
    case "u" where position + 1 < scalars.count && scalars[position + 1] == "{": return try numbered()
    case _ where Self.isSpecial(scalar): meaning = scalar
    default: return "\\"
    }
    position += 1
    return meaning
  }

  /// Returns the scalar of an escape such as `u{7F}`.
  private mutating func numbered() throws(PropertyListError) -> Unicode.Scalar {
    let digits = scalars[(position + 2)...].prefix { $0 != "}" }
    position = digits.endIndex + 1
    // No scalar has more than eight digits.
    guard digits.count <= 8, digits.allSatisfy(\.properties.isASCIIHexDigit),
      let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16), let scalar = Unicode.Scalar(value)
    else { throw malformed("a \\u{…} is not the number of a character") }
    return scalar
  }

  private func malformed(_ what: String) -> PropertyListError {
    PropertyListError(.malformed, "\(text.quoted) is not a key path: \(what)")
  }
}
