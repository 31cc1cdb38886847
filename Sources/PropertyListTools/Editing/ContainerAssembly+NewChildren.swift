@_spi(Archives) internal import PropertyLists

/// Functions that add new children.
extension ContainerAssembly {
  /// Inserts a new child after the old child with the index `former`, or at the beginning if `former` is -1. The new
  /// child gets the layout of that old child. At the beginning, it gets the layout of the first child that keeps its
  /// position.
  mutating func insert(
    _ position: Int, behind former: Int, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) {
    let model = former >= 0 ? former : firstKept
    let lead = lead(of: model, bytes)
    var fragments = modelled(on: model, bytes)
    if container.values[position].fitsOnOneLine { fragments.layout.takeLine(of: valueLayout(of: model, bytes)) }
    if lead.beginsLine || endsInLineComment {
      fragments.layout.indent = Array(bytes, layout: lead.beginsLine ? lead.indent : container.line)
      if !lead.beginsLine { fragments.layout.indent += fragments.layout.indentUnit }
      appendLineEnds(position, followsEmptyLine: false, bytes, &text)
      pieces.append(text.add(fragments.layout.indent))
    } else {
      fragments.layout.indent = Array(bytes, layout: container.line)
      fragments.layout.isInline = true
      appendSpacing(isFirst: position == 0, bytes, &text)
    }
    try appendNew(position, fragments, assignment: assignment(of: model, bytes), &text)
  }

  /// Appends a new entry or element with its separator and with the text between its key and its value.
  mutating func appendNew(
    _ position: Int, _ fragments: FragmentWriter, assignment: [UInt8]?, _ text: inout EditedText
  ) throws(PropertyListError) {
    var fragments = fragments
    if container.kind == .dictionary {
      let key = container.keys[position]
      pieces.append(text.add(try located(position) { () throws(PropertyListError) in try fragments.key(key) }))
      if let assignment = assignment ?? fragments.layout.assignment {
        pieces.append(text.add(assignment))
        // The value is on a line of its own.
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

  func located<Result>(
    _ position: Int, _ body: () throws(PropertyListError) -> Result
  ) throws(PropertyListError) -> Result {
    do { return try body() } catch { throw error.below([container.component(position)]) }
  }

  /// Returns a writer that spells new children like an existing one: with its quotation marks, and with the same text
  /// between a key and its value.
  func modelled(on child: Int, _ bytes: RawSpan) -> FragmentWriter {
    func quote(_ offset: Int) -> UInt8? {
      bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'") ? bytes[offset] : nil
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

  /// Returns the text between the key and the value of an entry, or nil if it contains a comment.
  private func assignment(of child: Int, _ bytes: RawSpan) -> [UInt8]? {
    guard container.kind == .dictionary, !children[child].hasNoValue else { return nil }
    return scanner.assignment(bytes, in: children[child].keyEnd..<children[child].value.lowerBound)?.text
  }

  /// Appends the text before a child that does not begin a line.
  mutating func appendSpacing(isFirst: Bool, _ bytes: RawSpan, _ text: inout EditedText) {
    if endsInLineComment {
      let indent = Array(bytes, layout: container.line) + fragments.layout.indentUnit
      pieces.append(text.add(fragments.layout.lineEnd + indent))
      endsInLineComment = false
    } else {
      pieces.append(text.add((isFirst ? padding : spacing ?? fragments.layout.spacing) ?? []))
    }
  }

  func needsSeparator(_ position: Int) -> Bool {
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

  mutating func appendSeparator(_ text: inout EditedText) {
    if let byte = separator.byte { pieces.append(text.add([byte])) }
  }

  /// Returns the layout of a child that is a short container on one line, in a file with several lines. Returns nil for
  /// any other child.
  private func valueLayout(of child: Int, _ bytes: RawSpan) -> TextLayout? {
    let value = children[child].value
    guard !fragments.layout.isInline, !value.isEmpty, value.count <= TextLayout.greatestSpace else { return nil }
    for offset in value where bytes[offset] == 0x0A || bytes[offset] == 0x0D { return nil }
    var scanner = scanner
    scanner.index = value.lowerBound
    guard case .begin? = scanner.token(bytes)?.kind else { return nil }
    var layout = fragments.layout
    layout.isInline = true
    return LayoutDetector<Scanner>.detect(bytes, insideOf: value, standard: layout)
  }
}

extension PropertyList {
  /// True for a container that has only a few values, and no container among them.
  fileprivate var fitsOnOneLine: Bool {
    switch self {
    case .array(let elements): elements.count <= 8 && !elements.contains(where: \.isContainer)
    case .dictionary(let entries): entries.count <= 8 && !entries.values.contains(where: \.isContainer)
    default: false
    }
  }
}

extension TextLayout {
  /// Copies the layout of values on one line from another layout, unless that is nil.
  fileprivate mutating func takeLine(of other: TextLayout?) {
    guard let other else { return }
    isInline = true
    (padding, spacing, closingPadding) = (other.padding, other.spacing, other.closingPadding)
    (assignment, keyQuote, stringQuote) = (other.assignment, other.keyQuote, other.stringQuote)
  }
}
