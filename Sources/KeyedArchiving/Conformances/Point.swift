extension Archived {
  /// `NSPoint`, which is archived as an `NSValue`.
  public struct Point: SecureCoding, Hashable, Sendable {
    public static let archivedClass = Value.archivedClass

    /// The horizontal coordinate.
    public var x: Double
    /// The vertical coordinate.
    public var y: Double

    /// A point. A coordinate that is not a number cannot be archived.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }

    public init(coder: KeyedUnarchiver) throws {
      guard case .point(let point) = try Value(coder: coder) else {
        throw coder.failure(.typeMismatch, "an NSValue that holds no point")
      }
      self = point
    }

    public func encode(with coder: KeyedArchiver) throws { try Value.point(self).encode(with: coder) }

    init?(_ text: String) {
      var scanner = GeometryText.Scanner(text)
      guard let (x, y) = scanner.pair(), scanner.isAtEnd else { return nil }
      self.init(x: x, y: y)
    }

    func text() throws -> String { try GeometryText.text(x, y) }
  }
}
