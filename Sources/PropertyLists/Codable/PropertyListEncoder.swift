public import FoundationEssentials

/// Makes property lists out of values of `Encodable` types.
///
/// ```swift
/// let data = try PropertyListEncoder().encode(settings)
/// ```
///
/// It writes what Foundation's encoder of the same name writes:
///
/// | value | property list |
/// |---|---|
/// | `Bool`, integers, `String`, `Date`, `Data` | boolean, integer, string, date, data |
/// | `Double`, `Float` | real of 8 and of 4 bytes |
/// | `nil` that is encoded | the string `$null`; null in JSON |
/// | all others | as their `encode(to:)` says |
///
/// Dictionaries have their keys in the order in which they were encoded. Swift's own dictionaries and sets have another
/// order in each process; they are sorted, so that the same value always gives the same bytes. A type that calls their
/// `encode(to:)` itself, and does not pass them to a container, has their order.
///
/// JSON and OpenStep have no form for some of these: of dates and data, and OpenStep of numbers and booleans. They are
/// errors, unless ``PropertyListWritingOptions/coercion`` of ``writingOptions`` is
/// ``PropertyListWritingOptions/Coercion/reversible``; then a decoder with
/// ``PropertyListReadingOptions/restoresCoercedValues`` finds them again.
///
/// - Note: Foundation has a type of the same name. A file that imports both says which it means with
///   `import struct PropertyLists.PropertyListEncoder`, or writes `PropertyLists.PropertyListEncoder`.
public struct PropertyListEncoder: Sendable {
  /// The format of the data.
  public var outputFormat = PropertyListFormat.binary

  /// How the data is written. The depth holds for trees too.
  public var writingOptions = PropertyListWritingOptions()

  /// What the types that are encoded find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  // With other arguments than Foundation's has, even optional ones, files that import both would get Foundation's
  // unasked.
  /// An encoder that makes binary property lists.
  public init() {}

  /// Encodes a value as the bytes of a file. Any value will do, also one that is no container.
  ///
  /// - Throws: `EncodingError` with the coding path, or what a type's own `encode(to:)` throws.
  /// - Complexity: O(*n*) in the size of the value; sorting *k* elements of a dictionary or a set adds O(*k* log *k*).
  public func encode<T: Encodable>(_ value: T) throws -> Data {
    let document = try document(of: value, hasNull: outputFormat == .json)
    do { return try document.root.data(format: outputFormat, options: writingOptions) } catch {
      throw EncodingError(error, value)
    }
  }

  /// Encodes a value as a tree. Any value will do, also one that is no container.
  ///
  /// - Throws: as ``encode(_:)``.
  /// - Complexity: as ``encode(_:)``.
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
  /// Why a value cannot be a property list.
  init(_ error: PropertyListError, _ value: Any, at codingPath: [any CodingKey] = []) {
    self = .invalidValue(
      value,
      Context(
        codingPath: codingPath + (error.keyPath?.codingPath ?? []), debugDescription: error.description,
        underlyingError: error))
  }
}
