public import FoundationEssentials

/// Makes values of `Decodable` types out of property lists.
///
/// ```swift
/// let settings = try PropertyListDecoder().decode(Settings.self, from: data)
/// ```
///
/// It reads what Foundation's decoder of the same name reads, with the same results:
///
/// | type | property list |
/// |---|---|
/// | `Bool` | boolean |
/// | integers | integer, or a real that is one exactly |
/// | `Double`, `Float` | real or integer, rounded to the nearest value of the type |
/// | `String`, `Date`, `Data` | string, date, data |
/// | `nil` | the string `$null`, which property lists that were encoded have, or ``PropertyList/null`` |
/// | all other types | as their `init(from:)` says |
///
/// Nothing else is converted. Dates and data of JSON, which has none, are read if ``readingOptions`` has
/// ``PropertyListReadingOptions/restoresCoercedValues`` and they were written for it. A number that does not fit into
/// its type is an error.
///
/// A type may try one kind after the other and swallow the errors with `try?`. What exceeds
/// ``PropertyListReadingOptions/limits`` ends the call all the same. At a depth of more than 16 levels, an error that a
/// type catches has the outer keys of its path as one; the error that the call throws has all of them.
///
/// - Note: Foundation has a type of the same name. A file that imports both says which it means with
///   `import struct PropertyLists.PropertyListDecoder`, or writes `PropertyLists.PropertyListDecoder`.
public struct PropertyListDecoder: Sendable {
  /// What the types that are decoded find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// How data is read. The limits hold for decoding documents and trees too.
  public var readingOptions = PropertyListReadingOptions()

  /// A decoder that reads what is safe from anybody.
  public init() {}

  /// Decodes a property list in any format.
  ///
  /// - Parameter format: the format of the data; nil to go by how it begins.
  /// - Throws: `DecodingError` with the coding path, or what a type's own `init(from:)` throws.
  /// - Complexity: O(*n*) in the length of a text; of a binary property list, in the values that the type asks for.
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
  /// - Throws: as ``decode(_:from:format:)``.
  /// - Complexity: O(*n*) in the values that the type asks for.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from document: PropertyListDocument) throws -> T {
    try decode(type, from: document.root)
  }

  /// Decodes a part of a document. Values that the type does not ask for are not read.
  ///
  /// - Throws: as ``decode(_:from:format:)``.
  /// - Complexity: O(*n*) in the values that the type asks for.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from node: PropertyListDocument.Node) throws -> T {
    try DecodingContext(node.document, userInfo: userInfo).decode(type, node.flat)
  }

  /// Decodes a tree.
  ///
  /// - Throws: as ``decode(_:from:format:)``.
  /// - Complexity: O(*n*) in the size of the tree, whatever the type asks for. Decode documents where there are some.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from propertyList: PropertyList) throws -> T {
    let document: PropertyListDocument
    do { document = try PropertyListDocument(propertyList, options: readingOptions) } catch {
      throw DecodingError(error)
    }
    return try decode(type, from: document)
  }
}

extension DecodingError {
  /// What is wrong with a property list, whatever type it is decoded as.
  init(_ error: PropertyListError, at codingPath: [any CodingKey] = []) {
    self = .dataCorrupted(
      Context(
        codingPath: codingPath + (error.keyPath?.codingPath ?? []), debugDescription: error.description,
        underlyingError: error))
  }
}
