/// Why a predicate could not be read, prepared or evaluated.
public struct ManagedPredicateError: Error, Hashable, Sendable {
  /// The sort of failure. Programs decide by it; people read ``ManagedPredicateError/message``.
  public enum Kind: Hashable, Sendable {
    /// The text is not a predicate.
    case syntax
    /// An argument is missing, left over, or of a kind that its position in the text does not take.
    case argument
    /// Conditions, expressions or values are nested deeper than ``ManagedPredicate/greatestDepth``.
    case nestedTooDeeply
    /// A regular expression that is wrong, or uses what is not supported.
    case pattern
    /// A regular expression that is too large, or would take too many steps on a text.
    case tooMuchWork
    /// An object has no value of this name.
    case unknownKey
    /// A variable has no value.
    case unboundVariable
    /// Values that cannot be compared, or that a function does not take.
    case typeMismatch
    /// A division by zero, or a result that no number can hold.
    case arithmetic
    /// An element that a collection does not have.
    case indexOutOfRange
    /// A part that is kept for others, and cannot be evaluated here or has no form in text.
    case unsupported
  }

  /// A position in the text of a predicate.
  public struct Position: Hashable, Sendable {
    /// The number of bytes of UTF-8 before the position.
    public let utf8Offset: Int
    /// The number of Unicode scalars before the position, and 1.
    public let column: Int
  }

  /// The sort of failure. Programs decide by it; people read ``message``.
  public var kind: Kind
  /// The defect, in one line without a position.
  public var message: String
  /// The position in the text. Nil if the predicate does not come from text that is at hand.
  public var position: Position?

  /// An error for subjects that check what they are asked for.
  public init(_ kind: Kind, _ message: String, position: Position? = nil) {
    self.kind = kind
    self.message = message
    self.position = position
  }
}

extension ManagedPredicateError: CustomStringConvertible {
  /// The position and the message: `column 8: "CONTAINS" has no right side`.
  public var description: String { position.map { "column \($0.column): \(message)" } ?? message }
}

extension ManagedPredicateError.Position {
  package init(utf8Offset: Int, in text: some Sequence<UInt8>) {
    var column = 1
    for byte in text.prefix(utf8Offset) where byte & 0xC0 != 0x80 { column += 1 }
    self.init(utf8Offset: utf8Offset, column: column)
  }
}

extension ManagedPredicateError {
  /// True if other values could have been compared.
  @usableFromInline var isAboutValues: Bool {
    switch kind {
    case .typeMismatch, .unknownKey, .indexOutOfRange, .arithmetic, .pattern: true
    default: false
    }
  }

  package static var nestedTooDeeply: ManagedPredicateError {
    ManagedPredicateError(.nestedTooDeeply, "nested more than \(ManagedPredicate.greatestDepth) deep")
  }
}

extension ManagedPredicate {
  /// The greatest depth to which conditions and expressions may be nested.
  public static let greatestDepth = 100
}
