/// The first bytes of values that have a special meaning (`typedstream.m` of Darwin 0.1). Any other first byte, from
/// −110 on, is an integer itself.
enum TypedstreamHead {
  /// An integer of 2 bytes follows.
  static let int16: UInt8 = 0x81
  /// An integer of 4 bytes follows.
  static let int32: UInt8 = 0x82
  /// A floating-point number follows, of 4 or 8 bytes depending on its type.
  static let real: UInt8 = 0x83
  /// A new string, class or object follows.
  static let new: UInt8 = 0x84
  /// Nil: no string, no object or no superclass.
  static let null: UInt8 = 0x85
  /// The end of the groups of an object.
  static let endOfObject: UInt8 = 0x86
  /// An integer of 8 bytes follows. Archives of 64-bit programs contain it.
  static let int64: UInt8 = 0x87

  /// The smallest integer that is stored as a single byte. A reference is stored as an integer: −110, this one, refers
  /// to the first entry of a table, −109 to the second.
  static let leastInteger = -110

  /// The version of the format that is read and written.
  static let streamerVersion = 4
  /// The version of the format in NeXTSTEP before 1.0, which is not supported: its values cannot be separated without
  /// knowing their classes.
  static let oldStreamerVersion = 3
  /// The system version of Mac OS X and all later systems.
  static let currentSystemVersion = 1000
}
