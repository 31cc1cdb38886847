internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// A formatter for the text of a property list. It lays out the values as the writer of the format does, and keeps the
/// comments.
///
/// It processes the tokens of the text and the nodes of its document in parallel. Open containers are kept in
/// ``frames`` instead of recursing, so that deeply nested values cannot overflow the stack. A line end is written
/// before each line, not after it.
struct TextFormatter<Scanner: LayoutScanner> {
  let document: PropertyListDocument
  let source: TextSource
  let sortsKeys: Bool
  var scanner: Scanner
  var spelling: ScalarSpelling<Scanner>
  var output: [UInt8] = []
  private var frames: [Frame] = []
  /// The total number of indent levels that may still be written for all lines. The writers of the formats have the
  /// same limit.
  private var budget: WorkBudget

  private init(_ document: PropertyListDocument, _ source: TextSource, sortsKeys: Bool, _ scanner: Scanner) {
    self.document = document
    self.source = source
    self.sortsKeys = sortsKeys
    self.scanner = scanner
    spelling = ScalarSpelling(document.format)
    budget = WorkBudget(document.options.limits.effectiveExpandedSize(inputSize: source.text.count))
  }

  /// An open container.
  struct Frame {
    let node: PropertyListDocument.Node
    /// The range of the container's opening bracket in the output, or nil for the entries of a strings file, which have
    /// no brackets.
    let bracket: Range<Int>?
    /// True if the tag has attributes, and so must stay unchanged.
    let keepsTag: Bool
    /// The form of a JSON dictionary that represents a value of a type that JSON lacks; nil for any other container.
    /// The dictionary is written on one line.
    var form: CoercedForm?
    /// The number of children that have been written.
    var position = 0
    /// True if a child, or a comment on a line of its own, has been written.
    var hasLines = false
    /// The entries of a dictionary that will be sorted.
    var entries: [Entry] = []
  }

  /// The beginning of an entry in the output, including the comments above it.
  struct Entry {
    let start: Int
    let key: [UInt16]
    let followsEmptyLine: Bool
  }

  static func format(
    _ document: PropertyListDocument, _ source: TextSource, sortsKeys: Bool
  ) throws(PropertyListError) -> Data {
    let bytes = source.text.bytes
    var formatter = TextFormatter(document, source, sortsKeys: sortsKeys, Scanner(end: bytes.byteCount))
    formatter.output.reserveCapacity(bytes.byteCount + bytes.byteCount / 4)
    try formatter.formatAll(bytes)
    return Data(formatter.output)
  }

  private mutating func formatAll(_ bytes: RawSpan) throws(PropertyListError) {
    guard document.format != .xml else { return try formatXML(bytes) }
    if scanner.begin(bytes) == .entries {
      spelling.quotesAll()
      frames.append(Frame(node: document.root, bracket: nil, keepsTag: false))
      try formatContainers(bytes)
    } else {
      scanner.index = 0
      let gap = FormattingGap(&scanner, bytes, mark: nil)
      var isFirst = true
      for comment in gap.comments { appendLine(comment, bytes, &isFirst) }
      beginLine(followsEmptyLine: gap.endsWithEmptyLine && !isFirst)
      try formatRoot(bytes)
    }
    // Each line begins with a line end, except the first one.
    if output.first == 0x0A { output.removeFirst() }
    output.append(0x0A)
  }

  /// Formats the root value, and the comments after it.
  mutating func formatRoot(_ bytes: RawSpan) throws(PropertyListError) {
    try append(document.root, bytes)
    try formatContainers(bytes)
    let gap = FormattingGap(&scanner, bytes, mark: nil)
    let isLast = scanner.index == bytes.byteCount || scanner.closes(bytes, at: scanner.index)
    let trailing = gap.trailingCount(isLast: isLast)
    appendTrailing(gap.comments[..<trailing], bytes)
    var isFirst = false
    for comment in gap.comments[trailing...] { appendLine(comment, bytes, &isFirst) }
  }

