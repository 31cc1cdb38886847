/// How a property list is written.
public struct PropertyListWritingOptions: Hashable, Sendable {
  /// Whether the keys of every dictionary are written in order of their UTF-16 code units, as Apple's XML writer orders
  /// them, and not in the order they have.
  public var sortsKeys: Bool

  /// How deep containers may be nested; no deeper than ``ParsingLimits/greatestDepth``.
  public var depth: Int

  /// What becomes of the fraction of a second in a date of XML, of GNUstep's notation or of ``Coercion/plain``, which
  /// have whole seconds only. ``Coercion/reversible`` writes all of it.
  public var fractionalSeconds: FractionalSeconds

  /// Whether XML, and OpenStep with ``Coercion/reversible``, have UIDs as dictionaries with the one key `CF$UID`, as
  /// Apple's writer of XML does. Then a real dictionary of that form has none and is refused; without it, UIDs are
  /// refused.
  public var writesUIDDictionaries: Bool

  /// What JSON and OpenStep have for a value that they have no form for; see <doc:Formats>.
  public var coercion: Coercion

  /// Whether JSON and OpenStep are written on one line, without spaces.
  public var isCompact: Bool

  /// The kind of OpenStep text.
  public var openStepDialect: OpenStepDialect

  /// Apple's way of writing, with the keys in the order they have.
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

  /// What to do about a value that JSON or OpenStep has no form for.
  public enum Coercion: Hashable, Sendable {
    /// It is an error.
    case refuse
    /// It is written so that a reader with ``PropertyListReadingOptions/restoresCoercedValues`` gives exactly it. The
    /// forms of OpenStep are GNUstep's, whatever the dialect, and those that ``PropertyList/init(openStep:options:)``
    /// adds to them.
    case reversible
    /// It is written in the nearest form that the format has, as libplist's tool does: text or a number. What is read
    /// back is of another kind.
    case plain
  }

  /// The kinds of OpenStep text.
  public enum OpenStepDialect: Hashable, Sendable {
    /// Strings, data, arrays and dictionaries, as every reader knows them. All else is refused: a number would be read
    /// back as a string.
    case openStep
    /// With GNUstep's integers, reals, booleans and dates, such as `<*I5>`. A 4-byte real is written as an 8-byte one.
    case gnustep
    /// A strings file: the entries of the root, a dictionary, without the braces around them, and all text between
    /// quotation marks.
    case strings
  }

  /// What to do about the fraction of a second.
  public enum FractionalSeconds: Hashable, Sendable {
    /// Dates are rounded down, as Apple's writer does.
    case drop
    /// A date with a fraction is an error.
    case refuse
  }

  package var effectiveDepth: Int { ParsingLimits.clamped(depth) }
}
