extension Archived {
  /// `NSEdgeInsets`, which is archived as an `NSValue`.
  public struct EdgeInsets: SecureCoding, Hashable, Sendable {
    public static let archivedClass = Value.archivedClass

    /// The distance from the top edge.
    public var top: Double
    /// The distance from the left edge.
    public var left: Double
    /// The distance from the bottom edge.
    public var bottom: Double
    /// The distance from the right edge.
    public var right: Double

    /// Creates edge insets. NaN cannot be archived.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
      self.top = top
      self.left = left
      self.bottom = bottom
      self.right = right
    }

    public init(coder: KeyedUnarchiver) throws {
      self = try Value.content("edge insets", coder) { if case .edgeInsets(let content) = $0 { content } else { nil } }
    }

    public func encode(with coder: KeyedArchiver) throws { try Value.edgeInsets(self).encode(with: coder) }

    private var hasNumbersOnly: Bool { ![top, left, bottom, right].contains { $0.isNaN } }

    init(valueIn coder: KeyedUnarchiver) throws {
      self.init(
        top: try coder.decode(Double.self, forRawKey: "NS.edgeval.top"),
        left: try coder.decode(Double.self, forRawKey: "NS.edgeval.left"),
        bottom: try coder.decode(Double.self, forRawKey: "NS.edgeval.bottom"),
        right: try coder.decode(Double.self, forRawKey: "NS.edgeval.right"))
      try coder.require(hasNumbersOnly, "a distance is not a number")
    }

    func encodeValue(with coder: KeyedArchiver) throws {
      try coder.require(hasNumbersOnly, "a distance is not a number")
      for (key, distance) in [("top", top), ("left", left), ("bottom", bottom), ("right", right)] {
        try coder.encode(real: distance, forRawKey: "NS.edgeval.\(key)")
      }
    }
  }
}
