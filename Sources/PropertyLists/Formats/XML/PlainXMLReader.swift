/// A fast reader of the XML dialect that property list writers emit.
///
/// It supports a declaration with UTF-8 or without an encoding, Apple's document type, `<plist>` with or without a
/// version, the elements of the format without attributes, character references and white space. It reports no errors,
/// but gives up at each error and at everything that it does not support. So libxml2 would accept every text that this
/// reader accepts.
struct PlainXMLReader: ~Copyable, ~Escapable {
  private var lexer: XMLLexer
  private var builder: NodeTableBuilder
  private var keys = KnownKeys()
  private let depthLimit: Int

  /// Reads a document.
  ///
  /// - Parameter start: The offset of the document in `bytes`.
  /// - Returns: Nil for a document that is not in this dialect, or that has an error.
  /// - Complexity: O(*n*) in the length of the text.
  static func read(_ bytes: RawSpan, from start: Int, options: PropertyListReadingOptions) -> NodeTable? {
    var reader = PlainXMLReader(bytes, start, options)
    guard reader.readProlog(), reader.readValues(), reader.readEpilog() else { return nil }
    return reader.builder.finish()
  }

  @_lifetime(copy bytes)
  private init(_ bytes: RawSpan, _ start: Int, _ options: PropertyListReadingOptions) {
    lexer = XMLLexer(bytes, at: start)
    lexer.allowsAllCharacters = options.allowsAllXMLCharacters
    depthLimit = options.limits.effectiveDepth
    // A list of dictionaries has about one node per 32 bytes.
    builder = NodeTableBuilder(options: options, expectedNodes: bytes.byteCount / 32 + 16)
  }

  private mutating func readProlog() -> Bool {
    if lexer.pass("<?xml version=\"1.0\"") {
      _ = lexer.pass(" encoding=\"UTF-8\"") || lexer.pass(" encoding=\"utf-8\"")
      _ = lexer.pass(" standalone=\"yes\"") || lexer.pass(" standalone=\"no\"")
      guard lexer.pass("?>") else { return false }
      lexer.passSpace()
    }
    if lexer.pass("<!DOCTYPE plist ") {
      let isKnown =
        (lexer.pass("PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" ")
          || lexer.pass("PUBLIC \"-//Apple Computer//DTD PLIST 1.0//EN\" ")
          || lexer.pass("SYSTEM "))
        && (lexer.pass("\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">")
          || lexer.pass("\"https://www.apple.com/DTDs/PropertyList-1.0.dtd\">")
          || lexer.pass("\"file://localhost/System/Library/DTDs/PropertyList.dtd\">"))
      guard isKnown else { return false }
      lexer.passSpace()
    }
    return lexer.pass("<plist version=\"1.0\">") || lexer.pass("<plist>")
  }

  private mutating func readEpilog() -> Bool {
    lexer.passSpace()
    guard lexer.pass("</plist>") else { return false }
    lexer.passSpace()
    return lexer.index == lexer.bytes.byteCount
  }

  /// Reads the root value and all values in it. Returns false if the reader gives up.
  private mutating func readValues() -> Bool {
    repeat {
      let isKey = builder.expectsKey
      if isKey, passKnownKey() { continue }
      let end = lexer.index
      lexer.passSpace()
      let start = lexer.index
      let tag = lexer.plainTag()
      guard (tag.rawValue <= XMLLexer.PlainTag.endDict.rawValue) == isKey, readValue(tag, from: start) else {
        return false
      }
      if tag == .key { noteKey(from: end) }
    } while builder.depth > 0
    return true
  }

  /// Skips a key that an earlier dictionary has in the same position, and the white space after it. Returns false if
  /// another text comes next.
  @inline(__always)
  private mutating func passKnownKey() -> Bool {
    guard let found = keys.find(at: lexer.index, depth: builder.depth - 1, in: lexer.bytes) else { return false }
    builder.append(found.key)
    lexer.index &+= found.length
    return true
  }

  /// Skips the white space after a key, and records the key.
  ///
  /// - Parameter end: The end of the value before the key.
  private mutating func noteKey(from end: Int) {
    lexer.passSpace()
    guard let key = builder.pending.last else { return }
    keys.note(key, end..<lexer.index, depth: builder.depth - 1)
  }

  /// Reads the value that begins with the next tag, or closes the container that the tag ends. Returns false if the
  /// reader gives up.
  ///
  /// - Parameter start: The offset of the tag.
  @inline(__always)
  private mutating func readValue(_ tag: XMLLexer.PlainTag, from start: Int) -> Bool {
    switch tag {
    case .key, .string:
      let content = lexer.index
      let isVerbatim = lexer.passText(from: content)
      builder.append(.string(isVerbatim ? .verbatim : .xmlText, offset: content, length: lexer.index - content))
      return lexer.passEndTag(ofTagAt: start, length: content - start)
    case .integer: return readScalar(.integer, from: start)
    case .real: return readScalar(.real, from: start)
    case .date: return readScalar(.date, from: start)
    case .data: return readScalar(.data, from: start)
    case .dict: return open(.dictionary)
    case .array: return open(.array)
    case .emptyDict: return open(.dictionary) && closeDictionary()
    case .emptyArray: return open(.array) && close()
    case .endDict: return closeDictionary()
    case .endArray: return builder.frames.last?.kind == .array && close()
    case .emptyString: builder.append(.string(.verbatim, offset: lexer.index, length: 0))
    case .emptyData: builder.append(.data(.base64, offset: lexer.index, length: 0))
    case .true: builder.append(.boolean(true))
    case .false: builder.append(.boolean(false))
    case .other: return false
    }
    return true
  }

  private mutating func open(_ kind: NodeKind) -> Bool {
    guard builder.depth < depthLimit else { return false }
    if kind == .dictionary { keys.begin(depth: builder.depth) }
    builder.open(kind)
    return true
  }

  private mutating func close() -> Bool {
    builder.close(in: lexer.bytes)
    return true
  }

  private mutating func closeDictionary() -> Bool {
    let depth = builder.depth - 1
    if !keys.areKnown(depth: depth) {
      let count = builder.pending.count
      guard builder.hasKnownKeys(in: lexer.bytes) || builder.resolveDuplicates(in: lexer.bytes, .first).isEmpty else {
        return false
      }
      if builder.pending.count == count { keys.end(depth: depth) }
    }
    return close()
  }

  /// Reads the text and the end tag of an element that is not a string. Returns false if the reader gives up.
  ///
  /// - Parameter start: The offset of its tag.
  private mutating func readScalar(_ element: XMLElement, from start: Int) -> Bool {
    let content = lexer.index
    guard lexer.passPlainText(), lexer.index > content,
      case .success(let node) = XMLElement.scalar(element, lexer.bytes, content..<lexer.index)
    else { return false }
    builder.append(node)
    return lexer.passEndTag(ofTagAt: start, length: content - start)
  }
}
