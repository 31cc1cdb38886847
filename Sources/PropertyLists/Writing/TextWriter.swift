internal import FoundationEssentials

/// A writer of a text format. It writes a whole file, or a single value or key that is inserted into a text.
protocol TextWriter: FileWriter, SendableMetatype, ~Copyable {
  /// The name of the format in messages.
  static var formatName: String { get }

  /// Creates a writer.
  ///
  /// - Parameter layout: The layout of the surrounding text, or nil for a file.
  init(_ options: PropertyListWritingOptions, in layout: TextLayout?)
  /// Writes a key for insertion into a text, without its value.
  mutating func keyAlone(_ utf8: RawSpan) throws(PropertyListError)
  /// Returns the text of a value or key for insertion into a text.
  consuming func finishFragment() -> Data
}

extension TextWriter where Self: ~Copyable {
  mutating func keyAlone(_ utf8: RawSpan) throws(PropertyListError) { try string(utf8) }

  /// Returns the error for values that the format cannot represent.
  ///
  /// - Parameter kind: The kind of values, in the plural.
  static func refusal(_ kind: String) -> PropertyListError { .notRepresentable(kind, in: formatName) }

  /// Returns the error for a date that ``DateText`` cannot write.
  static func refusal(date seconds: Double) -> PropertyListError {
    let years = "-\(DateText.greatestYear) to \(DateText.greatestYear)"
    return PropertyListError(
      .notRepresentable,
      "\(formatName) cannot hold the date \(seconds) seconds after 2001-01-01: expected a year from \(years)")
  }

  /// Appends `YYYY-MM-DDThh:mm:ssZ`.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` for a date with a fraction of a second, unless the options
  ///   drop the fraction, and for a date that is not finite or whose year is not supported.
  static func append(
    date seconds: Double, _ options: PropertyListWritingOptions, to output: inout ByteBuffer
  ) throws(PropertyListError) {
    guard options.fractionalSeconds == .drop || seconds == seconds.rounded(.down) || seconds.isNaN else {
      throw refusal(PropertyListError.fractions)
    }
    guard DateText.append(seconds, to: &output) else { throw refusal(date: seconds) }
  }
}

extension PropertyListError {
  static var fractions: String { "dates with fractions of a second" }

  static func notRepresentable(_ kind: String, in formatName: String) -> PropertyListError {
    PropertyListError(.notRepresentable, "\(formatName) has no \(kind)")
  }
}

/// Detects dictionaries that would be read back as a UID: their only key is `CF$UID`, and its value is an integer from
/// 0 to `UInt32.max`.
struct UIDLookalike {
  private var state = State.none

  private enum State { case none, dictionaryOfOne, key }

  @inline(__always)
  mutating func forget() { state = .none }

  @inline(__always)
  mutating func begin(count: Int) { state = count == 1 ? .dictionaryOfOne : .none }

  @inline(__always)
  mutating func see(key utf8: RawSpan, _ options: PropertyListWritingOptions) {
    let isUID =
      state == .dictionaryOfOne && options.writesUIDDictionaries && utf8.byteCount == 6 && utf8.starts(with: "CF$UID")
    state = isUID ? .key : .none
  }

  @inline(__always)
  func check(_ value: PropertyList.Integer) throws(PropertyListError) {
    guard state == .key, !value.isNegative, value.bits <= UInt32.max else { return }
    throw PropertyListError(
      .notRepresentable, "a dictionary with CF$UID as its only key and an integer would be read back as a UID")
  }
}
