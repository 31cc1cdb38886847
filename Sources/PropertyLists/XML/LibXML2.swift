private import CLibXML2
internal import FoundationEssentials

#if !canImport(Glibc) && !canImport(Bionic)
  private import CLibXML2Link
#endif

/// The whole boundary to libxml2: above it everything is Swift values.
///
/// libxml2 never loads anything here: no network, no DTD, no entities but the five predefined ones, no internal subset.
/// The callbacks are sound because libxml2 calls them only inside `xmlParseDocument`, while the parsing that their
/// context points to is alive, and with text that has the length it says.
enum LibXML2 {
  /// The functions of libxml2, nil if it is not installed. Loaded on first need, for it and the libraries it pulls in
  /// take longer to load than most processes take to run.
  private static let functions = load(["libxml2.so.2", "libxml2.so.16"])

  private static func load(_ files: [String]) -> LibXML2Functions? {
    var functions = LibXML2Functions()
    guard files.contains(where: { unsafe LibXML2FunctionsLoad(&functions, $0) }) else { return nil }
    // Once and before anything else of it is called, as it asks of programs with threads.
    functions.xmlInitParser()
    return functions
  }

  private static func loaded() throws(PropertyListError) -> LibXML2Functions {
    guard let functions else { throw PropertyListError(.missingLibrary("libxml2", for: "XML")) }
    return functions
  }

  /// What one call of ``parse(_:)`` has the callbacks know.
  @safe
  private final class Parsing {
    let handler: XMLHandler
    let functions: LibXML2Functions
    /// Nil before libxml2 has made it.
    var parser: UnsafeMutablePointer<xmlParserCtxt>?

    init(_ handler: XMLHandler, _ functions: LibXML2Functions) {
      self.handler = handler
      self.functions = functions
    }

    static func of(_ context: UnsafeMutableRawPointer) -> Parsing {
      unsafe Unmanaged<Parsing>.fromOpaque(context).takeUnretainedValue()
    }

    /// How much of its input the parser has read.
    var offset: Int {
      guard let input = unsafe parser?.pointee.input else { return 0 }
      return unsafe Int(input.pointee.consumed) + (input.pointee.cur - input.pointee.base)
    }

    /// Tells the handler of an event.
    func tell(_ event: (XMLHandler) -> Void) {
      handler.setParserOffset(offset)
      event(handler)
      if handler.isStopped { unsafe functions.xmlStopParser(parser) }
    }
  }

