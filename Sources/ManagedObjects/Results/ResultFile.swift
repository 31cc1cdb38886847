internal import FoundationEssentials

/// The contents of a ``FetchedResultsCache`` file: sections and rows.
///
/// The format is a magic number, a checksum of the rest, and then 64-bit little-endian numbers and strings: the length
/// and bytes of the origin; the number of sections, and the name and row count of each; the number of stretches, and
/// for each stretch the index of the store, the index of the entity, the row count and the primary keys. A stretch is a
/// sequence of adjacent rows of the same store and entity.
struct ResultFile {
  struct Stretch {
    var store: Int
    var entityIndex: Int
    var numbers: [Int64]
  }

  /// A string that identifies the request, the model, and the state of the stores from which the results come.
  var origin: String
  var sections: [(name: String, count: Int)]
  var stretches: [Stretch]

  private static let mark: UInt64 = 0x3153_5452_534F_4D00

  init(origin: String, sections: [(name: String, count: Int)], stretches: [Stretch]) {
    self.origin = origin
    self.sections = sections
    self.stretches = stretches
  }

  var data: Data {
    var bytes: [UInt8] = []
    func append(_ number: UInt64) {
      for shift in 0..<UInt64(8) { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }
    func append(_ text: String) {
      append(UInt64(text.utf8.count))
      bytes += text.utf8
    }
    append(origin)
    append(UInt64(sections.count))
    for section in sections {
      append(section.name)
      append(UInt64(bitPattern: Int64(section.count)))
    }
    append(UInt64(stretches.count))
    for stretch in stretches {
      append(UInt64(bitPattern: Int64(stretch.store)))
      append(UInt64(bitPattern: Int64(stretch.entityIndex)))
      append(UInt64(stretch.numbers.count))
      for number in stretch.numbers { append(UInt64(bitPattern: number)) }
    }
    let body = bytes
    bytes = []
    append(Self.mark)
    append(Self.sum(body[...]))
    return Data(bytes + body)
  }

  /// Reads the contents of a file. Returns nil if the data is damaged.
  init?(_ data: Data) {
    let bytes = [UInt8](data)
    var position = 0
    func number() -> UInt64? {
      guard bytes.count - position >= 8 else { return nil }
      var number: UInt64 = 0
      for offset in 0..<8 { number |= UInt64(bytes[position + offset]) << (8 * UInt64(offset)) }
      position += 8
      return number
    }
    /// Reads a count of items of `size` bytes each; nil if the remaining bytes cannot hold them.
    func count(_ size: Int) -> Int? {
      number().flatMap { Int(exactly: $0) }.flatMap { $0 <= (bytes.count - position) / size ? $0 : nil }
    }
    func text() -> String? {
      guard let count = count(1) else { return nil }
      position += count
      return String(validating: bytes[position - count..<position], as: UTF8.self)
    }
    guard number() == Self.mark, let sum = number(), sum == Self.sum(bytes[position...]), let origin = text(),
      let sectionCount = count(16)
    else { return nil }
    self.origin = origin
    sections = []
    for _ in 0..<sectionCount {
      guard let name = text(), let count = number().flatMap({ Int(exactly: $0) }) else { return nil }
      sections.append((name, count))
    }
    guard let stretchCount = count(24) else { return nil }
    stretches = []
    for _ in 0..<stretchCount {
      guard let store = number().flatMap({ Int(exactly: $0) }), let entity = number().flatMap({ Int(exactly: $0) }),
        let count = count(8)
      else { return nil }
      var stretch = Stretch(store: store, entityIndex: entity, numbers: [])
      stretch.numbers.reserveCapacity(count)
      for _ in 0..<count { stretch.numbers.append(Int64(bitPattern: number() ?? 0)) }
      stretches.append(stretch)
    }
    guard position == bytes.count else { return nil }
  }

  /// Returns a checksum to detect accidental damage (FNV-1a, 64 bits).
  private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return sum
  }
}
