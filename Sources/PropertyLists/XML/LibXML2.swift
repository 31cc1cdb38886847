private import CLibXML2
internal import FoundationEssentials

/// The whole boundary to libxml2: above it everything is Swift values.
///
/// libxml2 never loads anything here: no network, no DTD, no entities but the five predefined ones, no internal subset.
/// The callbacks are sound because libxml2 calls them only inside `xmlParseDocument`, while the handler that their context
/// points to is alive, and with text that has the length it says.
enum LibXML2 {
  private static let isPrepared: Void = xmlInitParser()

  /// Initializes libxml2, once and before anything else of it is called, as it asks of programs with threads.
  private static func prepare() { _ = isPrepared }

  /// Tells a handler the events of its text.
  ///
  /// - Returns: whether the text is well-formed.
  static func parse(_ handler: XMLHandler) throws(PropertyListError) -> Bool {
    prepare()
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
      unsafe parser.pointee._private = context
      unsafe xmlParseDocument(parser)
      return unsafe parser.pointee.wellFormed == 1
    }
  }

  private static func setCallbacks(_ sax: UnsafeMutablePointer<xmlSAXHandler>) {
    unsafe sax.initialize(to: xmlSAXHandler())
    unsafe sax.pointee.initialized = UInt32(XML_SAX2_MAGIC)
    unsafe sax.pointee.startElementNs = { context, name, prefix, _, namespaceCount, _, _, _, _ in
      let namespace = unsafe LibXML2.string(prefix)
      let qualified = unsafe (namespace.isEmpty ? "" : namespace + ":") + LibXML2.string(name)
      unsafe LibXML2.tell(context) { $0.start(qualified, namespaceCount: Int(namespaceCount)) }
    }
    unsafe sax.pointee.endElementNs = { context, _, _, _ in
      unsafe LibXML2.tell(context) { $0.end() }
    }
    unsafe sax.pointee.characters = { context, text, length in
      let text = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
      unsafe LibXML2.tell(context) { unsafe $0.characters(text, isCDATA: false) }
    }
    unsafe sax.pointee.ignorableWhitespace = unsafe sax.pointee.characters
    unsafe sax.pointee.cdataBlock = { context, text, length in
      let text = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
      unsafe LibXML2.tell(context) { unsafe $0.characters(text, isCDATA: true) }
    }
    unsafe sax.pointee.reference = { context, name in
      let name = unsafe LibXML2.string(name)
      unsafe LibXML2.tell(context) { $0.fail("the entity \(name.quoted) is not one of the five of XML") }
    }
    unsafe sax.pointee.internalSubset = { context, _, _, _ in
      unsafe LibXML2.tell(context) { $0.documentType() }
    }
    unsafe sax.pointee.serror = { context, error in
      guard let context = unsafe context, let error = unsafe error else { return }
      let parser = unsafe context.assumingMemoryBound(to: xmlParserCtxt.self)
      guard unsafe error.pointee.level == XML_ERR_FATAL, unsafe parser.pointee._private != nil else { return }
      let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "not well-formed XML"
      let handler = unsafe LibXML2.handler(parser)
      // Not stopped here, where libxml2 may still hold on to its input; the handler gives it nothing more to read.
      handler.offset = unsafe LibXML2.offset(parser)
      handler.fail(String(message.prefix { $0 != "\n" }))
    }
  }

  private static let readMore: xmlInputReadCallback = { context, buffer, capacity in
    guard let context = unsafe context, let buffer = unsafe buffer, capacity > 0 else { return -1 }
    let handler = unsafe Unmanaged<XMLHandler>.fromOpaque(context).takeUnretainedValue()
    return Int32(unsafe handler.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(capacity))))
  }

  /// Tells the handler of an event; libxml2 passes the parser as the context of events.
  private static func tell(_ context: UnsafeMutableRawPointer?, _ event: (XMLHandler) -> Void) {
    guard let context = unsafe context else { return }
    let parser = unsafe context.assumingMemoryBound(to: xmlParserCtxt.self)
    let handler = unsafe handler(parser)
    handler.offset = unsafe offset(parser)
    event(handler)
    if handler.error != nil { unsafe xmlStopParser(parser) }
  }

  private static func handler(_ parser: xmlParserCtxtPtr) -> XMLHandler {
    unsafe Unmanaged<XMLHandler>.fromOpaque(parser.pointee._private).takeUnretainedValue()
  }

  /// How much of its input a parser has read.
  private static func offset(_ parser: xmlParserCtxtPtr) -> Int {
    guard let input = unsafe parser.pointee.input else { return 0 }
    return unsafe Int(input.pointee.consumed) + (input.pointee.cur - input.pointee.base)
  }

  private static func string(_ name: UnsafePointer<xmlChar>?) -> String {
    unsafe name.map { unsafe String(cString: $0) } ?? ""
  }

  /// Text in an encoding that libxml2 knows by name, in UTF-8.
  ///
  /// The unsafe expressions are sound: the handler and both buffers are libxml2's own and freed here alone.
  static func convert(_ data: Data, from name: String) throws(PropertyListError) -> Data {
    let unknown = PropertyListError(
      .malformed, "unknown encoding \(name.quoted)", byteOffset: 0, position: .init(line: 1, column: 1))
    prepare()
    // libxml2 tells of bad input by its return value, and on standard error if nobody listens. Listening is per thread.
    guard let listener = unsafe __xmlStructuredError() else { throw unknown }
    let formerListener = unsafe listener.pointee
    unsafe listener.pointee = { _, _ in }
    defer { unsafe listener.pointee = formerListener }
    guard let handler = unsafe xmlFindCharEncodingHandler(XMLEncoding.iconvName(name)) else { throw unknown }
    defer { unsafe _ = xmlCharEncCloseFunc(handler) }
    guard let input = unsafe xmlBufferCreate(), let output = unsafe xmlBufferCreate() else { throw unknown }
    defer {
      unsafe xmlBufferFree(input)
      unsafe xmlBufferFree(output)
    }
    var text: [UInt8] = []
    text.reserveCapacity(data.count + data.count / 4)
    let bytes = data.bytes
    var offset = 0
    // In pieces, because libxml2 counts in 32 bits. What a piece leaves over is the beginning of a character.
    while offset < bytes.byteCount {
      let piece = bytes.extracting(offset..<min(offset + 1 << 16, bytes.byteCount))
      let added = unsafe piece.withUnsafeBytes {
        unsafe xmlBufferAdd(input, $0.bindMemory(to: UInt8.self).baseAddress, Int32($0.count))
      }
      guard added == 0 else { throw unknown }
      offset += piece.byteCount
      while unsafe xmlBufferLength(input) > 0 {
        let before = unsafe xmlBufferLength(input)
        let result = unsafe xmlCharEncInFunc(handler, output, input)
        let length = Int(unsafe xmlBufferLength(output))
        if length > 0, let content = unsafe xmlBufferContent(output) {
          let produced = unsafe RawSpan(_unsafeStart: content, byteCount: length)
          text.append(bytes: produced)
          unsafe xmlBufferEmpty(output)
        }
        let left = unsafe Int(xmlBufferLength(input))
        // A character has at most eight bytes, with all that may shift to its character set.
        guard result != -2, left < before || left < 16 else {
          throw UnicodeEncoding.wrong(name, after: text, at: offset - left)
        }
        if left == before { break }
      }
    }
    let left = unsafe Int(xmlBufferLength(input))
    guard left == 0 else {
      throw UnicodeEncoding.wrong(name, after: text, at: bytes.byteCount - left)
    }
    guard (try? UTF8Span(validating: text.span)) != nil else {
      throw UnicodeEncoding.wrong(name, after: [], at: 0)
    }
    return Data(text)
  }

  /// UTF-8 in an encoding that libxml2 knows by name. What the encoding lacks becomes a character reference.
  ///
  /// Sound as ``convert(_:from:)`` is.
  ///
  /// - Returns: nil if libxml2 cannot say it.
  static func encode(_ text: RawSpan, to name: String) -> [UInt8]? {
    prepare()
    guard let listener = unsafe __xmlStructuredError() else { return nil }
    let formerListener = unsafe listener.pointee
    unsafe listener.pointee = { _, _ in }
    defer { unsafe listener.pointee = formerListener }
    guard let handler = unsafe xmlFindCharEncodingHandler(XMLEncoding.iconvName(name)) else { return nil }
    defer { unsafe _ = xmlCharEncCloseFunc(handler) }
    guard let input = unsafe xmlBufferCreate(), let output = unsafe xmlBufferCreate() else { return nil }
    defer {
      unsafe xmlBufferFree(input)
      unsafe xmlBufferFree(output)
    }
    var bytes: [UInt8] = []
    var offset = 0
    while offset < text.byteCount {
      let piece = text.extracting(offset..<min(offset + 1 << 16, text.byteCount))
      let added = unsafe piece.withUnsafeBytes {
        unsafe xmlBufferAdd(input, $0.bindMemory(to: UInt8.self).baseAddress, Int32($0.count))
      }
      guard added == 0 else { return nil }
      offset += piece.byteCount
      while unsafe xmlBufferLength(input) > 0 {
        let before = unsafe xmlBufferLength(input)
        // The result is below 0 also where a reference was put in.
        _ = unsafe xmlCharEncOutFunc(handler, output, input)
        let length = Int(unsafe xmlBufferLength(output))
        if length > 0, let content = unsafe xmlBufferContent(output) {
          bytes.append(bytes: unsafe RawSpan(_unsafeStart: content, byteCount: length))
          unsafe xmlBufferEmpty(output)
        }
        if unsafe xmlBufferLength(input) == before { break }
      }
    }
    return unsafe xmlBufferLength(input) == 0 ? bytes : nil
  }
}
