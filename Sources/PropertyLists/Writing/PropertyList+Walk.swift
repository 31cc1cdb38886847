internal import FoundationEssentials
internal import OrderedCollections

extension PropertyList {
  /// Passes this value to a sink, without recursion. `depth` is the maximum nesting depth of containers.
  func walk<Sink: PropertyListSink & ~Copyable>(
    into sink: inout Sink, sortsKeys: Bool, depth: Int
  ) throws(PropertyListError) {
    if try tellScalar(to: &sink) { return }
    var outer: [WalkFrame] = []
    var current = try WalkFrame(self, &sink, sortsKeys: sortsKeys, depth: depth)
    // The next child of the current container.
    var next = 0
    do throws(PropertyListError) {
      walking: while true {
        let (keyArray, valueArray) = (current.keys, current.values)
        let (keys, values) = (keyArray.unretained, valueArray.unretained)
        while next < values.count {
          next += 1
          if current.isDictionary, !Sink.takesKeysFirst { try keys[next - 1].tellKey(to: &sink) }
          if try values[next - 1].tellScalar(to: &sink) { continue }
          guard outer.count + 1 < depth else { throw ParsingLimits.nestedTooDeeply(limit: depth) }
          let inner = try WalkFrame(valueArray[next - 1], &sink, sortsKeys: sortsKeys, depth: depth)
          current.next = next
          outer.append(current)
          current = inner
          next = 0
          continue walking
        }
        if current.isDictionary { try sink.endDictionary() } else { try sink.endArray() }
        guard let parent = outer.popLast() else { return }
        current = parent
        next = parent.next
      }
    } catch {
      var error = error
      current.next = next
      error.keyPath = PropertyListKeyPath(
        (outer + [current]).filter { $0.next > 0 }.map { frame in
          frame.isDictionary ? .key(frame.keys[frame.next - 1]) : .index(frame.next - 1)
        })
      throw error
    }
  }

  /// Writes a scalar. Returns false, without writing, for a container.
  fileprivate borrowing func tellScalar<Sink: PropertyListSink & ~Copyable>(
    to sink: inout Sink
  ) throws(PropertyListError) -> Bool {
    switch self {
    case .string(let value): try value.withRawUTF8 { bytes throws(PropertyListError) in try sink.string(bytes) }
    case .integer(let value): try sink.integer(value)
    case .real(let value): try sink.real(value)
    case .float(let value): try sink.float(value)
    case .boolean(let value): try sink.boolean(value)
    case .date(let value): try sink.date(value.timeIntervalSinceReferenceDate)
    case .data(let value): try sink.data(value.bytes)
    case .uid(let value): try sink.uid(value.value)
    case .null: try sink.null()
    case .array, .dictionary: return false
    }
    return true
  }
}

extension Unretained<PropertyList> {
  // The compiler retains the value if the function above is called for the property of an element of a span.
  @inline(__always)
  fileprivate borrowing func tellScalar<Sink: PropertyListSink & ~Copyable>(
    to sink: inout Sink
  ) throws(PropertyListError) -> Bool {
    try value.tellScalar(to: &sink)
  }
}

extension Unretained<String> {
  @inline(__always)
  fileprivate borrowing func tellKey<Sink: PropertyListSink & ~Copyable>(
    to sink: inout Sink
  ) throws(PropertyListError) {
    try value.withRawUTF8 { bytes throws(PropertyListError) in try sink.key(bytes) }
  }
}

/// An open container.
private struct WalkFrame {
  let isDictionary: Bool
  /// The keys of a dictionary. Empty for an array.
  let keys: [String]
  let values: [PropertyList]
  var next = 0

  /// Begins a container in the sink, and writes its keys if the sink takes them first.
  @inline(__always)
  init<Sink: PropertyListSink & ~Copyable>(
    _ container: PropertyList, _ sink: inout Sink, sortsKeys: Bool, depth: Int
  ) throws(PropertyListError) {
    guard depth > 0 else { throw ParsingLimits.nestedTooDeeply(limit: depth) }
    switch container {
    case .array(let elements):
      (isDictionary, keys, values) = (false, [], elements)
      try sink.beginArray(count: elements.count)
    case .dictionary(var entries):
      if sortsKeys { entries.sort { KeyOrder.precedes($0.key.utf8, $1.key.utf8) } }
      (isDictionary, keys, values) = (true, entries.keys.elements, entries.values.elements)
      try sink.beginDictionary(count: keys.count)
      if Sink.takesKeysFirst {
        let span = keys.unretained
        for position in span.indices { try span[position].tellKey(to: &sink) }
      }
    default: (isDictionary, keys, values) = (false, [], [])
    }
  }
}

/// The order of UTF-8 texts by their UTF-16 code units. It differs from the order of the bytes in one point: UTF-16
/// sorts characters above U+FFFF before those from U+E000, so lead bytes from 0xF0 sort before 0xEE and 0xEF.
enum KeyOrder {
  static func precedes(_ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>) -> Bool {
    first.lexicographicallyPrecedes(second) { rank($0) < rank($1) }
  }

  /// Returns a negative number, 0 or a positive number if the first text sorts before, equal to or after the second.
  static func compare(_ first: RawSpan, _ second: RawSpan) -> Int {
    for index in 0..<min(first.byteCount, second.byteCount) where first[index] != second[index] {
      return Int(rank(first[index])) - Int(rank(second[index]))
    }
    return first.byteCount - second.byteCount
  }

  private static func rank(_ byte: UInt8) -> UInt8 { byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte }
}
