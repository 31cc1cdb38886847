internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSAffineTransform`: the six numbers of a transformation of the plane, each of 4 bytes.
  ///
  /// Apple's archiver stores the numbers as bytes, and Foundation on Linux as a C array. Both are read.
  ///
  /// A point (x, y) becomes (m11 x + m21 y + tX, m12 x + m22 y + tY):
  ///
  /// ```swift
  /// let transform = Archived.AffineTransform(m11: 2, m22: 2, tX: 10)  // doubles the size, then moves by 10
  /// ```
  public struct AffineTransform: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSAffineTransform")

    /// The coefficient of the old x coordinate in the formula for the new x coordinate.
    public var m11: Float
    /// The coefficient of the old x coordinate in the formula for the new y coordinate.
    public var m12: Float
    /// The coefficient of the old y coordinate in the formula for the new x coordinate.
    public var m21: Float
    /// The coefficient of the old y coordinate in the formula for the new y coordinate.
    public var m22: Float
    /// The translation along the x axis.
    public var tX: Float
    /// The translation along the y axis.
    public var tY: Float

    /// Creates a transformation. The default is the identity.
    public init(m11: Float = 1, m12: Float = 0, m21: Float = 0, m22: Float = 1, tX: Float = 0, tY: Float = 0) {
      self.m11 = m11
      self.m12 = m12
      self.m21 = m21
      self.m22 = m22
      self.tX = tX
      self.tY = tY
    }

    private var numbers: [Float] { [m11, m12, m21, m22, tX, tY] }

    public init(coder: KeyedUnarchiver) throws {
      let numbers: [Float]
      if coder.containsRaw("$0"), !coder.containsRaw("NSTransformStruct") {
        numbers = try coder.decode(CArray.self, forRawKey: "$0").elements.compactMap {
          if case .float(let number) = $0 { number } else { nil }
        }
      } else {
        let bytes = try coder.decode(Data.self, forRawKey: "NSTransformStruct")
        try coder.require(bytes.count == 24, "a transformation must have 24 bytes, not \(bytes.count)")
        numbers = stride(from: 0, to: 24, by: 4).map { offset in
          let word = bytes.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
          return Float(bitPattern: word)
        }
      }
      try coder.require(
        numbers.count == 6 && !numbers.contains(where: \.isNaN),
        "a transformation must have six numbers, and none may be NaN")
      self.init(m11: numbers[0], m12: numbers[1], m21: numbers[2], m22: numbers[3], tX: numbers[4], tY: numbers[5])
    }

    /// Encodes the six numbers.
    ///
    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` if a number is NaN.
    public func encode(with coder: KeyedArchiver) throws {
      try coder.require(
        !numbers.contains(where: \.isNaN), "a transformation must have six numbers, and none may be NaN")
      var bytes = Data()
      for number in numbers {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> UInt32(shift))) }
      }
      try coder.encode(inline: bytes, forRawKey: "NSTransformStruct")
    }
  }
}
