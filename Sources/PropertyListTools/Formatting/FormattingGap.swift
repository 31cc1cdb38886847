@_spi(Archives) internal import PropertyLists

/// The text between two values, or between a value and a bracket: comments, line ends, and at most one mark. A mark is
/// the separator after a value, such as `,`, or the assignment between a key and its value, such as `=`.
struct FormattingGap {
  /// A comment, and its relation to the text before it.
  struct Comment {
    let range: Range<Int>
    /// True if the comment extends to the end of its line.
    let isLineComment: Bool
    /// True if there is a line end between the text or comment before it and this comment.
    let beginsLine: Bool
    /// True if an empty line precedes the comment.
    let followsEmptyLine: Bool
  }

  /// The comments before the mark. Empty if the gap has no mark.
  private(set) var beforeMark: [Comment] = []
  /// The comments after the mark, or all comments if the gap has no mark.
  private(set) var comments: [Comment] = []
  private(set) var hasMark = false
  /// True if there is a line end after the last comment or mark, or anywhere in a gap without them.
  private(set) var endsLine = false
  /// True if there is an empty line after the last comment or mark, or anywhere in a gap without them.
  private(set) var endsWithEmptyLine = false

  /// Skips the gap at the position of a scanner.
  ///
  /// - Parameter mark: The character of the mark, which may occur once in the gap; nil for none.
  init<Scanner: LayoutScanner>(_ scanner: inout Scanner, _ bytes: RawSpan, mark: UInt8?) {
    var newlines = 0
    while scanner.index < bytes.byteCount {
      if let trivia = scanner.trivia(bytes, at: scanner.index) {
        if trivia.isComment {
          comments.append(
            Comment(
              range: scanner.index..<trivia.end, isLineComment: trivia.kind == .lineComment, beginsLine: newlines > 0,
              followsEmptyLine: newlines > 1))
          newlines = 0
        } else if trivia.kind == .newline {
          newlines += 1
        }
        scanner.index = trivia.end
      } else if !hasMark, bytes[scanner.index] == mark {
        scanner.index += 1
        hasMark = true
        beforeMark = comments
        comments = []
        newlines = 0
      } else {
        break
      }
    }
    endsLine = newlines > 0
    endsWithEmptyLine = newlines > 1
  }

  /// Moves comments from ``beforeMark`` to ``comments``: the first comment that begins a line or extends to the end of
  /// its line, and all comments after it. The mark is written on the line of the value, so it cannot follow one of
  /// these comments.
  mutating func moveCommentsBehindMark() {
    let first = beforeMark.firstIndex { $0.beginsLine || $0.isLineComment } ?? beforeMark.endIndex
    comments = beforeMark[first...] + comments
    beforeMark.removeSubrange(first...)
  }

  /// Returns the number of ``comments`` that end the line of the preceding text: they are on this line, and other text
  /// on the line does not follow them.
  ///
  /// - Parameter isLast: True if a bracket or the end of the text follows.
  func trailingCount(isLast: Bool) -> Int {
    let count = comments.firstIndex { $0.beginsLine } ?? comments.count
    return count < comments.count || endsLine || isLast ? count : 0
  }
}
