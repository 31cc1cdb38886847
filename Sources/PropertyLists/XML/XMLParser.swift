private import CLibXML2
internal import FoundationEssentials

/// The slow lane: libxml2 reads the XML, decides what is well-formed and words the errors; this turns its events into
/// nodes.
///
/// libxml2 never loads anything here: no network, no DTD, no entities but the five predefined ones, no internal subset.
/// The callbacks are the whole boundary to C. They are sound because libxml2 calls them only inside `xmlParseDocument`,
/// while the handler that their context points to is alive, and with text that has the length it says.
enum XMLParser {
  private static let isPrepared: Void = xmlInitParser()

  /// Initializes libxml2, once and before anything else of it is called, as it asks of programs with threads.
  static func prepare() { _ = isPrepared }

  static func parse(
    _ source: XMLEncoding.Source, options: PropertyListReadingOptions
  ) throws(PropertyListError) -> TextContent {
    try checkBeginning(source)
    prepare()
    let longTag = longTag(source.text.bytes)
    let handler = XMLHandler(source, options, readEnd: longTag.map { $0 + greatestTagLength })
    return try withExtendedLifetime(handler) { () throws(PropertyListError) in
      let context = unsafe Unmanaged.passUnretained(handler).toOpaque()
      guard let parser = unsafe xmlCreateIOParserCtxt(nil, nil, readMore, nil, context, XML_CHAR_ENCODING_UTF8) else {
        throw FileSystem.outOfMemory("XML")
      }
      defer {
        // Made by libxml2 for itself when it reads on into a document type after an error.
        unsafe xmlFreeDoc(parser.pointee.myDoc)
        unsafe xmlFreeParserCtxt(parser)
      }
      let flags = XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue | XML_PARSE_IGNORE_ENC.rawValue
      unsafe xmlCtxtUseOptions(parser, Int32(bitPattern: flags))
      unsafe setCallbacks(parser.pointee.sax)
      unsafe handler.parser = parser
      unsafe parser.pointee._private = context
      unsafe xmlParseDocument(parser)
      unsafe handler.parser = nil
      let isWellFormed = unsafe parser.pointee.wellFormed == 1
      if let longTag, handler.isCutOff {
        throw malformed("a tag of more than \(greatestTagLength) bytes", source.place(longTag), .limitExceeded)
      }
      return try handler.finish(isWellFormed: isWellFormed)
    }
  }

  private static func setCallbacks(_ sax: UnsafeMutablePointer<xmlSAXHandler>) {
    unsafe sax.initialize(to: xmlSAXHandler())
    unsafe sax.pointee.initialized = UInt32(XML_SAX2_MAGIC)
    unsafe sax.pointee.startElementNs = { context, name, prefix, _, namespaceCount, _, _, _, _ in
      let namespace = unsafe XMLParser.string(prefix)
      let qualified = unsafe (namespace.isEmpty ? "" : namespace + ":") + XMLParser.string(name)
      unsafe XMLParser.handler(context).start(qualified, namespaceCount: Int(namespaceCount))
    }
    unsafe sax.pointee.endElementNs = { context, _, _, _ in
      unsafe XMLParser.handler(context).end()
    }
    unsafe sax.pointee.characters = { context, text, length in
      unsafe XMLParser.handler(context).characters(
        UnsafeRawBufferPointer(start: text, count: Int(length)), isCDATA: false)
    }
    unsafe sax.pointee.ignorableWhitespace = unsafe sax.pointee.characters
    unsafe sax.pointee.cdataBlock = { context, text, length in
      unsafe XMLParser.handler(context).characters(
        UnsafeRawBufferPointer(start: text, count: Int(length)), isCDATA: true)
    }
    unsafe sax.pointee.reference = { context, name in
      unsafe XMLParser.handler(context).fail("the entity \"\(XMLParser.string(name))\" is not one of the five of XML")
    }
    unsafe sax.pointee.internalSubset = { context, _, _, _ in
      unsafe XMLParser.handler(context).documentType()
    }
    unsafe sax.pointee.serror = { context, error in
      guard let context = unsafe context, let error = unsafe error else { return }
      let parser = unsafe context.assumingMemoryBound(to: xmlParserCtxt.self)
      guard unsafe error.pointee.level == XML_ERR_FATAL, unsafe parser.pointee._private != nil else { return }
      let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "not well-formed XML"
      unsafe XMLParser.handler(context).fail(String(message.prefix { $0 != "\n" }), isLibXML2: true)
    }
  }

