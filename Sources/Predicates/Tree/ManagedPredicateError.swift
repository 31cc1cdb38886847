/// An error that is thrown when a predicate cannot be read, prepared or evaluated.
///
/// ```swift
/// do {
///   _ = try ManagedPredicate(format: "title CONTAINS")
/// } catch {
///   print(error)             // column 15: expected a value or a condition, found the end of the text
///   print(error.kind)        // syntax
/// }
/// ```
public struct ManagedPredicateError: Error, Hashable, Sendable {
  /// The kind of error, for use in code. The text for people is ``ManagedPredicateError/message``.
  public enum Kind: Hashable, Sendable {
    /// The text is not a predicate.
    case syntax
    /// An argument is missing, unused, or of a kind that its position in the text does not accept.
    case argument
    /// Conditions, expressions or values are nested deeper than ``ManagedPredicate/greatestDepth``.
    case nestedTooDeeply
    /// A regular expression is invalid, or uses an unsupported feature.
    case pattern
    /// A regular expression is too large, or would take too many steps on a string.
    case tooMuchWork
    /// An object does not have a key.
    case unknownKey
    /// A variable has no value.
    case unboundVariable
    /// Values cannot be compared, or a function does not accept a value.
    case typeMismatch
    /// A division by zero, or a result that no number type can hold.
    case arithmetic
    /// A collection has no element at an index.
    case indexOutOfRange
    /// A part of a predicate can be read and kept, but it cannot be evaluated here, or has no form in text.
    case unsupported
  }

  /// A position in the text of a predicate.
  public struct Position: Hashable, Sendable {
    /// The number of UTF-8 bytes before the position.
    public let utf8Offset: Int
    /// The column, in Unicode scalars, from 1.
    public let column: Int
  }

  /// The kind of error, for use in code. The text for people is ``message``.
  public var kind: Kind
  /// The description of the error, in one line without the position.
  public var message: String
  /// The position in the text. Nil if the text of the predicate is not available.
  public var position: Position?

  /// Creates an error, for example in a ``PredicateSubject`` that validates keys.
  public init(_ kind: Kind, _ message: String, position: Position? = nil) {
    self.kind = kind
    self.message = message
    self.position = position
  }
}

extension ManagedPredicateError: CustomStringConvertible {
  /// The position and the message: `column 9: expected a value or a condition, found ")"`.
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
  /// True if the error depends on the compared values, so that the comparison may succeed for another object.
  @usableFromInline var isAboutValues: Bool {
    switch kind {
    case .typeMismatch, .unknownKey, .indexOutOfRange, .arithmetic, .pattern: true
    default: false
    }
  }

  package static var nestedTooDeeply: ManagedPredicateError {
    ManagedPredicateError(.nestedTooDeeply, "nested more than \(ManagedPredicate.greatestDepth) levels deep")
  }
}

extension ManagedPredicate {
  /// The maximum number of levels of conditions and expressions.
  public static let greatestDepth = 100
}
