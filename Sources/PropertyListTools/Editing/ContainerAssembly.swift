@_spi(Archives) internal import PropertyLists

/// The assembly of a changed container from pieces of its text and new pieces. Trivia (white space and comments) that
/// follows a child on its line belongs to the child. All other trivia, including comments on separate lines, precedes
/// the next child. A removed child takes its line with it, if there is nothing else on the line; comments stay. A moved
/// child also takes the comments directly above it.
struct ContainerAssembly<Scanner: LayoutScanner> {
  let scanner: Scanner
  let container: EditedContainer
  let fragments: FragmentWriter
  let closing: Range<Int>
  /// The separator of the children. It is stored, because computing it for each child would copy this value.
  let separator: LayoutSeparator
  var pieces: [EditedText.Piece] = []
  /// For each child, the trivia that follows it on its line.
  var tails: [Tail] = []
  /// The result of the last call of ``lead(of:_:)``.
  var knownLead: (child: Int, lead: Lead)?
  /// The part of the next trivia that is omitted, because the text before this trivia on the line was removed.
  var omission = Omission.nothing
  /// True if the last piece is a comment that extends to the end of its line.
  var endsInLineComment = false
  /// The first child that keeps its position; the first child if no child keeps its position.
  private(set) var firstKept = 0
  /// The text before the first child, if it does not begin a line; else nil.
  private(set) var padding: [UInt8]?
  /// The text before other children, if they do not begin lines; else nil.
  private(set) var spacing: [UInt8]?
  /// True if the children are separated by empty lines.
  private(set) var separatesByEmptyLines = false

  enum Omission {
    case nothing, newline, spaces
  }

  init(scanner: Scanner, container: EditedContainer, fragments: FragmentWriter, closing: Range<Int>) {
    self.scanner = scanner
    self.container = container
    self.fragments = fragments
    self.closing = closing
    separator = Scanner.separator(in: container.kind)
  }

  var plan: ContainerPlan { container.plan }
  var children: [EditedContainer.Child] { container.children }

  /// Returns the text pieces of a changed container that had children before the change. If it was empty, use `fill`.
  mutating func assemble(_ bytes: RawSpan, _ text: inout EditedText) throws(PropertyListError) -> [EditedText.Piece] {
    // A closure that captures mutable state would copy it for each child.
    let assembly = self
    tails = children.map { assembly.tail(bytes, from: $0.separator.upperBound) }
    pieces.append(source: container.opening.lowerBound, beginning(bytes))
    lookAtChildren(bytes)
    var gone = 0
    for (position, source) in plan.source.enumerated() {
      if source >= 0, plan.stays[source] {
        while gone < source {
          leave(gone, bytes, &text)
          gone += 1
        }
        try keep(source, as: position, bytes, &text)
        gone = source + 1
      } else if source >= 0 {
        try move(source, to: position, bytes, &text)
      } else {
        try insert(position, behind: gone - 1, bytes, &text)
      }
    }
    while gone < children.count {
      leave(gone, bytes, &text)
      gone += 1
    }
    appendTrivia(tails[tails.count - 1].end, closing.lowerBound, bytes)
    return plan.source.isEmpty && isBlank(bytes) ? empty(&text) : closed()
  }

  /// Examines the trivia between the first children, to separate new children like the existing ones.
  private mutating func lookAtChildren(_ bytes: RawSpan) {
    firstKept = plan.stays.firstIndex(of: true) ?? 0
    let leads = children.indices.prefix(4).map { lead(of: $0, bytes) }
    padding = leads.first.flatMap { $0.space(bytes) }
    spacing = leads.count > 1 ? leads[1].space(bytes) : fragments.layout.spacing
    separatesByEmptyLines = leads.count > 1 && leads.dropFirst().allSatisfy(\.beginsWithEmptyLine)
  }

  /// Appends a child that keeps its position.
  private mutating func keep(
    _ child: Int, as position: Int, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) {
    if child == 0 || position == 0 {
      let lead = lead(of: child, bytes)
      if child == 0, position > 0, lead.range.lowerBound == 0 {
        // Another child is now the first one of a file without braces. The old first one begins at the beginning of the
        // file, without a line end before it, so a line end is added.
        pieces.append(text.add(fragments.layout.lineEnd))
        appendTrivia(0, lead.range.upperBound, bytes)
      } else if (child == 0) != (position == 0), lead.space(bytes) != nil, omission == .nothing {
        appendSpacing(isFirst: position == 0, bytes, &text)
      } else {
        appendTrivia(lead.range.lowerBound, lead.range.upperBound, bytes)
      }
    } else {
      appendTrivia(tails[child - 1].end, children[child].start, bytes)
    }
    omission = .nothing
    try appendChild(child, as: position, bytes, &text)
    pieces.append(source: children[child].separator.upperBound, tails[child].end)
    endsInLineComment = tails[child].endsInLineComment
  }