  /// Formats the content of the open containers.
  private mutating func formatContainers(_ bytes: RawSpan) throws(PropertyListError) {
    while let last = frames.indices.last {
      // Copies these values and not the whole frame: with a second reference to the frame's entries, each change would
      // copy them.
      let (kind, bracket, isFresh) = (frames[last].node.flat.kind, frames[last].bracket, frames[last].position == 0)
      guard !budget.isExhausted else {
        throw PropertyListError(.limitExceeded, "the indented text would be more than a hundred times larger")
      }
      let mark = isFresh ? nil : Scanner.separator(in: kind).byte
      var gap = FormattingGap(&scanner, bytes, mark: mark)
      let isLast = scanner.index == bytes.byteCount || bracket != nil && scanner.closes(bytes, at: scanner.index)
      if !isFresh { appendSeparator(kind, &gap, isLast: isLast, bytes) }
      // Comments in a container without children, and at the beginning of a text, get lines of their own.
      let trailing = isFresh && (isLast || bracket == nil) ? 0 : gap.trailingCount(isLast: isLast)
      appendTrailing(gap.comments[..<trailing], bytes)
      let lines = gap.comments[trailing...]
      if isLast {
        try close(lines, bytes)
      } else {
        try appendChild(lines, followsEmptyLine: gap.endsWithEmptyLine, bytes)
      }
    }
  }

  /// Appends the separator after a child, and the comments before it.
  private mutating func appendSeparator(_ kind: NodeKind, _ gap: inout FormattingGap, isLast: Bool, _ bytes: RawSpan) {
    gap.moveCommentsBehindMark()
    appendTrailing(gap.beforeMark[...], bytes)
    switch Scanner.separator(in: kind) {
    case .none: break
    case .terminator(let byte): output.append(byte)
    case .between(let byte): if !isLast { output.append(byte) }
    }
  }

  private mutating func appendChild(
    _ comments: ArraySlice<FormattingGap.Comment>, followsEmptyLine: Bool, _ bytes: RawSpan
  ) throws(PropertyListError) {
    let last = frames.count - 1
    let (node, position, form) = (frames[last].node, frames[last].position, frames[last].form)
    guard position < node.count else { throw unknownLayout }
    frames[last].position += 1
    let isDictionary = node.kind == .dictionary
    let entry = isDictionary ? try node.entry(at: position) : nil
    var isFirst = !frames[last].hasLines
    frames[last].hasLines = true
    if sortsKeys, let entry {
      let hasEmptyLine = !isFirst && (comments.first?.followsEmptyLine ?? followsEmptyLine)
      frames[last].entries.append(
        Entry(start: output.count, key: Array(entry.key.utf16), followsEmptyLine: hasEmptyLine))
    }
    for comment in comments { appendLine(comment, bytes, &isFirst) }
    if form == nil { beginLine(followsEmptyLine: followsEmptyLine && !isFirst) }
    if let (key, value) = entry {
      try append(key: key, value, bytes)
    } else {
      try append(node.child(at: position), bytes)
    }
  }

  private mutating func append(
    key: String, _ value: PropertyListDocument.Node, _ bytes: RawSpan
  ) throws(PropertyListError) {
    guard let token = scanner.token(bytes), case .scalar = token.kind else { throw unknownLayout }
    output += try spelling.key(key, token.range, bytes)
    let keyEnd = scanner.index
    let gap = FormattingGap(&scanner, bytes, mark: Scanner.assignment)
    guard Scanner.assignment != nil else {
      // In XML, a key and its value are on separate lines.
      let trailing = gap.trailingCount(isLast: false)
      appendTrailing(gap.comments[..<trailing], bytes)
      var isFirst = true
      for comment in gap.comments[trailing...] {
        appendLine(comment, bytes, &isFirst)
        isFirst = true
      }
      beginLine()
      return try append(value, bytes)
    }
    if gap.hasMark {
      appendInline(gap.beforeMark, bytes)
      appendAssignment()
      if !gap.comments.isEmpty {
        // Removes the space after the assignment, because a space is written before each comment.
        output.removeLast()
        appendInline(gap.comments, bytes)
        if output.last != UInt8(ascii: " ") { output.append(UInt8(ascii: " ")) }
      }
      try append(value, bytes)
    } else {
      // The entry has only a key, which is also its value. Comments after the key are written after the value.
      scanner.index = keyEnd
      appendAssignment()
      output += try spelling.value(value, token.range, column: 0, isRoot: false, bytes)
    }
  }

  /// Formats a value. Of a container, only the opening bracket is written.
  mutating func append(_ node: PropertyListDocument.Node, _ bytes: RawSpan) throws(PropertyListError) {
    guard let token = scanner.token(bytes) else { throw unknownLayout }
    let start = output.count
    switch token.kind {
    case .scalar where !node.flat.kind.isContainer:
      output += try spelling.value(
        node, token.range, column: depth, isRoot: frames.isEmpty, isFloat: frames.last?.form == .float, bytes)
    case .begin(let kind) where kind == node.flat.kind:
      let keepsTag = spelling.keepsTag(token.range, bytes)
      output += keepsTag ? spelling.source(token.range, bytes) : spelling.opening(kind)
      let form = try spelling.form(of: node)
      frames.append(Frame(node: node, bracket: start..<output.count, keepsTag: keepsTag, form: form))
    case .empty(let kind) where kind == node.flat.kind:
      output += spelling.keepsTag(token.range, bytes) ? spelling.source(token.range, bytes) : spelling.empty(kind)
    default: throw unknownLayout
    }
  }

