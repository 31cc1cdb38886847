/// The options for reading a property list.
///
/// ```swift
/// let text = Data(#"{"title": "Draft", "pinned": true, "title": "Groceries"}"#.utf8)
/// let options = PropertyListReadingOptions(duplicateKeys: .keepLast)
/// let note = try PropertyList(text, options: options)   // ["title": "Groceries", "pinned": true]
/// let same = try PropertyList(text)                     // throws an error: duplicate key "title"
/// ```
public struct PropertyListReadingOptions: Hashable, Sendable {
  /// The limits of the reader.
  public var limits: ParsingLimits

  /// True if XML and OpenStep dictionaries are read as UIDs when their only key is `CF$UID` and its value is an integer
  /// from 0 to `UInt32.max`. Apple's reader does this, too. In JSON, ``restoresCoercedValues`` controls this instead.
  public var recognizesUIDDictionaries: Bool

  /// The treatment of a key that occurs twice in a dictionary.
  public var duplicateKeys: DuplicateKeys

  /// True if values that JSON cannot represent, such as dates, are restored from the forms that
  /// ``PropertyListWritingOptions/Coercion/reversible`` writes; <doc:Formats> has a table of the forms. If false, they
  /// are read as ordinary dictionaries. In OpenStep, the forms are always restored.
  public var restoresCoercedValues: Bool

  /// True if XML text may contain characters that XML does not allow, as Foundation writes them. If true, the text is
  /// not checked with libxml2.
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
    /// The last value is used, at the position of the first, as in Apple's XML reader. This applies only to text
    /// formats; in a binary property list, such a key is always an error.
    case keepLast
  }
}
