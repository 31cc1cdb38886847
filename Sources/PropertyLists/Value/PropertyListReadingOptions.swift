/// The options for reading a property list.
public struct PropertyListReadingOptions: Hashable, Sendable {
  /// The limits of the reader.
  public var limits: ParsingLimits

  /// True if a dictionary of XML or OpenStep is read as a UID if its only key is `CF$UID` and its value is an integer
  /// from 0 to `UInt32.max`, as Apple's reader does. In JSON, ``restoresCoercedValues`` controls this instead.
  public var recognizesUIDDictionaries: Bool

  /// The treatment of a key that occurs twice in a dictionary.
  public var duplicateKeys: DuplicateKeys

  /// True if the forms written by ``PropertyListWritingOptions/Coercion/reversible`` are read as their original values;
  /// <doc:Formats> has a table of them. JSON only. The forms of OpenStep are always read.
  public var restoresCoercedValues: Bool

  /// True if XML text may contain characters that XML does not allow, as Foundation writes them. In that case the text
  /// is not checked with libxml2.
  package var allowsAllXMLCharacters = false

  /// Creates options. The defaults read as Apple's readers do, except that duplicate keys are errors.
  public init(
    limits: ParsingLimits = ParsingLimits(), recognizesUIDDictionaries: Bool = true,
    duplicateKeys: DuplicateKeys = .reject, restoresCoercedValues: Bool = false
  ) {
    self.limits = limits
    self.recognizesUIDDictionaries = recognizesUIDDictionaries
    self.duplicateKeys = duplicateKeys
    self.restoresCoercedValues = restoresCoercedValues
  }

  /// The treatment of a key that occurs twice in a dictionary.
  public enum DuplicateKeys: Hashable, Sendable {
    /// Throws an error, because choosing one value would lose the other.
    case reject
    /// The last value is used, at the position of the first, as in Apple's XML reader. Text formats only.
    case keepLast
  }
}
