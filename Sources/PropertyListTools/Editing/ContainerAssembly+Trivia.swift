@_spi(Archives) internal import PropertyLists

/// What stands between the children.
extension ContainerAssembly {
  /// What follows a child on its line, if nothing but trivia does.
  struct Tail {
    var end: Int
    var hasComment = false
    var endsInLineComment = false
  }

  /// What stands before a child, behind what belongs to the one before it.
  struct Lead {
    var range: Range<Int>
    /// The last end of a line in it.
    var lastNewline: Range<Int>?
    /// Where the last comment ends; the beginning if there is none.
    var commentEnd: Int
    var hasComment = false
    /// Whether a comment stands before the child on its line.
    var hasCommentOnLine = false
    /// Where the lines of comments begin that stand directly above the child, with the end of the line before them.
    var attachedStart: Int
    /// Where the empty lines before them begin.
    var emptyLinesStart: Int
    /// Whether it begins with an empty line.
    var beginsWithEmptyLine = false
    /// Whether the child begins a line, but for comments and spaces.
    var beginsLine: Bool
    /// The spaces at the beginning of the child's line.
    var indent: Range<Int>

    /// The spaces before a child that begins no line; nil for another one, and where there is a comment.
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
    // The text of a file begins a line.
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

  /// The end of the trivia that follows `start` on its line; `start` if something else than trivia stands there, too.
  func tail(_ bytes: RawSpan, from start: Int) -> Tail {
    var tail = Tail(end: start)
    while let trivia = scanner.trivia(bytes, at: tail.end), trivia.kind != .newline {
      tail.hasComment = tail.hasComment || trivia.isComment
      tail.endsInLineComment = trivia.kind == .lineComment
      tail.end = trivia.end
    }
    return isNewline(bytes, at: tail.end) || tail.end == bytes.byteCount ? tail : Tail(end: start)
  }

  /// The end of the opening bracket and of what follows it on its line. Without a bracket, the end of the comments at
  /// the head of the file, which an empty line ends.
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
