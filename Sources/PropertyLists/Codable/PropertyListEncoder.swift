public import FoundationEssentials

/// An encoder that creates property lists from values of `Encodable` types.
///
/// ```swift
/// let settings = Settings(fontSize: 14, recentFiles: ["notes.txt"])
/// let data = try PropertyListEncoder().encode(settings)
///
/// var encoder = PropertyListEncoder()
/// encoder.outputFormat = .json
/// encoder.writingOptions.isCompact = true
/// let json = try encoder.encode(settings)   // {"fontSize":14,"recentFiles":["notes.txt"]}
/// ```
///
/// It writes the same property lists as Foundation's encoder of the same name:
///
/// | value | property list |
/// |---|---|
/// | `Bool`, integers, `String`, `Date`, `Data` | boolean, integer, string, date, data |
/// | `Double`, `Float` | real of 8 and of 4 bytes |
/// | `nil`, if it is encoded | the string `$null`; null in JSON |
/// | all others | as their `encode(to:)` encodes them |
///
/// Dictionaries keep the order of encoding. The order of Swift's own dictionaries and sets differs from process to
/// process; they are sorted, so that equal values always produce the same bytes. They are not sorted if a type calls
/// their `encode(to:)` itself instead of passing them to a container.
///
/// JSON cannot represent dates and data, and OpenStep cannot represent dates, numbers and booleans. By default,
/// encoding them throws an error. If ``PropertyListWritingOptions/coercion`` of ``writingOptions`` is
/// ``PropertyListWritingOptions/Coercion/reversible``, they are written in forms that a decoder with
/// ``PropertyListReadingOptions/restoresCoercedValues`` reads back.
///
/// - Note: Foundation has a type of the same name. In a file that imports both, add
///   `import struct PropertyLists.PropertyListEncoder`, or write `PropertyLists.PropertyListEncoder`.
public struct PropertyListEncoder: Sendable {
  /// The format of the data.
  public var outputFormat = PropertyListFormat.binary

  /// The options for writing data. Of these, ``encodeToPropertyList(_:)`` uses only the depth.
  public var writingOptions = PropertyListWritingOptions()

  /// The values that encoded types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  // The initializer must not have parameters, even optional ones, because Foundation's does not. Otherwise, files that
  // import both would silently use Foundation's type.
  /// Creates an encoder that writes binary property lists.
  public init() {}

  /// Encodes a value as the bytes of a file. The value may also be a scalar.
  ///
  /// - Throws: `EncodingError` with the coding path, and the errors of a type's own `encode(to:)`. If the format cannot
  ///   represent a value, the underlying error is a ``PropertyListError``.
  /// - Complexity: O(*n*) in the size of the value; sorting *k* elements of a dictionary or a set adds O(*k* log *k*).
  public func encode<T: Encodable>(_ value: T) throws -> Data {
    let document = try document(of: value, hasNull: outputFormat == .json)
    do { return try document.root.data(format: outputFormat, options: writingOptions) } catch {
      throw EncodingError(error, value)
    }
  }

  /// Encodes a value as a ``PropertyList``. The value may also be a scalar.
  ///
  /// ```swift
  /// var list = try PropertyListEncoder().encodeToPropertyList(settings)
  /// list.dictionary?["version"] = 2
  /// ```
  ///
  /// - Throws: See ``encode(_:)``.
  /// - Complexity: See ``encode(_:)``.
  public func encodeToPropertyList<T: Encodable>(_ value: T) throws -> PropertyList {
    let document = try document(of: value, hasNull: false)
    do { return try PropertyList(document.root) } catch { throw EncodingError(error, value) }
  }

  private func document<T: Encodable>(of value: T, hasNull: Bool) throws -> PropertyListDocument {
    let context = EncodingContext(depth: writingOptions.effectiveDepth, hasNull: hasNull, userInfo: userInfo)
    return try context.document(of: value)
  }
}

extension EncodingError {
  /// Creates the error for a value that cannot be represented as a property list.
  init(_ error: PropertyListError, _ value: Any, at codingPath: [any CodingKey] = []) {
    self = .invalidValue(
      value,
      Context(
        codingPath: codingPath + (error.keyPath?.codingPath ?? []), debugDescription: error.description,
        underlyingError: error))
  }
}
