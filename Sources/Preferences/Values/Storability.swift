internal import PropertyLists

/// Functions that check whether a preferences file can contain a value.
extension PropertyList {
  /// The greatest depth of a value. The reader accepts 512 levels, one of which is the dictionary of all values.
  private static var greatestDepth: Int { 500 }

  /// Checks that preferences files can contain the value, and that the key is not empty.
  ///
  /// - Throws: ``PreferencesError/notStorable(key:reason:)``, ``PreferencesError/emptyKey``.
  func checkStorable(forKey key: String) throws(PreferencesError) {
    guard !key.isEmpty else { throw .emptyKey }
    switch self {
    case .string, .integer, .real, .float, .boolean, .date, .data: return
    case .array, .dictionary, .uid, .null: break
    }
    if let reason = reasonNotToStore(depth: Self.greatestDepth) { throw .notStorable(key: key, reason: reason) }
  }

  /// Returns the reason why preferences files cannot contain the value; nil if they can.
  ///
  /// Nulls and UIDs are not preference values: Foundation on Linux reads no values from a file that contains one, and
  /// overwrites the file.
  private func reasonNotToStore(depth limit: Int) -> String? {
    // Visits one level after another, so that depth costs no stack.
    var level = [self]
    for depth in 0... {
      var next: [PropertyList] = []
      for value in level {
        switch value {
        case .uid: return "it is a UID, or contains one"
        case .null: return "it is a null, or contains one"
        case .array, .dictionary:
          if depth >= limit { return "it is nested more than \(limit) levels deep" }
          next += value.array ?? value.dictionary?.values.elements ?? []
        default: break
        }
      }
      if next.isEmpty { return nil }
      level = next
    }
    return nil
  }
}

extension PreferenceValue {
  /// Returns the value to store for a key; nil to store nothing. Throws the errors of
  /// ``PropertyLists/PropertyList/checkStorable(forKey:)``.
  func stored(forKey key: String) throws(PreferencesError) -> PropertyList? {
    guard !key.isEmpty else { throw .emptyKey }
    let stored: PropertyList?
    do { stored = try storedPreference() } catch { throw .notStorable(key: key, reason: "\(error)") }
    try stored?.checkStorable(forKey: key)
    return stored
  }
}
