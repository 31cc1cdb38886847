private import CLibXML2
internal import FoundationEssentials

#if !canImport(Glibc) && !canImport(Bionic)
  private import CLibXML2Link
#endif

/// The only code that calls libxml2. All other code uses Swift values.
///
/// libxml2 loads nothing: no network, no DTD, no entities except the five predefined ones, no internal subset. The
/// callbacks are safe because libxml2 calls them only inside `xmlParseDocument`, while the `Parsing` of their context
/// exists, and with buffers of the length that it passes.
package enum LibXML2 {
  /// The functions of libxml2, or nil if it is not installed. They are loaded on first use, because loading libxml2 and
  /// its dependencies takes longer than most processes run.
  private static let functions = load(["libxml2.so.2", "libxml2.so.16"])

  private static func load(_ files: [String]) -> LibXML2Functions? {
    var functions = LibXML2Functions()
    guard files.contains(where: { unsafe LibXML2FunctionsLoad(&functions, $0) }) else { return nil }
    // libxml2 requires multithreaded programs to call this once, before any other function.
    functions.xmlInitParser()
    return functions
  }

  private static func loaded() throws(PropertyListError) -> LibXML2Functions {
    guard let functions else { throw PropertyListError(.missingLibrary("libxml2", for: "XML")) }
    return functions
  }

  /// The state that one call of ``defect(in:)`` shares with its callbacks. The text outlives it.
  @safe
  private final class Parsing {
    private let text: UnsafeRawBufferPointer
    private var next = 0
    /// The parser of libxml2, or nil until libxml2 has created it.
    var parser: UnsafeMutablePointer<xmlParserCtxt>?
    var defect: (message: String, offset: Int)?

    init(_ text: UnsafeRawBufferPointer) { unsafe self.text = unsafe text }

    static func of(_ context: UnsafeMutableRawPointer) -> Parsing {
      unsafe Unmanaged<Parsing>.fromOpaque(context).takeUnretainedValue()
    }

    /// The number of bytes that the parser has read.
    var offset: Int {
      guard let input = unsafe parser?.pointee.input else { return 0 }
      return unsafe Int(input.pointee.consumed) + (input.pointee.cur - input.pointee.base)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let count = unsafe min(buffer.count, text.count - next)
      unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[next..<next + count]))
      next += count
      return count
    }
  }

  /// Returns the first error that libxml2 finds in a text, with libxml2's message.
  ///
  /// - Parameter text: UTF-8.
  /// - Returns: Nil for well-formed XML.
  static func defect(in text: RawSpan) throws(PropertyListError) -> (message: String, offset: Int)? {
    let functions = try loaded()
    let defect: Result<(message: String, offset: Int)?, PropertyListError> = unsafe text.withUnsafeBytes { text in
      let parsing = unsafe Parsing(text)
      return withExtendedLifetime(parsing) {
        let context = unsafe Unmanaged.passUnretained(parsing).toOpaque()
        guard
          let parser = unsafe functions.xmlCreateIOParserCtxt(
            nil, nil, readMore, nil, context, Int32(XML_CHAR_ENCODING_UTF8))
        else { return .failure(PropertyListError(.outOfMemory("XML"))) }
        unsafe parsing.parser = parser
        defer {
          // If libxml2 reads a document type after an error, it creates a document.
          unsafe functions.xmlFreeDoc(parser.pointee.myDoc)
          unsafe functions.xmlFreeParserCtxt(parser)
        }
        let flags = XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_IGNORE_ENC
        unsafe _ = functions.xmlCtxtUseOptions(parser, Int32(flags))
        unsafe parser.pointee.sax.initialize(to: xmlSAXHandler())
        unsafe parser.pointee.sax.pointee.initialized = UInt32(XML_SAX2_MAGIC)
        unsafe parser.pointee.sax.pointee.serror = unsafe noteDefect
        unsafe parser.pointee.userData = context
        unsafe _ = functions.xmlParseDocument(parser)
        guard unsafe parser.pointee.wellFormed != 1 else { return .success(nil) }
        return .success(parsing.defect ?? ("not well-formed XML", 0))
      }
    }
    return try defect.get()
  }

  private static let readMore: xmlInputReadCallback = { context, buffer, capacity in
    guard let context = unsafe context, let buffer = unsafe buffer, capacity > 0 else { return -1 }
    return Int32(
      unsafe Parsing.of(context).read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(capacity))))
  }

  private static let noteDefect: xmlStructuredErrorFunc = { context, error in
    guard let context = unsafe context, let error = unsafe error, unsafe error.pointee.level == XML_ERR_FATAL else {
      return
    }
    let parsing = unsafe Parsing.of(context)
    guard parsing.defect == nil else { return }
    let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "not well-formed XML"
    parsing.defect = (String(message.prefix { $0 != "\n" }), parsing.offset)
    unsafe functions?.xmlStopParser(parsing.parser)
  }

  /// Converts text in an encoding that libxml2 knows by name to UTF-8.
  ///
  /// The unsafe expressions are sound: the handler and both buffers belong to libxml2 and are freed only here.
  ///
  /// - Parameter defects: Receives the error for an unknown encoding; the data is then read as UTF-8. Also receives the
  ///   errors for byte sequences that are invalid in the encoding; they become U+FFFD.
  static func convert(
    _ data: Data, from name: String, defects: inout DefectLog
  ) throws(PropertyListError) -> TextSource {
    let functions = try loaded()
    // libxml2 reports invalid input by its return value, and also prints to standard error unless a handler is set. The
    // handler is per thread.
    let listener = functions.__xmlStructuredError()
    let formerListener = unsafe listener?.pointee
    unsafe listener?.pointee = { _, _ in }
    defer { if let formerListener = unsafe formerListener { unsafe listener?.pointee = formerListener } }
    guard let handler = unsafe functions.xmlFindCharEncodingHandler(XMLEncoding.iconvName(name)) else {
      try defects.report(
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
    // The offset after the last invalid byte.
    var mended = -1
    // The input is converted in pieces, because libxml2 counts in 32 bits. If bytes of a piece are left over, they are
    // the beginning of a character.
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
        // A character has at most eight bytes, including the escapes that select its character set.
        if result == -2 || (left >= before && left >= 16) || (left > 0 && left >= before && offset == bytes.byteCount) {
          let defectOffset = offset - left
          // Consecutive invalid bytes are reported once.
          if defectOffset != mended {
            walk.advance(to: text.count, in: text.rawBytes)
            try defects.report(UnicodeEncoding.wrong(name, at: defectOffset, walk))
          }
          mended = defectOffset + 1
          text.append(scalar: 0xFFFD)
          unsafe _ = functions.xmlBufferShrink(input, 1)
        } else if left >= before {
          break
        }
      }
    }
    if (try? UTF8Span(validating: text.span)) == nil {
      try defects.report(UnicodeEncoding.wrong(name, at: 0, TextWalk()))
      text = Array(String(decoding: text, as: UTF8.self).utf8)
    }
    return TextSource(text: Data(text), start: 0, unitWidth: nil)
  }

  /// Converts UTF-8 to an encoding that libxml2 knows by name. Characters that the encoding lacks become character
  /// references.
  ///
  /// The unsafe expressions are sound for the same reasons as in ``convert(_:from:defects:)``.
  ///
  /// - Returns: Nil if libxml2 cannot convert the text.
  package static func encode(_ text: RawSpan, to name: String) -> [UInt8]? {
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
        // The result is also negative after a character reference was inserted.
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
