/// How a property list is read.
public struct PropertyListReadingOptions: Hashable, Sendable {
  /// How much is read before the reader gives up.
  public var limits: ParsingLimits

  /// Whether a dictionary of XML or OpenStep whose only key is `CF$UID`, with an integer of 0 to `UInt32.max`, is read
  /// as the UID it stands for, as Apple's reader does. In JSON, ``restoresCoercedValues`` decides.
  public var recognizesUIDDictionaries: Bool

  /// What a dictionary with the same key twice means.
  public var duplicateKeys: DuplicateKeys

  /// Whether the forms that ``PropertyListWritingOptions/Coercion/reversible`` writes are read as the values they stand
  /// for; <doc:Formats> has a table of them. JSON only; the forms of OpenStep are always read.
  public var restoresCoercedValues: Bool

  /// Whether text of XML may have characters that XML does not allow, as Foundation writes them. Then libxml2 isn't
  /// asked.
  package var allowsAllXMLCharacters = false

  /// Apple's way of reading, but for a key that stands twice.
  public init(
    limits: ParsingLimits = ParsingLimits(), recognizesUIDDictionaries: Bool = true,
    duplicateKeys: DuplicateKeys = .reject, restoresCoercedValues: Bool = false
  ) {
    self.limits = limits
    self.recognizesUIDDictionaries = recognizesUIDDictionaries
    self.duplicateKeys = duplicateKeys
    self.restoresCoercedValues = restoresCoercedValues
  }

  /// What to do about a key that stands twice in a dictionary.
  public enum DuplicateKeys: Hashable, Sendable {
    /// An error: to choose one is to lose the other.
    case reject
    /// The last value counts, at the position of the first, as in Apple's XML reader. Text formats only.
    case keepLast
  }
}
