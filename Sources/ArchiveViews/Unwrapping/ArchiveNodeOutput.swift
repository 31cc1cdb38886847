internal import FoundationEssentials
internal import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// An output for ``ArchiveFormWriter`` that creates values of a property list. Unlike in JSON, data, dates and all
/// numbers keep their types.
struct ArchiveNodeOutput: ArchiveFormOutput, ~Copyable {
  private var values: PooledValues
  private var frames: [(kind: NodeKind, start: Int)] = []
  private var failure: KeyedArchiveError?
  /// The size of the output so far, as `ParsingLimits.expandedSize` counts it.
  private(set) var size = 0

  init(_ values: consuming PooledValues) { self.values = values }

  /// Returns the values. The last of them is the value that was written.
  consuming func finish() throws(KeyedArchiveError) -> PooledValues {
    // The writer leaves the outermost container open, so that more entries can follow.
    if let frame = frames.popLast() { close(frame) }
    if let failure { throw failure }
    return values
  }

  /// The number of open containers, plus 2. In JSON, two more containers are around the values: the archive and its
  /// top. They count here too, so that both forms treat the same objects as nested too deeply.
  var depth: Int { frames.count + 2 }

  mutating func beginDictionary() { frames.append((.dictionary, values.count)) }
  mutating func beginArray() { frames.append((.array, values.count)) }
  mutating func endDictionary() { end() }
  mutating func endArray() { end() }

  private mutating func end() {
    if frames.count > 1, let frame = frames.popLast() { close(frame) }
  }

  private mutating func close(_ frame: (kind: NodeKind, start: Int)) {
    size += 1
    do { try values.close(frame.kind, from: frame.start) } catch { failure = error }
  }

  private mutating func append(_ node: FlatNode) {
    values.append(node)
    size += 1
  }

  mutating func key(_ text: String) { string(text) }
  mutating func null() { append(.null) }
  mutating func boolean(_ value: Bool) { append(.boolean(value)) }
  mutating func integer(_ value: PropertyList.Integer) { append(.integer(value)) }
  mutating func real(_ value: Double) { append(.real(value)) }
  mutating func float(_ value: Float) { append(.float(value)) }
  mutating func date(_ seconds: Double) { append(.date(seconds)) }

  mutating func string(_ text: String) {
    size += 1 + text.utf8.count
    do { try values.append(text) } catch { failure = error }
  }

  mutating func data(_ data: Data) {
    size += 1 + data.count
    do { try values.append(data) } catch { failure = error }
  }
}
