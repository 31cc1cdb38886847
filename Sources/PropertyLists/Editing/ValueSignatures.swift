/// The values below a root in the order of a text, with a hash each of all that is below them: whether two values are
/// equal is one comparison, however large they are.
///
/// The hash is one that nobody can make values for that collide. That they do by chance is not excluded; whoever changes
/// a file by it looks at the result.
struct ValueSignatures {
  struct Entry {
    /// Of the value, its kind included, not of its key.
    var hash: UInt64
    /// Of the key of an entry of a dictionary, else 0.
    let key: UInt64
    /// How many values there are below this one, itself included. The value number *n* is followed by its first child, and
    /// the one behind it stands at *n* plus this.
    fileprivate(set) var count: UInt32
    let kind: NodeKind

    var size: Int { Int(count) }
  }

  private(set) var entries: [Entry] = []

  var count: Int { entries.count }

  subscript(index: Int) -> Entry { entries[index] }

  /// The places of the children of a container.
  func children(of index: Int) -> [Int] {
    var places: [Int] = []
    var place = index + 1
    let end = index + entries[index].size
    while place < end {
      places.append(place)
      place += entries[place].size
    }
    return places
  }
}

extension ValueSignatures {
  /// How many features tell like containers from others.
  private static var featureCount: Int { 16 }

  /// A value as an element of a list.
  func element(_ index: Int) -> Alignment.Element {
    let entry = entries[index]
    var features: [UInt64] = []
    if entry.kind.isContainer {
      // Not all of them: what is looked at of a list is not to grow with all that is below it.
      var place = index + 1
      let end = index + entry.size
      while place < end, features.count < 4 * Self.featureCount {
        let child = entries[place]
        features.append(child.hash &+ child.key &* 31)
        if child.key != 0 { features.append(child.key) }
        place += child.size
      }
      features.sort()
      features.removeLast(max(features.count - Self.featureCount, 0))
    }
    return Alignment.Element(hash: entry.hash, kind: entry.kind, size: entry.size, features: features)
  }
}

/// Makes the signatures of what it is told.
struct SignatureWriter: PropertyListSink, ~Copyable {
  static var takesKeysFirst: Bool { false }

  private var signatures = ValueSignatures()
  /// The containers that are open.
  private var open: [Int] = []
  private var key: UInt64 = 0
  private let seed = ByteHash.seed
  /// Whether a 4-byte real counts as an 8-byte one, because the format has no other.
  private let widensFloats: Bool
  /// Whether a date counts without the fraction of its second, because the format has none.
  private let dropsFractions: Bool

  init(expectedCount: Int, widensFloats: Bool = false, dropsFractions: Bool = false) {
    signatures.reserve(expectedCount)
    self.widensFloats = widensFloats
    self.dropsFractions = dropsFractions
  }

  consuming func finish() -> ValueSignatures { signatures }

  private mutating func add(_ kind: NodeKind, _ hash: UInt64) {
    signatures.append(.init(hash: mix(UInt64(kind.rawValue), hash), key: key, count: 1, kind: kind))
    key = 0
  }

  private func mix(_ first: UInt64, _ second: UInt64) -> UInt64 { ByteHash.combine(first, second, seed: seed) }

  private func hash(_ bytes: RawSpan) -> UInt64 { ByteHash.hash(bytes, from: 0, count: bytes.byteCount, seed: seed) }

  mutating func null() { add(.null, 0) }
  mutating func boolean(_ value: Bool) { add(.boolean, value ? 1 : 0) }
  mutating func integer(_ value: PropertyList.Integer) {
    add(value.isNegative || value.bits <= UInt64(Int64.max) ? .integer : .unsignedInteger, value.bits)
  }
  mutating func real(_ value: Double) { add(.real, value.bitPattern) }
  mutating func float(_ value: Float) {
    if widensFloats { real(Double(value)) } else { add(.float, UInt64(value.bitPattern)) }
  }
  mutating func date(_ seconds: Double) {
    add(.date, (dropsFractions ? seconds.rounded(.down) : seconds).bitPattern)
  }
  mutating func uid(_ value: UInt32) { add(.uid, UInt64(value)) }
  mutating func string(_ utf8: RawSpan) { add(.string, hash(utf8)) }
  mutating func data(_ bytes: RawSpan) { add(.data, hash(bytes)) }
  mutating func key(_ utf8: RawSpan) { key = hash(utf8) }
  mutating func beginArray(count: Int) { begin(.array) }
  mutating func beginDictionary(count: Int) { begin(.dictionary) }
  mutating func endArray() { end() }
  mutating func endDictionary() { end() }

  private mutating func begin(_ kind: NodeKind) {
    open.append(signatures.entries.count)
    add(kind, 0)
  }

  private mutating func end() {
    guard let container = open.popLast() else { return }
    signatures.close(container, seed)
  }
}

extension ValueSignatures {
  fileprivate mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  fileprivate mutating func append(_ entry: Entry) { entries.append(entry) }

  /// Gives a container, whose last child is the last value there is, its size and its hash.
  fileprivate mutating func close(_ container: Int, _ seed: ByteHash.Seed) {
    func mix(_ first: UInt64, _ second: UInt64) -> UInt64 { ByteHash.combine(first, second, seed: seed) }
    var hash = entries[container].hash
    var place = container + 1
    while place < entries.count {
      hash = mix(mix(hash, entries[place].key), entries[place].hash)
      place += entries[place].size
    }
    entries[container].count = UInt32(clamping: entries.count - container)
    entries[container].hash = mix(hash, UInt64(entries[container].count))
  }
}
