public import PropertyLists

/// A length of time, stored as a real of seconds, as Apple's software stores a `TimeInterval`; integers and a text that
/// is a number are taken for seconds too.
///
/// Whole nanoseconds come back exactly up to 48 days (2^22 seconds), and whole seconds beyond that up to 2^53.
extension Duration: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Duration? {
    if case .integer(let value) = stored { return Int64(exactly: value.int128).map { .seconds($0) } }
    guard let seconds = Double.preferenceValue(from: stored), let whole = Int64(exactly: seconds.rounded(.towardZero))
    else {
      return nil
    }
    return .seconds(whole) + .nanoseconds(Int64(((seconds - Double(whole)) * 1e9).rounded()))
  }

  public func storedPreference() -> PropertyList? { .real(seconds) }
}
