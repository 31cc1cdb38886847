package import FoundationEssentials

/// The scalars of a binary property list in the making: their bytes as the file has them, each once. Archivers keep the
/// scalars of an archive in the same way.
///
/// A new scalar is written behind the others, and taken away again if an equal one is found: the bytes of a scalar,
/// with its marker, say its kind, its width and its value.
package struct ScalarTable: ~Copyable {
  var bytes = ByteBuffer()
  /// Where the bytes of each scalar end; they begin where those of the one before end.
  private(set) var ends: [Int] = []
  /// The number that each scalar has among all objects.
  private var objects: [UInt32] = []
  /// The number of a scalar plus one in the low half, its hash in the high half; 0 for none. The low bits of that hash
  /// choose the slot. A power of two of slots, at most half in use.
  private var slots = [UInt64](repeating: 0, count: 1024)
  private var usedSlots = 0
  private let seed = ByteHash.seed

  /// Finds a scalar equal to the one that stands at the end of the bytes, behind all that were found to be new, and
  /// takes this one away then.
  ///
  /// - Parameter newObject: the number that this scalar gets if there is no equal one.
  /// - Returns: the number of the object.
  @inline(__always)
  mutating func find(newObject: UInt32) -> UInt32 {
    let start = ends.last ?? 0
    let length = bytes.count - start
    let hash = bytes.hash(from: start, seed: seed) >> 32
    let mask = slots.count - 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while slots[place] != 0 {
      let slot = slots[place]
      if slot >> 32 == hash {
        let scalar = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) - 1
        let otherStart = scalar == 0 ? 0 : ends[scalar - 1]
        if ends[scalar] - otherStart == length, bytes.equalBytes(otherStart, start, count: length) {
          bytes.truncate(to: start)
          return objects[scalar]
        }
      }
      place = (place + 1) & mask
    }
    ends.append(bytes.count)
    objects.append(newObject)
    slots[place] = hash << 32 | UInt64(truncatingIfNeeded: ends.count)
    usedSlots += 1
    if 2 * usedSlots > slots.count { grow() }
    return newObject
  }

  /// Keeps the scalar that stands at the end of the bytes, which is known to be new, and is not looked for again.
  @inline(__always)
  mutating func add(newObject: UInt32) {
    ends.append(bytes.count)
    objects.append(newObject)
  }

  package init() {}

  /// How many bytes there are so far.
  package var byteCount: Int { bytes.count }

  /// The number of an equal scalar if there is one; else adds this one under the number `new`.
  ///
  /// - Parameter tag: one byte in front, which tells kinds of scalars apart. A new scalar's own bytes begin behind it,
  ///   one byte after what ``byteCount`` was before.
  @inline(__always)
  package mutating func number(of scalar: RawSpan, tag: UInt8, orElse new: UInt32) -> UInt32 {
    bytes.append(byte: tag)
    bytes.append(scalar)
    return find(newObject: new)
  }

  /// As ``number(of:tag:orElse:)``, for a scalar of 8 bytes.
  package mutating func number(ofWord word: UInt64, tag: UInt8, orElse new: UInt32) -> UInt32 {
    bytes.append(byte: tag)
    bytes.append(bigEndian: word, width: 8)
    return find(newObject: new)
  }

  /// All the bytes; the table is empty then.
  package mutating func takeBytes() -> Data {
    var taken = ScalarTable()
    swap(&taken, &self)
    return taken.bytes.takeData()
  }

  /// No scalar is looked for any more: gives back the memory that took.
  mutating func endSearch() {
    slots = []
    objects = []
  }

  private mutating func grow() {
    var larger = [UInt64](repeating: 0, count: 4 * slots.count)
    let mask = larger.count - 1
    for slot in slots where slot != 0 {
      var place = Int(truncatingIfNeeded: slot >> 32) & mask
      while larger[place] != 0 { place = (place + 1) & mask }
      larger[place] = slot
    }
    slots = larger
  }
}
