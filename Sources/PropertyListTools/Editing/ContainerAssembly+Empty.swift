@_spi(Archives) internal import PropertyLists

/// Containers without children.
extension ContainerAssembly {
  func closed() -> [EditedText.Piece] {
    var pieces = pieces
    pieces.append(source: closing.lowerBound, closing.upperBound)
    return pieces
  }

  /// Whether nothing but white space stands behind the opening bracket.
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

  /// The container without anything in it, and nothing of its text but the opening bracket.
  func empty(_ text: inout EditedText) -> [EditedText.Piece] {
    // A file of no bytes is none.
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

  /// The pieces of a container that had no children and gets some. If it is one tag, there is no other that closes it.
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

  /// The entries of a file that had none.
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
