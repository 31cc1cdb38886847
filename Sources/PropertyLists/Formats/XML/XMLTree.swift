package import FoundationEssentials
package import OrderedCollections

/// Any XML document as a tree: elements with attributes, and the text in them.
///
/// It is for formats of Apple's that are XML and not property lists. There are no namespaces, and no entities but the
/// five predefined ones; comments and instructions are passed over.
package struct XMLTree {
  /// An element.
  package struct Element {
    package let name: String
    /// In the order of the text.
    package var attributes: OrderedDictionary<String, String>
    package var children: [Element] = []
    /// What stands in the element itself, without that of its children.
    package var text = ""
    /// Where its tag begins in the UTF-8 text.
    package let offset: Int
  }

  package let root: Element
  private let source: TextSource

  /// How deep elements may be nested.
  private static let greatestDepth = 256

  /// Reads a document.
  ///
  /// - Throws: ``PropertyListError/Kind/malformed`` with the place, ``PropertyListError/Kind/nestedTooDeeply``.
  /// - Complexity: O(*n*) in the length of the text.
  package init(_ data: Data) throws(PropertyListError) {
    var faults = FaultLog.first
    guard let source = try TextSource(data, .xml, faults: &faults) else {
      throw PropertyListError(.unknownFormat, "no XML")
    }
    if let fault = faults.faults.first { throw fault }
    let bytes = source.text.bytes
    var reader = XMLTreeReader(bytes)
    do throws(XMLTreeReader.Failure) {
      root = try reader.read(depth: Self.greatestDepth)
    } catch {
      throw Self.error(error.kind, error.message, at: error.place, of: source)
    }
    self.source = source
  }

  /// An error about an element.
  package func error(
    _ message: String, at element: Element, kind: PropertyListError.Kind = .malformed
  ) -> PropertyListError {
    Self.error(kind, message, at: element.offset, of: source)
  }

  private static func error(
    _ kind: PropertyListError.Kind, _ message: String, at offset: Int, of source: TextSource
  ) -> PropertyListError {
    let place = source.place(offset)
    return PropertyListError(kind, message, byteOffset: place.byteOffset, position: place.position)
  }
}

private struct XMLTreeReader: ~Escapable {
  struct Failure: Error {
    let kind: PropertyListError.Kind
    let message: String
    let place: Int
  }

  private var lexer: XMLLexer
  /// The elements that are open, and the text in each so far.
  private var open: [(element: XMLTree.Element, text: [UInt8])] = []

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) { lexer = XMLLexer(bytes, at: XMLLexer.documentStart(in: bytes)) }

  mutating func read(depth: Int) throws(Failure) -> XMLTree.Element {
    var root: XMLTree.Element?
    var hasBegun = false
    while true {
      let token = lexer.next()
      // The tags of property lists are short, because libxml2 takes long for long ones. It isn't asked here.
      if let fault = token.fault, fault.kind != .longTag {
        throw Failure(kind: fault.errorKind, message: fault.message(lexer.bytes), place: fault.place)
      }
      let start = token.range.lowerBound
      switch token.kind {
      case .comment, .instruction: continue
      case .declaration:
        if hasBegun { throw Failure(kind: .malformed, message: "a document type in an element", place: start) }
      case .text, .cdata:
        try add(text: token)
      case .startTag, .emptyTag:
        if root != nil { throw Failure(kind: .malformed, message: "a second root", place: start) }
        if open.count >= depth {
          throw Failure(kind: .nestedTooDeeply, message: "elements are nested more than \(depth) deep", place: start)
        }
        hasBegun = true
        open.append((try element(token), []))
        if token.kind == .emptyTag { root = close() }
      case .endTag:
        guard let last = open.last, last.element.name == text(token.content) else {
          throw Failure(
            kind: .malformed,
            message: "</\(text(token.content).printable(limit: 80))>, where "
              + (open.last.map { "</\($0.element.name.printable(limit: 80))>" } ?? "nothing") + " is due", place: start)
        }
        root = close()
      case .invalid: throw Failure(kind: .malformed, message: "no XML", place: start)
      case .end:
        guard open.isEmpty, let root else {
          let missing = open.last.map { "</\($0.element.name.printable(limit: 80))> is missing" }
          throw Failure(kind: .malformed, message: missing ?? "no element", place: start)
        }
        return root
      }
    }
  }

  /// Ends the innermost element.
  ///
  /// - Returns: it, if it is the root.
  private mutating func close() -> XMLTree.Element? {
    guard let (begun, text) = open.popLast() else { return nil }
    var element = begun
    element.text = String(decoding: text, as: UTF8.self)
    guard !open.isEmpty else { return element }
    open[open.count - 1].element.children.append(element)
    return nil
  }

  private mutating func add(text token: XMLToken) throws(Failure) {
    guard !open.isEmpty else {
      let isSpace = token.range.allSatisfy { lexer.bytes[$0].isWhiteSpace }
      if token.kind == .text, isSpace { return }
      throw Failure(kind: .malformed, message: "text outside of the root", place: token.range.lowerBound)
    }
    let last = open.count - 1
    if token.kind == .cdata {
      XMLText.decodeLines(lexer.bytes.extracting(token.content), into: &open[last].text)
    } else {
      XMLText.decode(lexer.bytes.extracting(token.range), into: &open[last].text)
    }
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: [UInt8](lexer.bytes, range), as: UTF8.self) }

  private mutating func element(_ token: XMLToken) throws(Failure) -> XMLTree.Element {
    let end = lexer.index
    defer { lexer.index = end }
    var attributes: OrderedDictionary<String, String> = [:]
    lexer.index = token.content.upperBound
    while true {
      lexer.passSpace()
      guard lexer.index < end, lexer.bytes[lexer.index] != UInt8(ascii: ">"),
        lexer.bytes[lexer.index] != UInt8(ascii: "/")
      else { break }
      switch lexer.attribute() {
      case .success(let (name, value)):
        let key = text(name)
        guard attributes.updateValue(attribute(value), forKey: key) == nil else {
          throw Failure(
            kind: .malformed, message: "the attribute \(key.quoted) stands twice in a tag", place: name.lowerBound)
        }
      case .failure(let fault):
        throw Failure(kind: fault.errorKind, message: fault.message(lexer.bytes), place: fault.place)
      }
    }
    let rest = lexer.bytes.extracting(min(lexer.index, end)..<end)
    guard rest.starts(with: token.kind == .emptyTag ? "/>" : ">", at: 0) else {
      throw Failure(kind: .malformed, message: "neither an attribute nor \">\" in a tag", place: lexer.index)
    }
    return XMLTree.Element(name: text(token.content), attributes: attributes, offset: token.range.lowerBound)
  }

  /// The value of an attribute, in which white space that is no reference stands for a space (XML 1.0, 3.3.3).
  private func attribute(_ range: Range<Int>) -> String {
    var text: [UInt8] = []
    XMLText.decodeAttribute(lexer.bytes.extracting(range), into: &text)
    return String(decoding: text, as: UTF8.self)
  }
}

