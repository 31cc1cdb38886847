/// The options for writing a property list.
///
/// ```swift
/// let note: PropertyList = ["title": "Groceries", "created": .date(Date(timeIntervalSinceReferenceDate: 0))]
/// let options = PropertyListWritingOptions(sortsKeys: true, coercion: .reversible, isCompact: true)
/// let json = try note.data(format: .json, options: options)
/// // {"created":{"$date":"2001-01-01T00:00:00Z"},"title":"Groceries"}
/// ```
public struct PropertyListWritingOptions: Hashable, Sendable {
  /// True if the keys of each dictionary are sorted by UTF-16 code units, like the output of Apple's XML writer. If
  /// false, they keep their order.
  public var sortsKeys: Bool

  /// The maximum nesting depth of containers, at most ``ParsingLimits/greatestDepth``. Writing a deeper value throws
  /// ``PropertyListError/Kind/nestedTooDeeply``.
  public var depth: Int

  /// The treatment of a fraction of a second in a date. It applies to XML, to the dialect ``OpenStepDialect/gnustep``
  /// and to ``Coercion/plain``, whose dates have whole seconds only. ``Coercion/reversible`` always keeps the fraction.
  public var fractionalSeconds: FractionalSeconds

  /// True if UIDs are written as dictionaries with the single key `CF$UID`, as Apple's XML writer does. This applies to
  /// XML, and to OpenStep with ``Coercion/reversible``. Any other dictionary of that form then throws an error, because
  /// it would be read back as a UID. If false, UIDs throw an error in these formats.
  public var writesUIDDictionaries: Bool

  /// The treatment of values that JSON and OpenStep cannot represent; see <doc:Formats>.
  public var coercion: Coercion

  /// True if JSON and OpenStep are written on one line, without spaces.
  public var isCompact: Bool

  /// The dialect of OpenStep text.
  ///
  /// ```swift
  /// let translations: PropertyList = ["Cancel": "Abbrechen"]
  /// let options = PropertyListWritingOptions(openStepDialect: .strings)
  /// let file = try translations.data(format: .openStep, options: options)   // "Cancel" = "Abbrechen";
  /// ```
  public var openStepDialect: OpenStepDialect

  /// Creates options. The defaults write as Apple's writers do, with keys in their original order.
  public init(
    sortsKeys: Bool = false, depth: Int = 512, fractionalSeconds: FractionalSeconds = .drop,
    writesUIDDictionaries: Bool = true, coercion: Coercion = .refuse, isCompact: Bool = false,
    openStepDialect: OpenStepDialect = .openStep
  ) {
    self.sortsKeys = sortsKeys
    self.depth = depth
    self.fractionalSeconds = fractionalSeconds
    self.writesUIDDictionaries = writesUIDDictionaries
    self.coercion = coercion
    self.isCompact = isCompact
    self.openStepDialect = openStepDialect
  }

  /// The treatment of values that JSON or OpenStep cannot represent.
  public enum Coercion: Hashable, Sendable {
    /// Throws an error.
    case refuse
    /// Writes a form that a reader with ``PropertyListReadingOptions/restoresCoercedValues`` restores exactly. In
    /// OpenStep, these are GNUstep's forms, whatever the dialect, plus those described at
    /// ``PropertyList/init(openStep:options:)``.
    case reversible
    /// Writes the value as the text or number that represents it best, as libplist's tool does. Reading gives a value
    /// of another kind.
    case plain
  }

  /// The dialects of OpenStep text.
  public enum OpenStepDialect: Hashable, Sendable {
    /// Strings, data, arrays and dictionaries, which every reader supports. Other kinds are refused, because a number
    /// would be read back as a string.
    case openStep
    /// Adds GNUstep's integers, reals, booleans and dates, such as `<*I5>`. A 4-byte real is written as an 8-byte real.
    case gnustep
    /// A strings file: the entries of the root dictionary, without braces. All strings are quoted.
    case strings
  }

  /// The treatment of fractional seconds.
  public enum FractionalSeconds: Hashable, Sendable {
    /// Rounds dates down to whole seconds, as Apple's writer does.
    case drop
    /// Throws an error for a date with a fraction of a second.
    case refuse
  }

  package var effectiveDepth: Int { ParsingLimits.clamped(depth) }
}
