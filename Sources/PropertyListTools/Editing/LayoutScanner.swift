@_spi(Archives) internal import PropertyLists

/// A scanner that finds the values of a text and the trivia (white space and comments) between them.
///
/// The reader of the format has accepted the text, so a scanner does not validate it. If the text is not as expected, a
/// scanner returns nil, and the caller gives up.
protocol LayoutScanner {
  /// Creates a scanner at the beginning of a text.
  ///
  /// - Parameter end: The end of the text.
  init(end: Int)

  /// The offset of the next token.
  var index: Int { get set }

  /// Advances to the root value, or to the beginning of the text if that consists of entries without braces.
  mutating func begin(_ bytes: RawSpan) -> LayoutRoot?

  /// Returns the white space or comment at an offset, or nil if a value begins there.
  func trivia(_ bytes: RawSpan, at offset: Int) -> Trivia?

  /// Returns the token at ``index``, which must not be at trivia, and advances past it.
  mutating func token(_ bytes: RawSpan) -> LayoutToken?

  /// Skips the trivia at ``index``.
  mutating func skipTrivia(_ bytes: RawSpan)

  /// Skips the value at ``index`` and returns its range.
  mutating func skipValue(_ bytes: RawSpan) -> Range<Int>?

  /// Returns true if a closing bracket is at an offset.
  func closes(_ bytes: RawSpan, at offset: Int) -> Bool

  /// The byte between a key and its value, in addition to trivia; nil if the format has none.
  static var assignment: UInt8? { get }

  /// Returns the separator after an entry or an element.
  static func separator(in kind: NodeKind) -> LayoutSeparator

  /// True if brackets are tags. An empty container can then be a single tag.
  static var hasTags: Bool { get }

  /// The layout that the writer of the format uses by default.
  static var standardLayout: TextLayout { get }

  /// The prefix of the hexadecimal digits of a UTF-16 unit in a string, or nil if strings have no such escapes.
  static var characterEscape: StaticString? { get }

  /// Returns the text of the key in a range, or nil if the range is not a key.
  static func key(_ bytes: RawSpan, in range: Range<Int>) -> [UInt8]?

  /// Returns the layout of a scalar in base64; nil for any other scalar, or if the format does not write base64 in
  /// lines.
  static func base64Lines(_ bytes: RawSpan, in scalar: Range<Int>) -> Base64Lines?

  /// Returns the pieces that replace a value, if they depend on the spelling of the old value. Otherwise, returns nil,
  /// and the caller writes the new value in the layout of the text.
  static func replacement(
    of kind: NodeKind, at range: Range<Int>, by new: PropertyList, _ bytes: RawSpan, _ fragments: FragmentWriter,
    _ text: inout EditedText
  ) throws(PropertyListError) -> [EditedText.Piece]?
}

extension LayoutScanner {
  static var hasTags: Bool { false }

  static var characterEscape: StaticString? { nil }

  static func base64Lines(_ bytes: RawSpan, in scalar: Range<Int>) -> Base64Lines? { nil }

  static func replacement(
    of kind: NodeKind, at range: Range<Int>, by new: PropertyList, _ bytes: RawSpan, _ fragments: FragmentWriter,
    _ text: inout EditedText
  ) throws(PropertyListError) -> [EditedText.Piece]? { nil }
}

/// The kind of content at the top level of a text.
enum LayoutRoot {
  case value
  /// The entries of a dictionary.
  case entries
}

/// A token that is a scalar or a bracket of a container.
struct LayoutToken {
  enum Kind {
    /// The beginning of a container: its opening bracket or tag.
    case begin(NodeKind)
    /// The end of a container: its closing bracket or tag.
    case end(NodeKind)
    /// An empty container that is a single tag.
    case empty(NodeKind)
    /// A key, or a value that is not a container.
    case scalar
  }

  let kind: Kind
  let range: Range<Int>
}

/// The separator of the entries or elements of a container.
enum LayoutSeparator: Equatable {
  case none
  /// After each child.
  case terminator(UInt8)
  /// After each child except the last. In some formats, the last child may have a separator, too.
  case between(UInt8)

  var byte: UInt8? {
    switch self {
    case .none: nil
    case .terminator(let byte), .between(let byte): byte
    }
  }
}

/// A piece of text between values.
struct Trivia {
  enum Kind {
    /// White space other than line ends.
    case space
    case newline
    case comment
    /// A comment that extends to the end of its line. The line end is not part of it.
    case lineComment
  }

  let kind: Kind
  let end: Int

  var isComment: Bool { kind == .comment || kind == .lineComment }
}

extension LayoutScanner {
  mutating func skipTrivia(_ bytes: RawSpan) {
    while let trivia = trivia(bytes, at: index) { index = trivia.end }
  }

  /// Skips trivia, and records the indent of the next line. Returns true if a line ended.
  @discardableResult
  mutating func skipTrivia(_ bytes: RawSpan, indent: inout Range<Int>) -> Bool {
    var endedLine = false
    while let trivia = trivia(bytes, at: index) {
      index = trivia.end
      guard trivia.kind == .newline else { continue }
      endedLine = true
      indent = spaces(bytes, at: index)
    }
    return endedLine
  }

  /// Returns the text between a key and its value, and true if a line ends there. Returns nil if the text contains a
  /// comment or is too long.
  func assignment(_ bytes: RawSpan, in range: Range<Int>) -> (text: [UInt8], breaksLine: Bool)? {
    guard range.count <= TextLayout.greatestSpace else { return nil }
    var offset = range.lowerBound
    var breaksLine = false
    while offset < range.upperBound {
      if bytes[offset] == Self.assignment {
        offset += 1
      } else if let trivia = trivia(bytes, at: offset), !trivia.isComment {
        breaksLine = breaksLine || trivia.kind == .newline
        offset = trivia.end
      } else {
        return nil
      }
    }
    return (Array(bytes, range), breaksLine)
  }

  /// Returns the range of white space at an offset, without line ends.
  func spaces(_ bytes: RawSpan, at offset: Int) -> Range<Int> {
    guard let trivia = trivia(bytes, at: offset), trivia.kind == .space else { return offset..<offset }
    return offset..<trivia.end
  }
}