  private static let readMore: xmlInputReadCallback = { context, buffer, capacity in
    guard let context = unsafe context, let buffer = unsafe buffer, capacity > 0 else { return -1 }
    let handler = unsafe Unmanaged<XMLHandler>.fromOpaque(context).takeUnretainedValue()
    return Int32(unsafe handler.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(capacity))))
  }

  /// The handler of a parser; libxml2 passes the parser itself as the context of events.
  private static func handler(_ context: UnsafeMutableRawPointer?) -> XMLHandler {
    let parser = unsafe context.unsafelyUnwrapped.assumingMemoryBound(to: xmlParserCtxt.self)
    return unsafe Unmanaged<XMLHandler>.fromOpaque(parser.pointee._private).takeUnretainedValue()
  }

  private static func string(_ name: UnsafePointer<xmlChar>?) -> String {
    unsafe name.map { unsafe String(cString: $0) } ?? ""
  }

  /// Refuses what libxml2 would guess another encoding from, though the text is UTF-8 by now: it looks for a NUL among
  /// the first bytes, for a byte order mark, and for a `<` of EBCDIC. It also takes a NUL for the end of the text.
  private static func checkBeginning(_ source: XMLEncoding.Source) throws(PropertyListError) {
    let bytes = source.text.bytes
    if let place = bytes.firstIndex(of: 0, from: 0) {
      throw malformed("the character U+0000", source.place(place))
    }
    guard bytes.byteCount > 0, bytes[0] == UInt8(ascii: "<") || XMLText.isSpace(bytes[0]) else {
      throw malformed("text before the first tag", source.place(0))
    }
  }

  private static func malformed(
    _ message: String, _ place: (byteOffset: Int?, position: PropertyListError.TextPosition),
    _ kind: PropertyListError.Kind = .malformed
  ) -> PropertyListError {
    PropertyListError(kind, message, byteOffset: place.byteOffset, position: place.position)
  }

  /// Tags longer than this are refused. libxml2 compares each attribute of a tag with all others, so that the time for
  /// a long tag grows with the square of its length; and no tag of a property list has use for attributes.
  private static let greatestTagLength = 1024

  /// Where the first tag begins that is too long. It counts only if libxml2 comes to it: where the text is not
  /// well-formed, what is taken for a tag here may be none.
  private static func longTag(_ bytes: RawSpan) -> Int? {
    var index = 0
    while let start = bytes.firstIndex(of: UInt8(ascii: "<"), from: index) {
      var close = start
      if bytes.starts(with: "<!--", at: start) {
        close = bytes.firstIndex(of: "-->", from: start + 4) ?? bytes.byteCount
      } else if bytes.starts(with: "<![CDATA[", at: start) {
        close = bytes.firstIndex(of: "]]>", from: start + 9) ?? bytes.byteCount
      } else if bytes.starts(with: "<?", at: start) {
        close = bytes.firstIndex(of: "?>", from: start + 2) ?? bytes.byteCount
      } else {
        var quote: UInt8 = 0
        close = start + 1
        while close < bytes.byteCount, quote != 0 || bytes[close] != UInt8(ascii: ">") {
          let byte = bytes[close]
          if quote != 0 {
            if byte == quote { quote = 0 }
          } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            quote = byte
          }
          close += 1
          guard close - start <= greatestTagLength else { return start }
        }
      }
      index = close
    }
    return nil
  }
}

/// Takes the events of one document.
///
/// `parser` is set only while that parser runs, so it never dangles.
@safe
private final class XMLHandler {
  private let source: XMLEncoding.Source
  private let depthLimit: Int
  private var builder: NodeTableBuilder
  /// The text of all elements, references replaced; what the offsets of the nodes refer to.
  private var text: [UInt8] = []
  /// Where the element of each node that ``builder`` has pending stands in the source.
  private var places: [Int] = []
  private var elements: [Open] = []
  private var hasRoot = false
  private var readOffset = 0
  /// How much of the source libxml2 is given.
  private let readEnd: Int
  /// Where libxml2 was when the error came up.
  private var errorOffset = 0
  private var namespaceCount = 0