  /// Tells a handler the events of its text.
  ///
  /// - Returns: whether the text is well-formed.
  static func parse(_ handler: XMLHandler) throws(PropertyListError) -> Bool {
    let functions = try loaded()
    let parsing = Parsing(handler, functions)
    return try withExtendedLifetime(parsing) { () throws(PropertyListError) in
      let context = unsafe Unmanaged.passUnretained(parsing).toOpaque()
      guard
        let parser = unsafe functions.xmlCreateIOParserCtxt(
          nil, nil, readMore, nil, context, Int32(XML_CHAR_ENCODING_UTF8))
      else { throw PropertyListError(.outOfMemory("XML")) }
      unsafe parsing.parser = parser
      defer {
        // Made by libxml2 for itself when it reads on into a document type after an error.
        unsafe functions.xmlFreeDoc(parser.pointee.myDoc)
        unsafe functions.xmlFreeParserCtxt(parser)
      }
      let flags = XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_IGNORE_ENC
      unsafe _ = functions.xmlCtxtUseOptions(parser, Int32(flags))
      unsafe setCallbacks(parser.pointee.sax)
      unsafe parser.pointee.userData = context
      unsafe _ = functions.xmlParseDocument(parser)
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
      guard let context = unsafe context, let error = unsafe error, unsafe error.pointee.level == XML_ERR_FATAL else {
        return
      }
      let parsing = unsafe Parsing.of(context)
      let handler = parsing.handler
      guard !handler.isStopped else { return }
      let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "not well-formed XML"
      // Not stopped here, where libxml2 may still hold on to its input; the handler gives it nothing more to read.
      handler.setParserOffset(parsing.offset)
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
      case Int32(XML_ERR_TAG_NAME_MISMATCH): self = .tagMismatch
      case Int32(XML_ERR_TAG_NOT_FINISHED): self = .tagNotFinished
      case Int32(XML_ERR_GT_REQUIRED): self = .tagNotClosed
      case Int32(XML_ERR_NAME_REQUIRED): self = .noName
      case Int32(XML_ERR_ENTITYREF_SEMICOL_MISSING): self = .noReferenceEnd
      case Int32(XML_ERR_UNDECLARED_ENTITY): self = .unknownEntity
      case Int32(XML_ERR_INVALID_CHAR): self = .character
      case Int32(XML_ERR_INVALID_HEX_CHARREF), Int32(XML_ERR_INVALID_DEC_CHARREF),
        Int32(XML_ERR_INVALID_CHARREF):
        self = .reference
      case Int32(XML_ERR_INVALID_ENCODING): self = .notUTF8
      case Int32(XML_ERR_DOCUMENT_END): self = .documentEnd
      case Int32(XML_ERR_DOCUMENT_EMPTY): self = .noRoot
      case Int32(XML_ERR_MISPLACED_CDATA_END): self = .cdataEnd
      case Int32(XML_ERR_COMMENT_NOT_FINISHED): self = .comment
      case Int32(XML_ERR_PI_NOT_FINISHED): self = .instruction
      case Int32(XML_ERR_CDATA_NOT_FINISHED): self = .cdata
      case Int32(XML_ERR_HYPHEN_IN_COMMENT): self = .hyphens
      case Int32(XML_ERR_ATTRIBUTE_WITHOUT_VALUE): self = .attributeWithoutValue
      case Int32(XML_ERR_ATTRIBUTE_NOT_STARTED): self = .attributeWithoutQuotes
      case Int32(XML_ERR_LT_IN_ATTRIBUTE): self = .lessInAttribute
      default: self = .other
      }
    }
  }

  private static let readMore: xmlInputReadCallback = { context, buffer, capacity in
    guard let context = unsafe context, let buffer = unsafe buffer, capacity > 0 else { return -1 }
    let handler = unsafe Parsing.of(context).handler
    return Int32(unsafe handler.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(capacity))))
  }

  private static func tell(_ context: UnsafeMutableRawPointer?, _ event: (XMLHandler) -> Void) {
    guard let context = unsafe context else { return }
    unsafe Parsing.of(context).tell(event)
  }

  /// How far a parser has still to go to the end of a text that it tells of: for some texts it stands before them, for
  /// others behind them. What is not in its input it has made, and stands behind it.
  private static func bytesRead(
    _ context: UnsafeMutableRawPointer?, behind text: UnsafePointer<xmlChar>?, count: Int
  ) -> Int {
    guard let context = unsafe context, let text = unsafe text,
      let input = unsafe Parsing.of(context).parser?.pointee.input, unsafe text == input.pointee.cur
    else { return 0 }
    return count
  }

  private static func string(_ name: UnsafePointer<xmlChar>?) -> String {
    unsafe name.map { unsafe String(cString: $0) } ?? ""
  }

  /// Text in an encoding that libxml2 knows by name, in UTF-8.
  ///
  /// The unsafe expressions are sound: the handler and both buffers are libxml2's own and freed here alone.
  ///
  /// - Parameter faults: where an unknown name goes, which counts as UTF-8 then, and bytes that are not in the
  ///   encoding, for which the text has U+FFFD.
  static func convert(
    _ data: Data, from name: String, faults: inout FaultLog
  ) throws(PropertyListError) -> TextSource {
    let functions = try loaded()
    // libxml2 tells of bad input by its return value, and on standard error if nobody listens. Listening is per thread.
    let listener = functions.__xmlStructuredError()
    let formerListener = unsafe listener?.pointee
    unsafe listener?.pointee = { _, _ in }
    defer { if let formerListener = unsafe formerListener { unsafe listener?.pointee = formerListener } }
    guard let handler = unsafe functions.xmlFindCharEncodingHandler(XMLEncoding.iconvName(name)) else {
      try faults.report(
        PropertyListError(
          .malformed, "unknown encoding \(name.quoted)", byteOffset: 0, position: .init(line: 1, column: 1)))
      return TextSource(text: data)
    }
    defer { unsafe _ = functions.xmlCharEncCloseFunc(handler) }
    guard let input = functions.xmlBufferCreate(), let output = functions.xmlBufferCreate() else {
      throw PropertyListError(.outOfMemory("XML"))
    }
    defer {
      unsafe functions.xmlBufferFree(input)
      unsafe functions.xmlBufferFree(output)
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
        unsafe functions.xmlBufferAdd(input, $0.bindMemory(to: UInt8.self).baseAddress, Int32($0.count))
      }
      guard added == 0 else { throw PropertyListError(.outOfMemory("XML")) }
      offset += piece.byteCount
      while unsafe functions.xmlBufferLength(input) > 0 {
        let before = unsafe functions.xmlBufferLength(input)
        let result = unsafe functions.xmlCharEncInFunc(handler, output, input)
        let length = Int(unsafe functions.xmlBufferLength(output))
        if length > 0, let content = unsafe functions.xmlBufferContent(output) {
          let produced = unsafe RawSpan(_unsafeStart: content, byteCount: length)
          text.append(bytes: produced)
          unsafe functions.xmlBufferEmpty(output)
        }
        let left = unsafe Int(functions.xmlBufferLength(input))
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
          unsafe _ = functions.xmlBufferShrink(input, 1)
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
    guard let functions, let listener = functions.__xmlStructuredError() else { return nil }
    let formerListener = unsafe listener.pointee
    unsafe listener.pointee = { _, _ in }
    defer { unsafe listener.pointee = formerListener }
    guard let handler = unsafe functions.xmlFindCharEncodingHandler(XMLEncoding.iconvName(name)) else { return nil }
    defer { unsafe _ = functions.xmlCharEncCloseFunc(handler) }
    guard let input = functions.xmlBufferCreate(), let output = functions.xmlBufferCreate() else { return nil }
    defer {
      unsafe functions.xmlBufferFree(input)
      unsafe functions.xmlBufferFree(output)
    }
    var bytes: [UInt8] = []
    var offset = 0
    while offset < text.byteCount {
      let piece = text.extracting(offset..<min(offset + 1 << 16, text.byteCount))
      let added = unsafe piece.withUnsafeBytes {
        unsafe functions.xmlBufferAdd(input, $0.bindMemory(to: UInt8.self).baseAddress, Int32($0.count))
      }
      guard added == 0 else { return nil }
      offset += piece.byteCount
      while unsafe functions.xmlBufferLength(input) > 0 {
        let before = unsafe functions.xmlBufferLength(input)
        // The result is below 0 also where a reference was put in.
        _ = unsafe functions.xmlCharEncOutFunc(handler, output, input)
        let length = Int(unsafe functions.xmlBufferLength(output))
        if length > 0, let content = unsafe functions.xmlBufferContent(output) {
          bytes.append(bytes: unsafe RawSpan(_unsafeStart: content, byteCount: length))
          unsafe functions.xmlBufferEmpty(output)
        }
        if unsafe functions.xmlBufferLength(input) == before { break }
      }
    }
    return unsafe functions.xmlBufferLength(input) == 0 ? bytes : nil
  }
}
