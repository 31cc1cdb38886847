public import FoundationEssentials
public import KeyedArchiving
public import PropertyLists

/// Decodes a value from data that contains any kind of archive: a keyed archive, a typedstream or a property list.
///
/// The value of one key in preferences or a database may be any of these, depending on the age of the program that
/// wrote it. The kind is detected from the first bytes.
///
/// ```swift
/// let color = try AnyUnarchiver.unarchivedObject(of: Archived.Color.self, from: data)
/// ```
///
/// | data that is | is decoded by | needs a type that is |
/// |---|---|---|
/// | a keyed archive | `KeyedUnarchiver`: the value of the key `root`, or of the only key | `SecureCoding` |
/// | a typedstream | ``TypedstreamUnarchiver``: the first value | ``TypedstreamDecodable`` |
/// | another property list | `PropertyListDecoder` | `Decodable` |
///
/// The rules of secure coding apply to all of them: only the types that you name are instantiated.
public enum AnyUnarchiver {
  /// Decodes the root value of an archive.
  ///
  /// - Parameters:
  ///   - type: the type of the value.
  ///   - data: the whole archive.
  ///   - limits: the limits for the size of the input and for how far it may expand.
  /// - Throws: `KeyedArchiveError` for a keyed archive, a property list or other data; ``TypedstreamError`` for a
  ///   typedstream; or an error of a type's own initializer.
  /// - Complexity: O(*n*) in the size of the decoded value.
  public static func unarchivedObject<Root: SecureCoding>(
    of type: Root.Type, from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> Root {
    try OpenedArchive(data, OpenedArchive.Surroundings(limits: limits)).decode(type)
  }
}
