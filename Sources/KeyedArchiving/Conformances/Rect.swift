extension Archived {
  /// `NSRect`, which is archived as an `NSValue`.
  public struct Rect: SecureCoding, Hashable, Sendable {
    public static let archivedClass = Value.archivedClass

    /// The corner with the lowest coordinates.
    public var origin: Point
    /// The extent from there.
    public var size: Size

    /// A rectangle.
    public init(origin: Point, size: Size) {
      self.origin = origin
      self.size = size
    }

    /// A rectangle, by its four numbers.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
    }

    public init(coder: KeyedUnarchiver) throws {
      guard case .rect(let rect) = try Value(coder: coder) else {
        throw coder.failure(.typeMismatch, "an NSValue that holds no rectangle")
      }
      self = rect
    }

    public func encode(with coder: KeyedArchiver) throws { try Value.rect(self).encode(with: coder) }

    init?(_ text: String) {
      var scanner = GeometryText.Scanner(text)
      guard scanner.skip("{"), let (x, y) = scanner.pair(), scanner.separator(), let (width, height) = scanner.pair(),
        scanner.skip("}"), scanner.isAtEnd
      else { return nil }
      self.init(x: x, y: y, width: width, height: height)
    }

    func text() throws -> String { "{\(try origin.text()), \(try size.text())}" }
  }
}
