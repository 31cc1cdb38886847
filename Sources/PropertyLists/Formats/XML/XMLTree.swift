package import FoundationEssentials
package import OrderedCollections

/// An XML document as a tree of elements with attributes and text.
///
/// It is for Apple's XML formats that are not property lists. It supports no namespaces, and no entities except the
/// five predefined ones; comments and instructions are skipped.
package struct XMLTree {
  /// An element.
  package struct Element {
    package let name: String
    /// The attributes, in the order of the text.
    package var attributes: OrderedDictionary<String, String>
    package var children: [Element] = []
    /// The text of the element itself, without that of its children.
    package var text = ""
    /// The offset of the element's tag in the UTF-8 text.
    package let offset: Int
  }

  package let root: Element
  private let source: TextSource

  /// The maximum nesting depth of elements.
  private static let greatestDepth = 256

  /// Reads a document.
  ///
  /// - Throws: ``PropertyListError/Kind/malformed`` with the position, ``PropertyListError/Kind/nestedTooDeeply``.
  /// - Complexity: O(*n*) in the length of the text.
  package init(_ data: Data) throws(PropertyListError) {
    var defects = DefectLog.first
    guard let source = try TextSource(data, .xml, defects: &defects) else {
      throw PropertyListError(.unknownFormat, "not XML")
    }
    if let defect = defects.defects.first { throw defect }
    var reader = XMLPullReader(source.text.bytes, depth: Self.greatestDepth)
    do throws(XMLPullReader.Failure) {
      root = try Self.read(&reader)
    } catch {
      throw source.error(error)
    }
    self.source = source
  }

  /// Returns an error about an element.
  package func error(
    _ message: String, at element: Element, kind: PropertyListError.Kind = .malformed
  ) -> PropertyListError {
    source.error(XMLPullReader.Failure(message, kind: kind, at: element.offset))
  }

  private static func read(_ reader: inout XMLPullReader) throws(XMLPullReader.Failure) -> Element {
    // The open elements, and the text of each so far.
    var open: [(element: Element, text: [UInt8])] = []
    var root: Element?
    while true {
      switch try reader.next() {
      case .begin: open.append((try element(&reader), []))
      case .text: reader.appendText(to: &open[open.count - 1].text)
      case .end:
        guard let (begun, text) = open.popLast() else { continue }
        var element = begun
        element.text = String(decoding: text, as: UTF8.self)
        if open.isEmpty { root = element } else { open[open.count - 1].element.children.append(element) }
      case .finished:
        guard let root else { throw XMLPullReader.Failure("no root element", at: reader.range.lowerBound) }
        return root
      }
    }
  }

  private static func element(_ reader: inout XMLPullReader) throws(XMLPullReader.Failure) -> Element {
    var attributes: OrderedDictionary<String, String> = [:]
    while let (name, value) = try reader.nextAttribute() {
      let key = reader.text(name)
      guard attributes.updateValue(reader.attributeText(value), forKey: key) == nil else {
        throw XMLPullReader.Failure("duplicate attribute \(key.quoted)", at: name.lowerBound)
      }
    }
    return Element(name: reader.text(reader.name), attributes: attributes, offset: reader.range.lowerBound)
  }
}

extension TextSource {
  /// Returns the error of an XML document, with its position.
  package func error(_ failure: XMLPullReader.Failure) -> PropertyListError {
    let position = position(at: failure.offset)
    return PropertyListError(
      failure.kind, failure.message, byteOffset: position.byteOffset, position: position.position)
  }
}

/// A writer of XML documents: one element per line, indented by 4 spaces per level, as Xcode writes its models.
package struct XMLTreeWriter {
  private var text: [UInt8]
  private var names: [String] = []

  package init() { text = Array("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>".utf8) }

  /// Begins an element. If `isEmpty`, also ends it.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` for a character that XML does not allow.
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
