internal import FoundationEssentials

/// A writer of the parts of a binary file around its objects: the header, the offset table and the trailer.
struct BinaryFileWriter: ~Copyable {
  /// The file so far. Callers append the objects to it.
  var output = ByteBuffer()
  private let objectCount: Int
  /// The length of the header and the objects, in bytes.
  private let length: Int
  private let offsetWidth: Int
  private var table = ByteBuffer()

  /// Begins a file whose root is object 0. `length` is the size of the header and all objects, in bytes.
  init(objectCount: Int, length: Int) {
    self.objectCount = objectCount
    self.length = length
    offsetWidth = BinaryLayout.width(length)
    table.reserve(objectCount * offsetWidth + 8)
    output.reserve(length + objectCount * offsetWidth + BinaryLayout.trailerLength + 8)
    output.append("bplist00")
  }

  /// Adds the offset of the next object to the offset table.
  @inline(__always)
  mutating func beginObject(at offset: Int) { table.append(bigEndian: UInt64(offset), width: offsetWidth) }

  consuming func finish() -> Data {
    let (table, referenceWidth) = (table.takeData(), BinaryLayout.width(objectCount))
    output.append(table.bytes)
    output.append(repeating: 0, count: 6)
    output.append(byte: UInt8(offsetWidth))
    output.append(byte: UInt8(referenceWidth))
    output.append(bigEndian: UInt64(objectCount), width: 8)
    output.append(bigEndian: 0, width: 8)
    output.append(bigEndian: UInt64(length), width: 8)
    return output.takeData()
  }
}

extension BinaryLayout {
  /// Returns the length of a marker and its count, in bytes.
  static func markerLength(count: Int) -> Int {
    count < Int(BinaryMarker.countFollows) ? 1 : count < 1 << 8 ? 3 : count < 1 << 16 ? 4 : count < 1 << 32 ? 6 : 10
  }

  /// Returns the smallest number of bytes that can hold `value`. Apple's writer uses only 1, 2, 4 and 8; its reader
  /// accepts every width.
  static func width(_ value: Int) -> Int { max(1, (Int.bitWidth - value.leadingZeroBitCount + 7) / 8) }
}
