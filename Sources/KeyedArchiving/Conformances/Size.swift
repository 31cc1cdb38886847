extension Archived {
  /// `NSSize`, which is archived as an `NSValue`.
  public struct Size: SecureCoding, Hashable, Sendable {
    public static let archivedClass = Value.archivedClass

    /// The extent from left to right.
    public var width: Double
    /// The extent from top to bottom.
    public var height: Double

    /// A size. An extent that is not a number cannot be archived.
    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }

    public init(coder: KeyedUnarchiver) throws {
      guard case .size(let size) = try Value(coder: coder) else {
        throw coder.failure(.typeMismatch, "an NSValue that holds no size")
      }
      self = size
    }

    public func encode(with coder: KeyedArchiver) throws { try Value.size(self).encode(with: coder) }

    init?(_ text: String) {
      var scanner = GeometryText.Scanner(text)
      guard let (width, height) = scanner.pair(), scanner.isAtEnd else { return nil }
      self.init(width: width, height: height)
    }

    func text() throws -> String { try GeometryText.text(width, height) }
  }
}