  private mutating func close(
    _ comments: ArraySlice<FormattingGap.Comment>, _ bytes: RawSpan
  ) throws(PropertyListError) {
    var frame = frames[frames.count - 1]
    guard frame.position == frame.node.count else { throw unknownLayout }
    if !frame.entries.isEmpty { sort(frame.entries) }
    var isFirst = !frame.hasLines
    for comment in comments {
      appendLine(comment, bytes, &isFirst)
      frame.hasLines = true
    }
    frames.removeLast()
    guard let bracket = frame.bracket else { return }
    guard let token = scanner.token(bytes), case .end(frame.node.flat.kind) = token.kind else { throw unknownLayout }
    if frame.form == nil, frame.hasLines || output.count > bracket.upperBound {
      beginLine()
      output += spelling.closing(frame.node.flat.kind)
    } else if frame.keepsTag || frame.form != nil {
      output += spelling.closing(frame.node.flat.kind)
    } else {
      output.removeLast(output.count - bracket.lowerBound)
      output += spelling.empty(frame.node.flat.kind)
    }
  }

  /// Sorts the entries of the innermost dictionary by their keys.
  private mutating func sort(_ entries: [Entry]) {
    let sorted = entries.indices.sorted { entries[$0].key.lexicographicallyPrecedes(entries[$1].key) }
    guard sorted != Array(entries.indices), let first = entries.first else { return }
    var separator: UInt8?
    if case .between(let byte) = Scanner.separator(in: .dictionary) { separator = byte }
    var result: [UInt8] = []
    result.reserveCapacity(output.count - first.start)
    for (position, index) in sorted.enumerated() {
      let end = index + 1 < entries.count ? entries[index + 1].start : output.count
      var chunk = output[entries[index].start..<end]
      if position == 0, entries[index].followsEmptyLine { chunk.removeFirst() }
      // A format with commas has no comments, so an entry ends with its comma.
      if separator != nil, index + 1 < entries.count { chunk.removeLast() }
      result += chunk
      if let separator, position + 1 < sorted.count { result.append(separator) }
    }
    output.replaceSubrange(first.start..., with: result)
  }

  /// The indent level of the lines in the innermost container.
  private var depth: Int { frames.first?.bracket == nil ? max(frames.count - 1, 0) : frames.count }

  mutating func beginLine(followsEmptyLine: Bool = false) {
    output.append(0x0A)
    if followsEmptyLine { output.append(0x0A) }
    guard budget.spend(depth) else { return }
    for _ in 0..<depth { output += spelling.indentUnit }
  }

  /// Appends a comment on a line of its own.
  mutating func appendLine(_ comment: FormattingGap.Comment, _ bytes: RawSpan, _ isFirst: inout Bool) {
    beginLine(followsEmptyLine: comment.followsEmptyLine && !isFirst)
    output += spelling.source(comment.range, bytes)
    isFirst = false
  }

  /// Appends comments on the line of the preceding text.
  private mutating func appendTrailing(_ comments: ArraySlice<FormattingGap.Comment>, _ bytes: RawSpan) {
    for comment in comments {
      output.append(UInt8(ascii: " "))
      output += spelling.source(comment.range, bytes)
    }
  }

  /// Appends comments between a key and its value, on the same line where possible.
  private mutating func appendInline(_ comments: [FormattingGap.Comment], _ bytes: RawSpan) {
    for comment in comments {
      if output.last != UInt8(ascii: " "), output.last != 0x09 { output.append(UInt8(ascii: " ")) }
      output += spelling.source(comment.range, bytes)
      guard comment.isLineComment else { continue }
      beginLine()
      output += spelling.indentUnit
    }
  }

  private mutating func appendAssignment() {
    let space = UInt8(ascii: " ")
    // After the indent of a line that follows a comment, no other space is needed.
    output += output.last == space ? spelling.assignment.drop { $0 == space } : spelling.assignment[...]
  }

  /// The error for text that readers accept but the formatter does not support, at the position of the scanner.
  var unknownLayout: PropertyListError {
    let position = source.position(at: scanner.index)
    return PropertyListError(
      .malformed, "the text at this position cannot be formatted", byteOffset: position.byteOffset,
      position: position.position)
  }
}
