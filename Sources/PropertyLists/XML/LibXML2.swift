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
      let behind = unsafe LibXML2.bytesRead(context, behind: text, count: Int(length))
      let text = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
      unsafe LibXML2.tell(context) { unsafe $0.characters(text, isCDATA: false, bytesRead: behind) }
    }
    unsafe sax.pointee.ignorableWhitespace = unsafe sax.pointee.characters
    unsafe sax.pointee.cdataBlock = { context, text, length in
      let text = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
      unsafe LibXML2.tell(context) { unsafe $0.characters(text, isCDATA: true, bytesRead: 0) }
    }
    unsafe sax.pointee.reference = { context, _ in
      unsafe LibXML2.tell(context) { $0.unknownEntity() }
    }
    unsafe sax.pointee.internalSubset = { context, _, _, _ in
      unsafe LibXML2.tell(context) { $0.documentType() }
    }
    unsafe sax.pointee.serror = { context, error in
      guard let context = unsafe context, let error = unsafe error else { return }
      let parser = unsafe context.assumingMemoryBound(to: xmlParserCtxt.self)
      guard unsafe error.pointee.level == XML_ERR_FATAL, unsafe parser.pointee._private != nil else { return }
      let handler = unsafe LibXML2.handler(parser)
      guard !handler.isStopped else { return }
      let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "not well-formed XML"
      // Not stopped here, where libxml2 may still hold on to its input; the handler gives it nothing more to read.
      handler.setParserOffset(unsafe LibXML2.offset(parser))
      handler.syntaxFault(unsafe SyntaxFault(code: error.pointee.code), String(message.prefix { $0 != "\n" }))
    }
  }

  /// The faults of libxml2 that have words of this package, because its own say less, or count from where it began.
  enum SyntaxFault {
    case tagMismatch, tagNotFinished, tagNotClosed, noName, noReferenceEnd, unknownEntity, character, reference
    case notUTF8, documentEnd, noRoot, cdataEnd, comment, instruction, cdata, hyphens
    case attributeWithoutValue, attributeWithoutQuotes, lessInAttribute
    case other

    init(code: Int32) {
      switch code {
      case Int32(XML_ERR_TAG_NAME_MISMATCH.rawValue): self = .tagMismatch
      case Int32(XML_ERR_TAG_NOT_FINISHED.rawValue): self = .tagNotFinished
      case Int32(XML_ERR_GT_REQUIRED.rawValue): self = .tagNotClosed
      case Int32(XML_ERR_NAME_REQUIRED.rawValue): self = .noName
      case Int32(XML_ERR_ENTITYREF_SEMICOL_MISSING.rawValue): self = .noReferenceEnd
      case Int32(XML_ERR_UNDECLARED_ENTITY.rawValue): self = .unknownEntity
      case Int32(XML_ERR_INVALID_CHAR.rawValue): self = .character
      case Int32(XML_ERR_INVALID_HEX_CHARREF.rawValue), Int32(XML_ERR_INVALID_DEC_CHARREF.rawValue),
        Int32(XML_ERR_INVALID_CHARREF.rawValue):
        self = .reference
      case Int32(XML_ERR_INVALID_ENCODING.rawValue): self = .notUTF8
      case Int32(XML_ERR_DOCUMENT_END.rawValue): self = .documentEnd
      case Int32(XML_ERR_DOCUMENT_EMPTY.rawValue): self = .noRoot
      case Int32(XML_ERR_MISPLACED_CDATA_END.rawValue): self = .cdataEnd
      case Int32(XML_ERR_COMMENT_NOT_FINISHED.rawValue): self = .comment
      case Int32(XML_ERR_PI_NOT_FINISHED.rawValue): self = .instruction
      case Int32(XML_ERR_CDATA_NOT_FINISHED.rawValue): self = .cdata
      case Int32(XML_ERR_HYPHEN_IN_COMMENT.rawValue): self = .hyphens
      case Int32(XML_ERR_ATTRIBUTE_WITHOUT_VALUE.rawValue): self = .attributeWithoutValue
      case Int32(XML_ERR_ATTRIBUTE_NOT_STARTED.rawValue): self = .attributeWithoutQuotes
      case Int32(XML_ERR_LT_IN_ATTRIBUTE.rawValue): self = .lessInAttribute
      default: self = .other
      }
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
    handler.setParserOffset(unsafe offset(parser))
    event(handler)
    if handler.isStopped { unsafe xmlStopParser(parser) }
  }

  /// How far a parser has still to go to the end of a text that it tells of: for some texts it stands before them, for
  /// others behind them. What is not in its input it has made, and stands behind it.
  private static func bytesRead(
    _ context: UnsafeMutableRawPointer?, behind text: UnsafePointer<xmlChar>?, count: Int
  ) -> Int {
    guard let context = unsafe context, let text = unsafe text else { return 0 }
    let parser = unsafe context.assumingMemoryBound(to: xmlParserCtxt.self)
    guard let input = unsafe parser.pointee.input, unsafe text == input.pointee.cur else { return 0 }
    return count
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
  ///
  /// - Parameter faults: where an unknown name goes, which counts as UTF-8 then, and bytes that are not in the encoding,
  ///   for which the text has U+FFFD.
  static func convert(
    _ data: Data, from name: String, faults: inout FaultLog
  ) throws(PropertyListError) -> TextSource {
    prepare()
    // libxml2 tells of bad input by its return value, and on standard error if nobody listens. Listening is per thread.
    let listener = unsafe __xmlStructuredError()
    let formerListener = unsafe listener?.pointee
    unsafe listener?.pointee = { _, _ in }
    defer { if let formerListener = unsafe formerListener { unsafe listener?.pointee = formerListener } }
    guard let handler = unsafe xmlFindCharEncodingHandler(XMLEncoding.iconvName(name)) else {
      try faults.report(
        PropertyListError(
          .malformed, "unknown encoding \(name.quoted)", byteOffset: 0, position: .init(line: 1, column: 1)))
      return TextSource(text: data)
    }
    defer { unsafe _ = xmlCharEncCloseFunc(handler) }
    guard let input = unsafe xmlBufferCreate(), let output = unsafe xmlBufferCreate() else {
      throw FileSystem.outOfMemory("XML")
    }
    defer {
      unsafe xmlBufferFree(input)
      unsafe xmlBufferFree(output)
    }
    var text: [UInt8] = []
    text.reserveCapacity(data.count + data.count / 4)
    var walk = TextWalk()
    let bytes = data.bytes
    var offset = 0
    // Behind the last byte that was found to be wrong.
    var mended = -1
    // In pieces, because libxml2 counts in 32 bits. What a piece leaves over is the beginning of a character.
    while offset < bytes.byteCount {
      let piece = bytes.extracting(offset..<min(offset + 1 << 16, bytes.byteCount))
      let added = unsafe piece.withUnsafeBytes {
        unsafe xmlBufferAdd(input, $0.bindMemory(to: UInt8.self).baseAddress, Int32($0.count))
      }
      guard added == 0 else { throw FileSystem.outOfMemory("XML") }
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
        if result == -2 || (left >= before && left >= 16) || (left > 0 && left >= before && offset == bytes.byteCount) {
          let place = offset - left
          // What is wrong without a gap is wrong once.
          if place != mended {
            walk.advance(to: text.count, in: text.rawBytes)
            try faults.report(UnicodeEncoding.wrong(name, at: place, walk))
          }
          mended = place + 1
          text.append(scalar: 0xFFFD)
          unsafe _ = xmlBufferShrink(input, 1)
        } else if left >= before {
          break
        }
      }
    }
    if (try? UTF8Span(validating: text.span)) == nil {
      try faults.report(UnicodeEncoding.wrong(name, at: 0, TextWalk()))
      text = Array(String(decoding: text, as: UTF8.self).utf8)
    }
    return TextSource(text: Data(text), start: 0, unitWidth: nil)
  }

  /// UTF-8 in an encoding that libxml2 knows by name. What the encoding lacks becomes a character reference.
  ///
  /// Sound as ``convert(_:from:faults:)`` is.
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
