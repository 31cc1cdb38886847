internal import FoundationEssentials
package import PropertyLists
package import SystemFiles

/// Writes an HTML page that shows objects. The page is one file that needs no server or network. In a browser, all
/// references can be followed in both directions.
///
/// Each object is a row of a group. A group is an entity of a store or a class of an archive. Rows may be written in
/// any order. They go to the file piece by piece, so that memory use does not grow with their number.
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
  /// Text with JSON escapes, before HTML escapes are added.
  private var scratch = ByteBuffer()
  /// True if the next value needs a comma before it.
  private var isBehindValue = false
  private var isInChunk = false
  private var chunkStart = 0
  private var chunkRowCount = 0
  private(set) var rowCounts: [Int] = []

  /// A chunk of rows ends when it has at least this many bytes. The page parses one chunk at a time.
  private static var greatestChunkSize: Int { 64 << 10 }
  /// A chunk ends when it has this many rows.
  private static var greatestChunkRowCount: Int { 512 }

  /// The maximum number of bytes of a data value that the page contains. Pictures can be larger; see
  /// ``greatestPicture``.
  package static var greatestData: Int { 4096 }
  /// The greatest size in bytes of a picture that the page contains. Such a picture is contained completely.
  package static var greatestPicture: Int { 8 << 20 }
  /// The maximum number of bytes of a string that the page contains.
  package static var greatestText: Int { 64 << 10 }
  /// The maximum number of objects of a to-many relationship that the page contains.
  package static var greatestReferenceCount: Int { 10_000 }

  /// Begins a page.
  package init(to output: FileOutput) throws(PropertyListError) {
    self.output = output
    let code = PageCode()
    buffer.append(code.beginning.rawBytes)
    try buffer.drain(to: output)
  }

  /// Writes the head and the script, and ends the page.
  package consuming func finish(_ head: PageHead) throws(PropertyListError) {
    endChunk()
    buffer.append("<script type=\"application/json\" id=\"head\">")
    isBehindValue = false
    head.write(to: &self)
    buffer.append("</script>\n")
    buffer.append(PageCode.end.rawBytes)
    try buffer.drain(to: output)
  }

  /// Begins the row of an object.
  ///
  /// - Parameters:
  ///   - group: the index of the object's group in ``PageHead/groups``.
  ///   - key: a key that identifies the object in its group.
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

  /// Begins a JSON object or array.
  mutating func open(_ text: StaticString) {
    separate()
    buffer.append(text)
    isBehindValue = false
  }

  mutating func close(_ text: StaticString) {
    buffer.append(text)
    isBehindValue = true
  }

  /// Writes a key of a JSON object.
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

  /// Writes text as a JSON string. Characters that could end the HTML element, or are invisible, are escaped.
  mutating func quoted(_ utf8: RawSpan) {
    separate()
    // The bytes of `scratch` are borrowed while `buffer` changes, so `scratch` is moved out of `self`.
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

  /// The greatest integer up to which JavaScript represents all integers exactly.
  private static var greatestInteger: UInt64 { 1 << 53 }

  /// Writes the key of a row.
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

  /// Writes a number as text, because JavaScript does not represent it exactly.
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
    // Does not end inside a character.
    while bytes[end] & 0xC0 == 0x80 { end -= 1 }
    open("{")
    tag("s")
    quoted(bytes.extracting(0..<end))
    tag("n")
    integer(Int64(bytes.byteCount))
    close("}")
  }

  /// Writes a date.
  ///
  /// - Parameter seconds: the number of seconds since 2001-01-01T00:00:00Z.
  package mutating func date(_ seconds: Double) {
    guard let text = DateText.text(seconds) else { return number("\(seconds) s") }
    tagged("d", text)
  }

  package mutating func uuid(_ text: String) { tagged("u", text) }

  /// Writes a URL, which the page shows as text.
  package mutating func address(_ text: String) { tagged("l", text) }

  /// Writes an error in place of a value.
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

  /// Writes a to-many relationship.
  ///
  /// - Parameter references: the groups and keys of the related objects. The page contains the first
  ///   ``greatestReferenceCount``.
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

  /// Writes data, as a picture if it is one.
  ///
  /// - Parameters:
  ///   - kind: the kind of the archive or property list that is nested in the data; nil for other data.
  ///   - contents: writes the nested value. It is called only if `kind` is not nil and the data is not a picture.
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

  /// Begins a dictionary whose keys are strings. Each key is written before its value.
  package mutating func beginDictionary() {
    open("{")
    tag("o")
    open("[")
  }

  /// Begins a dictionary whose keys may be values of any kind.
  package mutating func beginPairs() {
    open("{")
    tag("p")
    open("[")
  }

  package mutating func key(_ name: String) { quoted(name) }

  /// Ends an array or a dictionary.
  package mutating func end() { close("]}") }
}
