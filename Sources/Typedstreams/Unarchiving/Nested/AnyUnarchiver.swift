public import FoundationEssentials
public import KeyedArchiving
public import PropertyLists

/// Gets a value out of data that is an archive of some kind: a keyed archive, a typedstream, or a property list.
///
/// Preferences and databases may have any of them under one key, by the age of the program that wrote it. The first
/// bytes say which one it is.
///
/// ```swift
/// let color = try AnyUnarchiver.unarchivedObject(of: Archived.Color.self, from: data)
/// ```
///
/// | data that is | is decoded by | needs a type that is |
/// |---|---|---|
/// | a keyed archive | `KeyedUnarchiver`: the value under `root`, or under the only key | `SecureCoding` |
/// | a typedstream | ``TypedstreamUnarchiver``: the first value | ``TypedstreamDecodable`` |
/// | another property list | `PropertyListDecoder` | `Decodable` |
///
/// The rules of secure coding hold for all of them: nothing is instantiated but what the type names.
public enum AnyUnarchiver {
  /// The value that an archive was made of.
  ///
  /// - Parameters:
  ///   - type: the type of the value.
  ///   - data: the whole archive.
  ///   - limits: how large the input may be, and how much larger what is decoded.
  /// - Throws: `KeyedArchiveError` for a keyed archive, a property list, and for what is neither;
  ///   ``TypedstreamError`` for a typedstream; or what a type's own initializer throws.
  /// - Complexity: O(*n*) in the size of what is decoded.
  public static func unarchivedObject<Root: SecureCoding>(
    of type: Root.Type, from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> Root {
    try OpenedArchive(data, OpenedArchive.Surroundings(limits: limits)).decode(type)
  }
}
