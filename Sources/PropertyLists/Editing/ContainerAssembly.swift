/// Puts a container that has changed together, out of pieces of its text and new ones.
///
/// The text between two children is shared out so: what follows a child on its line, a comment perhaps, belongs to it; the
/// rest, with the comments on lines of their own, stands before the next child. A child that goes takes with it its key,
/// its value, what is between them, and its line if nothing else stands on it; comments stay. A child that moves takes
/// along the comments directly above it too.
struct ContainerAssembly<Scanner: LayoutScanner> {
  let scanner: Scanner
  let container: EditedContainer
  let fragments: FragmentWriter
  let closing: Range<Int>
  let separator: LayoutSeparator
  var pieces: [EditedText.Piece] = []
  /// For each child, what follows it on its line.
  private var tails: [Tail] = []
  /// What is left out of the trivia that comes next, because what stood on the line before it has gone.
  private var omission = Omission.nothing
  /// Whether what was put in last runs on to the end of its line.
  private var endsInLineComment = false

  private enum Omission {
    case nothing, newline, spaces
  }

  init(_ scanner: Scanner, _ container: EditedContainer, _ fragments: FragmentWriter, closing: Range<Int>) {
    self.scanner = scanner
    self.container = container
    self.fragments = fragments
    self.closing = closing
    separator = Scanner.separator(in: container.kind)
  }

  private var plan: ContainerPlan { container.plan }
  private var children: [EditedContainer.Child] { container.children }

  /// The pieces of a container that has children.
  mutating func assemble(_ bytes: RawSpan, _ text: inout EditedText) throws(PropertyListError) -> [EditedText.Piece] {
    tails = children.map { tail(bytes, from: $0.separator.upperBound) }
    pieces.append(source: container.opening.lowerBound, beginning(bytes))
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
}

/// Containers without children.
extension ContainerAssembly {
  private func closed() -> [EditedText.Piece] {
    var pieces = pieces
    pieces.append(source: closing.lowerBound, closing.upperBound)
    return pieces
  }

  /// Whether nothing but white space stands behind the opening bracket.
  private func isBlank(_ bytes: RawSpan) -> Bool {
    pieces.allSatisfy { piece in
      guard case .source(let range) = piece else { return false }
      var place = max(range.lowerBound, container.opening.upperBound)
      while place < range.upperBound, let trivia = scanner.trivia(bytes, at: place), !trivia.isComment {
        place = trivia.end
      }
      return place >= range.upperBound
    }
  }

  /// The container without anything in it, and nothing of its text but the opening bracket.
  private func empty(_ text: inout EditedText) -> [EditedText.Piece] {
    // A file of no bytes is none.
    guard container.hasBrackets else { return pieces.isEmpty ? [text.add(fragments.layout.lineEnd)] : pieces }
    var pieces: [EditedText.Piece] = []
    if fragments.format == .xml {
      pieces.append(source: container.opening.lowerBound, container.opening.upperBound - 1)
      pieces.append(text.add(Array("/>".utf8)))
    } else {
      pieces.append(source: container.opening.lowerBound, container.opening.upperBound)
      pieces.append(source: closing.lowerBound, closing.upperBound)
    }
    return pieces
  }