  /// libxml2 looks through all namespaces for each prefix, and property lists have use for none.
  private static let greatestNamespaceCount = 100

  private(set) var error: PropertyListError?
  var parser: xmlParserCtxtPtr?

  private struct Open {
    let element: XMLElement
    let place: Int
    /// Whether its tag ends with `/>`.
    let isEmptyTag: Bool
    /// Where its text begins.
    let textStart: Int
  }

  init(_ source: XMLEncoding.Source, _ options: PropertyListReadingOptions, readEnd: Int?) {
    self.source = source
    self.readEnd = readEnd ?? source.text.count
    unsafe parser = nil
    depthLimit = options.limits.effectiveDepth
    builder = NodeTableBuilder(options: options, expectedNodes: source.text.count / 64)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    // libxml2 goes on after an error, to find more of them. It is given nothing to go on with.
    guard error == nil else { return 0 }
    let bytes = source.text.bytes
    let count = min(buffer.count, readEnd - readOffset)
    guard count > 0 else { return 0 }
    let piece = bytes.extracting(readOffset..<readOffset + count)
    unsafe piece.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
    readOffset += count
    return count
  }

  /// Whether libxml2 found no fault but that its input ended too soon. Its errors at the end stand a few bytes before
  /// it.
  var isCutOff: Bool { readEnd < source.text.count && (error == nil || errorOffset >= readEnd - 8) }

  /// Where libxml2 is in the source.
  private var offset: Int {
    guard let parser = unsafe parser, let input = unsafe parser.pointee.input else { return source.text.count }
    return unsafe Int(input.pointee.consumed) + (input.pointee.cur - input.pointee.base)
  }

  /// Where the tag begins that libxml2 has just read. No `<` stands inside a tag.
  private var tagPlace: Int {
    let bytes = source.text.bytes
    var place = min(offset, bytes.byteCount) - 1
    while place > 0, bytes[place] != UInt8(ascii: "<") { place -= 1 }
    return max(place, 0)
  }

  func fail(
    _ message: String, _ kind: PropertyListError.Kind = .malformed, at place: Int? = nil, isLibXML2: Bool = false
  ) {
    if error == nil {
      errorOffset = offset
      let place = source.place(place ?? errorOffset)
      let path = builder.currentPath(in: text.rawBytes)
      error = PropertyListError(
        kind, message.printable(limit: 300), byteOffset: place.byteOffset, position: place.position,
        keyPath: path.components.isEmpty ? nil : path)
    }
    if !isLibXML2, let parser = unsafe parser { unsafe xmlStopParser(parser) }
  }

  func documentType() {
    guard let parser = unsafe parser, let input = unsafe parser.pointee.input else { return }
    // libxml2 tells of the document type when it has read the names and stands before the subset.
    if unsafe input.pointee.cur.pointee == UInt8(ascii: "[") {
      fail("a document type with an internal subset")
    }
  }

  func start(_ name: String, namespaceCount newNamespaces: Int) {
    guard error == nil else { return }
    let place = tagPlace
    namespaceCount += newNamespaces
    guard namespaceCount <= Self.greatestNamespaceCount else {
      return fail("more than \(Self.greatestNamespaceCount) namespaces", .limitExceeded, at: place)
    }
    guard let element = XMLElement(rawValue: name) else { return fail("unknown tag <\(name)>", at: place) }
    if let parent = elements.last?.element {
      switch parent {
      case .plist, .array: break
      case .dict:
        if builder.expectsKey, element != .key {
          return fail("<\(element.rawValue)> where a <key> is due in <dict>", at: place)
        }
        if !builder.expectsKey, element == .key {
          return fail("no value for the key \(lastKey)", at: place)
        }
      default: return fail("<\(element.rawValue)> inside <\(parent.rawValue)>", at: place)
      }
    }
    if element == .key, elements.last?.element != .dict { return fail("<key> outside <dict>", at: place) }
    if element == .plist {
      guard elements.isEmpty else {
        return fail("<plist> inside <\(elements[elements.count - 1].element.rawValue)>", at: place)
      }
    } else if builder.depth == 0 {
      guard !hasRoot else { return fail("a second value in <plist>", at: place) }
      hasRoot = true
    }
    if element == .dict || element == .array {
      guard builder.depth < depthLimit else {
        let limit = ParsingLimits.nestedTooDeeply(limit: depthLimit)
        return fail(limit.message, limit.kind, at: place)
      }
      builder.open(element == .dict ? .dictionary : .array)
    }
    let bytes = source.text.bytes
    // libxml2 tells of an element when it has read the name and the attributes.
    let isEmptyTag = offset < bytes.byteCount && bytes[offset] == UInt8(ascii: "/")
    elements.append(Open(element: element, place: place, isEmptyTag: isEmptyTag, textStart: text.count))
  }

