internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// An output for ``ArchiveFormWriter``. The writer converts the objects of an archive to dictionaries and arrays. The
/// output determines the form of dictionaries, arrays, numbers, data and dates.
protocol ArchiveFormOutput: ~Copyable {
  /// The number of arrays and dictionaries that have begun and not ended.
  var depth: Int { get }

  mutating func beginDictionary()
  mutating func endDictionary()
  mutating func beginArray()
  mutating func endArray()
  mutating func key(_ text: String)

  mutating func null()
  mutating func boolean(_ value: Bool)
  mutating func integer(_ value: PropertyList.Integer)
  mutating func real(_ value: Double)
  mutating func float(_ value: Float)
  mutating func string(_ text: String)
  mutating func data(_ data: Data)
  /// Writes a date, as the number of seconds since 2001-01-01T00:00:00Z.
  mutating func date(_ seconds: Double)
}

/// An output that writes JSON. Data, dates and other values that JSON does not have become objects; see
/// `KeyedArchive.jsonData(isIndented:)`.
struct ArchiveJSONOutput: ArchiveFormOutput, ~Copyable {
  private var json: JSONWriter
  private let isIndented: Bool

  init(isIndented: Bool) {
    json = JSONWriter(PropertyListWritingOptions(isCompact: !isIndented))
    self.isIndented = isIndented
  }

  /// Returns the JSON text as UTF-8. Indented text ends with a newline.
  consuming func finish() -> Data { isIndented ? json.finish() : json.finishFragment() }

  var depth: Int { json.depth }

  mutating func beginDictionary() { json.beginDictionary(count: 0) }
  mutating func endDictionary() { json.endDictionary() }
  mutating func beginArray() { json.beginArray(count: 0) }
  mutating func endArray() { json.endArray() }
  mutating func key(_ text: String) { json.key(text.utf8Span.rawBytes) }

  mutating func null() { json.null() }
  mutating func boolean(_ value: Bool) { json.boolean(value) }
  mutating func integer(_ value: PropertyList.Integer) { json.integer(value) }
  mutating func string(_ text: String) { json.string(text.utf8Span.rawBytes) }

  mutating func real(_ value: Double) {
    if value.isFinite { return json.number(value.description) }
    writeTagged("$real") { $0.string(value.debugDescription) }
  }

  mutating func float(_ value: Float) {
    writeTagged("$float") { output in
      if value.isFinite { output.json.number(value.description) } else { output.string(value.debugDescription) }
    }
  }

  mutating func data(_ data: Data) { writeTagged("$data") { $0.string(data.base64EncodedString()) } }

  mutating func date(_ seconds: Double) {
    beginDictionary()
    key("$date")
    if let text = DateText.text(seconds) { string(text) } else { null() }
    key("$seconds")
    if seconds.isFinite { json.number(seconds.description) } else { string(seconds.debugDescription) }
    endDictionary()
  }

  private mutating func writeTagged(_ tag: String, _ value: (inout Self) -> Void) {
    beginDictionary()
    key(tag)
    value(&self)
    endDictionary()
  }
}
