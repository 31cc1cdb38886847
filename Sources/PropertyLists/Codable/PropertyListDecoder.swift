public import FoundationEssentials

/// A decoder that creates values of `Decodable` types from property lists.
///
/// ```swift
/// struct Settings: Codable {
///   var fontSize: Int
///   var recentFiles: [String]
/// }
///
/// let settings = try PropertyListDecoder().decode(Settings.self, from: data)
/// ```
///
/// It reads the same property lists as Foundation's decoder of the same name, with the same results:
///
/// | type | property list |
/// |---|---|
/// | `Bool` | boolean |
/// | integers | integer, or a real with exactly that value |
/// | `Double`, `Float` | real or integer, rounded to the nearest value of the type |
/// | `String`, `Date`, `Data` | string, date, data |
/// | `nil` | the string `$null`, which encoders write, or ``PropertyList/null`` |
/// | all other types | as their `init(from:)` decodes them |
///
/// Nothing else is converted. A number that does not fit into its type is an error. JSON has no dates and data. If
/// ``PropertyListReadingOptions/restoresCoercedValues`` of ``readingOptions`` is true, they are read from the forms
/// that ``PropertyListWritingOptions/Coercion/reversible`` writes.
///
/// A type may try one kind after another and catch the errors with `try?`. Exceeding
/// ``PropertyListReadingOptions/limits`` always ends the call. In an error that a type catches, the outer keys of a
/// long coding path may be combined into one; at least the 16 innermost keys are separate. The error that the decoder
/// throws in the end has all keys.
///
/// - Note: Foundation has a type of the same name. In a file that imports both, add
///   `import struct PropertyLists.PropertyListDecoder`, or write `PropertyLists.PropertyListDecoder`.
public struct PropertyListDecoder: Sendable {
  /// The values that decoded types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// The options for reading data.
  ///
  /// ```swift
  /// var decoder = PropertyListDecoder()
  /// decoder.readingOptions.restoresCoercedValues = true   // dates and data in JSON
  /// decoder.readingOptions.limits.inputSize = 1 << 20
  /// ```
  ///
  /// The limits also apply to decoding a ``PropertyList``. A document is decoded with the limits of its own
  /// ``PropertyListDocument/options``.
  public var readingOptions = PropertyListReadingOptions()

  /// Creates a decoder whose limits are safe for untrusted input.
  public init() {}

  /// Decodes a property list in any format.
  ///
  /// - Parameter format: The format of the data, or nil to detect it from its beginning.
  /// - Throws: `DecodingError` with the coding path, and the errors of a type's own `init(from:)`. If the data cannot
  ///   be read, the underlying error is a ``PropertyListError``.
  /// - Complexity: O(*n*) in the length of a text. For a binary property list, O(*n*) in the values that the type
  ///   reads.
  public func decode<T: Decodable>(
    _ type: T.Type = T.self, from data: Data, format: PropertyListFormat? = nil
  ) throws -> T {
    let document: PropertyListDocument
    do { document = try PropertyListDocument(data, format: format, options: readingOptions) } catch {
      throw DecodingError(error)
    }
    return try decode(type, from: document)
  }

  /// Decodes a document.
  ///
  /// - Throws: See ``decode(_:from:format:)``.
  /// - Complexity: O(*n*) in the values that the type reads.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from document: PropertyListDocument) throws -> T {
    try decode(type, from: document.root)
  }

  /// Decodes a node of a document. Values that the type does not request are not read.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(contentsOf: url)
  /// let editor = try document.root.descendant(at: PropertyListKeyPath("settings.editor"))
  /// let settings = try PropertyListDecoder().decode(EditorSettings.self, from: editor)
  /// ```
  ///
  /// - Throws: See ``decode(_:from:format:)``.
  /// - Complexity: O(*n*) in the values that the type reads.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from node: PropertyListDocument.Node) throws -> T {
    try DecodingContext(node.document, userInfo: userInfo).decode(type, node.flat)
  }

  /// Decodes a ``PropertyList``.
  ///
  /// - Throws: See ``decode(_:from:format:)``.
  /// - Complexity: O(*n*) in the size of the property list, whatever the type reads. If you have a document, decode
  ///   that instead.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from propertyList: PropertyList) throws -> T {
    let document: PropertyListDocument
    do { document = try PropertyListDocument(propertyList, options: readingOptions) } catch {
      throw DecodingError(error)
    }
    return try decode(type, from: document)
  }
}

extension DecodingError {
  /// Creates an error from an error in the property list itself.
  init(_ error: PropertyListError, at codingPath: [any CodingKey] = []) {
    self = .dataCorrupted(
      Context(
        codingPath: codingPath + (error.keyPath?.codingPath ?? []), debugDescription: error.description,
        underlyingError: error))
  }
}