  private var lastKey: String {
    guard let key = builder.pending.last, key.kind == .string else { return "" }
    let text = text
    let name = NodeContent.text(key, in: text.rawBytes)
    return name.quoted
  }

  func characters(_ characters: UnsafeRawBufferPointer, isCDATA: Bool) {
    guard error == nil, let open = elements.last else { return }
    let content = unsafe RawSpan(_unsafeBytes: characters)
    switch open.element {
    case .string, .key: text.append(bytes: content)
    case .integer, .real, .date, .data:
      guard !isCDATA else { return fail("CDATA in <\(open.element.rawValue)>", at: open.place) }
      text.append(bytes: content)
    case .plist, .dict, .array, .true, .false:
      for index in 0..<content.byteCount where isCDATA || !XMLText.isSpace(content[index]) {
        return fail("text in <\(open.element.rawValue)>", at: offset - content.byteCount + index)
      }
      if isCDATA { fail("CDATA in <\(open.element.rawValue)>") }
    }
  }

  func end() {
    guard error == nil, let open = elements.popLast() else { return }
    switch open.element {
    case .plist:
      if !hasRoot { fail("<plist> without a value", at: open.place) }
    case .true, .false: append(.boolean(open.element == .true), at: open.place)
    case .dict, .array:
      if open.element == .dict, !builder.expectsKey { return fail("no value for the key \(lastKey)", at: tagPlace) }
      if let duplicate = builder.close(in: text.rawBytes) {
        let key = NodeContent.text(builder.pending[duplicate], in: text.rawBytes)
        return fail("the key \(key.quoted) stands twice in a <dict>", .duplicateKey, at: places[duplicate])
      }
      places.removeLast(places.count - (builder.pending.count - 1))
      places.append(open.place)
    case .string, .key, .integer, .real, .date, .data:
      let range = open.textStart..<text.count
      if range.isEmpty, open.element != .string, open.element != .key, open.isEmptyTag {
        // Apple's reader takes `<data></data>`, but not `<data/>`.
        return fail("<\(open.element.rawValue)/> holds nothing", at: open.place)
      }
      switch XMLElement.scalar(open.element, text.rawBytes, range) {
      case .success(let node): append(node, at: open.place)
      case .failure(let fault): fail(fault.message, at: open.place)
      }
      if error == nil, open.element != .string, open.element != .key, open.element != .data {
        text.removeLast(range.count)
      }
    }
  }

  private func append(_ node: FlatNode, at place: Int) {
    builder.append(node)
    places.append(place)
  }

  func finish(isWellFormed: Bool) throws(PropertyListError) -> TextContent {
    if let error { throw error }
    guard isWellFormed, hasRoot, elements.isEmpty else {
      throw PropertyListError(.malformed, "not well-formed XML", byteOffset: source.text.count)
    }
    var finished = NodeTableBuilder(options: builder.options, expectedNodes: 0)
    swap(&finished, &builder)
    return TextContent(text: Data(text), table: finished.finish())
  }
}

extension RawSpan {
  fileprivate func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    var index = start
    while index + 8 <= byteCount {
      let found = ByteClass.equal(littleEndianWord(at: index), byte)
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < byteCount {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }

  fileprivate func firstIndex(of text: StaticString, from start: Int) -> Int? {
    // Sound: the string is not empty.
    let first = unsafe text.utf8Start.pointee
    var index = start
    while let found = firstIndex(of: first, from: index) {
      if starts(with: text, at: found) { return found }
      index = found + 1
    }
    return nil
  }
}
