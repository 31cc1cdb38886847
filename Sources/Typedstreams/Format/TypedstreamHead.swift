/// The head bytes of values (`typedstream.m` of Darwin 0.1). Every other byte from -110 on is the integer itself.
enum TypedstreamHead {
  /// An integer of 2 bytes follows.
  static let int16: UInt8 = 0x81
  /// An integer of 4 bytes follows.
  static let int32: UInt8 = 0x82
  /// A real follows, of 4 or 8 bytes as its type says.
  static let real: UInt8 = 0x83
  /// A string, a class or an object follows that has not been met before.
  static let new: UInt8 = 0x84
  /// Nothing: no string, no object, no superclass.
  static let null: UInt8 = 0x85
  /// The groups of an object are over.
  static let endOfObject: UInt8 = 0x86
  /// An integer of 8 bytes follows. Archives of 64-bit programs have it.
  static let int64: UInt8 = 0x87

  /// The least integer that is a head byte of its own. It also stands for the first entry of a table.
  static let leastInteger = -110

  /// The version of the format that is read and written.
  static let streamerVersion = 4
  /// The version of NeXTSTEP before 1.0, whose values cannot be told apart without their classes.
  static let oldStreamerVersion = 3
  /// The system version of Mac OS X and all that came after it.
  static let currentSystemVersion = 1000
}