  /// Appends a child, and its separator if one is needed at the new position.
  private mutating func appendChild(
    _ child: Int, as position: Int, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) {
    let old = children[child]
    if container.kind == .dictionary {
      let key = container.keys[position]
      if container.isRenamed(child) {
        pieces.append(
          text.add(
            try located(position) { () throws(PropertyListError) in
              try modelled(on: child, bytes).key(key)
            }))
      } else {
        pieces.append(source: old.start, old.keyEnd)
      }
    }
    if case .piece(let piece) = old.content {
      if old.hasNoValue {
        pieces.append(text.add(fragments.layout.assignment ?? []))
      } else {
        pieces.append(source: old.keyEnd, old.value.lowerBound)
      }
      pieces.append(piece)
    } else {
      pieces.append(source: old.keyEnd, old.value.upperBound)
    }
    if needsSeparator(position) {
      if old.separator.isEmpty {
        appendSeparator(&text)
      } else {
        pieces.append(source: old.value.upperBound, old.separator.upperBound)
      }
    } else {
      pieces.append(source: old.value.upperBound, old.separator.lowerBound)
    }
  }

  /// Appends the trivia that stays at the old position of a removed or moved child.
  private mutating func leave(_ child: Int, _ bytes: RawSpan, _ text: inout EditedText) {
    let lead = lead(of: child, bytes)
    let isAtBeginningOfFile = isAtBeginningOfFile
    if lead.range.lowerBound == 0, lead.hasComment, !isAtBeginningOfFile {
      pieces.append(text.add(fragments.layout.lineEnd))
    }
    let isMoved = plan.target[child] >= 0
    let end = children[child].separator.upperBound
    let tail = tails[child]
    let isAtEndOfLine = isNewline(bytes, at: tail.end)
    guard lead.beginsLine, !lead.hasCommentOnLine else {
      if lead.hasComment { appendTrivia(lead.range.lowerBound, lead.commentEnd, bytes) }
      if tail.hasComment { pieces.append(source: end, tail.end) }
      return
    }
    if isMoved, isAtEndOfLine || tail.end == bytes.byteCount {
      appendTrivia(lead.range.lowerBound, lead.emptyLinesStart, bytes)
      if lead.emptyLinesStart == 0, isAtBeginningOfFile { omission = .newline }
    } else if isMoved {
      appendTrivia(lead.range.lowerBound, lead.emptyLinesStart, bytes)
      pieces.append(source: lead.lastNewline?.lowerBound ?? lead.indent.lowerBound, lead.range.upperBound)
      omission = .spaces
    } else if tail.hasComment {
      appendTrivia(lead.range.lowerBound, lead.range.upperBound, bytes)
      pieces.append(source: scanner.spaces(bytes, at: end).upperBound, tail.end)
    } else if isAtEndOfLine {
      appendTrivia(lead.range.lowerBound, lead.lastNewline?.upperBound ?? lead.range.lowerBound, bytes)
      if lead.lastNewline != nil || isAtBeginningOfFile { omission = .newline }
    } else if tail.end == bytes.byteCount {
      appendTrivia(lead.range.lowerBound, lead.lastNewline?.lowerBound ?? lead.range.lowerBound, bytes)
    } else {
      appendTrivia(lead.range.lowerBound, lead.range.upperBound, bytes)
      omission = .spaces
    }
  }

  /// Appends a child from another position.
  private mutating func move(
    _ child: Int, to position: Int, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) {
    let lead = lead(of: child, bytes)
    if lead.beginsLine, !lead.hasCommentOnLine {
      var start = lead.attachedStart
      if let trivia = scanner.trivia(bytes, at: start), trivia.kind == .newline { start = trivia.end }
      appendLineEnds(position, followsEmptyLine: lead.emptyLinesStart < lead.attachedStart, bytes, &text)
      pieces.append(source: start, lead.range.upperBound)
      try appendChild(child, as: position, bytes, &text)
      pieces.append(source: children[child].separator.upperBound, tails[child].end)
      endsInLineComment = tails[child].endsInLineComment
    } else {
      appendSpacing(isFirst: position == 0, bytes, &text)
      try appendChild(child, as: position, bytes, &text)
    }
  }