  /// The pieces of a container that had no children and gets some.
  ///
  /// - Parameter isTag: whether it is one tag, without another that closes it.
  mutating func fill(isTag: Bool, _ bytes: RawSpan, _ text: inout EditedText) throws(PropertyListError)
    -> [EditedText.Piece]
  {
    var fragments = fragments
    let outer = Array(bytes, container.line)
    let lead = lead(bytes, container.opening.upperBound..<closing.lowerBound)
    if isTag {
      var end = container.opening.upperBound - 2
      while XMLText.isSpace(bytes[end - 1]) { end -= 1 }
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
    pieces.append(text.add(hasLines ? fragments.layout.lineEnd + outer : fragments.layout.padding))
    if isTag {
      pieces.append(text.add(Array((container.kind == .dictionary ? "</dict>" : "</array>").utf8)))
    } else {
      pieces.append(source: closing.lowerBound, closing.upperBound)
    }
    return pieces
  }

  /// The entries of a file that had none.
  private mutating func fillFile(
    _ lead: Lead, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) {
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

/// What stands between the children.
extension ContainerAssembly {
  /// What follows a child on its line, if nothing but trivia does.
  private struct Tail {
    var end: Int
    var hasComment = false
    var endsInLineComment = false
  }

  /// What stands before a child, behind what belongs to the one before it.
  private struct Lead {
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
  }

  private func lead(of child: Int, _ bytes: RawSpan) -> Lead {
    let start = child == 0 ? beginning(bytes) : tails[child - 1].end
    return lead(bytes, start..<children[child].start)
  }

  private func lead(_ bytes: RawSpan, _ range: Range<Int>) -> Lead {
    let start = range.lowerBound
    // The text of a file begins a line.
    let beginsLine = start == 0
    var lead = Lead(
      range: range, commentEnd: start, attachedStart: start, emptyLinesStart: start, beginsLine: beginsLine, indent: start..<start)
    if beginsLine { lead.indent = scanner.spaces(bytes, at: start) }
    var isLineEmpty = beginsLine
    var newlines = 0
    var runStart = start
    var place = start
    while place < range.upperBound, let trivia = scanner.trivia(bytes, at: place) {
      switch trivia.kind {
      case .space: break
      case .newline:
        newlines += 1
        if newlines == 2, !lead.hasComment { lead.beginsWithEmptyLine = true }
        if !isLineEmpty { runStart = place }
        if isLineEmpty || lead.lastNewline == nil && !beginsLine {
          lead.attachedStart = place
          lead.emptyLinesStart = runStart
        }
        isLineEmpty = true
        lead.lastNewline = place..<trivia.end
        lead.hasCommentOnLine = false
        lead.beginsLine = true
        lead.indent = scanner.spaces(bytes, at: trivia.end)
      case .comment, .lineComment:
        isLineEmpty = false
        lead.hasComment = true
        lead.hasCommentOnLine = true
        lead.commentEnd = trivia.end
      }
      place = trivia.end
    }
    return lead
  }

  /// Where what follows a place on its line ends, which is that place if something else than trivia stands on the line.
  private func tail(_ bytes: RawSpan, from start: Int) -> Tail {
    var tail = Tail(end: start)
    while let trivia = scanner.trivia(bytes, at: tail.end), trivia.kind != .newline {
      tail.hasComment = tail.hasComment || trivia.isComment
      tail.endsInLineComment = trivia.kind == .lineComment
      tail.end = trivia.end
    }
    return isNewline(bytes, at: tail.end) || tail.end == bytes.byteCount ? tail : Tail(end: start)
  }

  /// Where the opening bracket ends with what follows it on its line. Where there is none, the comments at the head of the
  /// file, which an empty line ends, take its place.
  private func beginning(_ bytes: RawSpan) -> Int {
    guard let first = children.first else { return container.opening.upperBound }
    if container.hasBrackets { return tail(bytes, from: container.opening.upperBound).end }
    return lead(bytes, 0..<first.start).emptyLinesStart
  }

  private mutating func appendTrivia(_ start: Int, _ end: Int, _ bytes: RawSpan) {
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

  private func isNewline(_ bytes: RawSpan, at place: Int) -> Bool {
    scanner.trivia(bytes, at: place)?.kind == .newline
  }
}

/// The children that there are.
extension ContainerAssembly {
  /// A child that keeps its place.
  private mutating func keep(
    _ child: Int, as position: Int, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) {
    if child == 0 || position == 0 {
      let lead = lead(of: child, bytes)
      if child == 0, position > 0, lead.range.lowerBound == 0 {
        // The first of a file is not the first any more.
        pieces.append(text.add(fragments.layout.lineEnd))
        appendTrivia(0, lead.range.upperBound, bytes)
      } else if (child == 0) != (position == 0), lead.lastNewline == nil, !lead.hasComment, omission == .nothing {
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

  /// A child with its separator, if it needs one where it stands now.
  private mutating func appendChild(
    _ child: Int, as position: Int, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) {
    let old = children[child]
    if container.kind == .dictionary {
      let key = container.keys[position]
      if container.isRenamed(child) {
        pieces.append(text.add(try located(position) { () throws(PropertyListError) in
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

  /// What a child leaves behind that goes or moves away.
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

  /// A child that comes from another place.
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

  /// Ends the line before a child that begins one.
  private mutating func appendLineEnds(
    _ position: Int, followsEmptyLine: Bool, _ bytes: RawSpan, _ text: inout EditedText
  ) {
    guard !isAtBeginningOfFile else { return }
    // The comments at the head of a file are not those of its first entry.
    let isFollowing = position == 0 ? !container.hasBrackets : followsEmptyLine || separatesByEmptyLines(bytes)
    for _ in 0..<(isFollowing ? 2 : 1) { pieces.append(text.add(fragments.layout.lineEnd)) }
  }

  private var isAtBeginningOfFile: Bool { !container.hasBrackets && pieces.isEmpty }
}

/// The children that are new.
extension ContainerAssembly {
  /// A new child.
  ///
  /// - Parameter former: the child before it that keeps its place, or -1.
  private mutating func insert(
    _ position: Int, behind former: Int, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) {
    let model = former >= 0 ? former : plan.stays.firstIndex(of: true) ?? 0
    let lead = lead(of: model, bytes)
    var fragments = modelled(on: model, bytes)
    if lead.beginsLine || endsInLineComment {
      fragments.layout.indent = Array(bytes, lead.beginsLine ? lead.indent : container.line)
      if !lead.beginsLine { fragments.layout.indent += fragments.layout.indentUnit }
      appendLineEnds(position, followsEmptyLine: false, bytes, &text)
      pieces.append(text.add(fragments.layout.indent))
    } else {
      fragments.layout.indent = Array(bytes, container.line)
      fragments.layout.isInline = true
      appendSpacing(isFirst: position == 0, bytes, &text)
    }
    try appendNew(position, fragments, assignment: assignment(of: model, bytes), &text)
  }

  /// An entry or element that is new, with its separator.
  ///
  /// - Parameter assignment: what stands between its key and its value.
  private mutating func appendNew(
    _ position: Int, _ fragments: FragmentWriter, assignment: [UInt8]?, _ text: inout EditedText
  ) throws(PropertyListError) {
    var fragments = fragments
    if container.kind == .dictionary {
      let key = container.keys[position]
      pieces.append(text.add(try located(position) { () throws(PropertyListError) in try fragments.key(key) }))
      if let assignment = assignment ?? fragments.layout.assignment {
        pieces.append(text.add(assignment))
        // The value stands on a line of its own.
        if let newline = assignment.lastIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
          fragments.layout.indent = Array(assignment[(newline + 1)...])
        }
      } else if !fragments.layout.isInline {
        pieces.append(text.add(fragments.layout.lineEnd + fragments.layout.indent))
      }
    }
    let value = container.values[position]
    pieces.append(text.add(try located(position) { () throws(PropertyListError) in try fragments.value(value) }))
    if needsSeparator(position) { appendSeparator(&text) }
    endsInLineComment = false
  }

  private func located<Result>(
    _ position: Int, _ body: () throws(PropertyListError) -> Result
  ) throws(PropertyListError) -> Result {
    do throws(PropertyListError) {
      return try body()
    } catch {
      var error = error
      error.keyPath = PropertyListKeyPath([container.component(position)] + (error.keyPath?.components ?? []))
      throw error
    }
  }

  /// A writer with the quotation marks of a child, and what it has between its key and its value.
  private func modelled(on child: Int, _ bytes: RawSpan) -> FragmentWriter {
    func quote(_ place: Int) -> UInt8? {
      bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") ? bytes[place] : nil
    }
    var fragments = fragments
    if let assignment = assignment(of: child, bytes), !assignment.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
      fragments.layout.assignment = assignment
    }
    let child = children[child]
    if container.kind == .dictionary { fragments.layout.keyQuote = quote(child.start) }
    if !child.hasNoValue {
      switch bytes[child.value.lowerBound] {
      case UInt8(ascii: "<"), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): break
      default: fragments.layout.stringQuote = quote(child.value.lowerBound)
      }
    }
    return fragments
  }

  /// What stands between the key and the value of an entry; nil if a comment does.
  private func assignment(of child: Int, _ bytes: RawSpan) -> [UInt8]? {
    guard container.kind == .dictionary, !children[child].hasNoValue else { return nil }
    let range = children[child].keyEnd..<children[child].value.lowerBound
    var place = range.lowerBound
    while place < range.upperBound {
      if bytes[place] == Scanner.assignment {
        place += 1
      } else if let trivia = scanner.trivia(bytes, at: place), !trivia.isComment {
        place = trivia.end
      } else {
        return nil
      }
    }
    return Array(bytes, range)
  }

  /// Whether empty lines stand between the children.
  private func separatesByEmptyLines(_ bytes: RawSpan) -> Bool {
    guard children.count > 1 else { return false }
    return (1..<min(children.count, 4)).allSatisfy { lead(of: $0, bytes).beginsWithEmptyLine }
  }

  /// What stands before a child that begins no line.
  private mutating func appendSpacing(isFirst: Bool, _ bytes: RawSpan, _ text: inout EditedText) {
    if endsInLineComment {
      pieces.append(text.add(fragments.layout.lineEnd + Array(bytes, container.line) + fragments.layout.indentUnit))
      endsInLineComment = false
      return
    }
    let lead = isFirst ? lead(of: 0, bytes) : children.count > 1 ? lead(of: 1, bytes) : nil
    if let lead, !lead.hasComment, lead.lastNewline == nil {
      pieces.append(text.add(Array(bytes, lead.range)))
    } else if !isFirst {
      pieces.append(text.add(fragments.layout.spacing))
    }
  }

  private func needsSeparator(_ position: Int) -> Bool {
    switch separator {
    case .none: false
    case .terminator: true
    case .between: position < plan.source.count - 1 || hasSeparatorBehindLast
    }
  }

  private var hasSeparatorBehindLast: Bool {
    guard let last = children.last else { return fragments.layout.hasTrailingCommas && !fragments.layout.isInline }
    return !last.separator.isEmpty
  }

  private mutating func appendSeparator(_ text: inout EditedText) {
    if let byte = separator.byte { pieces.append(text.add([byte])) }
  }
}
