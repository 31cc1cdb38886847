/// What every writer is: it is told the values of a property list in order.
///
/// Trees and documents walk through themselves (`PropertyList+Walk.swift`, `PropertyListDocument+Walk.swift`), so a writer knows
/// neither, and a source knows no format.
protocol PropertyListSink: ~Copyable {
  /// Whether a dictionary tells all keys before all values, as the binary format stores them, or each key before its value.
  static var takesKeysFirst: Bool { get }

  mutating func null() throws(PropertyListError)
  mutating func boolean(_ value: Bool) throws(PropertyListError)
  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError)
  mutating func real(_ value: Double) throws(PropertyListError)
  mutating func float(_ value: Float) throws(PropertyListError)
  /// - Parameter seconds: since 2001-01-01T00:00:00Z.
  mutating func date(_ seconds: Double) throws(PropertyListError)
  mutating func uid(_ value: UInt32) throws(PropertyListError)
  /// - Parameter utf8: valid UTF-8.
  mutating func string(_ utf8: RawSpan) throws(PropertyListError)
  mutating func data(_ bytes: RawSpan) throws(PropertyListError)

  mutating func beginArray(count: Int) throws(PropertyListError)
  mutating func endArray() throws(PropertyListError)
  mutating func beginDictionary(count: Int) throws(PropertyListError)
  /// - Parameter utf8: valid UTF-8.
  mutating func key(_ utf8: RawSpan) throws(PropertyListError)
  mutating func endDictionary() throws(PropertyListError)
}

/// How a property list is written.
public struct PropertyListWritingOptions: Hashable, Sendable {
  /// Whether the keys of every dictionary are written in order of their UTF-16 code units, as Apple's XML writer orders them,
  /// and not in the order they have.
  public var sortsKeys: Bool

  /// How deep containers may be nested; no deeper than ``ParsingLimits/greatestDepth``.
  public var depth: Int

  /// What becomes of the fraction of a second in a date of XML, which has whole seconds only.
  public var fractionalSeconds: FractionalSeconds

  /// Whether XML has UIDs as dictionaries with the one key `CF$UID`, as Apple's writer does. Then a real dictionary of that form
  /// has none and is refused; without it, UIDs are refused.
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

  var effectiveDepth: Int { min(max(depth, 0), ParsingLimits.greatestDepth) }
}
