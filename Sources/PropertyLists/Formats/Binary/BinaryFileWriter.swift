internal import FoundationEssentials

/// The bytes of a binary file around its objects: the header, the table of offsets, and the trailer.
struct BinaryFileWriter: ~Copyable {
  /// The file so far, to which the bytes of objects are appended.
  var output = ByteBuffer()
  private let objectCount: Int
  /// Of the header and the objects.
  private let length: Int
  private let offsetWidth: Int
  private var table = ByteBuffer()

  /// `length` counts the bytes of the header and of all objects; object number 0 is the root.
  init(objectCount: Int, length: Int) {
    self.objectCount = objectCount
    self.length = length
    offsetWidth = BinaryLayout.width(length)
    table.reserve(objectCount * offsetWidth + 8)
    output.reserve(length + objectCount * offsetWidth + BinaryLayout.trailerLength + 8)
    output.append("bplist00")
  }

  /// Says where the next object is.
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
  /// The bytes of a marker with its count.
  static func markerLength(count: Int) -> Int {
    count < Int(BinaryMarker.countFollows) ? 1 : count < 1 << 8 ? 3 : count < 1 << 16 ? 4 : count < 1 << 32 ? 6 : 10
  }

  /// The least number of bytes that hold `value`. Apple's writer takes 1, 2, 4 and 8; its reader takes every width.
  static func width(_ value: Int) -> Int { max(1, (Int.bitWidth - value.leadingZeroBitCount + 7) / 8) }
}
