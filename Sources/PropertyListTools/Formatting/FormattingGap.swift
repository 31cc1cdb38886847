@_spi(Archives) internal import PropertyLists

/// What stands between two values of a text, or between a value and a bracket: comments, the ends of lines, and the
/// mark that separates or assigns.
struct FormattingGap {
  /// A comment, and how it stands to what precedes it.
  struct Comment {
    let range: Range<Int>
    /// Whether the end of its line ends it.
    let isLineComment: Bool
    /// Whether a line ended before it.
    let beginsLine: Bool
    /// Whether an empty line stands before it.
    let followsEmptyLine: Bool
  }

  /// Before the mark, if there is one.
  private(set) var beforeMark: [Comment] = []
  /// After the mark; all, if there is none.
  private(set) var comments: [Comment] = []
  private(set) var hasMark = false
  /// Whether a line ends after the last comment and the mark.
  private(set) var endsLine = false
  /// Whether an empty line follows them.
  private(set) var endsWithEmptyLine = false

  /// Passes the gap at which a scanner stands.
  ///
  /// - Parameter mark: the mark that may stand in it, once.
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

  /// Moves those comments to after the mark that cannot stand before it on the line of the value: from the first on
  /// that begins a line, or is ended by one.
  mutating func moveCommentsBehindMark() {
    let first = beforeMark.firstIndex { $0.beginsLine || $0.isLineComment } ?? beforeMark.endIndex
    comments = beforeMark[first...] + comments
    beforeMark.removeSubrange(first...)
  }

  /// How many of ``comments`` stand on the line of what precedes them, and not before something else on it.
  ///
  /// - Parameter isLast: whether a bracket or the end of the text follows.
  func trailingCount(isLast: Bool) -> Int {
    let count = comments.firstIndex { $0.beginsLine } ?? comments.count
    return count < comments.count || endsLine || isLast ? count : 0
  }
}
