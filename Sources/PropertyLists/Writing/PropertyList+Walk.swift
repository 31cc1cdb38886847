internal import FoundationEssentials
internal import OrderedCollections

extension PropertyList {
  /// Tells this value to a writer.
  ///
  /// Recursion is bounded by `depth`, how many more levels of containers there may be.
  func walk<Sink: PropertyListSink & ~Copyable>(
    into sink: inout Sink, sortsKeys: Bool, depth: Int
  ) throws(PropertyListError) {
    switch self {
    case .string(let value): try sink.string(value.utf8Span.rawBytes)
    case .integer(let value): try sink.integer(value)
    case .real(let value): try sink.real(value)
    case .float(let value): try sink.float(value)
    case .boolean(let value): try sink.boolean(value)
    case .date(let value): try sink.date(value.timeIntervalSinceReferenceDate)
    case .data(let value): try sink.data(value.bytes)
    case .uid(let value): try sink.uid(value.value)
    case .null: try sink.null()
    case .array(let elements):
      guard depth > 0 else { throw PropertyListError(.nestedTooDeeply, "containers are nested too deeply to write") }
      try sink.beginArray(count: elements.count)
      let span = elements.span
      for position in span.indices {
        do throws(PropertyListError) {
          try span[position].walk(into: &sink, sortsKeys: sortsKeys, depth: depth - 1)
        } catch {
          throw error.below(.index(position))
        }
      }
      try sink.endArray()
    case .dictionary(let entries):
      guard depth > 0 else { throw PropertyListError(.nestedTooDeeply, "containers are nested too deeply to write") }
      try Self.walk(sortsKeys ? Self.sorted(entries) : entries, into: &sink, sortsKeys: sortsKeys, depth: depth)
    }
  }

  private static func walk<Sink: PropertyListSink & ~Copyable>(
    _ entries: OrderedDictionary<String, PropertyList>, into sink: inout Sink, sortsKeys: Bool, depth: Int
  ) throws(PropertyListError) {
    // Spans, because reading an element of a collection takes a reference to what it holds.
    let (keyArray, valueArray) = (entries.keys.elements, entries.values.elements)
    let (keys, values) = (keyArray.span, valueArray.span)
    try sink.beginDictionary(count: keys.count)
    if Sink.takesKeysFirst {
      for position in keys.indices { try key(keys[position], into: &sink) }
    }
    for position in keys.indices {
      do throws(PropertyListError) {
        if !Sink.takesKeysFirst { try key(keys[position], into: &sink) }
        try values[position].walk(into: &sink, sortsKeys: sortsKeys, depth: depth - 1)
      } catch {
        throw error.below(.key(keys[position]))
      }
    }
    try sink.endDictionary()
  }

  @inline(__always)
  private static func key<Sink: PropertyListSink & ~Copyable>(
    _ text: String, into sink: inout Sink
  ) throws(PropertyListError) {
    try sink.key(text.utf8Span.rawBytes)
  }

  private static func sorted(
    _ entries: OrderedDictionary<String, PropertyList>
  ) -> OrderedDictionary<String, PropertyList> {
    var sorted = entries
    sorted.sort { KeyOrder.precedes($0.key.utf8, $1.key.utf8) }
    return sorted
  }
}