  /// Appends a line end before a child that begins a line, or two if an empty line precedes the child.
  mutating func appendLineEnds(_ position: Int, followsEmptyLine: Bool, _ bytes: RawSpan, _ text: inout EditedText) {
    guard !isAtBeginningOfFile else { return }
    // An empty line separates the comments at the head of a file from a new first entry, because they are not about it.
    let isFollowing = position == 0 ? !container.hasBrackets : followsEmptyLine || separatesByEmptyLines
    for _ in 0..<(isFollowing ? 2 : 1) { pieces.append(text.add(fragments.layout.lineEnd)) }
  }

  var isAtBeginningOfFile: Bool { !container.hasBrackets && pieces.isEmpty }

  // Containers without children.

  func closed() -> [EditedText.Piece] {
    var pieces = pieces
    pieces.append(source: closing.lowerBound, closing.upperBound)
    return pieces
  }

  /// Returns true if only white space follows the opening bracket.
  func isBlank(_ bytes: RawSpan) -> Bool {
    pieces.allSatisfy { piece in
      guard case .source(let range) = piece else { return false }
      var offset = max(range.lowerBound, container.opening.upperBound)
      while offset < range.upperBound, let trivia = scanner.trivia(bytes, at: offset), !trivia.isComment {
        offset = trivia.end
      }
      return offset >= range.upperBound
    }
  }

  /// Returns the pieces of an empty container. Only the opening and closing brackets of the old text are kept.
  func empty(_ text: inout EditedText) -> [EditedText.Piece] {
    // A file without bytes would be invalid.
    guard container.hasBrackets else { return pieces.isEmpty ? [text.add(fragments.layout.lineEnd)] : pieces }
    var pieces: [EditedText.Piece] = []
    if Scanner.hasTags {
      pieces.append(source: container.opening.lowerBound, container.opening.upperBound - 1)
      pieces.append(text.add(Array("/>".utf8)))
    } else {
      pieces.append(source: container.opening.lowerBound, container.opening.upperBound)
      pieces.append(source: closing.lowerBound, closing.upperBound)
    }
    return pieces
  }

  /// Returns the pieces of a container that was empty and gets children. `isTag` is true if it was a single tag, such
  /// as `<dict/>`.
  mutating func fill(isTag: Bool, _ bytes: RawSpan, _ text: inout EditedText) throws(PropertyListError)
    -> [EditedText.Piece]
  {
    var fragments = fragments
    let outer = Array(bytes, layout: container.line)
    let lead = lead(bytes, container.opening.upperBound..<closing.lowerBound)
    if isTag {
      var end = container.opening.upperBound - 2
      while bytes[end - 1].isWhiteSpace { end -= 1 }
      pieces.append(source: container.opening.lowerBound, end)
      pieces.append(text.add(Array(">".utf8)))
    } else {
      pieces.append(source: container.opening.lowerBound, lead.commentEnd)
    }
    guard container.hasBrackets else {
      try fillFile(lead, bytes, &text)
      return pieces
    }
    let hasLines = !fragments.layout.isInline || lead.hasComment
    fragments.layout.indent = hasLines ? outer + fragments.layout.indentUnit : outer
    for position in container.values.indices {
      if hasLines {
        pieces.append(text.add(fragments.layout.lineEnd + fragments.layout.indent))
      } else {
        pieces.append(text.add(position == 0 ? fragments.layout.padding : fragments.layout.spacing))
      }
      try appendNew(position, fragments, assignment: nil, &text)
    }
    pieces.append(text.add(hasLines ? fragments.layout.lineEnd + outer : fragments.layout.closingPadding))
    if isTag {
      pieces.append(text.add(Array((container.kind == .dictionary ? "</dict>" : "</array>").utf8)))
    } else {
      pieces.append(source: closing.lowerBound, closing.upperBound)
    }
    return pieces
  }

  /// Appends the entries of a file that had none.
  private mutating func fillFile(_ lead: Lead, _ bytes: RawSpan, _ text: inout EditedText) throws(PropertyListError) {
    pieces.append(source: lead.commentEnd, lead.range.upperBound)
    let endsInNewline = bytes.byteCount == 0 || lead.lastNewline?.upperBound == bytes.byteCount
    if !endsInNewline { pieces.append(text.add(fragments.layout.lineEnd)) }
    for position in container.values.indices {
      if position > 0 { pieces.append(text.add(fragments.layout.lineEnd)) }
      try appendNew(position, fragments, assignment: nil, &text)
    }
    if endsInNewline { pieces.append(text.add(fragments.layout.lineEnd)) }
  }
}
