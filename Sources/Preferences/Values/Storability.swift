internal import PropertyLists

/// What files of preferences can hold.
extension PropertyList {
  /// The reader takes 512 levels, of which a dictionary of all values is one.
  private static var greatestDepth: Int { 500 }

  /// - Throws: ``PreferencesError/notStorable(key:reason:)``, ``PreferencesError/emptyKey``.
  func checkStorable(forKey key: String) throws(PreferencesError) {
    guard !key.isEmpty else { throw .emptyKey }
    switch self {
    case .string, .integer, .real, .float, .boolean, .date, .data: return
    case .array, .dictionary, .uid, .null: break
    }
    if let reason = reasonNotToStore(depth: Self.greatestDepth) { throw .notStorable(key: key, reason: reason) }
  }

  /// Why no file of preferences can hold the value; nil if there is no reason.
  ///
  /// Nulls and UIDs are no values of preferences: Foundation on Linux finds nothing in a file that has one, and
  /// overwrites it.
  private func reasonNotToStore(depth limit: Int) -> String? {
    // One level after another, so that depth costs no stack.
    var level = [self]
    for depth in 0... {
      var next: [PropertyList] = []
      for value in level {
        switch value {
        case .uid: return "it is a UID, or has one in it"
        case .null: return "it is a null, or has one in it"
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
  /// What to store for a key; nil to store nothing. Throws as ``PropertyLists/PropertyList/checkStorable(forKey:)``.
  func stored(forKey key: String) throws(PreferencesError) -> PropertyList? {
    guard !key.isEmpty else { throw .emptyKey }
    let stored: PropertyList?
    do { stored = try storedPreference() } catch { throw .notStorable(key: key, reason: "\(error)") }
    try stored?.checkStorable(forKey: key)
    return stored
  }
}
