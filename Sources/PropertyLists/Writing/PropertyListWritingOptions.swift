/// How a property list is written.
public struct PropertyListWritingOptions: Hashable, Sendable {
  /// Whether the keys of every dictionary are written in order of their UTF-16 code units, as Apple's XML writer orders
  /// them, and not in the order they have.
  public var sortsKeys: Bool

  /// How deep containers may be nested; no deeper than ``ParsingLimits/greatestDepth``.
  public var depth: Int

  /// What becomes of the fraction of a second in a date of XML, which has whole seconds only.
  public var fractionalSeconds: FractionalSeconds

  /// Whether XML has UIDs as dictionaries with the one key `CF$UID`, as Apple's writer does. Then a real dictionary of
  /// that form has none and is refused; without it, UIDs are refused.
  public var writesUIDDictionaries: Bool

  /// Apple's way of writing, with the keys in the order they have.
  public init(
    sortsKeys: Bool = false, depth: Int = 512, fractionalSeconds: FractionalSeconds = .drop,
    writesUIDDictionaries: Bool = true
  ) {
    self.sortsKeys = sortsKeys
    self.depth = depth
    self.fractionalSeconds = fractionalSeconds
    self.writesUIDDictionaries = writesUIDDictionaries
  }

  /// What to do about the fraction of a second.
  public enum FractionalSeconds: Hashable, Sendable {
    /// Dates are rounded down, as Apple's writer does.
    case drop
    /// A date with a fraction is an error.
    case refuse
  }

  var effectiveDepth: Int { ParsingLimits.clamped(depth) }
}
