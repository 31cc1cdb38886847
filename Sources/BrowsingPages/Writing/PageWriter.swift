internal import FoundationEssentials
package import PropertyLists
package import SystemFiles

/// Writes a page for a browser that shows objects: one file without a server or a network, in which all references can
/// be followed both ways.
///
/// The objects are rows, each of a group: an entity, or a class of an archive. They are written in any order and go to
/// the file piece by piece, so that the memory this takes does not grow with their number.
///
/// ```swift
/// var page = try PageWriter(to: output)
/// page.beginRow(group: 0, key: 1)
/// page.text("Ada")
/// page.reference(group: 1, key: 7)
/// try page.endRow()
/// try page.finish(PageHead(title: "Library.sqlite", kind: .store, groups: groups))
/// ```
///
/// A row has a value for each column of its group, or a single value if the group has no columns. Functions that write
/// a value may also be called between the beginning and the end of an array or a dictionary.
package struct PageWriter: ~Copyable {
  private let output: FileOutput
  private var buffer = ByteBuffer()
  /// Text with the escapes of JSON, before those of HTML.
  private var scratch = ByteBuffer()
  /// True behind a value, where another one needs a comma in front.
  private var isBehindValue = false
  private var isInChunk = false
  private var chunkStart = 0
  private var chunkRowCount = 0
  private(set) var rowCounts: [Int] = []

  /// How much is read by the page in one go.
  private static var greatestChunkSize: Int { 64 << 10 }
  private static var greatestChunkRowCount: Int { 512 }

  /// The first bytes of data that are in the page. Pictures are there whole, up to ``greatestPicture``.
  package static var greatestData: Int { 4096 }
  package static var greatestPicture: Int { 8 << 20 }
  /// The first bytes of a text that are in the page.
  package static var greatestText: Int { 64 << 10 }
  /// How many objects of a to-many relationship are in the page.
  package static var greatestReferenceCount: Int { 10_000 }

  /// Begins a page.
  package init(to output: FileOutput) throws(PropertyListError) {
    self.output = output
    let code = PageCode()
    buffer.append(code.beginning.rawBytes)
    try buffer.drain(to: output)
  }

  /// Ends the page.
  package consuming func finish(_ head: PageHead) throws(PropertyListError) {
    endChunk()
    buffer.append("<script type=\"application/json\" id=\"head\">")
    isBehindValue = false
    head.write(to: &self)
    buffer.append("</script>\n")
    buffer.append(PageCode.end.rawBytes)
    try buffer.drain(to: output)
  }

  /// Begins an object.
  ///
  /// - Parameters:
  ///   - group: the index of its group in ``PageHead/groups``.
  ///   - key: tells it from all others of its group.
  package mutating func beginRow(group: Int, key: Int64) {
    if !isInChunk {
      isInChunk = true
      chunkStart = buffer.count
      chunkRowCount = 0
      buffer.append("<script type=\"application/json\" class=\"chunk\">[")
      isBehindValue = false
    }
    if rowCounts.count <= group { rowCounts += repeatElement(0, count: group + 1 - rowCounts.count) }
    rowCounts[group] += 1
    chunkRowCount += 1
    open("[")
    integer(Int64(group))
    name(key)
  }

  package mutating func endRow() throws(PropertyListError) {
    close("]")
    let size = buffer.count - chunkStart
    guard size >= Self.greatestChunkSize || chunkRowCount >= Self.greatestChunkRowCount else { return }
    endChunk()
    try buffer.drain(to: output)
  }

  private mutating func endChunk() {
    guard isInChunk else { return }
    isInChunk = false
    buffer.append("]</script>\n")
  }

  @inline(__always)
  private mutating func separate() {
    if isBehindValue { buffer.append(byte: UInt8(ascii: ",")) }
    isBehindValue = true
  }

  /// Begins an object or an array of JSON.
  mutating func open(_ text: StaticString) {
    separate()
    buffer.append(text)
    isBehindValue = false
  }

  mutating func close(_ text: StaticString) {
    buffer.append(text)
    isBehindValue = true
  }

  /// A key of an object of JSON.
  mutating func tag(_ name: StaticString) {
    separate()
    buffer.append("\"")
    buffer.append(name)
    buffer.append("\":")
    isBehindValue = false
  }

  mutating func literal(_ text: StaticString) {
    separate()
    buffer.append(text)
  }

  private mutating func plain(_ text: String) {
    separate()
    buffer.append(text.utf8Span.rawBytes)
  }

  /// Text as a string of JSON, in which nothing is left that could end the element it stands in, or that nobody sees.
  mutating func quoted(_ utf8: RawSpan) {
    separate()
    // What borrows the bytes keeps this value from changing.
    var text = ByteBuffer()
    swap(&text, &scratch)
    text.truncate(to: 0)
    JSONText.append(quoted: utf8, to: &text)
    Self.append(text.bytes, to: &buffer)
    swap(&text, &scratch)
  }

  private static func append(_ bytes: RawSpan, to buffer: inout ByteBuffer) {
    var start = 0
    for index in 0..<bytes.byteCount {
      switch bytes[index] {
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
        buffer.append(bytes.extracting(start..<index))
        buffer.append("\\u00")
        buffer.append(hexadecimal: bytes[index])
        start = index + 1
      default: break
      }
    }
    buffer.append(bytes.extracting(start..<bytes.byteCount))
  }

  mutating func quoted(_ text: String) { quoted(text.utf8Span.rawBytes) }

  /// JavaScript has the integers up to here exactly.
  private static var greatestInteger: UInt64 { 1 << 53 }

  /// The key of a row.
  private mutating func name(_ key: Int64) {
    if key.magnitude <= Self.greatestInteger { integer(key) } else { quoted(key.description) }
  }

  package mutating func integer(_ value: Int64) {
    guard value.magnitude <= Self.greatestInteger else { return number(value.description) }
    separate()
    if value < 0 { buffer.append(byte: UInt8(ascii: "-")) }
    buffer.append(decimal: value.magnitude)
  }

  private mutating func base64(_ bytes: RawSpan) {
    separate()
    buffer.append("\"")
    Base64Text.append(bytes, 0..<bytes.byteCount, to: &buffer)
    buffer.append("\"")
  }

  package mutating func null() { literal("null") }

  package mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

  package mutating func real(_ value: Double) {
    if value.isFinite { plain(value.description) } else { number(value.description) }
  }

  package mutating func float(_ value: Float) {
    if value.isFinite { plain(value.description) } else { number(value.description) }
  }

  /// A number as it is printed, which JavaScript does not have exactly.
  package mutating func number(_ text: String) {
    open("{")
    tag("n")
    quoted(text)
    close("}")
  }

  package mutating func text(_ text: String) {
    let bytes = text.utf8Span.rawBytes
    guard bytes.byteCount > Self.greatestText else { return quoted(bytes) }
    var end = Self.greatestText
    // Not within a character.
    while bytes[end] & 0xC0 == 0x80 { end -= 1 }
    open("{")
    tag("s")
    quoted(bytes.extracting(0..<end))
    tag("n")
    integer(Int64(bytes.byteCount))
    close("}")
  }

  /// - Parameter seconds: since 2001-01-01T00:00:00Z.
  package mutating func date(_ seconds: Double) {
    guard let text = DateText.text(seconds) else { return number("\(seconds) s") }
    tagged("d", text)
  }

  package mutating func uuid(_ text: String) { tagged("u", text) }

  /// An address, which the page shows as text.
  package mutating func address(_ text: String) { tagged("l", text) }

  /// What cannot be read, and why.
  package mutating func unreadable(_ message: String) { tagged("x", message) }

  private mutating func tagged(_ name: StaticString, _ text: String) {
    open("{")
    tag(name)
    quoted(text)
    close("}")
  }

  package mutating func reference(group: Int, key: Int64) {
    open("{")
    tag("r")
    pair(group, key)
    close("}")
  }

  /// A to-many relationship.
  ///
  /// - Parameter references: the objects it refers to, of which the first are in the page.
  package mutating func references(_ references: some Collection<(group: Int, key: Int64)>) {
    open("{")
    tag("m")
    open("[")
    for (group, key) in references.prefix(Self.greatestReferenceCount) { pair(group, key) }
    close("]")
    if references.count > Self.greatestReferenceCount {
      tag("n")
      integer(Int64(references.count))
    }
    close("}")
  }

  private mutating func pair(_ group: Int, _ key: Int64) {
    open("[")
    integer(Int64(group))
    name(key)
    close("]")
  }

  /// Data, as a picture if it is one.
  ///
  /// - Parameter contents: writes what is nested in the data, and is nil if nothing is.
  package mutating func data(_ bytes: RawSpan, kind: String? = nil, contents: (inout PageWriter) -> Void = { _ in }) {
    open("{")
    tag("n")
    integer(Int64(bytes.byteCount))
    let picture = bytes.byteCount <= Self.greatestPicture ? PictureFormat(bytes) : nil
    tag("b")
    base64(bytes.extracting(0..<min(bytes.byteCount, picture == nil ? Self.greatestData : bytes.byteCount)))
    if let picture {
      tag("i")
      quoted(picture.rawValue)
    } else if let kind {
      tag("f")
      quoted(kind)
      tag("v")
      contents(&self)
    }
    close("}")
  }

  package mutating func beginArray() {
    open("{")
    tag("a")
    open("[")
  }

  /// Begins a dictionary, of which each value has its key, a text, written before it.
  package mutating func beginDictionary() {
    open("{")
    tag("o")
    open("[")
  }

  /// Begins a dictionary whose keys can be values of any kind.
  package mutating func beginPairs() {
    open("{")
    tag("p")
    open("[")
  }

  package mutating func key(_ name: String) { quoted(name) }

  /// Ends an array or a dictionary.
  package mutating func end() { close("]}") }
}
