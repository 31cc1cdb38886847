/// The object markers of the binary format (`CFBinaryPList.c`, kCFBinaryPlistMarker…): the high half of the first byte
/// of an object is its type, the low half a size or a value.
enum BinaryMarker {
  static let null: UInt8 = 0x00
  static let `false`: UInt8 = 0x08
  static let `true`: UInt8 = 0x09
  /// Plus the binary logarithm of the width: 1, 2, 4 bytes unsigned, 8 signed, 16 for what needs 64 bits unsigned.
  static let integer: UInt8 = 0x10
  static let float: UInt8 = 0x22
  static let real: UInt8 = 0x23
  /// Seconds since 2001-01-01T00:00:00Z as an 8-byte real.
  static let date: UInt8 = 0x33
  /// Plus the count, or `countFollows`; so the containers and strings.
  static let data: UInt8 = 0x40
  static let asciiString: UInt8 = 0x50
  /// Big-endian; the count is of 2-byte units.
  static let utf16String: UInt8 = 0x60
  /// Plus the width less one.
  static let uid: UInt8 = 0x80
  static let array: UInt8 = 0xA0
  static let set: UInt8 = 0xC0
  /// The references of all keys, then those of all values.
  static let dictionary: UInt8 = 0xD0

  /// The low half that says that the count follows as an integer object.
  static let countFollows: UInt8 = 0x0F
}
