internal import FoundationEssentials
internal import SystemFiles

/// A writer, which is told the values of a property list in order. Trees and documents walk through themselves, so a
/// writer knows neither, and a source knows no format.
protocol PropertyListSink: ~Copyable {
  /// Whether a dictionary tells all keys before all values, as in the binary format, or each before its value.
  static var takesKeysFirst: Bool { get }

  mutating func null() throws(PropertyListError)
  mutating func boolean(_ value: Bool) throws(PropertyListError)
  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError)
  mutating func real(_ value: Double) throws(PropertyListError)
  mutating func float(_ value: Float) throws(PropertyListError)
  /// - Parameter seconds: since 2001-01-01T00:00:00Z.
  mutating func date(_ seconds: Double) throws(PropertyListError)
  mutating func uid(_ value: UInt32) throws(PropertyListError)
  /// - Parameter utf8: valid UTF-8.
  mutating func string(_ utf8: RawSpan) throws(PropertyListError)
  mutating func data(_ bytes: RawSpan) throws(PropertyListError)

  mutating func beginArray(count: Int) throws(PropertyListError)
  mutating func endArray() throws(PropertyListError)
  mutating func beginDictionary(count: Int) throws(PropertyListError)
  /// - Parameter utf8: valid UTF-8.
  mutating func key(_ utf8: RawSpan) throws(PropertyListError)
  mutating func endDictionary() throws(PropertyListError)

  /// How many bytes are ready that no later value changes; 0 for a writer that is ready only at the end.
  var readyByteCount: Int { get }
  /// Writes the bytes that are ready to a file, and forgets them.
  mutating func drain(to output: FileOutput) throws(PropertyListError)
}

extension PropertyListSink where Self: ~Copyable {
  static var takesKeysFirst: Bool { false }
  var readyByteCount: Int { 0 }
  mutating func drain(to output: FileOutput) throws(PropertyListError) {}
}

/// A writer to which scalars of fixed size are nodes, and both kinds of containers alike.
protocol NodeSink: PropertyListSink, ~Copyable {
  /// - Parameter node: a value that is no text, data or container.
  mutating func scalar(_ node: FlatNode) throws(PropertyListError)
  mutating func begin(_ kind: NodeKind, count: Int) throws(PropertyListError)
  mutating func end(_ kind: NodeKind) throws(PropertyListError)
}

extension NodeSink where Self: ~Copyable {
  mutating func null() throws(PropertyListError) { try scalar(.null) }
  mutating func boolean(_ value: Bool) throws(PropertyListError) { try scalar(.boolean(value)) }
  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError) { try scalar(.integer(value)) }
  mutating func real(_ value: Double) throws(PropertyListError) { try scalar(.real(value)) }
  mutating func float(_ value: Float) throws(PropertyListError) { try scalar(.float(value)) }
  mutating func date(_ seconds: Double) throws(PropertyListError) { try scalar(.date(seconds)) }
  mutating func uid(_ value: UInt32) throws(PropertyListError) { try scalar(.uid(value)) }
  mutating func beginArray(count: Int) throws(PropertyListError) { try begin(.array, count: count) }
  mutating func endArray() throws(PropertyListError) { try end(.array) }
  mutating func beginDictionary(count: Int) throws(PropertyListError) { try begin(.dictionary, count: count) }
  mutating func endDictionary() throws(PropertyListError) { try end(.dictionary) }
}

/// A writer of files.
protocol FileWriter: PropertyListSink, ~Copyable {
  /// The bytes that have not been drained.
  consuming func finish() throws(PropertyListError) -> Data
}
