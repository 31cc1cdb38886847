@_spi(Archives) internal import PropertyLists

/// Functions that find and copy the trivia between the children: white space and comments.
extension ContainerAssembly {
  /// The trivia after a child on its line, if nothing else follows on the line.
  struct Tail {
    var end: Int
    var hasComment = false
    var endsInLineComment = false
  }

  /// The trivia before a child, after the ``Tail`` of the previous one.
  struct Lead {
    var range: Range<Int>
    /// The last line end in the lead.
    var lastNewline: Range<Int>?
    /// The end of the last comment, or the beginning of the lead.
    var commentEnd: Int
    var hasComment = false
    /// True if a comment precedes the child on its line.
    var hasCommentOnLine = false
    /// The beginning of the comment lines directly above the child, including the preceding line end.
    var attachedStart: Int
    /// The beginning of the empty lines before these comments.
    var emptyLinesStart: Int
    /// True if the lead begins with an empty line.
    var beginsWithEmptyLine = false
    /// True if only comments and spaces precede the child on its line.
    var beginsLine: Bool
    /// The spaces at the beginning of the child's line.
    var indent: Range<Int>

    /// Returns the spaces before a child that follows other text on its line, or nil if the child begins a line, or if
    /// there is a comment.
    func space(_ bytes: RawSpan) -> [UInt8]? {
      lastNewline == nil && !beginsLine && !hasComment ? Array(bytes, layout: range) : nil
    }
  }

  mutating func lead(of child: Int, _ bytes: RawSpan) -> Lead {
    if let knownLead, knownLead.child == child { return knownLead.lead }
    let start = child == 0 ? beginning(bytes) : tails[child - 1].end
    let lead = lead(bytes, start..<children[child].start)
    knownLead = (child, lead)
    return lead
  }

  func lead(_ bytes: RawSpan, _ range: Range<Int>) -> Lead {
    let start = range.lowerBound
    // The beginning of the file is the beginning of a line.
    let beginsLine = start == 0
    var lead = Lead(
      range: range, commentEnd: start, attachedStart: start, emptyLinesStart: start, beginsLine: beginsLine,
      indent: start..<start)
    if beginsLine { lead.indent = scanner.spaces(bytes, at: start) }
    var isLineEmpty = beginsLine
    var newlines = 0
    var runStart = start
    var offset = start
    while offset < range.upperBound, let trivia = scanner.trivia(bytes, at: offset) {
      switch trivia.kind {
      case .space: break
      case .newline:
        newlines += 1
        if newlines == 2, !lead.hasComment { lead.beginsWithEmptyLine = true }
        if !isLineEmpty { runStart = offset }
        if isLineEmpty || lead.lastNewline == nil && !beginsLine {
          lead.attachedStart = offset
          lead.emptyLinesStart = runStart
        }
        isLineEmpty = true
        lead.lastNewline = offset..<trivia.end
        lead.hasCommentOnLine = false
        lead.beginsLine = true
        lead.indent = scanner.spaces(bytes, at: trivia.end)
      case .comment, .lineComment:
        isLineEmpty = false
        lead.hasComment = true
        lead.hasCommentOnLine = true
        lead.commentEnd = trivia.end
      }
      offset = trivia.end
    }
    return lead
  }

  /// Returns the trivia that follows `start` on its line, or an empty tail if other text follows on the line.
  func tail(_ bytes: RawSpan, from start: Int) -> Tail {
    var tail = Tail(end: start)
    while let trivia = scanner.trivia(bytes, at: tail.end), trivia.kind != .newline {
      tail.hasComment = tail.hasComment || trivia.isComment
      tail.endsInLineComment = trivia.kind == .lineComment
      tail.end = trivia.end
    }
    return isNewline(bytes, at: tail.end) || tail.end == bytes.byteCount ? tail : Tail(end: start)
  }

  /// Returns the offset at which the ``Lead`` of the first child begins. In a container with brackets, that is the end
  /// of the opening bracket and of its ``Tail``. In a strings file, it is the end of the comments at the head of the
  /// file: an empty line separates them from the first child and its own comments. It is 0 if the file does not begin
  /// with such comments.
  func beginning(_ bytes: RawSpan) -> Int {
    guard let first = children.first else { return container.opening.upperBound }
    if container.hasBrackets { return tail(bytes, from: container.opening.upperBound).end }
    return lead(bytes, 0..<first.start).emptyLinesStart
  }

  mutating func appendTrivia(_ start: Int, _ end: Int, _ bytes: RawSpan) {
    guard start < end else { return }
    var start = start
    switch omission {
    case .nothing: break
    case .newline:
      if let trivia = scanner.trivia(bytes, at: start), trivia.kind == .newline { start = trivia.end }
    case .spaces: start = scanner.spaces(bytes, at: start).upperBound
    }
    omission = .nothing
    pieces.append(source: start, end)
  }

  func isNewline(_ bytes: RawSpan, at offset: Int) -> Bool { scanner.trivia(bytes, at: offset)?.kind == .newline }
}
