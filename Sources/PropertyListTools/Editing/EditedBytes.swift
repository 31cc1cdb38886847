package import FoundationEssentials
@_spi(Archives) package import PropertyLists
package import SystemFiles

/// The bytes of an edited document.
package struct EditedBytes {
  private let content: Content

  private enum Content {
    case whole(Data)
    case pieces(EditedText, EditedText.Piece, TextSource, head: Data)
  }

  package init(_ data: Data) { content = .whole(data) }

  /// Creates the bytes from the pieces of a UTF-8 text, and from the bytes that precede the text in the input.
  init(_ text: EditedText, _ root: EditedText.Piece, of source: TextSource, head: Data) {
    content = .pieces(text, root, source, head: head)
  }

  /// The number of bytes that are collected before they are written.
  private static let greatestReadyByteCount = 1 << 20

  /// All bytes.
  package var data: Data {
    switch content {
    case .whole(let data): return data
    case .pieces(let text, let root, let source, let head):
      var output = ByteBuffer()
      output.append(head.bytes)
      text.append(root, of: source, to: &output)
      return output.takeData()
    }
  }

  /// True if the bytes are a binary property list.
  package var beginsBinary: Bool {
    guard case .whole(let data) = content else { return false }
    return data.starts(with: Data("bplist".utf8))
  }

  /// The number of bytes.
  package var count: Int {
    switch content {
    case .whole(let data): return data.count
    case .pieces(let text, let root, _, let head):
      var count = head.count
      text.forEach(of: root) { range, _ in count += range.count }
      return count
    }
  }

  /// Writes the bytes to a file. Large unchanged parts of the document are written without copying them.
  package func write(to output: FileOutput) throws(PropertyListError) {
    guard case .pieces(let text, let root, let source, let head) = content else {
      return try PropertyListError.converting(output.write(data))
    }
    let bytes = source.text.bytes
    var ready = ByteBuffer()
    ready.append(head.bytes)
    try text.forEach(of: root) { range, isAdded throws(PropertyListError) in
      if isAdded {
        ready.append(text.bytes(ofAdded: range))
      } else if range.count < Self.greatestReadyByteCount {
        ready.append(bytes.extracting(range))
      } else {
        try ready.drain(to: output)
        try PropertyListError.converting(output.write(bytes.extracting(range)))
      }
      if ready.count > Self.greatestReadyByteCount { try ready.drain(to: output) }
    }
    try ready.drain(to: output)
  }
}
