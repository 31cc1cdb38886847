public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// Archived as an `NSIndexPath`: the number of indices, and either a single index as a number or several indices in
/// packed form.
///
/// The packed indices are unsigned. A negative index is written as the 64-bit unsigned integer with the same bits, as
/// Apple's archiver does.
extension IndexPath: SecureCoding {
  public static let archivedClass = ArchivedClass("NSIndexPath")

  public func encode(with coder: KeyedArchiver) throws {
    try coder.encode(integer: count, forRawKey: "NSIndexPathLength")
    if count == 1 {
      try coder.encode(integer: self[0], forRawKey: "NSIndexPathValue")
    } else if count > 1 {
      try coder.encode(packed: lazy.map { UInt64(bitPattern: Int64($0)) }, forRawKey: "NSIndexPathData")
    }
  }

  public init(coder: KeyedUnarchiver) throws {
    let count = try coder.decode(Int.self, forRawKey: "NSIndexPathLength")
    try coder.require(count >= 0, "an index path cannot have \(count) indices")
    switch count {
    case 0: self.init()
    case 1: self.init(index: try coder.decode(Int.self, forRawKey: "NSIndexPathValue"))
    default:
      let indices = try coder.decodePackedIntegers(forRawKey: "NSIndexPathData")
      try coder.require(indices.count == count, "expected \(count) indices in an index path, found \(indices.count)")
      self.init(indexes: indices.map { Int(truncatingIfNeeded: $0) })
    }
  }
}
