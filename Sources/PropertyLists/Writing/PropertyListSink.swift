internal import FoundationEssentials
internal import SystemFiles

/// A receiver of the values of a property list, in order, such as the writer of a format. A ``PropertyList`` or a
/// ``PropertyListDocument`` calls the sink for each of its values, so these types do not depend on the formats.
protocol PropertyListSink: ~Copyable {
  /// True if all keys of a dictionary are written before all values, as in the binary format; false if each key is
  /// written before its value.
  static var takesKeysFirst: Bool { get }

  mutating func null() throws(PropertyListError)
  mutating func boolean(_ value: Bool) throws(PropertyListError)
  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError)
  mutating func real(_ value: Double) throws(PropertyListError)
  mutating func float(_ value: Float) throws(PropertyListError)
  /// Receives a date.
  ///
  /// - Parameter seconds: The seconds since 2001-01-01T00:00:00Z.
  mutating func date(_ seconds: Double) throws(PropertyListError)
  mutating func uid(_ value: UInt32) throws(PropertyListError)
  /// Receives a string.
  ///
  /// - Parameter utf8: Valid UTF-8.
  mutating func string(_ utf8: RawSpan) throws(PropertyListError)
  mutating func data(_ bytes: RawSpan) throws(PropertyListError)

  mutating func beginArray(count: Int) throws(PropertyListError)
  mutating func endArray() throws(PropertyListError)
  mutating func beginDictionary(count: Int) throws(PropertyListError)
  /// Receives a key of the innermost dictionary.
  ///
  /// - Parameter utf8: Valid UTF-8.
  mutating func key(_ utf8: RawSpan) throws(PropertyListError)
  mutating func endDictionary() throws(PropertyListError)

  /// The number of bytes at the beginning of the output that later values cannot change; 0 for a writer that has output
  /// only at the end.
  var readyByteCount: Int { get }
  /// Writes these ready bytes to a file, and removes them from the output.
  mutating func drain(to output: FileOutput) throws(PropertyListError)
}

extension PropertyListSink where Self: ~Copyable {
  static var takesKeysFirst: Bool { false }
  var readyByteCount: Int { 0 }
  mutating func drain(to output: FileOutput) throws(PropertyListError) {}
}

/// A sink with one function for all scalars of fixed size, and one pair of functions, `begin` and `end`, for both
/// arrays and dictionaries.
protocol NodeSink: PropertyListSink, ~Copyable {
  /// Receives a scalar of fixed size.
  ///
  /// - Parameter node: A value that is not a string, data or a container.
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

/// A sink that creates the bytes of a file.
protocol FileWriter: PropertyListSink, ~Copyable {
  /// Returns the bytes that ``drain(to:)`` has not written.
  consuming func finish() throws(PropertyListError) -> Data
}
