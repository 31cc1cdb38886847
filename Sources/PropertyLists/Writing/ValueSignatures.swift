/// A list of a value and all values in it, in the order of a text. Each entry of the list has a hash of the whole
/// content of its value, so that two values can be compared in one step. The hash has 64 bits and a secret seed, so
/// that collisions cannot be constructed. The chance of an accidental collision is 1 in 2^64 per comparison. Callers
/// that change a file based on hashes read the result back.
package struct ValueSignatures {
  package struct Entry {
    /// The hash of the value, including its kind, but not its key.
    package var hash: UInt64
    /// The hash of the key of a dictionary's entry, else 0.
    package let key: UInt64
    /// The number of values in this one, including itself. If this value is at index *n*, its first child is at *n* +
    /// 1, and its next sibling is at *n* plus this count.
    fileprivate(set) var count: UInt32
    package let kind: NodeKind

    package var size: Int { Int(count) }
  }

  private var entries: [Entry] = []

  package var count: Int { entries.count }

  package subscript(index: Int) -> Entry { entries[index] }

  /// Returns the indexes of the children of a container.
  package func children(of index: Int) -> [Int] {
    var indexes: [Int] = []
    var child = index + 1
    let end = index + entries[index].size
    while child < end {
      indexes.append(child)
      child += entries[child].size
    }
    return indexes
  }
}

/// The differences that a signature ignores.
package struct SignatureOptions: OptionSet {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A 4-byte real equals the 8-byte real of the same value, because the format of the document has only 8-byte reals.
  package static let widensFloats = SignatureOptions(rawValue: 1)
  /// A date is compared without the fraction of its second, because the format of the document does not store
  /// fractions.
  package static let dropsFractions = SignatureOptions(rawValue: 2)
  /// Canonically equivalent texts are equal, as in Swift.
  package static let ignoresSpelling = SignatureOptions(rawValue: 4)
  /// Dictionaries with the same entries are equal in any order.
  package static let ignoresKeyOrder = SignatureOptions(rawValue: 8)
}

extension ValueSignatures {
  /// Creates the signatures of a value and all values in it.
  ///
  /// - Throws: ``PropertyListError/Kind/nestedTooDeeply`` if the value has more than `depth` levels of containers.
  package init(
    of value: PropertyList, _ options: SignatureOptions = [], depth: Int, expectedCount: Int = 64
  ) throws(PropertyListError) {
    var writer = SignatureWriter(expectedCount: expectedCount, options)
    try value.walk(into: &writer, sortsKeys: false, depth: depth)
    entries = writer.entries
  }

  /// Creates the signatures of all values of a document.
  ///
  /// - Throws: The errors of a binary document.
  /// - Complexity: O(*n*) in the size of the document.
  package init(of document: PropertyListDocument) throws(PropertyListError) {
    var writer = SignatureWriter(expectedCount: document.objectCount, [])
    try document.root.walk(into: &writer, PropertyListWritingOptions(depth: ParsingLimits.greatestDepth))
    entries = writer.entries
  }

  /// Creates the signatures of a value of any depth and all values in it.
  ///
  /// - Complexity: O(*n*) in the size of the value.
  package init(of value: PropertyList, _ options: SignatureOptions) {
    // This does not throw, because the writer accepts every value.
    self = (try? ValueSignatures(of: value, options, depth: .max)) ?? ValueSignatures()
  }
}

/// A sink that creates signatures.
private struct SignatureWriter: NodeSink, ~Copyable {
  private(set) var entries: [ValueSignatures.Entry] = []
  /// The indexes of the open containers.
  private var open: [Int] = []
  private var key: UInt64 = 0
  private let seed = ByteHash.seed
  private let options: SignatureOptions

  init(expectedCount: Int, _ options: SignatureOptions) {
    entries.reserveCapacity(expectedCount)
    self.options = options
  }

  private mutating func add(_ kind: NodeKind, _ hash: UInt64) {
    entries.append(.init(hash: mix(UInt64(kind.rawValue), hash), key: key, count: 1, kind: kind))
    key = 0
  }

  private func mix(_ first: UInt64, _ second: UInt64) -> UInt64 { ByteHash.combine(first, second, seed: seed) }

  private func hash(text utf8: RawSpan) -> UInt64 {
    guard options.contains(.ignoresSpelling) else { return hash(utf8) }
    return UInt64(truncatingIfNeeded: String(knownUTF8: utf8, isASCII: false).hashValue)
  }

  private func hash(_ bytes: RawSpan) -> UInt64 { ByteHash.hash(bytes, from: 0, count: bytes.byteCount, seed: seed) }

  mutating func scalar(_ node: FlatNode) {
    switch node.kind {
    case .float where options.contains(.widensFloats): add(.real, Double(node.float).bitPattern)
    case .date where options.contains(.dropsFractions): add(.date, node.real.rounded(.down).bitPattern)
    default: add(node.kind, node.payload)
    }
  }

  mutating func string(_ utf8: RawSpan) { add(.string, hash(text: utf8)) }
  mutating func data(_ bytes: RawSpan) { add(.data, hash(bytes)) }
  mutating func key(_ utf8: RawSpan) { key = hash(text: utf8) }

  mutating func begin(_ kind: NodeKind, count: Int) {
    open.append(entries.count)
    add(kind, 0)
  }

  /// Sets the size and hash of the innermost container. The last child of the container must be the last entry of the
  /// list.
  mutating func end(_ kind: NodeKind) {
    guard let container = open.popLast() else { return }
    let isUnordered = kind == .dictionary && options.contains(.ignoresKeyOrder)
    var hash = entries[container].hash
    var child = container + 1
    while child < entries.count {
      let (key, value) = (entries[child].key, entries[child].hash)
      hash = isUnordered ? hash &+ mix(key, value) : mix(mix(hash, key), value)
      child += entries[child].size
    }
    entries[container].count = UInt32(clamping: entries.count - container)
    entries[container].hash = mix(hash, UInt64(entries[container].count))
  }
}
