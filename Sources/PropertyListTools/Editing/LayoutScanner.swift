@_spi(Archives) internal import PropertyLists

/// Finds where the values of a text stand, and what stands between them.
///
/// The text is one that the reader of its format has accepted, so a scanner checks nothing: it returns nil for anything
/// unexpected, and the caller gives up.
protocol LayoutScanner {
  /// - Parameter end: where the text ends.
  init(end: Int)

  /// What is looked at next.
  var index: Int { get set }

  /// Goes to the root value; to the beginning of the text if that is entries without braces around them.
  mutating func begin(_ bytes: RawSpan) -> LayoutRoot?

  /// What stands at an offset, if it belongs to no value: white space or a comment.
  func trivia(_ bytes: RawSpan, at offset: Int) -> Trivia?

  /// The token that begins at ``index``, where no trivia stands; goes behind it.
  mutating func token(_ bytes: RawSpan) -> LayoutToken?

  /// Passes the trivia at ``index``.
  mutating func skipTrivia(_ bytes: RawSpan)

  /// Passes the value that begins at ``index``, and returns where it stands.
  mutating func skipValue(_ bytes: RawSpan) -> Range<Int>?

  /// Whether a bracket that closes a container stands at an offset.
  func closes(_ bytes: RawSpan, at offset: Int) -> Bool

  /// What stands between a key and its value beside trivia.
  static var assignment: UInt8? { get }

  /// What stands behind an entry or an element.
  static func separator(in kind: NodeKind) -> LayoutSeparator

  /// Whether brackets are tags, of which a container without anything in it needs one.
  static var hasTags: Bool { get }

  /// What the writer of the format does by itself.
  static var standardLayout: TextLayout { get }

  /// What precedes the hexadecimal digits of a unit of UTF-16 in a string; nil if strings have no such escapes.
  static var characterEscape: StaticString? { get }

  /// The text of a key, which stands in a range; nil if the range isn't a key.
  static func key(_ bytes: RawSpan, in range: Range<Int>) -> [UInt8]?

  /// How base64 is set out, if a scalar is that and the format has it in lines.
  static func base64Lines(_ bytes: RawSpan, in scalar: Range<Int>) -> Base64Lines?

  /// The pieces that replace a value of a kind, where they depend on its spelling; nil where they don't.
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

/// What the outermost value of a text is.
enum LayoutRoot {
  case value
  /// The entries of a dictionary.
  case entries
}

/// A piece of text that stands for a value, or for a bracket of one.
struct LayoutToken {
  enum Kind {
    /// The beginning and the end of a container.
    case begin(NodeKind)
    case end(NodeKind)
    /// A container without anything in it, which is one tag.
    case empty(NodeKind)
    /// A key, or a value that is no container.
    case scalar
  }

  let kind: Kind
  let range: Range<Int>
}

/// What stands behind the entries or elements of a container.
enum LayoutSeparator: Equatable {
  case none
  /// Behind each.
  case terminator(UInt8)
  /// Behind each but the last, which may have one too in some formats.
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
    /// White space that ends no line.
    case space
    case newline
    case comment
    /// A comment that the end of its line ends, which is no part of it.
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

  /// Passes trivia, and notes the indentation of the next line. Returns whether a line ended.
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

  /// What stands between a key and its value, and whether a line ends there; nil if a comment or too much does.
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

  /// The white space from an offset on that ends no line.
  func spaces(_ bytes: RawSpan, at offset: Int) -> Range<Int> {
    guard let trivia = trivia(bytes, at: offset), trivia.kind == .space else { return offset..<offset }
    return offset..<trivia.end
  }
}