extension XMLText {
  /// Replaces the references of the value of an attribute, and line ends and tabs by spaces.
  fileprivate static func decodeAttribute(_ content: RawSpan, into text: inout [UInt8]) {
    var index = 0
    while index < content.byteCount {
      let byte = content[index]
      if byte == UInt8(ascii: "&"), let (scalar, length) = reference(in: content, at: index) {
        text.append(scalar: scalar)
        index += length
        continue
      }
      if byte.isWhiteSpace {
        if !(byte == 0x0A && index > 0 && content[index - 1] == 0x0D) { text.append(0x20) }
      } else {
        text.append(byte)
      }
      index += 1
    }
  }
}

/// Writes an XML document: an element a line, with 4 spaces for each level, as Xcode writes its models.
package struct XMLTreeWriter {
  private var text: [UInt8]
  private var names: [String] = []

  package init() { text = Array("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>".utf8) }

  /// Begins an element that will have children, or ends it at once.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` for a character that XML has no form for.
  package mutating func begin(
    _ name: String, _ attributes: OrderedDictionary<String, String>, isEmpty: Bool = false
  ) throws(PropertyListError) {
    line("<\(name)")
    for (key, value) in attributes {
      text += Array(" \(key)=\"".utf8)
      try append(value)
      text.append(UInt8(ascii: "\""))
    }
    text += Array((isEmpty ? "/>" : ">").utf8)
    if !isEmpty { names.append(name) }
  }

  /// Ends the innermost element.
  package mutating func end() {
    guard let name = names.popLast() else { return }
    line("</\(name)>")
  }

  package consuming func finish() -> Data { Data(text) }

  private mutating func line(_ start: String) {
    text.append(0x0A)
    text += Array(repeating: 0x20, count: 4 * names.count)
    text += Array(start.utf8)
  }

  private mutating func append(_ value: String) throws(PropertyListError) {
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": text += Array("&amp;".utf8)
      case "<": text += Array("&lt;".utf8)
      case ">": text += Array("&gt;".utf8)
      case "\"": text += Array("&quot;".utf8)
      case "\t", "\n", "\r": text += Array("&#\(scalar.value);".utf8)
      default:
        guard XMLText.isAllowed(scalar.value) else {
          throw PropertyListError(
            .notRepresentable, "the character \(scalar.number) in \(value.quoted), which XML does not allow")
        }
        text += Array(String(scalar).utf8)
      }
    }
  }
}
